"""Checks of arguments, shared by the theorems: each returns the value or raises `InputError`."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalenius.errors import InputError

_UNIT_FIX = "Give a number, as a float or an int."


def number(name: str, value: float) -> float:
    """Return a finite float."""
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise InputError(name, "must be a number", repr(value), _UNIT_FIX) from None
    except OverflowError:  # a whole number that is no float
        result = math.inf
    if not math.isfinite(result):
        raise InputError(name, "must be finite", repr(result), _UNIT_FIX)
    return result


def positive(name: str, value: float) -> float:
    """Return a finite float above 0."""
    result = number(name, value)
    if result <= 0:
        raise InputError(name, "must be above 0", repr(result), f"Use a positive {name}.")
    return result


def nonnegative(name: str, value: float) -> float:
    """Return a finite float of at least 0."""
    result = number(name, value)
    if result < 0:
        raise InputError(name, "must be at least 0", repr(result), f"Use 0 or a positive {name}.")
    return result


def open_unit(name: str, value: float) -> float:
    """Return a float strictly between 0 and 1."""
    result = number(name, value)
    if not 0 < result < 1:
        rule = "must lie strictly between 0 and 1"
        raise InputError(name, rule, repr(result), f"Use a {name} inside (0, 1).")
    return result


def delta_or_zero(delta: float) -> float:
    """Return a delta of differential privacy: 0, or strictly between 0 and 1."""
    value = nonnegative("delta", delta)
    return value if value == 0 else open_unit("delta", value)


def closed_unit(name: str, value: float) -> float:
    """Return a float between 0 and 1, ends included."""
    result = number(name, value)
    if not 0 <= result <= 1:
        rule = "must lie between 0 and 1"
        raise InputError(name, rule, repr(result), f"Use a {name} inside [0, 1].")
    return result


def count(name: str, value: int, at_least: int = 1) -> int:
    """Return an int of at least `at_least`; a float with a fraction or a bool is refused."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise InputError(name, "must be a whole number", repr(value), "Give an int.")
    if value < at_least:
        rule = f"must be at least {at_least}"
        raise InputError(name, rule, repr(int(value)), f"Use {at_least} or more.")
    return int(value)


def choice(name: str, value: str, allowed: Iterable[str]) -> str:
    """Return one of the allowed words."""
    words = tuple(allowed)
    if value not in words:
        rule = "must be one of " + ", ".join(words)
        raise InputError(name, rule, repr(value), "Choose one of these words.")
    return value


def vector(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return a non-empty one-dimensional array of finite floats (a scalar becomes length 1)."""
    result = np.atleast_1d(_floats(name, value))
    if result.ndim != 1 or result.size == 0:
        shape = str(result.shape)
        raise InputError(name, "must be a non-empty list of numbers", f"shape {shape}", "Flatten it.")
    return result


def positive_vector(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return a vector whose entries are all above 0."""
    result = vector(name, value)
    if np.any(result <= 0):
        worst = repr(float(result.min()))
        raise InputError(name, "must hold only numbers above 0", worst, "Drop the other entries.")
    return result


def matrix(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return a non-empty two-dimensional array of finite floats."""
    result = _floats(name, value)
    if result.ndim != 2 or result.size == 0:
        shape = str(result.shape)
        fix = "Give one row per statistic, one column per person."
        raise InputError(name, "must be a non-empty matrix", f"shape {shape}", fix)
    return result


def _floats(name: str, value: ArrayLike) -> NDArray[np.float64]:
    try:
        result = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(name, "must hold numbers", repr(value), _UNIT_FIX) from None
    if not np.all(np.isfinite(result)):
        raise InputError(name, "must hold finite numbers", "NaN or infinity", "Drop those entries.")
    return result
