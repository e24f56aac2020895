"""How few questions suffice at a desk: the table of docs/how-to/count_desk.md.

A hundred made-up people, nearly all with a record of their own, half of them ill; three desks for each number
of questions.

    python validation/fewest_questions.py --seeds 4
"""

from __future__ import annotations

import argparse

import numpy as np
import pyarrow as pa

from dalenius.people.dataset import Dataset, read
from dalenius.reconstruction.desk.fewest import fewest_queries

DESKS = {
    "exact": 2048,
    "suppression:below=25": 2048,
    "rounding:base=5": 2048,
    "gaussian:sigma=3": 2048,
    "gaussian:rho=0.1": 2048,
}
"""What is done to each answer, and the most questions that are tried."""


def made_up(n: int = 100, seed: int = 6) -> Dataset:
    """People with three public columns of twelve levels each, and a secret that is a fair coin."""
    rng = np.random.default_rng(seed)
    columns = {f"a{j}": rng.integers(0, 12, n) for j in range(3)}
    ill = "ill"
    return read(pa.table({**columns, ill: rng.choice(["no", "yes"], n)}), secret=ill)


def main() -> None:
    """Print a line a desk and a seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--accuracy", type=float, default=0.95)
    asked = parser.parse_args()
    with made_up() as people:
        for mechanism, most in DESKS.items():
            for seed in range(1, asked.seeds + 1):
                found = fewest_queries(people, mechanism, accuracy=asked.accuracy, most=most, seed=seed)
                best = max(trial.accuracy for trial in found.trials)
                ends = f"best {best:.3f}, blind {found.baseline:.3f}"
                print(f"{mechanism}, seed {seed}: {found.queries} ({ends})", flush=True)


if __name__ == "__main__":
    main()
