"""Generalised cells of many tools, read as conditions on original values."""

from __future__ import annotations

import datetime

import numpy as np
import pyarrow as pa
import pytest

from dalenius.conditions.leaves import Between, Equals, In
from dalenius.conditions.row_match import match_values
from dalenius.errors import InputError
from dalenius.people.rows.rows import Rows
from dalenius.release.rows.cells import Domain, parse_cell, parse_cells
from dalenius.release.rows.labels import LabelTree


def tree(*paths: tuple[str, ...]) -> LabelTree:
    return LabelTree({path[0]: path for path in paths})


TOWNS = tree(("Bern", "west", "*"), ("Fribourg", "west", "*"), ("Zug", "east", "*"))


def accepts(cell: str, value: object, domain: Domain | None = None) -> bool:
    leaf = parse_cell(cell, domain or Domain("x"))
    column = Rows.of_table(pa.table({"x": [value]})).column("x")
    return leaf is None or bool(match_values(leaf, column)[0])


@pytest.mark.parametrize(
    ("cell", "inside", "outside"),
    [
        ("[20, 30[", [20, 29.5], [30, 19.9]),
        ("]20;30]", [20.5, 30], [20]),
        ("(20, 30]", [20.5, 30], [20]),
        ("[20-30)", [20, 29], [30]),
        ("-5--1", [-5, -1], [-6, 0]),
        ("-5 - 1", [-5, 1], [2]),
        ("20..29", [20, 29], [30]),
        ("20–29", [20, 29], [19]),
        ("20:29", [20], [30]),
        ("[,17]", [-3, 17], [18]),
        ("]-inf; 17[", [-3], [17]),
        (">=90", [90], [89]),
        ("> 90", [91], [90]),
        ("≤ 3", [3], [4]),
        ("<3", [2], [3]),
        ("4781*", ["47812"], ["4781", "478123"]),
        ("913**", ["91301"], ["91401"]),
        ("{A, B}", ["A", "B"], ["C"]),
        ("{1, 2}", [1, 2.0], [3]),
        ("*", ["A", 3, None], []),
        ("*****", ["A", None], []),
        ("", ["A", None], []),
        ("plain", ["plain"], ["other"]),
        ("00-04", [0, 4], [5]),
        ("25-00703", ["25-00703"], ["25-00704", 26]),
        ("30", [30, 30.0, "30"], [31]),
        ("1.5e3", [1500], [1]),
        ("90+", [90, 101.5], [89]),
        ("NA", ["A", 3, None], []),
    ],
)
def test_golden_cells(cell: str, inside: list[object], outside: list[object]):
    assert all(accepts(cell, value) for value in inside)
    assert not any(accepts(cell, value) for value in outside)


def test_a_raw_value_comes_first():
    raw = Rows.of_table(pa.table({"x": ["20-30", "*", "{a, b}", "a"]})).column("x")
    for text in ("20-30", "*", "{a, b}"):
        assert parse_cell(text, Domain("x", raw)) == Equals("x", text)
    assert parse_cell("a, 20-30", Domain("x", raw)) == In("x", ("a", "20-30"))


def test_an_empty_cell_is_a_missing_value_where_there_are_some():
    raw = Rows.of_table(pa.table({"x": ["a", None]})).column("x")
    assert parse_cell("", Domain("x", raw)) == Equals("x", "(missing)")
    assert parse_cell("", Domain("x", raw.take(np.array([0])))) is None


def test_dates():
    born = Rows.of_table(pa.table({"x": pa.array([0, 400], pa.date32())})).column("x")
    leaf = parse_cell("[1970-06-01, 1972-01-01[", Domain("x", born))
    assert isinstance(leaf, Between)
    assert match_values(leaf, born).tolist() == [False, True]
    assert parse_cell("1970-01-01..1970-12-31", Domain("x", born)) == parse_cell(
        "1970-01-01 – 1970-12-31", Domain("x")
    )


def column(values: list[object], kind: pa.DataType | None = None) -> Domain:
    return Domain("x", Rows.of_table(pa.table({"x": pa.array(values, kind)})).column("x"))


def days(*texts: str) -> Domain:
    return column([datetime.date.fromisoformat(text) for text in texts])


ZIPS = column(["10047", "10423", "12000", "01069"])
AGES = column([17, 18, 22, 40, 90])
BORN = days("1969-12-31", "1970-01-01", "1970-06-30", "1970-12-31", "1971-01-01", "1979-12-31")


