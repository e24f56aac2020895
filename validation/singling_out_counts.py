"""Counts with and without noise: singling out stays below what differential privacy guarantees.

Run: python -m validation.singling_out_counts [--trials 2000] [--workers 2]

1,000 of the 30,162 people of the example census; conditions that one of them meets weigh 1/30,162. At
epsilon = 0.5 no attack exceeds n e^epsilon w (Cohen and Nissim, Theorem 5.4; of people drawn without
replacement w is 1/(N-n+1)), which is 5.7%, where luck alone is 3.3%.

- The workload of `dalenius single-out counts`, exact and with Laplace noise of epsilon = 0.5 for all counts.
- A count with noise for every person of the population, and the attack that names the largest: what a limit
  on all attacks should be held against, since it does better than luck.

The script fails if the lower 95% limit of a success with noise is above the guarantee, or if that of the
exact counts is not, which is the same question put to a release that promises nothing.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from rich.console import Console

from dalenius.findings.tally import clopper_pearson
from dalenius.people.examples.census import census
from dalenius.people.rows.rows import Rows, distinct
from dalenius.random import stream
from dalenius.singling_out.game.counts import single_out_counts
from dalenius.singling_out.game.result import GameResult
from dalenius.singling_out.game.rounds import GameSettings
from dalenius.singling_out.referee.populations import Everybody
from dalenius.theory.singling_out import private_success_limit

N, QUERIES, EPSILON = 1000, 40, 0.5


def everybody_counted(people: Rows, n: int, epsilon: float, trials: int, seed: int = 1) -> int:
    """Publish a noisy count of every different row, name the row with the largest; return the successes.

    One person more and another less moves two counts by one each, so the scale is 2/epsilon; an infinite
    epsilon adds nothing.
    """
    which, weight = distinct(people).which, distinct(people).counts
    rng = stream(seed, "validation", "histogram")
    found = 0
    for _ in range(trials):
        drawn = rng.choice(len(people), n, replace=False, shuffle=False)
        counts = np.bincount(which[drawn], minlength=weight.size)
        noisy = counts + (2 / epsilon) * rng.laplace(size=counts.size)
        noisy[weight > 1] = -np.inf  # heavier than the limit
        named = int(np.argmax(noisy))
        found += bool(counts[named] == 1)
    return found


def guarantee(people: Rows, n: int) -> float:
    """What no attack on a release with this epsilon exceeds at the weight of one person."""
    return private_success_limit(n, EPSILON, 0.0, Everybody(people).swapped(n, 1 / len(people)))


def kept(hits: int, trials: int, limit: float) -> bool:
    """Whether the lower end of the interval of a success is at most a limit."""
    return clopper_pearson(hits, trials, 0.95).low <= limit


def main() -> None:
    """Print every game beside the guarantee."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=2)
    options, console = parser.parse_args(), Console(width=200)
    people = Rows.of_table(census())
    limit = guarantee(people, N)
    games = single_out_counts(
        people, N, QUERIES, how=GameSettings(trials=options.trials, workers=options.workers)
    ).games
    played = [
        (f"{game.mechanism}: {game.attack}", *_tally(game), "laplace" in game.mechanism) for game in games
    ]
    for epsilon in (EPSILON, np.inf):
        name = f"everybody counted, epsilon = {epsilon:g}: the largest count"
        hits = everybody_counted(people, N, epsilon, 5 * options.trials)
        played.append((name, hits, 5 * options.trials, epsilon == EPSILON))
    faults = 0
    for name, hits, trials, private in played:
        interval = clopper_pearson(hits, trials, 0.95)
        faults += kept(hits, trials, limit) != private
        console.print(
            f"| {name} | {trials:,} | {hits / trials:.4f} | {interval.low:.4f} to {interval.high:.4f} | "
            f"{N / len(people):.4f} | {f'{limit:.4f}' if private else 'none'} |",
            markup=False,
        )
    sys.exit(faults > 0)


def _tally(game: GameResult) -> tuple[int, int]:
    success = game.at(game.weight or 0.0).success
    return success.hits, success.trials


if __name__ == "__main__":
    main()
