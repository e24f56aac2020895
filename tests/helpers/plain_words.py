"""What is wrong with the words of a report: another unit, other digits, and *none* for not decided."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from dalenius.findings.policy import worst_of
from dalenius.findings.report import Finding, Report

_NUMBER = r"[+-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?"
_POINTS = re.compile(
    rf"({_NUMBER})(?: to (?:at most )?({_NUMBER}))? points\b(?: \(({_NUMBER}) to ({_NUMBER})\))?"
)
_SHARE = re.compile(r"(\d[\d,]*)\.(\d{2,})%")
_GAIN = re.compile(
    rf"\b(?:advantage|gains?|(?<!rarity )limit)\b(?: over \w+)?(?: of| at most| to)? ({_NUMBER})"
    r"(?! points)(?= |%|,|;|:|\.$|$)"
)
_ONE_DIGIT = re.compile(r"\+?\d[\d,]*\.\d|-(?!0\.0$)\d[\d,]*\.\d")
ABOUT_GAINS = ("max_advantage", "max_recovered")
"""Rules whose numbers are differences of shares."""


def sentences(finding: Finding) -> Iterator[str]:
    """All that is said about a finding in words."""
    yield from (finding.sentence, finding.severity_reason, *finding.facts, *finding.not_shown)
    yield from () if finding.undecided is None else (finding.undecided,)


def unlike_others(sentence: str, *, of_gains: bool = False) -> list[str]:
    """What in a sentence has another unit or other digits than in all other sentences.

    Differences of shares are in points with one digit and no minus before zero; shares are percentages with
    one digit at most, unless they are below a tenth of a percent.

    Parameters
    ----------
    sentence
        What is said.
    of_gains
        Whether it is a reason of a rule about gains, so that each gain and limit in it must be in points.

    Examples
    --------
    >>> unlike_others("advantage 20.9 points (19.0 to 21.7), limit 5.0 points: above.", of_gains=True)
    []
    >>> unlike_others("advantage 0.2094, limit 5%.", of_gains=True)
    ['0.2094', '5']
    >>> unlike_others("20.94 points (-0.0 to 21), 92.87% right, 0.04% by luck")
    ['20.94', '-0.0', '21', '92.87%']
    """
    told = [number for found in _POINTS.finditer(sentence) for number in found.groups() if number]
    wrong = [number for number in told if not _ONE_DIGIT.fullmatch(number)]
    wrong += [
        found[0] for found in _SHARE.finditer(sentence) if float(found[0].replace(",", "").rstrip("%")) >= 0.1
    ]
    return wrong + [found[1] for found in _GAIN.finditer(sentence) if of_gains and " nu " not in sentence]


def not_in_points(report: Report) -> list[str]:
    """Sentences of a report with another unit or other digits."""
    said = [(text, False) for finding in report.findings for text in sentences(finding)]
    said += [(text, False) for text in report.reasons]
    said += [
        (rule.reason, rule.rule.startswith(ABOUT_GAINS)) for each in report.verdicts for rule in each.rules
    ]
    return [text for text, of_gains in said if unlike_others(text, of_gains=of_gains)]


def none_for_undecided(report: Report) -> list[str]:
    """Releases and goals of which the grade is *none* though they were not decided."""
    wrong = []
    for each in report.verdicts:
        for finding in report.findings:
            rules = [rule.verdict for rule in each.rules if rule.goal == finding.goal]
            if finding.release == each.release and rules and worst_of(rules) == "undecided":
                alone = (
                    sum(f.release == each.release and f.goal == finding.goal for f in report.findings) == 1
                )
                wrong += [f"{each.release}, {finding.goal}"] * (finding.severity == "none" and alone)
    return wrong


def points_of_its_own(place: Path) -> list[str]:
    """Places in a source where a number of points is written with digits of its own."""
    text = place.read_text(encoding="utf-8")
    if " points" not in text:
        return []
    return [
        f"{place.name}:{string.lineno}"
        for string in ast.walk(ast.parse(text))
        if isinstance(string, ast.JoinedStr)
        for number, after in zip(string.values, string.values[1:], strict=False)
        if isinstance(number, ast.FormattedValue)
        and number.format_spec is not None
        and isinstance(after, ast.Constant)
        and str(after.value).startswith(" points")
    ]
