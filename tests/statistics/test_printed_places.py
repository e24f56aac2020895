"""Messages about printed tables name rows and cells as they stand in the file that somebody opens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from openpyxl import Workbook, load_workbook

from dalenius.amounts.published.groups import Listed
from dalenius.amounts.published.printed import AmountsSaid, read_amount_tables
from dalenius.errors import InputError
from dalenius.people.schema import Column, Kind, Role
from dalenius.printed.files import read_printed
from dalenius.printed.grid import read_grids
from dalenius.records.published.sheets import read_sheets

AGE = Column("age", Role.PUBLIC, Kind.CATEGORICAL, ("20", "31", "38"))
SEX = Column("sex", Role.PUBLIC, Kind.BINARY, ("f", "m"))

TITLE: list[list[str]] = [["", "Table 1"], []]
"""What stands above every table: a line, then none; and column A is empty."""


def tables(path: Path) -> object:
    return read_printed(path, [AGE, SEX])


def amounts(path: Path) -> object:
    ids = np.array(["p", "q", "r"])
    labels = {"age": np.array(["20", "31", "38"]), "sex": np.array(["f", "m", "m"])}
    return read_amount_tables([path], Listed(ids, labels), AmountsSaid("income"))


def write(folder: Path, suffix: str, lines: list[list[str]]) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"t.{suffix}"
    rows = [*TITLE, *(["", *line] if line else [] for line in lines)]
    if suffix == "csv":
        path.write_text("".join(",".join(row) + "\n" for row in rows))
        return path
    book = Workbook()
    for r, row in enumerate(rows, start=1):
        for c, text in enumerate(row, start=1):
            if text:
                book.active.cell(r, c, int(text) if text.isdecimal() else text)
    book.save(path)
    return path


CASES: list[tuple[Callable[[Path], object], list[list[str]], str, str]] = [
    (tables, [["age", "no", "yes"], ["20", "2", "1"], [], ["31", "1", "two"]], "row 6, column 4", "cell D6"),
    (tables, [["age", "no", "", "yes"], ["20", "2", "", "two"]], "row 4, column 5", "cell E4"),
    (tables, [["age", "no", "yes"], [], ["20", "2", "1"], [], ["20", "1"]], "row 7, column 3", "cell C7"),
    (tables, [["", "big", "", "small"], [], ["age", "no", "yes", "no", "yes"], ["20", "1", "1", "1", "0"]],
     "row 3, in the header", "row 3, in the header"),
    (tables, [["age", "", "ill", "count", "sex"], ["20", "", "no", "2", "f"]], "column 5", "column E"),
    (read_sheets, [["sex", "age", "count"], [], ["f", "child", "many"]], "t, row 5 must", "t, row 5 must"),
    (read_sheets, [["", "age", "age"], ["sex", "child", "adult"], [], ["f", "2", "many"]],
     "row 6, column 4", "cell D6"),
    (amounts, [["age", "sum"], ["20", "7"], [], ["31", "x y"]], "row 6, sum", "row 6, sum"),
    (amounts, [["age", "f", "m"], ["20", "7", "*"], [], ["31", "*", "x y"]], "row 6, column 4", "cell D6"),
]  # fmt: skip


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
@pytest.mark.parametrize(("read", "lines", "in_csv", "in_xlsx"), CASES)
def test_where_it_is_in_the_file(
    tmp_path: Path,
    suffix: str,
    read: Callable[[Path], object],
    lines: list[list[str]],
    in_csv: str,
    in_xlsx: str,
) -> None:
    with pytest.raises(InputError) as caught:
        read(write(tmp_path, suffix, lines))
    assert (in_csv if suffix == "csv" else in_xlsx) in str(caught.value)


def test_quoted_line_breaks_are_one_row(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('"Table 1,\nby age",,\n\nage,no,yes\n20,2,two\n')
    with pytest.raises(InputError, match=r"t\.csv, row 4, column 3 must be a number"):
        tables(path)


def test_every_sheet_knows_its_own_places(tmp_path: Path) -> None:
    book = Workbook()
    book.active.cell(1, 1, "notes")
    book.create_sheet("two").cell(7, 28, "age")
    book.save(tmp_path / "t.xlsx")
    first, second = read_grids(tmp_path / "t.xlsx")
    assert first.cell(0, 0) == "cell A1"
    assert (second.name, second.cell(0, 0)) == ("t.xlsx[two]", "cell AB7")


def test_a_title_that_is_wider_than_its_table_makes_no_column(tmp_path: Path) -> None:
    lines = [
        ["age", "ill", "ill", "ill"],
        ["", "no", "yes", "Total"],
        ["20", "2", "1", "3"],
        ["31", "4", "0", "4"],
    ]
    plain, titled = (write(tmp_path / name, "xlsx", lines) for name in ("plain", "titled"))
    book = load_workbook(titled)
    book.active.merge_cells("B1:I1")
    book.active.merge_cells("B3:B4")
    book.active.merge_cells("C3:E3")
    book.save(titled)
    assert [read_grids(path)[0].columns for path in (plain, titled)] == [(2, 3, 4, 5)] * 2
    read = [read_printed(path, [AGE, SEX], secret="ill")[0].entries for path in (plain, titled)]
    assert read[0] == read[1]
