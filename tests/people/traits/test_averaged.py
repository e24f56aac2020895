"""Columns of a table as attributes of people: what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from dalenius.errors import InputError
from dalenius.people.files.read_file import read_sheet
from dalenius.people.traits.averaged import MOST_MEASURED, find_averaged, traits_of


def table(folder: Path, largest: float) -> Path:
    path = folder / "people.csv"
    path.write_text(f"id,income\nann,1\nbob,2.5\ncay,{largest!r}\n")
    return path


def test_a_number_whose_square_is_infinite_is_refused_by_row(tmp_path: Path) -> None:
    # everybody's scores would be NaN, and the test still speak of its level
    for largest in (1e101, -1e308):
        sheet = read_sheet(table(tmp_path, largest))
        with pytest.raises(InputError, match="1 beyond, first in row 3") as told:
            traits_of(sheet, find_averaged([sheet], ["income"]), "id")
        assert "cay" not in str(told.value)
    sheet = read_sheet(table(tmp_path, MOST_MEASURED))
    assert traits_of(sheet, find_averaged([sheet], ["income"]), "id").n == 3
