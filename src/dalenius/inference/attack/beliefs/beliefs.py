"""What an attacker believes about everybody after seeing a release: posterior log-odds, computed exactly.

Not a bound but the attack itself, for one mechanism, one prior and one output. It never moves anybody's
log-odds by more than their nu (Theorem 3.4), and some outputs move them that far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dalenius.errors import InputError
from dalenius.inference.attack.beliefs.sampled import SampledLaw, sample_law
from dalenius.inference.attack.beliefs.solver import Solver, solver
from dalenius.inference.attack.beliefs.totals import Totals, totals
from dalenius.inference.attack.bounds.events import epsilons
from dalenius.inference.attack.solvers.junction import TooWideError
from dalenius.knowledge.correlation.model import CorrelationModel, Floats
from dalenius.matrices.answers import Sensitivity
from dalenius.mechanisms.stages.noise import Gaussian, Geometric, Noise
from dalenius.people.schema import Ids
from dalenius.shown import hides_people

Reader = Callable[[Floats], Floats]
"""From what was published to everybody's log-odds."""

BEFORE = 2
"""Seed of samples of the law before a release; those after it have the first."""

ONE_COUNT = Sensitivity(1.0, 1.0)
"""Another bit of one person moves a sum of bits by one."""


@hides_people("method")
@dataclass(frozen=True)
class BeliefsByPerson:
    """What is believed about everybody before and after a release.

    Parameters
    ----------
    id_name, ids
        The people.
    before, after
        Log-odds of 0 against 1.
    method
        What was seen, in words.
    sampled
        Where beliefs after the release are counted from perfect samples: these.
    sampled_before
        The same of beliefs before it; those of fair bits need no samples.
    """

    id_name: str
    ids: Ids
    before: Floats
    after: Floats
    method: str
    sampled: SampledLaw | None = None
    sampled_before: SampledLaw | None = None

    @property
    def shift(self) -> Floats:
        """How far the log-odds of 0 against 1 moved."""
        return np.asarray(self.after - self.before)

    @property
    def probability_before(self) -> Floats:
        """Of a 1, without the release."""
        return np.asarray(expit(-self.before))

    @property
    def probability_after(self) -> Floats:
        """Of a 1, with it."""
        return np.asarray(expit(-self.after))


class ReadableMechanism(Protocol):
    """A release that beliefs can be computed for."""

    def publish(self, bits: NDArray[np.bool_], *, rng: np.random.Generator) -> Floats:
        """Draw an output for one database."""

    def reader(self, model: CorrelationModel) -> Reader:
        """Prepare a network, for as many outputs as are to be read."""

    def __str__(self) -> str: ...


@dataclass(frozen=True)
class RandomisedResponse:
    """Everybody's bit is published, true with odds e^epsilon; with epsilon 0 it says nothing.

    Examples
    --------
    >>> str(RandomisedResponse(np.array([0.5, 0.5])))
    'randomised response, epsilon 0.5'
    """

    epsilon: Floats

    def __str__(self) -> str:
        least, most = float(self.epsilon.min()), float(self.epsilon.max())
        return "randomised response, epsilon " + (f"{least:g}" if least == most else f"{least:g} to {most:g}")

    def publish(self, bits: NDArray[np.bool_], *, rng: np.random.Generator) -> Floats:
        """Flip every bit with probability 1/(1 + e^epsilon)."""
        return np.asarray(bits ^ (rng.random(bits.size) < expit(-self.epsilon)), np.float64)

    def reader(self, model: CorrelationModel) -> Reader:
        """An answer of 0 adds epsilon to a person's own log-odds, an answer of 1 takes it away."""
        return self.read(model, solver(model))

    def read(self, model: CorrelationModel, solve: Solver) -> Reader:
        """Read answers about a network whose solver is prepared already."""
        return lambda answers: solve(self.fields(model, answers))

    def fields(self, model: CorrelationModel, answers: Floats) -> Floats:
        """Everybody's field with what they answered."""
        said = np.where(np.isnan(answers), 0.0, 1 - 2 * answers)
        return np.asarray(model.field + self.epsilon / 2 * said)


