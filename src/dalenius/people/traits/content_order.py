"""An order of people that does not depend on the order of a file."""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from dalenius.people.traits.traits import CodedTraits, Traits


def order_of_content(traits: Traits) -> NDArray[np.intp]:
    """Return positions that put people in an order that depends on their values alone, not on the file's.

    Whatever is drawn about people is drawn in this order, so that sorting a file changes nothing. Everybody
    is reduced to a sum with weights that depend on the names of the attributes. Equal records are
    interchangeable.

    Examples
    --------
    >>> from dalenius.people.traits.traits import coded_from_values
    >>> values, names = np.array([[1, -1], [-1, -1], [1, 1]]), np.array(["x", "y"])
    >>> traits = coded_from_values("id", np.array(["a", "b", "c"]), names, values, "binary")
    >>> turned = traits.take(np.array([2, 0, 1]))
    >>> traits.ids[order_of_content(traits)].tolist() == turned.ids[order_of_content(turned)].tolist()
    True
    """
    numbers = (zlib.crc32(str(name).encode()) for name in traits.names)
    weights = np.fromiter(numbers, np.float64, traits.d) / 2**32 + 0.5
    if isinstance(traits, CodedTraits):
        tables = np.stack([-weights, 0 * weights, weights, weights / 3], axis=1)[None]
        key = traits.lookup(tables)[:, 0]
    else:
        key = traits.dot(weights)
    return np.asarray(np.argsort(key, kind="stable"), np.intp)
