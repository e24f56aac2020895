"""Lemma 3.5. A sum with Laplace noise is as bad as it gets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from dalenius.findings.tally import Tally
from dalenius.inference.attack.beliefs.beliefs import NoisySum
from dalenius.inference.attack.beliefs.totals import Totals, totals
from dalenius.inference.attack.solvers.forest import log_odds
from dalenius.knowledge.correlation.model import Floats
from dalenius.mechanisms.stages.noise import Geometric, Laplace, Noise
from dalenius.papers.experiment import Computed, PromisedShare, Result, SimulatedRow
from dalenius.papers.inferential_privacy.related_people import (
    AGREEMENT,
    ATTAINED,
    ROUNDING,
    TOO_FAR,
    all_the_way,
    at_once,
    family,
    planted,
    too_far,
)
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated.people import refuse_above
from dalenius.papers.statement import Statement
from dalenius.random import stream

MANY = 40
"""Databases drawn in each run, of which a few have an output of 0 or less."""

STATEMENT = Statement(
    says=(
        "An output of 0 or less, or of n or more, moves everybody's log-odds as far as any mechanism can: "
        "all of nu."
    ),
    assumptions=(
        "As in infer-3.4, with the same epsilon for everybody.",
        "The number of ones is published with Laplace noise of scale 1/epsilon.",
    ),
    parameters=(
        Parameter("n", "number of people", 8, 2, 200, "Ask about fewer people.", whole=True),
        AGREEMENT,
        Parameter("epsilon", "privacy of the sum", 0.5, 1e-6, 20.0),
    ),
    runs=200,
)


@dataclass(frozen=True)
class Summed:
    """A family whose bits are summed: log-odds before, and at worst by outputs at either end."""

    sums: Totals
    before: Floats
    up: Floats
    down: Floats
    epsilon: float

    @property
    def nu(self) -> Floats:
        """Of everybody, by Theorem 3.4."""
        return np.maximum(self.up - self.before, self.before - self.down)

    @property
    def laplace(self) -> NoisySum:
        """The noisy sum of the lemma."""
        return NoisySum(Laplace(None, self.epsilon), np.ones(self.before.size, np.bool_))

    def beyond(self, noise: Noise, world: np.random.Generator) -> Tally:
        """Publish a drawn database, and count whose log-odds move too far."""
        mechanism = NoisySum(noise, np.ones(self.before.size, np.bool_))
        output = mechanism.publish(self.sums.draw(1, rng=world)[0], rng=world)
        return too_far(mechanism.read(self.sums)(output) - self.before, self.nu)

    def outside(self, world: np.random.Generator) -> Tally:
        """Count whose log-odds move all the way when outputs lie beyond 0 and n, as noise may take them."""
        far, read = world.exponential(1 / self.epsilon), self.laplace.read(self.sums)
        ends = [np.abs(read(np.asarray(at)) - self.before) for at in (-far, self.before.size + far)]
        return all_the_way(np.maximum(*ends), self.nu)

    def low(self, person: int, world: np.random.Generator) -> Tally:
        """Of many databases whose output is at most 0, count those in which a person has a 0."""
        bits = self.sums.draw(MANY, rng=world)
        low = bits.sum(axis=1) + world.laplace(0.0, 1 / self.epsilon, MANY) <= 0
        return Tally(int((~bits[low, person]).sum()), int(low.sum()))


def run(settings: Settings) -> Result:
    """Run Lemma 3.5: a sum with Laplace noise attains nu whenever it comes out below 0 or above n."""
    n, epsilon = settings.whole("n"), settings["epsilon"]
    refuse_above("people^2 x runs", float(n) ** 2 * settings.runs, 3e6, "Use a smaller --n or --runs.")
    model = family(settings, stream(settings.seed, settings.id, "family"))
    up, before, down = (log_odds(planted(model), model.field + z * epsilon / 2) for z in (1, 0, -1))
    summed = Summed(totals(model, np.ones(n, np.bool_)), before, up, down, epsilon)
    worst = int(summed.nu.argmax())

    def one_run(world: np.random.Generator) -> tuple[Tally, ...]:
        noises = (Laplace(None, epsilon), Geometric(None, epsilon))
        moved = (summed.beyond(noise, world) for noise in noises)
        return (*moved, summed.outside(world), summed.low(worst, world))

    laplace, geometric, outside, low = at_once(settings, "sums", one_run, (0.0, 1.0))
    given, low = float(expit(up[worst])), tuple(tally for tally in low if tally.trials)
    what = "a 0 of the worst-off, where the output is at most 0"
    least = PromisedShare(what, given, "right", "at least", "on average")
    most = PromisedShare(what, given, "right", "at most", "on average")
    rows = [
        SimulatedRow("Laplace noise: beyond nu", laplace, TOO_FAR, "moved too far"),
        SimulatedRow("geometric noise: beyond nu", geometric, TOO_FAR, "moved too far"),
        SimulatedRow("outputs beyond 0 and n: to nu", outside, ATTAINED, "moved all the way"),
    ]
    if low:
        rows.append(SimulatedRow("outputs up to 0, a 0: not less", low, least, "right"))
        rows.append(SimulatedRow("outputs up to 0, a 0: not more", low, most, "right"))
    gap = float(np.abs(summed.sums.log_odds(summed.laplace.log_likelihood(-1.0)) - up).max())
    computed = (
        Computed("nu of the worst-off, by Theorem 3.4", float(summed.nu[worst]), epsilon, "at least"),
        Computed("largest gap of log-odds after an output of -1", gap, 0.0, "equal", ROUNDING),
    )
    facts = (
        f"A random tree of {n:,} people, with a prior about each; linked people alone would agree with "
        f"probability {settings['agreement']:g}. Noise of scale {1 / epsilon:g} is added to the number of "
        "ones.",
        f"Of {MANY * settings.runs:,} simulated sums {sum(t.trials for t in low):,} came out as at most 0. "
        f"There the worst-off has a 0 with probability {given:.6g}; without the release "
        f"{expit(before[worst]):.6g}.",
    )
    return Result((TOO_FAR, ATTAINED, least, most), tuple(rows), facts, computed)
