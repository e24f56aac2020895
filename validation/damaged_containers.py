"""Ways to make Parquet and Arrow files and workbooks that are whole and absurd, or broken inside."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable

import numpy as np
from validation.damaged_bytes import ABSURD, BYTES, DEEP, VALUE, Rng, Way, extremes, flip


def arrow_column(raw: bytes, rng: Rng) -> bytes | None:
    """Another type, or other values, in one column of a whole file."""
    import pyarrow as pa

    table, write = _arrow(raw)
    if table is None:
        return None
    n, which = table.num_rows, int(rng.integers(table.num_columns))
    columns = [
        pa.nulls(n),
        pa.array([float("nan")] * n),
        pa.array([float("inf")] * n),
        pa.array([1e308] * n),
        pa.array([b"\xff\xfe"] * n),
        pa.array([[1, 2]] * n),
        pa.array([{"a": 1}] * n),
        pa.array([f"{VALUE}\0"] * n),
        pa.array([VALUE] * n).dictionary_encode(),
        pa.array([2**63 - 1] * n),
        pa.array(["x" * 20_000] * n),
        pa.array([True] * n),
        pa.array([0] * n, pa.timestamp("ns")),
        pa.array([10**30] * n, pa.decimal128(38)),
        pa.array([-(2**40)] * n, pa.duration("s")),
        pa.array([1] * n, pa.uint64()),
        pa.array([VALUE] * n, pa.large_string()),
    ]
    names = table.column_names
    return write(table.set_column(which, names[which], columns[int(rng.integers(len(columns)))]))


def arrow_names(raw: bytes, rng: Rng) -> bytes | None:
    """Names twice, empty, very long, or those of a person."""
    table, write = _arrow(raw)
    if table is None:
        return None
    names = list(table.column_names)
    names[int(rng.integers(len(names)))] = str(rng.choice([names[0], "", "n" * 20_000, "a\0b", "x\ny"]))
    return write(table.rename_columns(names))


def arrow_rows(raw: bytes, rng: Rng) -> bytes | None:
    """No rows, or all rows twice."""
    import pyarrow as pa

    table, write = _arrow(raw)
    if table is None:
        return None
    return write(table.slice(0, 0) if rng.random() < 0.5 else pa.concat_tables([table, table]))


def bad_offsets(raw: bytes, rng: Rng) -> bytes | None:
    """A whole file whose text points outside of its buffers, as a broken writer makes it."""
    import pyarrow as pa

    table, write = _arrow(raw)
    if table is None:
        return None
    texts = [j for j, field in enumerate(table.schema) if pa.types.is_string(field.type)]
    if not texts or raw[:4] == b"PAR1":  # a writer of Parquet would follow the offsets, and fall
        return None
    which = texts[int(rng.integers(len(texts)))]
    column = table.column(which).combine_chunks()
    column = column.chunk(0) if isinstance(column, pa.ChunkedArray) else column
    whole = write(table.set_column(which, table.column_names[which], column))
    offsets = np.frombuffer(column.buffers()[1], np.int32)[: len(column) + 1]
    bad = offsets.copy()
    bad[int(rng.integers(bad.size))] = int(rng.choice([-1, -(2**31), 2**31 - 1, 10**8]))
    return whole.replace(offsets.tobytes(), bad.tobytes())  # Arrow itself makes no such first or last offset


def _arrow(raw: bytes) -> tuple[object, Callable[[object], bytes]]:
    """Read a Parquet, Feather or stream file, and give the function that writes it the same way."""
    import pyarrow as pa
    from pyarrow import feather, parquet

    def write(table: object) -> bytes:
        sink = io.BytesIO()
        if raw[:4] == b"PAR1":
            parquet.write_table(table, sink)
        elif raw[:6] == b"ARROW1":
            feather.write_feather(table, sink, compression="uncompressed")
        else:
            with pa.ipc.new_stream(sink, table.schema) as writer:
                writer.write_table(table)
        return sink.getvalue()

    if raw[:4] == b"PAR1":
        return parquet.read_table(io.BytesIO(raw)), write
    if raw[:6] == b"ARROW1":
        return feather.read_table(io.BytesIO(raw)), write
    return pa.ipc.open_stream(io.BytesIO(raw)).read_all(), write


ARROW: tuple[Way, ...] = (arrow_column, arrow_column, arrow_names, arrow_rows, flip, flip, extremes)
IPC: tuple[Way, ...] = (*ARROW, bad_offsets, bad_offsets)


def _part(raw: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    """Change the parts of a workbook, and pack it again so that every checksum is right."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.namelist():
            new.writestr(entry, change(entry, old.read(entry)))
    return out.getvalue()


def xml_damage(raw: bytes, rng: Rng) -> bytes | None:
    """Damage the XML inside."""
    with zipfile.ZipFile(io.BytesIO(raw)) as book:
        entry = str(rng.choice(book.namelist()))
    way = BYTES[int(rng.integers(5))]
    return _part(raw, lambda name, body: (way(body, rng) or body) if name == entry else body)


def _sheet(raw: bytes, change: Callable[[bytes], bytes]) -> bytes:
    return _part(
        raw, lambda name, body: change(body) if "sheet1.xml" in name and "rels" not in name else body
    )


def far_corner(raw: bytes, rng: Rng) -> bytes | None:
    """One cell in the last row and column that a sheet can have."""
    cell = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    return _sheet(raw, lambda body: body.replace(b"</sheetData>", cell))


def huge_merge(raw: bytes, rng: Rng) -> bytes | None:
    """All cells of a sheet merged into one."""
    merged = b'</sheetData><mergeCells count="1"><mergeCell ref="A1:XFD1048576"/></mergeCells>'
    return _sheet(raw, lambda body: body.replace(b"</sheetData>", merged))


def sheet_value(raw: bytes, rng: Rng) -> bytes | None:
    """A number that no cell has."""
    value = str(rng.choice([*ABSURD, VALUE, "1e309", "Infinity", "9" * 5000])).encode()
    return _sheet(
        raw,
        lambda body: re.sub(rb"<v>\d+</v>", b"<v>" + value + b"</v>", body, count=int(rng.integers(1, 20))),
    )


def entities(raw: bytes, rng: Rng) -> bytes | None:
    """XML whose names stand for ever longer texts."""
    laugh = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "ha">' + b"".join(
        b'<!ENTITY a%d "%s">' % (j, b"&a%d;" % (j - 1) * 10) for j in range(1, 10)
    )
    return _sheet(
        raw, lambda body: laugh + b"]>" + re.sub(rb"<\?xml.*?\?>", b"", body).replace(b"<v>", b"<v>&a9;", 1)
    )


def deep_sheet(raw: bytes, rng: Rng) -> bytes | None:
    """XML that nests without end."""
    return _sheet(
        raw, lambda body: body.replace(b"<sheetData>", b"<a>" * DEEP + b"</a>" * DEEP + b"<sheetData>")
    )


def zip_bomb(raw: bytes, rng: Rng) -> bytes | None:
    """A sheet of hundreds of megabytes in a small file."""
    row = b"<row>" + b"<c><v>1</v></c>" * 100 + b"</row>"
    return _sheet(raw, lambda body: body.replace(b"</sheetData>", row * 100_000 + b"</sheetData>"))


XLSX: tuple[Way, ...] = (
    xml_damage,
    xml_damage,
    xml_damage,
    far_corner,
    huge_merge,
    sheet_value,
    sheet_value,
    entities,
    deep_sheet,
    zip_bomb,
)
