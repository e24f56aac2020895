"""Reading people, and the sealed object that stands for them everywhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, nearest
from dalenius.people.engine.coded_table import CodedTable, check_order, survey
from dalenius.people.engine.levels import (
    FEW_ROWS,
    Coding,
    ColumnValues,
    clean,
    find_coding,
    list_values,
)
from dalenius.people.opening import OpenedTable, open_source
from dalenius.people.roles import Labels, assign_roles, check_again, check_bins, check_split, labelled
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Schema
from dalenius.shown import people

if TYPE_CHECKING:
    from dalenius.people.engine.blocks import ListedValues

MOST_LISTED = 2_000_000
"""People up to whom each is told by themselves, if nothing else is said: ids and codes take a gigabyte."""


class Dataset:
    """People in an engine: their schema and number are open, their secrets are not.

    The order of people is by id (shorter ids first, then alphabetically, so that whole numbers stand in
    numerical order), or by row of the file where there is no id.
    """

    def __init__(
        self, schema: Schema, source: str, rows: CodedTable, how: ReadSettings | None = None
    ) -> None:
        self.schema = schema
        self.source = source
        self.how = how or ReadSettings()
        """How they were read: other people are read in the same way."""
        self._rows: CodedTable | None = rows

    @property
    def n(self) -> int:
        """The number of people."""
        return self.rows.total

    @property
    def by_record(self) -> bool:
        """Whether people are told by the record that several share, and nobody by themselves."""
        return self.rows.people is not None

    @property
    def rows(self) -> CodedTable:
        """The coded rows in their engine, for this room only."""
        if self._rows is None:
            raise InputError("dataset", "must be open", "a closed one", "Read it again.")
        return self._rows

    def ids(self) -> NDArray[np.str_]:
        """Return everybody's id, in the order of people; without an id column, row numbers from 0."""
        if not self.rows.has_id:
            return np.arange(self.rows.n).astype(np.str_)
        return self.rows.fetch_ids()

    def attributes(self) -> CodedColumns:
        """Return the public columns as codes, in the order of people."""
        return CodedColumns(self.schema.public, self.rows.fetch_codes(self.rows.public))

    def numbers(self) -> dict[str, NDArray[np.float64]]:
        """Return the numbers of the public columns that are cut into bins, not a number where missing.

        A column without bins is whole in `attributes`: its levels are its values.
        """
        raw = {
            column.name: self.rows.fetch_numbers(code)
            for column, code in zip(self.schema.public, self.rows.public, strict=True)
        }
        return {name: values for name, values in raw.items() if values is not None}

    def close(self) -> None:
        """Disconnect from the engine; nothing can be asked afterwards."""
        if self._rows is not None:
            self._rows.engine.close()
            self._rows = None

    def __enter__(self) -> Dataset:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        size = "closed" if self._rows is None else people(self.n)
        names = ", ".join(column.name for column in self.schema.public)
        return f"Dataset({size}; public: {names}; secret: {self.schema.secret.name})"


@dataclass(frozen=True)
class ReadSettings:
    """What a reader of people may take a column for, and what it may use.

    Parameters
    ----------
    levels
        All values that columns can take, public ones or the secret; what is not named takes the values that
        occur. A release lists the levels, so with a promise of differential privacy they must be known
        without the data: see `Promise`.
    missing
        Whether a missing value stops the reading, or is a level of its own, ``(missing)``.
    missing_codes
        What is written in columns where a value is missing, as in ``{"income": [-9, "N"]}``.
    by_year
        Columns of dates that are read by their year.
    merged
        Words of columns that are read as one, as in ``{"town": {"other": ["Bern", "Zug"]}}``.
    again
        Columns that are read a second time under another name, as in ``{"age_wide": "age"}``: for other bins
        or a coarser level in another table.
    letters
        How many of the first letters of codes are read, as in ``{"nuts1": 3}``.
    others
        Whether these are other people, in whose file a code for missing values need not occur.
    labels
        What the values of columns stand for: levels are called by their labels.
    columns
        The names of the columns of a CSV file that has no line of them.
    table
        The table of a database, unless it stands after ``#`` of the source.
    memory
        How much the private engine may use before it spills to disk. A database uses its own.
    split
        A public column, such as the block people live in, whose values are without a limit: each is attacked
        for itself.
    by_record
        Whether people are grouped into different records in the engine, so that memory grows with records
        and not with people; ``None`` if there are more than two million of them.
    """

    levels: Mapping[str, Sequence[str | float]] = field(default_factory=dict)
    missing: Literal["refuse", "value"] = "refuse"
    table: str | None = None
    memory: str = "2GB"
    missing_codes: Mapping[str, Sequence[str | float]] = field(default_factory=dict)
    by_year: Sequence[str] = ()
    labels: Labels = field(default_factory=dict)
    columns: Sequence[str] = ()
    merged: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    again: Mapping[str, str] = field(default_factory=dict)
    letters: Mapping[str, int] = field(default_factory=dict)
    others: bool = False
    split: str | None = None
    by_record: bool | None = False

    def among(self, names: Sequence[str]) -> ReadSettings:
        """How to read these columns of other people, who are in a file of their own."""
        codes = {name: given for name, given in self.missing_codes.items() if name in names}
        years = [name for name in self.by_year if name in names]
        merged = {name: given for name, given in self.merged.items() if name in names}
        again = {name: source for name, source in self.again.items() if name in names}
        letters = {name: given for name, given in self.letters.items() if name in names}
        own = {"missing_codes": codes, "by_year": years, "merged": merged, "others": True}
        own |= {"again": again, "letters": letters}
        return replace(self, levels={}, table=None, columns=(), **own)  # type: ignore[arg-type]

    def __post_init__(self) -> None:
        if self.missing not in ("refuse", "value"):
            raise InputError("missing", "must be 'refuse' or 'value'", repr(self.missing))


