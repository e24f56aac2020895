"""How many secrets come out of noisy counts, against the noise: where reconstruction stops.

n people with fair secret bits, 4n random subsets counted, Gaussian noise of standard deviation c sqrt(n) on
every count. Two decoders, beside what theory says: the prediction for least squares, what is guaranteed for
any errors of this length (Kasiviswanathan, Rudelson and Smith 2013, Theorem 2.1) and on average for
independent ones, and what no attack can exceed.

Run: python validation/phase_transition.py [--out docs] [--people 1000 4000] [--runs 5 2]

Writes phase_transition.csv and phase_transition.svg into the folder.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from dalenius.knowledge.view import Knowledge, View
from dalenius.matrices.answers import Counts
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.schema import Column, Kind, Role, Roster
from dalenius.random import stream
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.release.release import Block, Release
from dalenius.statistics.counts.subsets import Subsets, random_subsets
from dalenius.theory.reconstruction.gaussian_limits import any_attack_accuracy
from dalenius.theory.reconstruction.least_squares import (
    least_squares_expected_wrong_bound,
    least_squares_wrong_bound_from_norm,
)
from dalenius.theory.reconstruction.subset_counts import random_subsets_accuracy
from phase_transition_plot import Point, draw, write

NOISE = (0.025, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0)
NOISE_OF_MANY = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 2.0, 4.0)
MANY = 2_000
"""From this many people on fewer noise levels are run: a posterior of 4,000 takes 14 CPU seconds."""

DECODERS = ("least-squares", "posterior")
QUERIES_PER_PERSON = 4
SECRET = Column("secret", Role.SECRET, Kind.BINARY, ("0", "1"))


def usual(people: int) -> tuple[float, ...]:
    """The noise levels that are shown for so many people."""
    return NOISE if people < MANY else NOISE_OF_MANY


def measure(people: int, runs: int, levels: tuple[float, ...], console: Console) -> list[Point]:
    """Attack ``runs`` sets of queries at every noise level, and average."""
    roster = Roster.of_names("person", np.array([f"p{i:05}" for i in range(people)]))
    found = np.zeros((runs, len(levels), len(DECODERS)))
    theory = np.zeros((runs, len(levels), 3))
    for run in range(runs):
        start = time.process_time()
        streams = partial(stream, 1, "phase transition", people, run)
        asked = random_subsets(roster.ids, QUERIES_PER_PERSON * people, rng=streams("queries"))
        secrets = streams("secrets").integers(0, 2, people)
        theory[run] = limits(asked, [c * people**0.5 for c in levels])
        for k, c in enumerate(levels):
            release = publish(asked, secrets, c * people**0.5, rng=streams("noise", k))
            found[run, k] = recovered(release, roster, secrets)
        console.print(
            f"n = {people:,}, run {run + 1} of {runs}: {time.process_time() - start:.0f} CPU seconds"
        )
    return [
        _point(people, c, decoder, found[:, k, j], theory[:, k].mean(axis=0))
        for k, c in enumerate(levels)
        for j, decoder in enumerate(DECODERS)
    ]


def _point(
    people: int, c: float, decoder: str, found: NDArray[np.float64], theory: NDArray[np.float64]
) -> Point:
    queries, tau = QUERIES_PER_PERSON * people, c * people**0.5
    share = float(found.mean())
    return Point(
        people=people,
        queries=queries,
        noise=c,
        noise_in_counts=round(tau, 3),
        decoder=decoder,
        runs=found.size,
        recovered=round(share, 5),
        standard_error=round((share * (1 - share) / (people * found.size)) ** 0.5, 5),
        predicted_least_squares=round(random_subsets_accuracy(people, queries, tau), 5),
        guaranteed_any_errors=round(float(theory[0]), 5),
        guaranteed_independent_errors=round(float(theory[1]), 5),
        most_any_attack=round(float(theory[2]), 5),
    )


def limits(asked: Subsets, noises: list[float]) -> list[tuple[float, float, float]]:
    """For each noise: what is guaranteed for any and for independent errors, and what no attack exceeds."""
    matrix = asked.members.rows(0, asked.rows).astype(np.float32)
    gram = (matrix.T @ matrix).astype(np.float64)
    norms, inverse = np.sqrt(gram.diagonal()), np.linalg.inv(gram).diagonal()
    sigma_min = float(np.linalg.eigvalsh(gram)[0] ** 0.5)
    result = []
    for tau in noises:
        anything = least_squares_wrong_bound_from_norm(tau * asked.rows**0.5, sigma_min) / norms.size
        independent = least_squares_expected_wrong_bound(tau, inverse) / norms.size
        result.append((max(0.0, 1 - anything), max(0.0, 1 - independent), any_attack_accuracy(norms, tau)))
    return result


def publish(asked: Subsets, secrets: NDArray[np.int64], tau: float, *, rng: np.random.Generator) -> Release:
    """Count, and add the noise."""
    mechanism = parse_mechanism(f"gaussian:sigma={tau!r}")
    counts = np.rint(asked.members.apply(secrets.astype(np.float64))).astype(np.int64)[:, None]
    answers = mechanism.protect(Counts(counts, asked.table, asked.sensitivity(1)), rng=rng)
    return Release("phase transition", SECRET, (Block(asked, ("1",), answers),), str(mechanism))


def recovered(release: Release, roster: Roster, secrets: NDArray[np.int64]) -> list[float]:
    """Attack with every decoder, the attacker knowing that bits are fair."""
    view = View(release, Knowledge(roster, np.full((len(roster), 2), 0.5)))
    shares = []
    for decoder in DECODERS:
        claims = reconstruct(view, decoder=decoder, rng=stream(1, "attack"))
        shares.append(float(np.mean(claims.guess == secrets)))
    return shares


def show(points: list[Point], console: Console) -> None:
    """Print one row per number of people and noise level."""
    table = Table(title="Share of secrets recovered, 4n random subset counts")
    for heading in ("n", "c", "sd", "LS", "predicted", "posterior", "at most", "at least"):
        table.add_column(heading, justify="right", no_wrap=True)
    for linear, posterior in zip(points[::2], points[1::2], strict=True):
        table.add_row(
            f"{linear.people:,}",
            f"{linear.noise:g}",
            f"{linear.noise_in_counts:.1f}",
            f"{linear.recovered:.1%}",
            f"{linear.predicted_least_squares:.1%}",
            f"{posterior.recovered:.1%}",
            f"{linear.most_any_attack:.1%}",
            f"{linear.guaranteed_independent_errors:.1%}",
        )
    console.print(table)
    console.print("sd = c sqrt(n); at most: any attack; at least: LS, independent noise")


def main() -> None:
    """Measure and draw."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path("docs/explanation"), metavar="DIR")
    parser.add_argument("--people", type=int, nargs="+", default=[1_000, 4_000])
    parser.add_argument("--runs", type=int, nargs="+", default=[5, 2], help="one number for each of --people")
    parser.add_argument("--noise", type=float, nargs="+", metavar="C", help="fewer levels, in units of √n")
    options = parser.parse_args()
    console = Console()
    each = zip(options.people, options.runs, strict=True)
    with threadpool_limits(1):
        points = [
            point
            for people, runs in each
            for point in measure(people, runs, tuple(options.noise or usual(people)), console)
        ]
    show(points, console)
    options.out.mkdir(parents=True, exist_ok=True)
    write(points, options.out / "phase_transition.csv")
    draw(points, options.out / "phase_transition.svg")


if __name__ == "__main__":
    main()
