"""People whom an audit is about, sealed: how many and which columns is open, what is in them is not.

An attack may hold rows and attributes of people: those released, those of others, those of whoever is asked
about. The people behind a release are handed on in these forms, which only `dalenius.people.truth` opens, for
the publisher and the referee.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, nearest_column

if TYPE_CHECKING:
    from dalenius.people.rows.rows import Rows
    from dalenius.people.traits.traits import Traits, Which


class SealedRows:
    """Original rows: their number, the names of their columns and what kind each is.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from dalenius.people.rows.rows import Rows
    >>> rows = SealedRows(Rows.of_table(pa.table({"age": [32, 47], "town": ["Zug", "Bern"]})))
    >>> rows, len(rows), rows.kind("age")
    (SealedRows(2 rows; age, town), 2, 'integer')
    """

    def __init__(self, rows: Rows) -> None:
        self._under_seal = rows

    def __len__(self) -> int:
        return len(self._under_seal)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self._under_seal.names

    def kind(self, name: str) -> str:
        """What a column holds: ``text``, or the kind of its numbers."""
        kinds: dict[str, str] = {**self._under_seal.select([name]).kinds}
        return kinds.get(name, "text")

    def select(self, names: Sequence[str]) -> SealedRows:
        """Keep these columns, in this order."""
        for name in names:
            if name not in self.names:
                fix = nearest_column(name, self.names)
                raise InputError(f"column {name!r}", "must be one of the columns", "no such column", fix)
        return SealedRows(self._under_seal.select(names))

    def take(self, people: NDArray[np.intp]) -> SealedRows:
        """Keep these people, in this order."""
        return SealedRows(self._under_seal.take(people))

    def __repr__(self) -> str:
        return f"SealedRows({len(self):,} rows; {', '.join(self.names)})"


class SealedTraits:
    """Attributes of members: how many people, which attributes, of which kind.

    Examples
    --------
    >>> from dalenius.people.traits.traits import coded_from_values
    >>> ids, names = np.array(["a", "b"]), np.array(["smokes"])
    >>> SealedTraits(coded_from_values("id", ids, names, np.array([[1], [-1]]), "binary"))
    SealedTraits(2 people; 1 binary attributes)
    """

    def __init__(self, traits: Traits) -> None:
        self._under_seal = traits

    @property
    def n(self) -> int:
        """How many people."""
        return self._under_seal.n

    @property
    def d(self) -> int:
        """How many attributes."""
        return self._under_seal.d

    @property
    def kind(self) -> str:
        """What the attributes are: ``binary``, ``genotype`` or ``real``."""
        return self._under_seal.kind

    @property
    def names(self) -> NDArray[np.str_]:
        """The names of the attributes."""
        return self._under_seal.names

    @property
    def id_name(self) -> str:
        """What the column of names is called."""
        return self._under_seal.id_name

    def select(self, columns: NDArray[np.intp]) -> SealedTraits:
        """Keep these attributes, still under seal."""
        return SealedTraits(self._under_seal.select(columns))

    def take(self, people: Which) -> SealedTraits:
        """Keep these people, in this order."""
        return SealedTraits(self._under_seal.take(people))

    def __repr__(self) -> str:
        return f"SealedTraits({self.n:,} people; {self.d:,} {self.kind} attributes)"


def sealed_rows(rows: Rows | SealedRows) -> SealedRows:
    """Seal rows, unless they are."""
    return rows if isinstance(rows, SealedRows) else SealedRows(rows)


def sealed_traits(traits: Traits | SealedTraits) -> SealedTraits:
    """Seal attributes, unless they are."""
    return traits if isinstance(traits, SealedTraits) else SealedTraits(traits)
