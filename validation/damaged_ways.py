"""Ways to damage a file, from a flipped bit to a workbook with one cell in its far corner.

A way takes the bytes of a valid file and gives those of a damaged one, or None where it does not apply;
`MISSING` means that the file is taken away. New words that stand for a person's value are `VALUE`.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import zipfile
from collections.abc import Callable

import numpy as np

MISSING = b"\0missing\0"
VALUE = "ZQ999x"
"""What is written in place of a person's value; like the names of people it may never be seen again."""

Rng = np.random.Generator
Way = Callable[[bytes, Rng], bytes | None]

ABSURD = ("1e308", "-1e308", "1e400", "inf", "-inf", "nan", "-0", "1" + "0" * 400, "1e-320", "0x10", "١٢", "")
HUGE_CELL = 140_000
DEEP = 50_000


def truncate(raw: bytes, rng: Rng) -> bytes | None:
    """Cut the end off."""
    return raw[: int(rng.integers(1, len(raw)))] if len(raw) > 1 else None


def flip(raw: bytes, rng: Rng) -> bytes | None:
    """Flip a few bits."""
    return _change(raw, rng, lambda byte: byte ^ (1 << int(rng.integers(8))), int(rng.integers(1, 9)))


def scramble(raw: bytes, rng: Rng) -> bytes | None:
    """Replace a few bytes by any others."""
    return _change(raw, rng, lambda _: int(rng.integers(256)), int(rng.integers(1, 33)))


def extremes(raw: bytes, rng: Rng) -> bytes | None:
    """Replace four bytes in a row by those of the largest numbers."""
    if len(raw) < 8:
        return None
    at = int(rng.integers(len(raw) - 4))
    return raw[:at] + bytes([int(rng.choice([0, 127, 255]))] * 4) + raw[at + 4 :]


def _change(raw: bytes, rng: Rng, change: Callable[[int], int], times: int) -> bytes | None:
    if not raw:
        return None
    changed = bytearray(raw)
    for at in rng.integers(0, len(raw), times):
        changed[at] = change(changed[at])
    return bytes(changed)


def cut_out(raw: bytes, rng: Rng) -> bytes | None:
    """Leave out a piece in the middle."""
    if len(raw) < 4:
        return None
    start, end = sorted(int(x) for x in rng.integers(0, len(raw), 2))
    return raw[:start] + raw[end:]


def zeros(raw: bytes, rng: Rng) -> bytes | None:
    """Overwrite a piece with zeros, as a disk does that lost a block."""
    if len(raw) < 4:
        return None
    start, end = sorted(int(x) for x in rng.integers(0, len(raw), 2))
    return raw[:start] + bytes(end - start) + raw[end:]


def empty(raw: bytes, rng: Rng) -> bytes | None:
    """Nothing."""
    return b""


def missing(raw: bytes, rng: Rng) -> bytes | None:
    """No file."""
    return MISSING


def noise(raw: bytes, rng: Rng) -> bytes | None:
    """Random bytes."""
    return rng.bytes(200)


def bomb(raw: bytes, rng: Rng) -> bytes | None:
    """A small gzip file that grows to 300 MB."""
    return _bomb()


def packed(raw: bytes, rng: Rng) -> bytes | None:
    """The file itself, compressed."""
    return gzip.compress(raw, mtime=0)


def twice(raw: bytes, rng: Rng) -> bytes | None:
    """The file, and the file again."""
    return raw + raw


def other_container(raw: bytes, rng: Rng) -> bytes | None:
    """The beginning of another kind of file, then this one."""
    heads = (
        b"PAR1",
        b"PK\x03\x04",
        b"\x1f\x8b\x08\0",
        b"SQLite format 3\0",
        b"ARROW1\0\0",
        b"\x6c\x1b\x01",
        b"BCF\2\2",
    )
    return heads[int(rng.integers(len(heads)))] + raw


_BOMB: list[bytes] = []


def _bomb() -> bytes:
    if not _BOMB:
        out = io.BytesIO()
        with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=9, mtime=0) as file:
            for _ in range(300):
                file.write(b"0,0,0,0\n" * (1 << 17))
        _BOMB.append(out.getvalue())
    return _BOMB[0]


BYTES: tuple[Way, ...] = (
    truncate, flip, flip, scramble, extremes, cut_out, zeros, empty, missing, noise, packed, twice, other_container,
)  # fmt: skip


# text


def _lines(raw: bytes) -> list[bytes]:
    return raw.splitlines(keepends=True)


