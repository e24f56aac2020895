"""The report, one for every command that attacks: all findings, the policy and the verdict."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import SerializeAsAny

from dalenius.findings.finding import Finding
from dalenius.findings.ladder import Ladder
from dalenius.findings.plain import SCHEMA_VERSION, Plain, Verdict, dump
from dalenius.findings.policy import Policy
from dalenius.plural import people


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


class RuleVerdict(Plain):
    """What one rule of a policy says about one release: a key of the policy, or what every pass needs."""

    goal: str
    rule: str
    verdict: Verdict
    reason: str


class ReleaseVerdict(Plain):
    """What a policy says about one release, with every rule that leads to it, and what each rule says."""

    release: str
    verdict: Verdict
    reasons: tuple[str, ...]
    rules: tuple[RuleVerdict, ...] = ()


class Report(Plain):
    """All findings about some releases, and what a policy says about them.

    ``verdict`` is the worst of ``verdicts``, one for each release: ``pass`` only if every release passes.

    ``ladder`` is what would make it pass, where that was looked for.

    ``command`` is what was typed, without folders and without where results go, if a command was.

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
    ladder: Ladder | None = None
    command: str | None = None

    @property
    def passing(self) -> tuple[str, ...]:
        """The releases that keep to the policy."""
        return tuple(each.release for each in self.verdicts if each.verdict == "pass")

    def to_json(self) -> str:
        """Write the report, see `dump`."""
        return dump(self)

    def summary(self) -> str:
        """Return the report as plain text."""
        from dalenius.report.text import summary

        return summary(self)

    def to_frame(self) -> Any:
        """Return one row for each measure: a pandas frame, or an Arrow table without pandas."""
        from dalenius.report.frame import to_frame

        return to_frame(self)

    def plot(self) -> Any:
        """Return a matplotlib figure: what each attack gains, with its interval and the policy's limit."""
        from dalenius.report.picture import plot

        return plot(self)

    def report_html(self, *, external: bool = False) -> str:
        """Return the report as a page, one file that fetches nothing.

        Parameters
        ----------
        external
            For readers outside: no counts of people at risk.
        """
        from dalenius.report.page.render import page_html

        return page_html(self, external=external)

    def _repr_html_(self) -> str:
        from dalenius.report.page.render import fragment_html

        return fragment_html(self)

    def __repr__(self) -> str:
        return f"Report({self.verdict}; findings: {len(self.findings)}; of {people(self.data.people)})"

    def __str__(self) -> str:
        return repr(self)
