"""Tracing targets and members of small genomes: what is written, what is said, and what is refused."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import fsspec
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy.stats import binom

from dalenius.genomes.frequencies import Frequencies, write_frequencies
from dalenius.genomes.plink import read_plink, write_plink
from dalenius.genomes.variants import Variants

from .conftest import MEMBERS, SNPS, Run, genotypes


@pytest.mark.pictures
def test_targets(study: Path, run: Run) -> None:
    files = ("--release", "freqs.tsv", "--reference", "ref.bed", "--targets", "people.bed")
    done = run("trace", "targets", *files, "--mechanism", "exact", "--out", "o")
    assert done.exit_code == 1, done.output
    assert "targets are accused" in done.output
    assert "60 people" in done.output
    rows = list(csv.DictReader((study / "o/accusations.csv").read_text().splitlines()))
    head = ["IID", "score", "p_value", "q_value", "unlike", "relative_odds", "verdict"]
    assert list(rows[0]) == head
    accused = [row["verdict"] == "in" for row in rows]
    assert sum(accused[:20]) >= 15
    small = sum(float(row["p_value"]) <= 0.05 for row in rows[20:])
    assert small <= binom.ppf(0.999, 30, 0.05), "more outsiders have small p-values than chance explains"
    said = json.loads((study / "o/findings.json").read_text())
    assert said["findings"][0]["details"]["accused"] == sum(accused)
    assert not any(name in json.dumps(said) for name in ('t0"', "t19"))
    picture = (study / "o/targets.svg").read_text()
    assert picture.startswith("<?xml")
    assert f"50 targets, {sum(accused)} accused" in picture


def test_targets_in_several_files_by_address_and_frequencies_in_parquet(study: Path, run: Run) -> None:
    """The bytes of one file: whoever is asked about, compared with and published may lie in parts."""
    words = ("trace", "targets", "--mechanism", "exact", "--quiet")
    run(*words, "--release", "freqs.tsv", "--reference", "ref.bed", "--targets", "people.bed", "--out", "one")
    for name in ("ref", "people"):
        whole = read_plink(study / f"{name}.bed")
        for chromosome, part in (("2", slice(SNPS // 2, SNPS)), ("1", slice(0, SNPS // 2))):
            own = whole.select(np.arange(SNPS)[part])
            known = replace(own.variants, chromosomes=np.full(len(own.variants), chromosome))
            write_plink(study / f"{name}-chr{chromosome}.bed", replace(own, variants=known))
    memory = fsspec.filesystem("memory")
    for path in study.glob("people-chr*"):
        memory.pipe_file(f"/{study.name}/{path.name}", path.read_bytes())
    table = list(csv.DictReader((study / "freqs.tsv").read_text().splitlines(), delimiter="\t"))
    columns = {name: [row[name] for row in table] for name in ("ID", "COUNTED", "OTHER")}
    numbers = {"FREQ": [float(row["FREQ"]) for row in table], "OBS_CT": [int(row["OBS_CT"]) for row in table]}
    parquet.write_table(pa.table(columns | numbers), study / "freqs.parquet")
    place = f"memory://{study.name}/people-chr*.bed"
    files = ("--release", "freqs.parquet", "--reference", "ref-chr*.bed", "--targets", place)
    done = run(*words, *files, "--workers", "2", "--out", "two")
    assert done.exit_code == 1, done.output
    assert (study / "two/accusations.csv").read_bytes() == (study / "one/accusations.csv").read_bytes()
    for bad in ("none-*.bed", f"memory://{study.name}/none-*.bed"):
        done = run(*words, *files[:4], "--targets", bad, "--out", "three")
        assert done.exit_code == 2
        assert "must stand for files of genotypes; got none" in done.output
        assert not (study / "three").exists()


def test_members(study: Path, run: Run) -> None:
    done = run("trace", "members", "--members", "cases.bed", "--reference", "ref.bed", "--out", "o")
    assert done.exit_code == 1, done.output
    assert "STOP" in done.output
    finding = json.loads((study / "o/findings.json").read_text())["findings"][0]
    assert finding["goal"] == "tracing"
    tenth = finding["measures"][0]
    assert tenth["attack"]["rate"] > 0.8
    assert tenth["outsiders"]["low"] <= 0.1
    assert not (study / "o/accusations.csv").exists()
    assert (study / "o/roc.svg").exists()


def test_other_groups_are_judged_beside_members(study: Path, run: Run, drawn: dict[str, np.ndarray]) -> None:
    write_plink(study / "new.bed", genotypes(drawn["new"], "n"))
    files = ("--members", "cases.bed", "--reference", "ref.bed", "--group", "strangers=new.bed")
    done = run("trace", "members", *files, "--out", "o")
    assert done.exit_code == 1, done.output
    (group,) = json.loads((study / "o/findings.json").read_text())["findings"][0]["details"]["groups"]
    assert group["name"] == "strangers"
    assert group["rates"][0]["trials"] == 30
    done = run("trace", "members", *files[:4], "--group", "new.bed")
    assert done.exit_code == 2
    assert "NAME=FILE" in done.output


def test_members_with_enough_noise_are_not_shown_to_be_recognised(study: Path, run: Run) -> None:
    done = run("trace", "members", "--members", "cases.bed", "--reference", "ref.bed", "--mechanism",
               "gaussian:rho=0.01", "--show-people", "--out", "o")  # fmt: skip
    assert done.exit_code in (0, 1), done.output
    assert "STOP" not in done.output
    finding = json.loads((study / "o/findings.json").read_text())["findings"][0]
    assert finding["measures"][0]["at_most"] < 0.3
    assert (study / "o/accusations.csv").exists()


def test_a_test_that_cannot_accuse_anybody_says_so(study: Path, run: Run) -> None:
    files = ("--release", "freqs.tsv", "--reference", "ref.bed", "--targets", "people.bed")
    done = run("trace", "targets", *files, "--correction", "holm", "--out", "o")
    assert done.exit_code == 1, done.output
    assert "Nobody could be accused" in done.output
    # 50 targets ranked among 200: 50/201 is the least that Holm makes of the smallest p-value
    assert "Nobody can be accused: no p-value is below 0.00498" in done.output
    assert "no q-value of 50 targets is below 0.249" in " ".join(done.output.split())
    assert json.loads((study / "o/findings.json").read_text())["findings"][0]["details"]["accused"] == 0


def test_two_references_rank_nobody_low(study: Path, run: Run, drawn: dict[str, np.ndarray]) -> None:
    write_plink(study / "two.bed", genotypes(drawn["o"][:2], "o"))
    files = ("--release", "freqs.tsv", "--reference", "two.bed", "--targets", "people.bed")
    done = run("trace", "targets", *files, "--calibration", "conformal:how=full", "--out", "o")
    assert done.exit_code == 1, done.output
    assert "Nobody can be accused: no p-value is below 0.333" in done.output
    assert "in clumps" not in done.output, "nothing is said about accusations that cannot be"


def test_levels_beyond_reach_are_no_rows(study: Path, run: Run) -> None:
    done = run("trace", "members", "--members", "cases.bed", "--reference", "ref.bed", "--out", "o")
    assert "Not reachable with 160 references: level 0.001, 0.0001" in " ".join(done.output.split())
    finding = json.loads((study / "o/findings.json").read_text())["findings"][0]
    assert finding["details"]["smallest"] == pytest.approx(1 / 161)
    assert [row["shown"] for row in finding["measures"]] == [True, True, False, False]
    assert finding["measures"][finding["deciding"]]["at"] >= 0.01


def test_frequencies_of_the_population(study: Path, run: Run, drawn: dict[str, np.ndarray]) -> None:
    everybody = np.concatenate([drawn["m"], drawn["o"], drawn["new"]])
    members = genotypes(drawn["m"], "m").variants
    write_frequencies(study / "all.tsv", Frequencies(members, (everybody.mean(axis=0) + 1) / 2))
    files = ("--release", "freqs.tsv", "--reference", "all.tsv", "--targets", "people.bed")
    done = run("trace", "targets", *files, "--mechanism", "exact", "--out", "o")
    assert "reference means, of an unknown number of people" in " ".join(done.output.split())
    test = ("--preset", "sankararaman", "--calibration", "known-p:tail=normal,hwe=yes")
    known = ("--reference-is-population", "--mechanism", "exact", *test, "--out", "o")
    done = run("trace", "targets", *files, *known)
    assert done.exit_code == 1, done.output
    assert "the population's own means" in done.output
    assert json.loads((study / "o/findings.json").read_text())["findings"][0]["details"]["accused"] == 0
    rows = list(csv.DictReader((study / "o/accusations.csv").read_text().splitlines()))
    assert sum(float(row["p_value"]) < 1e-3 for row in rows[:20]) >= 15
    assert {row["verdict"] for row in rows} == {"undecided"}, "variants are not independent"
    done = run("trace", "targets", *files[:2], "--reference", "ref.bed", *files[4:], *known)
    assert done.exit_code == 2
    assert "must come with a reference that is a file of allele frequencies" in done.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--release", "none.tsv"], "none.tsv"),
        (["--preset", "fig3"], "paper:rule=fig3,sd=0.5"),
        (
            ["--reference", "one.bed", "--calibration", "conformal"],
            "must hold at least 2 people for conformal",
        ),
        (["--reference", "one.bed", "--calibration", "adjusted"], "at least 20 reference people"),
        (["--reference", "people.bed"], "must not hold a target"),
        (["--level", "0"], "level must lie between 0 and 1"),
        (["--weights", "best"], "weights"),
        (["--calibration", "guess"], "guess"),
        (["--release", "other.tsv"], "other allele"),
        (["--release", "far.tsv"], "far.tsv and people.bed must have variants in common"),
        (["--weights", "clip", "--calibration", "norm"], "alpha"),
    ],
)
def test_bad_input(
    study: Path, run: Run, words: list[str], message: str, drawn: dict[str, np.ndarray]
) -> None:
    members = genotypes(drawn["m"], "m").variants
    frequency = (1 - drawn["m"].mean(axis=0)) / 2
    write_frequencies(study / "other.tsv", Frequencies(members, frequency))
    far = Variants(
        np.char.add("x", members.ids),
        members.chromosomes,
        members.places + 10**6,
        members.counted,
        members.other,
    )
    write_frequencies(study / "far.tsv", Frequencies(far, frequency))
    write_plink(study / "one.bed", genotypes(drawn["o"][:1], "o"))
    options = {"--release": "freqs.tsv", "--reference": "ref.bed", "--targets": "people.bed"}
    options |= dict(zip(words[::2], words[1::2], strict=True))
    done = run("trace", "targets", *(word for pair in options.items() for word in pair))
    assert done.exit_code == 2, done.output
    assert message in done.output
    assert not (study / "dalenius-report").exists()


def test_summary_statistics(study: Path, drawn: dict[str, np.ndarray], run: Run) -> None:
    """Cases and controls of a study from one file; what it lacks is said, and nothing is written."""
    cases, controls = drawn["m"], drawn["new"]
    a, u = (cases.mean(axis=0) + 1) / 2, (controls.mean(axis=0) + 1) / 2
    lines = [f"rs{j} A G {a[j]:.4f} {u[j]:.4f}" for j in range(SNPS)]
    files = ("--release", "gwas.assoc", "--reference", "ref.bed", "--targets", "people.bed", "--out", "o")
    (study / "gwas.assoc").write_text("SNP A1 A2 F_A F_U\n" + "\n".join(lines) + "\n")
    lacking = run("trace", "targets", *files)
    assert lacking.exit_code == 2
    assert "--cases and --controls" in lacking.output
    assert not (study / "o").exists()
    done = run("trace", "targets", *files, "--cases", str(MEMBERS), "--controls", "30")
    assert done.exit_code == 1, done.output
    assert f"like the {MEMBERS} cases" in done.output
    rows = list(csv.DictReader((study / "o/accusations.csv").read_text().splitlines()))
    groups = [row["group"] for row in rows if row["verdict"] == "in"]
    assert groups[:15] == ["cases"] * 15
    assert groups.count("controls") >= 25
