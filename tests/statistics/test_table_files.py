"""Tables as people print them: every shape gives the same questions and the same answers."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.errors import InputError
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.printed.files import read_printed
from dalenius.printed.tables import Said, release_of_tables, secret_levels
from dalenius.statistics.printed_cell import read_cell, read_interval

AGE = Column("age", Role.PUBLIC, Kind.CATEGORICAL, ("20", "31", "38"))
SEX = Column("sex", Role.PUBLIC, Kind.BINARY, ("f", "m"))
CODES = np.array([[0, 0], [0, 0], [0, 1], [1, 0], [1, 1], [1, 1], [2, 0], [2, 1], [2, 1], [2, 1]], np.int32)
ILL = np.array([1, 0, 0, 1, 1, 0, 0, 0, 1, 0])
PEOPLE = Roster("id", np.array([f"p{i}" for i in range(10)]), CodedColumns((AGE, SEX), CODES))

LONG = "age,sex,ill,count\n" + "".join(
    f"{AGE.levels[a]},{SEX.levels[s]},{w},{int((([a, s] == CODES).all(axis=1) & (v == ILL)).sum())}\n"
    for a in range(3)
    for s in range(2)
    for v, w in enumerate(("no", "yes"))
)
PLAIN = "age,no,yes,Total\n20,2,1,3\n31,1,2,3\n38,3,1,4\nTotal,6,4,10\n"
NESTED = "Table 1. By age and sex,,,,\n,f,,m,\nage,no,yes,no,yes\n20,1,1,1,0\n31,0,1,1,1\n38,1,0,2,1\n"
PANDAS = "sex,f,f,m,m\nill,no,yes,no,yes\nage,,,,\n20,1,1,1,0\n31,0,1,1,1\n38,1,0,2,1\n"
TURNED = "ill,20,31,38\nno,2,1,3\nyes,1,2,1\n"


def release(folder: Path, text: str, name: str = "t.csv", **options: Any) -> Any:
    (folder / name).write_text(text)
    fields = ("mechanism", "margins", "of", "numbers", "group_size")
    words = {key: options.pop(key) for key in fields if key in options}
    said, columns = Said(**words), PEOPLE.attributes.columns
    tables = read_printed(folder / name, columns, secret=options.get("secret"), per=said.per)
    return release_of_tables(tables, PEOPLE, said, **options)


def behind(block: Any) -> tuple[list[list[float]], list[list[float]]]:
    """The counts that a block of shares allows, by itself."""
    from dalenius.mechanisms.parse import parse_mechanism
    from dalenius.reconstruction.attack.system.equations import read_counts

    totals = block.statistic.operator(PEOPLE).apply(np.ones(len(PEOPLE)))
    error = read_counts(block, totals, parse_mechanism(block.mechanism or "exact"))
    return error.low.tolist(), error.high.tolist()


def counts(made: Any) -> dict[tuple[str, str], float]:
    """What is printed, by question and value."""
    found = {}
    for block in made.blocks:
        for row, label in enumerate(block.statistic.labels()):
            for column, value in enumerate(block.values):
                found[label.partition(": ")[2], value] = block.answers[row, column]
    return found


@pytest.mark.parametrize("text", [LONG, NESTED, PANDAS], ids=["long", "nested", "pandas"])
def test_shapes_of_one_table_agree(tmp_path: Path, text: str) -> None:
    made = release(tmp_path, text)
    assert made.secret.levels == ("no", "yes")
    expected = counts(release(tmp_path, LONG))
    assert counts(made) == expected
    assert expected["age=38 & sex=m", "no"] == 2


def test_every_printed_count_is_the_count_of_its_question(tmp_path: Path) -> None:
    for text in (LONG, PLAIN, NESTED, PANDAS):
        for block in release(tmp_path, text).blocks:
            matrix = block.statistic.operator(PEOPLE)
            for column, value in enumerate(block.values):
                ill = ((value == "yes") == ILL).astype(np.float64)
                assert matrix.apply(ill).tolist() == block.answers[:, column].tolist()


def test_margins_are_questions(tmp_path: Path) -> None:
    found = counts(release(tmp_path, PLAIN + "Source: a survey,,,\n"))
    assert found["everybody", "yes"] == 4
    assert len(found) == 8


def test_a_secret_that_runs_down(tmp_path: Path) -> None:
    assert counts(release(tmp_path, TURNED, secret="ill"))["age=31", "yes"] == 2


def test_semicolons_and_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"\xef\xbb\xbf" + PLAIN.replace(",", ";").encode())
    (table,) = read_printed(tmp_path / "t.csv", PEOPLE.attributes.columns)
    assert table.values == ("no", "yes")


def test_a_workbook_with_merged_headers_two_sheets_and_percent_cells(tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    for row in (["", "f", None, "m", None], ["age", "no", "yes", "no", "yes"]):
        sheet.append(row)
    sheet.merge_cells("B1:C1")
    sheet.merge_cells("D1:E1")
    for row in ([20, 1, 1, 1, 0], [31, 0, "<5", 1, "*"], [38.0, 1, 0, 2, 1]):
        sheet.append(row)
    other = book.create_sheet("shares")
    other.append(["sex", "no", "yes"])
    other.append(["f", 0.5, 0.5])
    other.append(["m", 4 / 6, 2 / 6])
    for cells in other["B2:C3"]:
        for cell in cells:
            cell.number_format = "0.0%"
    book.create_sheet("notes").append(["Nothing to see here"])
    book.save(tmp_path / "t.xlsx")
    tables = read_printed(tmp_path / "t.xlsx", PEOPLE.attributes.columns)
    assert [table.name for table in tables] == ["t.xlsx[Sheet]", "t.xlsx[shares]"]
    made = release_of_tables(tables, PEOPLE)
    found = counts(made)
    assert found["age=38 & sex=m", "no"] == 2
    assert math.isnan(found["age=31 & sex=f", "yes"])
    block = made.blocks[-1]
    assert block.most[-1, 0] - block.least[-1, 0] < 1e-6  # the cell behind the display is exact
    assert [ends[-2:] for ends in behind(block)] == [[[2, 2], [4, 2]]] * 2


def test_the_name_of_a_column_merged_over_all_rows_of_the_header(tmp_path: Path) -> None:
    """As offices print it: the name beside two rows of labels names what runs down, not the upper row."""
    from openpyxl import Workbook

    sheet = (book := Workbook()).active
    for line in NESTED.splitlines():
        sheet.append([int(cell) if cell.isdecimal() else cell or None for cell in line.split(",")])
    sheet["A2"], sheet["A3"] = "age", None
    for area in ("A1:E1", "A2:A3", "B2:C2", "D2:E2"):
        sheet.merge_cells(area)
    book.save(tmp_path / "t.xlsx")
    made = release_of_tables(read_printed(tmp_path / "t.xlsx", PEOPLE.attributes.columns), PEOPLE)
    assert counts(made) == counts(release(tmp_path, LONG))


def test_a_formula_that_was_never_computed(tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    book.active.append(["age", "no", "yes"])
    book.active.append([20, 2, "=1+1"])
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(InputError, match="cell C2 must hold a value; got a formula"):
        read_printed(tmp_path / "t.xlsx", PEOPLE.attributes.columns)


def test_bands_of_numbers(tmp_path: Path) -> None:
    found = counts(release(tmp_path, "age,no,yes\nunder 30,2,1\n30-39,4,3\n"))
    assert found["age=30-39", "yes"] == 3


@pytest.mark.parametrize("mark", ["*", "c", "x", ".", "..", "", "(c)"])
def test_marks_hide_a_cell(mark: str) -> None:
    cell = read_cell(mark)
    assert cell is not None
    assert math.isnan(cell.number)
    assert cell.said


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [("<5", 0, 4), ("< 5", 0, 4), ("≤4", 0, 4), ("1-4", 1, 4), ("1 to 4", 1, 4), ("100+", 100, math.inf),
     (">=100", 100, math.inf), (">100", 101, math.inf), ("fewer than 10", 0, 9)],
)  # fmt: skip
def test_ranges(text: str, low: float, high: float) -> None:
    cell = read_cell(text)
    assert cell is not None
    assert (cell.low, cell.high) == (low, high)


def test_a_dash_says_nothing() -> None:
    cell = read_cell("-")
    assert cell is not None
    assert not cell.said
    assert read_cell("see below") is None
    assert read_interval("9-3") is None


@given(st.integers(0, 10**9), st.sampled_from(["{:,}", "{}", "{}.0", " {} "]))
def test_numbers_read_back(number: int, form: str) -> None:
    cell = read_cell(form.format(number))
    assert cell is not None
    assert cell.number == number


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.integers(0, 3))
def test_a_percentage_holds_its_count(pair: tuple[int, int], decimals: int) -> None:
    count, size = pair
    sex = Column("sex", Role.PUBLIC, Kind.CATEGORICAL, ("f",))
    people = Roster(
        "id", np.arange(size).astype(np.str_), CodedColumns((sex,), np.zeros((size, 1), np.int32))
    )
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "t.csv")
        path.write_text(f"sex,ill,percent\nf,yes,{100 * count / size:.{decimals}f}\n")
        made = release_of_tables(read_printed(path, (sex,)), people)
    (block,) = made.blocks
    assert block.least.item() - 1e-9 <= count <= block.most.item() + 1e-9
    assert made.secret.levels == ("no", "yes")


def test_percentages_of_everybody(tmp_path: Path) -> None:
    text = "age,no,yes\n20,20%,10%\n31,10%,20%\n38,30%,10%\n"
    (block,) = release(tmp_path, text, group_size=10).blocks
    assert behind(block) == ([[2, 1], [1, 2], [3, 1]],) * 2
    with pytest.raises(InputError, match=r"add up to 100.*20 \+ 10 = 30.*--group-size"):
        release(tmp_path, text)
    with pytest.raises(InputError, match=r"--group-size must be the number of people on the list \(10\)"):
        release(tmp_path, text, group_size=11)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PLAIN.replace("31,1,2", "31,1,3"), "'age=31' must add up to the 3 people on the list; got 1 + 3"),
        (PLAIN.replace("2,1,3", "2,1,4"), "'age=20' must add up to the 3 people on the list; got 4"),
        (PLAIN.replace("38,3,1,4", "39,3,1,4"), "every level of 'age' must be somebody's"),
        (
            PLAIN.replace("38,3,1,4\n", ""),
            "every level of 'age' on the list of people must be in one of the tables",
        ),
        (PLAIN + "40,1,0,1\n", "every level of 'age' must be somebody's; got one of 1 people printed"),
        (PLAIN.replace("31,1,2", "31,1,two"), "row 3, column 3 must be a number"),
        (PLAIN + "20,2,1,3\n", "row 6, column 2 must print every cell once"),
        (PLAIN.replace("age", "years"), "must have a header that names a public column"),
        ("age,sex\n20,f\n", "must have columns of numbers beside its labels"),
        ("age,ill,count,sex\n20,no,2,f\n", "must have 'count' as its last column"),
        (",big,,small,\nage,no,yes,no,yes\n20,1,1,1,0\n", "must say which column it is about"),
        ("", "must hold a table"),
    ],
)
def test_tables_that_cannot_be_used(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        release(tmp_path, text)
    assert message in str(caught.value)


def test_numbers_that_were_rounded_without_saying_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="multiples of 5, as with rounding:base=5"):
        release(tmp_path, "age,no,yes\n20,5,0\n31,0,5\n38,5,0\n")


def test_a_level_that_nobody_has_may_be_printed_as_zero(tmp_path: Path) -> None:
    assert counts(release(tmp_path, PLAIN + "40,0,0,0\n"))["age=40", "yes"] == 0


def test_the_order_of_values() -> None:
    assert secret_levels(["1", "0"]) == ("0", "1")
    assert secret_levels(["yes"]) == ("no", "yes")
    assert secret_levels(["well", "ill"]) == ("well", "ill")
