"""Makes the small files that examples of the explaining pages open."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

import dalenius
from dalenius.genomes.frequencies import Frequencies, write_frequencies
from dalenius.genomes.plink import write_plink
from dalenius.genomes.variants import Genotypes, Variants
from dalenius.mechanisms.anonymise.parse import anonymise
from dalenius.people.opening import read_rows
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
    """Cases and others of one population, as PLINK files; the frequencies of cases, and targets."""
    rng = np.random.default_rng(2)
    names = np.array([f"rs{j}" for j in range(snps)])
    places = np.arange(snps) + 1
    variants = Variants(names, np.full(snps, "1"), places, np.full(snps, "A"), np.full(snps, "G"))
    frequency = rng.uniform(0.1, 0.9, snps)
    for name, n in (("cases", 40), ("others", 120), ("ref", 120), ("people", 12)):
        values = rng.binomial(2, frequency, (n, snps)) - 1.0
        ids = np.array([f"{name}{i}" for i in range(n)])
        traits = coded_from_values("IID", ids, names, values, "genotype")
        write_plink(f"{name}.bed", Genotypes(traits, variants))
        if name == "cases":
            write_frequencies(
                "freqs.tsv", Frequencies(variants, (values.mean(axis=0) + 1) / 2, np.full(snps, 2 * n))
            )


def related() -> None:
    """A chain of twelve people and a star; a family, a joint distribution, values over time, some answers."""
    lines = [f"a{i},a{i + 1}" for i in range(8)] + [f"a8,b{i}" for i in range(4)]
    everybody = [*(f"a{i}" for i in range(17)), *(f"b{i}" for i in range(5))]  # the page adds some
    rng = np.random.default_rng(4)
    weeks = [f"p{i},{week},{('well', 'ill')[rng.random() < 0.2]}" for i in range(40) for week in (1, 2, 3, 4)]
    files = {
        "edges": ["a,b", *lines],
        "family": ["id,father,mother", "Eva,,", "Adam,,", "Abel,Adam,Eva", "Kain,Adam,Eva", "Hanoch,Kain,"],
        "prior": ["ann,bob,probability", "0,0,0.4", "0,1,0.1", "1,0,0.1", "1,1,0.4"],
        "chain": ["from,well,ill", "well,0.9,0.1", "ill,0.4,0.6"],
        "weeks": ["id,time,state", *weeks],
        "said": ["id,answer", "a0,1", "a1,0"],
        "truth": ["id,ill", *(f"{name},{i % 2}" for i, name in enumerate(everybody))],
    }
    for name, text in files.items():
        Path(f"{name}.csv").write_text("\n".join(text) + "\n")


def rows() -> None:
    """Everybody, some of them, those anonymised, synthetic rows, and others."""
    rng, n = np.random.default_rng(5), 900
    everybody = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "zip": rng.integers(8000, 8060, n),
            "sex": rng.choice(["f", "m"], n),
            "job": rng.choice(["a", "b", "c"], n),
            "hours": rng.integers(0, 50, n),
            "income": rng.integers(10, 99, n),
        }
    )
    quasi = ["age", "zip", "sex"]
    everybody[quasi].to_csv("everybody.csv", index=False)
    everybody[quasi][:100].to_csv("people.csv", index=False)
    anonymise(read_rows(everybody[quasi][:100]), quasi, "mondrian:k=5", rng).write(Path("released.csv"))
    for name, start in (("ori", 0), ("syn", 300), ("ctl", 600)):
        everybody[start : start + 300].to_csv(f"{name}.csv", index=False)


def findings() -> None:
    """Findings before and after a change."""
    people()
    for name, mechanism in (
        ("before", "exact"),
        ("after", "rounding:base=20"),
        ("findings", "rounding:base=5"),
    ):
        found = dalenius.audit("people.csv", secret="ill", statistics="tables:k=1", mechanism=mechanism)
        Path(f"{name}.json").write_text(found.to_json())


def published() -> None:
    """A release of counts about named people."""
    people()
    with dalenius.read("people.csv", secret="ill") as read:
        release = dalenius.publish(read, ["random-subsets:m=20"], "exact", rng=stream(1, "noise"))
        write_release(release, "published")


NEEDED = {
    "how-to/count_desk.md": people,
    "explanation/tracing.md": genotypes,
    "explanation/inference.md": related,
    "explanation/singling_out.md": rows,
    "gallery.md": findings,
    "how-to/biobank_frequencies.md": genotypes,
    "reference/files.md": published,
}
"""By page."""
