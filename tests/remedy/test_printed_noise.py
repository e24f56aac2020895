"""Noise in printed files: a plan with a promise that is tried, priced and written; and what has none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest

from dalenius.auditing.plan import Plan, check_plan
from dalenius.findings.report import Price, Rung
from dalenius.printed.rewrite import CHANGED
from dalenius.progress import silent
from dalenius.reconstruction.changes.printed import BESIDE, NO_GAIN
from dalenius.reconstruction.changes.propose import propose, rho_for
from dalenius.release.publish import publish
from dalenius.remedy.bench import Workbench
from dalenius.remedy.find import find_remedy
from dalenius.remedy.options import RemedyOptions
from dalenius.remedy.written.leave_behind import files_of
from dalenius.remedy.written.workbook import DONE, workbook
from dalenius.theory.privacy import advantage_from_rho

from .test_other_kinds import asked

HEADER = ["town", "no", "yes", "Total"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place, rng = tmp_path_factory.mktemp("noise"), np.random.default_rng(5)
    town, sex = rng.choice(["a", "b", "c"], 150, p=[0.6, 0.35, 0.05]), rng.choice(["f", "m"], 150)
    ill = np.where(rng.random(150) < 0.3, "yes", "no")
    people = [",".join(row) for row in zip(town, sex, ill, strict=True)]
    (place / "people.csv").write_text("\n".join(["town,sex,ill", *people]) + "\n")
    book = openpyxl.Workbook()
    for title, column, labels in (("town", town, "abc"), ("sex", sex, "fm")):
        sheet: Any = book.create_sheet(title)
        for c, text in enumerate([title, *HEADER[1:]]):
            sheet.cell(2, 1 + c, text)
        for r, label in enumerate([*labels, "Total"]):
            own = np.ones(150, bool) if label == "Total" else column == label
            numbers = [int((own & (ill == value)).sum()) for value in ("no", "yes")]
            for c, value in enumerate([label, *numbers, sum(numbers)]):
                sheet.cell(3 + r, 1 + c, value)
    del book["Sheet"]
    book.save(place / "tables.xlsx")
    return place


def planned(folder: Path, *more: dict[str, Any], **policy: Any) -> Plan:
    raw = {"data": {"path": "people.csv"}, "schema": {"secret": "ill"},
           "release": [{"name": "february", "tables": ["tables.xlsx"]}, *more],
           "policy": {"max_advantage": 0.2, "max_recovered": 1.0} | policy,
           "budget": {"why": False, "resamples": 2}}  # fmt: skip
    return check_plan(raw, folder)


def test_the_line_with_a_promise_is_tried_and_told_although_noise_is_not_allowed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dalenius.remedy.search.CONFIRMING", 2)
    monkeypatch.setattr("dalenius.reconstruction.changes.printed.BASES", (3,))
    monkeypatch.setattr("dalenius.reconstruction.changes.printed_noise.SIZES", ())
    plan = planned(folder)
    found = find_remedy(plan, RemedyOptions(("round",)))
    (line,) = [rung for rung in found.ladder.rungs if rung.kind == "noise"]
    assert (line.note or "").startswith("Not allowed here; told for its promise. Totals are added up anew")
    assert (line.verdict, line.kept, line.tried) == ("pass", 2, 2)
    assert line.bound is not None
    assert line.bound.value <= plan.policy.limit(0.5)
    assert line.price.mean_error is not None
    assert line.price.mean_error > 0
    assert line.price.adds_up is False  # two tables of the same people give two totals
    assert found.rung is None or found.rung.kind != "noise"


def test_two_tables_need_twice_the_rho_of_one(folder: Path, tmp_path: Path) -> None:
    plan = planned(folder)
    with Workbench(plan) as bench:
        proposals = propose(asked(plan, tmp_path, opened=bench.ground), silent)
        assert proposals.promise is not None
        report = bench.audit(proposals.promise.plan).report
    release = vars(proposals.promise.plan.release[0])
    sigma = float(str(release["mechanism"]).partition("sigma=")[2].partition(" ")[0])
    assert release["margins"] == "none"
    rho = 2 * 2 / (2 * sigma**2)
    assert 0.99 * rho_for(plan.policy, 0.5) < rho <= rho_for(plan.policy, 0.5)
    (finding,) = report.findings
    assert finding.bound is not None
    assert finding.bound.value == pytest.approx(advantage_from_rho(rho), rel=1e-3)
    assert "each is counted in 2 numbers with noise of their own, of 2 tables" in (finding.promise or "")


def test_what_is_left_behind_is_drawn_anew_in_the_layout_of_the_publisher(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No cell is without a mark: it would show that its noise is 0. Rows and columns add up."""
    pytest.importorskip("opendp")
    monkeypatch.setattr("dalenius.remedy.search.CONFIRMING", 2)
    monkeypatch.setattr("dalenius.reconstruction.changes.printed_noise.SIZES", (1.0,))
    (folder / "audit.toml").write_text(
        '[data]\npath = "people.csv"\n[schema]\nsecret = "ill"\n[[release]]\nname = "february"\n'
        'tables = ["tables.xlsx"]\n[policy]\nmax_advantage = 0.2\nmax_recovered = 1.0\n'
        "[budget]\nwhy = false\nresamples = 2\n"
    )
    plan = planned(folder)
    found = find_remedy(plan, RemedyOptions(("noise",)))
    assert found.best is not None
    files = files_of(found, plan, folder / "audit.toml", tmp_path)
    text, made = files["audit-remedied.toml"], files["tables-remedied.xlsx"]
    assert isinstance(text, str)
    assert isinstance(made, bytes)
    assert 'margins = "none"  # changed' in text
    (tmp_path / "new.xlsx").write_bytes(made)
    tried = openpyxl.load_workbook(found.best.files["tables-remedied.xlsx"])
    new, old = openpyxl.load_workbook(tmp_path / "new.xlsx"), openpyxl.load_workbook(folder / "tables.xlsx")
    drawn = [numbers(book) for book in (new, tried, old)]
    assert drawn[0] != drawn[1] != drawn[2]
    for sheet in new:
        rows = list(sheet.iter_rows(min_row=3, min_col=2))
        assert all(cell.fill.fgColor.rgb == CHANGED for row in rows for cell in row)
        values = np.array([[cell.value for cell in row] for row in rows])
        assert (values[:, :2].sum(axis=1) == values[:, 2]).all()
        assert (values[:-1].sum(axis=0) == values[-1]).all()
    assert [sheet.title for sheet in new] == [sheet.title for sheet in old]


