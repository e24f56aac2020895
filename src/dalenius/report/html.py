"""A report as a small piece of HTML, for notebooks: a table and the verdict; no script, nothing fetched."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from dalenius.findings.report import Report
from dalenius.plural import people
from dalenius.report.frame import rows

_COLUMNS = (
    "release",
    "measure",
    "attack",
    "baseline",
    "advantage",
    "certain",
    "known",
    "severity",
    "verdict",
)
_COLOURS = {"pass": "#2c5f2c", "stop": "#b8420f", "undecided": "#7a5a00"}


def to_html(report: Report) -> str:
    """Return the table of what was measured, and the verdict with its reasons.

    Examples
    --------
    >>> from dalenius.auditing.decide import conclude
    >>> from dalenius.findings.policy import Policy
    >>> from dalenius.findings.report import Data
    >>> data = Data(source="<people>.csv", people=3, public=("age",), secret="ill")
    >>> print(to_html(conclude([], Policy(), data=data, seed=1)))
    <p>&lt;people&gt;.csv: 3 people</p>
    <p><b style="color:#7a5a00">UNDECIDED</b></p>
    <ul><li>No attack could be run on the release.</li></ul>
    """
    body = [[_cell(row, column) for column in _COLUMNS] for row in rows(report)]
    used = [j for j in range(len(_COLUMNS)) if any(cells[j] for cells in body)]
    parts = [f"<p>{escape(report.data.source)}: {people(report.data.people)}</p>"]
    if body:
        head = _line("th", [_COLUMNS[j] for j in used])
        lines = "".join(_line("td", [cells[j] for j in used]) for cells in body)
        parts.append(f"<table><thead>{head}</thead><tbody>{lines}</tbody></table>")
    parts.append(f'<p><b style="color:{_COLOURS[report.verdict]}">{report.verdict.upper()}</b></p>')
    if report.reasons:
        parts.append(f"<ul>{''.join(f'<li>{escape(reason)}</li>' for reason in report.reasons)}</ul>")
    return "\n".join(parts)


def _line(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"


def _cell(row: dict[str, Any], column: str) -> str:
    value = row[column]
    if value is None:
        return ""
    if column == "advantage":
        low, high = (_number(row[end], row) for end in ("advantage_low", "advantage_high"))
        return f"{_number(value, row)} ({low} to {high})"
    return _number(value, row) if isinstance(value, float) else str(value)


def _number(value: float, row: dict[str, Any]) -> str:
    return f"{value:.1%}" if row["unit"] == "share" else f"{value:.4g}"
