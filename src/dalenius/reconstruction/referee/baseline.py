"""What the referee compares with: baselines, people whose secrets are redrawn, how well claims fit.

Baselines that only the referee can compute, because they look at the truth of the members.

Both flatter the baseline, so an attack that beats them has not beaten a weak opponent.

Deal the control group: people whose real secret is not in the release.

An attack that also does well on them has learnt how public columns and secrets go together, or has seen the
truth; neither is a leak of the release about its members.

How well claims fit the truth: are they about the same people, how calibrated and how sharp are they?
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.knowledge.view import Reference
from dalenius.people.schema import CodedColumns, Ids
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.attack.population_prior import predict_population
from dalenius.shown import hides_people

FOLDS = 5

LEAVE_ONE_OUT = 64
"""With fewer people everybody is a fold of their own: a fifth of them would be missed."""


def fold_population(
    attributes: CodedColumns,
    truth: NDArray[np.int32],
    levels: tuple[str, ...],
    folds: int | None = None,
    *,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Predict each member by a model fitted on the other folds' records; the release is not used.

    For where no reference people exist. No member's own secret enters their own prediction.

    Parameters
    ----------
    attributes
        Public columns of the members.
    truth
        The code of each member's secret.
    levels
        The values of the secret.
    folds
        How many parts the members are dealt into; 5, or one per person where there are fewer than 64.

    Examples
    --------
    >>> nothing_known = CodedColumns((), np.zeros((4, 0), np.int32))
    >>> truth = np.array([0, 0, 0, 0], np.int32)
    >>> fold_population(nothing_known, truth, ("no", "yes"), 2, rng=np.random.default_rng(1)).round(2)[0]
    array([0.83, 0.17])
    """
    if len(attributes) != truth.size:
        raise InputError(
            "truth", f"must have one secret for each of the {len(attributes):,} people", f"{truth.size:,}"
        )
    if folds is None:
        folds = max(truth.size, 2) if truth.size < LEAVE_ONE_OUT else FOLDS
    if folds < 2:
        raise InputError("folds", "must be 2 or more", str(folds), "Use for example 5.")
    part = rng.permutation(truth.size) % folds
    result = np.empty((truth.size, len(levels)))
    for k in range(min(folds, truth.size)):
        inside = part == k
        others = Reference(CodedColumns(attributes.columns, attributes.codes[~inside]), truth[~inside])
        members = CodedColumns(attributes.columns, attributes.codes[inside])
        result[inside] = predict_population(others, members, levels, rng=rng)
    return result


