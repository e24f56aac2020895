"""Alleles that nobody behind a release has, on dense simulated genomes: who is accused, by three tests.

``python validation/absent_alleles.py [--people 100 200] [--references 300] [--repeats 6]``

Genomes are simulated with msprime: two populations that parted 900 generations ago and grew since, a region
of 3 million base pairs, every variant. A random group is averaged exactly, references are drawn from the
rest, everybody else is an outsider. Records have genotyping errors at the rates given. Intervals are 95%
over repetitions (Student's t). Exit 1 if members are missed, or the level is broken, beyond chance.
"""

from __future__ import annotations

import argparse
import sys

import msprime
import numpy as np
from numpy.typing import NDArray
from scipy import stats

from dalenius.knowledge.tracing import TracingView
from dalenius.people.traits.traits import coded_from_values
from dalenius.random import stream
from dalenius.release.means import MeansRelease
from dalenius.tracing.attack.attack import trace
from dalenius.tracing.attack.score_test import ScoreTest

TESTS = {
    "adjusted": ScoreTest("opt", "adjusted"),
    "absent": ScoreTest("absent", "conformal"),
    "auto": ScoreTest(),
}
LEVELS = (0.05, 0.01)
ERRORS = (0.0, 0.001)


def dense(each: int, *, seed: int, bases: float = 3e6) -> NDArray[np.int8]:
    """Return copies of the second allele, a row per person."""
    history = msprime.Demography()
    history.add_population(name="one", initial_size=58_000, growth_rate=0.006)
    history.add_population(name="other", initial_size=68_000, growth_rate=0.0057)
    history.add_population(name="both", initial_size=8_000)
    history.add_population_parameters_change(time=250, population="one", growth_rate=0)
    history.add_population_split(time=900, derived=["one", "other"], ancestral="both")
    tree = msprime.sim_ancestry(
        {"one": each, "other": each},
        demography=history,
        sequence_length=bases,
        recombination_rate=1e-8,
        random_seed=seed,
    )
    tree = msprime.sim_mutations(tree, rate=1.25e-8, random_seed=seed, model=msprime.BinaryMutationModel())
    copies = tree.genotype_matrix().reshape(-1, 2 * each, 2).sum(axis=2).T
    return np.asarray(copies, np.int8)


def mistaken(copies: NDArray[np.int8], rate: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Give a share of genotypes one copy more or less."""
    wrong = rng.random(copies.shape) < rate
    other = np.where(copies == 1, 2 * rng.integers(0, 2, copies.shape), 1)
    return np.where(wrong, other, copies).astype(np.float64)


def dealt(copies: NDArray[np.int8], n: int, m: int, rate: float, rng: np.random.Generator) -> TracingView:
    """Average n people, and ask about them and everybody who is neither among them nor a reference."""
    names = np.array([f"v{j}" for j in range(copies.shape[1])])
    order = rng.permutation(len(copies))
    means = copies[order[:n]].mean(axis=0) - 1.0
    read = mistaken(copies, rate, rng) - 1.0
    ids = np.array([f"p{i}" for i in range(len(copies))])

    def people(who: NDArray[np.intp]) -> object:
        return coded_from_values("id", ids[who], names, read[who], "genotype")

    targets = people(np.concatenate([order[:n], order[n + m :]]))
    release = MeansRelease("group", names, means, "genotype", n, "exact", 0.0)
    return TracingView(release, targets, people(order[n : n + m]))


def at_true_rate(
    members: NDArray[np.float64], outsiders: NDArray[np.float64], most: float
) -> tuple[float, float]:
    """Return who is accused at the largest threshold at which at most so many outsiders are."""
    cuts = [cut for cut in np.unique(members) if (outsiders <= cut).mean() <= most]
    cut = max(cuts, default=-1.0)
    return float((members <= cut).mean()), float((outsiders <= cut).mean())


def shown(rates: list[float]) -> str:
    """Return a mean in percent with its interval."""
    values = 100 * np.array(rates)
    wide = stats.t.ppf(0.975, values.size - 1) * values.std(ddof=1) / np.sqrt(values.size)
    return f"{values.mean():5.1f} ({max(values.mean() - wide, 0):.1f}-{min(values.mean() + wide, 100):.1f})"


def main() -> int:
    """Print a line for each size, error rate, test and level."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, nargs="+", default=[100, 200])
    parser.add_argument("--references", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    copies = dense(400, seed=args.seed)
    print(
        f"simulated: {copies.shape[0]:,} people x {copies.shape[1]:,} variants, {args.references} references"
    )
    missed = False
    for n in args.people:
        for rate in ERRORS:
            found: dict[tuple[str, float], list[tuple[float, float]]] = {}
            together: dict[str, list[tuple[NDArray[np.float64], NDArray[np.float64]]]] = {}
            for repeat in range(args.repeats):
                rng = stream(args.seed, "absent", n, repeat)
                view = dealt(copies, n, args.references, rate, rng)
                for name, test in TESTS.items():
                    p = trace(view, test, rng=rng).p_value
                    together.setdefault(name, []).append((p[:n], p[n:]))
                    for level in LEVELS:
                        rates = float((p[:n] <= level).mean()), float((p[n:] <= level).mean())
                        found.setdefault((name, level), []).append(rates)
            for (name, level), rows in found.items():
                true, false = [row[0] for row in rows], [row[1] for row in rows]
                line = f"n {n:3} errors {rate:g} {name:8} level {level:g}: "
                print(f"{line}members {shown(true)}, outsiders {shown(false)}", flush=True)
                missed |= bool(stats.ttest_1samp(false, level, alternative="greater").pvalue < 0.001)
            for name, each in together.items():
                ours, others = (np.concatenate(column) for column in zip(*each, strict=True))
                members, outsiders = at_true_rate(ours, others, 0.01)
                line = f"n {n:3} errors {rate:g} {name:8} true 1%, all draws together: "
                print(f"{line}members {members:.1%}, outsiders {outsiders:.1%}", flush=True)
                missed |= name == "auto" and rate == 0 and members < 0.99
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
