"""People, and tables of them as pandas crosses, prints and writes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Frame = pd.DataFrame
Rng = np.random.Generator
ILL = "ill"
LEVELS = {
    "sex": ["f", "m"],
    "town": ["Aarau", "Bern", "Chur"],
    "work": ["x", "y"],
    "age": ["20-29", "30-39", "40+"],
    "smoker": ["no", "yes"],
}
VALUES = (["no", "yes"], ["no", "yes"], ["flu", "none", "other"])


@dataclass
class Printed:
    """What was published: the files, the options that state it, and whether they are true."""

    kind: str
    files: list[Path]
    options: dict[str, Any] = field(default_factory=dict)
    true: bool = True


def draw_people(rng: Rng) -> Frame:
    """A few people with some public columns and a secret, common or rare."""
    n = int(rng.integers(5, 41))
    names = list(rng.choice(list(LEVELS), int(rng.integers(1, 5)), replace=False))
    people = Frame({"id": [f"p{i}" for i in range(n)]})
    for name in names:
        people[name] = rng.choice(LEVELS[name], n)
    values = VALUES[int(rng.integers(len(VALUES)))]
    chances = rng.dirichlet(np.full(len(values), rng.choice([0.4, 1.0, 3.0])))
    people[ILL] = rng.choice(values, n, p=chances)
    return people


def cross(people: Frame, rng: Rng, margins: bool) -> Frame:
    """Cross the secret with some columns down and perhaps some across, as pandas does it."""
    names = [name for name in people.columns if name not in ("id", ILL)]
    depth = int(rng.integers(1, len(names) + 1))
    order = list(rng.permutation(names))
    down, across = order[:depth], order[depth : depth + int(rng.integers(0, 3))]
    if rng.random() < 0.6:
        across = []
    index = [people[name] for name in down]
    columns = [people[name] for name in [*across, ILL]]
    return pd.crosstab(index, columns if across else columns[0], margins=margins)


def cross_flat(people: Frame, rng: Rng, margins: bool) -> Frame:
    """Cross the secret with some columns, all of them down."""
    names = [name for name in people.columns if name not in ("id", ILL)]
    down = list(rng.permutation(names))[: int(rng.integers(1, len(names) + 1))]
    full = pd.crosstab([people[name] for name in down], people[ILL], margins=margins)
    return full.drop(columns="All") if margins else full


def as_text(frame: Frame, show: Callable[[float], str]) -> Frame:
    """The table with every number as it is printed."""
    return frame.map(lambda x: show(float(x)) if not isinstance(x, str) else x)


def write(frame: Frame, folder: Path, name: str, rng: Rng, mark: str = ",") -> Path:
    """Write a table as a CSV file or a workbook."""
    if mark == "," and rng.random() < 0.25:
        path = folder / f"{name}.xlsx"
        frame.map(_cell).to_excel(path)
        return path
    path = folder / f"{name}.csv"
    frame.to_csv(path, sep=mark)
    return path


def _cell(text: str) -> Any:
    """A cell of a workbook: whole numbers as numbers, all else as text."""
    return int(text) if text.lstrip("-").isdigit() else text


def value_of(label: Any) -> str:
    """The value of the secret that a column of pandas is about."""
    return str(label[-1] if isinstance(label, tuple) else label)


def is_body(label: Any) -> bool:
    """Whether a row or column of pandas is no margin."""
    parts = label if isinstance(label, tuple) else (label,)
    return "All" not in parts and "" not in parts
