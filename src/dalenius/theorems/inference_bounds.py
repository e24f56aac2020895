"""Ghosh and Kleinberg (2016), Theorem 4.2 and the example of A.1: bounded influence, and why it matters."""

from __future__ import annotations

import itertools
import math

import numpy as np

from dalenius.attacks.inference.beliefs import RandomisedResponse
from dalenius.attacks.inference.enumerate import log_odds_of_table
from dalenius.attacks.inference.influence import bounds, network_influences
from dalenius.attacks.inference.program import worst_case as by_program
from dalenius.knowledge.correlation.joint import JointPrior
from dalenius.knowledge.correlation.model import CorrelationModel, Floats
from dalenius.referee.score import Tally, count
from dalenius.report.inference_theorem_pictures import bars, parities
from dalenius.theorems.experiment import Computed, Experiment, Promised, Result, Row
from dalenius.theorems.inference_networks import (
    at_once,
    complete_tree,
    draw_complete_tree,
    refuse_large,
    too_far,
    worst_case,
)
from dalenius.theorems.settings import Parameter, Settings
from dalenius.theorems.simulate import refuse_above, repeat
from dalenius.theory import inference as theory

SHOWN = ("group", "paper", "A", "A-bin", "B", "B-bin")

WITHIN = Promised("beliefs about anybody, beyond the best bound", 0.0, "moved too far")

BELOW_ROOT = 1
"""A child of the root: nobody has more relatives."""

DENSE = 2000
"""People up to which the norm of a whole matrix is computed."""

DATABASES = 200
"""Drawn in each run of the parities."""

IN_PROGRAM = 9
"""The most people that the linear program takes in a second or two."""


def run_bounds(settings: Settings) -> Result:
    """Run Theorem 4.2 on the tree that is to show it tight: six bounds beside the exact nu."""
    children, depth = settings.whole("d"), settings.whole("depth")
    slack, epsilon = settings["slack"], settings["epsilon"]
    refuse_large(children, depth, settings.runs, 2e6)
    J = math.atanh((1 - slack) / children)
    model = complete_tree(children, depth, J)
    everybody = np.full(len(model), epsilon)
    nu, found = worst_case(model, everybody), bounds(model, everybody)
    exact = float(nu[BELOW_ROOT] / epsilon)
    values = {
        name: float(bound[BELOW_ROOT] / epsilon)
        for name in SHOWN
        if (bound := found.values[name]) is not None and math.isfinite(bound[BELOW_ROOT])
    }
    gap = float((found.best - nu).min() / epsilon)
    computed = (
        Computed("nu/epsilon of a child of the root, exact", exact, 1.0, "at least"),
        *(Computed(f"bound {name}", value, exact, "at least") for name, value in values.items()),
        Computed("least gap between the best bound and nu, of all people", gap, 0.0, "at least"),
    )
    facts = (
        f"A complete tree of {len(model):,} people, {children} children each, with d tanh J = {1 - slack:g}: "
        f"J = {J:.6g}. paper is the theorem as printed; A and B are ours, -bin for people with two values.",
        *found.notes,
        *_norms(model),
    )
    picture = {"infer-4.2.svg": lambda: bars(exact, values, slack)}
    rows = _beyond(settings, model, nu, found.best)
    return Result((WITHIN,), rows, facts, computed, picture)


def _norms(model: CorrelationModel) -> tuple[str, ...]:
    """What the printed conditions say, where a dense matrix is small enough."""
    if len(model) > DENSE:
        return ()
    gamma, gtilde = (matrix.toarray() for matrix in network_influences(model))
    return (
        f"Spectral norm of Gamma {np.linalg.norm(gamma, 2):.4f} (printed condition: below 1), row sums up to "
        f"{gamma.sum(axis=1).max():.4f}; of the odds-ratio influences {gtilde.sum(axis=1).max():.4f}.",
    )


