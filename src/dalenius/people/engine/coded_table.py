"""Rows as codes inside an engine, and one pass over the raw rows before they are coded.

Rows as codes inside an engine: what all counting and fetching is done on.

In the private DuckDB the coded rows are a table of two-byte numbers, stored in the order of people, so
that a file is parsed once. In the user's own database nothing is created: the coded rows are an
expression over their table, computed there each time. If that table changes between two questions, so do
the answers.

One pass over the raw rows: how many people, how many missing values, whether ids name people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.people.engine.engine import (
    Engine,
    ask_batches,
    closed_on_error,
    fetch,
    fetch_batches,
    keep,
    local_engine,
    running,
)
from dalenius.people.files.sheet import as_text
from dalenius.people.opening import OpenedTable
from dalenius.shown import hides_people

if TYPE_CHECKING:
    from dalenius.people.engine.blocks import ListedValues

SECRET = "secret"  # noqa: S105  (a column name, not a password)

PEOPLE = "people"
"""The column that says how many people share a record."""

CODED = "coded"
"""What the coded rows are called in the private DuckDB."""

Fetched = TypeVar("Fetched", NDArray[np.int32], NDArray[np.float64])


@hides_people()
@dataclass(frozen=True)
class CodedTable:
    """The engine, and its table with the columns ``id``, ``c0``, ``c1``, ... and ``secret``.

    A public column that is cut into bins, say ``c1``, has its numbers beside it as ``c1_number``: a
    regression is fitted to them, not to the bins. A column in ``listed`` has too many values for codes to be
    made in the engine: it holds the values themselves, and they are coded here. Where ``people`` is given,
    rows are different records, and the column ``people`` says how many people each is.
    """

    engine: Engine
    table: Any
    n: int
    public: tuple[str, ...]
    has_id: bool
    numeric: tuple[str, ...] = ()
    listed: Mapping[str, ListedValues] = field(default_factory=dict)
    people: int | None = None

    @property
    def total(self) -> int:
        """How many people there are: more than rows, where a row is a record that several share."""
        return self.n if self.people is None else self.people

    def count(self, where: Any = None) -> Any:
        """Return the expression that counts people."""
        if self.people is None:
            return self.table.count(where=where)
        return self.table[PEOPLE].sum(where=where).fill_null(0).cast("int64")

    @staticmethod
    def build(
        opened: OpenedTable,
        public: Sequence[Any],
        secret: Any,
        id: Any | None,
        n: int,
        numbers: Mapping[int, Any] | None = None,
    ) -> CodedTable:
        """Code the rows of an opened source.

        ``numbers`` are those of binned columns, by their place.
        """
        names = tuple(f"c{j}" for j in range(len(public)))
        raw = {_number_of(names[j]): value.cast("float64") for j, value in (numbers or {}).items()}
        wanted = dict(zip(names, public, strict=True)) | raw | {SECRET: secret}
        if id is not None:
            wanted["id"] = id.cast("string")
        table = opened.table.select(**wanted)
        if opened.engine.local:
            if id is not None:
                table = table.order_by([table.id.length(), table.id])
            table = keep(opened.engine.backend, CODED, table)
            with running():
                opened.engine.backend.drop_table("raw", force=True)
        return CodedTable(opened.engine, table, n, names, id is not None, tuple(raw))

    @staticmethod
    def grouped(
        opened: OpenedTable,
        public: Sequence[Any],
        secret: Any,
        n: int,
        listed: Mapping[int, ListedValues],
    ) -> CodedTable:
        """Group the rows of a source in its engine: different records, and how many people each is."""
        names = tuple(f"c{j}" for j in range(len(public)))
        table = opened.table.select(**dict(zip(names, public, strict=True)), **{SECRET: secret})
        shape = CodedTable(
            opened.engine, table, n, names, False, (), {names[j]: v for j, v in listed.items()}
        )
        parts: dict[str, list[NDArray[Any]]] = {name: [] for name in (*names, SECRET, PEOPLE)}
        for batch in fetch_batches(table.group_by([*names, SECRET]).aggregate(people=table.count())):
            for name in (*names, SECRET):
                parts[name].append(_narrow(shape.whole(name, batch.column(name)).astype(np.int32)))
            parts[PEOPLE].append(batch.column(PEOPLE).to_numpy(zero_copy_only=False).astype(np.int64))
        columns = {name: np.concatenate(found) for name, found in parts.items()}
        if int(columns[PEOPLE].sum()) != n:
            raise _changed()
        order = np.lexsort([columns[name] for name in reversed((*names, SECRET))])
        counts = columns.pop(PEOPLE)[order]
        return CodedTable.copy(
            {name: codes[order] for name, codes in columns.items()},
            None,
            local_engine(opened.engine.memory),
            people=counts,
        )

    @staticmethod
    def copy(
        columns: dict[str, NDArray[np.int32]],
        ids: NDArray[np.str_] | None,
        engine: Engine,
        numbers: Mapping[str, NDArray[np.float64]] | None = None,
        people: NDArray[np.int64] | None = None,
    ) -> CodedTable:
        """Put codes that are in memory, in the order of people, into a private DuckDB: it is theirs then."""
        raw = {_number_of(name): values for name, values in (numbers or {}).items()}
        arrays = {name: pa.array(_narrow(codes)) for name, codes in columns.items()}
        arrays |= {name: pa.array(values, mask=np.isnan(values)) for name, values in raw.items()}
        if ids is not None:
            arrays["id"] = pa.array(ids, pa.string())
        if people is not None:
            arrays[PEOPLE] = pa.array(people)
        with closed_on_error(engine):
            table = keep(engine.backend, CODED, pa.table(arrays))
        public = tuple(name for name in columns if name != SECRET)
        total = None if people is None else int(people.sum())
        return CodedTable(
            engine, table, len(columns[SECRET]), public, ids is not None, tuple(raw), people=total
        )

    def secret_values(self) -> int:
        """Count the different secrets that occur."""
        return int(fetch(self.table.aggregate(k=self.table[SECRET].nunique()))["k"][0].as_py())

    def fetch_codes(self, names: Sequence[str]) -> NDArray[np.int32]:
        """Return columns of codes, one row per person, in the order of people."""
        return self._fetch(names, np.empty((self.n, len(names)), np.int32), self.whole)

    def fetch_numbers(self, name: str) -> NDArray[np.float64] | None:
        """Return the numbers of a binned column, not a number where missing; None if it has no bins."""
        if _number_of(name) not in self.numeric:
            return None
        return self._fetch([_number_of(name)], np.empty((self.n, 1), np.float64), _floats)[:, 0]

    def _fetch(
        self, names: Sequence[str], codes: Fetched, read: Callable[[str, Any], NDArray[Any]]
    ) -> Fetched:
        if not names:  # an engine does not select nothing
            return codes
        ids = None if self.engine.local else np.empty(self.n, object)
        asked, at = [*names] if ids is None else [*names, "id"], 0
        for batch in self._batches(asked):
            here = slice(at, at + batch.num_rows)
            self.check_rows(max(here.stop, self.n))
            for j, name in enumerate(names):
                codes[here, j] = read(name, batch.column(name))
            if ids is not None:
                ids[here] = as_text("the id", batch.column("id"))
            at += batch.num_rows
        self.check_rows(at)
        return codes if ids is None else codes[_order(ids.astype(np.str_))]

    def fetch_ids(self) -> NDArray[np.str_]:
        """Return the ids, in the order of people."""
        parts = [as_text("the id", batch.column("id")) for batch in self._batches(["id"])]
        ids: NDArray[np.str_] = np.concatenate(parts)
        return ids if self.engine.local else ids[_order(ids)]

    def _batches(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Fetch columns: from the private DuckDB in the order of people, from a database in any.

        What is asked of our own table needs no translation, which takes longer than the answer.
        """
        if not self.engine.local:
            return fetch_batches(self.table.select(*names))
        asked = ", ".join(f'"{name}"' for name in names)
        return ask_batches(self.engine.backend, f"SELECT {asked} FROM {CODED} ORDER BY rowid")  # noqa: S608

    def whole(self, name: str, codes: Any) -> NDArray[np.int64]:
        """Return fetched codes as numbers; a value that has no code was not there when levels were found."""
        if name in self.listed:
            codes = self.listed[name].codes(codes)
        if codes.null_count:
            raise _changed()
        return np.asarray(codes.to_numpy(zero_copy_only=False), np.int64)

    def fetch_people(self) -> NDArray[np.int64]:
        """Return how many people each row is, in the order of rows."""
        if self.people is None:
            return np.ones(self.n, np.int64)
        return self.fetch_codes([PEOPLE])[:, 0].astype(np.int64)

    def check_rows(self, fetched: int) -> None:
        """Refuse an answer that does not hold every row."""
        if fetched != self.n:
            raise _changed()

    def check_total(self, fetched: int) -> None:
        """Refuse an answer that does not speak of everybody."""
        if fetched != self.total:
            raise _changed()


