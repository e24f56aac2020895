"""People, and files about them that leak by construction or do not: for what passes and what must not.

Copies, added noise, small groups replaced by their means (microaggregation), swapped ranks and changed labels
(PRAM) are done here in a few lines each, as the usual tools for statistical disclosure control do them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NUMBERS = ("age", "schooling", "hours", "gains")
LABELS = {"work": 7, "marital": 6, "job": 14, "kin": 6, "origin": 5, "sex": 2, "country": 30, "pay": 2}
"""Labels and how many values each has; low ones are frequent."""


def people(rows: int, rng: np.random.Generator) -> Any:
    """A survey of twelve columns that depend on each other through three hidden traits."""
    traits = rng.normal(size=(rows, 3))
    noise = rng.normal(size=(rows, 4))
    age = np.clip(np.round(42 + 14 * traits[:, 0] + 4 * noise[:, 0]), 17, 95)
    schooling = np.clip(np.round(10 + 1.3 * traits[:, 1] + 0.7 * traits[:, 0] + 1.5 * noise[:, 1]), 1, 16)
    usual = rng.random(rows) < 0.45
    hours = np.where(usual, 40, np.clip(np.round(40 + 5 * traits[:, 2] + 11 * noise[:, 2]), 1, 99))
    some = rng.random(rows) < 0.08 + 0.03 * (schooling > 12)
    gains = np.where(some, np.round(np.exp(8 + 1.1 * noise[:, 3] + 0.1 * schooling), -1), 0)
    columns: dict[str, Any] = dict(zip(NUMBERS, (age, schooling, hours, gains), strict=True))
    for j, (name, values) in enumerate(LABELS.items()):
        lean = traits[:, j % 3, None] * np.linspace(-1, 1, values)
        chosen = np.argmax(lean - 3 * np.arange(values) / values + rng.gumbel(size=(rows, values)), axis=1)
        columns[name] = np.array([f"{name} {i}" for i in range(values)])[chosen]
    return pa.table(columns)


def measurements(rows: int, rng: np.random.Generator, columns: int = 8) -> Any:
    """Numbers alone, as a business survey has them: skewed, correlated, three digits."""
    common = rng.normal(size=(rows, 1))
    values = np.exp(1 + 0.6 * common + 0.6 * rng.normal(size=(rows, columns)))
    return pa.table({f"x{j}": np.round(values[:, j], 2) for j in range(columns)})


def with_copies(synthetic: Any, original: Any, copies: int) -> Any:
    """Some rows of a file replaced by people of the original as they are."""
    return pa.concat_tables([original.slice(0, copies), synthetic.slice(copies)]) if copies else synthetic


def copula(table: Any, rows: int, rng: np.random.Generator, *, between: bool = False) -> Any:
    """Rows drawn from a Gaussian copula of a table: its margins, and its correlations of normal scores.

    Numbers are those of the table, or lie between two of them, at two digits: then nobody's is repeated.
    """
    from scipy.special import ndtr, ndtri

    names = table.column_names
    ranks = [_ranks(table[name].to_numpy(zero_copy_only=False), rng) for name in names]
    scores = ndtri(np.stack(ranks))
    drawn = ndtr(rng.multivariate_normal(np.zeros(len(names)), np.corrcoef(scores), size=rows).T)
    made = {}
    for name, u in zip(names, drawn, strict=True):
        rising = np.sort(table[name].to_numpy(zero_copy_only=False))
        at = np.minimum((u * rising.size).astype(np.intp), rising.size - 1)
        made[name] = rising[at]
        if between and _is_number(table[name]):
            next_one = rising[np.minimum(at + 1, rising.size - 1)]
            mixed = rising[at] + rng.random(rows) * (next_one - rising[at])
            size = 10.0 ** np.floor(np.log10(np.maximum(np.abs(mixed), 1.0)) - 1)
            made[name] = np.round(mixed / np.maximum(size, 1.0)) * np.maximum(size, 1.0)
    return pa.table(made)


def noisy(table: Any, share: float, rng: np.random.Generator) -> Any:
    """Numbers with noise of a share of their standard deviation; labels stay."""
    return _changed(table, lambda x: np.round(x + share * x.std() * rng.normal(size=x.size), 4))


def microaggregated(table: Any, k: int) -> Any:
    """MDAV: the row farthest from the middle and its k - 1 nearest make a group; numbers become its means."""
    names = [name for name in table.column_names if _is_number(table[name])]
    values = np.stack([table[name].to_numpy() for name in names], axis=1).astype(np.float64)
    scaled = (values - values.mean(axis=0)) / values.std(axis=0)
    left, group, groups = np.arange(len(values)), np.empty(len(values), np.intp), 0
    while left.size >= 2 * k:
        far = scaled[left[np.argmax(((scaled[left] - scaled[left].mean(axis=0)) ** 2).sum(axis=1))]]
        near = np.argpartition(((scaled[left] - far) ** 2).sum(axis=1), k - 1)[:k]
        group[left[near]] = groups
        left, groups = np.delete(left, near), groups + 1
    group[left] = groups
    sizes = np.bincount(group)
    return _changed(table, lambda x: (np.bincount(group, x) / sizes)[group])


def rank_swapped(table: Any, share: float, rng: np.random.Generator) -> Any:
    """Every number exchanged with one at most a share of the ranks away, column by column."""

    def swapped(x: Floats) -> Floats:
        order = np.argsort(x, kind="stable")
        free, reach = np.ones(x.size, np.bool_), max(1, int(share * x.size))
        rising = x[order].copy()
        for i in range(x.size - 1):
            if free[i]:
                j = min(x.size - 1, i + int(rng.integers(1, reach + 1)))
                if free[j]:
                    free[i] = free[j] = False
                    rising[i], rising[j] = rising[j], rising[i]
        out = np.empty_like(x)
        out[order] = rising
        return out

    return _changed(table, swapped)


def relabelled(table: Any, kept: float, rng: np.random.Generator) -> Any:
    """PRAM: every label stays with some chance, else it is drawn anew from the column."""
    made = {}
    for name in table.column_names:
        values = table[name].to_numpy(zero_copy_only=False)
        if not _is_number(table[name]):
            values = np.where(rng.random(values.size) < kept, values, rng.permutation(values))
        made[name] = values
    return pa.table(made)


def _changed(table: Any, change: Any) -> Any:
    return pa.table(
        {
            name: change(table[name].to_numpy().astype(np.float64))
            if _is_number(table[name])
            else table[name]
            for name in table.column_names
        }
    )


def _is_number(column: Any) -> bool:
    return pa.types.is_floating(column.type) or pa.types.is_integer(column.type)


def _ranks(values: Any, rng: np.random.Generator) -> Floats:
    """Places between 0 and 1, ties broken at random."""
    shuffled = rng.permutation(values.size)
    order = shuffled[np.argsort(values[shuffled], kind="stable")]
    ranks = np.empty(values.size)
    ranks[order] = (np.arange(values.size) + 0.5) / values.size
    return ranks
