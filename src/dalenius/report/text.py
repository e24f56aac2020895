"""A report as text for a terminal, and as a frame with one row for each measure."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from textwrap import fill
from typing import Any

from rich import box
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dalenius.findings.measure import Gain, Measure, Rate
from dalenius.findings.policy import from_to, points
from dalenius.findings.report import Finding, Report, asked_besides, coarser_tells_more, only_some_values
from dalenius.shown import people


def to_frame(report: Report) -> Any:
    """Return a pandas frame, or an Arrow table where pandas is not installed.

    A finding without measures has one row, with its severity and verdict.
    """
    import pyarrow as pa

    table = pa.Table.from_pylist(rows(report)) if report.findings else pa.table({"release": []})
    try:
        import pandas as pd
    except ImportError:
        return table
    return pd.DataFrame(table.to_pydict())


def rows(report: Report) -> list[dict[str, Any]]:
    """Return the rows of that frame as plain values.

    Examples
    --------
    >>> from dalenius.auditing.decide import conclude
    >>> from dalenius.findings.policy import Policy
    >>> from dalenius.findings.report import Data
    >>> data = Data(source="people.csv", people=3, public=("age",), secret="ill")
    >>> rows(conclude([], Policy(), data=data, seed=1))
    []
    """
    verdicts = {each.release: each.verdict for each in report.verdicts}
    return [
        _row(report, finding, measure, verdicts.get(finding.release, report.verdict))
        for finding in report.findings
        for measure in finding.measures or (Measure(),)
    ]


def _row(report: Report, finding: Finding, measure: Measure, verdict: str) -> dict[str, Any]:
    baseline = measure.baseline
    tried = measure.attack is None or measure.attack.trials != 0  # of no tries there is no share
    limited = baseline is not None and measure.unit == "share" and measure.advantage is not None
    return {
        "release": finding.release,
        "goal": finding.goal,
        "mechanism": finding.mechanism,
        "measure": measure.label,
        "unit": measure.unit,
        "attack": None if measure.attack is None or not tried else measure.attack.rate,
        "baseline": None if baseline is None else baseline.rate,
        **_gain("advantage", measure.advantage if tried else None),
        **_gain("control", measure.control),
        "limit": report.policy.limit(baseline.rate) if limited and baseline is not None else None,
        "at_most": measure.at_most,
        "deciding": bool(finding.measures) and measure is finding.decisive,
        "certain": finding.certain,
        "known": finding.known,
        "severity": finding.severity,
        "verdict": verdict,
    }


def _gain(name: str, gain: Gain | None) -> dict[str, float | None]:
    if gain is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: gain.value, f"{name}_low": gain.low, f"{name}_high": gain.high}


WIDTH = 100
"""Columns of a text that goes to a file or a pipe."""

NARROW, APART = 16, 2
"""Columns of a table's cell before its heading is broken, and between two cells."""

COLOURS = {
    "none": "green",
    "undecided": "yellow",
    "low": "cyan",
    "moderate": "yellow",
    "high": "red",
    "critical": "bold red",
}


_VERDICTS = {
    "pass": ("PASS", "bold green", "the findings keep to the policy"),
    "stop": ("STOP", "bold red", "the policy is broken"),
    "undecided": ("UNDECIDED", "bold yellow", "not shown to keep to the policy"),
}


def summary(report: Report, *, width: int = WIDTH) -> str:
    """Return the report as plain text.

    Examples
    --------
    >>> from dalenius.auditing.decide import conclude
    >>> from dalenius.findings.policy import Policy
    >>> from dalenius.findings.report import Data
    >>> data = Data(source="people.csv", people=3, public=("age",), secret="ill")
    >>> print(summary(conclude([], Policy(), data=data, seed=1)))
    people.csv: 3 people, secret ill, public age
    <BLANKLINE>
    UNDECIDED: not shown to keep to the policy.
      No attack could be run on the release.
    <BLANKLINE>
    """
    text = io.StringIO()
    show(report, Console(file=text, width=width, color_system=None, force_jupyter=False))
    return "\n".join(line.rstrip() for line in text.getvalue().split("\n"))


def show(report: Report, console: Console) -> None:
    """Print the report."""
    for part in _parts(report, console.width):
        console.print(part, highlight=False)


