"""People with fair public bits, no two alike."""

from __future__ import annotations

import math

import numpy as np

from dalenius.errors import InputError
from dalenius.papers.simulated.people import people
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster

K = 2


def public_bits(n: int, d: int, rng: np.random.Generator) -> Roster:
    """Make people with fair public bits, no two alike.

    Examples
    --------
    >>> public_bits(4, 3, np.random.default_rng(1)).attributes.codes.shape
    (4, 3)
    """
    columns = tuple(Column(f"a{j}", Role.PUBLIC, Kind.BINARY, ("0", "1")) for j in range(d))
    for _ in range(100):
        codes = rng.integers(0, 2, (n, d), np.int32)
        if np.unique(codes, axis=0).shape[0] == n:
            return Roster("person", people(n).ids, CodedColumns(columns, codes))
    rule = f"must be large enough to tell {n} people apart"
    raise InputError("d", rule, str(d), f"Use at least {2 * math.ceil(math.log2(n)) + 2}.")
