"""What a change costs those who read the numbers: hidden ones, errors, tables that are gone."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dalenius.auditing.case import Opened
from dalenius.findings.report import Price
from dalenius.release.amounts import AmountRelease
from dalenius.release.means import MeansRelease
from dalenius.release.release import Release
from dalenius.statistics.tables import Tables

Numbers = Mapping[str, NDArray[np.float64]]
"""Published numbers by table: one row per combination of levels, one column per value of the secret."""

SAME = 1e-9


def numbers_of(opened: Sequence[Opened], names: Collection[str]) -> Numbers:
    """Return what the releases of these names publish, table by table."""
    found: dict[str, NDArray[np.float64]] = {}
    for each in opened:
        for name, release in each.published.items():
            if name in names:
                found |= tables_in(release)
        for case in each.cases:
            for made in getattr(case, "releases", ())[:1]:
                if isinstance(made, MeansRelease) and case.release in names:
                    found |= {str(n): m[None] for n, m in zip(made.names, made.fractions, strict=True)}
            if case.release in names and isinstance(made := getattr(case, "made", None), AmountRelease):
                found |= amounts_in(made)
    return found


def tables_in(release: Release) -> Numbers:
    """Return the numbers of a release by table; another statistic is one table of its own."""
    found: dict[str, NDArray[np.float64]] = {}
    for block in release.blocks:
        statistic = block.statistic
        if isinstance(statistic, Tables):
            for j, names in enumerate(statistic.sets):
                found["*".join(names) or "everybody"] = block.answers[statistic.table == j]
        else:
            found[json.dumps(statistic.to_json(), sort_keys=True)] = block.answers
    return found


def amounts_in(release: AmountRelease) -> Numbers:
    """Return the printed amounts by table and statistic; hidden groups have none."""
    found: dict[str, NDArray[np.float64]] = {}
    tables: dict[str, list[int]] = {}
    for at, group in enumerate(release.groups):
        tables.setdefault(group.table, []).append(at)
    said = {(one.statistic, one.group): (one.low + one.high) / 2 for one in release.said}
    for statistic in dict.fromkeys(one.statistic for one in release.said if one.statistic != "count"):
        for name, places in tables.items():
            numbers = np.array([said.get((statistic, at), np.nan) for at in places])
            found[f"{release.name}: {statistic} by {name}"] = numbers
    return found


def price(exact: Numbers, got: Numbers, *, lost: int = 0, merged: int = 0) -> Price:
    """Hold published numbers against the exact ones.

    Parameters
    ----------
    exact
        The true numbers of every table, with the classes of ``got``.
    got
        What is published.
    lost, merged
        Tables that are gone, and classes that were merged.

    Examples
    --------
    >>> exact = {"sex": np.array([[12.0, 3.0], [8.0, 0.0]])}
    >>> found = price(exact, {"sex": np.array([[10.0, np.nan], [10.0, 0.0]])})
    >>> found.hidden, round(found.mean_error, 2), found.worst_error, found.adds_up
    (0.25, 1.33, 2.0, False)
    """
    both = [(exact[name], numbers) for name, numbers in got.items() if name in exact]
    both = [(true, numbers) for true, numbers in both if true.shape == numbers.shape]
    if not both:
        return Price(lost=lost, merged=merged or None)
    true = np.concatenate([each.ravel() for each, _ in both])
    told = np.concatenate([each.ravel() for _, each in both])
    seen = ~np.isnan(told)
    error = np.abs(told[seen] - true[seen])
    relative = error[true[seen] > 0] / true[seen][true[seen] > 0]
    return Price(
        hidden=float(1 - seen.mean()),
        mean_error=float(error.mean()) if error.size else None,
        worst_error=float(error.max()) if error.size else None,
        relative_error=float(np.median(relative)) if relative.size else None,
        lost=lost,
        merged=merged or None,
        adds_up=_adds_up(error, [numbers for _, numbers in both]),
    )


def _adds_up(error: NDArray[np.float64], tables: Sequence[NDArray[np.float64]]) -> bool:
    """Whether the numbers shown are the true ones, or at least agree about how many people there are.

    The same people are counted in every table: where two tables give two totals, rows do not add up.
    """
    if error.size == 0 or float(error.max()) <= SAME:
        return True
    totals = [table.sum(axis=0) for table in tables if table.ndim == 2 and not np.isnan(table).any()]
    if len(totals) < 2 or any(each.shape != totals[0].shape for each in totals):
        return False
    return all(np.allclose(each, totals[0]) for each in totals[1:])
