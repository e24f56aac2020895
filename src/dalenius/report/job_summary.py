"""A report as a few lines of Markdown, for the summary of a job in a pipeline."""

from __future__ import annotations

import html
from collections.abc import Iterator

from dalenius.findings.plain import Verdict
from dalenius.findings.report import Report
from dalenius.plural import people

_WORDS: dict[Verdict, tuple[str, str]] = {
    "pass": ("✅ pass", "The findings keep to the policy."),
    "stop": ("❌ stop", "The policy is broken: do not publish this as planned."),
    "undecided": ("⚠️ undecided", "Not shown to keep to the policy: hold this back until it is."),
}


def job_summary(report: Report) -> str:
    """Say the verdict, and what every rule says of every release; nobody is in it.

    Examples
    --------
    >>> from dalenius.auditing.decide import conclude
    >>> from dalenius.findings.policy import Policy
    >>> from dalenius.findings.report import Data
    >>> data = Data(source="people.csv", people=3, public=("age",), secret="ill")
    >>> print(job_summary(conclude([], Policy(), data=data, seed=1)).splitlines()[0])
    ## dalenius: ⚠️ undecided
    """
    return "\n".join(_lines(report)) + "\n\n"


def _lines(report: Report) -> Iterator[str]:
    word, meaning = _WORDS[report.verdict]
    data = report.data
    secret = "" if data.secret is None else f", secret {_cell(data.secret)}"
    yield f"## dalenius: {word}"
    yield ""
    yield f"{meaning} {_cell(data.source)}: {people(data.people)}{secret}; seed {report.seed}."
    yield ""
    if report.verdicts:
        yield "| release | verdict | rule | what was found |"
        yield "|---|---|---|---|"
    else:
        yield from (f"- {_cell(reason)}" for reason in report.reasons)
    for each in report.verdicts:
        for j, one in enumerate(each.rules):
            named = (_cell(each.release), _WORDS[each.verdict][0]) if j == 0 else ("", "")
            found = _cell(one.reason) or "kept"
            told = found if one.verdict == "pass" else f"**{one.verdict}**: {found}"
            yield f"| {named[0]} | {named[1]} | {_cell(one.rule)} | {told} |"


def _cell(text: str) -> str:
    """One line that Markdown takes as it is: names of files may hold anything."""
    plain = html.escape(" ".join(text.split()), quote=False)
    return "".join(f"\\{letter}" if letter in "\\|`*_[]" else letter for letter in plain)
