"""Printed tables that are not out yet: written again in their own layout, and attacked as they then are."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import openpyxl
import pytest
from openpyxl.chart import BarChart, Reference
from openpyxl.chart.data_source import NumData, NumVal
from openpyxl.pivot.cache import CacheDefinition, CacheField, CacheSource, WorksheetSource
from openpyxl.pivot.fields import Number
from openpyxl.pivot.record import Record, RecordList
from openpyxl.pivot.table import Location, TableDefinition

from dalenius.auditing.plan import Plan, check_plan
from dalenius.errors import InputError
from dalenius.people.schema import Column, Kind, Role
from dalenius.printed.rewrite import CHANGED, rewrite
from dalenius.progress import silent
from dalenius.reconstruction.changes.propose import propose
from dalenius.release.publish import publish_some
from dalenius.remedy.bench import Workbench
from dalenius.remedy.find import find_remedy
from dalenius.remedy.options import RemedyOptions

from .test_other_kinds import asked

TOWN = Column("town", Role.PUBLIC, Kind.CATEGORICAL, ("a", "b", "c"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place, rng = tmp_path_factory.mktemp("print"), np.random.default_rng(5)
    town = rng.choice(["a", "b", "c"], 120, p=[0.6, 0.38, 0.02])
    ill = np.where(rng.random(120) < 0.3, "yes", "no")
    town[:3], ill[:3] = "c", "no"
    ill[3:][town[3:] == "c"] = "no"
    people = [",".join(pair) for pair in zip(town, ill, strict=True)]
    (place / "people.csv").write_text("\n".join(["town,ill", *people]) + "\n")
    book = openpyxl.Workbook()
    sheet: Any = book.active
    sheet["B2"] = "Illness by town"
    for c, text in enumerate(["town", "no", "yes"]):
        sheet.cell(4, 2 + c, text)
    for r, name in enumerate("abc"):
        sheet.cell(5 + r, 2, name)
        for c, value in enumerate(("no", "yes")):
            sheet.cell(5 + r, 3 + c, int(((town == name) & (ill == value)).sum()))
    sheet["B9"] = "Source: 120 people"
    book.save(place / "tables.xlsx")
    return place


def planned(folder: Path, **more: Any) -> Plan:
    release = {"name": "february", "tables": ["tables.xlsx"], **more}
    raw = {"data": {"path": "people.csv"}, "schema": {"secret": "ill"}, "release": [release],
           "policy": {"max_advantage": 0.2, "max_recovered": 1.0},
           "budget": {"why": False, "resamples": 2}}  # fmt: skip
    return check_plan(raw, folder)


def test_only_counts_change_and_their_cells_are_marked(folder: Path, tmp_path: Path) -> None:
    found = rewrite(
        folder / "tables.xlsx", tmp_path / "new.xlsx", [TOWN], "ill", lambda count: 10 * (count // 10)
    )
    assert found is not None
    assert (len(found.errors), found.hidden) == (6, 0)
    old, new = (
        openpyxl.load_workbook(path).worksheets[0] for path in (folder / "tables.xlsx", tmp_path / "new.xlsx")
    )
    for before in old["A1:E9"]:
        for cell in before:
            other = new[cell.coordinate]
            if isinstance(cell.value, int):
                assert other.value == 10 * (cell.value // 10)
                assert (other.fill.fgColor.rgb == CHANGED) == (other.value != cell.value)
            else:
                assert other.value == cell.value


def test_what_a_workbook_remembers_of_its_numbers_does_not_go_out(folder: Path, tmp_path: Path) -> None:
    """Behind a chart stand the numbers that it drew, behind a pivot table all rows."""
    book = openpyxl.load_workbook(folder / "tables.xlsx")
    sheet: Any = book.active
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=3, min_row=5, max_row=7))
    chart.series[0].val.numRef.numCache = NumData(pt=[NumVal(idx=0, v="4711")])
    sheet.add_chart(chart, "H1")
    source = CacheSource(type="worksheet", worksheetSource=WorksheetSource(ref="B4:D7", sheet=sheet.title))
    fields = [CacheField(name="town"), CacheField(name="no")]
    cache: Any = CacheDefinition(cacheSource=source, cacheFields=fields, id="rId1")
    cache.records = RecordList(r=[Record(_fields=[Number(v=4711)])])
    place = Location(ref="K1:L3", firstHeaderRow=1, firstDataRow=1, firstDataCol=1)
    pivot: Any = TableDefinition(name="p", cacheId=1, dataCaption="v", location=place)
    pivot.cache = cache
    sheet.add_pivot(pivot)
    book.save(tmp_path / "old.xlsx")
    assert len(remembered(tmp_path / "old.xlsx")) == 2
    assert rewrite(tmp_path / "old.xlsx", tmp_path / "new.xlsx", [TOWN], "ill", lambda count: 0) is not None
    assert remembered(tmp_path / "new.xlsx") == []
    assert len(openpyxl.load_workbook(tmp_path / "new.xlsx").worksheets[0]._charts) == 1


def remembered(path: Path) -> list[str]:
    with ZipFile(path) as book:
        return [name for name in book.namelist() if b"4711" in book.read(name)]


@pytest.mark.parametrize("text", ["town;no;yes\na;5;<5\n", "town;no;yes\na;5.5;3\n"])
def test_what_is_no_plain_count_is_left_alone(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.csv").write_text(text)
    assert rewrite(tmp_path / "t.csv", tmp_path / "new.csv", [TOWN], "ill", lambda count: count) is None
    assert not (tmp_path / "new.csv").exists()


def test_a_csv_keeps_its_layout(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("Illness;;\ntown;no;yes\na;12;3\nb;8;0\n")
    found = rewrite(
        tmp_path / "t.csv", tmp_path / "new.csv", [TOWN], "ill", lambda c: "*" if 0 < c < 5 else c
    )
    assert found is not None
    assert found.hidden == 1
    assert (tmp_path / "new.csv").read_text() == "Illness;;\ntown;no;yes\na;12;*\nb;8;0\n"


def test_printed_tables_are_changed_until_they_pass(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dalenius.remedy.search.CONFIRMING", 2)
    monkeypatch.setattr("dalenius.reconstruction.changes.printed.BASES", (3, 50))
    plan = planned(folder)
    found = find_remedy(plan, RemedyOptions(("round",)))
    assert found.before.verdict == "stop"
    assert found.best is not None
    assert [*found.best.files] == ["tables-remedied.xlsx"]
    assert vars(found.best.plan.release[0])["mechanism"] == "rounding:base=50,ties=up"
    assert found.rung is not None
    assert (found.rung.verdict, found.rung.kept, found.rung.tried) == ("pass", 2, 2)


def test_halves_are_written_as_the_plan_says_they_are(tmp_path: Path) -> None:
    """Every base is tried on counts that are halves of it: the data give what stands in the files."""
    halves = [("a", "no", 30), ("a", "yes", 10), ("b", "no", 50), ("b", "yes", 30)]
    lines = [f"{town},{ill}" for town, ill, count in halves for _ in range(count)]
    (tmp_path / "people.csv").write_text("\n".join(["town,ill", *lines]) + "\n")
    (tmp_path / "t.csv").write_text("town;no;yes\na;30;10\nb;50;30\n")
    plan = check_plan(
        {"data": {"path": "people.csv"}, "schema": {"secret": "ill"},
         "release": [{"name": "t", "tables": ["t.csv"]}], "budget": {"why": False, "resamples": 0}},
        tmp_path,
    )  # fmt: skip
    made = tmp_path / "made"
    made.mkdir()
    with Workbench(plan) as bench:
        proposals = propose(asked(plan, made, opened=bench.ground), silent)
        twenty = next(each for each in proposals.by_kind["round"] if each.said == "round to 20")
        (path,) = twenty.files.values()
        assert path.read_text() == "town;no;yes\na;40;20\nb;60;40\n"
        report = bench.audit(twenty.plan).report
    assert not [reason for reason in report.reasons if "are not what [data] gives" in reason]


def test_hidden_cells_that_follow_are_refused(folder: Path, tmp_path: Path) -> None:
    """Everybody's town is known, so the total of a row is: one hidden cell of two follows."""
    plan = planned(folder)
    with Workbench(plan) as bench:
        proposals = propose(asked(plan, tmp_path, opened=bench.ground), silent)
        weak = next(each for each in proposals.by_kind["hide"] if "below 5 (zeros shown)" in each.said)
        assert bench.look(weak.plan).verdict == "stop"
    assert proposals.promise is not None


