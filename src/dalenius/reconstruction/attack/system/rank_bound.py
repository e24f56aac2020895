"""How many independent equations a release can be at the most, by what it asks alone."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from math import comb, prod

from dalenius.release.release import Release
from dalenius.statistics.cells import CellCounts
from dalenius.statistics.counts.boolean_counts import BooleanCounts
from dalenius.statistics.statistic import Statistic
from dalenius.statistics.tables import Tables
from dalenius.theory.reconstruction.tables import function_rank_bound

SUBSET_LIMIT = 1_000_000
"""Sets of columns that are listed to find the rank of tables; with more, the number of cells is the bound."""


def rank_at_most(release: Release) -> int:
    """Bound the rank of the equations about one value of the secret.

    Examples
    --------
    >>> from dalenius.people.schema import Column, Kind, Role
    >>> from dalenius.release.release import Block
    >>> from dalenius.statistics.tables import tables_of
    >>> import numpy as np
    >>> bits = [Column(f"a{j}", Role.PUBLIC, Kind.BINARY, ("0", "1")) for j in range(12)]
    >>> tables = tables_of(bits, 1)
    >>> block = Block(tables, ("no", "yes"), np.zeros((24, 2)))
    >>> rank_at_most(Release("r", Column("s", Role.SECRET, Kind.BINARY, ("no", "yes")), (block,)))
    13
    """
    asked = [block.statistic for block in release.blocks]
    tables = [statistic for statistic in asked if isinstance(statistic, Tables | CellCounts)]
    apart = sum(_rank(statistic) for statistic in tables)
    rest = sum(_rank(statistic) for statistic in asked if not isinstance(statistic, Tables | CellCounts))
    return rest + min(apart, _rank_of_tables(tables))


def _rank(statistic: Statistic) -> int:
    if isinstance(statistic, Tables | CellCounts):
        return min(statistic.rows, _rank_of_tables([statistic]))
    if isinstance(statistic, BooleanCounts):
        bound = function_rank_bound(max(1, len(statistic.columns)), statistic.function.levels)
        return min(statistic.rows, bound)
    return statistic.rows


def _rank_of_tables(tables: Sequence[Tables | CellCounts]) -> int:
    """Every cell is a combination of products of one contrast per column: a level minus the rest.

    What several tables about the same people have in common, such as margins, counts once.
    """
    sets = {frozenset(names) for asked in tables for names in _sets(asked)}
    if sum(2 ** len(names) for names in sets) > SUBSET_LIMIT:
        return sum(asked.rows for asked in tables)
    levels = _levels(tables)
    margins = {
        frozenset(margin)
        for names in sets
        for size in range(len(names) + 1)
        for margin in itertools.combinations(sorted(names), size)
    }
    return sum(prod(levels[name] - 1 for name in margin) for margin in margins)


def _sets(asked: Tables | CellCounts) -> Iterable[Iterable[str]]:
    """The columns of each table."""
    if isinstance(asked, Tables):
        return asked.sets
    return {frozenset(name for name, _ in cell) for cell in asked.cells}


def _levels(tables: Sequence[Tables | CellCounts]) -> dict[str, int]:
    """How many kinds of people each column tells apart: levels always printed together are one."""
    known = {column.name: column.levels for asked in tables for column in asked.columns}
    printed: dict[str, set[tuple[str, ...]]] = {name: set() for name in known}
    for asked in tables:
        if isinstance(asked, Tables):
            for column in asked.columns:
                printed[column.name].update((level,) for level in column.levels)
        else:
            for name, levels in itertools.chain.from_iterable(asked.cells):
                printed[name].add(levels)
    return {
        name: len({frozenset(one for one in printed[name] if level in one) for level in levels})
        for name, levels in known.items()
    }


def describe(release: Release) -> tuple[str, ...]:
    """Say what the questions alone tell about how much can follow from them."""
    said = []
    for block in release.blocks:
        asked = block.statistic
        if isinstance(asked, BooleanCounts):
            f, degree = asked.function, asked.function.secret_degree
            if degree < 0:
                said.append(f"{f.name}: the secret does not change it, so its counts say nothing")
                continue
            full = "non-degenerate" if f.nondegenerate else "degenerate"
            d, k = len(asked.columns), f.k
            sets = "all" if asked.rows == comb(d, k) else f"{asked.rows:,}"
            said.append(
                f"{f.name} of {k} public bits and the secret is {full}: what multiplies the secret has "
                f"degree {degree} of {k}; {sets} sets of {d} columns have rank at most {_rank(asked):,}"
            )
        elif isinstance(asked, Tables):
            said.append(
                f"{len(asked.sets):,} tables with {asked.rows:,} combinations of levels have rank at most "
                f"{_rank(asked):,}"
            )
    return tuple(said)