def read(
    source: Any,
    *,
    secret: str,
    id: str | None = None,
    public: Sequence[str] | None = None,
    ignored: Sequence[str] = (),
    bins: Mapping[str, Sequence[float]] | None = None,
    how: ReadSettings | Mapping[str, Any] = ReadSettings(),
) -> Dataset:
    """Read the people of a planned release.

    Parameters
    ----------
    source
        A path (CSV, Parquet, Arrow, xlsx, SPSS, Stata, SAS, DuckDB, SQLite), a database address, an Arrow
        table or a frame. The table of a database, or the sheet of a workbook, follows after ``#``, as in
        ``clinic.sqlite#patients``.
    secret
        The column an attacker must not learn.
    id
        The column that names people, of a pandas frame perhaps its index; needed for a database, whose rows
        have no order.
    public
        The columns an attacker may know; by default all that are not id, secret or ignored.
    ignored
        Columns to leave out.
    bins
        Cut points of numeric columns, each bin with its left end. A public numeric column of more than
        64 values without them is cut at round numbers near its quintiles; see ``Column.edges``.
    how
        Which values columns can take, what a missing one is, and how much memory may be used: `ReadSettings`,
        or some of them by name, as in ``{"missing": "value", "missing_codes": {"income": ["N"]}}``.

    Raises
    ------
    InputError
        With what is wrong and what to do; it never shows an id or a secret.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = read(pa.table({"age": [32, 47, 32], "ill": ["no", "yes", "no"]}), secret="ill")
    >>> people
    Dataset(3 people; public: age; secret: ill)
    >>> people.schema.public[0].levels
    ('32', '47')
    >>> people.attributes().codes.ravel()
    array([0, 1, 0], dtype=int32)
    >>> people.close()
    """
    how = how if isinstance(how, ReadSettings) else _settings(how)
    text = [] if id is None else [id]
    if id is not None and id in getattr(getattr(source, "index", None), "names", ()):
        # pandas holds the names of rows beside its columns
        source = source if id in source.columns else source.reset_index(id)
    opened = open_source(source, table=how.table, memory=how.memory, text=text, columns=how.columns)
    try:
        check_again(how.again, opened.table.columns, known=(secret, id))
        names = [*opened.table.columns, *how.again]
        roles = assign_roles(names, secret=secret, id=id, public=public, ignored=ignored)
        check_bins(bins or {}, roles)
        for what, given in (("levels", how.levels), ("missing_codes", how.missing_codes)):
            check_bins(given, roles, what)
        check_bins(dict.fromkeys(how.merged), roles, "merged")
        check_bins(dict.fromkeys(how.by_year), roles, "by_year")
        check_bins(how.letters, roles, "letters")
        check_split(how.split, roles, bins or {})
        return _build(opened, roles, bins or {}, how)
    except BaseException:
        opened.engine.close()
        raise


def _settings(given: Any) -> ReadSettings:
    known = [each.name for each in fields(ReadSettings)]
    if not isinstance(given, Mapping):
        fix = 'Write for example how={"missing": "value"}.'
        raise InputError("how", "must be settings by name", type(given).__name__, fix)
    for name in given:
        if name not in known:
            raise InputError(
                f"how: {name!r}", "must be a setting of a reader", "another", nearest(name, known)
            )
    return ReadSettings(**given)


