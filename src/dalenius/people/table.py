"""People as a whole: where they are and what their columns are, to be taken as codes, rows or attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from dalenius.errors import InputError
from dalenius.people.dataset import Dataset, read
from dalenius.people.files.sheet import Sheet
from dalenius.people.opening import open_sheet, place_name
from dalenius.people.rows.rows import Rows
from dalenius.people.traits.averaged import find_averaged, traits_of
from dalenius.people.traits.traits import Traits


@dataclass(frozen=True, repr=False)
class Table:
    """People, wherever they are.

    Parameters
    ----------
    source, table
        A path (CSV, Parquet, Arrow, DuckDB, SQLite), the address of a database, an Arrow table or a frame of
        pandas or Polars; and the table of a database.
    id, secret, public, ignored
        What the columns are, see `dalenius.read`.
    bins, levels, missing, memory
        How columns are coded, see `dalenius.read`. Rows and attributes are taken as they are.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = Table(pa.table({"id": ["a", "b", "c"], "age": [32, 47, 51], "ill": ["no", "yes", "no"]}),
    ...                id="id", secret="ill")
    >>> people.rows(), people.traits(["ill"])
    (Rows(3 rows; age, ill), CodedTraits(3 people; 1 binary attributes))
    >>> with people.coded() as dataset:
    ...     print(dataset)
    Dataset(3 people; public: age; secret: ill)
    """

    source: Any
    secret: str | None = None
    id: str | None = None
    public: Sequence[str] | None = None
    ignored: Sequence[str] = ()
    bins: Mapping[str, Sequence[float]] = field(default_factory=dict)
    levels: Mapping[str, Sequence[str | float]] = field(default_factory=dict)
    missing: Literal["refuse", "value"] = "refuse"
    table: str | None = None
    memory: str = "2GB"

    def __repr__(self) -> str:
        return f"Table({place_name(self.source)})"

    @cached_property
    def sheet(self) -> Sheet:
        """The people in memory, as they are; those of a database in the order of their ids."""
        return open_sheet(self.source, table=self.table, id=self.id)

    def coded(self) -> Dataset:
        """Code the people in an engine: what is counted and published as tables."""
        if self.secret is None:
            raise InputError("secret", "must name the column an attacker must not learn", "nothing")
        return read(
            self.source,
            secret=self.secret,
            id=self.id,
            public=self.public,
            ignored=self.ignored,
            bins=self.bins,
            levels=self.levels,
            missing=self.missing,
            table=self.table,
            memory=self.memory,
        )

    def rows(self) -> Rows:
        """Take the rows as they are, without the ids and what is ignored: what singling out is about."""
        rows = self.sheet.rows([self.id] if self.id is not None else [])
        return rows.select([name for name in rows.names if name not in {self.id, *self.ignored}])

    def traits(self, columns: Sequence[str] | None = None, *, beside: Sequence[Table] = ()) -> Traits:
        """Take columns as attributes that can be averaged: what tracing is about.

        Parameters
        ----------
        columns
            Which; by default the public ones, or all but the id and those ignored.
        beside
            Other people, whose values count too for what the attributes are: take theirs with these people
            beside them, and both have the same.
        """
        chosen = columns or self.public or self.sheet.names
        kept = [name for name in chosen if name not in {self.id, *self.ignored}]
        averaged = find_averaged([self.sheet, *(other.sheet for other in beside)], kept)
        return traits_of(self.sheet, averaged, self.id)
