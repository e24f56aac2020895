"""The one door to numba: every compiled kernel of the package is made here, with the same options.

``cache=True`` keeps the machine code between runs; nothing here allows reordering of sums, so a
kernel and its plain twin agree to the last bits that the order of additions leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of numbers and arrays on its first call, and keep the result on disk."""
    import numba

    compiled: Callable[P, R] = numba.njit(cache=True)(function)
    return compiled
