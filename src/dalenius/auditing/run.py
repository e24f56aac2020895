"""The run of an audit, one for all families: publish, attack, control, judge; then decide.

The run itself never holds a secret: only views, claims and findings pass through here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from dalenius.auditing.case import Case, Claims, Opened, lost_work
from dalenius.auditing.decide import Reported, conclude, tried_too_little
from dalenius.auditing.families import families_of
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_parts import RESAMPLES
from dalenius.errors import InputError, LostBlockError, SolveError, UnsupportedError
from dalenius.findings.policy import Policy
from dalenius.findings.report import Finding, NotRun, Report
from dalenius.progress import Announce, Progress, silent, unsaid, within
from dalenius.shown import several

if TYPE_CHECKING:
    from dalenius.spread.parts import KeptParts

ATTACKED, CHECKED = 0.3, 0.6
"""How far a case is once the release was attacked, and once the control was."""


@dataclass(frozen=True)
class Audit(Reported):
    """An audit that was run.

    Parameters
    ----------
    report
        What was found; nobody's secret is in it.
    claims
        What the attacks say about people, by family and release, as ``claims["tracing", "averages"]``: to
        be kept as safe as the data.
    """

    report: Report
    claims: Mapping[tuple[str, str], Any] = field(repr=False)
    _written: Sequence[Callable[[], Mapping[str, str]]] = field(default=(), repr=False)
    _remedied: Callable[..., Any] | None = field(default=None, repr=False)

    def remedy(self, **options: Any) -> Any:
        """Look for the least change that makes it pass: a `dalenius.remedy.result.Remedy`, nobody in it.

        Parameters
        ----------
        options
            As of the command: ``allow="round,hide"``, ``keep=["age*sex"]``, ``price="table=20"``,
            ``minutes=5`` and ``release="planned"``.

        Raises
        ------
        InputError
            If an option cannot be used, or the audit was not made by `dalenius.audit`.
        """
        if self._remedied is None:
            fix = "Use dalenius.audit(...), or the command: dalenius remedy audit.toml."
            raise InputError("remedy", "must be asked of an audit that knows its people", "another", fix)
        return self._remedied(**options)

    def people_files(self) -> dict[str, str]:
        """What the attacks say about people, by name of file: to be written only where that was asked for."""
        return {name: text for write in self._written for name, text in write().items()}


def run_plan(
    plan: Plan,
    *,
    progress: Progress = silent,
    announce: Announce = unsaid,
    kept: KeptParts | None = None,
) -> Audit:
    """Run the audit that a plan describes.

    With ``kept``, every finding is kept there once it is made, and not made again by a run that goes on after
    one that was stopped; what was claimed about people is not kept, and missing then.

    Raises
    ------
    InputError
        If the data is not what the plan says.
    """
    with ExitStack() as stack:
        opened: list[Opened] = []
        for family in families_of(plan):
            # what an earlier family has opened, such as the releases it published, is there for the next
            opening = family.open(plan, tuple(opened), progress=progress)
            opened.append(stack.enter_context(opening))
        done = run(opened, plan.policy, seed=plan.seed, progress=progress, announce=announce, kept=kept)
    if done.verdict != "pass" or plan.budget.resamples >= RESAMPLES:
        return done
    found = done.report
    untried = [
        _untried(each, plan.budget.resamples)
        for each in found.findings
        if tried_too_little(each, plan.policy)
    ]
    report = conclude(found.findings, plan.policy, data=found.data, seed=found.seed, not_run=untried)
    return replace(done, report=report)


def _untried(finding: Finding, samples: int) -> NotRun:
    """Say that a pass may be luck: a budget saves time, and never makes a release pass."""
    reason = (
        f"it was tried again on {several(samples, 'sample')} of the people, and a pass takes {RESAMPLES}: "
        f"set resamples under [budget] to {RESAMPLES} or more, or leave it out."
    )
    return NotRun(release=finding.release, attack_method=f"{finding.goal} on other people", reason=reason)


def run(
    opened: Sequence[Opened],
    policy: Policy,
    *,
    seed: int,
    progress: Progress = silent,
    announce: Announce = unsaid,
    among: int = 1,
    kept: KeptParts | None = None,
) -> Audit:
    """Take every case along the path, and decide about all of them together.

    ``among`` is how many such audits are made to choose one of them: the intervals pay for all.
    """
    cases = [case for each in opened for case in each.cases]
    looks = among * sum(case.looks for case in cases)
    findings: list[Finding] = []
    not_run = [failed for each in opened for failed in each.not_run]
    spoken: list[_Spoken] = []
    for j, case in enumerate(cases):
        share = within(progress, 0.1 + 0.9 * j / len(cases), 0.1 + 0.9 * (j + 1) / len(cases))
        if kept is not None and (made := _kept(kept, j, case.goal)) is not None:
            findings.append(made)
            continue
        there, lost = (0, 0) if kept is None else (len(kept), kept.lost)
        try:
            said, finding = run_case(case, looks, progress=share, announce=announce)
        except LostBlockError as error:
            if kept is not None and len(kept) > there:
                raise  # hours of it may be kept: the same command goes on from there
            not_run.append(lost_work(case.release, case.goal, error))
            continue
        except (UnsupportedError, SolveError) as error:
            not_run.append(NotRun(release=case.release, attack_method=case.goal, reason=str(error)))
            continue
        findings.append(finding)
        # the last one ends the run; one that lost blocks is made again by a run that tries these again
        if kept is not None and j + 1 < len(cases) and kept.lost == lost:
            _keep(kept, j, finding)
        if (about := case.about_people(said)) is not None:
            spoken.append(_Spoken(case, said, finding, about))
    data = next(each.data for each in opened if each.data is not None)
    report = conclude(findings, policy, data=data, seed=seed, not_run=not_run)
    claims = {(each.case.goal, each.case.release): each.about for each in spoken}
    return Audit(report, claims, [partial(each.files, among=spoken) for each in spoken])


def _kept(kept: KeptParts, case: int, goal: str) -> Finding | None:
    from dalenius.auditing.kept_findings import read_finding

    return read_finding(kept, case, goal)


def _keep(kept: KeptParts, case: int, finding: Finding) -> None:
    from dalenius.auditing.kept_findings import keep_finding

    keep_finding(kept, case, finding)


@dataclass(frozen=True)
class _Spoken:
    """A case whose claims are about people; they are written only when somebody asks."""

    case: Case[Any, Any]
    said: Any
    finding: Finding
    about: Claims

    def files(self, among: Sequence[_Spoken]) -> Mapping[str, str]:
        """Name files after what they hold, and where needed after release and family."""
        release = self.case.release
        several = sum(each.case.release == release for each in among) > 1
        of = "" if len(among) == 1 else f"-{self.case.goal}-{release}" if several else f"-{release}"
        return {
            f"{kind}{of}{ending}": text
            for (kind, ending), text in self.case.files(self.said, self.finding).items()
        }


def run_case(
    case: Case[Any, Any], looks: int, *, progress: Progress = silent, announce: Announce = unsaid
) -> tuple[Any, Finding]:
    """Attack one release, attack its control in the same way, and have both judged."""
    name = case.release

    def part(start: float, end: float, doing: str) -> Progress:
        share = within(progress, start, end)
        return lambda done, what: share(done, f"{name}: {doing}{what}")

    view = case.publish(part(0.0, 0.0, ""))
    said = case.attack(view, part(0.0, ATTACKED, "attacking: "), lambda text: announce(f"{name}: {text}"))
    control = case.control(part(ATTACKED, ATTACKED, ""))
    checked = None
    if control is not None:
        checked = case.attack(control, part(ATTACKED, CHECKED, "checking: "), unsaid)
    return said, case.judge(said, checked, looks, part(CHECKED, 1.0, ""))
