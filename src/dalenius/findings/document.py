"""The audit as one file: all findings, the policy and the verdict; the same seed gives the same bytes."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from dalenius.findings.finding import SCHEMA_VERSION, Plain, Verdict
from dalenius.findings.policy import AnyFinding, Decided, Policy, decide, decide_each, worst_of

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


class ReleaseVerdict(Plain):
    """What a policy says about one release, with every rule that leads to it."""

    release: str
    verdict: Verdict
    reasons: tuple[str, ...]


class AuditReport(Plain):
    """All findings about some releases, and what a policy says about them.

    ``verdict`` is the worst of ``verdicts``, one for each release: ``pass`` only if every release passes.

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
    verdicts: tuple[ReleaseVerdict, ...] = ()

    @property
    def passing(self) -> tuple[str, ...]:
        """The releases that keep to the policy."""
        return tuple(each.release for each in self.verdicts if each.verdict == "pass")

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
    >>> conclude([], Policy(), data=data, seed=1, version="0.2.0").verdict
    'undecided'
    """
    decided = decide_each(findings, policy)
    verdict, reasons = decide(findings, policy)
    if not_run and verdict == "pass":
        # What could not be attacked was not shown to be safe.
        verdict, reasons = "undecided", tuple(f"{failed.release}: {failed.reason}" for failed in not_run)
    return AuditReport(
        dalenius_version=version,
        seed=seed,
        data=data,
        findings=tuple(_graded(finding, decided) for finding in findings),
        not_run=tuple(not_run),
        policy=policy,
        verdict=verdict,
        reasons=reasons,
        verdicts=_by_release(decided, not_run),
    )


def _by_release(decided: Sequence[Decided], not_run: Sequence[NotRun]) -> tuple[ReleaseVerdict, ...]:
    """One verdict a release: the worst of what was found; undecided at best if an attack could not be run."""
    each: dict[str, list[tuple[Verdict, tuple[str, ...]]]] = {}
    for one in decided:
        each.setdefault(one.finding.release, []).append((one.verdict, one.reasons))
    for failed in not_run:
        each.setdefault(failed.release, []).append(("undecided", (failed.reason,)))
    verdicts = []
    for release, found in each.items():
        worst = worst_of([verdict for verdict, _ in found])
        told = tuple(reason for verdict, reasons in found if verdict == worst for reason in reasons)
        verdicts.append(ReleaseVerdict(release=release, verdict=worst, reasons=told))
    return tuple(verdicts)


def _graded(finding: AnyFinding, decided: Sequence[Decided]) -> AnyFinding:
    """Call a finding that nothing was found by *undecided*, unless it was shown to be harmless."""
    open_ = any(one.finding is finding and one.verdict == "undecided" for one in decided)
    if finding.severity != "none" or not open_:
        return finding
    return finding.model_copy(update={"severity": "undecided", "severity_reason": "not decided"})


def findings_schema() -> dict[str, Any]:
    """Return the JSON Schema of an audit's ``findings.json``.

    Examples
    --------
    >>> sorted(findings_schema()["properties"])[:3]
    ['dalenius_version', 'data', 'findings']
    """
    return AuditReport.model_json_schema(mode="serialization")


def dump(document: Plain) -> str:
    """Write a document as JSON: sorted keys, ten significant digits; what is not a finite number is null.

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
    return json.dumps(plain, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def _round(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _round(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_round(entry) for entry in value]
    if not isinstance(value, float):
        return value
    return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None