@pytest.mark.parametrize(
    ("tool", "cell", "domain", "meant"),
    [
        ("anonypyx", "18-22", AGES, [18, 22]),
        ("anonypyx", "40", AGES, [40]),
        ("anonypyx", "10047,10423", ZIPS, ["10047", "10423"]),
        ("anonypyx", "10047,99999", ZIPS, ["10047"]),
        ("umbra-k", "10047-10423", ZIPS, ["10047", "10423"]),
        ("anjana", "[17, 22)", AGES, [17, 18]),
        ("anjana", "100**", ZIPS, ["10047"]),
        ("anjana", "*", AGES, [17, 18, 22, 40, 90]),
        ("ARX", "[20, 41[", AGES, [22, 40]),
        ("ARX", "]18, 40]", AGES, [22, 40]),
        ("ARX", ">=90", AGES, [90]),
        ("ARX", "<18", AGES, [17]),
        ("ARX", "10***", ZIPS, ["10047", "10423"]),
        ("ARX", "{10047, 12000}", ZIPS, ["10047", "12000"]),
        ("ARX", "1970", BORN, ["1970-01-01", "1970-06-30", "1970-12-31"]),
        ("ARX", "[1970-01-01, 1970-12-31[", BORN, ["1970-01-01", "1970-06-30"]),
        ("ARX", "[1970, 1980[", BORN, ["1970-01-01", "1970-06-30", "1970-12-31", "1971-01-01", "1979-12-31"]),
        ("sdcMicro", "(17,22]", AGES, [18, 22]),
        ("sdcMicro", "[1.7e+01,4e+01)", AGES, [17, 18, 22]),
        ("sdcMicro", "NA", AGES, [17, 18, 22, 40, 90]),
        ("an office", "90+", AGES, [90]),
        ("an office", "1970-06", BORN, ["1970-06-30"]),
        ("an office", "1970-1970", BORN, ["1970-01-01", "1970-06-30", "1970-12-31"]),
        ("an office", "1970-07..1971-01", BORN, ["1970-12-31", "1971-01-01"]),
        ("an office", ">=1971", BORN, ["1971-01-01", "1979-12-31"]),
        ("an office", ">1970", BORN, ["1971-01-01", "1979-12-31"]),
        ("an office", "<=1969", BORN, ["1969-12-31"]),
        ("pandas", "1970-01-01 00:00:00-1970-12-31 00:00:00", BORN,
         ["1970-01-01", "1970-06-30", "1970-12-31"]),
        ("ISO 8601", "1970-01-01/1970-06-30", BORN, ["1970-01-01", "1970-06-30"]),
    ],
)  # fmt: skip
def test_cells_as_tools_write_them(tool: str, cell: str, domain: Domain, meant: list[object]):
    leaf = parse_cells([cell], domain)[0]
    values = domain.values
    assert values is not None
    matched = np.ones(len(values), np.bool_) if leaf is None else match_values(leaf, values)
    assert [values.text(i) for i in np.flatnonzero(matched)] == [str(value) for value in meant], tool


def test_a_missing_mark_is_a_missing_value_where_there_are_some():
    some = column([17, None])
    for mark in ("NA", "", "(missing)", "NaN"):
        assert parse_cell(mark, some) == Equals("x", "(missing)")
    assert parse_cell("NA", column(["NA", "CH"])) == Equals("x", "NA")


def test_two_numbers_are_a_range_unless_the_column_lists_more():
    """A range holds both: what is not known for certain is read as the wider of two."""
    assert parse_cells(["28,53", "17,22"], AGES)[0] == Between("x", 28, 53, "both")
    assert parse_cells(["28,53", "17,22,90"], AGES)[0] == In("x", ("28", "53"))
    assert parse_cells(["10047,10423"], ZIPS)[0] == In("x", ("10047", "10423"))
    assert parse_cells(["53,28"], AGES)[0] == In("x", ("53", "28"))


def test_lists_of_values_that_hold_commas():
    work = column(["crafts, repair", "sales", "sales,office"])
    assert parse_cell("crafts, repair,sales", work) == In("x", ("crafts, repair", "sales"))
    assert parse_cell("sales,office", work) == Equals("x", "sales,office")
    assert parse_cell("sales,office,sales", work) == In("x", ("sales,office", "sales"))
    for unknown in ("Smith, John", "Smith,John"):
        assert parse_cell(unknown, work) == Equals("x", unknown)
    assert parse_cell("Smith, John", Domain("x")) == Equals("x", "Smith, John")
    assert parse_cell("Bern,Zug", Domain("x")) == In("x", ("Bern", "Zug"))


@pytest.mark.parametrize("cell", ["[1970-13, 1971]", "[1971, 1970]", "[1970, abc]"])
def test_periods_that_cannot_be(cell: str):
    with pytest.raises(InputError, match="must be readable"):
        parse_cell(cell, BORN)


def test_hierarchies():
    towns = Domain("x", hierarchy=TOWNS)
    assert parse_cell("west", towns) == In("x", ("Bern", "Fribourg"))
    assert parse_cell("Zug", towns) == Equals("x", "Zug")
    assert parse_cell("*", towns) is None
    comparison = tree(("Mayor", ">office", "*"), ("Clerk", "none", "*"))
    assert parse_cell(">office", Domain("x", hierarchy=comparison)) == In("x", ("Mayor",))


def test_one_label_on_two_levels():
    """Recoded as a whole to one level, a label means what it means there."""
    twice = tree(("a", "A", "B"), ("b", "B", "B"), ("c", "C", "C"))
    assert parse_cells(["A", "B", "C"], Domain("x", hierarchy=twice))[1] == In("x", ("b",))
    assert parse_cells(["a", "B"], Domain("x", hierarchy=twice))[1] == In("x", ("b", "a"))
    assert twice.children("B") == ("A", "B")


@pytest.mark.parametrize("cell", ["[20, x]", "[30, 20]", "{}", "{a,,b}", ">=abc", "[20", "20]", "(1-x)"])
def test_cells_that_cannot_be_read(cell: str):
    with pytest.raises(InputError, match=r"must be readable.*A cell is a raw value"):
        parse_cell(cell, Domain("x"))


def test_unreadable_cells_are_counted_together():
    with pytest.raises(InputError, match="cells of column 'x' must be readable; got 7 of 7 different ones"):
        parse_cells([f"[{i}, x]" for i in range(7)], Domain("x"))
