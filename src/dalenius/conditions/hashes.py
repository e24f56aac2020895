"""Pseudo-random bits of public records, the same in Python and in any database that has ``md5``.

The bits of a record come from the MD5 of a salt and the record's levels, joined by ``|``. MD5 because DuckDB,
PostgreSQL, MySQL and others compute it; nothing here rests on its being hard to invert.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from dalenius.people.schema import CodedColumns

BITS = 128
"""How many bits one salt gives."""

SEPARATOR = "|"
"""Between the salt and the levels. Where a level contains it, two records may be hashed alike by all."""


class Digests:
    """The hashes of some people's records, each computed once.

    Parameters
    ----------
    people
        Their public columns.

    Examples
    --------
    >>> from dalenius.people.schema import Column, Kind, Role
    >>> town = Column("town", Role.PUBLIC, Kind.CATEGORICAL, ("Bern", "Genf", "Zug"))
    >>> people = CodedColumns((town,), np.array([[0], [1], [2], [0]], np.int32))
    >>> Digests(people).bit(("town",), "salt", 0)
    array([ True, False, False,  True])
    """

    def __init__(self, people: CodedColumns) -> None:
        self._people = people
        self._records: dict[tuple[str, ...], tuple[list[bytes], NDArray[np.intp]]] = {}
        self._digests: dict[tuple[tuple[str, ...], str], NDArray[np.uint8]] = {}

    def bit(self, columns: tuple[str, ...], salt: str, bit: int) -> NDArray[np.bool_]:
        """Say for every person whether this bit of their record's hash is one; bit 0 is the first."""
        if columns not in self._records:
            self._records[columns] = _distinct(self._people.select(columns))
        texts, record = self._records[columns]
        if (columns, salt) not in self._digests:
            self._digests[columns, salt] = _md5(salt, texts)
        byte = self._digests[columns, salt][:, bit // 8]
        return ((byte >> (7 - bit % 8)) & 1).astype(np.bool_)[record]


def _distinct(people: CodedColumns) -> tuple[list[bytes], NDArray[np.intp]]:
    """The text of every different record, and which of them each person has."""
    codes, record = np.unique(people.codes, axis=0, return_inverse=True)
    levels = [column.levels for column in people.columns]
    texts = [
        SEPARATOR.join(names[code] for names, code in zip(levels, row, strict=True)) for row in codes.tolist()
    ]
    return [text.encode() for text in texts], record.ravel()


def _md5(salt: str, texts: list[bytes]) -> NDArray[np.uint8]:
    head = (salt + SEPARATOR).encode()
    joined = b"".join(hashlib.md5(head + text, usedforsecurity=False).digest() for text in texts)
    return np.frombuffer(joined, np.uint8).reshape(len(texts), BITS // 8)
