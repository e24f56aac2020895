"""What tracing finds in whole simulated releases: members traced, clumps of false accusations, mean scores.

Run: python -m validation.tracing_runs [--share 1.0] [--only "A4 exact"]

Each run draws a population, a release and references anew and gives a few numbers. Their means (or the
standard deviation, where that is what is asked for) are put beside those of a reference that shares no code
with this, or beside an exact value. A line agrees when they differ by at most four standard errors of both
together. This one's are taken from its own runs, and so is the reference's where it does not print one. Exit
code 1 if a line does not agree.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from validation.markdown import asked, table
from validation.tracing_people import batches, draw, person, prior, total
from validation.tracing_releases import MECHANISMS, Publish, printed

from dalenius.mechanisms.distortions import Clip
from dalenius.mechanisms.stages.noise import Gaussian
from dalenius.mechanisms.stages.samples import SharedSample
from dalenius.random import stream
from dalenius.theory.tracing.count_mechanisms import average_error, sample_means
from dalenius.theory.tracing.priors import UNIFORM, density_of
from dalenius.tracing.attack.calibrations import flips, thresholds
from dalenius.tracing.attack.weights import WEIGHTS, Facts

Values = NDArray[np.float64]
Simulation = Callable[[np.random.Generator, int], dict[str, Values]]
"""From randomness and a number of runs to what each run gave, by name."""


@dataclass(frozen=True)
class Line:
    """What is asked of a simulation, and the reference's answer.

    Parameters
    ----------
    quantity
        A name among those the simulation gives.
    want, error
        The reference's value and its standard error; 0 if exact, None if it is not printed.
    runs
        Of how many runs the reference is.
    spread
        Whether it is the standard deviation over runs in place of the mean.
    """

    quantity: str
    want: float
    error: float | None
    runs: int
    spread: bool = False


@dataclass(frozen=True)
class Case:
    """A setting, how many runs to make of it, and what is compared."""

    name: str
    what: str
    simulate: Simulation
    runs: int
    lines: tuple[Line, ...]


def people(rng: np.random.Generator, p: Values, count: int) -> Values:
    """Records of one population, ``(count, d)``."""
    above = rng.random((count, p.size), dtype=np.float32) < (1 + p) / 2
    return np.where(above, 1.0, -1.0)


def pool(n: int, d: int, sample: int | None = None, publish: Publish = MECHANISMS["exact"]) -> Simulation:
    """Figure 2 of Robust Traceability: weights cut at twice alpha, one reference shared by all targets.

    All n members are asked about, and 50 outsiders. With ``sample``, the release is of so many members.
    """
    level, alpha, m, outsiders = 0.01, 0.25, 100, 50

    def once(rng: np.random.Generator) -> dict[str, float]:
        p = prior(rng, (1, d), 1.0)[0]
        x = people(rng, p, n)
        chosen = np.ones(n, np.bool_) if sample is None else SharedSample(sample).sample_rows(n, rng=rng)
        q = publish(rng, x[chosen].mean(axis=0), p)
        centre, z = total(rng, p[None], m)[0] / m, people(rng, p, 1)[0]
        v = WEIGHTS["clip"](q, centre, centre, Facts(alpha=alpha))
        y = np.concatenate([x, people(rng, p, outsiders)])
        score = (y - z) @ v
        length = np.sqrt(2 * ((v**2).sum() - y @ (v**2 * z)))  # (y - z)^2 = 2 (1 - y z) for signs
        log_p = {
            "figure": thresholds.log_p(score, thresholds.figure_spread("fig2", d, alpha=alpha)),
            "norm": thresholds.log_p(score, thresholds.norm_spread(v, m0=1)),
            "hoeffding": flips.log_hoeffding(score, length),
            "bd": flips.log_bd(score, length),
        }
        traced = {name: own <= math.log(level) for name, own in log_p.items()}
        found = {f"members, {name}": float(own[:n].sum()) for name, own in traced.items()}
        found["of them in the sample, bd"] = float(traced["bd"][:n][chosen].sum())
        found["share of outsiders, bd"] = float(traced["bd"][n:].mean())
        return found

    return lambda rng, runs: _collect([once(rng) for _ in range(runs)])


def false_accusations(n: int = 20, d: int = 3200, outsiders: int = 200, m: int = 50) -> Simulation:
    """How many outsiders are accused at 5%: one reference for all of them, and the mean of m.

    Raw weights on exact means; signs for the one reference, known variances for the mean of m.
    """
    level = math.log(0.05)

    def once(rng: np.random.Generator) -> dict[str, float]:
        p = prior(rng, (1, d), 1.0)[0]
        q, z = total(rng, p[None], n)[0] / n, people(rng, p, 1)[0]
        centre, y = total(rng, p[None], m)[0] / m, people(rng, p, outsiders)
        own = y @ q
        length = np.sqrt(2 * ((q**2).sum() - y @ (q**2 * z)))
        sd = math.sqrt((1 + 1 / m) * (q**2 * (1 - p**2)).sum())
        one = flips.log_normal(own - z @ q, length)
        many = flips.log_normal(own - centre @ q, np.full(outsiders, sd))
        return {"one": float((one <= level).sum()), "many": float((many <= level).sum())}

    return lambda rng, runs: _collect([once(rng) for _ in range(runs)])


def mean_score(mechanism: str, spread: str | float, n: int = 20, d: int = 3200) -> Simulation:
    """A member's score against one reference in units of ``d / n``: how far releases go with their people."""

    def simulate(rng: np.random.Generator, runs: int) -> dict[str, Values]:
        found = []
        for size in batches(runs, d):
            w = draw(rng, size, d, n, spread)
            q = MECHANISMS[mechanism](rng, w.q_in, w.p)
            found.append(((w.y - person(rng, w.p)) * q).sum(axis=1) * n / d)
        return {"gamma": np.concatenate(found)}

    return simulate


