"""From counts of who was singled out to a finding, in words that a lawyer can use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalenius.findings.default_policy import CONFIDENCE, SURE
from dalenius.findings.explanation import Explanation, Learned
from dalenius.findings.measure import Bound, Gain, Rate
from dalenius.findings.policy import CRITICAL_ADVANTAGE, HIGH_ADVANTAGE, MODERATE_ADVANTAGE, Grade
from dalenius.findings.report import Headings
from dalenius.findings.tally import EXACT, Tally, share_confidence
from dalenius.singling_out.finding import (
    AsTheyAre,
    AtWeight,
    ConditionDetails,
    ConditionsFinding,
    Evidence,
    OtherPeople,
    Together,
)
from dalenius.singling_out.words import (
    IDENTIFIABLE,
    NO_PROOF,
    QUESTIONS,
    UNPROVED,
    Subject,
    conditions_facts,
    one_in,
    people_sentences,
    singling_out_sentence,
)
from dalenius.theory.singling_out import k_anonymity_success

HEADINGS = Headings(
    at="a condition met by",
    attack="conditions that match one person",
    baseline="by luck",
    at_most="at most",
    about="the advantage of singling out is",
    over="the best luck at that rarity",
    asks="can one of them be singled out",
)


@dataclass(frozen=True)
class Attempts:
    """What was tried with conditions of one weight limit.

    Parameters
    ----------
    weight
        The limit.
    tally
        How many attempts were made and isolated somebody; ``None`` where nobody could count.
    baseline
        How often luck does at this weight.
    expected
        The share that the attack expects to succeed.
    at_most
        What a theorem about the mechanism allows.
    shown
        Whether whoever weighs conditions can show such a weight.
    """

    weight: float
    tally: Tally | None
    baseline: float
    expected: float | None = None
    at_most: float | None = None
    shown: bool = True


@dataclass(frozen=True)
class ControlRun:
    """A control: what it was, how often it isolated somebody, and how often luck does at its weight."""

    what: str
    tally: Tally
    baseline: float


@dataclass(frozen=True)
class Shown:
    """What attempts showed, at the weight limit that says most.

    Parameters
    ----------
    weight
        The limit.
    evidence, undecided
        What the attack showed, and why nothing is decided, if so.
    weight_error
        The chance that a weight is larger than said.
    control
        The same where nothing can have leaked, if it was tried.
    singled_out
        How many different people were matched alone.
    as_they_are, together
        What needs no weights of single conditions, where that was asked.
    epsilon
        The least with which differential privacy would allow this success.
    bound
        What a theorem says no attack exceeds.
    """

    weight: float
    evidence: Evidence
    undecided: str | None = None
    weight_error: float = 0.0
    control: ControlRun | None = None
    singled_out: float | None = None
    as_they_are: AsTheyAre | None = None
    together: Together | None = None
    epsilon: float | None = None
    bound: Bound | None = None


@dataclass(frozen=True)
class Remarks:
    """What a reader is told besides the numbers."""

    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()
    assumptions: Sequence[str] = ()


@dataclass(frozen=True)
class SharedError:
    """With which confidence all findings are to hold together, and who shares the error.

    Parameters
    ----------
    looks, tried
        How many findings are made together, and from how many attacks and limits this one is the best.
    confidence
        Of all of them together.
    """

    looks: int = 1
    tried: int = 1
    confidence: float = CONFIDENCE

    @property
    def finding(self) -> float:
        """The confidence of one finding."""
        return share_confidence(self.confidence, self.looks)

    @property
    def attempt(self) -> float:
        """The confidence of one of the attempts behind a finding."""
        return share_confidence(self.finding, self.tried)


def make_singling_out_finding(
    subject: Subject,
    attempts: Sequence[Attempts],
    shown: Shown,
    remarks: Remarks = Remarks(),
    shared: SharedError = SharedError(),
) -> ConditionsFinding:
    """Turn counts into a finding whose interval at the decisive weight pays for all looks.

    Parameters
    ----------
    subject
        What was attacked.
    attempts
        The counts, one entry a weight limit; that of ``shown`` among them.
    shown
        What they showed.
    remarks
        What a reader is told besides.
    shared
        Who shares the error.
    """
    limits = tuple(_at_weight(one, shared.attempt, shown.weight_error) for one in attempts)
    deciding = next(one for one in limits if one.at == shown.weight)
    graded = grade_singling_out(_least_shown(deciding, shown), shown.undecided)
    k, evidence = subject.k, shown.evidence
    details = ConditionDetails(
        source=subject.source,
        unit=subject.unit,
        weight_error=shown.weight_error,
        singled_out=shown.singled_out,
        k=k,
        reached=None if k is None or k < 2 else k_anonymity_success(k),
        epsilon=shown.epsilon,
        as_they_are=shown.as_they_are,
        together=shown.together,
        control=None if shown.control is None else _control(shown.control),
        evidence=evidence,
        law=tuple(_law(evidence, subject)),
    )
    finding = ConditionsFinding(
        release=subject.release,
        people=subject.people,
        numbers=None,
        mechanism=subject.mechanism,
        promise=subject.promise,
        attack_method=subject.attack_method,
        measures=limits,
        deciding=limits.index(deciding),
        headings=HEADINGS.model_copy(update={"attack": f"{subject.unit} that match one person"}),
        bound=shown.bound,
        undecided=shown.undecided,
        confidence=shared.finding,
        looks=shared.looks,
        severity=graded.severity,
        severity_reason=graded.reason,
        sentence=" ".join(
            (
                *people_sentences(subject.people, shown.as_they_are, shown.together),
                singling_out_sentence(subject, deciding, evidence, shown.undecided),
            )
        ),
        notes=tuple(remarks.notes),
        warnings=tuple(remarks.warnings),
        assumptions=tuple(remarks.assumptions),
        not_shown=QUESTIONS if evidence == "demonstrated" else (NO_PROOF, *QUESTIONS),
        explanation=Explanation(learned=_learned(subject, deciding, shown)),
        details=details,
    )
    return finding.model_copy(update={"facts": tuple(conditions_facts(finding))})


def _learned(subject: Subject, deciding: AtWeight, shown: Shown) -> tuple[Learned, ...]:
    """People by whether they are singled out: by as many as luck would, because of the release, or not.

    By the question that finds most people beyond luck. Nothing where nobody could count, nor of a game: one
    condition a round points at one person at most, so that nearly everybody would seem to be safe.
    """
    found: list[tuple[float, float]] = []
    if shown.singled_out is not None and deciding.attack is not None and subject.unit == "conditions":
        found.append((shown.singled_out, deciding.baseline.rate * deciding.attack.trials))
    if shown.as_they_are is not None:
        found.append((shown.as_they_are.people, shown.as_they_are.luck * subject.people))
    if not found:
        return ()
    singled_out, luck = max(found, key=lambda one: one[0] - one[1])
    return (split_by_luck(subject.people, singled_out, luck),)


def split_by_luck(people: int, singled_out: float, luck: float) -> Learned:
    """Part people into those whom luck would single out, those whom the release does, and all others.

    Examples
    --------
    >>> split_by_luck(100, 30, 7.6)
    Learned(value=None, people=100, anyway=8, only_by_release=22, hidden=70, sure=None, nearly=None)
    """
    alone = min(round(singled_out), people)
    anyway = min(round(luck), alone)
    return Learned(
        value=None, people=people, anyway=anyway, only_by_release=alone - anyway, hidden=people - alone
    )


def _at_weight(one: Attempts, confidence: float, error: float) -> AtWeight:
    success = None if one.tally is None else Rate.of(one.tally, confidence)
    return AtWeight(
        label=one_in(one.weight),
        at=one.weight,
        attack=success,
        baseline=Rate.known(one.baseline),
        expected=one.expected,
        advantage=None if success is None else _less(success, one.baseline, error),
        p_value=None if one.tally is None else _chance(one.tally, one.baseline),
        at_most=one.at_most,
        shown=one.shown,
    )


def _less(success: Rate, luck: float, error: float) -> Gain:
    """Success less luck; the lower end pays for weights that may be wrong."""
    return Gain(
        value=success.rate - luck,
        low=success.low - luck - error,
        high=success.high - luck,
        confidence=success.confidence,
        method=EXACT,
    )


def _least_shown(at: AtWeight, shown: Shown) -> float | None:
    """The largest advantage that is established, by whichever question."""
    known = [own.low for own in (shown.as_they_are, shown.together) if own is not None]
    if at.shown and at.advantage is not None:
        known.append(at.advantage.low)
    return max(known, default=None)


def _chance(tally: Tally, luck: float) -> float:
    """How likely luck alone would succeed at least as often, if attempts are independent."""
    from scipy.special import bdtrc

    return float(bdtrc(tally.hits - 1, tally.trials, luck)) if tally.hits else 1.0


def _control(run: ControlRun) -> OtherPeople:
    kept = Rate.of(run.tally, SURE).low <= run.baseline
    return OtherPeople(
        what=run.what, success=Rate.of(run.tally, CONFIDENCE), baseline=run.baseline, kept=kept
    )


def grade_singling_out(low: float | None, undecided: str | None = None) -> Grade:
    """Say how bad it is, from the cautious end of the advantage.

    Examples
    --------
    >>> grade_singling_out(0.31).severity, grade_singling_out(-0.01).severity
    ('high', 'none')
    """
    if low is None or (undecided is not None and low <= 0):
        return Grade("undecided", "inconclusive: the release may still single people out")
    if low <= 0:
        return Grade("none", "nobody is shown to be singled out more often than by luck")
    if low >= CRITICAL_ADVANTAGE:
        return Grade("critical", "at least every second attempt singles out somebody whom luck would not")
    if low >= HIGH_ADVANTAGE:
        return Grade("high", "at least one attempt in five singles out somebody whom luck would not")
    if low >= MODERATE_ADVANTAGE:
        return Grade("moderate", "at least one attempt in twenty singles out somebody whom luck would not")
    return Grade("low", "people are singled out more often than by luck, by little")


def _law(evidence: Evidence, subject: Subject) -> list[str]:
    if evidence != "demonstrated":
        said = [UNPROVED]
        if subject.promise is not None:
            said.append(
                f"What is proved: under {subject.promise}, if it is kept, no attack does better than stated."
            )
        return said
    said = [IDENTIFIABLE]
    if subject.k is not None and subject.k > 1:
        said.append(
            f"The release is k-anonymous (k = {subject.k}). Opinion 05/2014 takes singling out to be no "
            "longer a risk then; here it is one."
        )
    return said
