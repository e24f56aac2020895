"""How far one person can move what is published."""

from __future__ import annotations

import math
from typing import Literal

from dalenius.errors import InputError
from dalenius.theory import _check

Change = Literal["record", "secret"]
Cells = Literal["all", "secret"]
Norm = Literal[1, 2]


def query_sensitivity(
    queries: int, *, signed: bool = False, change: Change = "record", norm: Norm = 2
) -> float:
    """Return how far one person can move the answers of counting queries, in counts.

    0/1 coefficients: 1 an answer. Coefficients -1/+1 (`signed`): 2 an answer if the record is
    replaced, 1 if only its 0/1 secret flips.

    Parameters
    ----------
    queries
        Number of answers.
    signed
        Whether coefficients are -1/+1.
    change
        Whether a whole ``record`` is replaced or only its ``secret`` flips.
    norm
        2 for Gaussian noise, 1 for Laplace or geometric noise.

    Examples
    --------
    >>> query_sensitivity(4), query_sensitivity(4, signed=True), query_sensitivity(4, norm=1)
    (2.0, 4.0, 4.0)
    """
    _check.choice("change", change, ("record", "secret"))
    step = 2.0 if signed and change == "record" else 1.0
    return step * _norm_of_ones(_check.count("queries", queries), norm)


def table_sensitivity(
    d: int, k: int, *, cells: Cells = "all", change: Change = "record", norm: Norm = 2
) -> float:
    """Return how far one person can move all tables of k public attributes with the secret.

    One person sits in one cell of each of the `C(d, k)` tables, so at most two cells per table change,
    by 1 each: squared 2-norm `2 C(d, k)`, not the number of cells. If only the cells with secret 1
    are published and only the secret flips, one cell per table changes.

    Parameters
    ----------
    d, k
        Public attributes, and how many enter each table (the secret not counted).
    cells
        ``all`` cells are published, or only those where the ``secret`` is 1.
    change, norm
        As in `query_sensitivity`.

    Examples
    --------
    >>> table_sensitivity(9, 2, norm=1), table_sensitivity(9, 2, cells="secret", change="secret")
    (72.0, 6.0)
    """
    d, k = _check.count("d", d), _check.count("k", k, at_least=0)
    if k > d:
        raise InputError("k", f"must be at most d = {d}", repr(k), "Name fewer attributes.")
    _check.choice("cells", cells, ("all", "secret"))
    _check.choice("change", change, ("record", "secret"))
    changed = 1 if cells == "secret" and change == "secret" else 2
    return _norm_of_ones(changed * math.comb(d, k), norm)


def _norm_of_ones(length: int, norm: Norm) -> float:
    return float(length) if _norm(norm) == 1 else math.sqrt(length)


def _norm(norm: Norm) -> int:
    if norm not in (1, 2):
        raise InputError("norm", "must be 1 or 2", repr(norm), "2 for Gaussian noise, 1 for Laplace.")
    return norm
