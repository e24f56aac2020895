"""The stories of ``dalenius demo``: simulated people in files, and a command that attacks them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TABLES = """seed = 1
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
    """What is told, and what makes its files and returns the words of its command."""

    title: str
    told: str
    make: Callable[[Path], list[str]]


def tables(folder: Path) -> list[str]:
    """Write people with an illness, and a plan for tables of it by age, sex and town."""
    import numpy as np

    rng = np.random.default_rng(1)
    n = 120
    columns = [rng.integers(20, 32, n), rng.choice(["f", "m"], n), rng.choice(["north", "south", "west"], n)]
    ill = np.where(rng.random(n) < 0.3, "yes", "no")
    _write(folder / "people.csv", "age,sex,town,ill", zip(*columns, ill, strict=True))
    (folder / "audit.toml").write_text(TABLES)
    return ["audit", str(folder / "audit.toml")]


def genomes(folder: Path) -> list[str]:
    """Write the genotypes of a small study, and of other people."""
    import numpy as np

    from dalenius.genomes.plink import write_plink
    from dalenius.genomes.variants import Genotypes, Variants
    from dalenius.people.traits.traits import coded_from_values

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
    cases, others = str(folder / "cases.bed"), str(folder / "others.bed")
    return ["trace", "members", "--members", cases, "--reference", others, "--mechanism", "exact"]


def anonymised(folder: Path) -> list[str]:
    """Write rows without names, with age and zip as they are, and the town they come from."""
    import numpy as np

    rng = np.random.default_rng(3)
    town = list(zip(rng.integers(18, 90, 2000), rng.integers(100, 140, 2000), strict=True))
    _write(folder / "all.csv", "age,zip", town)
    _write(folder / "people.csv", "age,zip", town[:80])
    people, everybody = str(folder / "people.csv"), str(folder / "all.csv")
    files = ["--original", people, "--anonymised", people, "--population", everybody]
    return ["single-out", "rows", *files, "--quasi", "age,zip"]


def family(folder: Path) -> list[str]:
    """Write three generations."""
    relatives = [("g1", "", ""), ("g2", "", ""), ("p1", "g1", "g2"), ("p2", "", "")]
    children = [(f"c{i}", "p2", "p1") for i in (1, 2, 3)]
    _write(folder / "family.csv", "id,father,mother", relatives + children)
    words = ["infer", "pedigree", "--people", str(folder / "family.csv"), "--agreement", "parent=0.75"]
    return [*words, "--epsilon", "0.5", "--target-nu", "1"]


def census(folder: Path) -> list[str]:
    """Write tables as of 2010 about 12 blocks with sizes, ages and races as in the nation; nobody is real."""
    import numpy as np

    from dalenius.records.simulated.tables import write_census

    return write_census(folder, 12, rng=np.random.default_rng(5))


def _write(path: Path, head: str, rows: Iterable[Sequence[Any]]) -> None:
    path.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n")


STORIES = {
    "tables": Story(
        "Tables of an illness", "By age, sex and town, rounded to base 3, and the same with noise.", tables
    ),
    "genomes": Story(
        "Frequencies of a study", "Allele frequencies of 40 cases, published as they are.", genomes
    ),
    "anonymised": Story(
        "An anonymised file", "Rows without names, with age and zip as they are.", anonymised
    ),
    "family": Story("A family", "What epsilon = 0.5 is worth to people whose relatives answer too.", family),
    "census": Story(
        "Tables of a census", "twelve blocks with national shapes: which records do the tables prove?", census
    ),
}
"""By the name that ``dalenius demo`` takes."""
