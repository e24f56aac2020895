"""A folder with people drawn at random, a plan about them, published counts, and a study of genomes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from dalenius.cli.main import app
from dalenius.console import progress
from dalenius.genomes.frequencies import Frequencies, write_frequencies
from dalenius.genomes.plink import write_plink
from dalenius.genomes.variants import Genotypes, Variants
from dalenius.people.traits.traits import coded_from_values
from helpers.published_schema import every_report_fits_the_schema, schema  # noqa: F401 - fixtures

PLAN = """seed = 1

[data]
path = "people.csv"

[schema]
id = "client"
secret = "ill"

[[release]]
name = "planned"
statistics = ["tables:k=2"]
mechanism = "rounding:base=5"
"""

LINKS = (
    "1-20 1-21 2-20 2-26 3-15 3-16 4-5 4-17 4-23 6-13 6-25 6-27 7-20 7-21 8-9 9-24 12-15 12-16 14-21 16-28 "
    "19-26 19-28 23-25"
)
"""The random contact network of the specification: person 20 is worst off."""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No progress on a slow machine, where a message is compared; tests of progress set it themselves."""
    monkeypatch.setattr(progress, "PATIENCE", 3_600.0)


NETWORK = ("infer", "network", "--edges", "edges.csv", "--agreement", "0.8", "--out", "o")
PAIR = ("infer", "beliefs", "--edges", "pair.csv")
JOINT = ("infer", "joint", "--prior")
FAMILY = ("infer", "pedigree", "--people", "family.csv", "--out", "o")

Run = Callable[..., Any]

SNPS, MEMBERS, OTHERS = 1500, 60, 200
"""Sizes of a study of genomes whose members are easily recognised."""


def rows(n: int = 64) -> list[str]:
    """So many that five folds of them are fitted, instead of one for each person."""
    rng = np.random.default_rng(8)
    draw = [rng.integers(20, 26, n), rng.choice(["f", "m"], n), rng.choice(["a", "b", "c"], n)]
    ill = np.where(rng.random(n) < 0.4, "yes", "no")
    return [f"c{i:02},{draw[0][i]},{draw[1][i]},{draw[2][i]},{ill[i]}" for i in range(n)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    people = rows()
    (tmp_path / "people.csv").write_text("\n".join(["client,age,sex,town,ill", *people]) + "\n")
    (tmp_path / "audit.toml").write_text(PLAN)
    ids = [row.split(",")[0] for row in people]
    ill = np.array([row.endswith("yes") for row in people])
    members = np.random.default_rng(9).random((150, len(ids))) < 0.5
    pairs = [f"q{j},{ids[i]}" for j, i in zip(*np.nonzero(members), strict=True)]
    answers = [f"q{j},{int(ill[row].sum())}" for j, row in enumerate(members)]
    (tmp_path / "list.csv").write_text("\n".join(["client", *ids]) + "\n")
    (tmp_path / "queries.csv").write_text("\n".join(["query,client", *pairs]) + "\n")
    (tmp_path / "answers.csv").write_text("\n".join(["query,answer", *answers]) + "\n")
    truth = [f"{name},{int(x)}" for name, x in zip(ids, ill, strict=True)]
    (tmp_path / "truth.csv").write_text("\n".join(["client,ill", *truth]) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run() -> Run:
    def invoke(*words: str) -> Any:
        return CliRunner().invoke(app, list(words))

    return invoke


@pytest.fixture
def attack(run: Run) -> Run:
    """Attack the published counts of the folder, with more options."""
    words = ("--people", "list.csv", "--id", "client", "--queries", "queries.csv", "--answers", "answers.csv")
    return lambda *more: run("reconstruct", "counts", *words, *more)


@pytest.fixture
def related(folder: Path) -> Path:
    pairs = [pair.split("-") for pair in LINKS.split()]
    (folder / "edges.csv").write_text("a,b\n" + "".join(f"p{a},p{b}\n" for a, b in pairs))
    (folder / "all.csv").write_text("id\n" + "".join(f"p{i}\n" for i in range(30)))
    (folder / "pair.csv").write_text("a,b,agreement\nann,bob,0.8\n")
    (folder / "two.csv").write_text("id,epsilon\nann,0\nbob,0.5\n")
    (folder / "family.csv").write_text(
        "id,father,mother\nEva,,\nAdam,,\nAbel,Adam,Eva\nKain,Adam,Eva\nHanoch,Kain,\n"
    )
    table = (0.20, 0.10, 0.08, 0.12, 0.06, 0.14, 0.10, 0.20)
    cells = [f"{i >> 2 & 1},{i >> 1 & 1},{i & 1},{p}" for i, p in enumerate(table)]
    (folder / "prior.csv").write_text("\n".join(["ann,bob,cid,probability", *cells]) + "\n")
    (folder / "said.csv").write_text("id,answer\nann,1\n")
    (folder / "truth2.csv").write_text("id,ill\nann,1\nbob,1\n")
    return folder


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


def squeeze(text: str) -> str:
    return " ".join(text.split())
