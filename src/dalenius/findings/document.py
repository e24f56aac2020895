"""The audit as one file: all findings, the policy and the verdict; the same seed gives the same bytes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from dalenius.findings.finding import SCHEMA_VERSION, Plain, Verdict
from dalenius.findings.policy import AnyFinding, Policy, decide

_DIGITS = 10


class Data(Plain):
    """What was audited, without anybody in it; no secret where the question is who is in the data."""

    source: str
    people: int
    public: tuple[str, ...]
    secret: str | None


class NotRun(Plain):
    """An attack that could not be run on a release, and why: an answer of its own, never a guess."""

    release: str
    attack_method: str
    reason: str


class AuditReport(Plain):
    """All findings about some releases, and what a policy says about them.

    There is no time stamp: two runs with one seed can be compared byte by byte.
    """

    schema_version: Literal[1] = SCHEMA_VERSION
    dalenius_version: str
    seed: int
    data: Data
    findings: tuple[Annotated[AnyFinding, Field(discriminator="goal")], ...]
    not_run: tuple[NotRun, ...]
    policy: Policy
    verdict: Verdict
    reasons: tuple[str, ...]

    def to_json(self) -> str:
        """Write the report, see `dump`."""
        return dump(self)


def conclude(
    findings: Sequence[AnyFinding],
    policy: Policy,
    *,
    data: Data,
    seed: int,
    version: str,
    not_run: Sequence[NotRun] = (),
) -> AuditReport:
    """Decide under a policy and put everything into one report.

    Examples
    --------
    >>> data = Data(source="people.csv", people=3, public=("age",), secret="ill")
    >>> conclude([], Policy(), data=data, seed=1, version="0.1.0").verdict
    'undecided'
    """
    verdict, reasons = decide(findings, policy)
    if not_run and verdict == "pass":
        # What could not be attacked was not shown to be safe.
        verdict, reasons = "undecided", tuple(f"{failed.release}: {failed.reason}" for failed in not_run)
    return AuditReport(
        dalenius_version=version,
        seed=seed,
        data=data,
        findings=tuple(findings),
        not_run=tuple(not_run),
        policy=policy,
        verdict=verdict,
        reasons=reasons,
    )


def findings_schema() -> dict[str, Any]:
    """Return the JSON Schema of an audit's ``findings.json``.

    Examples
    --------
    >>> sorted(findings_schema()["properties"])[:3]
    ['dalenius_version', 'data', 'findings']
    """
    return AuditReport.model_json_schema(mode="serialization")


def dump(document: Plain) -> str:
    """Write a document as JSON: sorted keys, ten significant digits.

    Examples
    --------
    >>> print(dump(Data(source="people.csv", people=3, public=(), secret="ill")), end="")
    {
      "people": 3,
      "public": [],
      "secret": "ill",
      "source": "people.csv"
    }
    """
    plain = _round(document.model_dump(mode="json"))
    return json.dumps(plain, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _round(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _round(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_round(entry) for entry in value]
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value
