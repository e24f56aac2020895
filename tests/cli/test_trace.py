"""The commands of tracing on small files: what is written, what is said, and what is refused."""

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
from dalenius.genomes.variants import Genotypes, Variants
from dalenius.people.traits.traits import coded_from_values

from .conftest import Run

SNPS, MEMBERS, OTHERS = 1500, 60, 200


def genotypes(values: np.ndarray, prefix: str) -> Genotypes:
    names = np.array([f"rs{j}" for j in range(values.shape[1])])
    ids = np.array([f"{prefix}{i}" for i in range(values.shape[0])])
    traits = coded_from_values("IID", ids, names, values, "genotype")
    size = names.size
    variants = Variants(
        names, np.full(size, "1"), np.arange(size) + 1, np.full(size, "A"), np.full(size, "G")
    )
    return Genotypes(traits, variants)


@pytest.fixture(scope="module")
def drawn() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    frequency = rng.uniform(0.1, 0.9, SNPS)
    draw = {name: rng.binomial(2, frequency, (n, SNPS)) - 1.0 for name, n in (("m", MEMBERS), ("o", OTHERS))}
    draw["new"] = rng.binomial(2, frequency, (30, SNPS)) - 1.0
    return draw


@pytest.fixture
def study(folder: Path, drawn: dict[str, np.ndarray]) -> Path:
    members = genotypes(drawn["m"], "m")
    write_plink(folder / "cases.bed", members)
    write_plink(folder / "ref.bed", genotypes(drawn["o"], "o"))
    people = np.concatenate([drawn["m"][:20], drawn["new"]])
    write_plink(folder / "people.bed", genotypes(people, "t"))
    frequency = (drawn["m"].mean(axis=0) + 1) / 2
    counts = np.full(SNPS, 2 * MEMBERS)
    write_frequencies(folder / "freqs.tsv", Frequencies(members.variants, frequency, counts))
    return folder


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


def test_plan(folder: Path, run: Run) -> None:
    done = run("trace", "plan", "--n", "5000", "--reference", "2000", "--fpr", "1e-3", "--sigma", "0.01",
               "--means", "1000", "--out", "o")  # fmt: skip
    assert done.exit_code == 0, done.output
    said = json.loads((folder / "o/findings.json").read_text())["findings"][0]["details"]
    assert said["safe"] == 23_873
    assert said["attacks"][0]["means"] > said["safe"]
    assert "23,873" in done.output
    assert "Attributes are independent of each other" in done.output
    assert "Genomes are not like that" in done.output
    assert "proved" not in done.output


def test_plan_says_what_is_not_to_be_had(folder: Path, run: Run) -> None:
    done = run("trace", "plan", "--n", "10", "--sigma", "0.001", "--alpha", "3")
    assert done.exit_code == 1, done.output
    assert "Safe: not even one mean" in done.output
    assert "No number of means is guaranteed" in done.output


def test_plan_with_a_budget_and_own_frequencies(study: Path, run: Run) -> None:
    done = run("trace", "plan", "--n", "500", "--rho", "0.1", "--means", "1000", "--frequencies", "freqs.tsv",
               "--out", "o")  # fmt: skip
    assert done.exit_code == 0, done.output
    assert json.loads((study / "o/findings.json").read_text())["findings"][0]["details"][
        "rho"
    ] == pytest.approx(0.1)


def test_plan_says_which_frequencies_it_left_out(folder: Path, run: Run) -> None:
    known = "".join(f"rs{j}\tA\t{0.1 + j / 1000}\n" for j in range(500))
    (folder / "gaps.tsv").write_text(f"SNP\tA1\tMAF\n{known}rs998\tA\tNA\nrs999\tA\tNA\n")
    done = run("trace", "plan", "--n", "500", "--sigma", "0.01", "--frequencies", "gaps.tsv", "--out", "o")
    assert done.exit_code == 1, done.output
    note = "2 of 502 variants were dropped, that have no frequency."
    assert note in done.output
    assert json.loads((folder / "o/findings.json").read_text())["findings"][0]["notes"] == [note]


