"""Printed tables about records: shapes, bands, universes, units within units, hidden and rounded cells."""

from __future__ import annotations

from pathlib import Path

import pytest
from openpyxl import Workbook

from dalenius.errors import InputError, SaysNothingError
from dalenius.records.attack.certain.settle import RecordBounds, settle
from dalenius.records.attack.system import make_system
from dalenius.records.cells.release import PublishedRecords
from dalenius.records.published.nesting import read_nesting
from dalenius.records.published.read import read_records
from dalenius.records.published.said import SaidOfTables, parse_geography, parse_universe, split_said

SEX = "block,sex,count\nA1,f,2\nA1,m,1\nA2,f,1\nA2,m,2\n"
AGE = "Table 2. Ages\n,age,,\nblock,under 18,18+,Total\nA1,1,2,3\nA2,2,1,3\nSource: a note\n"
TRACT = "tract,sex,age,count\nA,f,0-17,0\nA,f,18+,3\nA,m,0-17,3\nA,m,18+,0\n"
UNITS = SaidOfTables(geography=parse_geography("block<tract"))


def read(folder: Path, said: SaidOfTables | None = None, **tables: str) -> PublishedRecords:
    for name, text in tables.items():
        (folder / f"{name}.csv").write_text(text)
    return read_records([folder / f"{name}.csv" for name in tables], said)


def attacked(read: PublishedRecords) -> RecordBounds:
    return settle(make_system(read.columns, read.grids))


def words(found: RecordBounds) -> dict[str, int]:
    levels = found.system.columns.levels
    return {
        " ".join(levels[at][code] for at, code in enumerate(record)): int(lo)
        for record, lo in zip(found.system.records, found.lo, strict=True)
        if lo
    }


def test_long_and_crossed_tables_of_blocks_and_their_tract(tmp_path: Path) -> None:
    published = read(tmp_path, UNITS, sex=SEX, age=AGE, tract=TRACT)
    assert published.columns.levels == (("A1", "A2"), ("f", "m"), ("under 18", "18+"))
    found = attacked(published)
    assert words(found) == {"A1 f 18+": 2, "A1 m under 18": 1, "A2 f 18+": 1, "A2 m under 18": 2}
    assert found.data_sets == 1
    assert attacked(read(tmp_path, UNITS, sex=SEX, age=AGE)).data_sets == 4


def test_tables_of_one_random_sample_are_exact_about_its_people(tmp_path: Path) -> None:
    tables = {"sex": SEX, "age": AGE, "tract": TRACT}
    sample = SaidOfTables({"": "subsample:rate=0.5"}, geography=("block", "tract"))
    published = read(tmp_path, sample, **tables)
    assert attacked(published).data_sets == 1
    assert any("same random sample" in note for note in published.notes)
    mixed = SaidOfTables({"": "exact", "tract": "subsample:rate=0.5"}, geography=("block", "tract"))
    apart = read(tmp_path, mixed, **tables)
    assert {grid.table for grid in apart.grids} == {"sex", "age"}
    assert any("nothing is certain after subsample:rate=0.5" in note for note in apart.notes)


def test_units_within_units_by_file(tmp_path: Path) -> None:
    (tmp_path / "within.csv").write_text("block,tract\nA1,north\nA2,north\n")
    by_file = SaidOfTables(geography=("block", "tract"), nestings=(read_nesting(tmp_path / "within.csv"),))
    tract = TRACT.replace("A,", "north,")
    assert attacked(read(tmp_path, by_file, sex=SEX, age=AGE, tract=tract)).data_sets == 1
    with pytest.raises(InputError, match="must have units within every larger one"):
        read(tmp_path, UNITS, sex=SEX, age=AGE, tract=tract)


def test_units_that_a_file_makes_the_larger_ones_are_refused(tmp_path: Path) -> None:
    (tmp_path / "within.csv").write_text("tract,block\nA1,north\nA2,north\n")
    turned = SaidOfTables(geography=("block",), nestings=(read_nesting(tmp_path / "within.csv"),))
    with pytest.raises(InputError, match="must begin with the smallest units"):
        read(tmp_path, turned, sex=SEX, age=AGE)


