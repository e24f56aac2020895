"""What passes of query interfaces: desks that leak by construction never; what promises enough never stops.

Run it whole with ``python -m validation.passes_desk [--share 0.1] [--only WORD ...] [--kept FILE]``. Exit
code 1 if a leak passes, or if a desk stops whose promise keeps to the policy. Each attack may take two
seconds instead of two minutes: who is certain follows within them here, and forty draws are affordable.
"""

from __future__ import annotations

import sys
from collections import Counter
from functools import partial

import numpy as np
import pyarrow as pa
from validation.kept import Kept, asked
from validation.markdown import table

from dalenius.people.dataset import Dataset, read
from dalenius.reconstruction import Budget, PlannedDesk, audit_desk
from dalenius.reconstruction.attack.cost import ComputeBudget
from dalenius.reconstruction.opened import Scenario

SEEDS = 40
PEOPLE = 100
BUDGET = ComputeBudget(2.0)

LEAKS = {
    "exact, one question": PlannedDesk("exact", Budget(queries=1)),
    "exact, two questions about 20 people or more": PlannedDesk("exact", Budget(queries=2), smallest=20),
    "counts below 10 hidden, 20 questions": PlannedDesk("suppression:below=10", Budget(queries=20)),
    "rounded to 5, 20 questions": PlannedDesk("rounding:base=5", Budget(queries=20)),
    "rounded to 5, 200 questions": PlannedDesk("rounding:base=5", Budget(queries=200)),
    "noise 1, 200 questions": PlannedDesk("gaussian:sigma=1", Budget(queries=200)),
    "noise 1, 200 questions, same answer to the same": PlannedDesk(
        "gaussian:sigma=1", Budget(queries=200), sticky=True
    ),
}
"""Each of them tells somebody's secret to whoever asks the right questions."""

HARMLESS = {
    "noise, rho 0.005 for 100 questions": PlannedDesk("gaussian:rho=0.005", Budget(queries=100)),
    "noise, epsilon 0.05 for 20 questions": PlannedDesk("laplace:epsilon=0.05", Budget(queries=20)),
}
"""Whatever is asked, nobody can be guessed much better."""


def drawn(seed: int) -> Dataset:
    """Draw people of whom most have a public record of their own, and a secret that depends on nothing."""
    rng = np.random.default_rng(seed)
    public = {name: rng.integers(0, 10, PEOPLE) for name in "abc"}
    ill = rng.choice(["no", "yes"], PEOPLE, p=[0.6, 0.4])
    return read(pa.table({**public, "ill": ill}), secret="ill")  # noqa: S106  (a column, not a password)


def verdict(desk: PlannedDesk, seed: int) -> str:
    """Try a desk over one draw of people."""
    with drawn(seed) as people:
        return audit_desk(people, desk, Scenario(seed=seed, budget=BUDGET, why=False)).verdict


def shown(kept: Kept, head: str, desks: dict[str, PlannedDesk]) -> list[Counter[str]]:
    """Print how often each desk came to each verdict."""
    line = table(head, "pass", "undecided", "stop")
    every = []
    for name in filter(kept.wants, desks):
        found = Counter(kept.results(name, partial(verdict, desks[name])))
        line([name, *(str(found[word]) for word in ("pass", "undecided", "stop"))])
        every.append(found)
    return every


def main() -> int:
    """Print both tables; exit 1 if one shows what must not be."""
    kept = asked(SEEDS)
    leaks = shown(kept, "desks that leak by construction", LEAKS)
    harmless = shown(kept, "desks that promise enough", HARMLESS)
    return int(any(found["pass"] for found in leaks) or any(found["stop"] for found in harmless))


if __name__ == "__main__":
    sys.exit(main())
