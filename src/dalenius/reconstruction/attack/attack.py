"""The reconstruction attack: a view in, a guess of every secret out; and several side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import one_blas_thread
from dalenius.errors import DaleniusError, InputError, SaysNothingError, UnsupportedError
from dalenius.knowledge.view import View
from dalenius.progress import Announce, Progress, silent, unsaid, within
from dalenius.random import attack_stream
from dalenius.reconstruction.attack.choose import DECODERS, TOGETHER, asked_for, check_decoder, choose
from dalenius.reconstruction.attack.cost import SEARCH, ComputeBudget, Cost
from dalenius.reconstruction.attack.guesses import Guesses, StatedClaims, calibrate, calibrated_before, spread
from dalenius.reconstruction.attack.search.settle import Settled, settle, told_to_insiders
from dalenius.reconstruction.attack.system.build import alike, build
from dalenius.reconstruction.attack.system.extremes import WIDE_SEARCH, bounded_view, refuse_vacuous, sharpen
from dalenius.reconstruction.attack.system.system import CHAINS_NOTE, LinearSystem, trimmed
from dalenius.spread.places import current_workers, spread_out

if TYPE_CHECKING:
    from dalenius.reconstruction.attack.simulated import Shift

WORTH_SAYING = 2.0
"""Predicted seconds from which on somebody who waits wants to know beforehand."""

HALF = 0.5
"""Share of the work that is the attack itself, where it is then tried on simulated releases."""


def reconstruct(
    view: View,
    *,
    decoder: str = "auto",
    budget: ComputeBudget | None = None,
    rng: np.random.Generator,
    progress: Progress = silent,
    announce: Announce = unsaid,
    calibrated: bool | Shift = True,
) -> Guesses:
    """Guess every person's secret from a release.

    Parameters
    ----------
    view
        The release and what else the attacker knows.
    decoder
        ``auto``, or one of ``exhaustive``, ``hadamard``, ``least-squares``, ``box``, ``lp``, ``posterior``.
    budget
        What a decoder that ``auto`` takes may be predicted to need for all values of the secret together; by
        default two minutes and half of the machine's memory. The search for certain secrets takes a tenth
        of the seconds at the most, beyond following single rows.
    rng
        For decoders that draw; from a root of its own, never that of the release's noise.
    progress
        Told how far the work is.
    announce
        Told before work of some seconds which decoder was taken, why, and what it is predicted to need.
    calibrated
        Whether the probabilities of ``auto`` and ``posterior`` are tried on simulated releases and moved to
        what comes true there. Guesses are the same without it, in half the time. They are moved in a given
        way where that was learnt before, from a release like it that was decoded in the same way.

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
    budget = budget or ComputeBudget()
    attack = partial(_attack, decoder=decoder, budget=budget)
    # products of small pieces: threads of BLAS would only spin between them
    with one_blas_thread():
        if not calibrated or decoder not in ("auto", "posterior"):
            return attack(view, rng, progress=progress, announce=announce).claims
        stated = attack(view, rng, progress=within(progress, 0.0, HALF), announce=announce)
        if not isinstance(calibrated, bool) and calibrated.by_chains == stated.by_chains:
            return calibrated_before(stated, calibrated)
        again, told = partial(attack, wide=False), within(progress, HALF, 1.0)
        return calibrate(view, stated, again, budget=budget, rng=rng, progress=told)


def _attack(
    view: View,
    rng: np.random.Generator,
    *,
    decoder: str,
    budget: ComputeBudget,
    progress: Progress = silent,
    announce: Announce = unsaid,
    wide: bool = True,
) -> StatedClaims:
    """Guess, and use what follows by arithmetic where noise is too small to hide it.

    Without ``wide`` only where it is so small that it tells whole numbers: wider bounds force few people,
    and cost a search.
    """
    stated = _reconstruct(view, decoder, budget, rng, progress, announce, SEARCH)
    read = bounded_view(view)
    if read is None or not (wide or read[1]):
        return stated
    bounds, whole = read
    try:
        search = SEARCH if whole else SEARCH * WIDE_SEARCH
        bounded = _reconstruct(bounds, decoder, budget, rng, progress, unsaid, search)
    except (InputError, SaysNothingError, UnsupportedError):
        return stated  # an error beyond the reach, or nothing left to arithmetic: the noise is taken as it is
    return StatedClaims(
        sharpen(stated.claims, bounded.claims, whole=whole),
        bounded.estimated if whole else stated.estimated & ~bounded.claims.certain,
        stated.seconds + bounded.seconds,
        bounded.by_chains if whole else stated.by_chains,
    )