def _separator(line: bytes) -> bytes:
    return max((b",", b"\t", b";", b" "), key=line.count)


def _cell(raw: bytes, rng: Rng, new: bytes, *, header: bool = False) -> bytes | None:
    """Put something else into one cell."""
    lines = _lines(raw)
    first = 0 if header else 1
    if len(lines) <= first:
        return None
    at = 0 if header else int(rng.integers(first, len(lines)))
    body = lines[at].rstrip(b"\r\n")
    mark = _separator(body)
    cells = body.split(mark)
    cells[int(rng.integers(len(cells)))] = new
    lines[at] = mark.join(cells) + b"\n"
    return b"".join(lines)


def _column(raw: bytes, rng: Rng, new: Callable[[int], bytes]) -> bytes | None:
    """Put something else into every cell of one column."""
    lines = _lines(raw)
    if len(lines) < 2:
        return None
    mark = _separator(lines[0])
    which = int(rng.integers(len(lines[0].split(mark))))
    for at in range(1, len(lines)):
        cells = lines[at].rstrip(b"\r\n").split(mark)
        if which < len(cells):
            cells[which] = new(at)
        lines[at] = mark.join(cells) + b"\n"
    return b"".join(lines)


def latin(raw: bytes, rng: Rng) -> bytes | None:
    """A letter that is not UTF-8."""
    return _cell(raw, rng, f"{VALUE}é".encode("latin-1"))


def utf16(raw: bytes, rng: Rng) -> bytes | None:
    """The whole file as Windows writes "Unicode"."""
    return raw.decode("utf-8", "replace").encode("utf-16")


def byte_order(raw: bytes, rng: Rng) -> bytes | None:
    """A mark of byte order before the first name."""
    return b"\xef\xbb\xbf" + raw


def nul(raw: bytes, rng: Rng) -> bytes | None:
    """The character NUL in a value."""
    return _cell(raw, rng, f"{VALUE}\0".encode())