def _build(
    opened: OpenedTable,
    roles: Mapping[str, Role],
    bins: Mapping[str, Sequence[float]],
    how: ReadSettings,
) -> Dataset:
    used = [name for name, role in roles.items() if role in (Role.PUBLIC, Role.SECRET)]
    values = {name: _cleaned(opened, name, how) for name in used}
    id = next((name for name, role in roles.items() if role is Role.ID), None)
    if how.by_record is False:
        check_order(opened, id)
    n, gaps = survey(opened, values, None if how.by_record else id, refuse_missing=how.missing == "refuse")
    by_record = n > MOST_LISTED if how.by_record is None else how.by_record
    if not by_record:
        check_order(opened, id)
    codings: dict[str, Coding] = {}
    listed: dict[str, ListedValues] = {}
    few = opened.engine.local and n <= FEW_ROWS
    together = list_values(opened.table, values) if few else {}
    for name in used:
        column = together.get(name) or ColumnValues(opened.table, values[name])
        if name in how.merged and (name in how.levels or name in bins):
            fix = "Give one."
            raise InputError(f"merged of {name!r}", "must not be given with bins or levels", "both", fix)
        if name in bins and name in how.levels:
            raise InputError(f"levels of {name!r}", "must not be given with bins", "both", "Give one.")
        if name == how.split:
            from dalenius.people.engine.blocks import ListedValues, find_blocks

            codings[name] = find_blocks(column.table, name, missing=gaps[name], levels=how.levels.get(name))
            listed[name] = ListedValues.of(codings[name])
        else:
            codings[name] = find_coding(
                column,
                name,
                roles[name],
                missing=gaps[name],
                edges=bins.get(name),
                people=n,
                levels=how.levels.get(name),
            )
        column_labels = how.labels.get(name, {})
        codings[name] = replace(codings[name], column=labelled(codings[name].column, column_labels))
    shown = [name for name in used if roles[name] is Role.PUBLIC]
    public = [values[name] if name in listed else codings[name].code(values[name]) for name in shown]
    numbers = {j: values[name] for j, name in enumerate(shown) if codings[name].column.edges}
    name = next(name for name in used if roles[name] is Role.SECRET)
    secret = codings[name].code(values[name])
    in_place = {shown.index(split): found for split, found in listed.items()}
    if by_record:
        rows = CodedTable.grouped(opened, public, secret, n, in_place)
        opened.engine.close()
    else:
        rows = CodedTable.build(opened, public, secret, None if id is None else opened.table[id], n, numbers)
        rows = replace(rows, listed={rows.public[j]: found for j, found in in_place.items()})
    _check_secret(codings[name].column, rows)
    return Dataset(_schema(roles, codings), opened.description, rows, how)


def _cleaned(opened: OpenedTable, name: str, how: ReadSettings) -> Any:
    """A column as numbers or text, after whatever is to be done to it."""
    backend, source = opened.engine.backend, how.again.get(name, name)
    codes = _missing_codes(opened.table, name, how)
    if not (codes or name in how.by_year or name in how.merged or name in how.letters):
        return clean(backend, opened.table[source], source)
    from dalenius.people.engine.recode import recode

    return recode(
        backend,
        opened.table,
        source,
        by_year=name in how.by_year,
        codes=codes,
        merged=how.merged.get(name, {}),
        letters=how.letters.get(name),
    )


def _missing_codes(table: Any, name: str, how: ReadSettings) -> Sequence[str | float]:
    """Codes for missing values; of other people's numbers without those that are words.

    A column that is read again has those of the first time, unless it has its own.
    """
    source = how.again.get(name, name)
    codes = how.missing_codes.get(name, how.missing_codes.get(source, ()))
    if not how.others or not table[source].type().is_numeric():
        return codes
    return [code for code in codes if not isinstance(code, str) or is_number(code)]


def is_number(text: str) -> bool:
    """Whether a text is a number.

    Examples
    --------
    >>> is_number("-9"), is_number("N")
    (True, False)
    """
    try:
        float(text)
    except ValueError:
        return False
    return True


def _schema(roles: Mapping[str, Role], codings: Mapping[str, Coding]) -> Schema:
    return Schema(
        tuple(
            codings[name].column if name in codings else Column(name, role, Kind.CATEGORICAL)
            for name, role in roles.items()
        )
    )


def _check_secret(column: Column, rows: CodedTable) -> None:
    asked = column.stated or column.edges  # the levels of other columns are the values that occur
    if (rows.secret_values() if asked else len(column.levels)) < 2:
        raise InputError(
            f"secret column {column.name!r}",
            "must take at least two values",
            "the same for everybody",
            "Choose other bins."
            if column.edges
            else "There is nothing to learn about it: choose another secret.",
        )