def test_a_workbook_with_two_rows_of_labels_across(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["race", "x", None, "y", None], [None, *["age"] * 4], ["sex", *["child", "adult"] * 2]):
        sheet.append(row)
    sheet.append(["f", 1, 2, 0, 0])
    sheet.append(["m", 0, 1, 1, 1])
    book.save(tmp_path / "t.xlsx")
    found = attacked(read_records([tmp_path / "t.xlsx"]))
    assert words(found) == {
        "f x child": 1, "f x adult": 2, "m x adult": 1, "m y child": 1, "m y adult": 1
    }  # fmt: skip


def test_a_universe_is_about_fewer_people(tmp_path: Path) -> None:
    """Ignored, it contradicts the others: the error names both tables and what they count."""
    tables = {
        "age": "age,sex,count\n0-17,f,1\n18+,f,2\n0-17,m,1\n18+,m,1\n",
        "P11": "sex,married,count\nf,yes,1\nf,no,1\nm,yes,1\nm,no,0\n",
    }
    said = SaidOfTables(universe=parse_universe(["P11=age=18+"]))
    found = attacked(read(tmp_path, said, **tables))
    assert words(found)["18+ m yes"] == 1
    with pytest.raises(InputError, match="tables age and P11 must count the same people; got 5 and 3 people"):
        attacked(read(tmp_path, **tables))


def test_hidden_and_rounded_cells_are_read_backwards(tmp_path: Path) -> None:
    inner = "a,b,count\n0,0,8\n0,1,*\n1,0,0\n1,1,5\n2,0,*\n2,1,\n"
    margins = "a,count\n0,10\n1,5\n2,3\n", "b,count\n0,11\n1,7\n"
    said = SaidOfTables(mechanism=split_said(["inner=suppression:below=5", "exact"]))
    found = attacked(read(tmp_path, said, inner=inner, rows=margins[0], columns=margins[1]))
    assert words(found) == {"0 0": 8, "0 1": 2, "1 1": 5, "2 0": 3}
    rounded = "sex,ill,count\nf,yes,3\nf,no,0\nm,yes,0\nm,no,3\n"
    said = SaidOfTables(mechanism=split_said(["inner=rounding:base=3", "exact"]))
    published = read(tmp_path, said, inner=rounded, sex="sex,count\nf,4\nm,2\n")
    assert attacked(published).data_sets == 2


def test_margins_that_may_be_sums_of_rounded_cells_say_nothing(tmp_path: Path) -> None:
    """Three cells of 2 are printed as 3, and their sum of 9 is not 6 rounded."""
    said = SaidOfTables(mechanism={"": "rounding:base=3"})
    text = "a,count\nx,3\ny,3\nz,3\nTotal,9\n"
    found = attacked(read(tmp_path, said, t=text))
    assert found.lo.tolist() == [2, 2, 2]
    stated = SaidOfTables(mechanism={"": "rounding:base=3"}, margins={"": "exact"})
    assert attacked(read(tmp_path, stated, t=text)).hi.tolist() == [4, 4, 4]
    with pytest.raises(InputError, match="table t must add up to its own totals; got 6 to 12 and 15 people"):
        attacked(read(tmp_path, stated, t=text.replace("Total,9", "Total,15")))


def test_an_empty_cell_is_hidden_or_a_zero_that_nobody_printed(tmp_path: Path) -> None:
    said = SaidOfTables(mechanism={"": "suppression:below=5"})
    found = attacked(read(tmp_path, said, t="a,count\nx,7\ny,\nz,*\n"))
    assert (found.lo.tolist(), found.hi.tolist()) == ([7, 0, 1], [7, 4, 4])


def test_what_a_complete_table_leaves_out_is_zero(tmp_path: Path) -> None:
    tables = {
        "t": "sex,age,count\nf,adult,2\n",
        "sex": "sex,count\nf,2\nm,1\n",
        "age": "age,count\nadult,2\nchild,1\n",
    }
    open_ = attacked(read(tmp_path, **tables))
    assert words(open_) == {"f adult": 2, "m child": 1}
    with pytest.raises(InputError, match="tables t and sex must count the same people; got 2 and 3 people"):
        attacked(read(tmp_path, SaidOfTables(complete=frozenset({"t"})), **tables))
    both = {**tables, "t": "sex,age,count\nf,adult,2\nm,child,1\n"}
    assert attacked(read(tmp_path, SaidOfTables(complete=frozenset({""})), **both)).data_sets == 1