def _parts(report: Report, width: int) -> Iterator[RenderableType]:
    yield Text(_subject(report))
    yield ""
    verdicts = {each.release: each.verdict for each in report.verdicts}
    for goal in dict.fromkeys(finding.goal for finding in report.findings):
        findings = [finding for finding in report.findings if finding.goal == goal]
        if any(row.told for finding in findings for row in finding.measures):
            yield _table(findings, verdicts, width)
            yield ""
        for finding in findings:
            yield from _in_words(finding)
    if report.findings:
        yield from _once(
            "Assumed:", [text for f in report.findings for text in f.assumptions], _units(report)
        )
    yield from _once("Not shown:", [text for f in report.findings for text in f.not_shown])
    yield from _once("Noted on the way:", _noted(report.findings))
    for failed in report.not_run:
        yield Text(f"{failed.release}: {failed.attack_method} could not be run: {failed.reason}")
        yield ""
    if report.policy.sensitive is not None:
        yield Text(
            f"Values not among the sensitive ones ({', '.join(report.policy.sensitive)}) are reported, and "
            "decide nothing."
        )
        yield ""
    yield from _verdict(report)


def _subject(report: Report) -> str:
    data = report.data
    if data.secret is None:
        asked = dict.fromkeys(finding.headings.asks for finding in report.findings)
        return ", ".join([f"{data.source}: {people(data.people)}", *filter(None, asked)])
    public = ", ".join(data.public) or "nothing"
    others = asked_besides(report)
    besides = f"; asked besides: {', '.join(others)}" if others else ""
    return f"{data.source}: {people(data.people)}, secret {data.secret}, public {public}{besides}"


def _table(findings: Sequence[Finding], verdicts: Mapping[str, str], width: int) -> Table:
    """One table for all findings of a family: a row for each measure; columns that nobody fills stay away."""
    words = findings[0].headings
    rows = [(finding, row) for finding in findings for row in finding.measures if row.told]
    alone = len(findings) == 1 and any(row.label for _, row in rows)
    columns = {
        "" if alone else "release": [_first(finding, row, finding.release) for finding, row in rows],
        "" if alone else "verdict": [
            _first(finding, row, verdicts.get(finding.release, "")) for finding, row in rows
        ],
        words.at: [_label(finding, row) for finding, row in rows],
        words.attack: [_attack(finding, row) for finding, row in rows],
        words.baseline: [_share(row.baseline, row) for _, row in rows],
        words.advantage: [_advantage(row) for _, row in rows],
        words.control: [_ends(row.control) for _, row in rows],
        words.at_most: ["" if row.at_most is None else f"{row.at_most:.1%}" for _, row in rows],
        "certain": [_first(finding, row, _count(finding.certain)) for finding, row in rows],
        "known": [_first(finding, row, _count(finding.known)) for finding, row in rows],
    }
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    filled = {heading: cells for heading, cells in columns.items() if heading and any(cells)}
    for heading, wide in zip(filled, _widths(filled, width), strict=True):
        number = heading not in ("release", "verdict")
        table.add_column(heading, justify="right" if number else "left", width=wide)
    for cells in zip(*filled.values(), strict=True):
        table.add_row(*(_coloured(heading, cell) for heading, cell in zip(filled, cells, strict=True)))
    return table


def _widths(columns: Mapping[str, Sequence[str]], width: int) -> list[int]:
    """Give every column its room: where all are too wide, names and then the widest go on in a second line.

    No word is cut, and no column left away, unless the words alone are too wide.

    Examples
    --------
    >>> _widths({"release": ["planned, with all others"], "advantage": ["+10.3 (9.1 to 11.5)"]}, 36)
    [16, 18]
    """
    lines = [[heading, *cells] for heading, cells in columns.items()]
    least = [max(len(word) for line in each for word in (line.split() or [""])) for each in lines]
    found = [
        max(max(map(len, cells)), *map(len, fill(heading, max(NARROW, max(map(len, cells)))).splitlines()))
        for heading, cells in columns.items()
    ]
    while sum(found) + APART * (len(found) - 1) > width:
        named = [wide > NARROW and heading == "release" for wide, heading in zip(found, columns, strict=True)]
        widest = max(range(len(found)), key=lambda j: (found[j] > least[j], named[j], found[j]))
        if found[widest] <= least[widest]:
            break
        found[widest] -= 1
    return found


def _coloured(heading: str, cell: str) -> Text:
    return Text(cell, _VERDICTS[cell][1] if heading == "verdict" and cell else "")


def _first(finding: Finding, row: Measure, cell: str) -> str:
    """What is said once of a release stands in its first row."""
    return cell if row is next(each for each in finding.measures if each.told) else ""


def _label(finding: Finding, row: Measure) -> str:
    several = sum(each.told for each in finding.measures) > 1
    return f"{row.label} *" if several and row is finding.decisive else row.label


