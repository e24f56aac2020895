"""Ghosh and Kleinberg (2016), Theorem 3.4 and Lemma 3.5: the worst case, and mechanisms that attain it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from dalenius.attacks.inference.beliefs import NoisySum, RandomisedResponse, after_answers
from dalenius.attacks.inference.beliefs_totals import Totals, totals
from dalenius.attacks.inference.forest import log_odds
from dalenius.attacks.inference.program import worst_case as by_program
from dalenius.errors import SolveError
from dalenius.knowledge.correlation.joint import from_model
from dalenius.knowledge.correlation.model import CorrelationModel, Floats
from dalenius.mechanisms.noise import Geometric, Laplace, Noise
from dalenius.random import stream
from dalenius.referee.score import Tally
from dalenius.theorems.experiment import Computed, Experiment, Promised, Result, Row
from dalenius.theorems.inference_networks import (
    ROUNDING,
    TOO_FAR,
    all_the_way,
    at_once,
    planted,
    random_tree,
    too_far,
    tree,
    worst_case,
)
from dalenius.theorems.settings import Parameter, Settings
from dalenius.theorems.simulate import refuse_above
from dalenius.theory.inference import coupling_of

IN_PROGRAM = 8
"""The most people that the linear program takes in a second or two."""

MANY = 40
"""Databases drawn in each run, of which a few have an output of 0 or less."""

ATTAINED = Promised("beliefs in the worst event, to nu", 1.0, "moved all the way", "at least")


def _family(settings: Settings, world: np.random.Generator) -> CorrelationModel:
    """A random tree, with a prior of its own about everybody."""
    n = settings.whole("n")
    return tree(random_tree(n, world), coupling_of(settings["agreement"]), world.uniform(-0.5, 0.5, n))


def run_worst_case(settings: Settings) -> Result:
    """Run Theorem 3.4: nobody moves further than nu, and one answer from everybody moves them that far."""
    n, mean = settings.whole("n"), settings["epsilon"]
    refuse_above("people x runs", float(n) * settings.runs, 2e6, "Use a smaller --n or --runs.")

    def drawn(world: np.random.Generator) -> tuple[CorrelationModel, Floats, Floats]:
        model, epsilon = _family(settings, world), world.uniform(0, 2 * mean, n)
        return model, epsilon, worst_case(model, epsilon)

    def run(world: np.random.Generator) -> tuple[Tally, ...]:
        model, epsilon, nu = drawn(world)
        bits = totals(model, np.zeros(n, np.bool_)).draw(1, rng=world)[0]
        answers = RandomisedResponse(epsilon).publish(bits, rng=world)
        shift = after_answers(model, answers, epsilon).shift
        same = [np.abs(after_answers(model, np.full(n, z), epsilon).shift) for z in (0.0, 1.0)]
        return too_far(shift, nu), all_the_way(np.maximum(*same), nu), too_far(shift, epsilon)

    beyond, alike, further = at_once(settings, "answers", run, (0.0, 0.9))
    rows = (
        Row("randomised response: beyond nu", beyond, TOO_FAR, "moved too far"),
        Row("everybody's answer the same: to nu", alike, ATTAINED, "moved all the way"),
        Row("randomised response: beyond their own epsilon", further, None, "moved too far"),
    )
    model, epsilon, nu = drawn(stream(settings.seed, settings.id, "answers", 0, "world"))
    worst = int((nu / epsilon).argmax())
    computed = [
        Computed("nu of one person, at least their epsilon", nu[worst], epsilon[worst], "at least"),
        Computed("the same, at most the sum of all epsilons", nu[worst], float(epsilon.sum()), "at most"),
    ]
    facts = [
        f"Every run draws a tree of {n:,} people, a prior about each, and an epsilon for each between 0 and "
        f"{2 * mean:g}; linked people alone would agree with probability {settings['agreement']:g}.",
        "Computed for the person of the first run whose nu is the largest multiple of their epsilon.",
    ]
    if n > IN_PROGRAM:
        facts.append(f"With --n up to {IN_PROGRAM} a linear program looks for a worse mechanism.")
    else:
        try:
            gap = float(np.abs(by_program(from_model(model), epsilon).nu - nu).max())
        except SolveError as error:
            facts.append(f"No linear program: {error}")
        else:
            computed.append(
                Computed("gap to the worst mechanism, by linear program", gap, 0.0, "equal", 1e-6)
            )
    return Result((TOO_FAR, ATTAINED), rows, tuple(facts), tuple(computed))


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


def run_noisy_sum(settings: Settings) -> Result:
    """Run Lemma 3.5: a sum with Laplace noise attains nu whenever it comes out below 0 or above n."""
    n, epsilon = settings.whole("n"), settings["epsilon"]
    refuse_above("people^2 x runs", float(n) ** 2 * settings.runs, 3e6, "Use a smaller --n or --runs.")
    model = _family(settings, stream(settings.seed, settings.id, "family"))
    up, before, down = (log_odds(planted(model), model.field + z * epsilon / 2) for z in (1, 0, -1))
    summed = Summed(totals(model, np.ones(n, np.bool_)), before, up, down, epsilon)
    worst = int(summed.nu.argmax())

    def run(world: np.random.Generator) -> tuple[Tally, ...]:
        noises = (Laplace(None, epsilon), Geometric(None, epsilon))
        moved = (summed.beyond(noise, world) for noise in noises)
        return (*moved, summed.outside(world), summed.low(worst, world))

    laplace, geometric, outside, low = at_once(settings, "sums", run, (0.0, 1.0))
    given, low = float(expit(up[worst])), tuple(tally for tally in low if tally.trials)
    what = "a 0 of the worst-off, where the output is at most 0"
    least = Promised(what, given, "right", "at least", "on average")
    most = Promised(what, given, "right", "at most", "on average")
    rows = [
        Row("Laplace noise: beyond nu", laplace, TOO_FAR, "moved too far"),
        Row("geometric noise: beyond nu", geometric, TOO_FAR, "moved too far"),
        Row("outputs beyond 0 and n: to nu", outside, ATTAINED, "moved all the way"),
    ]
    if low:
        rows.append(Row("outputs up to 0, a 0: not less", low, least, "right"))
        rows.append(Row("outputs up to 0, a 0: not more", low, most, "right"))
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


_AGREEMENT = Parameter("agreement", "probability that two linked people alone agree", 0.8, 0.5001, 0.9999)

EXPERIMENTS = (
    Experiment(
        "infer-3.4",
        (
            Parameter("n", "number of people", 7, 2, 2000, "Ask about fewer people.", whole=True),
            _AGREEMENT,
            Parameter("epsilon", "mean privacy of a person", 0.5, 1e-6, 20.0),
        ),
        run_worst_case,
        runs=50,
        errata=(
            "Printed: that a maximally biased mechanism exists is shown for equal epsilons. Randomised "
            "response is one for any: all answers equal z with probability prod e^(-eps_i |x_i - z|)/(1 + "
            "e^(-eps_i)).",
            "Printed in Remark 3.7: fields of plus and minus epsilon. Half of it, as Equation 19 has it.",
        ),
    ),
    Experiment(
        "infer-3.5",
        (
            Parameter("n", "number of people", 8, 2, 200, "Ask about fewer people.", whole=True),
            _AGREEMENT,
            Parameter("epsilon", "privacy of the sum", 0.5, 1e-6, 20.0),
        ),
        run_noisy_sum,
        runs=200,
    ),
)