def _beyond(settings: Settings, model: CorrelationModel, nu: Floats, best: Floats) -> tuple[Row, ...]:
    children, depth, J = settings.whole("d"), settings.whole("depth"), float(model.coupling[0])
    response = RandomisedResponse(np.full(nu.size, settings["epsilon"]))
    read = response.reader(model)

    def trial(world: np.random.Generator, attacker: np.random.Generator) -> Tally:
        bits = draw_complete_tree(children, depth, J, 0.0, world)
        return too_far(read(response.publish(bits, rng=world)), best)

    answers, worst = repeat(settings, "answers", trial, (0.0, 0.9)), (too_far(nu, best),)
    return (
        Row("randomised response: beyond the best bound", answers, WITHIN, "moved too far"),
        Row("the worst mechanism: beyond the best bound", worst, WITHIN, "moved too far", drawn=False),
    )


def run_parity(settings: Settings) -> Result:
    """Run A.1: bits that are independent in pairs, and a mechanism that Equation 6 does not see."""
    r, s, epsilon = settings.whole("blocks"), settings.whole("size"), settings["epsilon"]
    n = 1 + r * s
    refuse_above("people x runs", float(n) * settings.runs, 2e7, "Use smaller --blocks, --size or --runs.")
    worst, formula = theory.nu_of_parity(r, s, epsilon), theory.affiliated_formula_on_parity(r, s, epsilon)
    rows, promised = _simulated_parity(settings, r, s)
    computed = [
        Computed("nu of the counted parities: (r+1) epsilon", worst, formula, "at least"),
        Computed("what Equation 6 would give", formula, worst, "at most"),
    ]
    facts = [
        f"{n:,} people: one, and {r} groups of {s} whose bits sum up to something as odd as the one's bit. "
        f"Any two bits are independent{', and any ' + str(s) if s > 2 else ''}, but the prior is not "
        "positively affiliated.",
        "The mechanism counts how many of the one and the groups are odd: 0 or r + 1, so that Laplace noise "
        f"of scale {1 / epsilon:g} must hide a step of {r + 1}.",
        f"Printed as an upper bound of what Equation 6 gives: {_printed(r, s, epsilon):.6g} with tanh(eps), "
        f"{_corrected(r, s, epsilon):.6g} with tanh(eps/2); it is {formula:.6g}.",
    ]
    if n <= IN_PROGRAM:
        computed += _by_program(r, s, epsilon)
    else:
        facts.append(f"Up to {IN_PROGRAM} people a linear program looks for the worst mechanism.")
    picture = {"infer-A1.svg": lambda: parities(s, epsilon, _programs(s, epsilon))}
    return Result(promised, rows, tuple(facts), tuple(computed), picture)


def parity_prior(r: int, s: int) -> JointPrior:
    """The first person's bit is the parity of each of r groups of s people.

    Examples
    --------
    >>> int((parity_prior(2, 2).mass > 0).sum())
    8
    """
    n = 1 + r * s
    mass = np.zeros((2,) * n)
    for bits in itertools.product((0, 1), repeat=n):
        groups = np.array(bits[1:]).reshape(r, s).sum(axis=1)
        mass[bits] = float(((groups + bits[0]) % 2 == 0).all())
    names = ("a", *(f"{i + 1}.{j + 1}" for i in range(r) for j in range(s)))
    return JointPrior(names, (("0", "1"),) * n, mass / mass.sum())


def _by_program(r: int, s: int, epsilon: float) -> list[Computed]:
    worst, formula = theory.nu_of_parity(r, s, epsilon), theory.affiliated_formula_on_parity(r, s, epsilon)
    joint = parity_prior(r, s)
    found = float(by_program(joint, epsilon, [0]).nu[0])
    ones = sum(np.ix_(*[np.arange(2.0)] * len(joint)))
    with np.errstate(divide="ignore"):
        log = np.log(joint.mass)
    by_sum = float(log_odds_of_table(log - epsilon * ones)[0])
    pairs = max(
        float(np.abs(joint.mass.sum(axis=tuple(k for k in range(len(joint)) if k not in pair)) - 0.25).max())
        for pair in itertools.combinations(range(len(joint)), 2)
    )
    return [
        Computed("the worst mechanism there is, by linear program", found, worst, "equal", 1e-6),
        Computed("Equation 6 of the table", by_sum, formula),
        Computed("largest distance of any two bits from independence", pairs, 0.0),
    ]


