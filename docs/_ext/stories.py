"""The stories of the gallery: simulated people and one command each; the reports are what it writes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from typer.testing import CliRunner

from dalenius.cli.main import app
from dalenius.genomes.plink import write_plink
from dalenius.genomes.variants import Genotypes, Variants
from dalenius.people.traits.traits import coded_from_values

PLAN = """seed = 1
[data]
path = "people.csv"
[schema]
secret = "ill"
[[release]]
name = "as planned"
statistics = ["tables:k=2"]
mechanism = "rounding:base=3"
[[release]]
name = "with noise"
statistics = ["tables:k=2"]
mechanism = "gaussian:rho=0.002"
"""


@dataclass(frozen=True)
class Story:
    """What is told, and how its files are made: a function that returns the words of a command."""

    title: str
    told: str
    make: Callable[[Path], list[str]]


def survey(folder: Path) -> list[str]:
    """Tables of an illness by age, sex and town."""
    rng = np.random.default_rng(1)
    n = 120
    columns = [rng.integers(20, 32, n), rng.choice(["f", "m"], n), rng.choice(["north", "south", "west"], n)]
    ill = np.where(rng.random(n) < 0.3, "yes", "no")
    lines = [",".join(map(str, row)) for row in zip(*columns, ill, strict=True)]
    (folder / "people.csv").write_text("\n".join(["age,sex,town,ill", *lines]) + "\n")
    (folder / "audit.toml").write_text(PLAN)
    return ["audit", "audit.toml"]


def genomes(folder: Path) -> list[str]:
    """Allele frequencies of a small study."""
    rng = np.random.default_rng(2)
    snps = 300
    names, places = np.array([f"rs{j}" for j in range(snps)]), np.arange(snps) + 1
    variants = Variants(names, np.full(snps, "1"), places, np.full(snps, "A"), np.full(snps, "G"))
    frequency = rng.uniform(0.1, 0.9, snps)
    for name, n in (("cases", 40), ("others", 120)):
        values = rng.binomial(2, frequency, (n, snps)) - 1.0
        ids = np.array([f"{name}{i}" for i in range(n)])
        traits = coded_from_values("IID", ids, names, values, "genotype")
        write_plink(folder / f"{name}.bed", Genotypes(traits, variants))
    files = ["--members", "cases.bed", "--reference", "others.bed"]
    return ["trace", "members", *files, "--mechanism", "exact"]


def anonymised(folder: Path) -> list[str]:
    """A file without names, with age and zip as they are."""
    rng = np.random.default_rng(3)
    everybody = [
        f"{a},{z}" for a, z in zip(rng.integers(18, 90, 2000), rng.integers(100, 140, 2000), strict=True)
    ]
    (folder / "all.csv").write_text("\n".join(["age,zip", *everybody]) + "\n")
    (folder / "people.csv").write_text("\n".join(["age,zip", *everybody[:80]]) + "\n")
    original = "people.csv"
    files = ["--original", original, "--anonymised", original, "--population", "all.csv"]
    return ["single-out", "rows", *files, "--quasi", "age,zip"]


def family(folder: Path) -> list[str]:
    """Three generations whose answers agree."""
    (folder / "family.csv").write_text(
        "id,father,mother\ng1,,\ng2,,\np1,g1,g2\np2,,\nc1,p2,p1\nc2,p2,p1\nc3,p2,p1\n"
    )
    words = ["infer", "pedigree", "--people", "family.csv", "--agreement", "parent=0.75"]
    return [*words, "--epsilon", "0.5", "--target-nu", "1"]


STORIES = {
    "survey": Story(
        "Tables of a survey",
        "Tables of an illness by age, sex and town, rounded to base 3, and the same with noise.",
        survey,
    ),
    "genomes": Story(
        "Frequencies of a study", "Allele frequencies of 40 cases, published as they are.", genomes
    ),
    "anonymised": Story(
        "An anonymised file", "Rows without names, with age and zip as they are.", anonymised
    ),
    "family": Story("A family", "What epsilon = 0.5 is worth to people whose relatives answer too.", family),
}
"""By the name of the page."""


def tell(story: Story, folder: Path) -> Path:
    """Run the command of a story, and write its page for the world too; return the folder of its results."""
    words = story.make(folder)
    with contextlib.chdir(folder):  # a report shows the names of files as they were given
        for one in ([*words, "--out", "report"], ["report", "report/findings.json", "--external"]):
            done = CliRunner().invoke(app, one)
            if done.exit_code not in (0, 1):
                raise RuntimeError(f"{' '.join(one)} ended with {done.exit_code}: {done.output}")
    return folder / "report"
