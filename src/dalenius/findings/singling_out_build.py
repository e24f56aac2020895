"""From counts of who was singled out to a finding, in words that a lawyer can use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dalenius.findings.finding import Bound, Rate
from dalenius.findings.interval import share_confidence
from dalenius.findings.severity import HIGH_ADVANTAGE, MODERATE_ADVANTAGE, Grade
from dalenius.findings.singling_out import (
    AsTheyAre,
    AtWeight,
    OtherPeople,
    Outcome,
    SinglingOutFinding,
    Together,
    Unit,
)
from dalenius.referee.score import Tally
from dalenius.theory.singling_out import k_anonymity_success

CRITICAL_ADVANTAGE = 0.5
"""Every second attempt isolates somebody whom luck would not."""

SURE = 0.9999
"""Of the interval by which a control is called broken."""

QUESTIONS = (
    "It does not say who the person is. Singling out needs no name; to link the record to one is another "
    "question.",
    "The Article 29 Working Party (Opinion 05/2014) asks three questions about anonymised data: can somebody "
    "be singled out, can records be linked, can something be inferred? Only the first was asked here; its "
    "answer says nothing on the other two.",
)
NO_PROOF = (
    "Where an attack finds nobody, a better one may find somebody. Only a proof, such as one of differential "
    "privacy, speaks of all attacks."
)

IDENTIFIABLE = (
    "Recital 26 GDPR names singling out as a means by which a person is identifiable: this result is strong "
    "evidence against calling the release anonymous."
)
UNPROVED = "That nobody is shown to be singled out does not prove that the release is anonymous."


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
class Subject:
    """What was attacked, by what, and who weighed the conditions, in words."""

    release: str
    attack_method: str
    mechanism: str
    source: str
    people: int
    unit: Unit
    promise: str | None = None
    k: int | None = None


def make_singling_out_finding(
    subject: Subject,
    attempts: Sequence[Attempts],
    *,
    weight: float,
    outcome: Outcome,
    undecided: str | None = None,
    weight_error: float = 0.0,
    control: ControlRun | None = None,
    singled_out: float | None = None,
    as_they_are: AsTheyAre | None = None,
    together: Together | None = None,
    epsilon: float | None = None,
    bound: Bound | None = None,
    notes: Sequence[str] = (),
    warnings: Sequence[str] = (),
    assumptions: Sequence[str] = (),
    looks: int = 1,
    tried: int = 1,
    confidence: float = 0.95,
) -> SinglingOutFinding:
    """Turn counts into a finding whose interval at the decisive weight pays for all looks.

    Parameters
    ----------
    subject
        What was attacked.
    attempts
        The counts, one entry a weight limit; that of ``weight`` among them.
    weight
        The limit that says most.
    outcome, undecided
        What the attack showed, and why nothing is decided, if so.
    weight_error
        The chance that a weight is larger than said.
    as_they_are, together
        What needs no weights of single conditions, where that was asked.
    looks, tried
        How many findings are made together, and from how many attacks and limits this one is the best.
    confidence
        With which all findings are to hold together.
    """
    level = share_confidence(share_confidence(confidence, looks), tried)
    limits = tuple(_at_weight(one, level, weight_error) for one in attempts)
    deciding = next(one for one in limits if one.weight == weight)
    graded = grade_singling_out(_least_shown(deciding, as_they_are, together), undecided)
    return SinglingOutFinding(
        release=subject.release,
        attack_method=subject.attack_method,
        notes=tuple(notes),
        warnings=tuple(warnings),
        people=subject.people,
        mechanism=subject.mechanism,
        promise=subject.promise,
        source=subject.source,
        unit=subject.unit,
        weight=weight,
        weight_error=weight_error,
        limits=limits,
        singled_out=singled_out,
        k=subject.k,
        reached=None if subject.k is None or subject.k < 2 else k_anonymity_success(subject.k),
        epsilon=epsilon,
        as_they_are=as_they_are,
        together=together,
        control=None if control is None else _control(control),
        bound=bound,
        outcome=outcome,
        undecided=undecided,
        assumptions=tuple(assumptions),
        law=tuple(_law(outcome, subject)),
        not_shown=QUESTIONS if outcome == "demonstrated" else (NO_PROOF, *QUESTIONS),
        confidence=share_confidence(confidence, looks),
        looks=looks,
        severity=graded.severity,
        severity_reason=graded.reason,
        sentence=" ".join(
            (
                *people_sentences(subject.people, as_they_are, together),
                singling_out_sentence(subject, deciding, outcome, undecided),
            )
        ),
    )


def _at_weight(one: Attempts, confidence: float, error: float) -> AtWeight:
    success = None if one.tally is None else Rate.of(one.tally, confidence)
    return AtWeight(
        weight=one.weight,
        success=success,
        expected=one.expected,
        baseline=one.baseline,
        p_value=None if one.tally is None else _chance(one.tally, one.baseline),
        advantage=None if success is None else success.rate - one.baseline,
        low=None if success is None else success.low - one.baseline - error,
        high=None if success is None else success.high - one.baseline,
        at_most=one.at_most,
        shown=one.shown,
    )


def _least_shown(at: AtWeight, as_they_are: AsTheyAre | None, together: Together | None) -> float | None:
    """The largest advantage that is established, by whichever question."""
    known = [own.low for own in (as_they_are, together) if own is not None]
    if at.shown and at.low is not None:
        known.append(at.low)
    return max(known, default=None)


def _chance(tally: Tally, luck: float) -> float:
    """How likely luck alone would succeed at least as often, if attempts are independent."""
    from scipy.special import bdtrc

    return float(bdtrc(tally.hits - 1, tally.trials, luck)) if tally.hits else 1.0


def _control(run: ControlRun) -> OtherPeople:
    kept = Rate.of(run.tally, SURE).low <= run.baseline
    return OtherPeople(what=run.what, success=Rate.of(run.tally, 0.95), baseline=run.baseline, kept=kept)


def grade_singling_out(low: float | None, undecided: str | None = None) -> Grade:
    """Say how bad it is, from the cautious end of the advantage.

    Examples
    --------
    >>> grade_singling_out(0.31).severity, grade_singling_out(-0.01).severity
    ('high', 'none')
    """
    if low is None or (undecided is not None and low <= 0):
        return Grade("undecided", "nothing is shown, which is not good news")
    if low <= 0:
        return Grade("none", "nobody is shown to be singled out more often than by luck")
    if low >= CRITICAL_ADVANTAGE:
        return Grade("critical", "at least every second attempt singles out somebody whom luck would not")
    if low >= HIGH_ADVANTAGE:
        return Grade("high", "at least one attempt in five singles out somebody whom luck would not")
    if low >= MODERATE_ADVANTAGE:
        return Grade("moderate", "at least one attempt in twenty singles out somebody whom luck would not")
    return Grade("low", "people are singled out more often than by luck, by little")


def people_sentences(people: int, as_they_are: AsTheyAre | None, together: Together | None) -> Iterator[str]:
    """Say how many people are singled out without weights of single conditions, if more than by luck."""
    if as_they_are is not None and as_they_are.low > 0:
        named = f" ({', '.join(as_they_are.identifying)} nearly alone)" if as_they_are.identifying else ""
        yield (
            f"{as_they_are.people:,} of {people:,} people have values of their own in the columns released "
            f"as they are{named}; by luck conditions as rare isolate at most {_share(as_they_are.luck)}."
        )
    if together is not None and together.low > 0:
        yield (
            f"{together.success.trials:,} people are alone in the release, and {together.success.hits:,} of "
            f"them are alone in the data by the same condition; by luck it would be {_share(together.luck)}."
        )


def singling_out_sentence(subject: Subject, at: AtWeight, outcome: Outcome, undecided: str | None) -> str:
    """Say in plain words what was shown, beside what luck does."""
    if at.success is None and outcome == "demonstrated":
        return f"The release allows people to be singled out. No condition was weighed: {undecided}."
    if at.success is None:
        return f"Nothing is shown about {subject.release!r}: {undecided}."
    hits, trials = at.success.hits, at.success.trials
    rare = f"that {one_in(at.weight)} of all people meets"
    luck = f"without the release the best such condition does so in {_share(at.baseline)} of cases"
    if not trials:
        done = f"From {subject.release!r} alone no condition {rare} could be written down."
    elif subject.unit == "conditions":
        done = (
            f"From {subject.release!r} alone {trials:,} conditions were written down, each one {rare}; "
            f"{hits:,} of them match exactly one of the {subject.people:,} people. {luck.capitalize()}."
        )
    else:
        done = (
            f"Asking {subject.release!r}, an attacker named a condition {rare} and that exactly one of "
            f"{subject.people:,} people met in {hits:,} of {trials:,} rounds. {luck.capitalize()}."
        )
    if outcome == "demonstrated":
        return f"{done} The release allows people to be singled out."
    if outcome == "no advantage":
        return f"{done} The release gives no advantage over luck."
    if undecided is not None:
        return f"{done} Nothing is decided: {undecided}."
    return f"{done} That is no more than luck, as far as shown."


def closing(*, demonstrated: bool) -> tuple[str, ...]:
    """What a result about singling out means for the law, and what it does not show: sentences to end with.

    Examples
    --------
    >>> len(closing(demonstrated=True)), closing(demonstrated=False)[0]
    (3, 'That nobody is shown to be singled out does not prove that the release is anonymous.')
    """
    return (IDENTIFIABLE, *QUESTIONS) if demonstrated else (UNPROVED, NO_PROOF, *QUESTIONS)


def _law(outcome: Outcome, subject: Subject) -> list[str]:
    if outcome != "demonstrated":
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


def one_in(weight: float) -> str:
    """Write a share of all people in words.

    Examples
    --------
    >>> one_in(1 / 3000), one_in(0.3)
    ('at most 1 in 3,000', 'at most 3 in 10')
    """
    return f"at most 1 in {round(1 / weight):,}" if weight <= 0.1 else f"at most {10 * weight:.2g} in 10"


def _share(rate: float) -> str:
    return f"{rate:.1%}" if rate >= 0.001 else f"{max(rate, 0.0):.2g}"
