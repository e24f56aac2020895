"""Everybody's probability of each value, by Markov chains over all secrets at once.

A chain holds one value for everybody, draws each person's value anew given all others' (Geman and Geman
1984), and lets pairs of people who are counted together exchange theirs. What it visits follows the posterior
itself: the noise's own shape, intervals as intervals, and one value per person, nothing of which has to be a
Gaussian. Tables with little noise have far-apart secrets that fit equally well, which one chain would not
find: several start anew from the prior and are cooled down. The average of those that came as far down as the
best is what is stated; the others are stuck where secrets do not fit. Where most of them are, the few that
came down are no sample, and nothing is stated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.matrices.answers import Vector
from dalenius.matrices.operators import SparseRows
from dalenius.progress import Progress, silent
from dalenius.random_kernel import state_of
from dalenius.reconstruction.attack.decoders.chain_model import ChainModel
from dalenius.reconstruction.attack.system.system import CHAINS_NOTE, LinearSystem

Table = NDArray[np.float64]

CHAINS = 8
COOLING, COUNTED = 75, 75
"""Rounds in which a chain is cooled down to the release as it is, and in which it is then counted."""

FEWEST = 0.4
"""Share of those rounds below which propagation is the better choice."""

HOT = 0.1
"""How much of the release a chain sees at first: the logarithm of its likelihood counts by this factor."""

COOL = 0.75
"""Share of the cooling after which a chain sees all of it."""

APART = 3.0
"""Standard deviations of the best chain's fit beyond which another chain is stuck, not sampling."""

SURER = 0.07
"""By how much single chains may be surer than all of them together: beyond, each stays in secrets of its own
(tables about many people), and is wrongly sure; their mean is then less sure than what it is asked with."""

NARROW = 2.0
"""Width up to which intervals, half of them or more, leave a chain no room: tables rounded to 3, small cells
of tables rounded to 5, and exact ones."""

LONGER, LONGER_OF_SEVERAL = 2, 4
"""Times as many rounds where all that is said are intervals, which leave a chain less room to move: of a
yes/no secret, and of several values."""

FEW_ROWS = 10
"""Unknowns a row above which so many are alike that a Gaussian says all, and at once."""

LEAST_WORK, MOST_WORK = 5e8, 3e9
"""Rows looked at in all rounds together that are always allowed, and at the most: one second, and six."""

AS_LONG = 0.3
"""Rows looked at in the time that propagation takes for one cubed unknown: twenty factorisations."""

MOST_PEOPLE = 200_000

NOTE = f"{CHAINS} {CHAINS_NOTE}"


def applies(systems: Sequence[LinearSystem]) -> bool:
    """Whether chains are to be run: counts in intervals, or with noise of a known size; work for seconds."""
    known = all(s.counting.all() and not np.isnan(s.sd).any() and s.shape != "unknown" for s in systems)
    if not known or any(s.usual is not None for s in systems):
        return False
    if systems[0].sizes.sum() > MOST_PEOPLE or (all(s.sharp for s in systems) and _narrow(systems)):
        return False
    few = systems[0].unknowns > FEW_ROWS * max(s.A.shape[0] for s in systems)
    return not few and _rounds(systems) >= FEWEST


def _narrow(systems: Sequence[LinearSystem]) -> bool:
    width = np.concatenate([s.high - s.low for s in systems])
    return not width.size or float(np.median(width)) <= NARROW


def with_the_others(system: LinearSystem) -> tuple[LinearSystem, LinearSystem]:
    """A yes/no secret as two values: what is published counts one of them, and nothing the other."""
    nothing = np.zeros(0)
    others = replace(
        system,
        A=SparseRows(sparse.csr_array((0, system.unknowns))),
        centre=nothing,
        low=nothing,
        high=nothing,
        sd=nothing,
        least=system.sizes - system.most,
        most=system.sizes - system.least,
        prior=1 - system.prior,
        counting=nothing > 0,
        usual=None,
        own=None,
    )
    return system, others


def rows_looked_at(systems: Sequence[LinearSystem]) -> float:
    """How many rows all rounds that are allowed look at: what the chains' time depends on."""
    return _work(systems) * _rounds(systems) if applies(systems) else 0.0


def _work(systems: Sequence[LinearSystem]) -> float:
    """Rows that all rounds would look at."""
    values = len(systems)
    of_one = sum(s.A.entries for s in systems) / values * float(systems[0].sizes.mean())
    # all values of everybody are weighed, two moved, and up to eight looked at in an exchange
    return of_one * (values + 10) * CHAINS * (COOLING + COUNTED) * _longer(systems)


def _longer(systems: Sequence[LinearSystem]) -> int:
    if not all(s.sharp for s in systems):
        return 1
    return LONGER_OF_SEVERAL if len(systems) > 2 else LONGER


def _rounds(systems: Sequence[LinearSystem]) -> float:
    """Share of all rounds that are allowed: they should not take much longer than propagation would."""
    as_long = AS_LONG * len(systems) * float(systems[0].unknowns) ** 3
    return min(1.0, float(np.clip(as_long, LEAST_WORK, MOST_WORK)) / (_work(systems) + 1.0))


def decode(
    systems: Sequence[LinearSystem], *, rng: np.random.Generator, progress: Progress = silent
) -> list[Vector] | None:
    """The share of every unknown that has each value; ``None`` if the chains did not come to agree.

    Parameters
    ----------
    systems
        One for each value, about the same unknowns; every noisy answer in one of them only.
    rng
        Draws the chains.
    progress
        Told how far the work is.
    """
    share = _rounds(systems) * _longer(systems)
    cooling, counted = round(COOLING * share), round(COUNTED * share)
    cooler = np.minimum(1.0, HOT ** (1 - np.arange(cooling) / (COOL * cooling)))
    model = ChainModel(systems)
    chances, misfits = [], []
    for number in range(CHAINS):
        progress(number / CHAINS, "chains over all secrets")
        chain, random, chance = model.start_anew(rng), state_of(rng), np.zeros(model.log_prior.shape)
        model.walk(chain, cooler, random)
        misfits.append(model.walk(chain, np.ones(counted), random, chance))
        chances.append(chance / counted)
    settled = settled_chains(np.array(misfits))
    if settled.size < CHAINS / 2 or apart(np.array(chances)):
        return None
    return model.stated(np.mean([chances[c] for c in settled], axis=0))


def apart(chances: Table) -> bool:
    """Whether chains stay in different secrets: each is sure of its own.

    Parameters
    ----------
    chances
        What each chain holds likely of everybody's values.

    Examples
    --------
    >>> one, other = np.array([[0.9, 0.1]]), np.array([[0.1, 0.9]])
    >>> apart(np.array([one, one])), apart(np.array([one, other]))
    (False, True)
    """
    alone, together = chances.max(axis=2).mean(), chances.mean(axis=0).max(axis=1).mean()
    return bool(alone - together > SURER)


def settled_chains(misfits: Table) -> NDArray[np.intp]:
    """Chains that came as far down as the best one: the others stayed in secrets that do not fit.

    Parameters
    ----------
    misfits
        How badly what each chain visited fits, a row for each chain.

    Examples
    --------
    >>> settled_chains(np.array([[10.0, 12.0], [11.0, 9.0], [80.0, 81.0]])).tolist()
    [0, 1]
    """
    mean = misfits.mean(axis=1)
    best = int(mean.argmin())
    return np.flatnonzero(mean <= mean[best] + APART * max(float(misfits[best].std()), 1.0))
