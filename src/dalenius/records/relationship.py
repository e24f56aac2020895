"""How alike people are: inner products of their centred attributes, block by block of columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, TooLargeError
from dalenius.records.answers import Vector
from dalenius.records.traits import Traits, Which, positions

LARGEST = 20_000
"""People up to whom a square of single-precision numbers is made: 1.6 GB."""

WIDTH = 2048
"""Columns at a time: wide enough for matrix products to run at full speed."""


def gram(
    traits: Traits, centre: Vector, scale: Vector, *, columns: Which | None = None
) -> NDArray[np.float32]:
    """Multiply everybody's centred and scaled attributes with everybody's, and divide by how many there are.

    With the mean of a genotype as its centre and its standard deviation as its scale this is the genetic
    relationship matrix. A missing value counts as the centre; a column of scale 0 is left out.

    Parameters
    ----------
    traits
        The people.
    centre, scale
        One a column of ``traits``, or of those chosen.
    columns
        Which columns to use; not given, all.

    Returns
    -------
    NDArray
        ``(n, n)``, symmetric.

    Examples
    --------
    >>> from dalenius.records.traits import coded_from_values
    >>> values = np.array([[1, -1], [-1, 1]])
    >>> traits = coded_from_values("id", np.array(["a", "b"]), np.array(["x", "y"]), values, "binary")
    >>> gram(traits, np.zeros(2), np.ones(2)).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    if traits.n > LARGEST:
        raise TooLargeError(
            "people", f"must be at most {LARGEST:,}", f"{traits.n:,}", "Use a random part of them."
        )
    chosen = np.arange(traits.d) if columns is None else positions(columns, traits.d, "columns")
    for name, values in (("centre", centre), ("scale", scale)):
        if values.shape != chosen.shape or not np.isfinite(values).all():
            raise InputError(name, f"must be {chosen.size:,} finite numbers", f"shape {values.shape}")
    used = np.flatnonzero(scale > 0)
    total = np.zeros((traits.n, traits.n), np.float32)
    for start in range(0, used.size, WIDTH):
        part = used[start : start + WIDTH]
        block = np.array(traits.values(chosen[part]), np.float32)
        block -= centre[part].astype(np.float32)
        block /= scale[part].astype(np.float32)
        block[np.isnan(block)] = 0
        total += block @ block.T
    total /= np.float32(max(1, used.size))
    return total
