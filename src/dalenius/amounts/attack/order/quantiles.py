"""Which places in the order of a group a printed quantile speaks of.

Programs define quantiles in nine ways (Hyndman and Fan 1996), all of them between two neighbours in the order
of amounts, but not the same two. Where the definition is not known only what holds under all nine is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class QuantilePlace:
    """The amount at place ``first`` (from 0) is at most the quantile, that at ``last`` at least.

    Where ``share`` is known the quantile is so far on the way from the first to the last, which follows it.
    """

    first: int
    last: int
    share: float | None = None


def place(size: int, hundredths: int) -> QuantilePlace:
    """Where the quantile is that is computed here: in proportion between two neighbours.

    Examples
    --------
    >>> place(5, 25), place(4, 50)
    (QuantilePlace(first=1, last=1, share=None), QuantilePlace(first=1, last=2, share=0.5))
    """
    at, rest = divmod((size - 1) * hundredths, 100)
    return QuantilePlace(at, at + 1, rest / 100) if rest else QuantilePlace(at, at)


def median_place(size: int) -> QuantilePlace:
    """Where a median is: the middle, or something between the two that are next to it.

    Of two people it is taken for their mean.
    """
    upper = size // 2
    return (
        QuantilePlace(upper, upper)
        if size % 2
        else QuantilePlace(upper - 1, upper, 0.5 if size == 2 else None)
    )


def any_place(size: int, hundredths: int) -> QuantilePlace:
    """Where a quantile is whichever of the nine definitions was used.

    Examples
    --------
    >>> any_place(5, 25), any_place(100, 25)
    (QuantilePlace(first=0, last=1, share=None), QuantilePlace(first=24, last=25, share=None))
    """
    used = [at for pair in _nine(size, Fraction(hundredths, 100)) for at in pair]
    inside = [min(max(at, 1), size) - 1 for at in used]
    return QuantilePlace(min(inside), max(inside))


def _nine(n: int, p: Fraction) -> Iterator[tuple[int, int]]:
    """The first and last amount, from 1, that each definition uses."""
    whole, rest = divmod(n * p, 1)
    yield (whole, whole) if not rest else (whole + 1, whole + 1)  # 1: inverse of the distribution function
    yield (whole, whole + 1) if not rest else (whole + 1, whole + 1)  # 2: averaged where it jumps
    whole, rest = divmod(n * p - HALF, 1)
    at = whole if not rest and whole % 2 == 0 else whole + 1
    yield at, at  # 3: the nearest, and the even one of two
    for more in (Fraction(0), HALF, p, 1 - p, (p + 1) / 3, p / 4 + Fraction(3, 8)):  # 4 to 9: in proportion
        whole, rest = divmod(n * p + more, 1)
        yield whole, whole + 1 if rest else whole
