"""Releases about made-up secrets, and how much to believe a decoder that was tried on them.

By how much to move stated probabilities, so that they come true: fitted where it is known who was right.

The logarithm of the odds is moved by a line between a few knots. How far each knot moves is fitted by
penalised likelihood (a Gaussian prior around not moving, and around moving as far as its neighbours), and a
shift that chance explains as well is not made: few people move little, and a decoder that is right stays.

The same release about secrets that are drawn from what is usual for these people.

An attacker who is told the questions and the mechanism can publish too: about secrets of his own making,
drawn from the prior that he starts from. Of those he knows who was right.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, pdtr, pdtrc

from dalenius.errors import UnsupportedError
from dalenius.knowledge.view import View
from dalenius.matrices.answers import Counts
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.release.release import Block
from dalenius.statistics.statistic import Counting

Vector = NDArray[np.float64]


Table = NDArray[np.float64]

AT = np.array([0.5, 0.65, 0.8, 0.95, 0.99])
"""Stated probabilities at which the line has its knots. The last is what counts as known. The first does not
move where there are two values: of those one half is always right as often as it says."""

KNOTS: Vector = logit(AT)

USUAL, UNLIKE = 2.0, 0.6
"""How far knots are expected to move, and apart from their neighbours, in log odds: the mean of two decoders
states 0.85 of intervals where 0.98 come true, which is a move of 2."""

TOP = 0.97
"""Probabilities from which on people are asked whether the last knot moves at all."""

BY_LUCK = 0.01
"""Chance of a number of mistakes as odd as theirs, above which it does not: few of those who are all but
known are ever wrong, and nobody is to become known, or cease to be, by the luck of a simulation."""

BELOW = 0.1
"""Log odds by which the other knots stay below the last, so that none makes people known in its place."""

STEPS, EDGE = 30, 1e-9


@dataclass(frozen=True)
class Shift:
    """How far the log odds move at every knot; beyond the outer ones as far as there.

    ``by_chains`` says of which decoding that was learnt: with Markov chains or without.

    Examples
    --------
    >>> Shift(np.array([0.0, 0.0, 0.5, 0.5, 0.0])).of(np.array([0.5, 0.8, 0.99])).round(3)
    array([0.5  , 0.868, 0.99 ])
    """

    by: Vector
    by_chains: bool = False

    def of(self, stated: Vector) -> Vector:
        """The probabilities after it, in the same order."""
        odds = logit(np.clip(stated, EDGE, 1 - EDGE))
        after = KNOTS + self.by
        after[:-1] = np.minimum(after[:-1], after[-1] - BELOW)
        after = np.maximum.accumulate(after)
        return np.asarray(expit(odds + _nearness(odds) @ (after - KNOTS)), np.float64)

    def applied(self, probability: Table, who: NDArray[np.bool_]) -> Table:
        """Move the likeliest value of some people, and the others alike to what it leaves; none overtakes."""
        rows = probability[who]
        best = rows.argmax(axis=1)
        at = np.arange(best.size)
        stated = rows[at, best]
        rows[at, best] = 0.0
        second, rest = rows.max(axis=1), rows.sum(axis=1)
        # where the best would meet the second, if both kept their shares of what the other leaves
        meet = second / np.maximum(rest + second, EDGE)
        wanted = np.where(stated > second, np.maximum(self.of(stated), meet + EDGE), stated)
        rows *= ((1 - wanted) / np.maximum(rest, EDGE))[:, None]
        rows[at, best] = 1 - rows.sum(axis=1)
        result = probability.copy()
        result[who] = rows
        return result


def fit_shift(stated: Vector, right: NDArray[np.bool_], values: int) -> Shift:
    """Find the shift after which these claims come true as often as they say.

    Parameters
    ----------
    stated, right
        What was stated of the likeliest value, and whether it is the right one.
    values
        How many values there are.

    Examples
    --------
    >>> stated = np.full(3000, 0.9)
    >>> round(float(fit_shift(stated, np.arange(3000) < 2400, 3).of(stated)[0]), 2)
    0.8
    """
    odds = logit(np.clip(stated, EDGE, 1 - EDGE))
    near = _nearness(odds)
    free = np.ones(KNOTS.size, np.bool_)
    free[0] = values > 2
    free[-1] = _luck_at_the_top(stated, right) < BY_LUCK
    apart = np.diff(np.eye(KNOTS.size), axis=0)
    if not free[-1]:  # held for want of evidence, which is no evidence that its neighbour is right
        apart = apart[:-1]
    penalty = np.eye(KNOTS.size) / USUAL**2 + apart.T @ apart / UNLIKE**2
    near, penalty = near[:, free], penalty[np.ix_(free, free)]
    by = np.zeros(int(free.sum()))
    for _ in range(STEPS):
        chance = expit(odds + near @ by)
        slope = near.T @ (right - chance) - penalty @ by
        bend = (near * (chance * (1 - chance))[:, None]).T @ near + penalty
        step = np.linalg.solve(bend, slope)
        by += step / max(1.0, float(np.abs(step).max()))
    whole = np.zeros(KNOTS.size)
    by_chance = float(np.trace(np.linalg.solve(bend, bend - penalty)))
    whole[free] = by * _worth(odds, near @ by, right, by_chance)
    return Shift(whole)


def _worth(odds: Vector, moved: Vector, right: NDArray[np.bool_], by_chance: float) -> float:
    """Share of a shift that stands: none of one that explains no more than chance would.

    The factor of James and Stein (1961): twice the gain in log likelihood, against what as many free
    parameters gain where there is nothing to mend.
    """
    sign = np.where(right, 1.0, -1.0)
    gained = 2 * float((np.logaddexp(0, -sign * odds) - np.logaddexp(0, -sign * (odds + moved))).sum())
    return max(0.0, 1 - by_chance / max(gained, EDGE))


def _luck_at_the_top(stated: Vector, right: NDArray[np.bool_]) -> float:
    """How likely so odd a number of mistakes is among those who are all but known, if claims are true."""
    top = stated >= TOP
    wrong, expected = int((~right[top]).sum()), float((1 - stated[top]).sum())
    as_few, as_many = pdtr(wrong, expected), 1.0 if wrong == 0 else pdtrc(wrong - 1, expected)
    return float(min(1.0, 2 * min(as_few, as_many)))


def _nearness(odds: Vector) -> Table:
    """The weight of every knot in the line at these log odds."""
    inside = np.clip(odds, KNOTS[0], KNOTS[-1])
    return np.stack([np.interp(inside, KNOTS, unit) for unit in np.eye(KNOTS.size)], axis=1)


Codes = NDArray[np.intp]


def assumed_prior(view: View) -> NDArray[np.float64]:
    """For every person and value, its probability as decoders take it: known, or as common as it seems."""
    from dalenius.reconstruction.attack.system.build import build  # which knows guesses

    if view.knowledge.prior is not None:
        return view.knowledge.prior
    problem = build(view)
    shares = np.stack([system.prior for system in problem.systems], axis=1)[problem.group]
    if shares.shape[1] == 1:
        return np.concatenate([1 - shares, shares], axis=1)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True), np.float64)


def draw_secrets(
    prior: NDArray[np.float64], rng: np.random.Generator, people: NDArray[np.int64] | None = None
) -> Codes:
    """Everybody's value, each by itself; of lines of several people, how many of each have every value."""
    if people is not None:
        return np.asarray(rng.multinomial(people, prior / prior.sum(axis=1, keepdims=True)), np.intp)
    with np.errstate(divide="ignore"):
        return np.asarray((np.log(prior) + rng.gumbel(size=prior.shape)).argmax(axis=1), np.intp)


