"""Boolean functions of k public bits and the secret (Kasiviswanathan et al. 2013, section 3).

The order of a truth table: inputs ``x1 .. xk, secret``, the first changing slowest and the secret fastest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, nearest
from dalenius.grammar import Options

Whole = NDArray[np.int64]

MOST_INPUTS = 16
"""A truth table of more inputs has over 65,536 entries: nobody publishes such a function."""


@dataclass(frozen=True)
class BooleanFunction:
    """A function of public bits and one secret bit.

    Parameters
    ----------
    truth_table
        0 or 1 for every input, see the order above; ``2^(k+1)`` entries.
    name
        What it is called.

    Examples
    --------
    >>> f = BooleanFunction((0, 0, 0, 1), "and")
    >>> f.k, f.f0.tolist(), f.f2.tolist(), f.degree, f.nondegenerate
    (1, [0, 0], [0, 1], 2, True)
    """

    truth_table: tuple[int, ...]
    name: str = "function"

    def __post_init__(self) -> None:
        size = len(self.truth_table)
        if size < 2 or size & (size - 1) or size > 2**MOST_INPUTS:
            raise InputError(
                f"truth table of {self.name!r}",
                f"must have 2^(k+1) entries for k public bits and the secret, at most 2^{MOST_INPUTS}",
                f"{size} entries",
                "List every input, the secret changing fastest.",
            )
        if wrong := sorted(set(self.truth_table) - {0, 1}):
            raise InputError(f"truth table of {self.name!r}", "must hold 0 and 1", repr(wrong[0]))

    @property
    def k(self) -> int:
        """How many public bits it takes."""
        return len(self.truth_table).bit_length() - 2

    @property
    def f0(self) -> NDArray[np.int8]:
        """Its value when the secret is 0, one per combination of public bits."""
        return np.array(self.truth_table[0::2], np.int8)

    @property
    def f2(self) -> NDArray[np.int8]:
        """What the secret adds: -1, 0 or 1, one per combination of public bits."""
        return np.array(self.truth_table[1::2], np.int8) - self.f0

    @property
    def coefficients(self) -> Whole:
        """The multilinear polynomial; the index is a bit mask, its highest bit the first input."""
        return moebius(np.array(self.truth_table, np.int64))

    @property
    def degree(self) -> int:
        """Size of the largest product of inputs in the polynomial."""
        return _degree(self.coefficients)

    @property
    def secret_degree(self) -> int:
        """Degree of `f2`; -1 if the secret changes nothing."""
        return _degree(moebius(self.f2.astype(np.int64)), nothing=-1)

    @property
    def nondegenerate(self) -> bool:
        """Whether the polynomial contains the product of all inputs; then `f2` has degree k."""
        return bool(self.coefficients[-1] != 0)

    @property
    def levels(self) -> tuple[int, ...]:
        """Sizes of the parities of public bits that `f2` is made of: they limit the rank of its counts."""
        table = self.f2.astype(np.int64).reshape((2,) * self.k)
        for axis in range(self.k):
            zero, one = np.take(table, 0, axis), np.take(table, 1, axis)
            table = np.stack([zero + one, zero - one], axis)
        return tuple(sorted({int(i).bit_count() for i in np.flatnonzero(table.ravel())}))


def moebius(table: Whole) -> Whole:
    """Return the multilinear coefficients of a table: for each input, the upper half minus the lower.

    Examples
    --------
    >>> moebius(np.array([0, 1, 1, 0])).tolist()
    [0, 1, 1, -2]
    """
    inputs = table.size.bit_length() - 1
    cube = table.reshape((2,) * inputs).copy()
    for axis in range(inputs):
        lower, upper = (np.take(cube, side, axis) for side in (0, 1))
        cube = np.stack([lower, upper - lower], axis)
    return cube.ravel()


def _degree(coefficients: Whole, nothing: int = 0) -> int:
    return max((int(i).bit_count() for i in np.flatnonzero(coefficients)), default=nothing)


_NAMED: dict[str, Callable[[int, int], bool]] = {
    "and": lambda ones, p: ones == p,
    "or": lambda ones, p: ones > 0,
    "xor": lambda ones, p: ones % 2 == 1,
    "nand": lambda ones, p: ones < p,
    "nor": lambda ones, p: ones == 0,
    "xnor": lambda ones, p: ones % 2 == 0,
    "majority": lambda ones, p: 2 * ones > p,
    "not-all-equal": lambda ones, p: 0 < ones < p,
    "all-equal": lambda ones, p: ones in (0, p),
}


def named_function(name: str, k: int) -> BooleanFunction:
    """Make a function that counts its ones: the secret is one input like the k public bits.

    Examples
    --------
    >>> named_function("majority", 2).f2.tolist()
    [0, 1, 1, 0]
    """
    if name not in _NAMED:
        raise InputError(
            f"function {name!r}", "must be a known one, or be given by its table", name, nearest(name, _NAMED)
        )
    if not 0 <= k < MOST_INPUTS:
        raise InputError("boolean: k", f"must be at least 0 and below {MOST_INPUTS}", str(k))
    rule = _NAMED[name]
    table = tuple(int(rule(i.bit_count(), k + 1)) for i in range(2 ** (k + 1)))
    return BooleanFunction(table, name)


def function_of_table(text: str, k: int) -> BooleanFunction:
    """Read a truth table written as zeros and ones.

    Raises
    ------
    InputError
        If there are not exactly ``2^(k+1)`` of them.

    Examples
    --------
    >>> function_of_table("0001", 1).degree
    2
    """
    expected = 2 ** (k + 1)
    if len(text) != expected or set(text) - {"0", "1"}:
        raise InputError(
            "boolean: table",
            f"must be {expected} zeros and ones, 2^(k+1) for k = {k} public bits and the secret",
            f"{text!r} ({len(text)} entries)",
            "List every input, the first bit changing slowest and the secret fastest.",
        )
    return BooleanFunction(tuple(int(c) for c in text), f"table {text}")


def function_of(options: Options) -> BooleanFunction:
    """Read ``boolean:function=majority,k=2`` or ``boolean:table=0110,k=1``."""
    if ("function" in options.values) == ("table" in options.values):
        raise InputError(
            "boolean:",
            "must have either function or table",
            str(options),
            "Write function=and, or table=0001.",
        )
    k = options.whole("k", least=0)
    if "table" in options.values:
        return function_of_table(options.text("table"), k)
    return named_function(options.text("function"), k)