def numbers(book: Any) -> list[Any]:
    return [cell.value for sheet in book for row in sheet.iter_rows() for cell in row]


def test_beside_other_releases_no_promise_is_made_for_the_files_alone(folder: Path, tmp_path: Path) -> None:

    other = {"name": "later", "statistics": ["tables:k=1,attributes=sex"], "mechanism": "exact"}
    both = planned(folder, other)
    with Workbench(both) as bench:
        whole = asked(both, tmp_path, opened=bench.ground)
        beside = propose(type(whole)(**{**vars(whole), "releases": both.release[:1]}), silent)
    assert beside.promise is None
    assert BESIDE in beside.not_tried
    strict = planned(folder, max_advantage=0.0)
    place = tmp_path / "strict"
    place.mkdir()
    with Workbench(strict) as bench:
        none = propose(asked(strict, place, opened=bench.ground), silent)
    assert (none.promise, none.not_tried) == (None, (NO_GAIN,))


def test_a_file_in_two_releases_is_written_twice_with_noise_of_its_own(folder: Path, tmp_path: Path) -> None:
    """What is printed twice is promised as twice."""

    plan = planned(folder, {"name": "again", "tables": ["tables.xlsx"]})
    with Workbench(plan) as bench:
        proposals = propose(asked(plan, tmp_path, opened=bench.ground), silent)
        assert proposals.promise is not None
        names = [*proposals.promise.files]
        published = bench.open(proposals.promise.plan)
        with published as opened:
            (secrets,) = opened
            rhos = {name: each.promise and each.promise.rho for name, each in secrets.published.items()}
    assert names == ["tables-remedied.xlsx", "tables-remedied-2.xlsx"]
    first, second = (openpyxl.load_workbook(path) for path in proposals.promise.files.values())
    assert numbers(first) != numbers(second)
    assert rhos["all together"] == pytest.approx(2 * (rhos["february"] or 0))
    assert (rhos["all together"] or 1) <= rho_for(plan.policy, 0.5)