def _programs(s: int, epsilon: float) -> list[tuple[int, float]]:
    sizes = [r for r in range(1, 9) if 1 + r * s <= IN_PROGRAM]
    return [(r, float(by_program(parity_prior(r, s), epsilon, [0]).nu[0])) for r in sizes]


def _printed(r: int, s: int, epsilon: float) -> float:
    return epsilon + r * math.log1p(2 * math.tanh(epsilon) ** s)


def _corrected(r: int, s: int, epsilon: float) -> float:
    return epsilon + r * math.log1p(2 * math.tanh(epsilon / 2) ** s)


def _simulated_parity(settings: Settings, r: int, s: int) -> tuple[tuple[Row, ...], tuple[Promised, ...]]:
    """Guess the one's bit from the noisy count of odd groups: wrong where noise passes half the step."""
    epsilon = settings["epsilon"]
    chance = 1 - math.exp(-epsilon * (r + 1) / 2) / 2
    what = "the one, from the counted parities"
    least = Promised(what, chance, "right", "at least", "on average")
    most = Promised(what, chance, "right", "at most", "on average")

    def run(world: np.random.Generator) -> tuple[Tally, ...]:
        one = world.integers(0, 2, DATABASES)
        others = world.integers(0, 2, (DATABASES, r, s))
        others[:, :, -1] ^= (others.sum(axis=2) + one[:, None]) % 2  # make every group as odd as the one
        odd = one + (others.sum(axis=2) % 2).sum(axis=1)
        ones = one + others.sum(axis=(1, 2))
        noise, halves = world.laplace(0, 1 / epsilon, (2, DATABASES)), ((r + 1) / 2, (1 + r * s) / 2)
        guesses = [
            total + error > half for total, error, half in zip((odd, ones), noise, halves, strict=True)
        ]
        return tuple(count(guess == (one == 1)) for guess in guesses)

    counted, plain = at_once(settings, "parity", run, (0.0, 1.0))
    rows = (
        Row("counted parities with Laplace noise: not less", counted, least, "right"),
        Row("counted parities with Laplace noise: not more", counted, most, "right"),
        Row("the sum with the same noise", plain, None, "right"),
    )
    return rows, (least, most)


EXPERIMENTS = (
    Experiment(
        "infer-4.2",
        (
            Parameter("d", "number of children of everybody", 6, 1, 1000, whole=True),
            Parameter("depth", "number of generations below the root", 3, 1, 30, whole=True),
            Parameter("slack", "1 - d tanh J", 0.1, 1e-6, 0.999999),
            Parameter("epsilon", "privacy of everybody", 0.01, 1e-9, 20.0),
        ),
        run_bounds,
        runs=20,
        errata=(
            "Printed: the spectral norm of Gamma must be below 1. The spectral radius is enough: only the "
            "powers of a non-negative matrix must vanish.",
            "Printed in the proof: e^(2 eps) where e^eps holds, which doubles the bound; for independent "
            "people it then says 2 epsilon.",
            "Printed: gamma = J on the edges of a tree. That is true of the odds-ratio influence; gamma "
            "also depends on a person's other relatives, and the row-sum condition fails on the very "
            "example of tightness.",
            "Definition 4.1 needs every combination to be possible: for three identical people no two "
            "contexts differ in one person, and 0 influence would promise 2 epsilon where nu is 3 epsilon.",
        ),
    ),
    Experiment(
        "infer-A1",
        (
            Parameter("blocks", "number of groups, r", 3, 1, 1000, whole=True),
            Parameter("size", "people in each group, s", 2, 2, 1000, whole=True),
            Parameter("epsilon", "privacy of everybody", 0.5, 1e-6, 20.0),
        ),
        run_parity,
        runs=50,
        errata=(
            "Printed: the number of odd entries is n if the one's bit is 1. It is r + 1.",
            "Printed: (1 - e^-eps)/(1 + e^-eps) = tanh(eps). It is tanh(eps/2).",
            "Printed: nu < eps + r ln[1 + 2(...)^s] for the maximally biased mechanism. It is more: exactly "
            "eps + 2 r atanh(tanh(eps/2)^s). The final eps + 2 r eps^s is true.",
        ),
    ),
)
