"""Simulated blocks and the tables that an office prints of them: small, and the same every time."""

from __future__ import annotations

import csv
import itertools
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

NAMES = ("block", "sex", "age", "race", "origin")
AGES = ("0-4", "5-17", "18-39", "40-64", "65+")
RACES = ("white", "black", "asian", "other")
TABLES = {"P12": ("sex", "age"), "P8": ("race", "origin"), "P14": ("race", "age"), "P5": ("sex", "race")}

Person = tuple[str, str, str, str, str]


def people(rng: np.random.Generator, sizes: Sequence[int], prefix: str = "A") -> list[Person]:
    """Draw people of blocks that differ in which race most people have."""
    found = []
    for at, size in enumerate(sizes):
        shares = rng.dirichlet([6, 1, 0.7, 0.5])
        for _ in range(size):
            race = int(rng.choice(4, p=shares))
            found.append(
                (
                    f"{prefix}{at:02d}",
                    "fm"[rng.integers(2)],
                    AGES[int(rng.choice(5, p=[0.08, 0.17, 0.3, 0.3, 0.15]))],
                    RACES[race],
                    "yes" if rng.random() < (0.3 if race == 3 else 0.08) else "no",
                )
            )
    return found


def write_tables(folder: Path, rows: Sequence[Person]) -> list[Path]:
    """Write every table of blocks, long and with zeros."""
    blocks = sorted({row[0] for row in rows})
    levels = {"sex": "fm", "age": AGES, "race": RACES, "origin": ("no", "yes")}
    paths = []
    for name, columns in TABLES.items():
        at = [NAMES.index(column) for column in columns]
        counts = Counter((row[0], *(row[j] for j in at)) for row in rows)
        keys = itertools.product(blocks, *(levels[column] for column in columns))
        paths.append(folder / f"{name}.csv")
        write(paths[-1], ("block", *columns, "count"), [(*key, counts[key]) for key in keys])
    return paths


def write(path: Path, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Write a CSV file."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