def test_tables(folder: Path, run: Run) -> None:
    rng = np.random.default_rng(6)
    share = rng.uniform(0.2, 0.8, 300)
    columns = [f"q{j}" for j in range(300)]

    def write(name: str, answers: np.ndarray, prefix: str) -> None:
        lines = [",".join(["who", *columns])]
        words = np.where(answers, "yes", "no")
        lines += [",".join([f"{prefix}{i}", *row]) for i, row in enumerate(words)]
        (folder / name).write_text("\n".join(lines) + "\n")

    inside, others = rng.random((25, 300)) < share, rng.random((120, 300)) < share
    write("in.csv", inside, "m")
    write("others.csv", others, "o")
    lines = [f"{c}=yes,{x:.4f}" for c, x in zip(columns, inside.mean(axis=0), strict=True)]
    (folder / "means.csv").write_text("\n".join(["attribute,mean", *lines]) + "\n")
    files = ("--release", "means.csv", "--reference", "others.csv", "--targets", "in.csv", "--id", "who")
    told = ("--n", "25", "--mechanism", "exact", "--independent")
    done = run("trace", "targets", *files, *told, "--out", "o")
    assert done.exit_code == 1, done.output
    assert json.loads((folder / "o/findings.json").read_text())["findings"][0]["details"]["accused"] >= 15
    done = run(
        "trace", "members", "--members", "in.csv", "--reference", "others.csv", "--id", "who", "--out", "o2"
    )
    assert done.exit_code == 1, done.output


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


def write_answers(path: Path, rows: np.ndarray, prefix: str, words: dict[str, str] | None = None) -> None:
    extra = words or {}
    head = ["person", *(f"q{j}" for j in range(rows.shape[1])), *extra]
    lines = [
        ",".join([f"{prefix}{i}", *(str(int(x)) for x in row), *extra.values()]) for i, row in enumerate(rows)
    ]
    path.write_text("\n".join([",".join(head), *lines]) + "\n")


def test_columns_that_do_not_vary(folder: Path, run: Run) -> None:
    rng = np.random.default_rng(3)
    ours, others = (rng.random((n, 40)) < 0.5 for n in (20, 60))
    ours[:, 7] = False  # all members have it, others do not: a mean as good as any
    ours[:, 9] = others[:, 9] = True
    write_answers(folder / "ours.csv", ours, "m", {"here": "yes"})
    write_answers(folder / "others.csv", others, "o")
    files = ("--members", "ours.csv", "--reference", "others.csv", "--out", "o")
    done = run("trace", "members", *files, "--id", "person")
    assert done.exit_code in (0, 1), done.output
    assert "Columns that not all files have were left out: here." in done.output
    assert "Columns with the same value for everybody were left out: q9." in done.output
    assert json.loads((folder / "o/findings.json").read_text())["findings"][0]["numbers"] == 39
    done = run("trace", "members", *files)
    assert done.exit_code == 2
    assert "'person' must have a value that two people share" in done.output
    done = run("trace", "members", *files, "--id", "persn")
    assert "--id must name a column that all files have; got persn" in done.output


def test_rows_without_names_are_different_people(folder: Path, run: Run) -> None:
    rng = np.random.default_rng(4)
    ours, others = (rng.random((n, 80)) < 0.5 for n in (20, 60))
    write_answers(folder / "ours.csv", ours, "m")
    write_answers(folder / "others.csv", others, "o")
    lines = [f"q{j}=1,{ours[:, j].mean()}" for j in range(80)]
    (folder / "means.csv").write_text("\n".join(["attribute,mean", *lines]) + "\n")
    files = ("--release", "means.csv", "--reference", "others.csv", "--targets", "ours.csv", "--out", "o")
    done = run("trace", "targets", *files)
    assert done.exit_code == 1, done.output
    assert (folder / "o/accusations.csv").read_text().startswith("row,score")
    done = run("trace", "targets", *files, "--reference", "ours.csv", "--out", "p")
    assert done.exit_code == 2
    assert (
        "reference must not hold a target; got 20 people with exactly the record of a target" in done.output
    )
    assert not (folder / "p").exists()


