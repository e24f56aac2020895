"""Programs that keep their promise and programs that do not: how often is each refuted?

``python validation/promises.py [--runs 200] [--faulty 20] [--trials 2000]``

A right program (Gaussian noise for the promised rho, on 10 shares of 50 people) must not be refuted beyond
the stated confidence; programs with a fault of structure, all of whose releases look noisy, must be.
Exit 1 if one in ten faulty runs is missed, or more right ones are refuted than chance explains.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from dalenius.tracing.questions.program import PromiseSettings, refute_promise

RHO, PEOPLE, COLUMNS = 0.5, 50, 10
SCALE = float(np.sqrt(COLUMNS / (2 * RHO)) / PEOPLE)
"""What the promise needs: one record moves each of the shares by 1/n."""

Bits = NDArray[np.int8]
Values = NDArray[np.float64]


def right(rng: np.random.Generator) -> Callable[[Bits], Values]:
    """Return a program that keeps its promise."""
    return lambda people: people.mean(axis=0) + rng.normal(0, SCALE, COLUMNS)


def fixed_seed(rng: np.random.Generator) -> Callable[[Bits], Values]:
    """Return one that draws the same noise every time."""
    noise = rng.normal(0, SCALE, COLUMNS)
    return lambda people: people.mean(axis=0) + noise


def one_exact(rng: np.random.Generator) -> Callable[[Bits], Values]:
    """Return one that forgets a column."""
    noisy = (np.arange(COLUMNS) != rng.integers(COLUMNS)).astype(float)
    return lambda people: people.mean(axis=0) + noisy * rng.normal(0, SCALE, COLUMNS)


def forgotten(rng: np.random.Generator) -> Callable[[Bits], Values]:
    """Return one that adds no noise in one release of ten."""
    return lambda people: people.mean(axis=0) + (rng.random() > 0.1) * rng.normal(0, SCALE, COLUMNS)


def shared(rng: np.random.Generator) -> Callable[[Bits], Values]:
    """Return one that adds the same noise to all columns."""
    return lambda people: people.mean(axis=0) + rng.normal(0, SCALE)


FAULTS = {
    "fixed seed": fixed_seed,
    "one exact column": one_exact,
    "noise forgotten": forgotten,
    "shared noise": shared,
}


def refuted(make: Callable[[np.random.Generator], Callable[[Bits], Values]], seed: int, trials: int) -> bool:
    """Test one program."""
    how = PromiseSettings(PEOPLE, COLUMNS, trials, 0.95, seed)
    found = refute_promise(make(np.random.default_rng(seed)), f"gaussian:rho={RHO}", how).details
    return bool(found.low > found.claimed)


def main() -> int:
    """Print how often each program is refuted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--faulty", type=int, default=20)
    parser.add_argument("--trials", type=int, default=2000)
    args = parser.parse_args()
    missed = False
    for name, make in FAULTS.items():
        caught = sum(refuted(make, seed, args.trials) for seed in range(args.faulty))
        print(f"{name}: refuted in {caught} of {args.faulty} runs", flush=True)
        missed |= caught < 0.9 * args.faulty
    wrong = sum(refuted(right, seed, args.trials) for seed in range(args.runs))
    print(f"right: refuted in {wrong} of {args.runs} runs at confidence 0.95", flush=True)
    return int(missed or wrong > stats.binom.ppf(0.999, args.runs, 0.05))


if __name__ == "__main__":
    sys.exit(main())
