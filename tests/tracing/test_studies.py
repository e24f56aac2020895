"""Cases and controls of a study are traced from its summary statistics as well as from its frequencies."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from dalenius.errors import InputError
from dalenius.genomes.associations.sizes import StudySizes
from dalenius.tracing.attack.groups import trace_groups
from dalenius.tracing.files.opening import Opening
from dalenius.tracing.files.view import open_view, open_views
from dalenius.tracing.questions.targets import trace_targets
from helpers.studies import Study, draw_study, logistic, table, variants_of, write_people

A, U, M, OUT, D = 60, 60, 150, 150, 2000


@pytest.fixture(scope="module")
def study() -> Study:
    return draw_study({"cases": A, "controls": U, "ref": M, "out": OUT}, D, 5)


@pytest.fixture(scope="module")
def folder(study: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    write_people(folder / "ref.bed", study.others["ref"], "r")
    write_people(folder / "t.bed", np.concatenate([study.cases, study.controls, study.others["out"]]), "t")
    v, (beta, error) = variants_of(D), logistic(study)
    place = [v.chromosomes, v.places, v.counted, v.other]
    head = "chromosome base_pair_location effect_allele other_allele"
    effect = [beta.round(4), error.round(4)]
    end = [study.u.round(2), np.full(D, 0.5), np.full(D, A + U)]
    table(
        folder / "gwas.tsv",
        f"{head} beta standard_error effect_allele_frequency p_value n",
        [*place, *effect, *end],
    )
    table(
        folder / "f.assoc",
        "SNP A1 F_A F_U A2 OR",
        [v.ids, v.counted, study.a, study.u, v.other, np.exp(beta)],
    )
    return folder


def shares(folder: Path, release: str, test_level: float = 0.02) -> tuple[float, float, int]:
    said = StudySizes(cases=A, controls=U)
    views, _ = open_views(folder / release, folder / "t.bed", folder / "ref.bed", Opening(), said)
    found = trace_groups(views, rng=np.random.default_rng(1))
    assert found.group is not None
    low = found.p_value <= test_level
    right = found.group[: A + U] == np.repeat(["cases", "controls"], [A, U])
    return (
        float((low[:A] & right[:A]).mean()),
        float((low[A : A + U] & right[A:]).mean()),
        int(low[A + U :].sum()),
    )


def test_odds_ratios_and_control_frequencies_are_as_good_as_frequencies(folder: Path) -> None:
    exact, derived = shares(folder, "f.assoc"), shares(folder, "gwas.tsv")
    for cases, controls, innocent in (exact, derived):
        assert cases > 0.9
        assert controls > 0.9
        assert innocent <= binom.ppf(0.9999, OUT, 0.02), "the level is broken"
    assert derived[0] >= exact[0] - 0.05


def test_the_smaller_of_two_p_values_is_paid_for(folder: Path) -> None:
    """A planted fault: without the factor of two, twice as many p-values are at the level."""
    said = StudySizes(cases=A, controls=U)
    views, _ = open_views(folder / "f.assoc", folder / "t.bed", folder / "ref.bed", Opening(), said)
    both = trace_groups(views, rng=np.random.default_rng(1))
    alone = [trace_groups({g: v}, rng=np.random.default_rng(1)) for g, v in views.items()]
    assert np.allclose(both.p_value, np.minimum(1, 2 * np.minimum(alone[0].p_value, alone[1].p_value)))
    assert both.smallest == 2 * alone[0].smallest
    unpaid = int((np.minimum(alone[0].p_value, alone[1].p_value)[A + U :] <= 0.4).sum())
    assert unpaid > binom.ppf(0.999, OUT, 0.4) >= (both.p_value[A + U :] <= 0.4).sum()


def test_the_finding_tells_cases_from_controls(folder: Path) -> None:
    said = StudySizes(cases=A, controls=U)
    views, notes = open_views(folder / "gwas.tsv", folder / "t.bed", folder / "ref.bed", Opening(), said)
    finding, accused = trace_targets(views, notes=notes)
    found = finding.details
    assert [(group.name, group.people) for group in found.groups] == [("cases", A), ("controls", U)]
    assert sum(group.accused for group in found.groups) == found.accused >= 0.9 * (A + U)
    assert finding.people == A + U
    assert finding.release == "gwas.tsv"
    rows = list(csv.DictReader(accused.to_csv(found.level).splitlines()))
    assert {row["group"] for row in rows[:A] if row["verdict"] == "in"} >= {"cases"}
    assert any("the cases' from the controls'" in note for note in finding.notes)


def test_another_build_is_refused(folder: Path, study: Study) -> None:
    """Places that coincide by chance have frequencies that have nothing to do with each other."""
    moved = np.random.default_rng(1).permutation(D)
    v = variants_of(D)
    columns = [v.chromosomes, v.places[moved], v.counted, v.other, study.a, study.u]
    table(folder / "b.assoc", "CHR BP A1 A2 F_A F_U", columns)
    said = StudySizes(cases=A, controls=U)
    with pytest.raises(InputError, match="genome build"):
        open_views(folder / "b.assoc", folder / "t.bed", folder / "ref.bed", Opening(), said)
    with pytest.raises(InputError, match="must be of one group"):
        open_view(folder / "daner", *_daner(folder, study), Opening())


def _daner(folder: Path, study: Study) -> tuple[Path, Path]:
    v = variants_of(D)
    table(folder / "daner", f"SNP A1 A2 FRQ_A_{A} FRQ_U_{U}", [v.ids, v.counted, v.other, study.a, study.u])
    return folder / "t.bed", folder / "ref.bed"