def test_answers_that_nearly_everybody_gives_are_nobodys_own(folder: Path, run: Run) -> None:
    rng = np.random.default_rng(4)
    ours, others = (rng.random((n, 80)) < 0.01 for n in (20, 60))
    ours[0] = others[0] = False
    write_answers(folder / "ours.csv", ours, "m")
    write_answers(folder / "others.csv", others, "o")
    lines = [f"q{j}=1,{ours[:, j].mean()}" for j in range(80)]
    (folder / "means.csv").write_text("\n".join(["attribute,mean", *lines]) + "\n")
    files = ("--release", "means.csv", "--reference", "others.csv", "--targets", "ours.csv")
    done = run("trace", "targets", *files, "--id", "person", "--out", "o")
    assert done.exit_code == 1, done.output


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


def test_help_teaches(run: Run) -> None:
    for action in ("targets", "members", "plan"):
        done = run("trace", action, "--help")
        assert done.exit_code == 0
        assert f"dalenius trace {action}" in done.output


def test_attributes_that_a_file_of_people_lacks_are_said_by_number(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of people taken for the release has their names where attributes should be."""
    monkeypatch.chdir(tmp_path)
    Path("means.csv").write_text("attribute,mean\nb1,0.4\nZQ999x,0.3\n")
    Path("people.csv").write_text("id,b1,b2\n" + "".join(f"{i},{i % 2},{i % 3 % 2}\n" for i in range(9)))
    files = ("--release", "means.csv", "--targets", "people.csv", "--reference", "people.csv", "--id", "id")
    done = run("trace", "targets", *files)
    assert done.exit_code == 2
    assert "none for 1 of 2, the first of them number 2" in " ".join(done.output.split())
    assert "ZQ999x" not in done.output


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


def test_beacon(study: Path, run: Run) -> None:
    """The rarest alleles of one person, ten questions: with others, with some kept out, and refused."""
    asked = ("trace", "beacon", "--members", "ref.bed", "--queries", "2", "--out", "o")
    done = run(*asked, "--reference", "cases.bed")
    assert done.exit_code == 1, done.output
    assert "Recognised with fewer questions" in done.output
    assert {"findings.json", "roc.svg"} <= {path.name for path in (study / "o").iterdir()}
    apart = run(*asked[:-1], "q", "--noise", "0.5")
    assert "50 of 200 people were kept out of the beacon" in apart.output
    assert "presence:flip=0.5" in apart.output
    for bad in (
        ("--noise", "0.7"),
        ("--queries", "0"),
        ("--members", "freqs.tsv"),
        ("--group", "a=cases.bed"),
    ):
        refused = run(*asked, *bad, "--out", "p")
        assert refused.exit_code == 2, refused.output
        assert not (study / "p").exists()


def test_plan_on_your_own_people(study: Path, run: Run) -> None:
    files = ("trace", "plan", "--members", "cases.bed", "--out", "o")
    for bad in (
        ("--n", "60", "--reference", "ref.bed"),
        (),
        ("--reference", "ref.bed", "--sigma", "0.1"),
        ("--reference", "absent.bed"),
    ):
        refused = run(*files, *bad)
        assert refused.exit_code == 2, refused.output
        assert not (study / "o").exists()
    lacking = run("trace", "plan", "--reference", "ref.bed", "--n", "5")
    assert lacking.exit_code == 2
    assert "must be a number of people" in lacking.output
    assert run("trace", "plan").exit_code == 2


def test_promise(study: Path, run: Run) -> None:
    """A program that publishes the first record is refuted; one that cannot be run is bad input."""
    script = study / "release.sh"
    script.write_text("#!/bin/sh\nsed -n 2p \"$1\" | tr , '\\n'\n")
    script.chmod(0o755)
    asked = ("trace", "promise", "--mechanism", "gaussian:rho=0.01", "--people", "2", "--columns", "2")
    done = run(*asked, "--trials", "15", "--out", "o", "--", str(script))
    assert done.exit_code == 1, done.output
    assert "is not kept" in done.output
    for bad in (
        (*asked, "--", "./nothing.sh"),
        (*asked,),
        (*asked[:3], "exact", "--", str(script)),
        (*asked, "--", "false"),
    ):
        refused = run(*bad)
        assert refused.exit_code == 2, refused.output
