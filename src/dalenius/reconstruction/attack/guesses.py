"""What an attack says about people, and how its probabilities are made to come true.

From what is known about a group to each of its people, who may be unlike in what is known beforehand.

No question of the release tells the people of a group apart: it only says how many of them have each value.
Public columns that the release does not use still tell who of them it more probably is.

Probabilities that come true: how often a decoder is right is learnt on releases about made-up secrets.

Decoders approximate, and each errs in its own way: propagation is too sure of small cells under noise, the
mean of two decoders too unsure under rounding. An attacker need not know why. He draws secrets from what he
held likely before the release (`simulate`), publishes about them in the same way, decodes that in the same
way, and sees how often a stated probability comes true (a parametric bootstrap, Efron and Tibshirani 1993,
chapter 6). What he states of the release itself is moved by as much (`shift`). Guesses stay what they are,
and so does everybody who follows by arithmetic. What cannot be seen so is a prior that is wrong.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import DaleniusError, UnsupportedError
from dalenius.knowledge.view import View
from dalenius.people.schema import Ids
from dalenius.progress import Progress
from dalenius.reconstruction.attack.cost import ComputeBudget, say_seconds
from dalenius.shown import hides_people

if TYPE_CHECKING:
    from dalenius.reconstruction.attack.simulated import Shift


@hides_people("method")
@dataclass(frozen=True)
class Guesses:
    """A guess of every person's secret.

    Parameters
    ----------
    id_name, ids
        Who the guesses are about.
    levels
        The values that the secret can take.
    probability
        For every person and value, how likely the attack holds it to be; rows sum to 1.
    certain
        Whether the guess follows from the release by arithmetic alone, with no probability in it.
    method
        Which decoder made them.
    notes
        What a reader should know about how they were made.
    shift
        How stated probabilities were moved to what comes true, where that was learnt.
    missed
        About whom the attack could not be run, where it is run in parts; about nobody if not given.
    people
        How many people each line is about, where they are told by record; one if not given.
    to_insiders
        What somebody in the data who knows their own secret would know of others (`told_to_insiders`);
        ``None`` if nobody would.
    """

    id_name: str
    ids: Ids
    levels: tuple[str, ...]
    probability: NDArray[np.float64]
    certain: NDArray[np.bool_]
    method: str
    notes: tuple[str, ...] = ()
    shift: Shift | None = field(default=None, repr=False)
    missed: NDArray[np.bool_] | None = field(default=None, repr=False)
    people: NDArray[np.int64] | None = field(default=None, repr=False)
    to_insiders: NDArray[np.int64] | None = field(default=None, repr=False)

    @property
    def guess(self) -> NDArray[np.int32]:
        """The code of the likeliest value of each person; a tie goes to the later value."""
        from_the_end = self.probability[:, ::-1].argmax(axis=1)
        return np.asarray(len(self.levels) - 1 - from_the_end, np.int32)

    @property
    def confidence(self) -> NDArray[np.float64]:
        """The probability of the guessed value."""
        best: NDArray[np.float64] = self.probability.max(axis=1)
        return best

    def to_csv(self) -> str:
        """Return the claims as ``<id>,probability,guess,certain``.

        Examples
        --------
        >>> claims = Guesses("id", np.array(["a"]), ("no", "yes"), np.array([[0.25, 0.75]]),
        ...                  np.array([False]), "least-squares")
        >>> print(claims.to_csv(), end="")
        id,probability,guess,certain
        a,0.75,yes,false
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([self.id_name, "probability", "guess", "certain"])
        for name, p, code, sure in zip(self.ids, self.confidence, self.guess, self.certain, strict=True):
            writer.writerow([name, f"{p:.6g}", self.levels[code], "true" if sure else "false"])
        return text.getvalue()


Table = NDArray[np.float64]

ROUNDS = 200


CLOSE = 1e-7
"""Largest miss of a group's mean at which the fit ends; far below what would move a guess."""


