"""What a page says would pass, what to type next, and what explains a stop."""

from __future__ import annotations

import pytest

from dalenius.auditing.decide import conclude
from dalenius.findings.explanation import RARE_VALUES
from dalenius.findings.measure import Bound
from dalenius.findings.policy import Policy, Resampled
from dalenius.findings.report import (
    Finding,
    Ladder,
    Price,
    Report,
    Rung,
    coarser_tells_more,
    only_some_values,
)
from dalenius.reconstruction.finding import SecretsFinding
from dalenius.reconstruction.rules import with_samples
from dalenius.report.page.blocks import Prose
from dalenius.report.page.ladder import cheapest, looks_for_it, what_would_pass
from dalenius.report.page.render import page_html, page_of
from dalenius.report.text import summary


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


def test_a_plan_that_stops_says_what_to_type_next(reports: dict[str, Report]) -> None:
    report = reports["reconstruction"]
    planned = report.model_copy(update={"command": "dalenius audit plan.toml --workers 2"})
    typed = "This looks for it: dalenius remedy plan.toml"
    assert looks_for_it(planned) == f"{typed} --release 'as <planned>'", "of alternatives one is mended"
    assert "<span>--release</span> &#39;as &lt;planned&gt;&#39;</code>" in page_html(planned)
    alone = [finding.model_copy(update={"assumptions": ()}) for finding in planned.findings]
    assert looks_for_it(planned.model_copy(update={"findings": tuple(alone)})) == typed
    for command in (None, "dalenius reconstruct tables --policy rules.toml", "dalenius audit 'un.toml"):
        page = page_html(report.model_copy(update={"command": command}))
        assert 'by: <code class="dal-command">dalenius remedy audit.toml</code>' in page


@pytest.mark.parametrize(
    ("question", "command"),
    [
        ("inference", "dalenius infer joint --table joint.csv"),
        ("reconstruction", "dalenius reconstruct regression --people people.csv"),
        ("singling-out", "dalenius single-out game --population all.csv"),
        ("records", "dalenius reconstruct records --geography block"),
    ],
)
def test_no_plan_is_offered_where_no_plan_asks_the_question(
    question: str, command: str, reports: dict[str, Report]
) -> None:
    asked = reports[question].model_copy(update={"command": command})
    assert looks_for_it(asked) == "No command looks for one: of this question no plan can be changed."


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


def test_people_who_all_have_one_value_are_told_so(whole: Report) -> None:
    said = only_some_values(whole)
    assert said is not None
    assert said.startswith("All of these people have has it.")


def test_no_value_is_named_that_a_policy_would_refuse(whole: Report) -> None:
    """Values of few people are told together, by a name that is none of them."""
    (first, *_) = whole.findings
    rows = first.explanation.learned
    rare = rows[1].model_copy(update={"value": RARE_VALUES, "people": 1})
    explained = first.explanation.model_copy(update={"learned": (*rows, rare)})
    finding = first.model_copy(update={"explanation": explained})
    said = only_some_values(whole.model_copy(update={"findings": (finding, *whole.findings[1:])}))
    assert said is not None
    assert "sensitive = [" in said
    assert RARE_VALUES not in said


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


def test_the_page_says_which_line_has_a_promise_and_what_it_is(reports: dict[str, Report]) -> None:
    """The strongest one, also where it was not allowed; a ladder without one says nothing of it."""
    rungs = [
        Rung(
            kind="noise" if value else "as planned",
            change=f"change {at}",
            release="r",
            price=Price(),
            verdict="stop",
            tried=0,
            kept=0,
            note="Not allowed here.",
            bound=Bound(statement="s", text=f"At most {value}.", kind="advantage-at-most", value=value)
            if value
            else None,
        )
        for at, value in enumerate((0.0, 0.3, 0.1, 0.2))
    ]
    ladder = Ladder(rungs=tuple(rungs), best=None, allowed=("round",))
    report = next(iter(reports.values())).model_copy(update={"ladder": ladder})
    said = [block.text for block in what_would_pass(report) if isinstance(block, Prose)]
    assert "No. 2 has a promise. At most 0.1. Not allowed here." in said
    without = Ladder(rungs=tuple(rungs[:1]), best=None, allowed=("round",))
    assert without.strongest is None
    bare = what_would_pass(report.model_copy(update={"ladder": without}))
    assert not any("has a promise" in block.text for block in bare if isinstance(block, Prose))
