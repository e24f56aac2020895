"""Findings about related people: numbers in; what they mean, how bad it is, and one sentence out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.findings.explanation import said_of_causes
from dalenius.findings.measure import KNOWN, Gain, Measure, Rate
from dalenius.findings.policy import HIGH_ADVANTAGE, MODERATE_ADVANTAGE, WORDS, Grade, points
from dalenius.findings.report import Headings
from dalenius.inference.answers.privacy_loss import Spent
from dalenius.inference.finding import (
    GENES,
    NOT_SAID,
    NOT_SAID_OF_GROUPS,
    BoundOnWorst,
    ExactBalls,
    Instead,
    Prior,
    Regardless,
    Related,
    RelatedFinding,
    RelatedRho,
    Simulated,
    Solved,
    Spread,
    UpTo,
)
from dalenius.inference.words import assumed_prior, headline, related_facts, said_of_rho, undecided
from dalenius.theory.privacy import (
    advantage_from_epsilon,
    advantage_from_zcdp,
    group_epsilon_delta,
    group_rho,
)

HEADINGS = Headings(
    at="people",
    attack="nu (equivalent epsilon)",
    baseline="epsilon",
    advantage="more",
    asks="what do related people give away",
)
OTHER_PRIOR = HEADINGS.model_copy(update={"attack": "nu of another prior than stated"})

NEAR_CERTAIN = 0.45
"""A gain that lets a fair coin be guessed right 95 times in 100."""


@dataclass(frozen=True)
class PromisedRelease:
    """A release as findings speak of it.

    Parameters
    ----------
    name
        What it is called.
    mechanism
        How it was made, or which mechanisms are meant.
    promise
        The differential privacy that it promises, in words; None if nothing was said.
    """

    name: str
    mechanism: str = "any with these epsilons"
    promise: str | None = None


@dataclass(frozen=True, eq=False)
class NuOfPeople:
    """What is known of everybody's nu.

    Parameters
    ----------
    epsilon, nu
        Of each, one per person.
    solved
        Where the nus come from.
    bounds
        What each bound says about the worst-off person.
    by_distance
        nu of the worst-off person if only relatives within 0, 1, 2, ... links were in the data.
    regardless
        What holds whatever else is true of people who agree as stated, where the prior in use is another.
    balls
        Between which nu of the worst-off lies, where it is bounded.
    """

    epsilon: NDArray[np.float64]
    nu: NDArray[np.float64]
    solved: Sequence[Solved] = ()
    bounds: Mapping[str, float | None] = field(default_factory=dict)
    by_distance: Sequence[float] = ()
    regardless: Regardless | None = None
    balls: ExactBalls | None = None

    def __post_init__(self) -> None:
        if not self.epsilon.size or self.epsilon.shape != self.nu.shape:
            people = f"{self.nu.size} for {self.epsilon.size} people"
            raise InputError("nu", "must be one per person", people)


def make_inference_finding(
    found: NuOfPeople, release: PromisedRelease, prior: Prior, *, notes: Sequence[str] = ()
) -> RelatedFinding:
    """Put together what a pure epsilon promises people with this prior; nobody is named.

    Examples
    --------
    >>> twins = Prior(source="twins", people=2, links=1, groups=1, largest=2, model=("identical",))
    >>> found = NuOfPeople(np.array([1.0, 1.0]), np.array([2.0, 2.0]))
    >>> print(make_inference_finding(found, PromisedRelease("twins"), twins).sentence)
    With these links, epsilon = 1 protects everybody like epsilon = 2 would.
    """
    epsilon, nu, solved, regardless = found.epsilon, found.nu, found.solved, found.regardless
    worst = int(nu.argmax())
    own, most = float(epsilon[worst]), float(nu[worst])
    exact = regardless is None and all(part.exact for part in solved)
    grade = grade_links(own, most if regardless is None else regardless.most, exact=exact)
    if regardless is None:  # the worst-off may be so by their own epsilon, and links add to another's
        added = int((np.tanh(nu / 4) - np.tanh(epsilon / 4)).argmax())
        other = grade_links(float(epsilon[added]), float(nu[added]), exact=exact)
        grade = max(grade, other, key=lambda one: WORDS.index(one.severity))
    sentence = headline(epsilon, nu, exact=exact) if regardless is None else undecided(own, regardless)
    details = Related(
        prior=prior,
        epsilon=Spread.of(epsilon),
        nu=Spread.of(nu),
        own=own,
        exact=exact,
        solved=tuple(solved),
        bounds=tuple(BoundOnWorst(name=name, nu=value) for name, value in found.bounds.items()),
        by_distance=tuple(UpTo(distance=k, nu=value) for k, value in enumerate(found.by_distance)),
        instead=None,
        regardless=regardless,
        balls=found.balls,
    )
    return _finding(details, release, grade, sentence, notes)


def with_facts(finding: RelatedFinding) -> RelatedFinding:
    """Say in sentences what the numbers are."""
    facts = (*related_facts(finding), *said_of_causes(finding.explanation.why))
    return finding.model_copy(update={"facts": facts})


def _measures(epsilon: Spread, nu: Spread) -> tuple[Measure, ...]:
    """Nu beside epsilon: of the worst-off, of the 95th percentile, of the middle, of the best-off."""
    rows = (
        ("worst-off", epsilon.worst, nu.worst),
        ("95th percentile", epsilon.most_of_95, nu.most_of_95),
        ("median", epsilon.median, nu.median),
        ("best-off", epsilon.least, nu.least),
    )
    return tuple(
        Measure(
            label=label,
            unit="nu",
            attack=Rate.known(worth),
            baseline=Rate.known(own),
            advantage=Gain(
                value=worth - own, low=worth - own, high=worth - own, confidence=1.0, method=KNOWN
            ),
        )
        for label, own, worth in rows
    )


def make_infinite_finding(
    spent: Spent | None,
    release: PromisedRelease,
    prior: Prior,
    *,
    simulated: Sequence[Simulated] = (),
    related: RelatedRho | None = None,
    notes: Sequence[str] = (),
) -> RelatedFinding:
    """Say that nu is infinite, and what is promised instead: for (epsilon, delta) or for rho.

    Without a promise nothing was ``spent`` of which to say something instead, and links add nothing to what
    may be learned anyway.
    """
    instead, grade = None, Grade("none", "without such a promise there is nothing that links could weaken")
    sentence = "nu is infinite: no one promise of differential privacy covers this release."
    if spent is not None:
        instead = say_instead(prior.largest, spent)
        instead = instead.model_copy(update={"simulated": tuple(simulated), "related": related})
        alone = say_instead(1, spent)
        most = instead.advantage if related is None else min(instead.advantage, related.advantage)
        grade = _grade(alone.advantage, most)
        sentence = f"nu is infinite: {instead.reason} {instead.text}"
        if related is not None and spent.rho is not None:
            sentence += f" {said_of_rho(spent.rho, related)}"
    details = Related(
        prior=prior,
        epsilon=None,
        nu=None,
        own=None,
        exact=False,
        solved=(),
        bounds=(),
        by_distance=(),
        instead=instead,
    )
    return _finding(details, release, grade, sentence, notes)


def _finding(
    details: Related, release: PromisedRelease, grade: Grade, sentence: str, notes: Sequence[str]
) -> RelatedFinding:
    prior, epsilon, nu = details.prior, details.epsilon, details.nu
    finite = epsilon is not None and nu is not None
    bounds = dict.fromkeys(part.bound for part in details.solved)
    groups = () if details.instead is None else NOT_SAID_OF_GROUPS
    finding = RelatedFinding(
        release=release.name,
        people=prior.people,
        numbers=None,
        mechanism=release.mechanism,
        promise=release.promise,
        attack_method=(" + ".join(bounds) or "worst case") if finite else "group privacy",
        measures=() if epsilon is None or nu is None else _measures(epsilon, nu),
        deciding=0 if finite else None,
        headings=HEADINGS if details.regardless is None else OTHER_PRIOR,
        bound=None,
        confidence=None,
        looks=None,
        severity=grade.severity,
        severity_reason=grade.reason,
        sentence=sentence,
        notes=tuple(notes),
        assumptions=(assumed_prior(prior),),
        not_shown=(() if prior.agreement is None else (GENES,)) + (NOT_SAID if finite else groups),
        details=details,
    )
    return with_facts(finding)


def say_instead(group: int, spent: Spent) -> Instead:
    """Say what is promised to groups of this size where nothing limits the odds.

    All values of a group of k may change with one person's, so that two sides of a question about that
    person are mixtures of releases k records apart: (epsilon, delta) and zero-concentrated privacy of
    groups pass to mixtures, whatever the agreement.

    Examples
    --------
    >>> print(say_instead(3, Spent(None, None, 0.1, 1)).text)
    For a group of 3 linked people the promise is rho = 0.9 instead of 0.1, whatever their agreement.
    """
    epsilon, delta, rho = spent.epsilon, spent.delta, spent.rho
    whom = f"For a group of {group:,} linked people" if group > 1 else "For a person"
    anyway = ", whatever their agreement."
    if rho is not None:
        of_group = group_rho(rho, group)
        return Instead(
            reason="Gaussian noise moves the odds by any factor, if rarely.",
            group=group,
            epsilon=None,
            delta=None,
            rho=of_group,
            advantage=advantage_from_zcdp(of_group),
            text=f"{whom} the promise is rho = {of_group:.3g} instead of {rho:.3g}{anyway}",
        )
    if epsilon is None or delta is None:
        raise InputError("a promise", "must be epsilon with delta, or rho", "neither")
    of_group, lost = group_epsilon_delta(epsilon, group, delta)
    return Instead(
        reason=f"nothing is promised with probability {delta:.3g}, so the odds may move by any factor.",
        group=group,
        epsilon=of_group,
        delta=lost,
        rho=None,
        advantage=0.5 if lost == 1 else advantage_from_epsilon(of_group, delta=lost),
        text=(
            f"{whom} the promise is epsilon = {of_group:.3g}, delta = {lost:.3g} instead of {epsilon:.3g}, "
            f"{delta:.3g}{anyway}"
        ),
    )


def grade_links(epsilon: float, nu: float, *, exact: bool = True) -> Grade:
    """Grade by what the links add to the most that an attack can gain on a fair coin.

    A bound is graded as it stands: a promise is what cannot be excluded.

    Examples
    --------
    >>> [grade_links(0.1, nu).severity for nu in (0.1, 0.2, 0.6, 2.0, 9.0)]
    ['none', 'low', 'moderate', 'high', 'critical']
    """
    alone, linked = (advantage_from_epsilon(each) if each > 0 else 0.0 for each in (epsilon, nu))
    return _grade(alone, linked, exact=exact)


def _grade(alone: float, linked: float, *, exact: bool = False) -> Grade:
    added = linked - alone
    if added <= 1e-9:
        return Grade("none", "the links add nothing to speak of to what may be learned about a person")
    most = points(linked) if exact else f"at most {points(linked)}"
    gain = f"what an attack may gain over guessing a fair coin grows from {points(alone)} to {most} points"
    if added < MODERATE_ADVANTAGE:
        return Grade("low", f"{gain}, by less than one in twenty")
    if linked >= NEAR_CERTAIN:
        return Grade("critical", f"{gain}: right 95 times in 100")
    if added < HIGH_ADVANTAGE:
        return Grade("moderate", f"{gain}, by more than one in twenty")
    return Grade("high", f"{gain}, by more than one in five")