def test_of_whole_noise_no_cell_of_a_workbook_is_left_unmarked(folder: Path, tmp_path: Path) -> None:
    """A number that noise left as it was must look like the others."""
    with Workbench(planned(folder)) as bench:
        ground: Any = bench.ground
        made = [
            publish(ground.people, "tables:k=1", how, rng=np.random.default_rng(1), name="r")
            for how in ("exact", "geometric:scale=0.3")
        ]
    assert (made[0].blocks[0].answers == made[1].blocks[0].answers).any()
    rung = Rung(kind="noise", change="noise", release="r", verdict="pass", tried=1, kept=1, price=Price())
    (tmp_path / "t.xlsx").write_bytes(workbook(made[:1], made[1:], rung))
    for sheet in openpyxl.load_workbook(tmp_path / "t.xlsx"):
        cells = [cell for row in sheet.iter_rows(min_row=2, min_col=2) for cell in row]
        assert sheet.title == DONE or all(cell.fill.fgColor.rgb == CHANGED for cell in cells)


def test_lists_and_totals_beside_one_value_of_three_are_written_too(tmp_path: Path) -> None:
    """Everybody stands in one cell of the list, and those of the value in two numbers of the other file."""
    rng, made = np.random.default_rng(2), tmp_path / "made"
    made.mkdir()
    town, ill = rng.choice(["a", "b"], 200), rng.choice(["no", "mild", "bad"], 200)
    people = [",".join(row) for row in zip(town, ill, strict=True)]
    (tmp_path / "people.csv").write_text("\n".join(["town,ill", *people]) + "\n")
    listed = [f"{t},{v},{people.count(f'{t},{v}')}" for t in "ab" for v in ("no", "mild", "bad")]
    (tmp_path / "list.csv").write_text("\n".join(["town,ill,count", *listed]) + "\n")
    bad = {t: people.count(f"{t},bad") for t in "ab"}
    rows = [*(f"{t};{bad[t]};{(town == t).sum()}" for t in "ab"), f"Total;{sum(bad.values())};200"]
    (tmp_path / "one.csv").write_text("\n".join(["town;bad;Total", *rows]) + "\n")
    raw = {"data": {"path": "people.csv"}, "schema": {"secret": "ill"},
           "release": [{"name": "r", "tables": ["list.csv", "one.csv"]}]}  # fmt: skip
    plan = check_plan(raw, tmp_path)
    with Workbench(plan) as bench:
        proposals = propose(asked(plan, made, opened=bench.ground), silent)
        assert proposals.promise is not None
        with bench.open(proposals.promise.plan) as opened:
            (secrets,) = opened
            promise = secrets.published["r"].promise
    sigma = float(proposals.promise.said.partition("deviation ")[2].partition(" ")[0])
    assert promise is not None
    assert promise.rho == pytest.approx(2 * 3 / (2 * sigma**2))
    assert "each is counted in 3 numbers with noise of their own, of 2 tables" in promise.said
    assert any("secrets of two values" in said for said in proposals.not_tried)
    lines = proposals.promise.files["one-remedied.csv"].read_text().split()[1:]
    numbers = np.array([[int(cell) for cell in line.split(";")[1:]] for line in lines])
    assert (numbers[:2].sum(axis=0) == numbers[2]).all()


def test_numbers_outside_the_tables_would_stay_so_nothing_is_promised(folder: Path, tmp_path: Path) -> None:
    """A sheet that is no table, with the exact numbers of one: the copy would still have them."""
    book = openpyxl.load_workbook(folder / "tables.xlsx")
    extra = book.create_sheet("overview")
    extra["A1"], extra["B2"] = "Ill people", 47
    book.save(tmp_path / "tables.xlsx")
    (tmp_path / "people.csv").write_text((folder / "people.csv").read_text())
    made = tmp_path / "made"
    made.mkdir()
    plan = planned(tmp_path)
    with Workbench(plan) as bench:
        proposals = propose(asked(plan, made, opened=bench.ground), silent)
    assert (proposals.promise, proposals.noise) == (None, ())
    assert any("tables.xlsx[overview], cell B2 has a number" in said for said in proposals.not_tried)
