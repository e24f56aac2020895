"""What a pipeline reads: JUnit XML with a case for each rule, and a summary in Markdown."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from xml.etree import ElementTree

from dalenius.findings.measure import Verdict
from dalenius.findings.report import Report
from dalenius.shown import people

_Case = tuple[str, str, Verdict, str]
"""Class, name, verdict and reason of a test case."""

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(report: Report) -> str:
    """Write a test case for every release and rule, and one for the verdict; nobody is in it.

    What is undecided fails as what stops does: it was not shown to keep to the policy. There is no time in
    it, so that the same findings give the same bytes.

    Examples
    --------
    >>> from dalenius.auditing.decide import conclude
    >>> from dalenius.findings.policy import Policy
    >>> from dalenius.findings.report import Data
    >>> data = Data(source="people.csv", people=3, public=("age",), secret="ill")
    >>> print(to_junit(conclude([], Policy(), data=data, seed=1)).splitlines()[1])
    <testsuites name="dalenius" tests="1" failures="1" errors="0">
    """
    suites = {
        each.release: [(one.goal, one.rule, one.verdict, one.reason) for one in each.rules]
        for each in report.verdicts
    }
    # a report without a single rule must not look like one without a failure
    said = "; ".join(report.reasons) or "the findings keep to the policy."
    suites["policy"] = [*suites.get("policy", []), ("audit", "verdict", report.verdict, said)]
    root = ElementTree.Element("testsuites", {"name": "dalenius", **_counts([*chain(*suites.values())])})
    for name, cases in suites.items():
        suite = ElementTree.SubElement(root, "testsuite", {"name": _clean(name), **_counts(cases)})
        for case in cases:
            _add(suite, name, case)
    return _written(root)


def error_junit(message: str) -> str:
    """Write the one test case of an audit that could not be run: an error, neither pass nor failure.

    Examples
    --------
    >>> print(error_junit("audit.toml must be a file; got no such file.").splitlines()[1])
    <testsuites name="dalenius" tests="1" failures="0" errors="1">
    """
    counts = {"tests": "1", "failures": "0", "errors": "1"}
    root = ElementTree.Element("testsuites", {"name": "dalenius", **counts})
    suite = ElementTree.SubElement(root, "testsuite", {"name": "policy", **counts})
    case = ElementTree.SubElement(suite, "testcase", {"classname": "dalenius.audit", "name": "verdict"})
    said = _clean(message)
    ElementTree.SubElement(case, "error", {"type": "not run", "message": said.splitlines()[0]}).text = said
    return _written(root)


def _written(root: ElementTree.Element) -> str:
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _counts(cases: Sequence[_Case]) -> dict[str, str]:
    failed = sum(verdict != "pass" for _, _, verdict, _ in cases)
    return {"tests": str(len(cases)), "failures": str(failed), "errors": "0"}


def _add(suite: ElementTree.Element, release: str, case: _Case) -> None:
    goal, rule, verdict, reason = case
    named = {"classname": _clean(f"dalenius.{goal}.{release}"), "name": _clean(rule)}
    element = ElementTree.SubElement(suite, "testcase", named)
    if verdict != "pass":
        failure = ElementTree.SubElement(
            element, "failure", {"type": verdict, "message": _clean(f"{verdict.upper()}: {reason}")}
        )
        failure.text = _clean(reason)
    elif reason:
        ElementTree.SubElement(element, "system-out").text = _clean(reason)


def _clean(text: str) -> str:
    """Leave out what XML has no way to write: names of files may hold anything."""
    return _NOT_XML.sub("", text)


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