def start_from(
    population: NDArray[np.float64], truth: NDArray[np.int32], people: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """Return the probabilities that an attacker starts from, so that no baseline knows more.

    The predictions from public columns, or the shares of the values among the members where those explain the
    members better (by log loss): the better baseline is the start, whichever it is.

    Examples
    --------
    >>> start_from(np.array([[0.9, 0.1], [0.8, 0.2]]), np.array([1, 1], np.int32)).round(2)[0]
    array([0.17, 0.83])
    """
    values = population.shape[1]
    have = np.bincount(truth, people, minlength=values)
    shares = (have + 1 / values) / (have.sum() + 1)
    plain: NDArray[np.float64] = np.tile(shares, (truth.size, 1))
    person = np.arange(truth.size)
    gained = np.log(population[person, truth]) - np.log(plain[person, truth])
    return population if (gained if people is None else gained * people).sum() >= 0 else plain


def majority(truth: NDArray[np.int32], people: NDArray[np.int64] | None = None) -> int:
    """Return the commonest secret: an oracle's best guess for everybody at once; a tie goes to the later.

    Examples
    --------
    >>> majority(np.array([0, 1, 1, 0, 1]))
    1
    """
    if truth.size == 0:
        raise InputError("truth", "must have at least one person", "none")
    counts = np.bincount(truth, people)
    return int(counts.size - 1 - counts[::-1].argmax())


SHARE = 0.2
"""Share of the people in the control group: enough to measure, few enough to leave the release alike."""


@hides_people()
@dataclass(frozen=True)
class Redraw:
    """A control group and the secrets to publish in place of the real ones.

    Parameters
    ----------
    chosen
        Who is in the control group; or of how many people each line is.
    codes
        Everybody's secret, with the chosen people's drawn anew.
    """

    chosen: NDArray[np.bool_] | NDArray[np.int64]
    codes: NDArray[np.int32]


def deal_redraw(
    truth: NDArray[np.int32],
    population: NDArray[np.float64],
    share: float = SHARE,
    *,
    rng: np.random.Generator,
) -> Redraw:
    """Choose people at random and draw their secrets anew from what is usual for people like them.

    The release of the redrawn secrets does not depend on the chosen people's real ones, so an attack on it
    cannot be right about those more often than the population predictor is.

    Parameters
    ----------
    truth
        The code of everybody's secret.
    population
        For every person and value, its probability without the release.
    share
        Share of the people to choose; at least one person is.

    Examples
    --------
    >>> sure = np.array([[0.0, 1.0]] * 4)
    >>> redraw = deal_redraw(np.zeros(4, np.int32), sure, 0.5, rng=np.random.default_rng(1))
    >>> int(redraw.chosen.sum()), redraw.codes[redraw.chosen].tolist()
    (2, [1, 1])
    """
    if population.ndim != 2 or population.shape[0] != truth.size:
        raise InputError(
            "population",
            f"must have one row for each of the {truth.size:,} people",
            f"shape {population.shape}",
        )
    if truth.size == 0:
        raise InputError("truth", "must have at least one person", "none")
    if not 0 < share < 1:
        raise InputError("share", "must lie strictly between 0 and 1", f"{share:g}", "Use for example 0.2.")
    chosen = np.zeros(truth.size, bool)
    chosen[rng.choice(truth.size, max(1, round(share * truth.size)), replace=False)] = True
    reached = population[chosen].cumsum(axis=1)
    drawn = rng.random((len(reached), 1)) * reached[:, -1:]
    codes = truth.astype(np.int32)
    codes[chosen] = (drawn >= reached).sum(axis=1)
    return Redraw(chosen, codes)


def check_people(claims: Guesses, truth_ids: Ids, truth: NDArray[np.int32]) -> None:
    """Refuse to score claims about other people, or the same people in another order."""
    if claims.ids.size != truth_ids.size or truth_ids.size != truth.size:
        raise InputError(
            "claims",
            "must be about the people of the truth",
            f"{claims.ids.size:,} claims, {truth_ids.size:,} names and {truth.size:,} secrets",
        )
    if truth.size == 0:
        raise InputError("truth", "must have at least one person", "none")
    other = np.flatnonzero(claims.ids != truth_ids)
    if other.size:
        raise InputError(
            "claims",
            "must name the people in the order of the truth",
            f"{other.size:,} names that differ, first in row {other[0] + 1:,}",
            f"Sort both by {claims.id_name!r}.",
        )
    if not 0 <= truth.min() <= truth.max() < len(claims.levels):
        raise InputError("truth", f"must hold codes from 0 to {len(claims.levels) - 1}", "codes outside")
    if claims.probability.shape != (truth.size, len(claims.levels)):
        raise InputError("claims", "must have a probability for each value", f"{claims.probability.shape}")
    if not np.isfinite(claims.probability).all():
        raise InputError("claims", "must have a probability for each value", "some that are no number")


def balanced_accuracy(
    guess: NDArray[np.int32], truth: NDArray[np.int32], people: NDArray[np.int64] | None = None
) -> float:
    """Average, over the values that occur, how often the people with that value are guessed right.

    Examples
    --------
    >>> balanced_accuracy(np.array([0, 0, 0, 0]), np.array([0, 0, 0, 1]))
    0.5
    """
    have, right = np.bincount(truth, people), np.bincount(truth[guess == truth], _of(people, guess == truth))
    shares = np.pad(right, (0, have.size - right.size))[have > 0] / have[have > 0]
    return float(np.mean(shares))


def _of(people: NDArray[np.int64] | None, which: NDArray[np.bool_]) -> NDArray[np.int64] | None:
    return None if people is None else people[which]


def brier(
    probability: NDArray[np.float64], truth: NDArray[np.int32], people: NDArray[np.int64] | None = None
) -> float:
    """Half the mean squared distance between stated probabilities and the truth: 0 best, 1 worst.

    Half of Brier's (1950) sum over all values, so that for a yes/no secret it is the usual ``(p - y)^2``.

    Examples
    --------
    >>> brier(np.array([[0.5, 0.5], [0.0, 1.0]]), np.array([1, 1]))
    0.125
    """
    distance = probability.copy()
    distance[np.arange(truth.size), truth] -= 1
    return float(np.average((distance**2).sum(axis=1), weights=people) / 2)