def accurate_on_average(mechanism: str, spread: float, n: int, d: int, m: int | None) -> Simulation:
    """Releases close to the sample's means on average that trace nobody: signs at 5%, one reference.

    Weights are what is published, centred by m references if that is a constant, which says nothing alone.
    """

    def simulate(rng: np.random.Generator, runs: int) -> dict[str, Values]:
        found: dict[str, list[Values]] = {"member": [], "outsider": [], "error": []}
        for size in batches(runs, d):
            w = draw(rng, size, d, n, spread)
            z, centre = person(rng, w.p), 0.0 if m is None else total(rng, w.p, m) / m
            for who, exact in zip(("member", "outsider"), w.releases(), strict=True):
                q = MECHANISMS[mechanism](rng, exact, w.p)
                a = (w.y - z) * (q - centre)
                log_p = flips.log_normal(a.sum(axis=1), np.linalg.norm(a, axis=1))
                found[who].append((log_p <= math.log(0.05)).astype(np.float64))
                if who == "member":
                    found["error"].append(np.abs(q - exact).mean(axis=1))
        return {name: np.concatenate(own) for name, own in found.items()}

    return simulate


def _collect(each: list[dict[str, float]]) -> dict[str, Values]:
    return {name: np.array([one[name] for one in each]) for name in each[0]}


def cases() -> list[Case]:
    """Every case, with what the reference has for it."""
    return [*_pools(), _accusations(), *_scores(), *_errors()]


def _pools() -> list[Case]:
    names = ("figure", "norm", "hoeffding", "bd")
    noisy = printed(Gaussian(0.1), Clip())
    listed = []
    for name, what, simulate, runs, members, errors, fpr in (
        (
            "A4 shared sample",
            "50 of 200 people, d=4000",
            pool(200, 4000, 50),
            400,
            (0.0, 44.24, 47.16, 48.92),
            (0.0, 0.43, 0.29, 0.23),
            0.0028,
        ),
        (
            "A4 exact",
            "100 people, d=4000",
            pool(100, 4000),
            400,
            (0.0, 29.2, 42.3, 54.1),
            (0.0, 1.3, 1.5, 1.5),
            0.0034,
        ),
        (
            "A4 noise",
            "sd 0.2, cut off; 100 people, d=8000",
            pool(100, 8000, publish=noisy),
            300,
            (0.0, 8.8, 19.2, 28.3),
            (0.0, 0.8, 1.3, 1.5),
            0.0045,
        ),
    ):
        lines = [
            Line(f"members, {tail}", want, error, runs)
            for tail, want, error in zip(names, members, errors, strict=True)
        ]
        if name == "A4 shared sample":
            lines.append(Line("of them in the sample, bd", 48.45, None, runs))
        lines.append(Line("share of outsiders, bd", fpr, None, runs))
        listed.append(Case(name, what, simulate, runs, tuple(lines)))
    return listed


