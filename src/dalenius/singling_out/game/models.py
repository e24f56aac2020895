"""Populations given by a law: uniform numbers, independent columns."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dalenius.conditions.predicate import And, Between, Equals, Not, Predicate, columns_of, evaluate, hashes
from dalenius.errors import InputError
from dalenius.people.rows.rows import NumberColumn, Rows, TextColumn
from dalenius.people.sealed import SealedRows
from dalenius.singling_out.attack.isolating import WeightBound
from dalenius.singling_out.game.rounds import Independent


def conjuncts(predicate: Predicate) -> tuple[Predicate, ...]:
    """Return the parts that all must hold, with conjunctions inside conjunctions taken apart."""
    if isinstance(predicate, And):
        return tuple(part for each in predicate.parts for part in conjuncts(each))
    return (predicate,)


@dataclass(frozen=True)
class UniformNumbers(Independent):
    """Uniform whole numbers below ``size``, in the column ``number``, and their lowest bits beside it.

    Examples
    --------
    >>> strings = UniformNumbers(2**20, bits=20)
    >>> strings.weigh(And((Equals("bit 3", "true"), Equals("bit 4", "false")))).value
    0.25
    """

    size: int
    bits: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.size <= 2**53 or 2**self.bits > self.size:
            raise InputError("numbers", "must be at most 2^53 and have all their bits", f"{self.size:,}")

    @property
    def text(self) -> str:
        """What it is."""
        return f"uniform numbers below {self.size:,}"

    @property
    def names(self) -> tuple[str, ...]:
        """The number alone: the bits are in it."""
        return ("number",)

    def draw(self, n: int, rng: np.random.Generator) -> SealedRows:
        """Draw with replacement."""
        numbers = rng.integers(self.size, size=n)
        bits = (numbers[:, None] >> np.arange(self.bits)) & 1
        ones = np.asfortranarray(bits.astype(np.float64))
        number = NumberColumn("number", numbers.astype(np.float64), "integer")
        columns = (NumberColumn(f"bit {i}", ones[:, i], "bool") for i in range(self.bits))
        return SealedRows(Rows((number, *columns)))

    def weigh(self, predicate: Predicate) -> WeightBound:
        """Count the numbers that the range allows, and the bits that are fixed: the smaller share holds."""
        fixed: set[str] = set()
        share = 1.0
        for part in conjuncts(predicate):
            inner = part.part if isinstance(part, Not) else part
            if isinstance(inner, Equals) and inner.column.startswith("bit "):
                fixed.add(inner.column)
            elif isinstance(part, Equals):
                share = min(share, 1 / self.size)
            elif isinstance(part, Between):
                low, high = part.low or 0.0, self.size if part.high is None else part.high
                share = min(share, max(0.0, high - low) / self.size)
        blocks = -(-self.size // 2**self.bits)  # the last one may be cut off
        by_bits = min(1.0, blocks * 2.0 ** (self.bits - len(fixed)) / self.size)
        return WeightBound(min(share, by_bits), "frechet", "the numbers are uniform", 0.0)


@dataclass(frozen=True, eq=False)
class Product(Independent):
    """Independent columns of known shares.

    Parameters
    ----------
    columns
        For every name its labels and their shares.
    """

    columns: dict[str, tuple[tuple[str, ...], tuple[float, ...]]]

    def __post_init__(self) -> None:
        for name, (levels, shares) in self.columns.items():
            if len(levels) != len(shares) or min(shares) < 0 or abs(sum(shares) - 1) > 1e-9:
                rule = "must have a share for each label, adding up to 1"
                raise InputError(f"column {name!r}", rule, str(shares))

    @property
    def text(self) -> str:
        """What it is."""
        return f"{len(self.columns)} independent columns"

    @property
    def names(self) -> tuple[str, ...]:
        """All columns."""
        return tuple(self.columns)

    def draw(self, n: int, rng: np.random.Generator) -> SealedRows:
        """Draw every column by itself."""
        drawn = (
            TextColumn(name, rng.choice(len(levels), n, p=shares).astype(np.int32), levels)
            for name, (levels, shares) in self.columns.items()
        )
        return SealedRows(Rows(tuple(drawn)))

    def weigh(self, predicate: Predicate) -> WeightBound:
        """Multiply over the columns; what hashes or speaks of several is left out: never too small."""
        by_column: dict[str, list[Predicate]] = {}
        left_out = False
        for part in conjuncts(predicate):
            names = columns_of(part)
            if len(names) == 1 and not hashes(part):
                by_column.setdefault(next(iter(names)), []).append(part)
            else:
                left_out = True
        weight = math.prod(self._share(name, parts) for name, parts in by_column.items())
        return WeightBound(weight, "frechet" if left_out else "exact", "the columns are independent", 0.0)

    def _share(self, name: str, parts: list[Predicate]) -> float:
        levels, shares = self.columns[name]
        every = Rows((TextColumn(name, np.arange(len(levels), dtype=np.int32), levels),))
        return float(np.array(shares)[evaluate(And(tuple(parts)), every)].sum())