@dataclass(frozen=True)
class NoisySum:
    """The number of 1s among the people counted is published with noise.

    Parameters
    ----------
    noise
        Laplace, geometric or Gaussian; a promise becomes the scale for a count that one person moves by 1.
    counted
        Whose bit is in the sum.

    Examples
    --------
    >>> from dalenius.mechanisms.stages.noise import Laplace
    >>> str(NoisySum(Laplace(None, 0.5), np.array([True, True])))
    'sum of 2 bits, laplace:scale=2'
    """

    noise: Noise
    counted: NDArray[np.bool_]

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise", self.noise.resolve(ONE_COUNT))

    def __str__(self) -> str:
        return f"sum of {int(self.counted.sum()):,} bits, {self.noise}"

    def publish(self, bits: NDArray[np.bool_], *, rng: np.random.Generator) -> Floats:
        """Add noise to the sum."""
        total = float(bits[self.counted].sum())
        return np.asarray(total + self.noise.draw(self.noise.known_scale(), (), rng))

    def reader(self, model: CorrelationModel) -> Reader:
        """Sum the network out by totals once, for all outputs."""
        return self.read(totals(model, self.counted))

    def read(self, sums: Totals) -> Reader:
        """Read outputs from a network that is summed out already."""
        return lambda observed: sums.log_odds(self.log_likelihood(float(observed)))

    def log_likelihood(self, observed: float) -> Floats:
        """Return how likely the output is for every total, relative to the likeliest, in logarithms."""
        scale, total = self.noise.known_scale(), np.arange(int(self.counted.sum()) + 1.0)
        if not np.isfinite(observed):
            raise InputError("observed sum", "must be a number", f"{observed:g}")
        if isinstance(self.noise, Geometric) and observed != round(observed):
            raise InputError(
                "observed sum", "must be whole under geometric noise", f"{observed:g}", "Was it rounded?"
            )
        nearest = float(np.clip(round(observed), 0, total[-1]))
        if isinstance(self.noise, Gaussian):
            # the difference of two squares: far outside, the squares themselves would lose all digits
            return np.asarray((total - nearest) * (2 * observed - total - nearest) / (2 * scale**2))
        return np.asarray((abs(observed - nearest) - np.abs(observed - total)) / scale)


def after_answers(model: CorrelationModel, answers: Floats, epsilon: float | Floats) -> BeliefsByPerson:
    """Return beliefs after seeing everybody's bit through randomised response.

    Parameters
    ----------
    model
        What the attacker knows about who is related to whom.
    answers
        One a person: 0, 1, or NaN where nothing was published.
    epsilon
        Of each answer: a bit is told truly with odds ``e^epsilon``.

    Raises
    ------
    InputError
        If an answer is neither 0, 1 nor missing, or an epsilon is negative.

    Examples
    --------
    >>> pair = CorrelationModel("id", np.array(["a", "b"]), np.array([[0, 1]]), np.array([0.5]), np.zeros(2))
    >>> after_answers(pair, np.array([np.nan, 0.0]), 0.3).shift.round(9)
    array([0.13782241, 0.3       ])
    """
    given = np.asarray(answers, np.float64)
    if given.shape != (len(model),):
        raise InputError("answers", f"must be one for each of {len(model):,} people", f"shape {given.shape}")
    wrong = ~(np.isnan(given) | (given == 0) | (given == 1))
    if wrong.any():
        raise InputError("answers", "must be 0, 1 or missing", f"{int(wrong.sum()):,} that are not")
    told = RandomisedResponse(epsilons(epsilon, len(model)))
    try:
        return _beliefs(model, told, given)
    except TooWideError:
        return _sampled(model, told, given)


def _sampled(model: CorrelationModel, told: RandomisedResponse, answers: Floats) -> BeliefsByPerson:
    """Beliefs of a network that is too wide: counted after the release; before it, too, with biases.

    Chains keep their order under any fields, so biases and answers are the same to them. The two laws are
    drawn with different numbers, so that their errors are independent.
    """
    found = sample_law(model, told.fields(model, answers))
    first = sample_law(model, model.field, seed=BEFORE) if model.field.any() else None
    before = np.zeros(len(model)) if first is None else first.log_odds
    return BeliefsByPerson(model.id_name, model.ids, before, found.log_odds, str(told), found, first)


def after_noisy_sum(
    model: CorrelationModel, observed: float, noise: Noise, *, counted: NDArray[np.bool_] | None = None
) -> BeliefsByPerson:
    """Return beliefs after seeing the number of 1s, with noise.

    Parameters
    ----------
    observed
        The published number.
    noise
        For example ``Laplace(None, 0.5)``: epsilon 0.5.
    counted
        Whose bit is in the sum; everybody's unless given.

    Raises
    ------
    TooLargeError
        If the exact sums do not fit; says how large they are.

    Examples
    --------
    >>> from dalenius.mechanisms.stages.noise import Laplace
    >>> pair = CorrelationModel("id", np.array(["a", "b"]), np.array([[0, 1]]), np.array([0.5]), np.zeros(2))
    >>> after_noisy_sum(pair, -1.7, Laplace(None, 0.3)).shift.round(9)
    array([0.43782241, 0.43782241])
    """
    everybody = np.ones(len(model), np.bool_)
    if counted is not None and counted.shape != everybody.shape:
        raise InputError("people counted", f"must be chosen among {len(model):,}", f"shape {counted.shape}")
    return _beliefs(model, NoisySum(noise, everybody if counted is None else counted), np.asarray(observed))


def _beliefs(model: CorrelationModel, mechanism: ReadableMechanism, output: Floats) -> BeliefsByPerson:
    read = mechanism.reader(model)  # first, as it refuses what is too large
    return BeliefsByPerson(model.id_name, model.ids, solver(model)(model.field), read(output), str(mechanism))
