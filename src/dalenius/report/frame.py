"""A report as a frame: one row for each measure of each finding."""

from __future__ import annotations

from typing import Any

from dalenius.findings.measure import Gain, Measure
from dalenius.findings.report import Finding, Report


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
    limited = baseline is not None and measure.unit == "share" and measure.advantage is not None
    return {
        "release": finding.release,
        "goal": finding.goal,
        "mechanism": finding.mechanism,
        "measure": measure.label,
        "unit": measure.unit,
        "attack": None if measure.attack is None else measure.attack.rate,
        "baseline": None if baseline is None else baseline.rate,
        **_gain("advantage", measure.advantage),
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
