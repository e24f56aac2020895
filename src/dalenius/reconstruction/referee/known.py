"""Whom an attack knows because of the release, and what it learns: counted, value by value.

Whom an attack knows because of the release, value by value.

A person is *known* to have a value when the attack holds it to be at least ``known_at`` likely, is right, and
the release made the difference: without it the value was less likely than that, and its odds were at least
`EVIDENCE` times smaller. Certain people, who follow by arithmetic, are counted apart.

What an attacker learns, counted by the referee: all people, then by the value that they have; and whose
secrets follow for somebody else in the data, who knows their own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc

from dalenius.findings.default_policy import KNOWN_AT
from dalenius.findings.explanation import RARE_VALUES, Learned
from dalenius.findings.tally import total
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.finding import any_of

EVIDENCE = 10.0
"""How many times larger the release must have made the odds: strong evidence (Jeffreys 1961, appendix B).

Somebody held at 0.985 without the release and at 0.99 with it was not made known by it.
"""

OVERSTATED = 0.01
"""A share right that comes about so rarely, were the claims as likely as stated, refutes them."""

STRICTER = (1.0, 0.5, 0.1, 0.01, 0.0)
"""Shares of the tolerated doubt: where an attack overstates, only its stronger claims may count."""

FEW = 10
"""A value that fewer people have is not named: its name could be about one of them."""


@dataclass(frozen=True)
class Known:
    """Who is known to have one value of the secret.

    Parameters
    ----------
    value
        The value; ``None`` for all values that few people have, together.
    before
        How many people the baseline holds to have it as surely, without the release.
    held
        How many more the attack does, without those who are certain.
    right
        How many of those have it: they are known.
    by_luck
        How likely as many right guesses are for somebody who has only the baseline's probabilities.
    calibrated
        Whether the claims counted come true about as often as ``known_at`` says.
    certain, certain_right
        People whose value follows by arithmetic, and how many of those have it.
    to_insiders
        People besides whose value follows for somebody else in the data, who knows their own.
    """

    value: str | None
    before: int
    held: int
    right: int
    by_luck: float
    calibrated: bool
    certain: int
    certain_right: int
    to_insiders: int = 0


def count_known(
    claims: Guesses,
    truth: NDArray[np.int32],
    prior: NDArray[np.float64],
    *,
    known_at: float = KNOWN_AT,
    named: tuple[str, ...] = (),
) -> tuple[Known, ...]:
    """Count the people whom the attack knows beyond the baseline.

    Parameters
    ----------
    claims, truth
        What the attack says, and the codes of the secrets.
    prior
        For every person and value its probability without the release.
    known_at
        From which probability on a value counts as known.
    named
        Values that may be named however few people have them.

    Examples
    --------
    >>> probability = np.array([[0.0, 1.0], [0.002, 0.998], [0.5, 0.5]])
    >>> claims = Guesses("id", np.array(["a", "b", "c"]), ("no", "yes"), probability,
    ...                  np.array([True, False, False]), "lp")
    >>> truth, usual = np.array([1, 1, 0], np.int32), np.full((3, 2), 0.5)
    >>> [(k.value, k.right, k.certain) for k in count_known(claims, truth, usual, named=("no", "yes"))]
    [('no', 0, 0), ('yes', 1, 1)]
    """
    groups = values_to_name(claims.levels, truth, named, claims.people)
    rows = [_count(name, values, claims, truth, prior, known_at) for name, values in groups]
    told = count_told(claims, truth)
    rows = [
        replace(row, to_insiders=int(told[values].sum()))
        for row, (_, values) in zip(rows, groups, strict=True)
    ]
    if 1 < len(named) < len(claims.levels):
        rows.append(_count_any(named, claims, truth, prior, known_at))
    return tuple(rows)


def count_told(claims: Guesses, truth: NDArray[np.int32]) -> NDArray[np.int64]:
    """Count the people of each value whom an insider knows to have it, without those who are certain anyway.

    A claim says what an insider would know. It counts if there is exactly one whom it is said of; if there
    are more, the numbers were not made as stated, and it says nothing.

    Examples
    --------
    >>> told = np.array([[0, line, 2] for line in range(3)])  # whoever lacks the second value
    >>> claims = Guesses("id", np.array(["a", "b", "c"]), ("no", "yes"), np.full((3, 2), 0.5),
    ...                  np.zeros(3, bool), "lp", to_insiders=told)
    >>> count_told(claims, np.array([1, 0, 1])), count_told(claims, np.array([1, 1, 1]))
    (array([0, 2]), array([0, 0]))
    """
    values = len(claims.levels)
    if claims.to_insiders is None or not len(claims.to_insiders):
        return np.zeros(values, np.int64)
    people = np.ones(truth.size, np.int64) if claims.people is None else claims.people
    claim, line, code = claims.to_insiders.T
    value, having = code // 2, code % 2 == 1
    insider = (truth[line] == value) == having
    alone = np.bincount(claim, people[line] * insider)[claim] == 1
    known = alone & ~insider & ~claims.certain[line]
    whom = np.unique(line[known])
    return np.bincount(truth[whom], people[whom], minlength=values).astype(np.int64)


def values_to_name(
    levels: tuple[str, ...],
    truth: NDArray[np.int32],
    named: tuple[str, ...] = (),
    people: NDArray[np.int64] | None = None,
) -> list[tuple[str | None, list[int]]]:
    """Each value that many people have, or that may be named; under ``None`` all the others together."""
    have = np.bincount(truth, people, minlength=len(levels))
    shown = [v for v, level in enumerate(levels) if have[v] >= FEW or level in named]
    rest = [v for v in range(len(levels)) if v not in shown]
    alone: list[tuple[str | None, list[int]]] = [(levels[v], [v]) for v in shown]
    return [*alone, (None, rest)] if rest else alone


def held_to_have(
    values: list[int],
    claims: Guesses,
    truth: NDArray[np.int32],
    prior: NDArray[np.float64],
    known_at: float,
) -> tuple[NDArray[np.bool_], bool]:
    """Whom the attack holds to have one of these values because of the release, and whether that comes true.

    Without the people who are certain.
    """
    guess = claims.guess
    about = np.isin(guess, values)
    person = np.arange(guess.size)
    stated, usual = claims.probability[person, guess], prior[person, guess]
    beyond = (stated >= known_at) & (usual < known_at) & (_odds(stated) >= EVIDENCE * _odds(usual))
    held = about & beyond & ~claims.certain
    return _calibrated(stated, guess == truth, held, known_at, claims.people)


def held_to_have_any(
    named: tuple[str, ...],
    claims: Guesses,
    truth: NDArray[np.int32],
    prior: NDArray[np.float64],
    known_at: float,
) -> tuple[NDArray[np.bool_], bool]:
    """Whom the attack holds to have one of several values, whichever it is; without those held to have one.

    Where half of a cell has one disease and half another, nobody's is known, and that everybody is ill is.
    """
    values = [claims.levels.index(value) for value in named]
    stated, usual = claims.probability[:, values].sum(axis=1), prior[:, values].sum(axis=1)
    beyond = (stated >= known_at) & (usual < known_at) & (_odds(stated) >= EVIDENCE * _odds(usual))
    for value in values:
        beyond &= ~held_to_have([value], claims, truth, prior, known_at)[0]
    held = beyond & ~claims.certain
    return _calibrated(stated, np.isin(truth, values), held, known_at, claims.people)


def _count_any(
    named: tuple[str, ...],
    claims: Guesses,
    truth: NDArray[np.int32],
    prior: NDArray[np.float64],
    known_at: float,
) -> Known:
    values = [claims.levels.index(value) for value in named]
    counted, calibrated = held_to_have_any(named, claims, truth, prior, known_at)
    people = claims.people
    held, hits = total(counted, people), total(counted & np.isin(truth, values), people)
    usual = prior[:, values].sum(axis=1)
    luck = _at_least(hits, held, _mean(usual, counted, people))
    before = total(usual >= known_at, people)
    return Known(any_of(named), before, held, hits, luck, calibrated, certain=0, certain_right=0)


def _count(
    name: str | None,
    values: list[int],
    claims: Guesses,
    truth: NDArray[np.int32],
    prior: NDArray[np.float64],
    known_at: float,
) -> Known:
    guess = claims.guess
    right, usual = guess == truth, prior[np.arange(guess.size), guess]
    counted, calibrated = held_to_have(values, claims, truth, prior, known_at)
    people = claims.people
    held, hits = total(counted, people), total(counted & right, people)
    sure = np.isin(guess, values) & claims.certain
    return Known(
        value=name,
        before=total(prior[:, values].max(axis=1) >= known_at, people),
        held=held,
        right=hits,
        by_luck=_at_least(hits, held, _mean(usual, counted, people)),
        calibrated=calibrated,
        certain=total(sure, people),
        certain_right=total(sure & right, people),
    )


def _calibrated(
    stated: NDArray[np.float64],
    right: NDArray[np.bool_],
    held: NDArray[np.bool_],
    known_at: float,
    people: NDArray[np.int64] | None,
) -> tuple[NDArray[np.bool_], bool]:
    """The claims to count: all that are held, or where too many of those are wrong the stronger ones."""
    for share in STRICTER:
        strong = held & (stated >= 1 - share * (1 - known_at))
        hits, trials = total(strong & right, people), total(strong, people)
        if not trials:
            break
        if bdtr(hits, trials, known_at) >= OVERSTATED:
            return strong, True
    return held, not held.any()


def _mean(values: NDArray[np.float64], of: NDArray[np.bool_], people: NDArray[np.int64] | None) -> float:
    """The mean over some people; 0 if there are none."""
    if not of.any():
        return 0.0
    return float(np.average(values[of], weights=None if people is None else people[of]))


def _odds(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    odds: NDArray[np.float64] = probability / np.maximum(1 - probability, 1e-300)
    return odds


def _at_least(hits: int, trials: int, chance: float) -> float:
    """How likely so many hits are if trials succeed with this chance on average.

    Chances may differ from trial to trial: above the mean by one or more the binomial's tail is the larger
    one (Hoeffding 1956, On the distribution of the number of successes in independent trials, Theorem 5).
    """
    return 1.0 if hits == 0 else float(bdtrc(hits - 1, trials, chance))


def count_learned(
    claims: Guesses,
    truth: NDArray[np.int32],
    prior: NDArray[np.float64],
    without: NDArray[np.bool_],
    *,
    known_at: float,
    named: tuple[str, ...] = (),
) -> tuple[Learned, ...]:
    """Part the people by who is right about them.

    Parameters
    ----------
    claims, truth, prior, known_at, named
        As of `count_known`.
    without
        About whom the better guess without the release is right.

    Examples
    --------
    >>> claims = Guesses("id", np.array(["a", "b", "c"]), ("no", "yes"),
    ...                  np.array([[0.0, 1.0], [0.9, 0.1], [0.2, 0.8]]), np.array([True, False, False]), "lp")
    >>> truth, usual = np.array([1, 0, 0], np.int32), np.full((3, 2), 0.5)
    >>> right = np.array([False, True, False])
    >>> all_people = count_learned(claims, truth, usual, right, known_at=0.99)[0]
    >>> all_people.anyway, all_people.only_by_release, all_people.hidden, all_people.sure
    (1, 1, 1, 1)
    """
    right = claims.guess == truth
    sure, people = right & claims.certain, claims.people
    groups = values_to_name(claims.levels, truth, named, people)
    known = np.zeros(truth.size, np.bool_)
    for _, values in groups:
        known |= held_to_have(values, claims, truth, prior, known_at)[0]
    nearly = known & right

    def row(value: str | None, of: NDArray[np.bool_]) -> Learned:
        return Learned(
            value=value,
            people=total(of, people),
            anyway=total(of & without, people),
            only_by_release=total(of & right & ~without, people),
            hidden=total(of & ~right & ~without, people),
            sure=total(of & sure, people),
            nearly=total(of & nearly, people),
        )

    having = [(RARE_VALUES if name is None else name, np.isin(truth, values)) for name, values in groups]
    return (
        row(None, np.ones(truth.size, np.bool_)),
        *(row(name, of) for name, of in having if of.any()),
    )
