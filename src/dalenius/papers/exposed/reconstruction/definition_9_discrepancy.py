"""Definition 9. Partial discrepancy decides whether reconstruction is possible."""

from __future__ import annotations

import math

import numpy as np

from dalenius.papers.experiment import PromisedShare, Result
from dalenius.papers.exposed.reconstruction.exhaustive_search import (
    SECONDS,
    SUBSETS,
    VOTE,
    World,
    most_confusable,
    pair_rows,
    promises,
    random_rows,
    random_world,
)
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated.people import RANDOM, baseline
from dalenius.papers.statement import Statement
from dalenius.theory.reconstruction.discrepancy import (
    Discrepancy,
    partial_discrepancy,
    reconstruction_possibility,
    spectral_discrepancy_bound,
)

STATEMENT = Statement(
    says=(
        "Let D be the least possible largest answer |A x| over x in {-1,0,1}^n with more than beta n "
        "non-zeros. If D > 2E, everything consistent with the release is within beta n people of the "
        "truth. If D <= 2E, some release fits two secrets more than beta n people apart, so every "
        "attack misses more than beta n / 2 people on one of them. D is at least "
        "sigma_min sqrt((floor(beta n) + 1) / m)."
    ),
    assumptions=(
        "The statistics are linear in the secret bits, with a known matrix A.",
        "Every error is at most E in counts; the errors may be chosen.",
    ),
    parameters=(*SUBSETS, Parameter("beta", "fraction of people", 0.25, 0.0, 0.99)),
    runs=20,
    errata=(
        "Printed: reconstruction succeeds if D >= 2 alpha n. Equality belongs to the defender: prefix "
        "sums of four people at alpha = 1/8 leave several secrets standing.",
        "Printed in the summary: if and only if D exceeds alpha. The factor 2n is missing, and between "
        "beta/2 and beta wrong people there is a gap.",
    ),
)


def run(settings: Settings) -> Result:
    """Run Definition 9: decide possible or impossible for a random matrix, and act on it."""
    n, beta = settings.whole("n"), settings["beta"]
    settings.progress(0.0, "integer programs")
    world = random_world(settings)
    found = partial_discrepancy(world.matrix, beta, seconds=SECONDS)
    verdict = reconstruction_possibility(found, world.error)
    each, vote = promises(beta) if verdict == "possible" else (None, None)
    rows = random_rows(settings, world, each, vote)
    promised = [promise for promise in (each, vote) if promise is not None]
    if verdict == "impossible" and found.minimiser is not None:
        half = math.ceil(np.abs(found.minimiser).sum() / 2)
        fails = PromisedShare("every attack, on one of the two secrets", half / n, side="at least")
        promised.append(fails)
        rows += pair_rows(settings, world, found.minimiser, None, fails)
    else:
        _, x = most_confusable(world.matrix, world.error)
        rows += [] if x is None else pair_rows(settings, world, x, each, vote)
    return Result(tuple(promised), (*rows, baseline(settings, RANDOM, n)), _verdict(world, found, verdict))


def _verdict(world: World, found: Discrepancy, verdict: str) -> tuple[str, ...]:
    m, n = world.matrix.shape
    sigma_min = float(np.linalg.svd(world.matrix, compute_uv=False)[-1])
    spectral = spectral_discrepancy_bound(sigma_min, n, m, found.beta)
    exact = found.lower == found.upper
    size = f"{found.upper:g}" if exact else f"between {found.lower:g} and {found.upper:g}"
    means = {
        "possible": f"everything consistent is within {found.beta:g} n people of the truth",
        "impossible": f"some release fits two secrets more than {found.beta:g} n people apart",
        "undecided": "the two bounds leave it open",
    }
    said = [
        f"{m:,} random subsets are counted, each count off by at most {world.error:g}.",
        f"D({found.beta:g}) is {size}; the singular values alone give at least {spectral:.3g}.",
        f"Twice the error is {2 * world.error:g}: {verdict}; {means[verdict]}.",
        f"Impossible from alpha = {found.upper / (2 * n):.4g} on, for chosen errors.",
    ]
    if verdict == "impossible":
        one, other = (np.flatnonzero(found.minimiser == sign).tolist() for sign in (1, -1))
        said.append(
            f"Certificate: the people with the secret are {one} or {other}; publish the mean of both."
        )
    else:
        said.append(VOTE)
    return tuple(said)
