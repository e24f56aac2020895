"""Is any bound from influences ever below the worst mechanism that a linear program finds?

Run: python -m validation.inference_bounds [--tables 550] [--steps 60]

Random tables of two and three values, from nearly independent people to strongly related ones, with random
epsilons (some 0), every bound that is available against the program's nu for every person. Then a search
that changes tables step by step to bring nu as close to a bound as it can. The same question is put to a
wrong bound, with half the influence: it must be broken. Exit code 1 if a bound is, or the wrong one is not.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from dalenius.inference.attack.bounds.influence import NAMES, bounds
from dalenius.inference.attack.worst_mechanism import worst_case
from dalenius.knowledge.correlation.joint import JointPrior
from dalenius.random import stream

Values = NDArray[np.float64]

LIMIT = 1 + 1e-7
"""What the solver's digits allow nu to be above a bound."""

WRONG = "half"
RADIUS = (0.25, 0.97)
"""Where the search stays: with less influence every bound is close, with more none is left."""


@dataclass(frozen=True)
class Family:
    """Tables of so many values for so many people; the logarithms of their cells vary by so much."""

    values: int
    people: int
    spread: float

    def __str__(self) -> str:
        return f"{self.people} people, {self.values} values, spread {self.spread:g}"


BINARY = tuple(Family(2, n, spread) for n in (2, 3, 4) for spread in (1e-3, 0.05, 0.2, 0.5))
TERNARY = tuple(Family(3, n, spread) for n in (2, 3) for spread in (0.05, 0.2, 0.4))
SEARCHED = (Family(2, 2, 0.5), Family(2, 3, 0.3), Family(2, 4, 0.2), Family(3, 2, 0.4), Family(3, 3, 0.2))


def table(logs: Values) -> JointPrior:
    """A table with these logarithms, up to a constant."""
    mass = np.exp(logs - logs.max())
    levels = tuple(tuple(str(v) for v in range(q)) for q in logs.shape)
    return JointPrior(tuple(f"p{i}" for i in range(logs.ndim)), levels, mass / mass.sum())


def draw(rng: np.random.Generator, family: Family) -> tuple[Values, Values]:
    """Logarithms of a table, independent people disturbed, and one epsilon per person."""
    shape = (family.values,) * family.people
    logs = family.spread * rng.normal(size=shape)
    for i in range(family.people):
        own = rng.normal(size=family.values)
        logs = logs + own.reshape([-1 if k == i else 1 for k in range(family.people)])
    epsilon = rng.exponential(0.5, family.people) * (rng.random(family.people) < 0.75)
    epsilon[rng.integers(family.people)] += 0.05
    return logs, epsilon


def closeness(joint: JointPrior, epsilon: Values) -> dict[str, float]:
    """The largest share of each available bound that anybody's nu reaches, and of the wrong bound."""
    nu, found = worst_case(joint, epsilon).nu, bounds(joint, epsilon)
    shares = {name: float((nu / row).max()) for name, row in found.values.items() if row is not None}
    half = found.values["B"]
    if half is not None:
        own = (2 if not joint.binary else 1) * epsilon
        shares[WRONG] = float((nu / np.maximum(own + (half - 2 * epsilon) / 2, 1e-300)).max())
    return shares


def search(rng: np.random.Generator, family: Family, name: str, steps: int) -> float:
    """Change a table and its epsilons as long as nu gets closer to a bound; return how close it got."""
    best = 0.0
    logs, epsilon = draw(rng, family)
    for _ in range(steps):
        size = rng.choice([0.02, 0.1, 0.4])
        trial = logs + size * rng.normal(size=logs.shape)
        eps = epsilon * np.exp(size * rng.normal(size=epsilon.size))
        joint = table(trial)
        radius = bounds(joint, eps).radius_gamma
        assert radius is not None
        if not RADIUS[0] <= radius.overall[1] < RADIUS[1]:
            if best == 0.0:
                logs, epsilon = draw(rng, family)
            continue
        share = closeness(joint, eps)[name]
        if share > best:
            best, logs, epsilon = share, trial, eps
    return best


def compare(families: tuple[Family, ...], tables: int) -> dict[Family, dict[str, tuple[int, float]]]:
    """For each family and bound: how many tables it is available for, and the largest share reached."""
    result: dict[Family, dict[str, tuple[int, float]]] = {}
    for at, family in enumerate(families):
        count = tables // len(families) + (at < tables % len(families))
        rng = stream(7, str(family))
        own: dict[str, tuple[int, float]] = {}
        for _ in range(count):
            logs, epsilon = draw(rng, family)
            for name, share in closeness(table(logs), epsilon).items():
                seen, largest = own.get(name, (0, 0.0))
                own[name] = (seen + 1, max(largest, share))
        result[family] = own
    return result


def broken(found: Mapping[Family, Mapping[str, tuple[int, float]]]) -> list[str]:
    """The bounds that somebody's nu is above, by name, the wrong one included."""
    return sorted({name for own in found.values() for name, (_, share) in own.items() if share > LIMIT})


def show(found: Mapping[Family, Mapping[str, tuple[int, float]]], console: Console) -> None:
    """Print one row per family: the largest nu/bound, and for how many tables the bound was available."""
    names = (*NAMES, WRONG)
    shown = Table(title="largest nu/bound (tables)")
    for heading in ("tables", *names):
        shown.add_column(heading)
    for family, own in found.items():
        cells = [f"{own[name][1]:.6f} ({own[name][0]})" if name in own else "-" for name in names]
        shown.add_row(str(family), *cells)
    console.print(shown)


def main() -> int:
    """Compare, then search."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=550)
    parser.add_argument("--steps", type=int, default=60)
    asked = parser.parse_args()
    console = Console(width=160)
    ternary = asked.tables * 3 // 11
    found = compare(BINARY, asked.tables - ternary) | compare(TERNARY, ternary)
    show(found, console)
    reached = 0.0
    for family in SEARCHED:
        names = ("A-bin", "B-bin", "B") if family.values == 2 else ("A", "B")
        for name in names:
            shares = [
                search(stream(8, str(family), name, str(i)), family, name, asked.steps) for i in range(4)
            ]
            reached = max(reached, *shares)
            console.print(f"search, {family}: nu is at most {max(shares):.6f} of {name}")
    return 0 if broken(found) == [WRONG] and reached <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
