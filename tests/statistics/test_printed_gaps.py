"""Printed tables with gaps: hidden values and columns, shares of nobody, and nothing at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from dalenius.errors import InputError, SaysNothingError
from dalenius.printed.files import read_printed
from dalenius.printed.tables import Said, release_of_tables
from helpers.printed_tables import PEOPLE, intervals, lines, read_text


def test_values_that_are_not_printed(tmp_path: Path) -> None:
    """Two of three values: the third may be anybody's, if it is said to be there."""
    (tmp_path / "t.csv").write_text(lines("town,flu,other", "A,5,5", "B,0,5", "C,5,0"))
    tables = read_printed(tmp_path / "t.csv", PEOPLE.attributes.columns)
    said = Said("rounding:base=5")
    for levels in (("flu", "none", "other"), None):
        made = release_of_tables(tables, PEOPLE, said, levels=levels)
        assert made.secret.levels == (levels or ("flu", "other"))
    with pytest.raises(
        InputError, match="--values must name every value that is printed; got one without it"
    ):
        release_of_tables(tables, PEOPLE, said, levels=("flu", "none"))


def test_shares_of_nobody_visible_say_nothing(tmp_path: Path) -> None:
    """In B all that is left are zeros, and nothing divided by nothing is printed as nothing."""
    text = lines("town,flu,none,other", "A,0.0%,50.0%,50.0%", "B,,,", "C,100.0%,,0.0%")
    found = intervals(tmp_path, text, mechanism="suppression:below=3")
    assert ("town=B", "other") not in found
    assert found["town=A", "none"] == (4, 4)


def test_columns_of_shares_of_nobody_visible_say_nothing(tmp_path: Path) -> None:
    """Nobody visible has none: of what its column is a share cannot be told from cells that are hidden."""
    text = lines("town,flu,none,other", "A,0.0%,,100.0%", "B,100.0%,,0.0%", "C,0.0%,,0.0%")
    found = intervals(tmp_path, text, mechanism="suppression:below=3", of="column")
    assert ("town=A", "none") not in found
    assert found["town=A", "flu"] == (0, 0)


def test_sums_without_a_value_that_is_hidden_everywhere(tmp_path: Path) -> None:
    """In each town seven are ill and the healthy one is hidden: a total of 7 is the sum of what is left."""
    text = lines("town,yes,All", "A,7,7", "B,7,7", "C,7,7", "All,21,21")
    tables = read_text(tmp_path, text)
    for mechanism in ("suppression:below=3", "suppression:below=3,zeros=hide"):
        made = release_of_tables(tables, PEOPLE, Said(mechanism), levels=("no", "yes"))
        assert made.size == 4
    with pytest.raises(InputError, match="must add up to the 8 people on the list; got 7"):
        release_of_tables(tables, PEOPLE, Said("exact"), levels=("no", "yes"))


@pytest.mark.parametrize("numbers", [None, "percent", "fraction"])
def test_a_table_without_numbers_says_nothing(tmp_path: Path, numbers: str | None) -> None:
    """Counts that are hidden, or shares of nobody? Nothing can be concluded, and nothing is wrong with it."""
    said = Said("suppression:below=5", numbers=numbers)
    tables = read_text(tmp_path, lines("town,no,yes", "A,,", "B,,", "C,,"), said.per)
    with pytest.raises(SaysNothingError, match="nothing follows about anybody and nothing is guessed"):
        release_of_tables(tables, PEOPLE, said)
    counts = Said("suppression:below=5", numbers="counts")
    tables = read_text(tmp_path, (tmp_path / "t.csv").read_text(), counts.per)
    assert release_of_tables(tables, PEOPLE, counts).size == 6


def test_empty_tables_about_other_people_are_still_refused(tmp_path: Path) -> None:
    tables = read_text(tmp_path, lines("town,no,yes", "A,,", "B,,"))
    with pytest.raises(InputError, match="every level of 'town' on the list of people must be in one"):
        release_of_tables(tables, PEOPLE, Said("suppression:below=5"))


@pytest.mark.parametrize("sign", ["%", ""])
def test_empty_columns_under_the_levels_of_another_say_nothing(tmp_path: Path, sign: str) -> None:
    """No woman is visible as ill; beside men the same value is printed, so its column is not empty."""
    rows = [
        f"{town},100.0{sign},,{share}{sign},{share}{sign}" for town, share in zip("ABC", "350", strict=True)
    ]
    text = lines("sex,f,f,m,m", "ill,no,yes,no,yes", "town,,,,", *rows)
    said = {} if sign else {"numbers": "percent"}
    tables = read_text(tmp_path, text, Said(**said).per)
    made = release_of_tables(tables, PEOPLE, Said("suppression:below=3", of="all", **said))
    labels = [
        (label, value)
        for block in made.blocks
        for label in block.statistic.labels()
        for value in block.values
    ]
    assert not any("sex=f" in label and value == "yes" for label, value in labels)
    assert sum("sex=f" in label for label, _ in labels) == 3
