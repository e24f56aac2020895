"""Columns of printed frequencies, found by the names that tools in use give them.

Without a header that is known, the first three columns are taken as id, counted allele and frequency. A text
file is split into lines; of a Parquet file each column is read by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.genomes.variants import TEXT
from dalenius.people.files.reading import check_exists, not_text, open_text, read_parquet, read_text, refusing

NAMES = {
    "id": "snp id rsid rs snpid variant variantid marker markername name rsids",
    "chromosome": "chr chrom chromosome",
    "place": "pos bp position basepair basepairlocation",
    "counted": "a1 alt counted countedallele effectallele ea allele allele1 minor testedallele",
    "other": "a2 ref other otherallele noneffectallele nea allele2 allele0 major reference",
    "frequency": "maf altfreqs altfreq freq frequency af eaf a1freq effectallelefrequency frq freq1",
    "observations": "nchrobs obsct an nchr observations alleles",
}
"""What headers call each column, in small letters and digits alone."""

ALLELES = frozenset("ACGTN0123456789.-*<>:ID")
"""Letters of which alleles are written, those of insertions and deletions included."""


WITHOUT_HEADER = {"id": 0, "counted": 1, "frequency": 2}

PARQUET = (".parquet", ".pq")


@dataclass(frozen=True)
class PrintedFrequencies:
    """A table of frequencies: where each column is, and how to get one, as texts or numbers."""

    where: Mapping[str, int]
    size: int
    read: Callable[[int], NDArray[Any]]

    def __contains__(self, key: str) -> bool:
        return key in self.where

    def column(self, key: str) -> NDArray[Any]:
        """Return a column; one that is not there is empty."""
        return self.read(self.where[key]) if key in self.where else np.full(self.size, "", TEXT)


def is_parquet(path: Path) -> bool:
    """Whether a file is Parquet, by its ending."""
    return path.name.lower().endswith(PARQUET)


def read_printed(path: Path) -> PrintedFrequencies:
    """Open a table of frequencies.

    Raises
    ------
    InputError
        If columns of id or frequency are not found, or there is no variant.
    """
    if is_parquet(path):
        table = read_parquet(path)
        header = list(table.column_names)
        where, size = _layout(path, header), len(table)
        if where is None:
            raise _other_names(path, header)

        def read(j: int) -> NDArray[Any]:
            return _column(table.column(j))

    else:
        rows = rows_of(path)
        where = _layout(path, rows[0])
        body = rows if where is None else rows[1:]
        where, size = where or WITHOUT_HEADER, len(body)

        def read(j: int) -> NDArray[Any]:
            return np.array([row[j] for row in body], TEXT)

    if not size:
        raise InputError(str(path), "must have at least one variant", "none")
    return PrintedFrequencies(where, size, read)


def _column(values: Any) -> NDArray[Any]:
    """A column of Parquet: numbers as they are, anything else as texts; nothing is not a number, or empty."""
    import pyarrow as pa
    import pyarrow.compute

    if pa.types.is_floating(values.type) or (pa.types.is_integer(values.type) and values.null_count):
        return np.asarray(values.cast(pa.float64()).to_numpy(), np.float64)
    if pa.types.is_integer(values.type):
        return np.asarray(values.to_numpy())
    filled = pyarrow.compute.fill_null(values.cast(pa.string()), "")
    return np.asarray(filled.to_numpy(zero_copy_only=False)).astype(TEXT)


def header_of(path: Path) -> list[str]:
    """Return the cells of the first line, or the names of the columns of a Parquet file."""
    check_exists(path)
    if is_parquet(path):
        from pyarrow import parquet

        with refusing(path, "a whole Parquet file"):
            return list(parquet.read_schema(path).names)
    try:
        with open_text(path) as file:
            for line in file:
                if line.strip() and not line.startswith("##"):
                    return _cells(line)
    except UnicodeDecodeError:
        raise not_text(path) from None
    raise InputError(str(path), "must have at least one variant", "an empty file")


def _cells(line: str) -> list[str]:
    mark = next((c for c in "\t,;" if c in line), None)
    return [cell.strip() for cell in line.replace('"', "").split(mark)]


def rows_of(path: Path) -> list[list[str]]:
    """Split lines at commas, tabs or spaces, whichever the first line has; or write out a Parquet file."""
    if is_parquet(path):
        table = read_parquet(path)
        columns = [_column(column).astype(TEXT).tolist() for column in table.columns]
        return [list(table.column_names), *map(list, zip(*columns, strict=True))]
    text = read_text(path)
    lines = [
        line for line in text.replace('"', "").splitlines() if line.strip() and not line.startswith("##")
    ]
    if not lines:
        raise InputError(str(path), "must have at least one variant", "an empty file")
    mark = next((c for c in "\t,;" if c in lines[0]), None)
    rows = [line.split(mark) for line in lines]
    if mark is not None and " " in text:
        rows = [[cell.strip() for cell in row] for row in rows]
    bad = next((i for i, row in enumerate(rows) if len(row) != len(rows[0])), None)
    if bad is not None:
        raise InputError(
            str(path),
            f"must have {len(rows[0])} fields in every line as in the first",
            f"{len(rows[bad])} in line {bad + 1} that is not empty",
        )
    return rows


def _layout(path: Path, header: list[str]) -> dict[str, int] | None:
    """Say where each column is; nothing if the line is no header but the first variant."""
    where = _columns(header)
    if where is None:
        if len(header) < 3:
            raise InputError(
                str(path), "must have columns of id, counted allele and frequency", f"{len(header)} columns"
            )
        if not set(header[1].upper()) <= ALLELES:  # names of columns, but not of these
            raise _other_names(path, header)
        return None
    for needed in ("id", "frequency"):
        if needed not in where:
            raise InputError(
                str(path),
                f"must have a column of {needed}",
                f"{len(header):,} columns of other names",
                f"Call it {NAMES[needed].split()[0]}.",
                value=", ".join(header),
            )
    return where


def _columns(header: list[str]) -> dict[str, int] | None:
    """Find the columns by their names; nothing if no name is known."""
    plain = ["".join(c for c in cell.lower() if c.isalnum()) for cell in header]
    found = {}
    for key, names in NAMES.items():
        known = [plain.index(name) for name in names.split() if name in plain]
        if known:
            found[key] = known[0]
    # a line "rs1 A 0.3" has none of the names; "ID ALT x" has some, and is a header
    return found or None


def _other_names(path: Path, header: list[str]) -> InputError:
    return InputError(
        str(path),
        "must have columns of id, counted allele and frequency",
        f"{len(header):,} columns of other names",
        "Call them ID, COUNTED and FREQ.",
        value=", ".join(header[:5]),
    )
