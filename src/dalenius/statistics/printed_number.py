"""How exact a printed number is, when nobody says."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

MOST = 20
"""Powers of ten beyond which no program prints a number about people, in either direction."""

MOST_DIGITS = 1000
"""Decimals of a printed number."""


def everyday(text: str) -> float | None:
    """Read a printed number; None if it is none, or not one that a program prints about people.

    Examples
    --------
    >>> everyday(" -1.25 "), everyday("0.000"), everyday("1e308"), everyday("nan"), everyday("x")
    (-1.25, 0.0, None, None, None)
    """
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return None
    if not number.is_finite() or abs(int(number.as_tuple().exponent)) > MOST_DIGITS:
        return None
    return None if number and not -MOST < number.adjusted() < MOST else float(number)


def half_units(texts: Sequence[str], significant: int | None = None) -> tuple[float, ...]:
    """Say how far from its true value each number of a printed list may be.

    Two things are common, and a list does not say which it is: all numbers have the same decimals, or the
    same number of significant digits (``%.3g``). Either way programs may drop zeros at the end, or fill up
    with them. So a number is known to half a unit of its own last decimal; and to no more significant digits
    than the number of the list that has the most of them, zeros at its end not counted.

    Parameters
    ----------
    texts
        The numbers as they are printed.
    significant
        How many significant digits all of them have, if that is known.

    Examples
    --------
    >>> half_units(["0.512", "0.5", "1.2e-5"])
    (0.0005, 0.05, 5e-07)
    >>> half_units(["12300.0", "0.123"])
    (50.0, 0.0005)
    >>> half_units(["0.5", "12.3"], significant=3)
    (0.0005, 0.05)
    """
    numbers = [Decimal(text.strip()) for text in texts]
    if significant is not None:
        return tuple(_unit(number, significant) / 2 for number in numbers)
    most = max((_digits(number) for number in numbers if number), default=1)
    return tuple(max(_last(number), _unit(number, most)) / 2 for number in numbers)


def last_units(texts: Sequence[str]) -> tuple[float, ...]:
    """Half a unit of the last printed place of each number: of a program that is known to print it whole.

    Examples
    --------
    >>> last_units(["-1.2500", "3.21e-05"])
    (5e-05, 5e-08)
    """
    return tuple(_last(Decimal(text.strip())) / 2 for text in texts)


def _last(number: Decimal) -> float:
    """One unit of the last printed place."""
    return float(Decimal(1).scaleb(int(number.as_tuple().exponent)))


def _digits(number: Decimal) -> int:
    """Significant digits without the zeros at the end."""
    return len("".join(map(str, number.as_tuple().digits)).strip("0"))


def _unit(number: Decimal, digits: int) -> float:
    """One unit of a significant digit; of a zero, of the last printed place."""
    return float(Decimal(1).scaleb(number.adjusted() - digits + 1)) if number else _last(number)
