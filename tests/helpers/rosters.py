"""Lists of people with public columns of codes or of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster


def coded(codes: Any, sizes: Sequence[int] | None = None) -> Roster:
    """People p0000, p0001, ... with these codes as columns a0, a1, ..., of so many levels each."""
    codes = np.asarray(codes, np.int32)
    sizes = sizes or [max(2, int(column.max(initial=0)) + 1) for column in codes.T]
    columns = tuple(
        Column(f"a{j}", Role.PUBLIC, Kind.CATEGORICAL, tuple(str(v) for v in range(size)))
        for j, size in enumerate(sizes)
    )
    return Roster("id", np.array([f"p{i:04}" for i in range(len(codes))]), CodedColumns(columns, codes))


def numbered(X: Any, **more: Any) -> Roster:
    """People 0, 1, ... with these numbers as columns x0, x1, ..., and others by name."""
    X = np.asarray(X, np.float64)
    numbers = {f"x{j}": X[:, j] for j in range(X.shape[1])} | more
    columns = tuple(
        Column(name, Role.PUBLIC, Kind.NUMERIC, ("below 0", "0 or more"), (0.0,)) for name in numbers
    )
    codes = np.stack([values >= 0 for values in numbers.values()], axis=1).astype(np.int32)
    return Roster("id", np.arange(len(X)).astype(np.str_), CodedColumns(columns, codes), numbers)
