"""The reconstruction attack: a view in, a guess of every secret out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from dalenius.attacks.claims import Guesses
from dalenius.attacks.reconstruction import hadamard
from dalenius.attacks.reconstruction.bounds import contradiction, propagate, tighten_by_ranges
from dalenius.attacks.reconstruction.budget import Budget
from dalenius.attacks.reconstruction.build import Problem, alike, build
from dalenius.attacks.reconstruction.choose import DECODERS, asked_for, check_decoder, choose
from dalenius.attacks.reconstruction.coarse import refuse_vacuous
from dalenius.attacks.reconstruction.cost import Cost, programs
from dalenius.attacks.reconstruction.individual import spread
from dalenius.attacks.reconstruction.small_noise import bounded_view, sharpen
from dalenius.attacks.reconstruction.system import Decoding, LinearSystem
from dalenius.attacks.reconstruction.walsh import Transform, parities
from dalenius.errors import InputError, SaysNothingError, UnsupportedError
from dalenius.knowledge.view import View
from dalenius.progress import Announce, Progress, silent, unsaid
from dalenius.records.answers import Vector

RANGE_UNKNOWNS, RANGE_ROWS = 100, 2_000
"""Sizes up to which all rows together are searched for certain secrets: two linear programs an unknown."""

WORTH_SAYING = 2.0
"""Predicted seconds from which on somebody who waits wants to know beforehand."""

SLACK = 1e-9
"""Shares of groups are fractions: their sums may be off by this much."""


def reconstruct(
    view: View,
    *,
    decoder: str = "auto",
    budget: Budget | None = None,
    rng: np.random.Generator,
    progress: Progress = silent,
    announce: Announce = unsaid,
) -> Guesses:
    """Guess every person's secret from a release.

    Parameters
    ----------
    view
        The release and what else the attacker knows.
    decoder
        ``auto``, or one of ``exhaustive``, ``hadamard``, ``least-squares``, ``box``, ``lp``, ``posterior``.
    budget
        What a decoder that ``auto`` takes may be predicted to need for one value of the secret; by default
        two minutes and half of the machine's memory.
    rng
        For decoders that draw; from a root of its own, never that of the release's noise.
    progress
        Told how far the work is.
    announce
        Told before work of some seconds which decoder was taken, why, and what it is predicted to need.

    Returns
    -------
    Guesses
        For every person the probability of each value, and whether the guess is certain: forced by
        arithmetic, if the release is what it says it is.

    Raises
    ------
    TooLargeError
        If no decoder is predicted to fit the budget.
    SaysNothingError
        If the numbers are so coarse that they tell nothing about anybody.
    """
    check_decoder(decoder)
    # products of small pieces: threads of BLAS would only spin between them
    with threadpool_limits(1, user_api="blas"):
        claims = _reconstruct(view, decoder, budget or Budget(), rng, progress, announce)
        return _without_small_noise(view, claims, decoder, budget or Budget(), rng, progress)


def _without_small_noise(
    view: View, claims: Guesses, decoder: str, budget: Budget, rng: np.random.Generator, progress: Progress
) -> Guesses:
    """Use what follows by arithmetic where noise is too small to hide it."""
    read = bounded_view(view)
    if read is None:
        return claims
    try:
        bounded = _reconstruct(read[0], decoder, budget, rng, progress, unsaid)
    except (InputError, SaysNothingError, UnsupportedError):
        return claims  # an error beyond the reach, or nothing left to arithmetic: the noise is taken as it is
    return sharpen(claims, bounded, whole=read[1])


def uninformed(view: View, reason: str) -> Guesses:
    """What is claimed about people by somebody whom the release told nothing: the prior."""
    roster, levels, prior = view.knowledge.roster, view.release.secret.levels, view.knowledge.prior
    probability = np.full((len(roster), len(levels)), 1 / len(levels)) if prior is None else prior
    nobody = np.zeros(len(roster), np.bool_)
    return Guesses(roster.id_name, roster.ids, levels, probability, nobody, "prior", (reason,))


def _reconstruct(
    view: View,
    decoder: str,
    budget: Budget,
    rng: np.random.Generator,
    progress: Progress,
    announce: Announce,
) -> Guesses:
    problem = build(view)
    refuse_vacuous(problem.systems)
    walsh = parities(view, problem.group) if decoder == "lp" else None
    solved = [_solve(system, decoder, budget, rng, progress, announce, walsh) for system in problem.systems]
    share = np.stack([s.share for _, s, _ in solved], axis=1)
    least = np.stack([system.least / system.sizes for system, _, _ in solved], axis=1)
    most = np.stack([system.most / system.sizes for system, _, _ in solved], axis=1)
    probability, certain = _combine(problem, share, least, most)
    roster = view.knowledge.roster
    methods = list(dict.fromkeys(method for _, _, method in solved))
    notes = dict.fromkeys(note for _, s, _ in solved for note in s.notes)
    return Guesses(
        roster.id_name,
        roster.ids,
        problem.levels,
        spread(
            probability,
            problem.group,
            view.knowledge.prior,
            alike=alike([roster.attributes.codes])[1],
            settled=(least == most).all(axis=1),
        ),
        certain[problem.group],
        " and ".join(methods),
        tuple(notes),
    )


def _solve(
    system: LinearSystem,
    decoder: str,
    budget: Budget,
    rng: np.random.Generator,
    progress: Progress,
    announce: Announce,
    walsh: Transform | None = None,
) -> tuple[LinearSystem, Decoding, str]:
    """Take what arithmetic gives, then decode what is left, after ``walsh`` where it is given."""
    if (system.sd == 0).any():
        system = _known(system, progress)
    reduced, open_ = system.free() if walsh is None else walsh(system).free()
    share: Vector = system.least / system.sizes
    if open_.size == 0:
        return system, Decoding(share, ("every sum follows by arithmetic alone",)), "arithmetic"
    choice = choose(reduced, budget) if decoder == "auto" else asked_for(decoder, reduced)
    if choice.cost.seconds >= WORTH_SAYING:
        announce(choice.sentence)
    progress(0.0, choice.sentence)
    decoding = DECODERS[choice.name](reduced, rng=rng, progress=_with_prediction(progress, choice.cost))
    share[open_] = decoding.share
    return system, replace(decoding, share=share, notes=(choice.sentence, *decoding.notes)), choice.name


def _with_prediction(progress: Progress, cost: Cost) -> Progress:
    """Let every word about the work say what it was predicted to take."""
    return lambda share, doing: progress(share, f"{doing} (predicted {cost})")


def _known(system: LinearSystem, progress: Progress) -> LinearSystem:
    """Tighten the sums by arithmetic, by whichever way the size allows."""
    progress(0.0, "looking for certain secrets")
    if hadamard.applies(system):
        return hadamard.settle(system)
    system = propagate(system)
    if system.unknowns <= RANGE_UNKNOWNS and system.A.shape[0] <= RANGE_ROWS:
        sums = int((system.least < system.most).sum())
        predicted = programs(sums, system.A.entries)
        progress(0.0, f"two linear programs for each of {sums:,} unknowns (at most {predicted})")
        system = tighten_by_ranges(system)
    return system


def _combine(
    problem: Problem, share: NDArray[np.float64], least: NDArray[np.float64], most: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Probabilities of all values and which unknowns give their people away, from one system a value."""
    if len(problem.systems) == 1:
        probability = np.concatenate([1 - share, share], axis=1)
        certain = (most[:, 0] == 0) | (least[:, 0] == 1)
        return probability, certain
    if (least.sum(axis=1) > 1 + SLACK).any() or (most.sum(axis=1) < 1 - SLACK).any():
        raise contradiction("somebody would have several values, or none")
    # everybody has exactly one value: what the others leave, and what they take
    lowest = np.maximum(least, 1 - (most.sum(axis=1, keepdims=True) - most))
    highest = np.minimum(most, 1 - (least.sum(axis=1, keepdims=True) - least))
    weight = np.where(highest < SLACK, 0.0, np.maximum(share, 1e-12))
    return weight / weight.sum(axis=1, keepdims=True), (lowest > 1 - SLACK).any(axis=1)
