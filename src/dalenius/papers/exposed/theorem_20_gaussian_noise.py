"""Theorem 20. Gaussian noise that stops every attack on one person."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dalenius.findings.tally import Tally, count
from dalenius.matrices.operators import BitRows
from dalenius.papers.experiment import Computed, PromisedShare, Result, SimulatedRow
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated.people import (
    attack,
    baseline,
    coins,
    members,
    people,
    refuse_above,
    repeat,
    streams,
    view_of,
)
from dalenius.papers.simulated.runs import each_run
from dalenius.papers.statement import Statement
from dalenius.random import stream
from dalenius.statistics.counts.subsets import Subsets, random_subsets

LEVEL = 0.05
"""Level of the tests whose power is measured."""

DELTA = 1e-6
"""Chance of a failure of privacy with which epsilon is told."""

POWER = 0.8
"""Power of a test for who is in the data, by which the noise is judged."""

WORK = 4e8
"""People x queries x runs that take about a minute."""

EVERYBODY = "everybody at once"

STATEMENT = Statement(
    says=(
        "rho = k / (2 n^2 sigma^2) at most. A test of level a has power at most "
        "Phi(Phi^-1(a) + sqrt(2 rho)); a bit with prior 1/2 is guessed with probability at most "
        "Phi(sqrt(rho/2)). So k = n^2 queries need sigma of order 1, not 0.01, for a small rho."
    ),
    assumptions=(
        "k counting queries are answered as fractions of n.",
        "Independent Gaussian noise of standard deviation sigma is added to each.",
        "One record may be replaced; everybody else's is known to the attacker.",
    ),
    parameters=(
        Parameter("n", "number of people", 64, 2, 2000, "Ask about fewer people.", whole=True),
        Parameter("m", "number of counting queries", 2, 1, 1 << 20, whole=True, per_person=True),
        Parameter("rho", "privacy of the release, zero-concentrated", 0.1, 1e-6, 100.0),
    ),
    runs=200,
    errata=(
        "Printed: rho is small for k = n^2, sigma = 0.01 and for k = n, sigma = 1/sqrt(n). The formula "
        "gives 5000 and 1/2.",
        "Printed: the density lacks the factor sigma^-k; it cancels in the ratio.",
    ),
)


def run(settings: Settings) -> Result:
    """Run Theorem 20: Gaussian noise of a given rho against the posterior decoder."""
    from dalenius.theory.privacy import (
        counting_queries_noise,
        counting_queries_rho,
        guess_from_rho,
        power_from_rho,
    )
    from dalenius.theory.reconstruction.gaussian_limits import any_attack_accuracy

    n, m, rho = settings.whole("n"), settings.whole("m"), settings["rho"]
    refuse_above("n x m x runs", n * m * settings.runs, WORK, "Use a smaller --n, --m or --runs.")
    tau = counting_queries_noise(m, n, rho) * n
    queries = random_subsets(people(n).ids, m, rng=stream(settings.seed, settings.id, "queries"))
    norms = np.sqrt(queries.members.apply_transpose(np.ones(m)))
    here = PromisedShare("any attack on everybody, these queries", any_attack_accuracy(norms, tau), "right")
    guess = PromisedShare("any guess of one person, all others known", guess_from_rho(rho), "right")
    power = PromisedShare(f"any test of level {LEVEL:.0%}, power", power_from_rho(rho, LEVEL), "accused")
    here, guess, power = (replace(promise, holds="on average") for promise in (here, guess, power))
    everybody = _everybody(settings, queries, tau)
    told = _one_person(settings, tau)
    unaided = baseline(settings, EVERYBODY, n)
    right = tuple(Tally(t.trials - t.hits, t.trials) for t in unaided.tallies)
    rows = (
        SimulatedRow("posterior decoder on everybody", everybody, here, "right"),
        *_one_person_rows(told, rho, guess, power),
        replace(unaided, tallies=right, counts="right"),
    )
    facts = (
        f"Noise of standard deviation {tau:.4g} on each of {m:,} counts; {tau / n:.4g} as a fraction of n.",
        *_in_other_words(rho),
        _boundary(n, tau / n),
    )
    spent = Computed("rho of these counts with this noise", counting_queries_rho(m, n, tau / n), rho)
    return Result((guess, power, here), rows, facts, (spent,))


def _in_other_words(rho: float) -> Iterator[str]:
    """Say what this rho is as epsilon, and what it promises of noise that is not Gaussian."""
    from dalenius.theory.privacy import (
        epsilon_from_mu,
        epsilon_from_rho,
        epsilon_from_rho_tight,
        guess_from_zcdp,
        mu_from_rho,
        power_from_zcdp,
    )

    mu = mu_from_rho(rho)
    gaussian, tight = epsilon_from_mu(mu, DELTA), epsilon_from_rho_tight(rho, DELTA)
    yield (
        f"As epsilon, with delta = {DELTA:g}: {gaussian:.4g} for Gaussian noise, mu = {mu:.4g}; {tight:.4g} "
        f"for any noise with this rho, {epsilon_from_rho(rho, DELTA):.4g} by the formula in common use."
    )
    yield (
        f"Any noise with this rho: a guess is right with probability {guess_from_zcdp(rho):.4g} at most, and "
        f"the power of a test of level {LEVEL:.0%} is at most {power_from_zcdp(rho, LEVEL):.4g}."
    )


def _boundary(n: int, sigma: float) -> str:
    """Say from how many answers on this noise no longer hides who is in the data."""
    from dalenius.theory.tracing.power import columns_attacked, columns_safe

    # those functions measure in units where an attribute is worth -1 or +1, twice as wide
    safe, attacked = (bound(n, 2 * sigma, LEVEL, POWER) for bound in (columns_safe, columns_attacked))
    return (
        f"Tracing who is in the data by means with this noise: no test of level {LEVEL:.0%} reaches a power "
        f"of {POWER:.0%} with up to {safe:,.0f} means; the best linear one does from {attacked:,.0f} on, if "
        "the population's means are known and near one half."
    )


def _everybody(settings: Settings, queries: Subsets, tau: float) -> tuple[Tally, ...]:
    """Attack all people of a release at once and count who is guessed right."""
    roster = people(settings.whole("n"))
    matrix = queries.members

    def trial(world: np.random.Generator, attacker: np.random.Generator) -> Tally:
        secret = coins(len(roster), world)
        answers = matrix.apply(secret.astype(np.float64)) + world.normal(0.0, tau, matrix.shape[0])
        view = view_of(roster, queries, answers, f"gaussian:sigma={tau!r}")
        return count(attack(view, "posterior", attacker).guess == secret)

    return repeat(settings, EVERYBODY, trial, (0.0, 0.5))


def _one_person(settings: Settings, tau: float) -> list[tuple[int, float]]:
    """Attack one person who is in every query, told all other secrets: secret and probability of 1.

    Nobody moves the answers more than a person in all of them, so here the promise is met with equality.
    The secret takes both values in turn, which is the prior of one half without its luck.
    """
    n, m = settings.whole("n"), settings.whole("m")
    roster = people(n)
    names = tuple(str(j) for j in range(m))

    def one(number: int) -> tuple[int, float]:
        world, attacker = streams(settings.seed, settings.id, "one person", number)
        rows = members(n, m, world, first_in_all=True)
        secret = coins(n, world)
        secret[0] = number % 2
        prior = secret.astype(np.float64)
        prior[0] = 0.5
        answers = rows @ secret.astype(np.float64) + world.normal(0.0, tau, m)
        queries = Subsets(roster.ids, BitRows.from_dense(rows), names)
        claims = attack(
            view_of(roster, queries, answers, f"gaussian:sigma={tau!r}", prior), "posterior", attacker
        )
        return int(secret[0]), float(claims.probability[0, 1])

    return list(each_run(settings, "one person", one, (0.5, 1.0)))


def _one_person_rows(
    told: list[tuple[int, float]], rho: float, guess: PromisedShare, power: PromisedShare
) -> list[SimulatedRow]:
    """Score the guess, and the most powerful test of level 5% by the same probability."""
    from scipy.special import expit, ndtri

    # the log odds are normal with variance 2 rho, around -rho for a 0 and +rho for a 1
    threshold = float(expit(math.sqrt(2 * rho) * ndtri(1 - LEVEL) - rho))
    accused = {value: [p >= threshold for secret, p in told if secret == value] for value in (0, 1)}
    level = PromisedShare("false alarms of that test", LEVEL, "accused", holds="on average")
    rows = [
        SimulatedRow(
            "one person, in every query, all others known",
            _tallies([(p >= 0.5) == s for s, p in told]),
            guess,
            "right",
        )
    ]
    if accused[1]:
        rows.append(
            SimulatedRow(
                "the same, test of level 5%: accused with the secret", _tallies(accused[1]), power, "accused"
            )
        )
    rows.append(
        SimulatedRow("the same, test of level 5%: accused without it", _tallies(accused[0]), level, "accused")
    )
    return rows


def _tallies(outcomes: list[bool]) -> tuple[Tally, ...]:
    return tuple(Tally(int(hit), 1) for hit in outcomes)
