"""Files as they come: alleles not named or named wrongly, samples called populations, a few bad lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.genomes.frequencies import Frequencies, write_frequencies
from dalenius.genomes.orient import orient
from dalenius.genomes.plink import read_plink, write_plink
from dalenius.genomes.variants import Genotypes, Variants
from dalenius.people.traits.traits import coded_from_values
from dalenius.tracing.attack.attack import trace
from dalenius.tracing.files import opening
from dalenius.tracing.files.groups import open_groups
from dalenius.tracing.files.opening import Opening, say_related
from dalenius.tracing.files.view import open_view
from dalenius.tracing.questions.members import trace_members

N, M, OUT, D = 50, 150, 60, 1500
IDS = np.array([f"rs{j}" for j in range(D)])


def variants(counted: str = "A", other: str = "G", span: int = 1_000_000) -> Variants:
    return Variants(IDS, np.full(D, "1"), 1 + np.arange(D) * span, np.full(D, counted), np.full(D, other))


@pytest.fixture(scope="module")
def values() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(2)
    share = rng.uniform(0.05, 0.95, D)
    return {name: rng.binomial(2, share, (n, D)) - 1.0 for name, n in (("m", N), ("r", M), ("o", OUT))}


@pytest.fixture
def folder(tmp_path: Path, values: dict[str, np.ndarray]) -> Path:
    targets = np.concatenate([values["m"], values["o"]])
    for name, table in (("ref", values["r"]), ("people", targets), ("cases", values["m"])):
        ids = np.array([f"{name}{i}" for i in range(len(table))])
        traits = coded_from_values("IID", ids, IDS, table, "genotype")
        write_plink(tmp_path / f"{name}.bed", Genotypes(traits, variants()))
    return tmp_path


def frequency(values: dict[str, np.ndarray], who: str = "m") -> np.ndarray:
    return (values[who].mean(axis=0) + 1) / 2


def recognised(folder: Path, reference: str = "ref.bed") -> tuple[float, tuple[str, ...]]:
    view, notes = open_view(folder / "f.tsv", folder / "people.bed", folder / reference, Opening(), n=N)
    said = trace(view, rng=np.random.default_rng(1))
    assert (said.p_value[N:] <= 0.05).mean() < 0.2
    return float((said.p_value[:N] <= 0.05).mean()), notes


@pytest.fixture
def plain(folder: Path, values: dict[str, np.ndarray]) -> float:
    write_frequencies(folder / "f.tsv", Frequencies(variants(), frequency(values)))
    share, notes = recognised(folder)
    assert not any("turned" in note or "dropped" in note for note in notes)
    return share


def test_minor_allele_frequencies_without_alleles_are_folded(
    folder: Path, plain: float, values: dict[str, np.ndarray]
) -> None:
    f = frequency(values)
    rarer = np.minimum(f, 1 - f)
    lines = [f"{name}\t{x}\t{2 * N}" for name, x in zip(IDS, rarer, strict=True)]
    (folder / "f.tsv").write_text("\n".join(["SNP\tMAF\tNCHROBS", *lines]) + "\n")
    share, notes = recognised(folder)
    assert share > 0.6 * plain > 0.4
    assert any("does not name alleles: by the reference" in note for note in notes)
    assert any("near one half were dropped" in note for note in notes)


def test_frequencies_without_alleles_that_count_what_genotypes_count_stay(
    folder: Path, plain: float, values: dict[str, np.ndarray]
) -> None:
    empty = np.full(D, "")
    bare = Variants(IDS, np.full(D, "1"), variants().places, empty, empty)
    write_frequencies(folder / "f.tsv", Frequencies(bare, frequency(values)))
    share, notes = recognised(folder)
    assert share == plain
    assert any("it counts what the genotypes count" in note for note in notes)


def test_mislabelled_alleles_are_turned_and_counted(
    folder: Path, plain: float, values: dict[str, np.ndarray]
) -> None:
    rng = np.random.default_rng(5)
    f = frequency(values)
    wrong = rng.random(D) < 0.1
    write_frequencies(folder / "f.tsv", Frequencies(variants(), np.where(wrong, 1 - f, f)))
    share, notes = recognised(folder)
    assert share > 0.8 * plain
    (note,) = [note for note in notes if "of the other allele than the file names" in note]
    told = int(note.split()[0].replace(",", ""))
    # those near one half cannot be told, and do little harm
    clear = int((wrong & (np.abs(f - 0.5) > 0.25)).sum())
    assert clear <= told <= int(wrong.sum())


def test_frequencies_that_fit_neither_allele_are_dropped() -> None:
    rng = np.random.default_rng(1)
    theirs = rng.uniform(0.05, 0.95, 2000)
    ours = np.clip(theirs + rng.normal(0, 0.03, 2000), 0, 1)
    ours[:20] = np.where(theirs[:20] < 0.5, 0.5, 0.5)
    found = orient(ours, theirs, np.ones(2000, np.bool_))
    far = np.abs(theirs[:20] - 0.5) > 0.3
    assert not found.keep[:20][far].any()
    assert found.keep[20:].mean() > 0.99
    assert not found.turn[20:].any()
    assert any("fit neither allele" in note for note in found.notes)


def test_noise_without_a_word_about_it_makes_nobody_turn_alleles() -> None:
    rng = np.random.default_rng(1)
    theirs = rng.uniform(0.05, 0.95, 2000)
    found = orient(theirs + rng.normal(0, 0.3, 2000), theirs, np.ones(2000, np.bool_))
    assert found.turn.mean() < 0.01
    assert found.keep.mean() > 0.98


def test_references_that_count_other_alleles_do_not_hide_members(
    folder: Path, values: dict[str, np.ndarray]
) -> None:
    rng = np.random.default_rng(5)
    turned = np.where(rng.random(D) < 0.5, -values["r"], values["r"])
    ids = np.array([f"ref{i}" for i in range(M)])
    traits = coded_from_values("IID", ids, IDS, turned, "genotype")
    write_plink(folder / "wrong.bed", Genotypes(traits, variants()))
    right = open_groups(folder / "cases.bed", folder / "ref.bed", Opening())
    wrong = open_groups(folder / "cases.bed", folder / "wrong.bed", Opening())
    assert any("count the other allele" in note for note in wrong.notes)
    areas = [trace_members(each.members, each.reference).finding.details.area for each in (right, wrong)]
    assert areas[1] > areas[0] - 0.1 > 0.7


def test_a_sample_is_not_a_population(folder: Path, plain: float, values: dict[str, np.ndarray]) -> None:
    whole = Frequencies(variants(), frequency(values, "r"), np.full(D, 2 * M))
    write_frequencies(folder / "ref.tsv", whole)
    files = (folder / "f.tsv", folder / "people.bed", folder / "ref.tsv", Opening())
    with pytest.raises(InputError, match=r"must not be a sample.*counts 300 alleles"):
        open_view(*files, known=True)
    write_frequencies(folder / "ref.tsv", Frequencies(variants(), frequency(values, "r")))
    assert open_view(*files, known=True)[0].people == 0


def test_a_few_bad_lines_are_dropped_and_said(
    folder: Path, plain: float, values: dict[str, np.ndarray]
) -> None:
    text = (folder / "f.tsv").read_text().splitlines()
    text[7] = "\t".join([*text[7].split("\t")[:5], "NA"])
    text.append(text[3])
    (folder / "f.tsv").write_text("\n".join(text) + "\n")
    share, notes = recognised(folder)
    assert share == pytest.approx(plain, abs=0.06)
    assert "1 of 1,501 variants were dropped, that have no frequency." in notes
    assert "2 of 1,500 variants were dropped, whose 1 ids stand twice or more." in notes
    (folder / "f.tsv").write_text("\n".join([*text, *text[10:60]]) + "\n")
    with pytest.raises(InputError, match="ids that are all different"):
        recognised(folder)


def test_an_id_that_stands_twice_in_plink_files_goes_with_both_its_variants(folder: Path) -> None:
    lines = (folder / "ref.bim").read_text().splitlines()
    lines[5] = lines[5].replace("rs5", "rs9")
    (folder / "ref.bim").write_text("\n".join(lines) + "\n")
    found = read_plink(folder / "ref.bed")
    assert found.traits.d == len(found.variants) == D - 2
    assert "rs9" not in found.traits.names
    again = read_plink(folder / "cases.bed")
    assert found.traits.names[7] == again.traits.names[8]
    assert "2 of 1,500 variants were dropped" in found.notes[0]


def test_relatives_are_looked_for_on_much_of_a_genome_only(
    values: dict[str, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "FEWEST_VARIANTS", 1000)
    rng = np.random.default_rng(3)
    parents = values["r"][:20]
    child = np.where(rng.random(parents.shape) < 0.5, parents, values["o"][:20])
    made = lambda x, p: coded_from_values(  # noqa: E731
        "id", np.array([f"{p}{i}" for i in range(len(x))]), IDS, x, "genotype"
    )
    asked, pool = made(child, "c"), made(values["r"], "r")
    (said,) = say_related(asked, pool, variants())
    assert "20 targets have a relative" in said
    # the same records on 3 million bases: chance would do as much
    assert say_related(asked, pool, variants(span=2000)) == ()
