"""The value at a rank of a column, found by counting in buckets: no engine sorts all people in one place.

Each round counts people in buckets of equal width, all inside the engine, and looks into the bucket that
holds the rank. A bucket whose smallest and largest value are the same ends the search, so that the value is
exact.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ibis

from dalenius.people.engine.engine import fetch

BUCKETS = 1024
"""Buckets of a round: a column of whole numbers below a million takes two rounds."""

NEAREST = BUCKETS * sys.float_info.min
"""Numbers nearer to each other are one: their difference cannot be divided into buckets."""

_LARGEST = sys.float_info.max
"""Infinite values are counted as the largest there is, and told as infinite again."""


@dataclass(frozen=True)
class Span:
    """Values from the smallest to the largest of some people, and how many people are below them."""

    low: float
    high: float
    below: int

    @property
    def narrow(self) -> bool:
        """Whether nothing lies between the ends that an engine could be asked about."""
        return float(self.high) - float(self.low) < NEAREST


def values_at(column: Any, ranks: Sequence[int]) -> list[float]:
    """Return the values at these ranks of a column without missing values, counted from 0.

    Parameters
    ----------
    column
        A table with the one numeric column ``x``.
    ranks
        Each below the number of rows.

    Examples
    --------
    >>> import pyarrow as pa
    >>> values_at(ibis.memtable(pa.table({"x": [5, 1, 4, 1, 3]})), [0, 1, 2, 4])
    [1, 1, 3, 5]
    """
    infinite = [-math.inf, math.inf] if column.x.type().is_floating() else []
    finite = column.mutate(y=column.x.cast("float64"))
    if infinite:
        bounded = ibis.cases(
            *((finite.y == ibis.literal(end), math.copysign(_LARGEST, end)) for end in infinite),
            else_=finite.y,
        )
        finite = finite.mutate(y=bounded)
    asked = {"low": finite.y.min(), "high": finite.y.max(), "first": finite.x.min(), "last": finite.x.max()}
    ends = fetch(finite.aggregate(**asked)).to_pylist()[0]
    spans = {rank: Span(ends["low"], ends["high"], 0) for rank in ranks}
    while open_ := {span for span in spans.values() if not span.narrow}:
        found = {span: _buckets(finite, span) for span in sorted(open_, key=lambda span: span.below)}
        spans = {
            rank: span if span.narrow else next(part for part, end in found[span] if rank < end)
            for rank, span in spans.items()
        }
    told = {-_LARGEST: ends["first"], _LARGEST: ends["last"]}
    values = [told.get(spans[rank].low, spans[rank].low) for rank in ranks]
    return [int(value) for value in values] if column.x.type().is_integer() else values


def _buckets(column: Any, span: Span) -> list[tuple[Span, int]]:
    """The buckets of a span that hold people, in order, and how many people are up to the end of each."""
    half = 0.5 if math.isinf(span.high - span.low) else 1.0  # numbers at both ends of what a computer holds
    low, high = half * span.low, half * span.high
    inside = column.filter((column.y >= _exact(span.low)) & (column.y <= _exact(span.high)))
    place = ((inside.y * half - _exact(low)) / _exact((high - low) / BUCKETS)).floor().cast("int64")
    counted = inside.mutate(bucket=place)
    grouped = counted.group_by("bucket").aggregate(
        people=counted.count(), low=counted.y.min(), high=counted.y.max()
    )
    found, below = [], span.below
    for row in sorted(fetch(grouped).to_pylist(), key=lambda row: row["low"]):
        end = below + row["people"]
        found.append((Span(row["low"], row["high"], below), end))
        below = end
    return found


def _exact(value: float) -> Any:
    """Write a number so that the engine reads the same one: DuckDB reads a bare 0.1 as a decimal."""
    return ibis.literal(repr(float(value))).cast("float64")
