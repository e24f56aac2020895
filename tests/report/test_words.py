"""Every family says gains in points, with one digit, and calls *none* only what was shown to be harmless."""

from __future__ import annotations

from pathlib import Path

import pytest

import dalenius
from dalenius.findings.report import Report
from dalenius.report.text import summary
from helpers.plain_words import none_for_undecided, not_in_points, points_of_its_own, sentences, unlike_others

from .conftest import GOALS

SOURCE = Path(dalenius.__file__).parent


@pytest.mark.parametrize("goal", GOALS)
def test_one_unit_and_one_rounding_in_all_sentences(goal: str, reports: dict[str, Report]) -> None:
    report = reports[goal]
    assert all(any(sentences(finding)) for finding in report.findings)
    assert not_in_points(report) == []


@pytest.mark.parametrize("goal", GOALS)
def test_none_is_never_the_word_for_not_decided(goal: str, reports: dict[str, Report]) -> None:
    assert none_for_undecided(reports[goal]) == []


def test_points_are_written_in_one_place() -> None:
    """Only attacks, which cannot know findings, and the one place itself write digits before the unit."""
    places = [place for place in SOURCE.rglob("*.py") if "attack" not in place.parts]
    assert [at for place in places for at in points_of_its_own(place)] == []


def test_digits_before_points_are_seen_in_a_source(tmp_path: Path) -> None:
    source = tmp_path / "words.py"
    source.write_text('said = f"gains {100 * gain:.2f} points"\nright = f"gains {points(gain)} points"\n')
    assert points_of_its_own(source) == ["words.py:1"]


@pytest.mark.parametrize(
    "planted",
    [
        "The attack gains 20.94 points.",
        "advantage 20.9 points (19 to 21.7)",
        "advantage 0.0 points (-0.0 to 1.2)",
        "5 points more often",
        "grows from 5 to 29.8 points",
        "92.87% are right",
    ],
)
def test_another_unit_or_rounding_is_seen(planted: str, reports: dict[str, Report]) -> None:
    report = reports["reconstruction"]
    first, *others = report.findings
    wrong = first.model_copy(update={"sentence": f"{first.sentence} {planted}"})
    assert not_in_points(report.model_copy(update={"findings": (wrong, *others)}))


@pytest.mark.parametrize(
    "planted", ["advantage 0.209, limit 5.0 points", "advantage 20.9%", "limit 0.0155", "limit 5."]
)
def test_a_gain_without_its_unit_is_seen(planted: str) -> None:
    assert unlike_others(planted, of_gains=True)
    assert not unlike_others("nu is 0.8, limit 0.6: above the limit.", of_gains=False)


def test_none_for_undecided_is_seen(reports: dict[str, Report]) -> None:
    report = reports["reconstruction"]

    def changed(word: str, verdict: str) -> Report:
        findings = [finding.model_copy(update={"severity": word}) for finding in report.findings]
        verdicts = [
            each.model_copy(
                update={"rules": tuple(rule.model_copy(update={"verdict": verdict}) for rule in each.rules)}
            )
            for each in report.verdicts
        ]
        return report.model_copy(update={"findings": tuple(findings), "verdicts": tuple(verdicts)})

    assert len(none_for_undecided(changed("none", "undecided"))) == len(report.findings)
    assert none_for_undecided(changed("undecided", "undecided")) == []
    assert none_for_undecided(changed("none", "pass")) == []


def test_what_several_releases_note_alike_is_told_once(reports: dict[str, Report]) -> None:
    """Eight variants of a plan said the same four lines eight times."""
    first = reports["reconstruction"].findings[0]
    named = [
        first.model_copy(update={"release": name, "notes": ("of all", f"of {name}")})
        for name in ("a", "b", "c")
    ]
    named[2] = named[2].model_copy(update={"notes": ("of all", "of a")})
    report = reports["reconstruction"].model_copy(update={"findings": tuple(named)})
    noted = summary(report).split("Noted on the way:\n")[1].split("\n\n")[0]
    assert [line.strip() for line in noted.splitlines()] == ["all: of all", "a, c: of a", "b: of b"]
