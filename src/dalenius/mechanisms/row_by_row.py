"""Releases that treat rows one by one, or hide one row behind others: Cohen and Nissim, section 4.

All of them are secure alone or trivially not; together they show that security against singling out does not
compose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.predicate import Predicate, evaluate
from dalenius.errors import InputError
from dalenius.people.rows.columns import NumberColumn
from dalenius.people.rows.rows import Rows

Bits = NDArray[np.bool_]


@dataclass(frozen=True)
class Projection:
    """Publish some columns of every row as they are; all of them if none are named."""

    columns: tuple[str, ...] = ()
    draws: ClassVar[bool] = False

    def __call__(self, rows: Rows, rng: np.random.Generator) -> Rows:
        """Publish."""
        return rows.select(self.columns) if self.columns else rows


@dataclass(frozen=True)
class OneBitEach:
    """Publish for every row whether it meets a condition (Theorem 4.4); shuffled first, if wished."""

    condition: Predicate
    shuffled: bool = False

    @property
    def draws(self) -> bool:
        """Only an order is drawn."""
        return self.shuffled

    def __call__(self, rows: Rows, rng: np.random.Generator) -> Bits:
        """Publish."""
        met = evaluate(self.condition, rows)
        return rng.permutation(met) if self.shuffled else met


def bits_of(rows: Rows) -> Bits:
    """Return the columns ``bit 0``, ``bit 1``, ... of every row."""
    names = [name for name in rows.names if name.startswith("bit ")]
    columns = [column for column in rows.select(names).columns if isinstance(column, NumberColumn)]
    return np.stack([column.values == 1 for column in columns], axis=1)


def extract(bits: Bits) -> Bits | None:
    """Von Neumann's extractor on the last bit of the first half of the rows; None if too few bits come out.

    The paper's box is missing from its text. A pair of rows with different bits gives the first one's; equal
    bits give nothing. A quarter as many pairs as rows give an eighth as many bits on average.

    Examples
    --------
    >>> rows = np.array([[1, 0], [1, 1], [0, 1], [1, 0], [0, 0], [0, 0], [0, 0], [0, 0]], bool)
    >>> extract(rows)
    array([False,  True])
    """
    n, m = bits.shape
    if n % 4:
        raise InputError("rows", "must be divisible by 4", str(n), "Pairs are taken from half of them.")
    first, second = bits[: n // 2 : 2, -1], bits[1 : n // 2 : 2, -1]
    fair = first[first != second]
    return fair[:m] if fair.size >= m else None


def mask_last(bits: Bits) -> Bits | None:
    """Publish the last row behind the extracted bits as a pad, or None where too few came out."""
    pad = extract(bits)
    return None if pad is None else pad ^ bits[-1]


@dataclass(frozen=True)
class PadAndMasked:
    """Publish the extracted bits, the last row behind them, or both (`M_ext`, `M_enc`, section 4.3.2)."""

    pad: bool = True
    masked: bool = True
    draws: ClassVar[bool] = False

    def __call__(self, rows: Rows, rng: np.random.Generator) -> tuple[Bits | None, Bits | None]:
        """Publish."""
        bits = bits_of(rows)
        return extract(bits) if self.pad else None, mask_last(bits) if self.masked else None
