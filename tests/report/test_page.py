"""The page: nine headings for every family, everything escaped, nobody in it, no counts outside."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.auditing.decide import conclude
from dalenius.auditing.redecide import redecide
from dalenius.findings.explanation import Group
from dalenius.findings.policy import Policy, Resampled
from dalenius.findings.report import Data, Finding, NotRun, Report, coarser_tells_more, only_some_values
from dalenius.reconstruction.finding import SecretsFinding
from dalenius.reconstruction.rules import with_samples
from dalenius.remedy.result import Remedy
from dalenius.report.page.blocks import WIDTH, width_of
from dalenius.report.page.charts import cause_bars
from dalenius.report.page.dots import Dot, DotRow, attack_beside_guess, dot_picture
from dalenius.report.page.ladder import cheapest
from dalenius.report.page.planes import PricedRung, price_and_people
from dalenius.report.page.questions import SERIES, three_questions, words_for
from dalenius.report.page.render import (
    HEADINGS,
    fragment_html,
    markdown_text,
    page_html,
    page_markdown,
    page_of,
)
from dalenius.report.page.verdict import in_words
from dalenius.report.text import summary

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


def test_records_are_not_told_as_secrets_of_people_on_a_list(reports: dict[str, Report]) -> None:
    """Whoever puts records together has no list of people, and asks for no secret."""
    first = page_html(reports["records"]).split("<h2>")[0]
    assert "the whole record of" in first
    assert "list of these people" not in first
    assert "secret" not in first


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


def test_a_whole_page_has_its_pictures_each_with_words_and_a_table(whole: Report) -> None:
    page = page_html(whole)
    pictures = re.findall(r"<svg .*?</svg>", page, re.DOTALL)
    assert len(pictures) >= 8
    for picture in pictures:
        assert 'role="img"' in picture
        assert re.search(r"<title>[^<]+</title><desc>[^<]+</desc>", picture)
        assert "style=" not in picture
        assert not re.search(r"#[0-9a-f]{3,6}|rgb", picture), "colours are classes, so that dark works"
    assert page.count("<figure>") == page.count("The numbers behind it") == len(pictures)
    for said in (
        "44 − 43 = 1",
        "Cheapest change that passes your rules: round to 10",
        "Move along the noise",
    ):
        assert said in page
    first = page.split("<h2>")[0]
    assert "MSP×RAC1P" in first
    assert "has it: 54" in first


def test_a_promise_is_a_filled_mark_and_a_bound_is_drawn(whole: Report) -> None:
    section = page_html(whole).split("<h2>3 ")[1].split("<h2>")[0]
    people, gains = re.findall(r"<svg .*?</svg>", section, re.DOTALL)
    marks = dict(re.findall(r'class="dal-([\w-]+)" data-step="(\d)"', people)[::-1])
    filled_marks = re.findall(r'class="dal-accent" data-step="(\d)"', people)
    assert filled_marks == ["5", "6", "7"]
    assert set(re.findall(r'class="dal-open" data-step="(\d)"', people)) == {"1", "2", "3", "4"}
    assert marks
    assert gains.count('class="dal-bound"') == 6, "a T of two lines for each theorem"


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


CANARY = 6_173_911


def planted(report: Report) -> Report:
    """The report with a number that must not go out in the place of every count of people at risk."""
    plain = report.model_dump()

    def plant(value: object, key: str = "") -> object:
        if isinstance(value, dict):
            return {k: plant(v, k) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return tuple(plant(each, key) for each in value)
        counts = (
            "certain",
            "known",
            "hits",
            "at_risk",
            "sure",
            "nearly",
            "anyway",
            "only_by_release",
            "hidden",
        )
        if key in counts and isinstance(value, int):
            return CANARY
        said = ("sentence", "facts", "reasons", "reason", "notes", "warnings", "severity_reason", "undecided")
        if key in (*said, "examples", "change", "left_out") and isinstance(value, str):
            return f"{CANARY:,} people"
        return value

    findings = []
    for finding in report.findings:
        changed = {key: plant(value, key) for key, value in finding.model_dump(exclude={"details"}).items()}
        findings.append(type(finding).model_validate(changed | {"details": finding.details}))
    changed = {key: plant(plain[key], key) for key in ("reasons", "verdicts", "ladder")}
    return Report.model_validate(plain | changed | {"findings": findings})


@pytest.mark.parametrize("goal", GOALS)
def test_outside_no_count_of_people_at_risk_is_told(
    goal: str, reports: dict[str, Report], whole: Report
) -> None:
    report = planted(whole if goal == "reconstruction" else reports[goal])
    inside = page_html(report) + page_markdown(report)
    assert f"{CANARY:,}" in inside, "the canary sings inside"
    outside = page_html(report, external=True) + page_markdown(report, external=True)
    assert not re.search(r"6,?173,?911", outside)
    for finding in report.findings:
        assert in_words(finding.mechanism).replace("<", "&lt;") in outside
    assert "Not tested." in outside


@pytest.mark.parametrize("goal", GOALS)
def test_outside_no_measured_share_is_told(goal: str, reports: dict[str, Report]) -> None:
    """A gain in points and the number of people make a count."""
    report = reports[goal]
    outside = page_html(report, external=True)
    for finding in report.findings:
        for row in finding.measures:
            for rate in (row.attack, row.advantage):
                value = getattr(rate, "rate", getattr(rate, "value", None))
                if value:
                    assert f"{100 * value:.1f} points" not in outside
                    assert f"{value:.1%}" not in outside.replace("0.0%", "")


def test_outside_the_seed_is_not_told(whole: Report) -> None:
    """Whoever knows it can draw the noise of the audit again."""
    report = whole.model_copy(update={"seed": CANARY})
    assert str(CANARY) in page_html(report)
    assert str(CANARY) not in page_html(report, external=True) + page_markdown(report, external=True)


def test_the_three_questions_are_tested_or_named_as_not_tested(reports: dict[str, Report]) -> None:
    told = {
        goal: [one.tested.split(":")[0].rstrip(".") for one in three_questions(report)]
        for goal, report in reports.items()
    }
    assert told == {
        "reconstruction": ["Not tested", "Not tested", "Tested"],
        "tracing": ["Not tested", "Partly tested", "Not tested"],
        "singling-out": ["Tested", "Not tested", "Not tested"],
        "inference": ["Not tested", "Not tested", "Tested"],
        "records": ["Not tested", "Not tested", "Tested"],
    }


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


def test_one_finding_may_answer_all_three_questions(reports: dict[str, Report]) -> None:
    """Released rows are linked and inferred from too: that was tested, and is not told as if it were not."""
    report = reports["singling-out"]
    told = [answer.tested for answer in three_questions(report)]
    assert told == ["Tested.", "Not tested.", "Not tested."]
    more = three_in_one(report)
    answers = three_questions(more)
    assert [answer.tested for answer in answers] == ["Tested."] * 3
    told = [answer.results for answer in answers]
    assert [f"gain {gain}.0 points" in said for (said,), gain in zip(told, (10, 20, 30), strict=True)] == [
        True
    ] * 3, "each question with its own gain, not with the largest of all"


def three_in_one(report: Report) -> Report:
    """The same as if it asked all three questions, with gains of 10, 20 and 30 points."""
    finding = report.findings[0]
    gain = next(row.advantage for row in finding.measures if row.advantage is not None)
    rows = tuple(
        finding.measures[0].model_copy(
            update={"label": label, "advantage": gain.model_copy(update={"value": value})}
        )
        for label, value in (
            ("singling out: equal rows", 0.1),
            ("linkability: nearest row", 0.2),
            ("inference of pay: nearest row", 0.3),
        )
    )
    words = finding.headings.model_copy(update={"at": "question"})
    asking = finding.model_copy(update={"measures": rows, "deciding": 2, "headings": words})
    return report.model_copy(update={"findings": (asking,)})


def test_a_page_of_three_questions_says_how_each_is_attacked(reports: dict[str, Report]) -> None:
    page = page_of(three_in_one(reports["singling-out"]))
    how = " ".join(getattr(block, "text", "") for block in page.sections[6].blocks)
    for word in ("Singling out:", "Linking:", "inferring:"):
        assert word in how
    assert "which rows are of one person" in page_html(three_in_one(reports["singling-out"]))
    assert "which rows are of one person" not in page_html(reports["singling-out"])


def test_an_epsilon_that_keeps_to_the_limit_is_what_would_pass(reports: dict[str, Report]) -> None:
    page = page_html(reports["inference"])
    first, section = page.split("<h2>")[0], page.split("<h2>3 ")[1].split("<h2>")[0]
    for said in (first, section):
        assert "The largest epsilon, for everybody whose data is used, is 0.255" in said
        assert "was not looked for" not in said
    stricter = reports["inference"].policy.model_copy(update={"max_nu": 0.5})
    again = page_html(reports["inference"].model_copy(update={"policy": stricter}))
    assert "was not looked for" in again.split("<h2>3 ")[1].split("<h2>")[0], (
        "it was computed for another limit"
    )


def test_a_promise_is_told_as_one_and_is_no_question_about_people(reports: dict[str, Report]) -> None:
    report = reports["tracing"]
    finding = report.findings[0]
    words = finding.headings.model_copy(update={"asks": "whether it keeps its promise"})
    tried = report.model_copy(update={"findings": (finding.model_copy(update={"headings": words}),)})
    assert [one.tested for one in three_questions(tried)] == ["Not tested."] * 3
    assert "made-up data that differ in one record" in page_html(tried)
    assert "made-up data that differ in one record" not in page_html(report)


def test_a_plan_that_stops_says_what_to_type_next(reports: dict[str, Report]) -> None:
    report = reports["reconstruction"]
    planned = report.model_copy(update={"command": "dalenius audit plan.toml --workers 2"})
    typed = '<code class="dal-command">dalenius remedy plan.toml</code>'
    assert f"This looks for it: {typed}" in page_html(planned)
    for command in (None, "dalenius reconstruct tables --policy rules.toml", "dalenius audit 'un.toml"):
        page = page_html(report.model_copy(update={"command": command}))
        assert "The command dalenius remedy tries changes of a plan." in page


def test_a_stop_over_every_value_points_to_sensitive(reports: dict[str, Report]) -> None:
    report = reports["reconstruction"]
    advice = 'name them under [policy], such as sensitive = ["'
    assert report.verdict == "stop"
    assert advice in " ".join(summary(report).split())
    assert advice in " ".join(page_of(report).box.sentences)
    assert advice not in page_html(report, external=True)
    named = Policy(sensitive=("yes",))
    again = conclude(report.findings, named, data=report.data, seed=1)
    assert again.verdict == "stop"
    assert "under [policy]" not in summary(again)


def test_a_stop_by_the_gain_alone_does_not_point_there(reports: dict[str, Report]) -> None:
    report = reports["reconstruction"]
    many = Policy(max_certain=10**6, max_known=10**6)
    gains = conclude(report.findings, many, data=report.data, seed=1)
    assert gains.verdict == "stop"
    assert "under [policy]" not in summary(gains)


def test_what_passes_and_was_not_allowed_is_named(whole: Report) -> None:
    ladder = whole.ladder
    assert ladder is not None
    refused = [rung for rung in ladder.rungs if rung.verdict != "pass"]
    told = {}
    for name, rungs in (("none", refused), ("one", [*refused, ladder.rungs[6]])):
        left = ladder.model_copy(update={"rungs": tuple(rungs), "best": None})
        told[name] = cheapest(whole.model_copy(update={"ladder": left}))
    assert told["none"] == "No change in the list that was tried passes."
    assert (
        told["one"]
        == f"No change that was allowed passes. This one does, but was not allowed: {ladder.rungs[6].change}."
    )


def test_marks_on_one_place_share_their_numbers_and_people_are_whole(whole: Report) -> None:
    assert whole.ladder is not None
    rung = whole.ladder.rungs[1].model_copy(update={"sure": 1, "nearly": 0})
    drawn = price_and_people([PricedRung(j, rung, float(j > 4)) for j in range(6)], "mean error", 0)
    words = re.findall(r"<text[^>]*>([^<]*)</text>", str(drawn.svg))
    assert "0, 1, 2 and 2 more" in words
    assert "5" in words
    assert words[2:5] == ["0", "1", "0"], "0 and 1 upwards, then those across: no halves of people"


def test_what_is_written_after_a_bar_stays_in_the_picture(whole: Report) -> None:
    found = next(one.explanation.why for one in whole.findings if one.explanation.why is not None)
    first = found.causes[0].model_copy(update={"without": 0.0})
    drawn = cause_bars(found.model_copy(update={"whole": 1_234_567.0, "causes": (first,)}))
    assert drawn is not None
    ((x, said),) = re.findall(r'<text x="([\d.]+)"[^>]*>([^<]*fewer)</text>', str(drawn.svg))
    assert said == "1,234,567 fewer"
    assert float(x) + width_of(said) <= WIDTH


def test_the_first_part_is_called_most_only_if_it_is(whole: Report) -> None:
    finding = next(one for one in whole.findings if one.explanation.why is not None)
    why = finding.explanation.why
    assert why is not None
    for without, said in ((0.4, "Most of it comes from"), (0.6, "No part alone is behind most of it")):
        first = why.causes[0].model_copy(update={"without": without * why.whole})
        own = why.model_copy(update={"causes": (first, *why.causes[1:])})
        explained = finding.explanation.model_copy(update={"why": own})
        report = whole.model_copy(
            update={"findings": (finding.model_copy(update={"explanation": explained}),)}
        )
        assert said in page_html(report).split("<h2>")[0]


def test_columns_whose_groups_differ_most_come_first_and_others_are_folded(whole: Report) -> None:
    finding = next(one for one in whole.findings if one.explanation.groups)
    groups = tuple(
        Group(column=f"column {apart}", value=value, people=100, at_risk=at_risk)
        for apart in (5, 40, 10, 20)
        for value, at_risk in (("a", 50), ("b", 50 - apart))
    )
    explained = finding.explanation.model_copy(update={"groups": groups})
    report = whole.model_copy(update={"findings": (finding.model_copy(update={"explanation": explained}),)})
    *open_now, folded = page_of(report).sections[3].blocks
    assert [block.title for block in open_now if block.kind == "drawing"] == [
        f"Share at risk by column {apart}" for apart in (40, 20, 10)
    ]
    assert folded.kind == "folded"
    assert [block.title for block in folded.blocks if block.kind == "drawing"] == [
        "Share at risk by column 5"
    ]


def test_every_family_says_what_was_assumed(reports: dict[str, Report]) -> None:
    """A page said that nothing was, of people whose links and agreement were."""
    for goal, report in reports.items():
        assert all(finding.assumptions for finding in report.findings), goal


def test_people_who_all_have_one_value_are_told_so(whole: Report) -> None:
    said = only_some_values(whole)
    assert said is not None
    assert said.startswith("All of these people have has it.")


@pytest.mark.parametrize(("rule", "helps"), [("max_known", True), ("max_advantage", False)])
def test_values_may_be_named_where_samples_alone_break_the_policy(
    whole: Report, rule: str, helps: bool
) -> None:
    """Rounded tables whose people pass, and whose samples do not, are undecided by a harmless value."""
    again = Resampled(draws=5, share=0.9, broken=2, reason="somebody is known.", rule=rule)
    (first, *_) = whole.findings
    assert isinstance(first, SecretsFinding)
    nobody = [row.model_copy(update={"sure": 0, "nearly": 0}) for row in first.explanation.learned]
    explained = first.explanation.model_copy(update={"learned": tuple(nobody)})
    finding = with_samples(first.model_copy(update={"explanation": explained}), again)
    said = only_some_values(whole.model_copy(update={"findings": (finding,), "verdicts": ()}))
    assert (said is not None and "sensitive = [" in said) is helps


def test_the_head_of_several_questions_names_each(reports: dict[str, Report]) -> None:
    one, other = reports["reconstruction"], reports["tracing"]
    mixed = one.model_copy(update={"findings": (*one.findings, *other.findings)})
    assert "asked besides: who is among them" in page_of(mixed).about
    assert "asked besides: who is among them" in " ".join(summary(mixed).split())
    assert not any("asked besides" in said for said in page_of(one).about)


def test_a_release_asked_twice_has_one_line_and_its_verdict_is_of_the_whole(
    reports: dict[str, Report],
) -> None:
    one, other = reports["reconstruction"], reports["inference"]
    first = one.findings[0]
    beside = other.findings[0].model_copy(update={"release": first.release})
    mixed = one.model_copy(update={"findings": (first, beside)})
    assert len(page_of(mixed).box.releases.rows) == 1
    assert len(page_of(one).box.releases.rows) == 2, "other releases keep their lines"
    (said, *_) = three_questions(mixed)[2].results
    assert "as a whole it breaks the rules" in said
    assert "as a whole" not in three_questions(one)[2].results[0]


def test_names_of_rows_are_whole_up_to_two_lines() -> None:
    name = "singling out: rows within 2% of the ranks"
    drawn = dot_picture("t", "d", [DotRow(name, (Dot("circle", "dark", "m", 0.5),))], str)
    words = re.findall(r"<text[^>]*>([^<]*)</text>", str(drawn.svg))
    assert words[:2] == ["singling out: rows", "within 2% of the ranks"]
    assert "\N{HORIZONTAL ELLIPSIS}" not in drawn.svg


def test_a_box_has_few_reasons_and_says_where_the_others_are(reports: dict[str, Report]) -> None:
    report = reports["singling-out"]
    (first, *_) = report.verdicts
    many = first.model_copy(update={"reasons": tuple(f"reason {j}." for j in range(9))})
    told = page_of(report.model_copy(update={"verdicts": (many,)})).box.reasons
    assert told == (*(f"reason {j}." for j in range(6)), "And 3 more: see section 9.")


def test_several_questions_in_one_picture_have_words_of_their_own(reports: dict[str, Report]) -> None:
    finding = reports["singling-out"].findings[0]
    words = finding.headings.model_copy(update={"at": "question", "over": "people outside"})
    drawn = attack_beside_guess(finding.model_copy(update={"headings": words}), Policy())
    own = attack_beside_guess(finding, Policy())
    assert drawn is not None
    assert own is not None
    assert (drawn.title, own.title[:10]) == (
        "The attack succeeds; for comparison: people outside",
        "Conditions",
    )


def test_answers_and_moments_have_words_of_their_own(reports: dict[str, Report]) -> None:
    """A beacon does not average, and one person's moments are no relatives."""
    (traced,), (related,) = reports["tracing"].findings, reports["inference"].findings
    beacon = traced.model_copy(update={"mechanism": "presence:flip=0.1"})
    assert "Averages" in words_for(traced).how[0]
    assert "asks whether anybody" in words_for(beacon).how[0]
    moments = related.headings.model_copy(update={"asks": SERIES})
    assert "Relatives" in words_for(related).how[0]
    assert "one moment" in words_for(related.model_copy(update={"headings": moments})).how[0]


def test_that_coarser_rounding_gives_more_away_is_explained(whole: Report) -> None:
    """Of the same tables rounded to 5 and to 10, more people were certain by the second."""
    (first, *_) = whole.findings

    def rounded(base: int, certain: int) -> Finding:
        return first.model_copy(update={"mechanism": f"rounding:base={base}", "certain": certain})

    told = whole.model_copy(update={"findings": (rounded(10, 123), rounded(5, 38))})
    said = coarser_tells_more(told)
    assert said is not None
    assert "rounded to 5 it gives 38 away by arithmetic, rounded to 10 123" in said
    assert "such as 10 of 5 people" in said
    assert said in page_html(told).split("<h2>")[0]
    assert said not in page_html(told, external=True)
    fine = whole.model_copy(update={"findings": (rounded(10, 3), rounded(5, 38))})
    assert coarser_tells_more(fine) is None


@pytest.mark.parametrize("goal", GOALS)
def test_findings_of_every_family_are_decided_again(goal: str, reports: dict[str, Report]) -> None:
    """Read from their file, findings about members and conditions had lost the shape that rules ask for."""
    again = redecide(reports[goal], reports[goal].policy)
    assert (again.verdict, again.verdicts) == (reports[goal].verdict, reports[goal].verdicts)
