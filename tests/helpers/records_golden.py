"""Small releases with everything that fits them, written down by hand and counted by brute force."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from dalenius.records.cells.cell import PublishedCell, cell
from dalenius.records.cells.columns import RecordColumns


@dataclass(frozen=True)
class Golden:
    """Columns, cells, and what must come out."""

    columns: dict[str, list[str]]
    cells: list[tuple[str, dict[str, list[str]], int, int]]
    data_sets: int
    certain: int
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict)
    first: dict[str, int] = field(default_factory=dict)
    radius: int | None = None
    diameter: int | None = None
    least_radius: int | None = None
    probability: dict[str, float] = field(default_factory=dict)

    @property
    def record_columns(self) -> RecordColumns:
        return RecordColumns.of(self.columns)

    @property
    def published(self) -> list[PublishedCell]:
        columns = self.record_columns
        return [cell(columns, where, low, high, table) for table, where, low, high in self.cells]


def said(
    table: str, *counts: tuple[str, int | tuple[int, int]]
) -> list[tuple[str, dict[str, list[str]], int, int]]:
    """Cells of a table: ``("sex=f age=child|adult", 3)``, or an interval in place of the number."""
    found = []
    for text, count in counts:
        where = {
            name: levels.split("|") for name, _, levels in (part.partition("=") for part in text.split())
        }
        low, high = count if isinstance(count, tuple) else (count, count)
        found.append((table, where, low, high))
    return found


def two_way(names: str, people: Sequence[str]) -> list[tuple[str, dict[str, list[str]], int, int]]:
    """All two-way cells of people who are words of bits."""
    found = []
    for p, q in itertools.combinations(range(len(names)), 2):
        for u, v in itertools.product("01", repeat=2):
            count = sum(word[p] == u and word[q] == v for word in people)
            found += said(names[p] + names[q], (f"{names[p]}={u} {names[q]}={v}", count))
    return found


BITS = ["0", "1"]
BLOCKS = {"block": ["A", "B"], "sex": ["f", "m"], "age": ["child", "adult"]}
IN_BLOCKS = [
    *said("sex", ("block=A sex=f", 2), ("block=A sex=m", 1), ("block=B sex=f", 1), ("block=B sex=m", 2)),
    *said(
        "age",
        ("block=A age=child", 1),
        ("block=A age=adult", 2),
        ("block=B age=child", 2),
        ("block=B age=adult", 1),
    ),
]


def in_tract(*counts: int) -> list[tuple[str, dict[str, list[str]], int, int]]:
    texts = ("sex=f age=child", "sex=f age=adult", "sex=m age=child", "sex=m age=adult")
    return said("tract", *zip(texts, counts, strict=True))


INNER_5 = said(
    "inner",
    ("sex=f ill=yes", (2, 4)), ("sex=f ill=no", (0, 1)), ("sex=m ill=yes", (0, 1)), ("sex=m ill=no", (2, 4)),
)  # fmt: skip

GOLDEN: dict[str, Golden] = {
    "R1": Golden(
        {"a": BITS, "b": BITS},
        said("a", ("a=0", 3), ("a=1", 2)) + said("b", ("b=0", 2), ("b=1", 3)),
        3, 1,
        {"00": (0, 2), "01": (1, 3), "10": (0, 2), "11": (0, 2)},
        {"00": 2, "01": 1, "11": 2}, 4, 4, 2,
        {"00": 0.9, "10": 0.7, "11": 0.9},
    ),
    "R2": Golden(
        dict.fromkeys("abc", BITS), two_way("abc", ["000", "011", "101", "110"]), 2, 0,
        {"".join(word): (0, 1) for word in itertools.product("01", repeat=3)},
        {"000": 1, "011": 1, "101": 1, "110": 1}, 4, 4, 4,
        {"".join(word): 0.5 for word in itertools.product("01", repeat=3)},
    ),
    "R3": Golden(
        dict.fromkeys("abcd", BITS),
        two_way("abcd", ["0101", "0111", "0011", "1000", "0111", "0110", "0111", "1111"]), 1, 8,
        {"0101": (1, 1), "0111": (3, 3), "0011": (1, 1), "1000": (1, 1), "0110": (1, 1), "1111": (1, 1)},
    ),
    "R4": Golden(
        dict.fromkeys("abcd", BITS), two_way("abcd", ["1110", "1001", "0010", "0100", "0101", "0111"]), 2, 2,
        {"0100": (1, 1), "0111": (1, 1)}
        | dict.fromkeys(["0001", "0010", "0101", "0110", "1001", "1010", "1101", "1110"], (0, 1)),
        {}, None, 4, 4,
        dict.fromkeys(["0001", "0010", "0101", "0110", "1001", "1010", "1101", "1110"], 0.5),
    ),
    "R5": Golden(
        {"sex": ["f", "m"], "ill": ["no", "yes"]},
        INNER_5 + said("total", ("", 6)) + said("sex", ("sex=f", 4)), 2, 5,
        {"f no": (0, 1), "f yes": (3, 4), "m no": (2, 2)}, {}, None, 1, 1, {"f no": 0.8},
    ),
    "R5 without women": Golden(
        {"sex": ["f", "m"], "ill": ["no", "yes"]}, INNER_5 + said("total", ("", 6)), 8, 4
    ),
    "R6": Golden(
        {"a": ["0", "1", "2"], "b": BITS},
        said("inner", ("a=0 b=0", 8), ("a=0 b=1", (1, 4)), ("a=1 b=0", 0), ("a=1 b=1", 5),
             ("a=2 b=0", (1, 4)), ("a=2 b=1", (0, 4)))
        + said("rows", ("a=0", 10), ("a=1", 5), ("a=2", 3)) + said("columns", ("b=0", 11), ("b=1", 7)),
        1, 18, {"00": (8, 8), "01": (2, 2), "11": (5, 5), "20": (3, 3)},
    ),
    "R7": Golden(
        BLOCKS, IN_BLOCKS + in_tract(0, 3, 3, 0), 1, 6,
        {"A f adult": (2, 2), "A m child": (1, 1), "B f adult": (1, 1), "B m child": (2, 2)},
    ),
    "R7 without the tract": Golden(BLOCKS, IN_BLOCKS, 4, 2),
    "R8": Golden(
        BLOCKS, IN_BLOCKS + in_tract(1, 2, 2, 1), 2, 2,
        {"A f child": (0, 1), "A f adult": (1, 2), "A m child": (0, 1), "A m adult": (0, 1),
         "B f child": (0, 1), "B f adult": (0, 1), "B m child": (1, 2), "B m adult": (0, 1)},
        {}, None, 4, 4,
        dict.fromkeys(
            ("A f child", "A m child", "A m adult", "B f child", "B f adult", "B m adult"), 0.5
        ),
    ),
    "R9": Golden(
        {"sex": ["f", "m"], "age": ["child", "adult"], "married": ["no", "yes"]},
        said("impossible", ("age=child married=yes", 0)) + said("sex", ("sex=f", 3), ("sex=m", 2))
        + said("age", ("age=child", 2), ("age=adult", 3))
        + said("adults", ("age=adult married=yes", 2), ("age=adult married=no", 1))
        + said("women", ("sex=f age=adult", 2)) + said("wives", ("sex=f age=adult married=yes", 1)),
        1, 5,
        {"f child no": (1, 1), "f adult no": (1, 1), "f adult yes": (1, 1), "m child no": (1, 1),
         "m adult yes": (1, 1)},
    ),
    "R10": Golden(
        {"sex": ["f", "m"], "age": ["0-9", "10-17", "18-64", "65+"], "race": ["x", "y"]},
        said("ages", ("sex=f age=0-9", 1), ("sex=f age=10-17", 0), ("sex=f age=18-64", 2),
             ("sex=f age=65+", 0), ("sex=m age=0-9", 0), ("sex=m age=10-17", 1),
             ("sex=m age=18-64", 1), ("sex=m age=65+", 1))
        + said("races", ("race=x age=0-9|10-17", 1), ("race=x age=18-64|65+", 4), ("race=y age=0-9|10-17", 1),
               ("race=y age=18-64|65+", 0))
        + said("women", ("sex=f race=x", 3), ("sex=f race=y", 0)),
        1, 6,
        {"f 0-9 x": (1, 1), "f 18-64 x": (2, 2), "m 10-17 y": (1, 1), "m 18-64 x": (1, 1), "m 65+ x": (1, 1)},
    ),
    "R11": Golden(
        {"a": BITS, "b": BITS, "c": ["0", "1", "2"]},
        said("a", ("a=1", 4), ("a=0", 1)) + said("b", ("b=1", 3), ("b=0", 2))
        + said("c", ("c=0", 2), ("c=1", 2), ("c=2", 1)),
        19, 0, {}, {"000": 1, "100": 1, "111": 2, "112": 1}, 5, 5, 3,
        {"110": 0.78, "111": 0.78, "100": 0.58, "101": 0.58, "112": 0.48, "102": 0.32, "010": 0.24,
         "011": 0.24, "000": 0.16, "001": 0.16, "012": 0.12, "002": 0.08},
    ),
    "R12": Golden(
        {"race": ["white", "black", "both"], "age": ["child", "adult"]},
        said("all", ("", 5)) + said("races", ("race=white|both", 4), ("race=black|both", 3))
        + said("ages", ("age=child", 2), ("age=adult", 3))
        + said("children", ("age=child race=white|both", 1), ("age=child race=black", 1)),
        2, 3,
        {"white child": (0, 1), "white adult": (1, 2), "black child": (1, 1), "both child": (0, 1),
         "both adult": (1, 2)},
        {}, None, 2, 2, {"white child": 0.5, "both child": 0.5},
    ),
}  # fmt: skip
"""By number; ranges name records with most above 0, and none where they are not listed."""

R13 = Golden(
    {"a": BITS, "b": BITS},
    said("a", ("a=0", 3), ("a=1", 2)) + said("b", ("b=0", 2), ("b=1", 4)), 0, 0,
)  # fmt: skip

R14 = Golden(
    dict.fromkeys("abcd", BITS),
    [
        (p + q, {p: [u], q: [v]}, 1, 1)
        for p, q in itertools.combinations("abcd", 2)
        for u, v in itertools.product("01", repeat=2)
    ],
    0,
    0,
)
