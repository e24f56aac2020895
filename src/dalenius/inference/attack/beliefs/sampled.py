"""Beliefs in groups that are too wide to be summed out: perfect samples, counted, with their error.

Two chains, from all 0 and from all 1, are driven by the same numbers from so long ago that they have met by
now. With links that agree the first stays above the second, so whatever one starts from, it is the same by
now: a draw of the law itself, not of a chain that may not have settled (Propp and Wilson 1996, coupling from
the past). The numbers of each stretch of the past are drawn once and used again when more of it is added.
Draws are independent, so a share of them has an exact interval. Where chains do not meet nothing is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, logit

from dalenius.errors import UnsupportedError
from dalenius.knowledge.correlation.model import CorrelationModel, Floats
from dalenius.knowledge.correlation.signs import fix_signs
from dalenius.random import stream

if TYPE_CHECKING:
    from dalenius.inference.attack.fit._kernels import Neighbours

DRAWS, CONFIDENCE = 400, 0.95
"""Perfect samples, and how often all intervals together hold."""

LONGEST, SHARE = 13, 2
"""The past goes back at most 2^13 rounds; every draw must have met within a quarter of it.

How long chains take to meet falls off geometrically: if all draws met within a quarter, the chance that one
does not meet at all, which would favour draws that meet soon, is about (3/400)^4.
"""


@dataclass(frozen=True)
class SampledLaw:
    """Counts of a 1 among perfect samples.

    Parameters
    ----------
    ones
        How many samples have a 1, one per person.
    draws
        How many samples there are.
    rounds
        How far back the longest of them went.
    """

    ones: NDArray[np.int64]
    draws: int
    rounds: int

    @property
    def log_odds(self) -> Floats:
        """Of 0 against 1, with half a sample of either added: never infinite."""
        result: Floats = -logit((self.ones + 0.5) / (self.draws + 1))
        return result

    def limits(self) -> tuple[Floats, Floats]:
        """Between which each person's probability of a 1 lies, all of them at once (Clopper and Pearson)."""
        level = (1 - CONFIDENCE) / 2 / self.ones.size
        with np.errstate(invalid="ignore"):
            low = betaincinv(self.ones, self.draws - self.ones + 1, level)
            high = betaincinv(self.ones + 1, self.draws - self.ones, 1 - level)
        return np.where(self.ones == 0, 0.0, low), np.where(self.ones == self.draws, 1.0, high)


def sample_law(model: CorrelationModel, field: Floats, *, seed: int = 1, draws: int = DRAWS) -> SampledLaw:
    """Draw perfect samples of a network whose links can all be made to agree, with any fields.

    Raises
    ------
    UnsupportedError
        If chains from opposite ends do not meet soon enough to say anything.
    FrustratedError
        If links contradict each other: there is no order that chains keep.

    Examples
    --------
    >>> pair = CorrelationModel("id", np.array(["a", "b"]), np.array([[0, 1]]), np.array([0.5]), np.zeros(2))
    >>> found = sample_law(pair, np.array([0.3, 0.0]))
    >>> low, high = found.limits()
    >>> bool(low[0] < 0.3543 < high[0])  # 1/(1 + e^0.6)
    True
    """
    from dalenius.inference.attack.fit._kernels import Neighbours

    signed = fix_signs(model)
    turned = np.where(signed.flipped, -field, field)
    near = signed.model.matrix(signed.model.coupling)
    network = Neighbours(near.indptr.astype(np.int64), near.indices.astype(np.int64), near.data, turned)
    ones, longest = np.zeros(len(model), np.int64), 0
    for at in range(draws):
        spin, stretch = _from_the_past(network, seed, at)
        ones += (spin < 0) != signed.flipped
        longest = max(longest, stretch)
    if longest > LONGEST - SHARE:
        raise _not_met(len(model))
    return SampledLaw(ones, draws, 1 << longest)


def _from_the_past(network: Neighbours, seed: int, at: int) -> tuple[Floats, int]:
    """One perfect sample, and the logarithm of how far back it went."""
    from dalenius.inference.attack.fit._kernels import run_both

    people = network.field.size
    for stretch in range(LONGEST + 1):
        low, high = np.full(people, -1.0), np.ones(people)
        for part in range(stretch, -1, -1):  # the oldest first
            rounds = 1 if part == 0 else 1 << (part - 1)
            numbers = stream(seed, "perfect samples", at, part).random((rounds, people))
            run_both(network, low, high, numbers)
        if np.array_equal(low, high):
            return low, stretch
    raise _not_met(people)


def _not_met(people: int) -> UnsupportedError:
    return UnsupportedError(
        f"beliefs about {people:,} people: the network is too wide to be summed out, and so strongly linked "
        f"that chains from opposite ends have not met after {1 << (LONGEST - SHARE):,} rounds; nothing is "
        "said about it. Leave out links that hardly matter."
    )
