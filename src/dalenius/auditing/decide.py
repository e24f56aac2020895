"""Hold findings against a policy: one loop for every family, whose own rules say what breaks it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalenius import __version__
from dalenius.auditing.families import family_of
from dalenius.errors import InputError
from dalenius.findings.measure import Verdict
from dalenius.findings.policy import ROUNDING, Policy, Ruled, worst_of
from dalenius.findings.report import Data, Finding, NotRun, ReleaseVerdict, Report, RuleVerdict
from dalenius.findings.tally import share_confidence

ATTACKED = "can be attacked"
"""What every pass needs besides the rules of a policy: what cannot be attacked was not shown to be safe."""


@dataclass(frozen=True)
class Decided:
    """What a policy says about one finding, with every rule that leads to it."""

    finding: Finding
    verdict: Verdict
    reasons: tuple[str, ...]
    rules: tuple[RuleVerdict, ...] = ()


def conclude(
    findings: Sequence[Finding],
    policy: Policy,
    *,
    data: Data,
    seed: int,
    not_run: Sequence[NotRun] = (),
) -> Report:
    """Decide under a policy and put everything into one report.

    Examples
    --------
    >>> data = Data(source="people.csv", people=3, public=("age",), secret="ill")
    >>> conclude([], Policy(), data=data, seed=1).verdict
    'undecided'
    """
    return assemble(decide_each(findings, policy), findings, policy, data=data, seed=seed, not_run=not_run)


def assemble(
    decided: Sequence[Decided],
    findings: Sequence[Finding],
    policy: Policy,
    *,
    data: Data,
    seed: int,
    not_run: Sequence[NotRun] = (),
) -> Report:
    """Put findings and what was decided about them into one report."""
    verdict, reasons = overall(decided, findings)
    if not_run and verdict == "pass":
        # What could not be attacked was not shown to be safe.
        verdict, reasons = "undecided", tuple(f"{failed.release}: {failed.reason}" for failed in not_run)
    return Report(
        dalenius_version=__version__,
        seed=seed,
        data=data,
        findings=tuple(_graded(finding, decided) for finding in findings),
        not_run=tuple(not_run),
        policy=policy,
        verdict=verdict,
        reasons=reasons,
        verdicts=_by_release(decided, not_run),
    )


def decide(findings: Sequence[Finding], policy: Policy) -> tuple[Verdict, tuple[str, ...]]:
    """Say whether all findings together keep to a policy, with the reasons of those that decide it.

    Stop if a rule is shown to be broken, pass if every rule is shown to be kept, by counts, an interval or a
    theorem. Otherwise undecided.

    Raises
    ------
    InputError
        If a finding's intervals were made for fewer looks than there are findings.
    """
    return overall(decide_each(findings, policy), findings)


def overall(each: Sequence[Decided], findings: Sequence[Finding]) -> tuple[Verdict, tuple[str, ...]]:
    """Say what all decisions together come to: the worst of them, with its reasons."""
    if not each and findings:
        return "undecided", ("No rule of the policy is about what was found.",)
    if not each:
        return "undecided", ("No attack could be run on the release.",)
    worst = worst_of(decided.verdict for decided in each)
    return worst, tuple(
        f"{decided.finding.release}, {decided.finding.attack_method}: {reason}"
        for decided in each
        if decided.verdict == worst
        for reason in decided.reasons
    )


def decide_each(findings: Sequence[Finding], policy: Policy) -> list[Decided]:
    """Say of each finding whether it keeps to a policy; what no rule is about is left out."""
    _check_looks(findings, policy.confidence)
    each = [decide_one(finding, policy) for finding in findings]
    return [decided for decided in each if decided is not None]


def decide_one(finding: Finding, policy: Policy) -> Decided | None:
    """Say whether one finding keeps to a policy; ``None`` if no rule of it is about this finding."""
    return of_rulings(finding, family_of(finding.goal).rulings(finding, policy))


def of_rulings(finding: Finding, rulings: Sequence[Ruled]) -> Decided | None:
    """Return the worst of what some rules say about a finding; ``None`` if no rule does."""
    if not rulings:
        return None
    worst = worst_of(ruled.verdict for ruled in rulings)
    told = tuple(ruled.reason for ruled in rulings if ruled.verdict == worst and ruled.reason)
    rules = tuple(
        RuleVerdict(goal=finding.goal, rule=ruled.rule, verdict=ruled.verdict, reason=ruled.reason)
        for ruled in rulings
    )
    return Decided(finding, worst, told, rules)


def _check_looks(findings: Sequence[Finding], confidence: float) -> None:
    """Refuse intervals that do not pay for each other; what is computed rather than estimated has none."""
    estimated = [finding.confidence for finding in findings if finding.confidence is not None]
    if not estimated:
        return
    needed = share_confidence(confidence, len(estimated))
    if min(estimated) < needed - ROUNDING:
        rule = f"must have intervals of confidence {needed:.6g}, to hold together"
        raise InputError("findings", rule, f"{min(estimated):.6g}", "Make them with looks = their number.")


def _by_release(decided: Sequence[Decided], not_run: Sequence[NotRun]) -> tuple[ReleaseVerdict, ...]:
    """One verdict for each release: the worst found; undecided at best if an attack could not be run."""
    each: dict[str, list[tuple[Verdict, tuple[str, ...], tuple[RuleVerdict, ...]]]] = {}
    for one in decided:
        each.setdefault(one.finding.release, []).append((one.verdict, one.reasons, one.rules))
    for failed in not_run:
        rule = RuleVerdict(
            goal=failed.attack_method, rule=ATTACKED, verdict="undecided", reason=failed.reason
        )
        each.setdefault(failed.release, []).append(("undecided", (failed.reason,), (rule,)))
    verdicts = []
    for release, found in each.items():
        worst = worst_of(verdict for verdict, _, _ in found)
        told = tuple(reason for verdict, reasons, _ in found if verdict == worst for reason in reasons)
        rules = tuple(rule for _, _, rules in found for rule in rules)
        verdicts.append(ReleaseVerdict(release=release, verdict=worst, reasons=told, rules=rules))
    return tuple(verdicts)


def _graded(finding: Finding, decided: Sequence[Decided]) -> Finding:
    """Call a finding that nothing was found by *undecided*, unless it was shown to be harmless."""
    open_ = any(one.finding is finding and one.verdict == "undecided" for one in decided)
    if finding.severity != "none" or not open_:
        return finding
    return finding.model_copy(update={"severity": "undecided", "severity_reason": "not decided"})
