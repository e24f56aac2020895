"""Is propagation from above ever below nu, at any step?

Run: python -m validation.propagation_bound [--models 3000]

Random networks of three to eleven people with positive links, from weak to so strong that distant people
matter, with random epsilons (some 0): the bound after 0, 1, 2, 5, 30 and 500 steps against everybody's exact
nu. The same question is put to a wrong bound, with messages of nine tenths: it must be broken. Exit code 1 if
the bound is, or the wrong one is not.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from dalenius.inference.attack.bounds import propagation
from dalenius.inference.attack.bounds.propagation import propagation_bound
from dalenius.inference.attack.nu import inferential_privacy
from dalenius.knowledge.correlation.model import CorrelationModel
from dalenius.random import stream

STEPS = (0, 1, 2, 5, 30, 500)

SLACK = 1e-9
"""What the digits of the exact solver leave open."""


def draw(rng: np.random.Generator) -> tuple[CorrelationModel, np.ndarray]:
    """A network and everybody's epsilon."""
    people, dense = int(rng.integers(3, 12)), rng.uniform(0.2, 1.0)
    links = [(i, j) for i in range(people) for j in range(i) if rng.random() < dense] or [(0, 1)]
    coupling = rng.exponential(rng.choice([0.05, 0.2, 0.6, 1.5]), len(links))
    epsilon = rng.exponential(rng.choice([0.05, 0.6, 2.0]), people) * (rng.random(people) < 0.8)
    ids = np.arange(people)
    return CorrelationModel("id", ids, np.array(links), coupling, np.zeros(people)), epsilon


def main() -> int:
    """Compare."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", type=int, default=3000)
    models = parser.parse_args().models
    rng, honest = stream(15, "propagation from above"), propagation.message
    broken, wrong, ratios = 0, 0, []
    for _ in range(models):
        model, epsilon = draw(rng)
        nu = inferential_privacy(model, epsilon).nu
        for steps in STEPS:
            above = propagation_bound(model, epsilon, steps)
            assert above is not None
            broken += bool((above < nu - SLACK).any())
        ratios.append(float(np.median(above[nu > 0] / nu[nu > 0])) if nu.any() else 1.0)
        propagation.message = lambda J, u: 0.9 * honest(J, u)
        below = propagation_bound(model, epsilon)
        propagation.message = honest
        assert below is not None
        wrong += bool((below < nu - SLACK).any())
    print(f"{models:,} networks, {len(STEPS)} numbers of steps: broken {broken} times")
    print(f"bound / nu, median person: {np.median(ratios):.4f} in half of them, at most {max(ratios):.4f}")
    print(f"with messages of nine tenths: broken in {wrong:,} networks")
    return int(broken > 0 or wrong == 0)


if __name__ == "__main__":
    sys.exit(main())
