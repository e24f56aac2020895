"""Which files can be compared when a released table is attacked, and what a reader must know of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dalenius.errors import InputError
from dalenius.people.rows.columns import NumberColumn, RowColumn
from dalenius.people.rows.rows import Rows, distinct
from dalenius.people.sealed import SealedRows
from dalenius.singling_out.referee.classes import ClassCheck
from dalenius.singling_out.rows.files import RowsFiles
from dalenius.theory.isolation import isolation

LARGE_ENOUGH = 10
"""A population of fewer people than this many times n leaves luck more than a tenth."""


def check_files(files: RowsFiles, limits: Sequence[float], *, dropped: bool) -> list[str]:
    """Refuse what cannot be compared; return what a reader should know."""
    released, original, population, holdout = files.released, files.original, files.population, files.holdout
    n = len(released) if original is None else len(original)
    for c in limits:
        if not 0 < c <= 1:
            raise InputError(
                "weight limit",
                "must be above 0 and at most 1/n",
                f"{c:g}/n",
                "Above 1/n luck falls again; use for example 0.01.",
            )
    if population is not None and holdout is not None:
        raise InputError("population and holdout", "must not be given together", "both", "Give one.")
    if holdout is not None and len(holdout) < 2:
        raise InputError("holdout", "must have at least 2 rows", str(len(holdout)))
    lost = 0 if original is None else len(original) - len(released)
    if lost < 0 or (lost > 0 and not dropped):
        raise InputError(
            "anonymised rows",
            f"must be as many as the {n:,} original rows",
            f"{len(released):,}",
            "Give the rows that were anonymised"
            + (_left_out(released, 0 if original is None else len(original)) if lost > 0 else "."),
        )
    notes = []
    if population is not None and len(population) < LARGE_ENOUGH * n:
        size = f"{len(population):,}"
        notes.append(
            f"The population has {size} people, fewer than {LARGE_ENOUGH} times the {n:,} of the data. "
            f"A condition that one of them meets is met by at least 1 in {size}; by such a one luck isolates "
            f"somebody in {_luck(n, len(population)):.0%} of cases. No attack can be told from less luck."
        )
    return notes


def _left_out(released: Rows, people: int) -> str:
    """What a release with fewer rows may be: rows counted in a column, or rows left out."""
    whole = [c.name for c in released.columns if isinstance(c, NumberColumn) and c.kind == "integer"]
    for name in whole:
        column = released.column(name)
        # numbers of another size count nobody, and the largest have no sum
        if isinstance(column, NumberColumn) and np.clip(column.values, 0, people + 1).sum() == people:
            return f"; if column {name!r} counts people, say so (--count {name})."
    return "; if suppressed ones were left out, say so (--dropped)."


def _luck(n: int, population: int) -> float:
    """How often a condition that one person of a population meets isolates somebody, however n are drawn."""
    drawn = n / population if n <= population else 0.0
    return max(isolation(n, 1 / population), drawn)


def shared_columns(
    released: Rows, quasi: Sequence[str], original: SealedRows | None
) -> tuple[Rows, list[str], list[str]]:
    """Keep the columns that original rows have, too; a condition on another could not be judged.

    The last are columns that could not, and that tell rows apart which are alike in all others: they may
    be anybody's number. The number of a class does not, and says nothing by itself; what may say for how
    many people a row stands does, as such rows say more than they seem to.
    """
    released.select(quasi)
    if original is None:
        return released, [], []
    original.select(quasi)
    kept = released.select([name for name in released.names if name in original.names])
    lost = [name for name in released.names if name not in original.names]
    if not lost:
        return kept, [], []
    alike = distinct(kept).counts.size
    telling = [
        name
        for name in lost
        if distinct(Rows((*kept.columns, released.column(name)))).counts.size > alike
        or _may_count(released.column(name), len(original))
    ]
    return kept, [f"Columns not in the original were left out: {', '.join(lost)}."], telling


def _may_count(column: RowColumn, people: int) -> bool:
    """Whether a column may say for how many people a row stands, where rows are fewer than people."""
    if not isinstance(column, NumberColumn) or len(column) >= people:
        return False
    times = column.values
    whole = np.isfinite(times).all() and (times >= 1).all() and (times == np.floor(times)).all()
    return bool(whole) and len(column) < float(times.sum()) <= people


def check_kinds(others: Rows | None, original: SealedRows | None, names: Sequence[str]) -> None:
    """A value must mean, and be hashed, the same in both files."""
    if others is None or original is None:
        return
    for name in names:
        if name in others.names and _kind(others, name) != original.kind(name):
            raise InputError(
                f"column {name!r}",
                "must be of one type in the original and in the population or holdout",
                f"{original.kind(name)} and {_kind(others, name)}",
                "Read both as text, or write both in the same way.",
            )


def fit_warnings(check: ClassCheck | None) -> list[str]:
    """Say where the classes do not fit the original as a recoding of it would."""
    warnings = []
    if check is not None and check.more:
        warnings.append(
            f"{_classes(check.more)} met by more original rows than the release has in them: cells overlap, "
            "or suppressed rows fit them too."
        )
    if check is not None and check.fewer:
        warnings.append(
            f"{_classes(check.fewer)} met by fewer original rows than the release has in them: cells were "
            "changed, not only made coarser, or the original is not the one that was anonymised."
        )
    return warnings


def _classes(count: int) -> str:
    return "1 class is" if count == 1 else f"{count:,} classes are"


def _kind(rows: Rows, name: str) -> str:
    column = rows.column(name)
    return column.kind if isinstance(column, NumberColumn) else "text"
