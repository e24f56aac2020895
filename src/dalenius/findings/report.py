"""The report, one for every command that attacks: all findings, the policy and the verdict."""

from __future__ import annotations

from typing import Literal

from pydantic import SerializeAsAny

from dalenius.findings.finding import Finding
from dalenius.findings.plain import SCHEMA_VERSION, Plain, Verdict, dump
from dalenius.findings.policy import Policy


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


class Report(Plain):
    """All findings about some releases, and what a policy says about them.

    ``verdict`` is the worst of ``verdicts``, one for each release: ``pass`` only if every release passes.

    There is no time stamp: two runs with one seed can be compared byte by byte.
    """

    schema_version: Literal[2] = SCHEMA_VERSION
    dalenius_version: str
    seed: int
    data: Data
    findings: tuple[SerializeAsAny[Finding], ...]
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
