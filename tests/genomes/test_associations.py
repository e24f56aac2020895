"""Summary statistics give back the frequencies behind them, or are refused in one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.genomes.associations.odds import (
    allelic,
    cases_from_controls,
    groups_from_everybody,
    groups_from_spread,
    spread_of,
)
from dalenius.genomes.associations.read import StudySizes, read_groups, read_population
from helpers.studies import Study, draw_study, logistic, table, variants_of

A, U = 120, 180


@pytest.fixture(scope="module")
def study() -> Study:
    return draw_study({"cases": A, "controls": U}, 200, 3)


@pytest.fixture(scope="module")
def fitted(study: Study) -> tuple[np.ndarray, np.ndarray]:
    return logistic(study)


def places(study: Study) -> list[np.ndarray]:
    v = variants_of(study.size)
    return [v.chromosomes, v.ids, v.places, v.counted, v.other]


def odds_of_alleles(study: Study) -> np.ndarray:
    return study.a / (1 - study.a) * (1 - study.u) / study.u


def test_odds_and_their_errors_against_every_table_of_counts() -> None:
    """By brute force: all frequencies of 5 cases and 7 controls, turned into odds ratios and back."""
    a, u = (
        x.ravel() / y for x, y in zip(np.meshgrid(np.arange(1, 10), np.arange(1, 14)), (10, 14), strict=True)
    )
    odds = np.log(a / (1 - a) * (1 - u) / u)
    assert np.allclose(cases_from_controls(odds, u), a)
    share = np.full(a.size, 5 / 12)
    found = groups_from_everybody(odds, share * a + (1 - share) * u, share)
    assert np.allclose(found[0], a)
    assert np.allclose(found[1], u)
    sizes = np.full(a.size, 5.0), np.full(a.size, 7.0)
    error = spread_of(a, u, sizes)
    assert np.allclose(
        error**2, 1 / (10 * a) + 1 / (10 * (1 - a)) + 1 / (14 * u) + 1 / (14 * (1 - u))
    )  # Woolf
    cases, controls, beyond = groups_from_spread(odds, error, sizes)
    assert np.allclose(spread_of(cases, controls, sizes), error)
    clear = a + u < 0.9  # the rarer allele is counted; near one half the two answers are as good
    assert np.allclose(controls[clear], u[clear], atol=1e-6)
    assert not beyond[clear].any()
    assert groups_from_spread(odds, 0.5 * error.min() + 0 * error, sizes)[2].all()


def test_golden_odds_of_a_hand_computed_table() -> None:
    """60 of 200 alleles in cases, 50 of 250 in controls: odds ratio 12/7."""
    odds = np.log([12 / 7])
    assert cases_from_controls(odds, np.array([0.2]))[0] == pytest.approx(0.3, abs=1e-12)
    error = spread_of(np.array([0.3]), np.array([0.2]), (np.array([100.0]), np.array([125.0])))
    assert error[0] == pytest.approx(np.sqrt(1 / 60 + 1 / 140 + 1 / 50 + 1 / 200), abs=1e-12)


FILES = {
    "plink 1.9 assoc": ("CHR SNP BP A1 F_A F_U A2 CHISQ P OR", 3e-5),
    "plink 1.9 counts": ("CHR SNP BP A1 C_A C_U A2 CHISQ P OR", 1e-12),
    "plink 1.9 logistic": ("CHR SNP BP A1 TEST NMISS OR SE L95 U95 STAT P", None),
    "plink 2 glm": ("#CHROM POS ID REF ALT A1 A1_FREQ TEST OBS_CT OR LOG(OR)_SE Z_STAT P ERRCODE", 5e-4),
    "plink 2 glm, cases apart": ("#CHROM POS ID REF ALT A1 A1_CASE_FREQ A1_CTRL_FREQ TEST OBS_CT OR P", 5e-7),
    "gwas-ssf": (
        "chromosome base_pair_location effect_allele other_allele beta standard_error "
        "effect_allele_frequency p_value rsid n",
        8e-4,
    ),
    "daner": (f"CHR SNP BP A1 A2 FRQ_A_{A} FRQ_U_{U} INFO OR SE P ngt", 4e-4),
}


def written(path: Path, kind: str, study: Study, fitted: tuple[np.ndarray, np.ndarray]) -> Path:
    chromosome, ids, place, counted, other = places(study)
    beta, error = fitted
    one, zero = np.ones(study.size), np.zeros(study.size)
    said = {
        "CHR": chromosome, "#CHROM": chromosome, "chromosome": chromosome, "SNP": ids, "ID": ids, "rsid": ids,
        "BP": place, "POS": place, "base_pair_location": place, "A1": counted, "ALT": counted, "A2": other,
        "effect_allele": counted, "other_allele": other, "REF": other,
        "F_A": study.a.round(4), "F_U": study.u.round(4), "A1_FREQ": study.both.round(6),
        "C_A": study.cases.sum(axis=0), "C_U": study.controls.sum(axis=0),
        "A1_CASE_FREQ": study.a.round(6), "A1_CTRL_FREQ": study.u.round(6),
        f"FRQ_A_{A}": study.a.round(3), f"FRQ_U_{U}": study.u.round(3),
        "effect_allele_frequency": study.u.round(3), "beta": beta.round(4), "standard_error": error.round(4),
        "OR": (odds_of_alleles(study) if "assoc" in kind or "counts" in kind else np.exp(beta)).round(4),
        "SE": error.round(4), "LOG(OR)_SE": error.round(6), "TEST": np.full(study.size, "ADD"),
        "NMISS": np.full(study.size, A + U), "OBS_CT": np.full(study.size, A + U),
        "n": np.full(study.size, A + U), "ERRCODE": np.full(study.size, "."),
    }  # fmt: skip
    header = FILES[kind][0]
    columns = [said.get(name, zero if name in ("CHISQ", "ngt") else one) for name in header.split()]
    return table(path, header, columns, " " if kind.startswith("plink 1.9") else "\t")


@pytest.mark.parametrize("kind", FILES)
def test_every_kind_of_file_gives_the_frequencies_back(
    tmp_path: Path, kind: str, study: Study, fitted: tuple[np.ndarray, np.ndarray]
) -> None:
    path = written(tmp_path / "f", kind, study, fitted)
    said = StudySizes() if kind == "daner" else StudySizes(cases=A, controls=U)
    found = read_groups(path, said)
    assert list(found) == ["cases", "controls"]
    for name, n, truth in (("cases", A, study.a), ("controls", U, study.u)):
        group = found[name]
        assert group.variants.counted.tolist() == ["A"] * study.size
        assert group.observations is not None
        assert (group.observations == 2 * n).all()
        if FILES[kind][1] is not None:
            assert np.sqrt(np.mean((group.frequency - truth) ** 2)) < FILES[kind][1]
        else:  # from standard errors: the rarer allele, within what Hardy-Weinberg leaves open
            assert np.median(np.abs(group.frequency - np.minimum(truth, 1 - truth))) < 0.04
    if kind == "daner":
        assert np.array_equal(read_population(path).frequency, found["controls"].frequency)


def test_standard_errors_correct_for_genotypes_out_of_proportion(
    study: Study, fitted: tuple[np.ndarray, np.ndarray]
) -> None:
    """A regression on genotypes is not one on alleles: uncorrected, frequencies are farther off."""
    beta, error = fitted
    sizes = np.full(study.size, float(A)), np.full(study.size, float(U))
    plain = cases_from_controls(beta, study.u)
    corrected = cases_from_controls(allelic(beta, error, spread_of(plain, study.u, sizes)), study.u)
    assert np.std(plain - study.a) > 4 * np.std(corrected - study.a)


def test_cases_follow_from_the_number_of_people(
    tmp_path: Path, study: Study, fitted: tuple[np.ndarray, np.ndarray]
) -> None:
    path = written(tmp_path / "f", "gwas-ssf", study, fitted)
    assert (read_groups(path, StudySizes(cases=A))["controls"].observations == 2 * U).all()
    everybody = read_groups(path)  # of a trait that is measured, as far as the file says
    assert list(everybody) == ["everybody"]
    assert (everybody["everybody"].observations == 2 * (A + U)).all()


def test_a_line_for_each_covariate_and_lines_not_estimated_are_left_out(
    tmp_path: Path, study: Study, fitted: tuple[np.ndarray, np.ndarray]
) -> None:
    path = written(tmp_path / "f", "plink 2 glm", study, fitted)
    lines = path.read_text().splitlines()
    failed = lines[5].split("\t")
    failed[-5:] = ["NA", "NA", "NA", "NA", "CONST_ALLELE"]
    lines[5] = "\t".join(failed)
    doubled = [lines[0]]
    for line in lines[1:]:
        doubled += [line, line.replace("ADD", "AGE")]
    path.write_text("\n".join(doubled) + "\n")
    found = read_groups(path, StudySizes(cases=A))["cases"]
    assert len(found.variants) == study.size - 1
    assert f"{study.size:,} lines about covariates" in found.notes[0]
    assert "1 of 200 variants were dropped, that were not estimated" in found.notes[1]


def edited(path: Path, **columns: object) -> Path:
    lines = [line.split("\t") for line in path.read_text().splitlines()]
    for name, value in columns.items():
        at = lines[0].index(name)
        for row in lines[1:]:
            row[at] = str(value(row[at]) if callable(value) else value)
    path.write_text("\n".join("\t".join(row) for row in lines) + "\n")
    return path


REFUSED = {
    "no n": (lambda p: edited(p, n="NA"), {"cases": None}, "must say of how many|must have everybody"),
    "standard errors of 0": (lambda p: edited(p, standard_error=0), {}, "above 0"),
    "standard errors nan": (lambda p: edited(p, standard_error="nan"), {}, "above 0"),
    "standard errors inf": (lambda p: edited(p, standard_error="inf"), {}, "above 0"),
    "text": (lambda p: edited(p, beta="much"), {}, "must have numbers in the column of beta"),
    "no allele": (lambda p: edited(p, effect_allele="."), {}, "must name the allele"),
    "one id for all": (lambda p: edited(p, rsid="rs1"), {}, "all different"),
    "percent": (lambda p: edited(p, effect_allele_frequency=lambda x: 100 * float(x)), {}, "in 0 .. 1"),
    "errors of ten times the people": (
        lambda p: edited(p, standard_error=lambda x: float(x) / 3.3), {}, "standard errors of log odds ratios"
    ),
    "more cases than people": (lambda p: p, {"cases": A + U + 5}, "must have controls"),
    "controls that contradict": (lambda p: p, {"cases": A, "people": 200}, "must be of the 200 people"),
    "nothing estimated": (lambda p: edited(p, beta="NA"), {}, "that were estimated"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_files_that_cannot_be_used_are_refused(
    tmp_path: Path, what: str, study: Study, fitted: tuple[np.ndarray, np.ndarray]
) -> None:
    damage, said, message = REFUSED[what]
    path = damage(written(tmp_path / "f", "gwas-ssf", study, fitted))
    with pytest.raises(InputError, match=message) as refused:
        read_groups(path, StudySizes(**{"cases": A, **said}))
    assert "\n" not in str(refused.value)


def test_contradictions_between_frequencies_and_odds_are_refused(
    tmp_path: Path, study: Study, fitted: tuple[np.ndarray, np.ndarray]
) -> None:
    exchanged = written(tmp_path / "f", "daner", study, (-fitted[0], fitted[1]))
    with pytest.raises(InputError, match="exchanged"):
        read_groups(exchanged)
    right = written(tmp_path / "g", "daner", study, fitted)
    with pytest.raises(InputError, match=f"must be of the 500 controls that are given; got {U}"):
        read_groups(right, StudySizes(controls=500))
    bare = table(tmp_path / "h", "SNP A1 OR P", [["rs1"], ["A"], [1.2], [0.1]])
    with pytest.raises(InputError, match="frequencies or standard errors"):
        read_groups(bare, StudySizes(cases=5, controls=5))
    with pytest.raises(InputError, match="--cases and --controls"):
        read_groups(bare)
    plain = table(tmp_path / "i", "SNP A1 FREQ", [["rs1"], ["A"], [0.2]])
    with pytest.raises(InputError, match="must be of an association study"):
        read_groups(plain, StudySizes(cases=5))


SMALL = {
    "more people than are said": ("SNP A1 F_A F_U OR", ["rs1", "A", 0.2, 0.1, 2], (60, 60, 100),
                                  "--n must be the 120 cases and controls together; got 100"),
    "odds that are none": ("SNP A1 F_U OR SE", ["rs1", "A", 0.2, -1, 0.1], (5, 5, None),
                           "must have odds ratios above 0; got 1 of 1 .*call the column BETA"),
    "another test": ("SNP A1 TEST F_U OR SE", ["rs1", "A", "DOM", 0.2, 2, 0.1], (5, 5, None),
                     "lines of the test ADD; .*additive effect"),
    "more alleles than people have": ("SNP A1 C_A C_U OR", ["rs1", "A", 11, 2, 2], (5, 5, None),
                                      "at most two alleles for each of the cases; got 1 variants with more"),
    "no variant": ("SNP A1 F_A F_U OR", None, (5, 5, None), "must have at least one variant; got none"),
    "neither id nor place": ("A1 F_A F_U OR", ["A", 0.2, 0.1, 2], (5, 5, None), "ids or places of variants"),
    "no column of alleles": ("SNP F_A F_U OR", ["rs1", 0.2, 0.1, 2], (5, 5, None), "no column of alleles"),
}  # fmt: skip


@pytest.mark.parametrize("what", SMALL)
def test_lines_that_no_study_has_are_refused(tmp_path: Path, what: str) -> None:
    header, row, (cases, controls, people), message = SMALL[what]
    path = table(tmp_path / "f", header, [[] if row is None else [cell] for cell in row or header.split()])
    with pytest.raises(InputError, match=message) as refused:
        read_groups(path, StudySizes(people, cases, controls))
    assert "\n" not in str(refused.value)
