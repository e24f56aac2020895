"""Singling out in words that a lawyer can use; nobody is named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dalenius.findings.report import CONTROL_TOLD
from dalenius.singling_out.finding import (
    AsTheyAre,
    AtWeight,
    ConditionsFinding,
    Evidence,
    Together,
    Unit,
)

QUESTIONS = (
    "It does not say who the person is. Singling out needs no name; to link the record to one is another "
    "question.",
    "The Article 29 Working Party (Opinion 05/2014) asks three questions about anonymised data: can somebody "
    "be singled out, can records be linked, can something be inferred? This is about the first alone; its "
    "answer says nothing on the other two.",
)
THREE_QUESTIONS = (
    "It does not say who a person is; none of the three needs a name.",
    "The Article 29 Working Party (Opinion 05/2014) asks whether somebody can be singled out, records be "
    "linked and something be inferred. Each was tried in a few ways, through these columns and this control.",
    "Distances to the closest record are no proof of anything: a row may be far from everybody and still "
    "tell one person's secret.",
)
NO_PROOF = (
    "Where an attack finds nobody, a better one may find somebody. Only a proof, such as one of differential "
    "privacy, speaks of all attacks."
)

IDENTIFIABLE = (
    "Recital 26 GDPR names singling out as a means by which a person is identifiable: this result is strong "
    "evidence against calling the release anonymous."
)
LEAST_SHARE = 0.001
"""A smaller share is not told in figures."""

UNPROVED = "That nobody is shown to be singled out does not prove that the release is anonymous."


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


def people_sentences(people: int, as_they_are: AsTheyAre | None, together: Together | None) -> Iterator[str]:
    """Say how many people are singled out without weights of single conditions, if more than by luck."""
    if as_they_are is not None and as_they_are.low > 0:
        named = f" ({', '.join(as_they_are.identifying)} nearly alone)" if as_they_are.identifying else ""
        yield (
            f"{as_they_are.people:,} of {people:,} people have values of their own in the columns released "
            f"as they are{named}; {by_luck(as_they_are.luck)}."
        )
    if together is not None and together.low > 0:
        yield (
            f"{together.success.trials:,} people are alone in the release, and {together.success.hits:,} of "
            f"them are alone in the data by the same condition; by luck it would be {_share(together.luck)}."
        )


def by_luck(share: float) -> str:
    """Say which share of people luck would single out at most, in figures that do not round to nothing.

    Examples
    --------
    >>> by_luck(0.123), by_luck(0.0002)
    ('luck would isolate at most 12.3% of them', 'luck would isolate less than 0.1% of them')
    """
    most = f"at most {share:.1%}" if share >= LEAST_SHARE else f"less than {LEAST_SHARE:.1%}"
    return f"luck would isolate {most} of them"


def singling_out_sentence(subject: Subject, at: AtWeight, evidence: Evidence, undecided: str | None) -> str:
    """Say in plain words what was shown, beside what luck does."""
    if at.attack is None and evidence == "demonstrated":
        return f"The release allows people to be singled out. No condition was weighed: {undecided}."
    if at.attack is None:
        return f"Nothing is shown about {subject.release!r}: {undecided}."
    hits, trials = at.attack.hits, at.attack.trials
    rare = f"that {one_in(at.at)} of all people meets"
    luck = f"without the release the best such condition does so in {_share(at.baseline.rate)} of cases"
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
    if evidence == "demonstrated":
        return f"{done} The release allows people to be singled out."
    if evidence == "no advantage":
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


def conditions_facts(finding: ConditionsFinding) -> Iterator[str]:
    """Say how it was weighed, who is singled out, what the control shows and what it means for the law."""
    details, best = finding.details, finding.at_best
    if _tried(best) and best.shown and sum(row.told for row in finding.measures) > 1:
        yield "* is where the release gives most away; the verdict follows all lines together."
    lost = [at for at in finding.measures if not at.shown]
    if lost and best.attack is not None:
        yield f"Conditions met by {one_in(lost[0].at)}, or fewer, could not be shown to be so rare."
    yield f"How rare a condition is was found from {details.source}; the attack: {finding.attack_method}."
    if details.singled_out and details.unit == "conditions" and best.shown:
        yield f"{details.singled_out:,.0f} different people are singled out there."
    control = details.control
    if control is not None:
        rate = f"{control.success.hits:,} of {control.success.trials:,} ({control.success.rate:.1%})"
        allowed = _luck(control.baseline)
        yield f"{CONTROL_TOLD}{control.what}: {rate} match exactly one; luck allows {allowed}."
    if finding.promise is not None:
        yield f"Promised: {finding.promise}."
    if finding.bound is not None:
        yield finding.bound.text
    if details.epsilon:
        yield f"Differential privacy would allow this only with epsilon of {details.epsilon:.3g} or more."
    yield from (f"For the law: {text}" for text in details.law)


def _tried(at: AtWeight) -> bool:
    return at.attack is not None and at.attack.trials > 0


def _luck(rate: float) -> str:
    return f"{rate:.1%}" if rate >= 0.001 else f"{100 * rate:.1g}%"