def uninformed(view: View, reason: str) -> Guesses:
    """What is claimed about people by somebody whom the release told nothing: the prior."""
    roster, levels, prior = view.knowledge.roster, view.release.secret.levels, view.knowledge.prior
    probability = np.full((len(roster), len(levels)), 1 / len(levels)) if prior is None else prior
    nobody = np.zeros(len(roster), np.bool_)
    return Guesses(
        roster.id_name, roster.ids, levels, probability, nobody, "prior", (reason,), people=roster.people
    )


def follow(view: View, *, budget: ComputeBudget | None = None) -> Guesses:
    """Say whose secret follows by arithmetic alone; about all others no more than the prior.

    What the whole attack does first, without decoding the rest: a small part of its time where that takes
    chains.

    Raises
    ------
    SaysNothingError
        If the numbers are so coarse that they tell nothing about anybody.
    """
    with one_blas_thread():
        problem = build(view)
        refuse_vacuous(problem.systems)
        settled = settle(problem, SEARCH * (budget or ComputeBudget()).seconds, silent)
    least = np.stack([system.least / system.sizes for system in settled.systems], axis=1)
    probability, certain = _combine(settled, least)
    known, others = certain[problem.group], uninformed(view, "only arithmetic was used")
    told = np.where(known[:, None], probability[problem.group], others.probability)
    return replace(
        others, probability=told, certain=known, to_insiders=told_to_insiders(settled.systems, problem.group)
    )


def _reconstruct(
    view: View,
    decoder: str,
    budget: ComputeBudget,
    rng: np.random.Generator,
    progress: Progress,
    announce: Announce,
    search: float,
) -> StatedClaims:
    problem = build(view)
    refuse_vacuous(problem.systems)
    walsh = None
    if decoder == "lp":
        from dalenius.reconstruction.attack.system.walsh import parities

        walsh = parities(view, problem.group)
    settled = settle(problem, search * budget.seconds, progress)
    decoded = _decode(settled, decoder, budget, rng, progress, announce, walsh)
    probability, certain = _combine(settled, decoded.share)
    estimated = decoded.estimated
    if decoder == "auto" and not all(system.sharp for system in settled.systems):
        probability, by_itself = _read_apart(settled.systems, probability, certain)
        estimated = estimated & ~by_itself
    roster = view.knowledge.roster
    claims = Guesses(
        roster.id_name,
        roster.ids,
        problem.levels,
        spread(
            probability,
            problem.group,
            view.knowledge.prior,
            alike=alike([roster.attributes.codes])[1],
            settled=np.all([system.least == system.most for system in settled.systems], axis=0),
            people=roster.people,
        ),
        certain[problem.group],
        " and ".join(decoded.methods),
        tuple(dict.fromkeys((*settled.notes, *decoded.notes))),
        people=roster.people,
        to_insiders=told_to_insiders(settled.systems, problem.group),
    )
    estimated = estimated[problem.group] & ~claims.certain
    by_chains = any(CHAINS_NOTE in note for note in decoded.notes)
    return StatedClaims(claims, estimated, settled.seconds + decoded.seconds, by_chains)


