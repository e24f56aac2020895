"""The page: nine headings for every family, everything escaped, nobody in it, the same every time."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.auditing.decide import conclude
from dalenius.findings.policy import Policy
from dalenius.findings.report import Data, NotRun, Report
from dalenius.remedy.result import Remedy
from dalenius.report.page.render import (
    HEADINGS,
    fragment_html,
    markdown_text,
    page_html,
    page_markdown,
    page_of,
)

from .conftest import GOALS


class Seen(HTMLParser):
    """Collects tags, and what is open at the end."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)
        if tag not in ("meta", "input", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def seen(page: str) -> Seen:
    parser = Seen()
    parser.feed(page)
    assert not parser.open
    return parser


def headings(page: str) -> list[str]:
    return re.findall(r"<h2>\d ([^<]*)</h2>", page)


@pytest.mark.parametrize("goal", GOALS)
def test_every_family_has_the_nine_headings(goal: str, reports: dict[str, Report]) -> None:
    for external in (False, True):
        page = page_html(reports[goal], external=external)
        assert headings(page) == list(HEADINGS)
        assert len(page) < 500_000
        seen(page)
        short = page_markdown(reports[goal], external=external)
        assert re.findall(r"^## \d (.*)$", short, re.MULTILINE) == list(HEADINGS)
    first = page_html(reports[goal]).split("<h2>")[0]
    assert "posterior" not in first
    assert reports[goal].verdict.upper() in first


def test_a_section_without_data_says_so(reports: dict[str, Report]) -> None:
    page = page_html(reports["reconstruction"])
    for said in ("was not looked for", "no part can be named", "not counted by group"):
        assert said in page
    nothing = conclude([], Policy(), data=Data(source="x", people=3, public=(), secret=None), seed=1)
    failed = nothing.model_copy(
        update={"not_run": (NotRun(release="r", attack_method="tracing", reason="too few"),)}
    )
    for report in (nothing, failed):
        assert headings(page_html(report)) == list(HEADINGS)
        assert "No attack could be run" in page_html(report)
        assert page_markdown(report)
        assert fragment_html(report)


def test_names_are_escaped_everywhere(whole: Report) -> None:
    for page in (page_html(whole), page_html(whole, external=True), fragment_html(whole)):
        assert "<script>alert" not in page
        assert "as <planned>" not in page
        assert "<b>RAC1P" not in page
    assert "&lt;script&gt;alert(1)" in page_html(whole)
    assert seen(page_html(whole)).tags.count("script") == 1
    assert "script" not in seen(fragment_html(whole)).tags
    short = page_markdown(whole)
    assert "\\<script\\>alert" in short
    assert not re.search(r"(?<!\\)<script", short)


@given(st.text())
def test_words_stay_words_in_markdown(text: str) -> None:
    escaped = markdown_text(text)
    assert "\n" not in escaped
    assert not re.search(r"(?<!\\)[<>|`*_\[\]#]", escaped.replace("\\\\", ""))


def test_nobody_is_on_a_page(whole: Report) -> None:
    for page in (page_html(whole), page_markdown(whole), fragment_html(whole)):
        assert "canaryperson" not in page


def test_many_findings_are_folded(reports: dict[str, Report]) -> None:
    report = reports["reconstruction"]
    many = tuple(report.findings[0].model_copy(update={"release": f"r{i}"}) for i in range(9))
    page = page_of(report.model_copy(update={"findings": many}))
    folded = [block.summary for block in page.sections[0].blocks if block.kind == "folded"]
    assert folded[-1] == "3 more findings"


def test_the_same_findings_give_the_same_page(whole: Report) -> None:
    again = type(whole).model_validate_json(whole.to_json())
    assert page_html(whole) == page_html(whole)
    assert headings(page_html(again)) == list(HEADINGS), "read without its family a report has a page too"


def test_the_notebook_shows_verdict_bar_and_table(whole: Report) -> None:
    shown = whole._repr_html_()
    assert "STOP" in shown
    assert "only because of the publication" in shown
    assert "<table>" in shown
    assert len(shown) < 20_000
    assert whole.report_html(external=True) == page_html(whole, external=True)


def test_in_a_notebook_a_remedy_shows_its_ladder(whole: Report) -> None:
    shown = Remedy(whole, None, None)._repr_html_()
    assert whole.ladder is not None
    assert len(whole.ladder.rungs) > 2
    for rung in whole.ladder.rungs:
        assert rung.change in shown
    assert "<svg" in shown
    assert "<script" not in shown
    assert len(shown) < 40_000


def test_a_box_has_few_reasons_and_says_where_the_others_are(reports: dict[str, Report]) -> None:
    report = reports["singling-out"]
    (first, *_) = report.verdicts
    many = first.model_copy(update={"reasons": tuple(f"reason {j}." for j in range(9))})
    told = page_of(report.model_copy(update={"verdicts": (many,)})).box.reasons
    assert told == (*(f"reason {j}." for j in range(6)), "And 3 more: see section 9.")
