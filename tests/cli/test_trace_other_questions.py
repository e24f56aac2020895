"""Tracing beside targets and members: plans, beacons, promises of programs, and help."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Run


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


def test_help_teaches(run: Run) -> None:
    for action in ("targets", "members", "plan"):
        done = run("trace", action, "--help")
        assert done.exit_code == 0
        assert f"dalenius trace {action}" in done.output


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
