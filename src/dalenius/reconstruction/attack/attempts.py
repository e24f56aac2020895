"""Several attacks side by side: each gets a view and how to try, so that any process may make it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dalenius.errors import DaleniusError, SaysNothingError
from dalenius.knowledge.view import View
from dalenius.progress import Announce, Progress, silent, unsaid
from dalenius.random import attack_stream
from dalenius.reconstruction.attack.attack import follow, reconstruct, uninformed
from dalenius.reconstruction.attack.cost import ComputeBudget
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.attack.simulated import Shift
from dalenius.spread.places import current_workers, spread_out


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
    return spread_out(attempt, attempts, workers=current_workers())


def succeed_or_give_up(one: Attempt) -> Guesses | None:
    """Make an attempt; ``None`` where a solver gave up, or nothing fits the budget."""
    try:
        return attempt(one)
    except DaleniusError:
        return None
