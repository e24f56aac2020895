"""Ways to damage text: tables, JSON and TOML."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import numpy as np
from validation.damaged_bytes import ABSURD, DEEP, HUGE_CELL, VALUE, Rng, Way, bomb


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


def swapped_header(raw: bytes, rng: Rng) -> bytes | None:
    """Two columns have each other's name: what was a person is a question."""
    lines = _lines(raw)
    if not lines:
        return None
    mark = _separator(lines[0])
    cells = lines[0].rstrip(b"\r\n").split(mark)
    if len(cells) < 2:
        return None
    one, two = rng.choice(len(cells), 2, replace=False)
    cells[one], cells[two] = cells[two], cells[one]
    return b"".join([mark.join(cells) + b"\n", *lines[1:]])


def joined_header(raw: bytes, rng: Rng) -> bytes | None:
    """The end of the first line is gone: the header goes on with a person."""
    first, _, rest = raw.partition(b"\n")
    return first + rest


def exchanged(raw: bytes, rng: Rng) -> bytes | None:
    """Another file altogether: a list of people."""
    rows = [f"ZQ{i:03}x,ZQjob{i:03},{20 + i % 7},{'yes' if i % 3 else 'no'}\n" for i in range(30)]
    return "".join(["client,job,age,ill\n", *rows]).encode()


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
    latin,
    utf16,
    byte_order,
    nul,
    huge_cell,
    huge_name,
    word,
    absurd,
    absurd,
    absurd_column,
    same_absurd_column,
    words_column,
    no_header,
    mangled_header,
    twin_header,
    swapped_header,
    joined_header,
    exchanged,
    ragged,
    open_quote,
    repeated,
    shuffled,
    old_lines,
    nested_text,
    nested_nots,
    bomb,
)


def json_value(raw: bytes, rng: Rng) -> bytes | None:
    """Something absurd in place of one value."""
    text = raw.decode("utf-8", "replace")
    places = [m.span() for m in re.finditer(r'(?<=: )("[^"]*"|-?\d[\d.eE+-]*|null|true|false)', text)]
    places += [m.span() for m in re.finditer(r'(?<=[\[,])\s*("[^"]*"|-?\d+)', text)]
    if not places:
        return None
    start, end = places[int(rng.integers(len(places)))]
    new = str(
        rng.choice(
            [
                "1e999",
                "NaN",
                "9" * 400,
                "-1",
                "null",
                "{}",
                "[]",
                '"\\u0000"',
                f'"{VALUE}"',
                "1e308",
                "0.5",
                '"../../etc/passwd"',
                "[" * 3000 + "]" * 3000,
                '"\\ud800"',
            ]
        )
    )
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
    values = [
        "inf",
        "nan",
        "-1",
        "1e308",
        "9" * 400,
        '""',
        "[]",
        "{}",
        "true",
        "1979-05-27",
        '"a\\u0000b"',
        '"x" "y"',
        "[" * DEEP + "]" * DEEP,
        f'"{"x" * HUGE_CELL}"',
        '"/dev/null"',
        '"."',
        '"nowhere/at/all.csv"',
        *(f'"{m}"' for m in MECHANISMS),
    ]
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
    for text in (
        "gaussian:sigma={}",
        "gaussian:rho={}",
        "laplace:scale={}",
        "laplace:epsilon={}",
        "geometric:scale={}",
        "geometric:epsilon={}",
        "rounding:base={}",
        "rounding:digits={}",
        "bounded:error={}",
        "suppression:below={}",
        "topcode:at={}",
        "subsample:rate={}",
        "rounding:base={},how=random",
        "rounding:base={},how=controlled",
        "bounded:error={},how=extreme",
    )
)


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
