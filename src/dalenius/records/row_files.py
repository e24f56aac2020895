"""Original rows from files: every value of a column decides together what the column is.

A column of a CSV file is whole numbers, numbers, truth values, dates or text, in this order, if all of its
values can be read so. Numbers with leading zeros are text (a postal code ``01234`` is not 1234). An empty
value is missing; so are the marks that programs write for it (``NA``, ``null``), unless the column is text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dalenius.errors import InputError, nearest_column
from dalenius.records.reading import MOST_CELL, open_plain, open_text, read_parquet, refusing

_MARKS = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"]
_DELIMITERS = ",;\t|"

_WHOLE = r"^-?(0|[1-9][0-9]{0,17})$"
_REAL = r"^-?((0|[1-9][0-9]{0,17})(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_TRUTH = r"^(true|false|True|False|TRUE|FALSE)$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?)?$"


def read_table(path: Path, text: Sequence[str] = ()) -> Any:
    """Read a CSV or Parquet file as an Arrow table; the columns of ``text`` of a CSV file stay text."""
    import pyarrow as pa

    if not path.is_file():
        raise InputError(f"file {str(path)!r}", "must exist", "no such file")
    name = path.name.lower()
    if name.endswith((".parquet", ".pq")):
        table = read_parquet(path)
    elif name.endswith((".csv", ".tsv", ".csv.gz", ".tsv.gz")):
        table = _read_csv(path)
    else:
        raise InputError(f"file {path.name!r}", "must be CSV or Parquet", f"the ending {path.suffix!r}")
    _check(path, table)
    if name.endswith((".parquet", ".pq")):
        return table
    for column in text:
        if column not in table.column_names:
            fix = nearest_column(column, table.column_names)
            raise InputError(f"column {column!r}", f"must be in {path.name!r}", "no such column", fix)
    columns = {
        name: values if name in text else _typed(values)
        for name, values in zip(table.column_names, table.columns, strict=True)
    }
    return pa.table(columns)


def _check(path: Path, table: Any) -> None:
    where = f"file {path.name!r}"
    if not table.num_rows:
        raise InputError(where, "must have at least one row", "none")
    if not all(table.column_names):
        raise InputError(where, "must name every column", "a column without a name", "Name it.")
    for name in table.column_names:
        if table.column_names.count(name) > 1:
            raise InputError(where, "must have each column name once", f"{name!r} twice", "Rename one.")


def _read_csv(path: Path) -> Any:
    """Read every column as labels: a value that many rows share is looked at once."""
    import pyarrow as pa
    from pyarrow import csv

    labels = pa.dictionary(pa.int32(), pa.string())
    first = _look_through(path)
    with refusing(path, "plain CSV"):
        try:
            parse = csv.ParseOptions(delimiter=max(_DELIMITERS, key=first.count), newlines_in_values=True)
            with pa.PythonFile(open_plain(path), "r") as stream:
                names = csv.open_csv(stream, parse_options=parse).schema.names
            convert = csv.ConvertOptions(
                column_types=dict.fromkeys(names, labels), null_values=[""], strings_can_be_null=True
            )
            with pa.PythonFile(open_plain(path), "r") as stream:
                table = csv.read_csv(stream, parse_options=parse, convert_options=convert)
        except pa.ArrowInvalid as error:
            raise _broken(path, str(error)) from None
    _check_cells(path, table)
    return table


def _look_through(path: Path) -> str:
    """Return the first line; refuse NUL, lines without end, and a quote that stays open.

    Arrow would read all that follows such a quote as one value.
    """
    quotes, first = 0, ""
    with refusing(path, "plain CSV"), open_text(path) as lines:
        while piece := lines.read(1 << 24):
            first = first or piece.split("\n", 1)[0]
            quotes += piece.count('"')
    if quotes % 2:
        fix = 'Put quotes around whole fields and double those inside, as in "a ""word""".'
        raise InputError(f"file {path.name!r}", "must close every quote", "an odd number of quotes", fix)
    return first


def _check_cells(path: Path, table: Any) -> None:
    """Refuse cells too long to be a value of a person."""
    import pyarrow.compute as pc

    for column in table.columns:
        for chunk in column.chunks:
            longest = pc.max(pc.binary_length(chunk.dictionary)).as_py() or 0
            if longest > MOST_CELL:
                raise InputError(
                    f"file {path.name!r}", f"must have at most {MOST_CELL:,} characters in a cell", "more"
                )


def _broken(path: Path, message: str) -> InputError:
    """Say what is wrong. Arrow's own message quotes the row, that is a person: it is not passed on."""
    where = f"file {path.name!r}"
    if found := re.search(r"Expected (\d+) columns, got (\d+)", message):
        rule, got = f"must have {found[1]} fields in every row", f"a row with {found[2]}"
        return InputError(where, rule, got, "Quote fields that hold the separator, and fill broken rows.")
    if "Empty CSV" in message:
        return InputError(where, "must start with a line of column names", "an empty file", "Add a header.")
    if "UTF8" in message:
        fix = "Save it again as CSV UTF-8, or convert it with: iconv -f latin1 -t utf-8."
        return InputError(where, "must be UTF-8 text", "bytes that are not", fix)
    return InputError(where, "must be plain CSV", "a file that cannot be parsed", "Save it as CSV UTF-8.")


def _typed(values: Any) -> Any:
    """Give a column of labels the first kind that all of its labels have."""
    import pyarrow as pa
    import pyarrow.compute as pc

    values = values.unify_dictionaries()
    if not values.num_chunks:
        return values
    levels = values.chunk(0).dictionary
    known = pc.replace_with_mask(levels, pc.is_in(levels, pa.array(_MARKS)), pa.scalar(None, pa.string()))
    if known.null_count == len(known):
        return values
    for pattern, kind in (
        (_WHOLE, pa.int64()),
        (_REAL, pa.float64()),
        (_TRUTH, pa.bool_()),
        (_DATE, pa.timestamp("us")),
    ):
        if pc.all(pc.match_substring_regex(known, pattern)).as_py():
            try:
                return _looked_up(values, known.cast(kind))
            except pa.ArrowInvalid:
                continue  # it has the form, yet no such day exists
    return values


def _looked_up(values: Any, meaning: Any) -> Any:
    """Replace every code by what its label means."""
    import pyarrow as pa

    return pa.chunked_array([meaning.take(chunk.indices) for chunk in values.chunks], meaning.type)
