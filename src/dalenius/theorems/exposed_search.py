"""Dwork, Smith, Steinke and Ullman (2017), Theorems 6 and 8, Definition 9: search over all secrets."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from dalenius.theorems.experiment import Experiment, Promised, Result
from dalenius.theorems.search import (
    RANDOM,
    SECONDS,
    World,
    most_confusable,
    pair_rows,
    random_rows,
    random_world,
    world_of,
)
from dalenius.theorems.settings import Parameter, Settings
from dalenius.theorems.simulate import baseline, refuse_above
from dalenius.theory.discrepancy import (
    Discrepancy,
    partial_discrepancy,
    reconstruction_verdict,
    spectral_discrepancy_bound,
)

VOTE = "The decoder takes a vote over all consistent secrets: at most twice as many wrong (ours)."


def _promises(share: float) -> tuple[Promised, Promised]:
    """The theorem's, about any consistent secret, and what it means for a vote over all of them."""
    each = Promised("every consistent secret", min(1.0, share))
    return each, Promised("the decoder's vote over all of them", min(1.0, 2 * share))


def run_all_subsets(settings: Settings) -> Result:
    """Run Theorem 6: every subset count, each off by at most alpha n."""
    from dalenius.theory.exhaustive import all_subsets_error_bound

    n, alpha = settings.whole("n"), settings["alpha"]
    refuse_above("4^n x runs", 4.0**n * settings.runs, 4.0**12 * 100, "Use a smaller --n or --runs.")
    subsets = (np.arange(1, 1 << n)[:, None] >> np.arange(n)[::-1]) & 1
    world = world_of(subsets.astype(np.bool_), alpha * n)
    each, vote = _promises(all_subsets_error_bound(alpha))
    # among x with as many +1 as -1 the largest answer is half the people: nothing is farther apart
    side = min(n // 2, math.floor(2 * alpha * n + 1e-9))
    x = np.zeros(n, np.int8)
    x[:side], x[side : 2 * side] = 1, -1
    rows = (
        *random_rows(settings, world, each, vote),
        *pair_rows(settings, world, x, each, vote),
        baseline(settings, RANDOM, n),
    )
    fact = f"{(1 << n) - 1:,} counts are published, each off by at most {alpha * n:g}."
    return Result((each, vote), rows, (fact, VOTE))


def run_random_subsets(settings: Settings) -> Result:
    """Run Theorem 8: random subsets; no constant in print, so the promise is computed for this matrix."""
    from dalenius.theory.random_subsets import random_subsets_alpha_scale

    n, m, alpha = settings.whole("n"), settings.whole("m"), settings["alpha"]
    scale = random_subsets_alpha_scale(n, m)
    settings.progress(0.0, "integer programs")
    world = random_world(settings)
    within, x = most_confusable(world.matrix, world.error)
    each, vote = _promises(within / n)
    rows = random_rows(settings, world, each, vote)
    if x is not None:
        rows += pair_rows(settings, world, x, each, vote)
    facts = (
        f"{m:,} random subsets are counted, each count off by at most {alpha * n:g}.",
        f"alpha is {alpha / scale:.2g} times sqrt(ln(m/n)/n) = {scale:.3g}, where recovery stops.",
        f"For these subsets (integer programming): every consistent secret is within {within} of {n} people.",
        VOTE,
    )
    return Result((each, vote), (*rows, baseline(settings, RANDOM, n)), facts)


def run_discrepancy(settings: Settings) -> Result:
    """Run Definition 9: decide possible or impossible for a random matrix, and act on it."""
    n, beta = settings.whole("n"), settings["beta"]
    settings.progress(0.0, "integer programs")
    world = random_world(settings)
    found = partial_discrepancy(world.matrix, beta, seconds=SECONDS)
    verdict = reconstruction_verdict(found, world.error)
    each, vote = _promises(beta) if verdict == "possible" else (None, None)
    rows = random_rows(settings, world, each, vote)
    promised = [promise for promise in (each, vote) if promise is not None]
    if verdict == "impossible" and found.minimiser is not None:
        half = math.ceil(np.abs(found.minimiser).sum() / 2)
        fails = Promised("every attack, on one of the two secrets", half / n, side="at least")
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


_LARGER = "The search tries all 2^n secrets; krs-2.1 takes hundreds of people, exposed-7 a million."
_ALPHA = Parameter("alpha", "largest error of an answer, as a fraction of n", 0.06, 0.0, 1.0)
_SUBSETS = (
    Parameter("n", "number of people", 12, 2, 16, _LARGER, whole=True),
    Parameter("m", "number of random subsets", 4, 1, 128, _LARGER, whole=True, per_person=True),
    _ALPHA,
)

EXPERIMENTS = (
    Experiment(
        "exposed-6",
        (Parameter("n", "number of people", 8, 2, 14, _LARGER, whole=True), replace(_ALPHA, default=0.07)),
        run_all_subsets,
        runs=20,
        errata=(
            "Printed in the proof: the query for everybody with bit 1 limits the mistakes at bit 0. It "
            "limits those at bit 1; the sum, and the theorem, stand.",
        ),
    ),
    Experiment(
        "exposed-8",
        _SUBSETS,
        run_random_subsets,
        runs=20,
        errata=(
            "Printed: an order without a constant. We compute the promise for the subsets that were drawn.",
        ),
    ),
    Experiment(
        "exposed-9",
        (*_SUBSETS, Parameter("beta", "fraction of people", 0.25, 0.0, 0.99)),
        run_discrepancy,
        runs=20,
        errata=(
            "Printed: reconstruction succeeds if D >= 2 alpha n. Equality belongs to the defender: prefix "
            "sums of four people at alpha = 1/8 leave several secrets standing.",
            "Printed in the summary: if and only if D exceeds alpha. The factor 2n is missing, and between "
            "beta/2 and beta wrong people there is a gap.",
        ),
    ),
)