def spread(
    share: Table,
    group: NDArray[np.intp],
    prior: Table | None,
    *,
    alike: NDArray[np.intp] | None = None,
    settled: NDArray[np.bool_] | None = None,
    people: NDArray[np.int64] | None = None,
) -> Table:
    """Return everybody's probabilities, whose mean over each group is what the release says of it.

    Everybody's odds are their own beforehand times a factor of their group and value, the same for all: what
    counts of a group do to people who are independent, for large groups (the conditional Bernoulli law, Chen,
    Dempster and Liu 1994). Fitted by iterative scaling.

    Parameters
    ----------
    share
        For each group and value, the expected share of its people who have it.
    group
        The group of each person.
    prior
        For each person and value, its probability without the release; ``None`` if all are alike.
    alike
        For each person, a number that people with the same public columns share.
    settled
        Groups whose sums are known. There people with the same public columns get the same: where
        predictions were learnt from the members, each without their own secret, those of two people alike
        differ only by that secret, and once the sum is known the difference points the wrong way.
    people
        How many people each line is; one if not given.

    Examples
    --------
    >>> spread(np.array([[0.5, 0.5]]), np.array([0, 0]), np.array([[0.8, 0.2], [0.2, 0.8]])).round(2)
    array([[0.8, 0.2],
           [0.2, 0.8]])
    """
    wanted = share[group]
    if prior is None:
        return wanted
    sizes = np.bincount(group, minlength=len(share))
    mixed = sizes[group] > 1
    if not mixed.any():
        return wanted
    own, of = prior[mixed], group[mixed]
    each = None if people is None else people[mixed]
    weight = own * (share / np.maximum(_mean(own, of, sizes, each), 1e-300))[of]
    for _ in range(ROUNDS):
        total = weight.sum(axis=1, keepdims=True)
        fitted = weight / np.where(total > 0, total, 1.0)
        mean = _mean(fitted, of, sizes, each)
        if np.abs(mean - share)[sizes > 1].max() < CLOSE:
            break
        weight = fitted * (share / np.maximum(mean, 1e-300))[of]
    result = wanted.copy()
    result[mixed] = np.where(total > 0, fitted, share[of])
    if alike is not None and settled is not None and settled.any():
        kind = np.unique(group * (int(alike.max()) + 1) + alike, return_inverse=True)[1].ravel()
        averaged = _mean(result, kind, np.bincount(kind), people)[kind]
        result = np.where(settled[group][:, None], averaged, result)
    return result


def _mean(
    values: Table, group: NDArray[np.intp], sizes: NDArray[np.intp], people: NDArray[np.int64] | None
) -> Table:
    if people is not None:
        values = values * people[:, None]
        sizes = np.bincount(group, people, minlength=sizes.size).astype(np.intp)
    columns = [np.bincount(group, column, minlength=sizes.size) for column in values.T]
    return np.stack(columns, axis=1) / np.maximum(sizes, 1)[:, None]


ENOUGH = 1_000
"""People with a stated probability from whom a shift is learnt; more would not move it much."""

MOST_TIMES = 3
"""Releases simulated at the most that are decoded as the real one was."""

MISSES = 2
"""For each of them so many more may be tried that turn out to be decoded in another way."""

QUICK = 2.0
"""Predicted seconds that simulations may always take; beyond, as long as the attack itself."""


@dataclass(frozen=True)
class StatedClaims:
    """What an attack states before it was tried.

    Parameters
    ----------
    claims
        Its guesses.
    estimated
        Whose probabilities are a decoder's estimate: neither arithmetic nor a count of all that fits.
    seconds
        What the attack took at fixed rates, predicted or counted.
    by_chains
        Whether Markov chains had a say: where they do not come to agree, propagation alone does, and that
        errs in another way.
    """

    claims: Guesses
    estimated: NDArray[np.bool_]
    seconds: float
    by_chains: bool = False