def _read_apart(
    systems: Sequence[LinearSystem], probability: NDArray[np.float64], certain: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Take each unknown's own reading where it says more than what was decoded; and where that is so."""
    from dalenius.reconstruction.attack import readings  # under noise only

    if not readings.applies(systems):
        return probability, np.zeros_like(certain)
    read = readings.read_each(systems)
    surer = ~certain & (np.nan_to_num(read).max(axis=1) > probability.max(axis=1))
    return np.where(surer[:, None], read, probability), surer


@dataclass(frozen=True)
class _Decoded:
    """A column of shares a value, which unknowns they are estimates of, how, and at what predicted cost."""

    share: NDArray[np.float64]
    estimated: NDArray[np.bool_]
    methods: tuple[str, ...]
    notes: tuple[str, ...]
    seconds: float = 0.0


def _decode(
    settled: Settled,
    decoder: str,
    budget: ComputeBudget,
    rng: np.random.Generator,
    progress: Progress,
    announce: Announce,
    walsh: Callable[[LinearSystem], LinearSystem] | None,
) -> _Decoded:
    """Decode what arithmetic leaves open, after ``walsh`` where it is given: a column of shares a value."""
    counted = ~np.isnan(settled.mean) & (decoder == "auto")
    share = np.stack([system.least / system.sizes for system in settled.systems], axis=1)
    share = np.where(counted.T, (settled.mean / settled.systems[0].sizes).T, share)
    open_ = [(s.least < s.most) & ~done for s, done in zip(settled.systems, counted, strict=True)]
    if not any(some.any() for some in open_):
        nobody = np.zeros(len(share), np.bool_)
        if counted.any():
            return _Decoded(share, nobody, ("exhaustive",), ())
        return _Decoded(share, nobody, ("arithmetic",), ("every sum follows by arithmetic alone",))
    systems = [
        trimmed(system, done) if walsh is None else walsh(system)
        for system, done in zip(settled.systems, counted, strict=True)
    ]
    reduced = [system.free()[0] for system in systems]
    at = [v for v, some in enumerate(open_) if some.any()]
    choice = (
        choose([reduced[v] for v in at], budget)
        if decoder == "auto"
        else asked_for(decoder, [reduced[v] for v in at])
    )
    if choice.cost.seconds >= WORTH_SAYING:
        announce(choice.sentence)
    progress(0.0, choice.sentence)
    told = _with_prediction(progress, choice.cost)
    if choice.name in TOGETHER and len(systems) > 1:
        found, notes = TOGETHER[choice.name](systems, rng=rng, progress=told)
    else:
        decoded = [DECODERS[choice.name](reduced[v], rng=rng, progress=told) for v in at]
        found = [one.share for one in decoded]
        notes = tuple(note for one in decoded for note in one.notes)
    for v, some in zip(at, found, strict=True):
        share[open_[v], v] = some
    tried_all = choice.name == "exhaustive"
    methods = (choice.name, *(("exhaustive",) if counted.any() and not tried_all else ()))
    estimated = np.any(open_, axis=0) & (not tried_all)
    return _Decoded(share, estimated, methods, (choice.sentence, *notes), choice.cost.seconds)


def _with_prediction(progress: Progress, cost: Cost) -> Progress:
    """Let every word about the work say what it was predicted to take."""
    return lambda share, doing: progress(share, f"{doing} (predicted {cost})")


def _combine(settled: Settled, share: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Probabilities of all values and which unknowns give their people away."""
    systems = settled.systems
    sizes = systems[0].sizes
    if len(systems) == 1:
        certain = np.asarray((systems[0].most == 0) | (systems[0].least == sizes), np.bool_)
        return np.concatenate([1 - share, share], axis=1), certain
    possible = np.stack([system.most > 0 for system in systems], axis=1)
    weight = np.where(possible, np.maximum(share, 1e-12), 0.0)
    certain = np.asarray(np.stack([system.least == sizes for system in systems]).any(axis=0), np.bool_)
    return weight / weight.sum(axis=1, keepdims=True), certain


@dataclass(frozen=True)
class Attempt:
    """One attack.

    Parameters
    ----------
    view
        What the attacker sees.
    budget
        What it may be predicted to take.
    name
        Of its random stream.
    calibrated
        As of `reconstruct`.
    arithmetic
        Whether it only says whose secret follows by arithmetic.
    split
        The public column by which the view is cut into blocks, if it is.
    """

    view: View
    budget: ComputeBudget
    name: tuple[str, ...]
    calibrated: bool | Shift = True
    arithmetic: bool = False
    split: str | None = None


def attempt(one: Attempt, progress: Progress = silent, announce: Announce = unsaid) -> Guesses:
    """Guess everybody's secret; a release that says nothing leaves the prior, which the referee confirms."""
    if one.split is not None:
        from dalenius.reconstruction.attack.split.attack import BundleAttack, attack_blocks  # few audits do

        how = BundleAttack(one.name[0], one.budget, not one.arithmetic, bool(one.calibrated))
        return attack_blocks(one.view, one.split, how, progress=progress)
    try:
        if one.arithmetic:
            return follow(one.view, budget=one.budget)
        return reconstruct(
            one.view,
            budget=one.budget,
            rng=attack_stream(*one.name),
            progress=progress,
            announce=announce,
            calibrated=one.calibrated,
        )
    except SaysNothingError as error:
        return uninformed(one.view, str(error))


def attempt_all(attempts: Sequence[Attempt]) -> Iterator[Guesses]:
    """Make every attempt, by as many processes as share the work; in order.

    Where views are cut into blocks the processes share those of each view.
    """
    if any(one.split is not None for one in attempts):
        return map(attempt, attempts)
    return spread_out(attempt, attempts, workers=current_workers(), shared=in_common(attempts))


def in_common(attempts: Iterable[Attempt]) -> list[object]:
    """What views of one audit hold alike: the people, and what is believed of them without the release."""
    known = (one.view.knowledge for one in attempts)
    return [thing for each in known for thing in (each.roster, each.prior) if thing is not None]


def attempt_or_error(one: Attempt) -> Guesses | DaleniusError:
    """Make an attempt; where that is not possible, say why."""
    try:
        return attempt(one)
    except DaleniusError as error:
        return error


def succeed_or_give_up(one: Attempt) -> Guesses | None:
    """Make an attempt; ``None`` where a solver gave up, or nothing fits the budget."""
    try:
        return attempt(one)
    except DaleniusError:
        return None
