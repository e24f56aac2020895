"""``dalenius reconstruct records``: tables in, certain records out, and every kind of bad input."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dalenius.auditing.schemas import read_report
from dalenius.records.finding import RecordsFinding

Run = Callable[..., Any]

SEX = "block,sex,count\nA1,f,2\nA1,m,1\nA2,f,1\nA2,m,2\n"
AGE = ",age,\nblock,under 18,18+\nA1,1,2\nA2,2,1\n"
TRACT = "tract,sex,age,count\nA,f,0-17,{}\nA,f,18+,{}\nA,m,0-17,{}\nA,m,18+,{}\n"
TRUTH = "block,sex,age,name\nA1,f,30,a\nA1,f,40,b\nA1,m,3,c\nA2,f,25,d\nA2,m,4,e\nA2,m,2,f\n"
COMMAND = ("reconstruct", "records", "--table", "sex.csv", "--table", "age.csv")
UNITS = ("--table", "tract.csv", "--geography", "block<tract")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sex.csv").write_text(SEX)
    (tmp_path / "age.csv").write_text(AGE)
    (tmp_path / "tract.csv").write_text(TRACT.format(0, 3, 3, 0))
    (tmp_path / "truth.csv").write_text(TRUTH)
    return tmp_path


def rows(path: Path) -> list[list[str]]:
    with path.open() as lines:
        return list(csv.reader(lines))


def test_one_data_set_fits_and_its_records_are_written(folder: Path, run: Run) -> None:
    done = run(*COMMAND, *UNITS, "--truth", "truth.csv", "--out", "o")
    assert done.exit_code == 1, done.output
    condition = "the tables are exact (nobody said so)"
    assert rows(folder / "o" / "certain.csv")[1:] == [
        ["A1", "f", "18+", "2", "0", condition],
        ["A1", "m", "under 18", "1", "0", condition],
        ["A2", "f", "18+", "1", "0", condition],
        ["A2", "m", "under 18", "2", "0", condition],
    ]
    assert rows(folder / "o" / "units.csv")[1] == ["A1", "3", "yes", "3", "0", "0", "yes", "no", condition]
    assert "STOP" in done.output
    assert "0 of 4 certain claims are wrong" in " ".join(done.output.split())
    finding = read_report((folder / "o" / "findings.json").read_text()).findings[0]
    assert isinstance(finding, RecordsFinding)
    assert (finding.certain, finding.people, finding.severity) == (6, 6, "critical")
    assert (finding.details.unique_units, finding.details.unique_people) == (2, 6)
    assert finding.details.judged is not None
    assert finding.details.judged.kept


def test_what_is_open_is_ranked_and_measured(folder: Path, run: Run) -> None:
    run(*COMMAND, "--geography", "block<tract", "--out", "o")
    units = rows(folder / "o" / "units.csv")
    assert units[1][:-1] == ["A1", "3", "no", "1", "2", "2", "yes", "no"]
    ranked = rows(folder / "o" / "records.csv")[1:]
    assert ranked[0][-1] == "1.000000"
    assert all(0 < float(row[-1]) <= 1 for row in ranked)
    found = json.loads((folder / "o" / "findings.json").read_text())["findings"][0]
    assert found["details"]["unique_units"] == 0
    assert found["details"]["radius_high"] == 4


def test_nothing_certain_is_undecided_and_never_a_pass(folder: Path, run: Run) -> None:
    (folder / "a.csv").write_text("a,count\nx,3\ny,3\n")
    (folder / "b.csv").write_text("b,count\nx,3\ny,3\n")
    done = run("reconstruct", "records", "--table", "a.csv", "--table", "b.csv", "--out", "o")
    assert done.exit_code == 1
    assert "UNDECIDED" in done.output


def test_a_truth_that_the_tables_are_not_made_of_refutes_them(folder: Path, run: Run) -> None:
    (folder / "truth.csv").write_text(TRUTH.replace("A1,f,40,b", "A1,m,40,b"))
    done = run(*COMMAND, *UNITS, "--truth", "truth.csv", "--out", "o")
    assert "UNDECIDED" in done.output
    assert "not made as stated" in " ".join(done.output.split())


def test_two_truths_behind_the_same_tables_give_the_same_files(folder: Path, run: Run) -> None:
    run(*COMMAND, "--truth", "truth.csv", "--out", "one")
    (folder / "truth.csv").write_text(TRUTH.replace("A1,f,40,b", "A1,f,4,b").replace("A1,m,3,c", "A1,m,30,c"))
    run(*COMMAND, "--truth", "truth.csv", "--out", "two")
    for name in ("certain.csv", "records.csv", "units.csv"):
        assert (folder / "one" / name).read_text() == (folder / "two" / name).read_text()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--universe", "P11=age=18+"), "--universe must name one of the tables; got 'P11'"),
        (("--universe", "sex=height=tall"), "--universe must name columns of the tables; got 'height'"),
        (("--geography", "block<"), "--geography must be columns, each within the next"),
        (("--geography", "county<tract"), "--geography must begin with a column of the tables"),
        (("--mechanism", "rounding:base=x"), "base"),
        (("--mechanism", "sex=rounding:base=5"), "sex, row 2"),
        (("--table", "missing.csv"), "missing.csv"),
        (("--table", "wrong.csv"), "tables sex and wrong must count the same people; got 6 and 7 people"),
        (("--truth", "sex.csv"), "sex.csv must have the column 'age'"),
        (("--truth", "tall.csv"), "tall.csv, line 2, column 'age' must be a level of the tables"),
        (("--nesting", "sex.csv"), "sex.csv must list every level once"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(
    more: tuple[str, ...], message: str, folder: Path, run: Run
) -> None:
    (folder / "wrong.csv").write_text("sex,count\nf,4\nm,3\n")
    (folder / "tall.csv").write_text("block,sex,age\nA1,f,old\n")
    done = run(*COMMAND, *more, "--out", "o")
    assert done.exit_code == 2, done.output
    assert message in done.output
    assert not (folder / "o").exists()


def test_tables_that_contradict_each_other_in_whole_people_are_named(folder: Path, run: Run) -> None:
    (folder / "tract.csv").write_text(TRACT.format(3, 0, 0, 3))
    done = run(*COMMAND, *UNITS, "--out", "o")
    assert done.exit_code == 2
    assert "tables age, sex and tract must fit one data set" in done.output


def test_page_terminal_and_files_say_that_nobody_said_what_was_done(folder: Path, run: Run) -> None:
    said = "as nothing else was said"
    done = run(*COMMAND, *UNITS, "--out", "o")
    assert " ".join(done.output.split()).count(said) >= 3
    assert said in (folder / "o" / "report.html").read_text()
    found = json.loads((folder / "o" / "findings.json").read_text())
    assert found["findings"][0]["details"]["assumed"] == "the tables are exact"
    assert said in found["reasons"][0]
