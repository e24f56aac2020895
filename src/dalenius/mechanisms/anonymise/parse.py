"""From the text of an anonymiser to rows that can be published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from dalenius.errors import InputError
from dalenius.grammar import parse_options
from dalenius.mechanisms.anonymise.datafly import Datafly
from dalenius.mechanisms.anonymise.hierarchy import Hierarchy
from dalenius.mechanisms.anonymise.released import AnonymisedRows
from dalenius.mechanisms.parse import reader
from dalenius.people.rows.as_bytes import digest
from dalenius.people.rows.rows import Rows
from dalenius.random import sealed


class Anonymiser(Protocol):
    """Recodes quasi-identifiers; as text it can be read back."""

    def recode(self, rows: Rows, quasi: Sequence[str]) -> AnonymisedRows:
        """Recode the quasi-identifiers, row by row in the same order."""
        ...


def parse_anonymiser(text: str, hierarchies: Mapping[str, Hierarchy] | None = None) -> Anonymiser:
    """Read an anonymiser.

    Parameters
    ----------
    text
        For example ``mondrian:k=5,l=2,t=0.2,sensitive=disease`` or ``datafly:k=5,suppress=0.02``.
    hierarchies
        For ``datafly``, by column.

    Raises
    ------
    InputError
        If the name or an option is not known, or a number is outside its limits.

    Examples
    --------
    >>> str(parse_anonymiser("mondrian:k=5,l=2,sensitive=disease"))
    'mondrian:k=5,l=2,sensitive=disease'
    """
    options = parse_options(text)
    parse = reader(options, "rows")
    if hierarchies is not None and options.name == "datafly":
        return Datafly.parse(options, hierarchies)
    if hierarchies:
        raise InputError("hierarchies", "must come with datafly", text)
    found: Anonymiser = parse(options)
    return found


def anonymise(
    rows: Rows,
    quasi: Sequence[str],
    how: str | Anonymiser,
    rng: np.random.Generator,
    hierarchies: Mapping[str, Hierarchy] | None = None,
) -> AnonymisedRows:
    """Recode the quasi-identifiers and publish the rows in random order: their place would name people.

    Parameters
    ----------
    rows
        Original rows, identifiers left out: every column is published.
    quasi
        The columns to recode.
    how
        The anonymiser or its text.
    rng
        For the order, together with the rows, so that nobody without these can undo it.
    hierarchies
        For ``datafly``, by column.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = Rows.of_table(pa.table({"age": [31, 34, 58, 52], "ill": ["flu", "cold", "flu", "ache"]}))
    >>> released = anonymise(people, ["age"], "mondrian:k=2", np.random.default_rng(1))
    >>> sorted(released.rows.row_text(i) for i in range(4))
    ['age [31, 34], ill cold', 'age [31, 34], ill flu', 'age [52, 58], ill ache', 'age [52, 58], ill flu']
    """
    anonymiser = parse_anonymiser(how, hierarchies) if isinstance(how, str) else how
    return anonymiser.recode(rows, quasi).take(sealed(rng, digest(rows)).permutation(len(rows)))