def test_what_is_out_or_rounded_already_is_not_written_again(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must have a release that can be changed"):
        find_remedy(planned(folder, fixed=True))
    rounded = planned(folder, mechanism="rounding:base=5")
    assert not propose(asked(rounded, tmp_path), silent).any


def test_what_is_out_and_breaks_a_rule_is_named(folder: Path) -> None:
    """Nothing that is changed beside it takes back what it says of people by itself."""
    plan = planned(folder, name="january", fixed=True)
    later: Any = check_plan(
        {
            "data": {"path": "people.csv"},
            "schema": {"secret": "ill"},
            "release": [{"name": "later", "statistics": ["tables:k=1"], "mechanism": "exact"}],
        },
        folder,
    ).release
    both = plan.model_copy(update={"release": [*plan.release, *later]})
    found = find_remedy(both, RemedyOptions(("fewer",)))
    assert not found.passes
    assert any("A change of january, which is out already" in said for said in found.ladder.not_tried)
    assert "no change of what is planned passes beside it" in " ".join(found.summary().split())
    (alone,) = [one for one in found.before.verdicts if one.release == "january"]
    assert alone.verdict == "stop"


def test_printed_tables_are_tried_on_other_people_although_rows_have_no_names(folder: Path) -> None:
    """Row numbers of a part of the people are not theirs in the whole list: counts are of the part itself."""
    with Workbench(planned(folder)) as bench:
        ground: Any = bench.ground
        release = ground.published["february"]
        with ground.court.sample(rng=np.random.default_rng(1)) as court:
            made = publish_some(court.people, release, court.roster, rng=np.random.default_rng(2))
            whole = made.blocks[0].statistic.operator(court.roster).explicit().sum(axis=1)
        counted = np.nansum(made.blocks[0].answers, axis=1)
    assert len(court.roster) == 108
    assert np.array_equal(counted, np.asarray(whole).ravel())