MOST_SEEN = 20_000
"""People of records from whom a shift is learnt, drawn anew from all of them."""


def some_claims(
    guess: NDArray[np.int32],
    stated: Vector,
    estimated: NDArray[np.bool_],
    secrets: Codes,
    rng: np.random.Generator,
) -> tuple[Vector, NDArray[np.bool_]]:
    """What is stated of people whose value is estimated, and whether it is right; of many, of some."""
    if secrets.ndim == 1:
        return stated[estimated], (guess == secrets)[estimated]
    at = np.flatnonzero(estimated)
    people = secrets[at].sum(axis=1)
    if not people.sum():
        return np.zeros(0), np.zeros(0, np.bool_)
    seen = rng.choice(at, min(int(people.sum()), MOST_SEEN), p=people / people.sum())
    share = secrets[seen, guess[seen]] / secrets[seen].sum(axis=1)
    return stated[seen], rng.random(seen.size) < share


def publish_about(view: View, secrets: Codes, rng: np.random.Generator) -> View:
    """The view of somebody to whom the same was published about these secrets.

    Raises
    ------
    UnsupportedError
        If that cannot be made again: answers that are no counts, what others print, unknown mechanisms.
    """
    release, people = view.release, len(view.knowledge.roster)
    if secrets.ndim > 1 and any(parse_mechanism(release.mechanism_of(b)).samples for b in release.blocks):
        raise UnsupportedError("samples of people are not simulated by record")
    samples: dict[str, NDArray[np.bool_]] = {}  # the blocks of one mechanism count the same people
    blocks = []
    for block in release.blocks:
        text = release.mechanism_of(block)
        if text not in samples:
            sample = parse_mechanism(text).sample_rows(people, rng=rng)
            samples[text] = np.ones(people, np.bool_) if sample is None else sample
        blocks.append(replace(block, answers=_answers(view, block, secrets, samples[text], rng)))
    return View(replace(release, blocks=tuple(blocks)), view.knowledge)


def _answers(
    view: View, block: Block, secrets: Codes, counted: NDArray[np.bool_], rng: np.random.Generator
) -> NDArray[np.float64]:
    statistic, levels = block.statistic, view.release.secret.levels
    if not isinstance(statistic, Counting):
        raise UnsupportedError(f"answers of the kind {statistic.kind} are not simulated")
    if any(limits is not None for limits in (block.low, block.high, block.least, block.most)):
        raise UnsupportedError("what is printed beside the numbers is not simulated")
    operator = statistic.operator(view.knowledge.roster)
    columns = [
        operator.apply(_having(secrets, levels.index(value), counted).astype(np.float64))
        for value in block.values
    ]
    counts = np.rint(np.stack(columns, axis=1)).astype(np.int64)
    true = Counts(counts, statistic.table, statistic.sensitivity(len(block.values)))
    return parse_mechanism(view.release.mechanism_of(block)).protect(true, rng=rng)


def _having(secrets: Codes, value: int, counted: NDArray[np.bool_]) -> NDArray[np.generic]:
    """Who of those counted has a value; of records, how many."""
    return secrets[:, value] if secrets.ndim > 1 else (secrets == value) & counted
