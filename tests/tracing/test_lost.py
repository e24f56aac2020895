"""A block of a pass over genotypes that ends whoever does it: the release is not run, and nothing passes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dalenius.cli.main import app
from dalenius.genomes.plink import write_plink
from dalenius.genomes.variants import Genotypes, Variants
from dalenius.people.traits import score_blocks
from dalenius.people.traits.score_blocks import ScoreBlock, do_block
from dalenius.people.traits.traits import coded_from_values
from dalenius.spread.parts import PARTS, Arrays

VARIANTS = 8_200
"""Three blocks."""

PLAN = """
[data]
path = "cases.bed"
[knowledge]
reference = "others.bed"
[budget]
why = false
[[release]]
name = "gwas"
statistics = ["frequencies"]
mechanism = "rounding:digits=1"
"""


def ended_by_scores(block: ScoreBlock) -> Arrays:
    """Do a block, unless it is the second of scores."""
    if block.tables is not None and block.rows.first == VARIANTS // 2 - 4:
        os._exit(1)
    return do_block(block)


def ended_by_counts(block: ScoreBlock) -> Arrays:
    """Do a block, unless it is the second of counts."""
    if block.tables is None and block.rows.first == VARIANTS // 2 - 4:
        os._exit(1)
    return do_block(block)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place, rng = tmp_path_factory.mktemp("cases"), np.random.default_rng(3)
    shares, ids = rng.uniform(0.1, 0.9, VARIANTS), np.array([f"rs{j}" for j in range(VARIANTS)])
    places = np.full(VARIANTS, "1"), 1 + np.arange(VARIANTS)
    variants = Variants(ids, *places, np.full(VARIANTS, "A"), np.full(VARIANTS, "G"))
    for name, n in (("cases", 30), ("others", 120)):
        people = np.array([f"{name}{i}" for i in range(n)])
        traits = coded_from_values("id", people, ids, rng.binomial(2, shares, (n, VARIANTS)) - 1, "genotype")
        write_plink(place / f"{name}.bed", Genotypes(traits, variants))
    (place / "audit.toml").write_text(PLAN)
    lines = (f"{name}\tA\tG\t{share:.4f}\t30" for name, share in zip(ids, shares, strict=True))
    (place / "freqs.tsv").write_text("\n".join(["ID\tCOUNTED\tOTHER\tFREQ\tN", *lines]) + "\n")
    return place


@pytest.fixture(autouse=True)
def shared(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FEW", "SHARED", "LOOKUPS", "LONG"):
        monkeypatch.setattr(score_blocks, name, 1)


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, [*words, "--workers", "2"])
    return done.exit_code, " ".join(done.output.split())


def test_an_audit_is_undecided_and_the_same_command_does_what_is_missing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, lost = tmp_path / "whole", tmp_path / "lost"
    words = ("audit", str(folder / "audit.toml"), "--out")
    assert run(*words, str(whole))[0] == 1
    with monkeypatch.context() as patch:
        patch.setattr(score_blocks, "do_block", ended_by_scores)
        code, said = run(*words, str(lost))
    assert (code, "UNDECIDED" in said) == (1, True)
    assert "since others were lost" in said, said
    report = json.loads((lost / "findings.json").read_text())
    assert (report["verdict"], report["findings"]) == ("undecided", [])
    (missing,) = report["not_run"]
    assert missing["release"] == "gwas"
    assert "one was ended 3 times" in missing["reason"]
    assert run(*words, str(lost))[0] == 1
    assert (lost / "findings.json").read_bytes() == (whole / "findings.json").read_bytes()
    assert not (lost / PARTS).exists()


def test_without_counts_nothing_is_known_and_the_audit_ends(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(score_blocks, "do_block", ended_by_counts)
    code, said = run("audit", str(folder / "audit.toml"), "--out", str(tmp_path / "o"))
    assert (code, "one was ended 3 times. Use fewer" in said) == (2, True)
    assert not (tmp_path / "o/findings.json").exists()


@pytest.mark.parametrize(
    "asked",
    [
        ("targets", "--release=freqs.tsv", "--targets=cases.bed", "--reference=others.bed", "--preset=pool"),
        ("members", "--members=cases.bed", "--reference=others.bed", "--mechanism=rounding:digits=1"),
    ],
    ids=lambda asked: asked[0],
)
def test_a_command_of_which_a_block_is_lost_decides_nothing_and_goes_on(
    asked: tuple[str, ...], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    words = ("trace", *asked, "--out", str(tmp_path / "o"))
    with monkeypatch.context() as patch:
        patch.setattr(score_blocks, "do_block", ended_by_scores)
        code, said = run(*words)
    assert (code, "UNDECIDED" in said, "the same command tries only those again" in said) == (1, True, True)
    report = json.loads((tmp_path / "o/findings.json").read_text())
    assert (report["verdict"], report["findings"]) == ("undecided", [])
    reason = report["not_run"][0]["reason"]
    assert "one was ended 3 times. Use fewer" in reason
    assert report["reasons"] == [f"{report['not_run'][0]['release']}: {reason}"]
    page = (tmp_path / "o/report.md").read_text()
    assert "No attack could be run, so nothing is known about it." in page
    assert "shown to be given away" not in page
    assert not (tmp_path / "o/accusations.csv").exists()
    code, said = run(*words)
    assert (code, "Goes on after" in said) == (1, True)
    assert json.loads((tmp_path / "o/findings.json").read_text())["findings"]
