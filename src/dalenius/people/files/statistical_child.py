"""The process that reads one file of SPSS, Stata or SAS and writes its people as Arrow on its output."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from dalenius.errors import InputError, TooLargeError
from dalenius.people.files.other_programs import AGAIN, REFUSED
from dalenius.people.files.read_file import STATISTICAL
from dalenius.people.files.reading import FREE_BYTES, MOST_CELL, MOST_RATIO, refusing
from dalenius.people.files.transport import check_rows, check_transport
from dalenius.people.schema import label_number

TRANSPORT = ".xpt"

READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    TRANSPORT: "read_xport",
}

SAS_DATES = (
    *("DAY", "DOWNAME", "JULDAY", "JULIAN", "MONNAME", "MONTH", "MONYY", "NENGO", "QTR", "QTRR", "WEEKDAY"),
    *("WORDDATE", "WORDDATX", "YEAR", "YYMON"),
    *(f"{form}{mark}" for form in ("YYMM", "MMYY", "YYQ", "YYQR") for mark in ("", *"CDNPS")),
)
"""Formats by which SAS writes a date in part or in words: without them a birth date is a number of days."""


def main(path: Path) -> int:
    """Read a file, write it, and return the exit code."""
    import pyarrow as pa

    try:
        table = read_here(path)
    except InputError as error:
        said = {"name": error.name, "rule": error.rule, "got": error.got, "fix": error.fix}
        sys.stdout.write(json.dumps(said | {"large": isinstance(error, TooLargeError)}))
        return REFUSED
    with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as stream:
        stream.write_table(table)
    return 0


def read_here(path: Path) -> Any:
    """Read a file within this process, as an Arrow table."""
    import pyarrow as pa
    import pyreadstat

    ending = path.suffix.lower()
    program = STATISTICAL[ending]
    dates = {"extra_date_formats": [*SAS_DATES]} if program == "SAS" else {}
    where, read = f"file {path.name!r}", partial(getattr(pyreadstat, READERS[ending]), **dates)
    with refusing(where, f"a whole file of {program}", AGAIN), _in_utf8(where, program):
        if ending == TRANSPORT:
            check_transport(path)
        _check_end(path, program)
        most = _most_rows(path, read(str(path), metadataonly=True)[1])
        columns, about = read(str(path), output_format="dict", row_limit=most + 1)
        rows = max(map(len, columns.values()), default=0)
        if rows > most:
            rule = f"must unpack to at most {MOST_RATIO} times its size"
            raise TooLargeError(where, rule, "more", "Give it as CSV or Parquet.")
        if about.number_rows is not None and rows != about.number_rows:
            raise InputError(where, f"must hold the {about.number_rows:,} rows it says", f"{rows:,}", AGAIN)
        if ending == TRANSPORT:
            check_rows(path, rows, sum(about.variable_storage_width.values()))
        return pa.table({name: _column(where, name, cells, about) for name, cells in columns.items()})


@contextmanager
def _in_utf8(where: str, program: str) -> Iterator[None]:
    """Refuse text whose encoding the file does not name: converting its bytes would move what follows."""
    try:
        yield
    except UnicodeDecodeError:
        fix = f"Write it again from {program} in UTF-8, or as CSV in UTF-8."
        raise InputError(
            where, "must hold text in the encoding that it names, or in UTF-8", "others", fix
        ) from None


def _check_end(path: Path, program: str) -> None:
    """Refuse a file of Stata without its end: what is missing may be labels, which nobody would miss."""
    with path.open("rb") as file:
        if file.read(11) != b"<stata_dta>":
            return
        file.seek(max(0, path.stat().st_size - 64))
        if not file.read().rstrip().endswith(b"</stata_dta>"):
            rule = f"must be a whole file of {program}"
            raise InputError(f"file {path.name!r}", rule, "one cut short", AGAIN)


def _most_rows(path: Path, about: Any) -> int:
    """How many rows may be read: as many as the file could hold, compressed as real ones are."""
    width = sum(max(8, about.variable_storage_width.get(name, 8)) for name in about.column_names)
    return int(max(FREE_BYTES, MOST_RATIO * path.stat().st_size) // max(1, width))


def _column(where: str, name: str, cells: Sequence[Any], about: Any) -> Any:
    """One column: labels where all values have one; whole numbers where the file knows no such type."""
    import pyarrow as pa

    labels = about.variable_value_labels.get(name, {})
    made = [None if cell is None or cell == "" or cell != cell else cell for cell in cells]
    known = [cell for cell in made if cell is not None]
    if labels and known and set(known) <= set(labels):
        spelt = _spelt(labels)
        return pa.array([spelt.get(cell) for cell in made], pa.string())
    if known and all(isinstance(cell, int | float) for cell in known):
        whole = all(float(cell).is_integer() and abs(cell) < 2**53 for cell in known)
        if not whole and about.readstat_variable_types.get(name) == "float":
            return pa.array(made, pa.float32())  # 4.3 in four bytes is no other number in eight
        return pa.array([int(cell) if whole and cell is not None else cell for cell in made])
    if any(isinstance(cell, str) and len(cell) > MOST_CELL for cell in known):
        raise InputError(where, f"must have at most {MOST_CELL:,} characters in a cell", f"more in {name!r}")
    return pa.array(made, None if known else pa.string())


def _spelt(labels: Mapping[Any, str]) -> dict[Any, str]:
    """A label for each code; two codes of one label stay apart by their codes."""
    words = [label.strip() for label in labels.values()]
    twice = {word for word in words if words.count(word) > 1 or not word}
    return {
        code: f"{word} ({code if isinstance(code, str) else label_number(code)})".strip()
        if word in twice
        else word
        for code, word in zip(labels, words, strict=True)
    }


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
