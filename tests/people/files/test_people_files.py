"""People in workbooks and in files of SPSS, Stata and SAS: the same people as in CSV, or one clear line."""

from __future__ import annotations

import datetime
import sys
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyreadstat
import pytest

from dalenius.errors import InputError, MissingExtraError, TooLargeError
from dalenius.people.dataset import read
from dalenius.people.files import other_programs, statistical_child
from dalenius.people.opening import open_sheet, read_rows

CANARY = "ZQ7x"
N = 40
PEOPLE: dict[str, list[Any]] = {
    "id": [f"{CANARY}{i}" for i in range(N)],
    "age": [20 + i % 5 for i in range(N)],
    "size": [1.5 + i % 3 for i in range(N)],
    "sex": [1 + i % 2 for i in range(N)],
    "ill": ["no" if i % 3 else "yes" for i in range(N)],
}
LABELS = {"sex": {1: "male", 2: "female"}, "age": {24: "24 or more"}}


def make(path: Path) -> Path:
    frame = pd.DataFrame(PEOPLE)
    if path.suffix == ".xlsx":
        book = openpyxl.Workbook()
        for row in [list(PEOPLE), *zip(*PEOPLE.values(), strict=True)]:
            book.active.append(row)
        book.save(path)
    elif path.suffix == ".dta":
        pyreadstat.write_dta(frame, path, variable_value_labels=LABELS)
    elif path.suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        pyreadstat.write_sav(frame, path, variable_value_labels=LABELS, compress=path.suffix == ".zsav")
    return path


@pytest.mark.parametrize(
    "ending",
    [
        ".xlsx",
        ".sav",
        pytest.param(".zsav", marks=pytest.mark.slow(beside="test_the_same_people_as_in_csv")),
        ".dta",
    ],
)
def test_the_same_people_as_in_csv(ending: str, tmp_path: Path) -> None:
    with (
        read(make(tmp_path / f"people{ending}"), secret="ill", id="id") as got,
        read(make(tmp_path / "people.csv"), secret="ill", id="id") as want,
    ):
        assert got.ids().tolist() == want.ids().tolist()
        for one, other in zip(got.schema.public, want.schema.public, strict=True):
            labelled = ending in (".sav", ".zsav", ".dta") and one.name == "sex"
            # a label for every value is used, in the order of letters; one for some of them is not
            assert one.levels == (("female", "male") if labelled else other.levels)
        ages = [list(people.schema.public).index(people.schema.column("age")) for people in (got, want)]
        assert (got.attributes().codes[:, ages[0]] == want.attributes().codes[:, ages[1]]).all()


@pytest.mark.parametrize("ending", [".xlsx", ".dta"])
def test_rows_and_sheets_take_them_too(ending: str, tmp_path: Path) -> None:
    path = make(tmp_path / f"people{ending}")
    assert open_sheet(path).numbers("size").tolist() == PEOPLE["size"]
    assert read_rows(path).column("ill").labels is not None


