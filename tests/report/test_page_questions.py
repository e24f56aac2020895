"""What was asked, on a page: three questions tested or named as not tested, each with words of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dalenius.auditing.redecide import redecide
from dalenius.cli.main import app
from dalenius.findings.explanation import SMALL
from dalenius.findings.report import ReleaseVerdict, Report, RuleVerdict
from dalenius.report.page.questions import SERIES, three_questions, words_for
from dalenius.report.page.render import page_html, page_markdown, page_of
from dalenius.report.text import summary

from .conftest import GOALS


def test_records_are_not_told_as_secrets_of_people_on_a_list(reports: dict[str, Report]) -> None:
    """Whoever puts records together has no list of people, and asks for no secret."""
    first = page_html(reports["records"]).split("<h2>")[0]
    assert "the whole record of" in first
    assert "list of these people" not in first
    assert "secret" not in first


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


def test_a_promise_is_told_as_one_and_is_no_question_about_people(reports: dict[str, Report]) -> None:
    report = reports["tracing"]
    finding = report.findings[0]
    words = finding.headings.model_copy(update={"asks": "whether it keeps its promise"})
    tried = report.model_copy(update={"findings": (finding.model_copy(update={"headings": words}),)})
    assert [one.tested for one in three_questions(tried)] == ["Not tested."] * 3
    assert "made-up data that differ in one record" in page_html(tried)
    assert "made-up data that differ in one record" not in page_html(report)


def test_every_family_says_what_was_assumed(reports: dict[str, Report]) -> None:
    """A page said that nothing was, of people whose links and agreement were."""
    for goal, report in reports.items():
        assert all(finding.assumptions for finding in report.findings), goal


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
    said, besides, *_ = three_questions(mixed)[2].results
    assert ": breaks the rules" in said
    assert "as a whole it breaks the rules" in besides, "no rule of its own is known"
    assert "as a whole" not in three_questions(one)[2].results[0]


def test_answers_and_moments_have_words_of_their_own(reports: dict[str, Report]) -> None:
    """A beacon does not average, and one person's moments are no relatives."""
    (traced,), (related,) = reports["tracing"].findings, reports["inference"].findings
    beacon = traced.model_copy(update={"mechanism": "presence:flip=0.1"})
    assert "Averages" in words_for(traced).how[0]
    assert "asks whether anybody" in words_for(beacon).how[0]
    moments = related.headings.model_copy(update={"asks": SERIES})
    assert "Relatives" in words_for(related).how[0]
    assert "one moment" in words_for(related.model_copy(update={"headings": moments})).how[0]


@pytest.mark.parametrize("goal", GOALS)
def test_findings_of_every_family_are_decided_again(goal: str, reports: dict[str, Report]) -> None:
    """Read from their file, findings about members and conditions had lost the shape that rules ask for."""
    again = redecide(reports[goal], reports[goal].policy)
    assert (again.verdict, again.verdicts) == (reports[goal].verdict, reports[goal].verdicts)


def test_a_check_without_a_gain_is_told(reports: dict[str, Report]) -> None:
    told = page_markdown(reports["singling-out"]).split("## 5 ")[1].split("## 6 ")[0]
    assert "Check where nothing can have leaked, the same conditions about 80 other people: " in told
    assert "not made for this question" not in told
    assert "not made for this question" in page_markdown(reports["inference"])


def test_whom_it_hits_is_told_of_records_and_not_denied_of_rows(reports: dict[str, Report]) -> None:
    groups = reports["records"].findings[0].explanation.groups
    assert {group.column for group in groups} == {"block", "origin", "race", "sex", "age"}
    certain = reports["records"].findings[0].certain
    for column in {group.column for group in groups}:
        own = [group for group in groups if group.column == column]
        assert sum(group.at_risk for group in own) == certain, "everybody is in a group"
        assert sum(group.people for group in own) == 258
        assert min(group.people for group in own) >= SMALL
    assert "no public column is known" not in page_markdown(reports["singling-out"])
    assert "no public column is known" in page_markdown(reports["tracing"])


def test_beliefs_are_called_beliefs_and_a_stop_is_no_nothing(tmp_path: Path) -> None:
    """What the likelier value is right is no nu, and where a rule is broken something is shown."""
    rng = np.random.default_rng(3)
    values = rng.integers(0, 2, 30)
    said = np.where(rng.random(30) < 0.05, 1 - values, values)
    edges = [f"p{i},p{i + 1}" for i in range(29) if i % 3 != 2]
    (tmp_path / "edges.csv").write_text("\n".join(["a,b", *edges]) + "\n")
    for name, head, column in (("said", "answer", said), ("truth", "value", values)):
        lines = [f"p{i},{value}" for i, value in enumerate(column)]
        (tmp_path / f"{name}.csv").write_text("\n".join([f"id,{head}", *lines]) + "\n")
    words = ["infer", "beliefs", "--agreement", "0.8", "--epsilon", "3", "--out", str(tmp_path / "out")]
    for name, file in (("edges", "edges"), ("answers", "said"), ("truth", "truth")):
        words += [f"--{name}", str(tmp_path / f"{file}.csv")]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1, done.output
    page = (tmp_path / "out" / "report.html").read_text()
    assert "likelier value is right after the release" in page
    assert "what the promise is worth" not in page
    assert "Nothing is shown to be given away" not in page


def test_a_release_may_keep_to_the_rules_of_one_question_and_break_those_of_another(
    reports: dict[str, Report],
) -> None:
    one, other = reports["reconstruction"], reports["singling-out"]
    first = one.findings[0]
    beside = other.findings[0].model_copy(update={"release": first.release})
    rules = [
        RuleVerdict(goal=finding.goal, rule="r", verdict=verdict, reason="")
        for finding, verdict in ((first, "stop"), (beside, "pass"))
    ]
    whole = ReleaseVerdict(release=first.release, verdict="stop", reasons=(), rules=tuple(rules))
    mixed = one.model_copy(update={"findings": (first, beside), "verdicts": (whole,)})
    singled, _, inferred = three_questions(mixed)
    assert ": keeps to the rules" in singled.results[0]
    assert ": breaks the rules" in inferred.results[0]
