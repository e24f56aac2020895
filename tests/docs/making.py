"""Makes the small files that examples of the explaining pages open."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

import dalenius
from dalenius.genomes.plink import write_plink
from dalenius.genomes.variants import Genotypes, Variants
from dalenius.people.traits.traits import coded_from_values
from dalenius.random import stream
from dalenius.release.files import write_release


def people(n: int = 60) -> None:
    """A table with a secret, ``ill``."""
    rng = np.random.default_rng(1)
    table = {
        "town": rng.integers(0, 40, n),
        "sex": rng.choice(["f", "m"], n),
        "ill": rng.choice(["no", "yes"], n),
    }
    pd.DataFrame(table).to_csv("people.csv", index=False)


def genotypes(snps: int = 300) -> None:
    """Cases and others of one population, as PLINK files."""
    rng = np.random.default_rng(2)
    names = np.array([f"rs{j}" for j in range(snps)])
    places = np.arange(snps) + 1
    variants = Variants(names, np.full(snps, "1"), places, np.full(snps, "A"), np.full(snps, "G"))
    frequency = rng.uniform(0.1, 0.9, snps)
    for name, n in (("cases", 40), ("others", 120)):
        values = rng.binomial(2, frequency, (n, snps)) - 1.0
        ids = np.array([f"{name}{i}" for i in range(n)])
        traits = coded_from_values("IID", ids, names, values, "genotype")
        write_plink(f"{name}.bed", Genotypes(traits, variants))


def edges() -> None:
    """A chain of twelve people, and a star."""
    lines = [f"a{i},a{i + 1}" for i in range(8)] + [f"a8,b{i}" for i in range(4)]
    Path("edges.csv").write_text("a,b\n" + "\n".join(lines) + "\n")


def published() -> None:
    """A release of counts about named people."""
    people()
    with dalenius.read("people.csv", secret="ill") as read:
        release = dalenius.publish(read, ["random-subsets:m=20"], "exact", rng=stream(1, "noise"))
        write_release(release, "published")


NEEDED = {
    "how-to/count_desk.md": people,
    "explanation/tracing.md": genotypes,
    "explanation/inference.md": edges,
    "reference/files.md": published,
}
"""By page."""