def test_nothing_is_certain_under_noise(tmp_path: Path) -> None:
    noisy = SaidOfTables(mechanism=split_said(["t=geometric:scale=1", "exact"]))
    published = read(tmp_path, noisy, t="a,b,count\n0,0,1\n0,1,2\n1,0,0\n1,1,0\n", a="a,count\n0,2\n1,2\n")
    assert published.notes == (
        "t: nothing is certain after geometric:scale=1; it says how likely records are.",
    )
    assert attacked(published).certain == 0
    assert published.noisy[0].says[:, 0].tolist() == [1, 2, 0, 0]
    with pytest.raises(SaysNothingError, match="no cell says anything: after what nobody knows"):
        read(tmp_path, SaidOfTables(mechanism={"": "unknown"}), t="a,count\nx,3\n")


@pytest.mark.parametrize(
    ("tables", "said", "message"),
    [
        ({"t": "a,count\nx,3\nx,3\n"}, {}, "table t must print every cell once"),
        ({"t": "a,count\nx,12%\n"}, {}, "table t must say of whom its percentages are"),
        ({"t": "a,count\nx,many\n"}, {}, "t, row 2 must be a count"),
        ({"t": "a,b\nx,3\n"}, {}, "must be long"),
        ({"t": "a,a,count\nx,x,3\n"}, {}, "must name every column once"),
        ({"t": "a,b,count\nx,,3\n"}, {}, "must have a label in every column"),
        (
            {"t": "race,count\nwhite,3\nblack,1\nasian,1\n", "u": "race,count\nwhite,3\nother,2\n"},
            {},
            "column 'race' must have labels that nest; got other labels in table u than in table t",
        ),
        (
            {"t": "a,count\nx,3\n"},
            {"universe": {"v": {"a": ["x"]}}},
            "--universe must name one of the tables",
        ),
        (
            {"t": "a,count\nx,3\n"},
            {"universe": {"t": {"b": ["x"]}}},
            "--universe must name columns of the tables",
        ),
        ({"t": "a,count\nx,3\n"}, {"geography": ("block", "tract")}, "--geography must begin with a column"),
        ({"t": "a,count\nx,3.5\n"}, {}, "t, row 2"),
        ({"t": "a,count\nx,4\n"}, {"mechanism": {"": "rounding:base=3"}}, "t, row 2"),
    ],
)
def test_bad_tables_are_refused(
    tables: dict[str, str], said: dict[str, object], message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as refused:
        read(tmp_path, SaidOfTables(**said), **tables)  # type: ignore[arg-type]
    assert message in str(refused.value)


@pytest.mark.parametrize("text", ["P11", "P11=age", "=age=18+", "P11=age="])
def test_a_universe_that_is_not_written_so_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="--universe must be TABLE=column=labels"):
        parse_universe([text])


def test_a_record_of_which_there_may_be_any_number_is_refused(tmp_path: Path) -> None:
    said = SaidOfTables(mechanism={"": "topcode:at=2"})
    with pytest.raises(InputError, match="tables must limit how many people there are; got 1 record in no"):
        attacked(read(tmp_path, said, t="a,count\nx,2\ny,1\n"))


def test_a_domain_too_wide_is_refused_at_its_column() -> None:
    from dalenius.records.cells.cell import cell
    from dalenius.records.cells.columns import RecordColumns
    from dalenius.records.cells.grid import grids_of

    columns = RecordColumns.of({name: [str(i) for i in range(50)] for name in "abcd"})
    everybody = grids_of(columns, [cell(columns, {}, 9, 9)])
    with pytest.raises(InputError, match=r"tables, at column 'd' must leave at most 3,000,000"):
        make_system(columns, everybody)


def test_a_count_beyond_all_people_is_refused(tmp_path: Path) -> None:
    for number, rule in (
        (400 * "9", "must be a count, a range"),
        (300 * "9", "must be a count that exact gives"),
    ):
        with pytest.raises(InputError, match=rule):
            read(tmp_path, UNITS, sex=SEX.replace(",2", f",{number}"), age=AGE)
