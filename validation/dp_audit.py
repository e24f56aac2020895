"""Does OpenDP keep its promise, and is a scale that is off by two caught? Many releases, two worlds.

    .venv/bin/python validation/dp_audit.py [trials]

For each mechanism the trials are run on what it promises, and on noise of half that size under the same
promise. A mechanism that keeps its promise is refuted in at most one run of a thousand (confidence 0.999).
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np

from dalenius.people.traits.traits import Traits, coded_from_values
from dalenius.release.means import MeansRelease
from dalenius.release.means_publish import publish_means
from dalenius.tracing.questions.promise import Publisher, try_promise

PEOPLE, CONFIDENCE = 100, 0.999
CASES = [
    # what is promised, what half the noise would keep, how many attributes
    ("gaussian:rho=0.1", "gaussian:rho=0.4", 20),
    ("gaussian:rho=0.5", "gaussian:rho=2", 5),
    ("laplace:epsilon=1", "laplace:epsilon=2", 1),
    ("laplace:epsilon=0.5", "laplace:epsilon=1", 1),
]


def people(columns: int) -> Traits:
    """Yes/no answers of people, drawn once."""
    values = np.where(np.random.default_rng(1).random((PEOPLE, columns)) < 0.4, 1, -1)
    names = np.array([f"a{j}" for j in range(columns)])
    return coded_from_values("id", np.arange(PEOPLE).astype(np.str_), names, values, "binary")


def publisher(claim: str, kept: str) -> Publisher:
    """Draw with OpenDP what ``kept`` says, and claim what ``claim`` says."""

    def publish(group: Traits, rng: np.random.Generator) -> MeansRelease:
        said = publish_means(group, claim, rng=rng)
        return replace(said, means=publish_means(group, kept, rng=rng, for_the_world=True).means)

    return publish


def main(trials: int) -> bool:
    """Run all cases; say whether every promise held and every fault was caught."""
    good = True
    print(f"{trials:,} releases in each world, {PEOPLE} people, confidence {CONFIDENCE}")
    for claim, half, columns in CASES:
        group = people(columns)
        kept = try_promise(group, publisher(claim, claim), trials=trials, confidence=CONFIDENCE)
        broken = try_promise(group, publisher(claim, half), trials=trials, confidence=CONFIDENCE)
        for name, found, right in (
            ("kept", kept, not kept.broken),
            ("half the noise", broken, broken.broken),
        ):
            low = found.epsilon_low if found.rho_low is None else found.rho_low
            counts = f"{found.accused_with:6,} / {found.accused_without:6,}"
            verdict = ("refuted" if found.broken else "not refuted") + ("" if right else "  WRONG")
            print(
                f"{claim:20} {columns:3} attributes, {name:15} {counts}  at least {low:.4f}, "
                f"ceiling of epsilon {found.ceiling:.2f}  {verdict}"
            )
        good = good and not kept.broken and broken.broken
    return good


if __name__ == "__main__":
    sys.exit(0 if main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000) else 1)
