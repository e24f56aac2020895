"""Do columns depend on each other? What has to be asked before weights are multiplied.

Every pair is tested (G-test, all pairs together at one level), and its adjusted mutual information says how
strongly it depends: 0 for independent columns, 1 where one column is the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from dalenius.people.rows.columns import RowColumn
from dalenius.people.rows.rows import Rows

LEVEL = 0.01
"""Of all pairs together: dependence is found by mistake this often."""

BINS = 10
"""A column with more values is cut into this many parts of equal size."""


@dataclass(frozen=True)
class Dependence:
    """What testing all pairs of columns found.

    Parameters
    ----------
    pairs
        How many were tested.
    dependent
        Those that are not independent, at `LEVEL` for all pairs together (Bonferroni).
    strongest, information
        The pair with the largest adjusted mutual information, and how large it is.
    """

    pairs: int
    dependent: tuple[tuple[str, str], ...]
    strongest: tuple[str, str]
    information: float


def dependence(rows: Rows, columns: Sequence[str]) -> Dependence:
    """Test every pair of at least two columns for independence."""
    from scipy.stats import chi2_contingency
    from sklearn.metrics import adjusted_mutual_info_score

    parts = {name: _parts(rows.column(name)) for name in columns}
    pairs = list(combinations(columns, 2))
    dependent, strongest, information = [], pairs[0], -np.inf
    for a, b in pairs:
        table = np.zeros((parts[a].max() + 1, parts[b].max() + 1))
        np.add.at(table, (parts[a], parts[b]), 1)
        if min(table.shape) > 1:
            tested = chi2_contingency(table, correction=False, lambda_="log-likelihood")
            if float(tested.pvalue) < LEVEL / len(pairs):
                dependent.append((a, b))
        shared = float(adjusted_mutual_info_score(parts[a], parts[b])) if min(table.shape) > 1 else 0.0
        if shared > information:
            strongest, information = (a, b), shared
    return Dependence(len(pairs), tuple(dependent), strongest, information)


def _parts(column: RowColumn) -> NDArray[np.intp]:
    """Few classes of a column's values, numbered without gaps: columns of many values in ranks."""
    codes = column.codes.astype(np.intp)
    if np.unique(codes).size > BINS:
        edges = np.quantile(codes, np.linspace(0, 1, BINS + 1)[1:-1], method="lower")
        codes = np.searchsorted(edges, codes, side="left")
    return np.unique(codes, return_inverse=True)[1]


@dataclass(frozen=True)
class Blocks:
    """Which conditions can be multiplied: those of one block stay together."""

    blocks: tuple[tuple[int, ...], ...]
    sentence: str


def independent_blocks(parts: Sequence[AbstractSet[str]], rows: Rows) -> Blocks:
    """Join conditions whose columns are the same or were found dependent, and say what was found."""
    columns = sorted(frozenset[str]().union(*parts))
    if len(columns) < 2:
        return Blocks((tuple(range(len(parts))),), "one column")
    found = dependence(rows, columns)
    joined = [set(pair) for pair in found.dependent] + [set(part) for part in parts]
    blocks: list[set[int]] = []
    for i, own in enumerate(_closure(joined, part) for part in parts):
        for block in blocks:
            if any(own & parts[k] for k in block):
                block.add(i)
                break
        else:
            blocks.append({i})
    a, b = found.strongest
    sentence = (
        f"G-tests of {found.pairs} pairs: {len(found.dependent)} dependent, joined into blocks; largest "
        f"adjusted mutual information {found.information:.3f}, of {a} and {b}"
    )
    return Blocks(tuple(tuple(sorted(block)) for block in blocks), sentence)


def _closure(joined: Sequence[AbstractSet[str]], start: AbstractSet[str]) -> set[str]:
    """All columns that hang together with some."""
    reached, before = set(start), 0
    while len(reached) > before:
        before = len(reached)
        for pair in joined:
            if reached & pair:
                reached |= pair
    return reached
