"""How anonymous a released file is by its own measures: k, l and t of its classes.

A class is all rows with the same quasi-identifiers as released (Sweeney 2002). Rows whose quasi-identifiers
are all ``*`` are suppressed, not a class. These measures speak of the file alone; none of them says that
nobody can be singled out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.people.rows.columns import Mask, NumberColumn, RowColumn
from dalenius.people.rows.rows import Rows, distinct

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Diversity:
    """What the classes say about one sensitive column.

    Parameters
    ----------
    column
        Its name.
    distinct
        The fewest different values in a class (distinct l-diversity).
    entropy
        The effective number of values in the least diverse class, ``exp`` of its entropy: a file is
        entropy l-diverse if this is at least l (Machanavajjhala et al. 2007).
    equal
        The largest distance between the values of a class and those of the file if all values are equally
        far from each other: half of the sum of the absolute differences (Li, Li and Venkatasubramanian 2007).
    ordered
        The same earth mover's distance over ordered values; None for text, which has no order.
    """

    column: str
    distinct: int
    entropy: float
    equal: float
    ordered: float | None


@dataclass(frozen=True)
class Anonymity:
    """The measures of one released file.

    Parameters
    ----------
    k
        Rows in the smallest class; 0 if every row is suppressed.
    classes, rows, suppressed
        How many there are.
    sensitive
        One entry for every sensitive column.
    """

    k: int
    classes: int
    rows: int
    suppressed: int
    sensitive: tuple[Diversity, ...]

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)

    def __str__(self) -> str:
        kept = f"{self.rows:,} rows in {self.classes:,} classes"
        gone = f", {self.suppressed:,} suppressed" if self.suppressed else ""
        parts = [f"k = {self.k} ({kept}{gone})"]
        for own in self.sensitive:
            ordered = "" if own.ordered is None else f", {own.ordered:.4g} ordered"
            values = f"l = {own.distinct} distinct, {own.entropy:.4g} by entropy"
            parts.append(f"{own.column}: {values}; t = {own.equal:.4g} equal{ordered}")
        return "; ".join(parts)


def anonymity(released: Rows, quasi: Sequence[str], sensitive: Sequence[str] = ()) -> Anonymity:
    """Measure k, and for each sensitive column l and t.

    Parameters
    ----------
    released
        The rows as they are published.
    quasi
        The quasi-identifiers.
    sensitive
        Columns whose values a class should not give away; t compares each class with all rows of the file.

    Examples
    --------
    >>> import pyarrow as pa
    >>> age, ill = ["2*", "2*", "3*", "3*", "3*"], ["flu", "flu", "flu", "cold", "ache"]
    >>> print(anonymity(Rows.of_table(pa.table({"age": age, "ill": ill})), ["age"], ["ill"]))
    k = 2 (5 rows in 2 classes); ill: l = 1 distinct, 1 by entropy; t = 0.4 equal
    """
    if not quasi:
        raise InputError("quasi-identifiers", "must name at least one column", "none")
    for name in sensitive:
        if name in quasi:
            raise InputError(f"sensitive column {name!r}", "must not be a quasi-identifier", "both")
    cells = released.select(quasi)
    kept = ~suppressed(cells)
    if not kept.any():
        return Anonymity(0, 0, len(released), len(released), ())
    _, sizes, which = distinct(cells.take(kept))
    found = (diversity(released.column(name), kept, which, sizes) for name in sensitive)
    return Anonymity(int(sizes.min()), sizes.size, len(released), int((~kept).sum()), tuple(found))


def suppressed(cells: Rows) -> Mask:
    """Say which rows have nothing but stars."""
    gone = np.ones(len(cells), np.bool_)
    for column in cells.columns:
        if isinstance(column, NumberColumn):
            return np.zeros(len(cells), np.bool_)
        stars = np.array(
            [*(bool(level) and not level.strip("*") for level in column.levels), False], np.bool_
        )
        gone &= stars[column.codes]
    return gone


def diversity(column: RowColumn, kept: Mask, which: NDArray[np.intp], sizes: Counts) -> Diversity:
    """Measure one sensitive column; ``which`` numbers the classes of the kept rows, of these sizes."""
    values, known = values_in_order(column)
    share = np.bincount(values, minlength=known) / values.size
    pairs, counts = np.unique(which * known + values[kept], return_counts=True)
    of, value = np.divmod(pairs, known)
    equal = class_equal_distances(of, value, counts, sizes, share)
    ordered = None
    if isinstance(column, NumberColumn):
        ordered = float(class_ordered_distances(of, value, counts, sizes, share).max())
    return Diversity(
        column.name,
        int(np.bincount(of).min()),
        float(np.exp(class_entropies(of, counts, sizes).min())),
        float(equal.max()),
        ordered,
    )


def values_in_order(column: RowColumn) -> tuple[NDArray[np.intp], int]:
    """Number the values of a column in their order, missing last; and say how many there are."""
    values = column.values + 0.0 if isinstance(column, NumberColumn) else column.codes
    found, which = np.unique(values, return_inverse=True)
    return which.astype(np.intp), found.size


def class_entropies(of: Counts, counts: Counts, sizes: Counts) -> Floats:
    """The entropy in nats of the values of every class."""
    exact = counts.astype(np.float64)
    within = _summed(of, exact * np.log(exact), sizes)
    return np.maximum(np.log(sizes) - within / sizes, 0.0)


def class_equal_distances(of: Counts, value: Counts, counts: Counts, sizes: Counts, share: Floats) -> Floats:
    """Half of the absolute differences is the sum of the positive ones: of values the class has."""
    more = np.maximum(counts / sizes[of] - share[value], 0.0)
    return _summed(of, more, sizes)


def class_ordered_distances(
    of: Counts, value: Counts, counts: Counts, sizes: Counts, share: Floats
) -> Floats:
    """``sum_i |Q_i - P_i| / (m-1)`` over the cumulated shares Q of a class and P of the file.

    Q is constant between the values that a class has while P rises: up to where P passes Q the
    differences have one sign, after it the other, and both parts are differences of prefix sums of P.
    """
    m = share.size
    if m == 1:
        return np.zeros(sizes.size)
    P = np.cumsum(share)
    S = np.concatenate(([0.0], np.cumsum(P)))
    first = np.concatenate(([True], of[1:] != of[:-1]))
    starts = np.flatnonzero(first)
    Q = np.cumsum(counts)
    Q = (
        Q - np.repeat(np.concatenate(([0], Q[starts[1:] - 1])), np.diff(np.append(starts, of.size)))
    ) / sizes[of]
    end = np.append(value[1:], m)
    end[np.append(starts[1:] - 1, of.size - 1)] = m
    cross = np.clip(np.searchsorted(P, Q), value, end)
    between = Q * (cross - value) - (S[cross] - S[value]) + (S[end] - S[cross]) - Q * (end - cross)
    before = np.where(first, S[value], 0.0)
    return _summed(of, np.maximum(between, 0.0) + before, sizes) / (m - 1)


def _summed(of: Counts, terms: Floats, sizes: Counts) -> Floats:
    return np.bincount(of, terms, minlength=sizes.size).astype(np.float64)
