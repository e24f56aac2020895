"""Values that people lack: who lacks which, and lacking them alike.

Somebody who lacks values looks different from somebody who has all, whatever the values are. People are
compared on the same values only: those that one lacks are taken from the others too.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dalenius.people.traits.traits import CodedTraits, RealTraits, Traits, column_parts
from dalenius.people.traits.two_bits import MISSING, pack


def lacks_any(traits: Traits) -> bool:
    """Whether anybody lacks a value."""
    if isinstance(traits, CodedTraits):
        return bool(traits.counts()[:, MISSING].any())
    return bool(np.isnan(traits.table).any())


def lacking(traits: Traits, columns: slice | NDArray[np.intp] = slice(None)) -> NDArray[np.bool_]:
    """Say who lacks which value: ``(n, width)``."""
    if isinstance(traits, CodedTraits):
        return np.asarray((traits.codes(columns) == MISSING).T)
    return np.isnan(traits.table[:, columns])


def hidden_alike(people: Traits, others: Traits, chosen: NDArray[np.intp]) -> Traits:
    """Take from everybody also the values that one of the others lacks.

    Parameters
    ----------
    people, others
        With the same attributes, in the same order.
    chosen
        For each of the people a position among the others.

    Examples
    --------
    >>> from dalenius.people.traits.traits import coded_from_values
    >>> names = np.array(["x", "y"])
    >>> people = coded_from_values("id", np.array(["a"]), names, np.array([[1, -1]]), "binary")
    >>> others = coded_from_values("id", np.array(["b"]), names, np.array([[1, np.nan]]), "binary")
    >>> hidden_alike(people, others, np.array([0])).values(slice(None))
    array([[ 1., nan]], dtype=float32)
    """
    if isinstance(people, RealTraits):
        return replace(people, table=np.where(lacking(others)[chosen], np.nan, people.table))
    packed = np.empty((people.d, -(-people.n // 4)), np.uint8)
    for part in column_parts(people.n, people.d, None):
        hidden = lacking(others, part)[chosen].T
        packed[part] = pack(np.where(hidden, MISSING, people.codes(part)).astype(np.uint8))
    return replace(people, packed=packed, people=None, columns=None, flip=None)