def calibrate(
    view: View,
    first: StatedClaims,
    attack: Callable[[View, np.random.Generator], StatedClaims],
    *,
    budget: ComputeBudget,
    rng: np.random.Generator,
    progress: Progress,
) -> Guesses:
    """Return the claims with probabilities as they come true on simulated releases.

    Parameters
    ----------
    view, first
        The release, and what an attack states of it.
    attack
        The same attack, to be tried on other views.
    budget
        If attacking twice would not fit, nothing is tried, and the notes say so.
    rng
        Draws the secrets, their releases and what the attack draws.
    progress
        Told how far the work is.
    """
    people = int(first.estimated.sum())
    if not people:
        return first.claims
    if 2 * first.seconds > budget.seconds:
        took = say_seconds(first.seconds)
        return _noted(first.claims, f"probabilities not calibrated: a simulated release takes {took}")
    times = _how_often(people, first.seconds)
    most = min((1 + MISSES) * times, max(times, _affordable(first.seconds)))
    words = "releases simulated, to see which probabilities come true"
    predicted = f"(predicted {say_seconds(times * first.seconds)})"

    def told(tried: int) -> None:
        progress(tried / most, f"{tried} {words} {predicted}")

    from dalenius.reconstruction.attack.simulated import fit_shift

    try:
        found = _try_out(view, attack, (times, most), first.by_chains, rng, told)
    except UnsupportedError as error:
        return _noted(first.claims, f"probabilities not calibrated: {error}")
    stated = np.concatenate([np.zeros(0), *(one for one, _ in found)])
    right = np.concatenate([np.zeros(0, np.bool_), *(one for _, one in found)])
    shift = replace(fit_shift(stated, right, len(first.claims.levels)), by_chains=first.by_chains)
    probability = shift.applied(first.claims.probability, first.estimated)
    made = "a simulated release" if len(found) == 1 else f"{len(found)} simulated releases"
    note = f"probabilities calibrated on {made} ({stated.size:,} guesses)"
    return _noted(replace(first.claims, probability=probability, shift=shift), note)


def calibrated_before(first: StatedClaims, shift: Shift) -> Guesses:
    """Return the claims with probabilities moved as was learnt about such a release before."""
    probability = shift.applied(first.claims.probability, first.estimated)
    moved = replace(first.claims, probability=probability, shift=shift)
    return _noted(moved, "probabilities calibrated as those of the whole release")


def _how_often(people: int, seconds: float) -> int:
    """How many releases to simulate: until enough people are estimated, and no longer than is modest."""
    return min(ceil(ENOUGH / people), _affordable(seconds), MOST_TIMES)


def _affordable(seconds: float) -> int:
    return max(1, int(max(QUICK, seconds) / max(seconds, 1e-3)))


_Tried = tuple[NDArray[np.float64], NDArray[np.bool_]]


def _try_out(
    view: View,
    attack: Callable[[View, np.random.Generator], StatedClaims],
    wanted: tuple[int, int],
    by_chains: bool,
    rng: np.random.Generator,
    told: Callable[[int], None],
) -> list[_Tried]:
    """What is stated of each simulated release, and whether it is right.

    Of releases that were decoded as the real one: chains that agree state too little, and propagation, which
    is left where they do not, too much. Mixed, one would be moved by the mistakes of the other. If none was,
    all count.
    """
    from dalenius.reconstruction.attack.simulated import (
        assumed_prior,
        draw_secrets,
        publish_about,
        some_claims,
    )

    prior, (times, most) = assumed_prior(view), wanted
    alike, others = list[_Tried](), list[_Tried]()
    for tried in range(most):
        told(tried)
        secrets = draw_secrets(prior, rng, view.knowledge.roster.people)
        made = publish_about(view, secrets, rng)
        try:
            got = attack(made, rng)
        except DaleniusError:
            continue  # secrets of which such a release says nothing, or that a solver gave up on
        seen = some_claims(got.claims.guess, got.claims.confidence, got.estimated, secrets, rng)
        (alike if got.by_chains == by_chains else others).append(seen)
        if len(alike) == times:
            break
    return alike or others


def _noted(claims: Guesses, note: str) -> Guesses:
    return replace(claims, notes=(*claims.notes, note))
