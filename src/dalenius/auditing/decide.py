"""Hold findings against a policy by one loop, each family by its own rules, and try a pass on other people.

A pass tried again on other people: what passes by luck on these does not pass on most of them.

Which hidden or rounded number ends near a limit is chance, and so is who happens to be in the data. A
release that no theorem covers therefore passes only if random nine tenths of the people, published and
attacked in the same way, keep to the policy as well. One service for every family: the family makes and
attacks the sample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dalenius import __version__
from dalenius.auditing.families import family_of
from dalenius.auditing.plan_parts import RESAMPLES
from dalenius.errors import InputError
from dalenius.findings.measure import Verdict
from dalenius.findings.policy import ROUNDING, Policy, Resampled, Ruled, worst_of
from dalenius.findings.report import Data, Finding, NotRun, ReleaseVerdict, Report, RuleVerdict
from dalenius.findings.tally import share_confidence
from dalenius.progress import Progress

SAMPLE_SHARE = 0.9
"""Share of the people on whom a pass is tried again: others, and nearly as many."""

TELLING = 5
"""Samples that are tried even where an earlier one breaks the policy."""


def needs_again(finding: Finding, rulings: Sequence[Ruled], policy: Policy) -> bool:
    """Whether a finding passes, and no theorem says that it must."""
    if worst_of(ruled.verdict for ruled in rulings) != "pass":
        return False
    bound, baseline = finding.bound, finding.decisive.baseline
    limit = policy.limit(0.0 if baseline is None else baseline.rate)
    return bound is None or bound.kind != "advantage-at-most" or bound.value > limit


def tried_too_little(finding: Finding, policy: Policy) -> bool:
    """Whether a finding passes that must be tried on other people, and was on too few samples of them."""
    if not finding.about_these_people:
        return False
    samples = finding.tried_again
    if samples is not None and samples.draws >= RESAMPLES:
        return False
    return needs_again(finding, family_of(finding.goal).rulings(finding, policy), policy)


def draw_sample(people: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Which of so many people are in a sample, in their order."""
    size = max(1, round(SAMPLE_SHARE * people))
    return np.sort(rng.choice(people, size, replace=False))


def try_again(draws: int, rulings: Callable[[int], Sequence[Ruled]], progress: Progress) -> Resampled:
    """Attack samples of the people; ``rulings`` says what a policy holds against the sample of a number.

    One that breaks the policy decides; a few more say how often that is, and then no further ones are tried.

    Examples
    --------
    >>> from dalenius.progress import silent
    >>> try_again(2, lambda draw: [Ruled("stop" if draw else "pass", "somebody is known.", "x")], silent)
    Resampled(draws=2, share=0.9, broken=1, reason='somebody is known.', rule='x')
    >>> try_again(20, lambda draw: [Ruled("stop", "somebody is known.", "x")], silent).draws
    5
    """
    broken: list[Ruled] = []
    tried = 0
    while tried < draws and not (broken and tried >= TELLING):
        progress(tried / draws, f"on other people, {tried + 1} of {draws}")
        broken += [ruled for ruled in rulings(tried) if ruled.verdict == "stop"][:1]
        tried += 1
    first = broken[0] if broken else None
    return Resampled(
        draws=tried,
        share=SAMPLE_SHARE,
        broken=len(broken),
        reason=first and first.reason,
        rule=first and first.rule,
    )


NOT_DECIDED = "not decided"
"""Why something is graded *undecided* of which an attack found nothing."""

BROKEN = "a rule is broken, though"
"""How the reason begins where an attack found nothing by itself and a rule is stricter."""

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
    if not_run and (verdict == "pass" or not findings):
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


def report_of(findings: Sequence[Finding], *, people: int, seed: int, confidence: float) -> Report:
    """Put what one question in Python found into a report, under the policy that holds if none is given.

    Parameters
    ----------
    findings
        What was found about one release; a report calls its data as it calls the release.
    people
        How many people it is about.
    seed, confidence
        What the findings were made with.
    """
    data = Data(source=findings[0].release, people=people, public=(), secret=None)
    return conclude(findings, Policy(confidence=confidence), data=data, seed=seed)


class Reported:
    """What a question in Python gives: it shows itself as its report does, in which nobody is."""

    if TYPE_CHECKING:

        @property
        def report(self) -> Report:
            """The report itself."""

    @property
    def verdict(self) -> str:
        """``pass``, ``stop`` or ``undecided``."""
        return self.report.verdict

    def summary(self) -> str:
        """Return the report as plain text; nobody is in it."""
        return self.report.summary()

    def to_json(self) -> str:
        """Return the report as ``findings.json`` has it; nobody is in it."""
        return self.report.to_json()

    def to_frame(self) -> Any:
        """Return one row for each measure: a pandas frame, or an Arrow table without pandas."""
        return self.report.to_frame()

    def frame(self) -> Any:
        """Return the same as `to_frame`, under the name that notebooks use."""
        return self.to_frame()

    def plot(self) -> Any:
        """Return a matplotlib figure: what each attack gains, with its interval and the policy's limit."""
        return self.report.plot()

    def report_html(self, *, external: bool = False) -> str:
        """Return the report as a page, one file that fetches nothing; nobody is in it."""
        return self.report.report_html(external=external)

    def _repr_html_(self) -> str:
        return self.report._repr_html_()


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
    """Keep *none* for what was shown to be harmless: not for what is open, nor for what breaks a rule."""
    if finding.severity != "none":
        return finding
    own = [one.verdict for one in decided if one.finding is finding]
    if "stop" in own:
        broken = f"{BROKEN} {finding.severity_reason}"
        return finding.model_copy(update={"severity": "low", "severity_reason": broken})
    if "undecided" in own or not decided:  # no rule is about anything that was found
        return finding.model_copy(update={"severity": "undecided", "severity_reason": NOT_DECIDED})
    return finding