def _accusations() -> Case:
    lines = [
        Line(quantity, want, None, 3_000, spread)
        for quantity, want, spread in (
            ("one", 9.63, False),
            ("one", 19.6, True),
            ("many", 9.71, False),
            ("many", 4.22, True),
        )
    ]
    return Case(
        "M1", "accused of 200 outsiders: one reference, or 50", false_accusations(), 1_500, tuple(lines)
    )


def _scores() -> list[Case]:
    return [
        Case(
            f"gamma {mechanism}{'' if spread == 1.0 else ' two-point'}",
            "n=20 d=3200",
            mean_score(mechanism, spread),
            2_000,
            (Line("gamma", want, error, 20_000),),
        )
        for mechanism, spread, want, error in (
            ("exact", 1.0, 0.6660, 0.0014),
            ("round", 1.0, 0.6856, 0.0014),
            ("noise", 1.0, 0.6198, 0.0015),
            ("sign", 1.0, 0.9542, 0.0028),
            ("column samples", 1.0, 0.6661, 0.0017),
            ("population", 1.0, 0.0018, 0.0013),
            ("half sign", "two-point", 0.1006, 0.0015),
            ("exact", "two-point", 0.7492, 0.0016),
        )
    ]


def _errors() -> list[Case]:
    means, narrow = sample_means(50), density_of(np.ones_like, -0.8, 0.8)
    turned = np.where(np.abs(means) <= 0.77, means, -np.sign(means))
    return [
        Case(
            "extreme flip",
            "n=50 d=20000",
            accurate_on_average("extreme flip", 1.0, 50, 20_000, None),
            2_000,
            (
                Line("member", 0.0155, math.sqrt(0.0155 * 0.9845 / 2_000), 2_000),
                Line("outsider", 0.0510, math.sqrt(0.0510 * 0.9490 / 2_000), 2_000),
                Line("error", average_error(turned, UNIFORM), 0.0, 2_000),
            ),
        ),
        Case(
            "constant",
            "means within 0.8, n=20 d=3200, centred by 200",
            accurate_on_average("constant", 0.8, 20, 3_200, 200),
            5_000,
            (
                Line("member", 0.0512, 0.0022, 10_000),
                Line("outsider", 0.0489, 0.0022, 10_000),
                Line("error", average_error(np.zeros(21), narrow), 0.0, 10_000),
            ),
        ),
    ]


def estimate(values: Values, *, spread: bool) -> tuple[float, float]:
    """Return the mean over runs, or the standard deviation, and how far one run lets it move.

    The second divided by the square root of the runs is a standard error; for the standard deviation by
    the delta method from the fourth moment.
    """
    sd = float(values.std(ddof=1))
    if not spread:
        return float(values.mean()), sd
    fourth = float(((values - values.mean()) ** 4).mean())
    return sd, math.sqrt(max(fourth - sd**4, 0.0)) / (2 * sd) if sd else 0.0


def agrees(line: Line, values: Values) -> bool:
    """Whether the runs say what the reference says.

    A share that is nothing in all runs has no spread to estimate: that of one hit is taken.
    """
    found, one = estimate(values, spread=line.spread)
    one = max(one, 1 / math.sqrt(values.size)) if not values.any() else one
    theirs = one / math.sqrt(line.runs) if line.error is None else line.error
    return abs(found - line.want) <= 4 * math.hypot(theirs, one / math.sqrt(values.size))


def main() -> int:
    """Run the cases and print them as a table in Markdown."""
    given, wrong = asked(), 0
    show_line = table("case", "setting", "runs", "quantity", "reference", "found", "standard error", "agrees")
    for case in cases():
        if given.only and case.name not in given.only:
            continue
        runs = max(20, int(case.runs * given.share))
        values = case.simulate(stream(1, case.name, case.what), runs)
        for line in case.lines:
            own = values[line.quantity]
            found, one = estimate(own, spread=line.spread)
            good = agrees(line, own)
            wrong += not good
            name = line.quantity + (", standard deviation" if line.spread else "")
            numbers = [f"{line.want:.5g}", f"{found:.5g}", f"{one / math.sqrt(runs):.2g}"]
            cells = [case.name, case.what, f"{runs:,}", name, *numbers, "yes" if good else "NO"]
            show_line(cells)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