def _number_of(name: str) -> str:
    return f"{name}_number"


def _narrow(codes: NDArray[np.int32]) -> NDArray[Any]:
    """Codes in two bytes where they fit: most columns have few levels."""
    return codes.astype(np.int16) if codes.size == 0 or codes.max() <= np.iinfo(np.int16).max else codes


def _floats(name: str, values: Any) -> NDArray[np.float64]:
    return np.asarray(values.to_numpy(zero_copy_only=False), np.float64)


def _changed() -> InputError:
    return InputError(
        "the table",
        "must not change while it is audited",
        "rows or values that were not there before",
        "Copy it to a file or a table of its own first.",
    )


def _order(ids: NDArray[np.str_]) -> NDArray[np.intp]:
    """Sort ids by length, then by code point: databases sort text by the rules of a language."""
    return np.lexsort((ids, np.char.str_len(ids)))


def check_order(opened: OpenedTable, id: str | None) -> None:
    """Refuse people of a database without an id: nobody could be told from one question to the next."""
    if id is None and not opened.engine.local:
        raise InputError(
            "id",
            "must be given for a table in a database, whose rows have no order",
            "none",
            "Name the column that identifies people.",
        )


def survey(
    opened: OpenedTable,
    values: Mapping[str, Any],
    id: str | None,
    *,
    refuse_missing: bool,
) -> tuple[int, dict[str, int]]:
    """Count people and missing values, and refuse what cannot be audited.

    Raises
    ------
    InputError
        For an empty table, a missing value where those are refused, an id that is missing, repeated or
        neither text nor a whole number. Only numbers are shown.
    """
    rows = opened.table
    asked = {"n": rows.count()}
    for j, value in enumerate(values.values()):
        asked[f"gap{j}"] = value.isnull().sum()
    if id is not None:
        _check_id_type(id, rows[id])
        asked |= {"no_id": rows[id].isnull().sum(), "ids": rows[id].nunique()}
    got = fetch(rows.aggregate(**asked)).to_pylist()[0]
    if got["n"] == 0:
        raise InputError(opened.description, "must have at least one row", "none")
    gaps = {name: int(got[f"gap{j}"]) for j, name in enumerate(values)}
    if refuse_missing:
        _check_gaps(gaps, got["n"])
    if id is not None:
        _check_ids(id, got["n"], got["no_id"], got["ids"])
    return int(got["n"]), gaps


def _check_gaps(gaps: Mapping[str, int], n: int) -> None:
    missing = [f"{count} in {name!r}" for name, count in gaps.items() if count]
    if missing:
        raise InputError(
            "columns",
            "must have no missing values",
            f"{', '.join(missing)} (of {n} rows)",
            'Fill them, list the column under ignored, or say missing="value" to count them as a level.',
        )


def _check_id_type(id: str, value: Any) -> None:
    kind = value.type()
    if not (kind.is_string() or kind.is_integer() or kind.is_uuid()):
        raise InputError(f"id column {id!r}", "must be text or whole numbers", str(kind), "Convert it first.")


def _check_ids(id: str, n: int, no_id: int, distinct: int) -> None:
    if no_id:
        raise InputError(f"id column {id!r}", "must have no missing values", f"{no_id} missing (of {n} rows)")
    if distinct < n:
        raise InputError(
            f"id column {id!r}",
            "must name each person once",
            f"{n - distinct} repeated (of {n} rows)",
            "Keep one row per person, or leave the id out to count every row as a person.",
        )