def _attack(finding: Finding, row: Measure) -> str:
    rate = row.attack
    if rate is None or rate.hits is None:
        return _share(rate, row)
    tried = "" if rate.trials == finding.people else f" of {rate.trials:,}"
    return f"{rate.hits:,}{tried} ({rate.rate:.1%})"


def _share(rate: Rate | None, row: Measure) -> str:
    """Write a share, a very small one too."""
    if rate is None:
        return ""
    if row.unit == "nu":
        return f"{rate.rate:.4g}"
    return f"{rate.rate:.1%}" if rate.rate >= 0.001 or not rate.rate else f"{100 * rate.rate:.1g}%"


def _advantage(row: Measure) -> str:
    gain = row.advantage
    if gain is None:
        return ""
    if row.unit == "nu":
        return f"{gain.value:+.4g}"
    return f"{'+' * (gain.value > 0)}{points(gain.value)} ({_ends(gain)})"


def _ends(gain: Gain | None) -> str:
    return "" if gain is None else from_to(gain.low, gain.high)


def _count(people: int | None) -> str:
    return "" if people is None else f"{people:,}"


def _in_words(finding: Finding) -> Iterator[RenderableType]:
    named = finding.release in finding.sentence
    yield Text(finding.sentence if named else f"{finding.release}: {finding.sentence}")
    yield Padding(
        Text.assemble(
            "Severity ", (finding.severity, COLOURS[finding.severity]), f": {finding.severity_reason}."
        ),
        (0, 0, 0, 2),
    )
    why = finding.explanation.why
    worked = why.examples[:1] if why is not None else ()
    for fact in (*finding.facts, *worked, *(f"Warning: {text}" for text in finding.warnings)):
        yield Padding(Text(fact), (0, 0, 0, 2))
    yield ""


def _noted(findings: Sequence[Finding]) -> list[str]:
    """What an attack noted, for whoever asks how: with the releases it is about, where there are several."""
    releases = list(dict.fromkeys(finding.release for finding in findings))
    said: dict[str, list[str]] = {}
    for one in findings:
        for text in dict.fromkeys(one.notes):
            said.setdefault(text, []).append(one.release)
    about = {text: list(dict.fromkeys(names)) for text, names in said.items()}
    if len(releases) == 1:
        return list(about)
    return [f"{'all' if names == releases else ', '.join(names)}: {text}" for text, names in about.items()]


def _once(heading: str, texts: Sequence[str], more: Sequence[str] = ()) -> Iterator[RenderableType]:
    """List sentences under a heading, each once; nothing where there are none."""
    said = list(dict.fromkeys([*texts, *more]))
    if not said:
        return
    yield Text(heading)
    for text in said:
        yield Padding(Text(text), (0, 0, 0, 2))
    yield ""


def _units(report: Report) -> list[str]:
    """Say once for each family what an advantage is taken over, and how sure its interval is."""
    said = {}
    for finding in report.findings:
        gains = [row.advantage for row in finding.measures if row.advantage is not None]
        if finding.confidence is None or not gains:
            continue
        together = f"intervals that hold together with confidence {report.policy.confidence:g}"
        said[finding.goal] = (
            f"{finding.headings.about.capitalize()} in percentage points over {finding.headings.over}, with "
            f"{together} ({gains[0].method})."
        )
    return list(said.values())


def _verdict(report: Report) -> Iterator[RenderableType]:
    """The verdict; where there are several releases, that of each."""
    word, colour, meaning = _VERDICTS[report.verdict]
    if len(report.verdicts) < 2:
        yield Text.assemble((word, colour), f": {meaning}.")
        for reason in (report.verdicts[0].reasons if report.verdicts else ()) or report.reasons:
            yield Padding(Text(reason), (0, 0, 0, 2))
        yield from _values(report)
        return
    kept = f"Releases that pass: {', '.join(report.passing)}." if report.passing else "No release passes."
    yield Text.assemble((word, colour), f": {meaning}. {kept}")
    for each in report.verdicts:
        word, colour, _ = _VERDICTS[each.verdict]
        yield Padding(Text.assemble(f"{each.release}: ", (word, colour)), (0, 0, 0, 2))
        for reason in each.reasons:
            yield Padding(Text(reason), (0, 0, 0, 4))
    yield from _values(report)


def _values(report: Report) -> Iterator[RenderableType]:
    for said in (only_some_values(report), coarser_tells_more(report)):
        if said is not None:
            yield Text(said)
