"""Random small releases of amounts, plain and by survey weights: no true amount may lie outside its ends.

``python validation/amounts_fuzz.py 2000 [SEED]`` prints how many releases and people were compared. Releases
of one case are put together: each has statistics, a mechanism and weights of its own, and weights are known,
known to lie between two ends, or unknown. Whoever is pinned down must have such an amount; an insider's ends
must hold too.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace

import numpy as np

from dalenius.amounts.attack.claims import claim_amounts
from dalenius.amounts.together import join
from dalenius.knowledge.amounts import AmountPrior, AmountView, Insider
from dalenius.knowledge.weights import SurveyWeights
from dalenius.release.amounts import AmountGroup
from dalenius.release.amounts_publish import AmountSettings, publish_amounts

STATISTICS = ("count", "sum", "mean", "median", "min", "max", "sd", "variance", "q25", "q90")
MECHANISMS = ("exact", "exact", "rounding:base=5", "rounding:digits=1")
WITHIN = 0.1


def random_view(rng: np.random.Generator) -> tuple[AmountView, np.ndarray]:
    """A view of one to three releases about a few people, and their amounts."""
    n = int(rng.integers(2, 9))
    least = float(rng.choice([0.0, 0.0, -50.0]))
    amounts = np.round(rng.lognormal(3, 1, n) + least, int(rng.integers(0, 3)))
    most = float(rng.choice([np.inf, np.ceil(amounts.max()) + 1]))
    weights = np.round(rng.uniform(1, 9, n), 2)
    said = [SurveyWeights(weights, weights)]
    if least == 0:
        said += [SurveyWeights.between(n, 1.0, 9.0), SurveyWeights.between(n, 0.0, np.inf)]
    groups = [
        AmountGroup(f"g{at}", np.flatnonzero(own))
        for at in range(rng.integers(1, 5))
        if (own := rng.random(n) < 0.6).any()
    ] or [AmountGroup("all", np.arange(n))]
    made = []
    for _ in range(rng.integers(1, 4)):
        some = tuple(rng.choice(STATISTICS, rng.integers(1, 4), replace=False))
        how = AmountSettings(
            some, str(rng.choice(MECHANISMS)), weights=weights if rng.random() < 0.5 else None
        )
        made.append(publish_amounts(amounts, "x", groups, how, rng=rng))
    usual = np.full(n, max(20.0, least))
    prior = AmountPrior(least, most, usual, usual, usual)
    release = replace(join(made, "all"), unread=())
    one = int(rng.integers(n))
    insider = Insider(one, float(amounts[one]), np.arange(n))
    return AmountView(release, prior, (insider,), said[rng.integers(len(said))]), amounts


def compare(view: AmountView, amounts: np.ndarray, seen: Counter[str]) -> None:
    """Count; a wrong claim ends the run."""
    claims = claim_amounts(view, tuple(map(str, range(amounts.size))), within=WITHIN)
    slack, ends = 1e-9 * (1 + np.abs(amounts)), claims.ends
    others = np.arange(amounts.size) != view.insiders[0].person
    pinned = claims.pinned(WITHIN)
    wrong = (ends.low > amounts + slack) | (ends.high < amounts - slack)
    wrong |= others & ((ends.inside_low > amounts + slack) | (ends.inside_high < amounts - slack))
    seen["people"] += amounts.size
    seen["pinned"] += int(pinned.sum())
    seen["pinned for an insider"] += int((ends.inside_high - ends.inside_low < slack)[others].sum())
    heavy = view.release.weighted and view.weights is not None
    seen["weighted" if heavy else "plain"] += 1
    if wrong.any():
        raise AssertionError(f"{int(wrong.sum())} amounts outside their ends: {view.release.said}")


def main(cases: int, first: int = 0) -> None:
    """Compare so many cases, from a seed on, and print what was seen."""
    seen: Counter[str] = Counter()
    for seed in range(first, first + cases):
        view, amounts = random_view(np.random.default_rng(seed))
        try:
            compare(view, amounts, seen)
        except AssertionError:
            print(f"seed {seed}")
            raise
    print(f"{cases:,} cases, {dict(seen)}: none wrong")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:] or ["1000"]))
