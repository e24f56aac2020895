"""Digits of printed numbers: rounded, cut off, in powers of ten, and beside their shares."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.printed.files import read_printed
from dalenius.printed.tables import Said, release_of_tables
from dalenius.statistics.printed_cell import decimal_comma, read_cell
from helpers.printed_tables import NO, YES, crossed, intervals, lines


@pytest.mark.parametrize(
    ("text", "unit"),
    [("12", 1), ("12.0", 0.1), ("12.30", 0.01), ("1.2e+02", 10), ("1,204", 1), ("7.", 1), (".5", 0.1)],
)
def test_each_cell_has_its_own_digits(text: str, unit: float) -> None:
    cell = read_cell(text)
    assert cell is not None
    assert cell.unit == pytest.approx(unit)


def test_significant_digits_are_not_decimals(tmp_path: Path) -> None:
    """``%.2g`` prints 12 and 5.3: the first is not 12.0."""
    people = 400
    town = Column("town", Role.PUBLIC, Kind.BINARY, ("A", "B"))
    codes = np.repeat([[0], [1]], people // 2, axis=0).astype(np.int32)
    roster = Roster("id", np.arange(people).astype(np.str_), CodedColumns((town,), codes))
    (tmp_path / "t.csv").write_text("town,ill,percent\nA,yes,12\nB,yes,5.5\n")
    for digits, units in (("rounded", 1.0), ("truncated", 1.0), (None, 1.5)):
        tables = read_printed(tmp_path / "t.csv", (town,))
        (block,) = release_of_tables(tables, roster, Said(digits=digits)).blocks
        assert block.most[0, 0] - block.least[0, 0] == pytest.approx(2.0 * units)
        assert block.most[1, 0] - block.least[1, 0] == pytest.approx(0.2 * units)


def test_digits_may_be_cut_off(tmp_path: Path) -> None:
    """Two of three are 66.6% where digits are cut off, and 66.7% where they are rounded."""
    town = Column("town", Role.PUBLIC, Kind.BINARY, ("A", "B"))
    people = CodedColumns((town,), np.zeros((3000, 1), np.int32))
    roster = Roster("id", np.arange(3000).astype(np.str_), people)
    (tmp_path / "t.csv").write_text("town,no,yes\nA,33.3%,66.6%\n")
    tables = read_printed(tmp_path / "t.csv", (town,))
    for digits, ends in (("rounded", (1996.5, 1999.5)), ("truncated", (1998, 2001)), (None, (1996.5, 2001))):
        (block,) = release_of_tables(tables, roster, Said(digits=digits)).blocks
        assert (block.least[0, 1], block.most[0, 1]) == pytest.approx(ends)
    with pytest.raises(InputError, match="--digits must be rounded or truncated; got 'cut'"):
        release_of_tables(tables, roster, Said(digits="cut"))


@pytest.mark.parametrize("digits", [None, "truncated"])
def test_truncated_shares_hold_their_counts(tmp_path: Path, digits: str | None) -> None:
    """Read as rounded, some of these counts would be excluded."""
    no, yes = ([f"{math.floor(1000 * n / 8) / 10:.1f}%" for n in numbers] for numbers in (NO, YES))
    found = intervals(tmp_path, crossed("town,no,yes", no, yes), digits=digits)
    assert [found[f"town={town}", "yes"] for town in "ABC"] == [(n, n) for n in YES]


def test_a_count_with_its_share_is_both(tmp_path: Path) -> None:
    pairs = [[f"{n} ({100 * n / 8:.1f}%)" for n in numbers] for numbers in (NO, YES)]
    found = intervals(tmp_path, crossed("town,no,yes", *pairs))
    assert [found[f"town={town}", "yes"] for town in "ABC"] == [(n, n) for n in YES]
    marked = crossed("town,no,yes", pairs[0], ["* (*)", "*", "* (*%)"])
    found = intervals(tmp_path, marked, mechanism="suppression:below=3,zeros=hide")
    assert [found[f"town={town}", "yes"] for town in "ABC"] == [(0, 2)] * 3
    wrong = crossed("town,no,yes", pairs[0], [f"{YES[0]} (99.0%)", *pairs[1][1:]])
    with pytest.raises(InputError, match="which add up to 100, or of everybody"):
        intervals(tmp_path, wrong)


def test_counts_and_their_shares_are_protected_alike(tmp_path: Path) -> None:
    """Rounded to five, 6 of 8 are 5 and 62.5%; shares of the true counts would be another statement."""
    rounded = lines("town,no,yes", *(f"{town},5 (62.5%),0 (0.0%)" for town in "ABC"))
    found = intervals(tmp_path, rounded, mechanism="rounding:base=5")
    assert all(found[f"town={town}", "yes"] == (0, 2) for town in "ABC")
    true = lines("town,no,yes", *(f"{town},5 (75.0%),0 (25.0%)" for town in "ABC"))
    for mechanism in ("exact", "rounding:base=5"):
        with pytest.raises(InputError):
            intervals(tmp_path, true, mechanism=mechanism)


@pytest.mark.parametrize("text", ["12 (3.4)", "12 (see note)", "(3.4%) 12", "3.4% (12)"])
def test_other_pairs_are_not_read(tmp_path: Path, text: str) -> None:
    table = crossed("town,no,yes", ["5", "5", "5"], [text, "3", "3"])
    with pytest.raises(
        InputError, match=r"row 2, column 3 must be a number, a percentage, both as in 12 \(3.4%\)"
    ):
        intervals(tmp_path, table)


def test_counts_in_powers_of_ten_are_no_counts(tmp_path: Path) -> None:
    text = lines("town,no,yes", "A,5,3", "B,5,3", "C,5,3", "Total,1e1,1.4e1")
    for digits, ends in (("rounded", (5, 15)), ("truncated", (10, 20)), (None, (5, 20))):
        found = intervals(tmp_path, text, digits=digits)
        assert found["everybody", "yes"] == (14, 14)
        assert found["everybody", "no"] == ends


def test_commas_and_points() -> None:
    assert decimal_comma(["1,204", "3"]) is False
    assert decimal_comma(["1.204,5"]) is True
    assert decimal_comma(["0,204"]) is True
    assert decimal_comma(["1,5", "1.5"]) is None