def test_types_of_a_sheet(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    born = datetime.datetime(1980, 5, 17)
    for row in (
        ["id", None, "born", "well", "code", "score"],
        [],
        [7, None, born, True, 1, 2.0],
        ["07", None, None, False, "x", "#N/A"],
    ):
        book.active.append(row)
    book.save(tmp_path / "people.xlsx")
    table = open_sheet(tmp_path / "people.xlsx").table
    assert table.to_pylist() == [
        {"id": "7", "born": born.date(), "well": True, "code": "1", "score": 2},
        {"id": "07", "born": None, "well": False, "code": "x", "score": None},
    ]


def test_a_sheet_of_several_is_named(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "notes"
    book.active.append(["made in May"])
    people = book.create_sheet("people")
    for row in (["age", "ill"], [30, "no"], [31, "yes"]):
        people.append(row)
    book.create_sheet("empty")
    path = tmp_path / "book.xlsx"
    book.save(path)
    with read(f"{path}#people", secret="ill") as got:
        assert got.n == 2
    with pytest.raises(InputError, match=r"2 sheets: notes, people\. Write the sheet after #"):
        read(path, secret="ill")
    with pytest.raises(InputError, match=r"sheet 'peopel' must be in 'book.xlsx'.*Did you mean 'people'"):
        read(f"{path}#peopel", secret="ill")
    with pytest.raises(InputError, match="table must only be given for a database or a workbook"):
        open_sheet(make(tmp_path / "people.sav"), table="people")


@pytest.mark.parametrize(
    ("ending", "share"),
    [
        *((ending, 0.97) for ending in (".xlsx", ".sav", ".zsav", ".dta", ".sas7bdat")),
        *((ending, 0.0) for ending in (".xlsx", ".dta")),
        *(
            pytest.param(ending, 0.0, marks=pytest.mark.slow(beside="test_files_cut_short"))
            for ending in (".sav", ".zsav", ".sas7bdat")
        ),
    ],
)
def test_files_cut_short(ending: str, share: float, tmp_path: Path) -> None:
    path = tmp_path / f"people{ending}"
    if ending == ".sas7bdat":  # nothing here writes one
        path.write_bytes(make(tmp_path / "people.sav").read_bytes())
    else:
        whole = make(path).read_bytes()
        path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(InputError) as caught:
        read(path, secret="ill", id="id")
    assert CANARY not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_formulas_and_errors_are_no_missing_values(tmp_path: Path) -> None:
    path = tmp_path / "people.xlsx"
    for cell, message in (
        ("=1+1", "cell A2, must hold a value; got a formula that was never computed"),
        ("#DIV/0!", "column 1, must hold values; got the error of a formula"),
    ):
        book = openpyxl.Workbook()
        for row in (["age", "ill"], [cell, "no"], [31, "yes"]):
            book.active.append(row)
        book.save(path)
        with pytest.raises(InputError, match=message):
            read(path, secret="ill")


def test_a_workbook_that_fills_memories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make(tmp_path / "people.xlsx")
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as book:
        book.writestr("xl/bomb.xml", b" " * (101 << 20))
    with pytest.raises(TooLargeError, match="must unpack to at most 200 times its size"):
        read(path, secret="ill")
    make(path)
    monkeypatch.setattr(other_programs, "MOST_ROWS", N)
    with pytest.raises(TooLargeError, match="must have at most 40 rows"):
        read(path, secret="ill")


def test_one_cell_far_to_the_right_of_many_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows are held as long as the longest: a few bytes would stand for millions of cells."""
    monkeypatch.setattr(other_programs, "MOST_CELLS", 50 * N)
    book = openpyxl.load_workbook(make(tmp_path / "people.xlsx"))
    book.active.cell(row=N + 1, column=60, value="far")
    book.save(tmp_path / "far.xlsx")
    assert read(tmp_path / "people.xlsx", secret="ill").n == N
    with pytest.raises(TooLargeError, match="must have at most 2,000 cells, in rows as long as the longest"):
        read(tmp_path / "far.xlsx", secret="ill")


def test_a_row_number_beyond_every_sheet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, far = make(tmp_path / "people.xlsx"), tmp_path / "far.xlsx"
    monkeypatch.setattr(other_programs, "MOST_ROWS", 10_000)
    with zipfile.ZipFile(path) as book, zipfile.ZipFile(far, "w") as moved:
        for name in book.namelist():
            moved.writestr(name, book.read(name).replace(b'r="41"', b'r="999999999"'))
    with pytest.raises(TooLargeError, match="must have at most 10,000 rows"):
        read(far, secret="ill")


def test_a_file_that_says_it_holds_more_than_it_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistical_child, "FREE_BYTES", 100)
    monkeypatch.setattr(statistical_child, "MOST_RATIO", 0)
    with pytest.raises(TooLargeError, match="must unpack to at most 0 times its size"):
        statistical_child.read_here(make(tmp_path / "people.sav"))


def test_a_reader_that_dies_is_a_damaged_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make(tmp_path / "people.sav")
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(InputError, match="must be a whole file of SPSS; got a damaged one"):
        read(path, secret="ill")


def test_without_pyreadstat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make(tmp_path / "people.sav")
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(MissingExtraError, match=r"a file of SPSS needs .* install dalenius\[formats\]"):
        read(path, secret="ill")


def test_two_codes_of_one_label_stay_two(tmp_path: Path) -> None:
    frame = pd.DataFrame({"town": [1, 2, 3, None], "ill": [0, 1, 0, 1]})
    labels = {"town": {1: "Bern", 2: "Bern ", 3: "Zug"}}
    pyreadstat.write_sav(frame, tmp_path / "people.sav", variable_value_labels=labels)
    values = open_sheet(tmp_path / "people.sav").table.column("town").to_pylist()
    assert values == ["Bern (1)", "Bern (2)", "Zug", None]
