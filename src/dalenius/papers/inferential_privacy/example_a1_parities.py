"""Example A.1. Pairs that are independent promise nothing."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dalenius.findings.tally import Tally, count
from dalenius.inference.attack.solvers.weight_table import log_odds_of_table
from dalenius.inference.attack.worst_mechanism import worst_case as by_program
from dalenius.knowledge.correlation.joint import JointPrior
from dalenius.papers.experiment import Computed, PromisedShare, Result, SimulatedRow
from dalenius.papers.inferential_privacy.related_people import at_once
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated.people import refuse_above
from dalenius.papers.statement import Statement
from dalenius.report.picture import BLUE, GREEN, GREY, RED, draw
from dalenius.theory import inference as theory

DATABASES = 200
"""Drawn in each run of the parities."""

IN_PROGRAM = 9
"""The most people that the linear program takes in a second or two."""

STATEMENT = Statement(
    says=(
        "nu of the one is (r + 1) epsilon, by counting odd groups with Laplace noise. The formula for "
        "positively affiliated data would say eps + 2 r atanh(tanh(eps/2)^s): all bits together are needed, "
        "not pairs."
    ),
    assumptions=(
        "One person's bit is the parity of each of r groups of s others; apart from that bits are fair "
        "coins.",
        "The release is differentially private with epsilon for everybody.",
    ),
    parameters=(
        Parameter("blocks", "number of groups, r", 3, 1, 1000, whole=True),
        Parameter("size", "people in each group, s", 2, 2, 1000, whole=True),
        Parameter("epsilon", "privacy of everybody", 0.5, 1e-6, 20.0),
    ),
    runs=50,
    errata=(
        "Printed: the number of odd entries is n if the one's bit is 1. It is r + 1.",
        "Printed: (1 - e^-eps)/(1 + e^-eps) = tanh(eps). It is tanh(eps/2).",
        "Printed: nu < eps + r ln[1 + 2(...)^s] for the maximally biased mechanism. It is more: exactly "
        "eps + 2 r atanh(tanh(eps/2)^s). The final eps + 2 r eps^s is true.",
    ),
)


def run(settings: Settings) -> Result:
    """Run A.1: bits that are independent in pairs, and a mechanism that Equation 6 does not see."""
    r, s, epsilon = settings.whole("blocks"), settings.whole("size"), settings["epsilon"]
    n = 1 + r * s
    refuse_above("people x runs", float(n) * settings.runs, 2e7, "Use smaller --blocks, --size or --runs.")
    worst, formula = theory.nu_of_parity(r, s, epsilon), theory.affiliated_formula_on_parity(r, s, epsilon)
    rows, promised = _simulated(settings, r, s)
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
    picture = {"infer-A1.svg": lambda: _picture(s, epsilon, _programs(s, epsilon))}
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


def _simulated(
    settings: Settings, r: int, s: int
) -> tuple[tuple[SimulatedRow, ...], tuple[PromisedShare, ...]]:
    """Guess the one's bit from the noisy count of odd groups: wrong where noise passes half the step."""
    epsilon = settings["epsilon"]
    chance = 1 - math.exp(-epsilon * (r + 1) / 2) / 2
    what = "the one, from the counted parities"
    least = PromisedShare(what, chance, "right", "at least", "on average")
    most = PromisedShare(what, chance, "right", "at most", "on average")

    def one_run(world: np.random.Generator) -> tuple[Tally, ...]:
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

    counted, plain = at_once(settings, "parity", one_run, (0.0, 1.0))
    rows = (
        SimulatedRow("counted parities with Laplace noise: not less", counted, least, "right"),
        SimulatedRow("counted parities with Laplace noise: not more", counted, most, "right"),
        SimulatedRow("the sum with the same noise", plain, None, "right"),
    )
    return rows, (least, most)


def _picture(size: int, epsilon: float, programs: Sequence[tuple[int, float]]) -> str:
    """Draw the true nu of the parity example against what Equation 6 says, by the number of groups."""
    blocks = np.arange(1, 11)
    true = [theory.nu_of_parity(int(r), size, epsilon) for r in blocks]
    formula = [theory.affiliated_formula_on_parity(int(r), size, epsilon) for r in blocks]

    def paint(axes: Any) -> None:
        axes.plot(blocks, true, color=RED, lw=2, marker="o", ms=4, label="counted parities: (r + 1) epsilon")
        axes.plot(
            *zip(*programs, strict=True),
            "D",
            color=GREEN,
            ms=8,
            mfc="none",
            mew=1.6,
            label="worst mechanism, by linear program",
        )
        axes.plot(
            blocks, formula, color=BLUE, lw=2, marker="o", ms=4, label="Equation 6, which does not apply"
        )
        axes.axhline(epsilon, color=GREY, ls="--", lw=1, label=f"epsilon = {epsilon:g}")
        axes.set(xlim=(0.7, 10.3), ylim=(0, 1.05 * true[-1]))
        axes.set_xticks(blocks)
        axes.set_xlabel(f"groups r of {size} people")
        axes.set_ylabel("nu of the one person")
        axes.set_title("Any two bits are independent, yet every group adds epsilon", fontsize=10)
        axes.legend(frameon=False, fontsize=9, loc="upper left")

    return draw(paint)