def huge_cell(raw: bytes, rng: Rng) -> bytes | None:
    """A value of 140,000 characters."""
    return _cell(raw, rng, (VALUE * (HUGE_CELL // len(VALUE))).encode())


def huge_name(raw: bytes, rng: Rng) -> bytes | None:
    """A column name of 140,000 characters."""
    return _cell(raw, rng, b"n" * HUGE_CELL, header=True)


def word(raw: bytes, rng: Rng) -> bytes | None:
    """A word in place of a value."""
    return _cell(raw, rng, VALUE.encode())


def absurd(raw: bytes, rng: Rng) -> bytes | None:
    """A number that no statistic has."""
    return _cell(raw, rng, str(rng.choice(ABSURD)).encode())


def absurd_column(raw: bytes, rng: Rng) -> bytes | None:
    """A column of such numbers."""
    return _column(raw, rng, lambda _: str(rng.choice(ABSURD)).encode())


def same_absurd_column(raw: bytes, rng: Rng) -> bytes | None:
    """A column of one such number: all NaN, all infinite, all empty."""
    value = str(rng.choice(ABSURD)).encode()
    return _column(raw, rng, lambda _: value)


def words_column(raw: bytes, rng: Rng) -> bytes | None:
    """A column of different words."""
    return _column(raw, rng, lambda at: f"{VALUE}{at}".encode())


def no_header(raw: bytes, rng: Rng) -> bytes | None:
    """The header is gone: the first line is a person."""
    return b"".join(_lines(raw)[1:])


def mangled_header(raw: bytes, rng: Rng) -> bytes | None:
    """A name of the header is another."""
    return _cell(raw, rng, b"xyzzy", header=True)


def twin_header(raw: bytes, rng: Rng) -> bytes | None:
    """Two columns have one name."""
    lines = _lines(raw)
    if not lines:
        return None
    mark = _separator(lines[0])
    cells = lines[0].rstrip(b"\r\n").split(mark)
    cells[-1] = cells[0]
    return b"".join([mark.join(cells) + b"\n", *lines[1:]])


def ragged(raw: bytes, rng: Rng) -> bytes | None:
    """A row with a field more or less."""
    lines = _lines(raw)
    if len(lines) < 2:
        return None
    at = int(rng.integers(1, len(lines)))
    body = lines[at].rstrip(b"\r\n")
    mark = _separator(body)
    lines[at] = (body + mark + VALUE.encode() if rng.random() < 0.5 else body.rpartition(mark)[0]) + b"\n"
    return b"".join(lines)


def open_quote(raw: bytes, rng: Rng) -> bytes | None:
    """A quote that is never closed."""
    return _cell(raw, rng, f'"{VALUE}'.encode())


def repeated(raw: bytes, rng: Rng) -> bytes | None:
    """A row twice."""
    lines = _lines(raw)
    return b"".join([*lines, lines[int(rng.integers(1, len(lines)))]]) if len(lines) > 1 else None


def shuffled(raw: bytes, rng: Rng) -> bytes | None:
    """The rows in another order, some left out."""
    lines = _lines(raw)
    if len(lines) < 3:
        return None
    order = 1 + rng.permutation(len(lines) - 1)[: int(rng.integers(1, len(lines)))]
    return b"".join([lines[0], *(lines[i] for i in order)])


def old_lines(raw: bytes, rng: Rng) -> bytes | None:
    """Line ends of an old Macintosh."""
    return raw.replace(b"\n", b"\r")


def nested_text(raw: bytes, rng: Rng) -> bytes | None:
    """Brackets without end, in a value."""
    return _cell(raw, rng, b"(" * DEEP + b"x = 1" + b")" * DEEP)


def nested_nots(raw: bytes, rng: Rng) -> bytes | None:
    """A condition that is denied again and again, or a tree that never ends."""
    if b"|---" in raw:
        return b"".join(b"|   " * j + b"|--- age <= %d.50\n" % j for j in range(3000))
    return _cell(raw, rng, b"not " * 5000 + b"sex = f")


TEXT: tuple[Way, ...] = (
    latin, utf16, byte_order, nul, huge_cell, huge_name, word, absurd, absurd, absurd_column, same_absurd_column,
    words_column, no_header, mangled_header, twin_header, ragged, open_quote, repeated, shuffled, old_lines,
    nested_text, nested_nots, bomb,
)  # fmt: skip


# JSON and TOML


def json_value(raw: bytes, rng: Rng) -> bytes | None:
    """Something absurd in place of one value."""
    text = raw.decode("utf-8", "replace")
    places = [m.span() for m in re.finditer(r'(?<=: )("[^"]*"|-?\d[\d.eE+-]*|null|true|false)', text)]
    places += [m.span() for m in re.finditer(r'(?<=[\[,])\s*("[^"]*"|-?\d+)', text)]
    if not places:
        return None
    start, end = places[int(rng.integers(len(places)))]
    new = str(rng.choice(["1e999", "NaN", "9" * 400, "-1", "null", "{}", "[]", '"\\u0000"', f'"{VALUE}"', "1e308",
                          "0.5", '"../../etc/passwd"', "[" * 3000 + "]" * 3000, '"\\ud800"']))  # fmt: skip
    return (text[:start] + new + text[end:]).encode("utf-8", "replace")


def json_key(raw: bytes, rng: Rng) -> bytes | None:
    """A key is missing or has another name."""
    text = raw.decode("utf-8", "replace")
    keys = [m.span(1) for m in re.finditer(r'"(\w+)":', text)]
    if not keys:
        return None
    start, end = keys[int(rng.integers(len(keys)))]
    return (text[:start] + "xyzzy" + text[end:]).encode()


def deep_json(raw: bytes, rng: Rng) -> bytes | None:
    """Brackets without end."""
    return json.dumps("x").encode().join([b"[" * DEEP, b"]" * DEEP])


def toml_value(raw: bytes, rng: Rng) -> bytes | None:
    """Something absurd in place of one value."""
    lines = raw.decode("utf-8", "replace").splitlines()
    places = [j for j, line in enumerate(lines) if " = " in line]
    if not places:
        return None
    at = places[int(rng.integers(len(places)))]
    values = ["inf", "nan", "-1", "1e308", "9" * 400, '""', "[]", "{}", "true", "1979-05-27", '"a\\u0000b"', '"x" "y"',
              "[" * DEEP + "]" * DEEP, f'"{"x" * HUGE_CELL}"', '"/dev/null"', '"."', '"nowhere/at/all.csv"',
              *(f'"{m}"' for m in MECHANISMS)]  # fmt: skip
    lines[at] = lines[at].split(" = ")[0] + " = " + str(rng.choice(np.array(values, object)))
    return ("\n".join(lines) + "\n").encode()


def mechanism(raw: bytes, rng: Rng) -> bytes | None:
    """A mechanism with an absurd number."""
    new = f'mechanism = "{rng.choice(MECHANISMS)}"'
    changed = re.sub(rb"mechanism = .*", new.encode(), raw)
    return None if changed == raw else changed


MECHANISMS = tuple(
    text.format(number)
    for number in ("1e308", "1e-308", "1e200", "1" + "0" * 400, "5e-324", "nan", "inf", "-0", "1e18", "0.1")
    for text in ("gaussian:sigma={}", "gaussian:rho={}", "laplace:scale={}", "laplace:epsilon={}", "geometric:scale={}",
                 "geometric:epsilon={}", "rounding:base={}", "rounding:digits={}", "bounded:error={}",
                 "suppression:below={}", "topcode:at={}", "subsample:rate={}",
                 "rounding:base={},how=random", "rounding:base={},how=controlled", "bounded:error={},how=extreme")
)  # fmt: skip


def deep_toml(raw: bytes, rng: Rng) -> bytes | None:
    """A value of brackets without end, or a key of dots without end."""
    deep = b"x = " + b"[" * DEEP + b"]" * DEEP if rng.random() < 0.5 else b".".join([b"a"] * DEEP) + b" = 1"
    return deep + b"\n" + raw


JSON: tuple[Way, ...] = (json_value, json_value, json_value, json_key, json_key, deep_json, latin, utf16, nul)
TOML: tuple[Way, ...] = (
    toml_value,
    toml_value,
    toml_value,
    mechanism,
    mechanism,
    deep_toml,
    latin,
    utf16,
    nul,
)


# Parquet and Arrow


def arrow_column(raw: bytes, rng: Rng) -> bytes | None:
    """Another type, or other values, in one column of a whole file."""
    import pyarrow as pa

    table, write = _arrow(raw)
    if table is None:
        return None
    n, which = table.num_rows, int(rng.integers(table.num_columns))
    columns = [
        pa.nulls(n), pa.array([float("nan")] * n), pa.array([float("inf")] * n), pa.array([1e308] * n),
        pa.array([b"\xff\xfe"] * n), pa.array([[1, 2]] * n), pa.array([{"a": 1}] * n), pa.array([f"{VALUE}\0"] * n),
        pa.array([VALUE] * n).dictionary_encode(), pa.array([2**63 - 1] * n), pa.array(["x" * 20_000] * n),
        pa.array([True] * n), pa.array([0] * n, pa.timestamp("ns")), pa.array([10**30] * n, pa.decimal128(38)),
        pa.array([-(2**40)] * n, pa.duration("s")), pa.array([1] * n, pa.uint64()), pa.array([VALUE] * n, pa.large_string()),
    ]  # fmt: skip
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
    offsets = np.frombuffer(column.buffers()[1], np.int32).copy()
    offsets[int(rng.integers(len(offsets)))] = int(rng.choice([-1, -(2**31), 2**31 - 1, 10**8]))
    bad = pa.Array.from_buffers(pa.string(), len(column), [None, pa.py_buffer(offsets), column.buffers()[2]])
    return write(table.set_column(which, table.column_names[which], bad))


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
            with pa.ipc.new_stream(sink, table.schema) as writer:  # type: ignore[attr-defined]
                writer.write_table(table)
        return sink.getvalue()

    if raw[:4] == b"PAR1":
        return parquet.read_table(io.BytesIO(raw)), write
    if raw[:6] == b"ARROW1":
        return feather.read_table(io.BytesIO(raw)), write
    return pa.ipc.open_stream(io.BytesIO(raw)).read_all(), write


ARROW: tuple[Way, ...] = (arrow_column, arrow_column, arrow_names, arrow_rows, flip, flip, extremes)
IPC: tuple[Way, ...] = (*ARROW, bad_offsets, bad_offsets)


# workbooks


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
    xml_damage, xml_damage, xml_damage, far_corner, huge_merge, sheet_value, sheet_value, entities, deep_sheet, zip_bomb,
)  # fmt: skip


def ways(name: str) -> tuple[Way, ...]:
    """Every way that makes sense for a file of this name."""
    end = name.rsplit(".", 1)[-1]
    if end in ("csv", "tsv", "txt", "vcf", "bim", "fam"):
        return BYTES + TEXT
    if end in ("feather", "arrow"):
        return BYTES + IPC
    special: dict[str, tuple[Way, ...]] = {
        "toml": TOML, "json": JSON, "parquet": ARROW, "xlsx": XLSX, "gz": (bomb,),
    }  # fmt: skip
    return BYTES + special.get(end, ())
