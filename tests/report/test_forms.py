"""A report as text, JSON, frame, page and figure: the same numbers, and nobody in any of them."""

from __future__ import annotations

import json
import sys

import pandas as pd
import pyarrow as pa
import pytest

from dalenius.auditing.run import Audit
from dalenius.findings.measure import Rate
from dalenius.findings.tally import Tally
from dalenius.people.dataset import read
from dalenius.reconstruction.audit import audit
from dalenius.reconstruction.opened import Planned, Scenario
from dalenius.report.text import summary


@pytest.fixture(scope="module")
def done() -> Audit:
    table = pa.table({"who": list("abcd"), "age": [32, 47, 51, 60], "ill": ["no", "yes", "no", "no"]})
    rounded = Planned("tables:k=1", "rounding:base=20", alternative_to="as<is>")
    planned = {"as<is>": Planned("tables:k=1", "exact"), "rounded": rounded}
    with read(table, secret="ill", id="who") as people:
        return audit(people, planned, Scenario(resamples=0))


def test_the_frame_has_a_row_for_each_measure(done: Audit) -> None:
    frame = done.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == sum(len(finding.measures) for finding in done.report.findings)
    first, finding = frame.iloc[0], done.report.findings[0]
    assert (first["release"], first["certain"], first["verdict"]) == ("as<is>", 4, "stop")
    assert first["advantage"] == finding.advantage.value
    assert first["advantage_low"] == finding.advantage.low
    assert first["limit"] == done.report.policy.limit(finding.measures[0].baseline.rate)
    assert frame.groupby("release")["deciding"].sum().eq(1).all()


def test_without_pandas_the_frame_is_an_arrow_table(done: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = done.to_frame()
    monkeypatch.setitem(sys.modules, "pandas", None)
    table = done.report.to_frame()
    assert isinstance(table, pa.Table)
    assert table.column_names == list(expected.columns)
    assert table["advantage"].to_pylist() == expected["advantage"].to_list()


def test_the_page_is_a_table_without_a_script(done: Audit) -> None:
    page = done._repr_html_()
    assert page == done.report._repr_html_()
    assert "as&lt;is&gt;" in page
    assert "STOP" in page
    assert "<table>" in page
    assert "<script" not in page
    assert "dal-picture" in page
    assert "as<is>" not in page


def test_the_figure_has_an_interval_and_a_limit_for_each_row(done: Audit) -> None:
    figure = done.plot()
    (axes,) = figure.axes
    rows = done.to_frame().dropna(subset=["advantage"])
    assert len(axes.get_yticks()) == len(rows)
    assert next(text.get_text() for text in axes.get_yticklabels()).startswith("as<is>")
    ends = [list(line.get_xdata()) for line in axes.lines]
    assert [rows.iloc[0]["advantage_low"], rows.iloc[0]["advantage_high"]] in ends
    assert [rows.iloc[0]["limit"]] in ends


def test_text_and_json_are_those_of_the_commands(done: Audit) -> None:
    assert json.loads(done.to_json())["verdict"] == "stop"
    assert "STOP: the policy is broken." in done.summary()
    assert done.summary() == done.report.summary()
    assert repr(done.report) == "Report(stop; findings: 2; of 4 people)"
    assert "findings: 2" in repr(done)


@pytest.mark.parametrize("trials", [0, 1])
def test_what_was_never_tried_has_no_line(trials: int, done: Audit) -> None:
    finding = done.report.findings[0]
    rate = Rate.of(Tally(0, trials), 0.95)
    another = finding.measures[0].model_copy(update={"attack": rate})
    finding = finding.model_copy(update={"measures": (*finding.measures, another)})
    told = done.report.model_copy(update={"findings": (finding,)}).summary()
    assert (f"0 of {trials} (0.0%)" in told) == bool(trials)


@pytest.mark.parametrize("width", [80, 100, 110])
def test_the_verdict_stands_beside_a_long_name_at_any_width(done: Audit, width: int) -> None:
    """It stood last, and a terminal of 80 columns left it away."""
    long = "suppressed and rounded, with all others"
    (first, *_), (verdict, *_) = done.report.findings, done.report.verdicts
    report = done.report.model_copy(
        update={
            "findings": (first, first.model_copy(update={"release": long})),
            "verdicts": (verdict, verdict.model_copy(update={"release": long})),
        }
    )
    lines = summary(report, width=width).splitlines()
    heading = next(line for line in lines if line.startswith("release"))
    row = next(line for line in lines if line.startswith("suppressed"))
    assert max(map(len, lines)) <= width
    assert heading.split()[:2] == ["release", "verdict"]
    assert row[heading.index("verdict") :].startswith("stop ")
    assert "…" not in "".join(lines)
    assert heading.split()[-2:] == ["certain", "known"]
