"""Tracing on genomes with linkage and ancestry: who is accused at a nominal 1%, by five tests.

``python -m validation.genomes people.bed [--people 50 100 200 400] [--references 300] [--repeats 10]``
``python -m validation.genomes --simulated [...]``

A random group is averaged exactly; random references are drawn from the rest; everybody else is an outsider.
Outsiders with a relative in the group (kinship of the second degree or closer, by genotypes) are also left
out of a second false-positive rate: a relative's record is not independent of the release. Simulated
genomes (msprime) have linkage and two populations that parted 4,000 generations ago. Intervals are 95%,
over repetitions (Student's t), since the people of one repetition share one release and one reference.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy import stats
from validation.two_populations import common_variants

from dalenius.genomes.plink import read_plink
from dalenius.knowledge.tracing import TracingView
from dalenius.people.traits.traits import CodedTraits, coded_from_values, sums
from dalenius.random import stream
from dalenius.release.means import MeansRelease
from dalenius.tracing.attack.attack import trace
from dalenius.tracing.attack.genomes.adjusted import adjusted
from dalenius.tracing.attack.genomes.linkage import SECOND, kinship
from dalenius.tracing.attack.score_test import ScoreTest

Values = NDArray[np.float64]
LEVEL = 0.01


def simulated(each: int, *, chromosomes: int, seed: int) -> CodedTraits:
    """Genomes of two populations that parted 4,000 generations ago, common variants only."""
    seeds = range(1_000 * seed + 1, 1_000 * seed + chromosomes + 1)
    values = common_variants(each, seeds, rate=2e-9, length=1.5e6)
    names = np.array([f"v{j}" for j in range(values.shape[1])])
    return coded_from_values("id", np.array([f"p{i}" for i in range(2 * each)]), names, values, "genotype")


def in_sample(view: TracingView) -> Values:
    """Rank likelihood ratios among the references that also centre them: a mistake, for comparison."""
    total, seen = sums(view.reference)
    weights = _llr(view.release, total / (seen + 2))
    references, targets = view.reference.dot(weights), view.targets.dot(weights)
    return (1 + (references[:, None] >= targets).sum(axis=0)) / (1 + references.size)


def components_split(view: TracingView, count: int, rng: np.random.Generator) -> Values:
    """Likelihood ratios less their regression on components: one half fits, the other calibrates."""
    order = rng.permutation(view.reference.n)
    half = order.size // 2
    fit, null = view.reference.take(order[:half]), view.reference.take(order[half:])
    total, seen = sums(fit)
    mean = total / (seen + 2)
    spread = np.sqrt((1 - mean**2) / 2)
    z = np.nan_to_num((fit.values(slice(None)) - mean) / spread)
    z -= z.mean(axis=0)
    directions = z.T @ np.linalg.eigh(z @ z.T)[1][:, -count:]
    weights = np.column_stack([_llr(view.release, mean), directions / spread[:, None]])
    there, here = null.dot(weights), view.targets.dot(weights)
    design = lambda table: np.column_stack([np.ones(len(table)), table[:, 1:]])  # noqa: E731
    slope = np.linalg.lstsq(design(there), there[:, 0], rcond=None)[0]
    rest = there[:, 0] - design(there) @ slope
    deviation = np.sqrt((rest**2).sum() / (rest.size - count - 1))
    return np.asarray(stats.norm.sf((here[:, 0] - design(here) @ slope) / deviation))


def _llr(release: MeansRelease, mean: Values) -> Values:
    limit = 1 - 1 / (2 * release.n)
    return np.arctanh(np.clip(release.means, -limit, limit)) - np.arctanh(mean)


def p_values(view: TracingView, rng: np.random.Generator) -> dict[str, Values]:
    """Run every test."""
    fig1 = trace(view, rng=rng, test=ScoreTest(weights="raw", calibration="norm:comparators=1"))
    split = trace(view, rng=rng, test=ScoreTest(weights="llr", calibration="conformal:how=held-out"))
    return {
        "Figure 1, norm": fig1.p_value,
        "llr in-sample": in_sample(view),
        "llr split": split.p_value,
        "llr + 4 comp. split": components_split(view, 4, rng),
        "llr + 10 comp. split": components_split(view, 10, rng),
        "adjusted, rank": adjusted(view).p_value,
        "adjusted, student": adjusted(view, tail="student").p_value,
    }


def deal(
    people: CodedTraits, n: int, m: int, rng: np.random.Generator
) -> tuple[TracingView, NDArray[np.intp]]:
    """Draw a group of n, release its means, draw references; everybody else and the group are targets."""
    order = rng.permutation(people.n)
    group, targets = people.take(order[:n]), np.concatenate([order[:n], order[n + m :]])
    total, seen = sums(group)
    means = np.divide(total, seen, out=np.zeros_like(total), where=seen > 0)
    release = MeansRelease("group", people.names, means, "genotype", n, "exact", 0.0)
    return TracingView(release, people.take(targets), people.take(order[n : n + m])), targets


def measure(people: CodedTraits, n: int, m: int, repeats: int, seed: int) -> dict[str, Values]:
    """Return, for every test, a row a repetition: false, false without relatives, true."""
    related = kinship(people, people) >= SECOND
    found: dict[str, list[tuple[float, float, float]]] = {}
    for repeat in range(repeats):
        rng = stream(seed, "genomes", n, repeat)
        view, who = deal(people, n, m, rng)
        alone = ~related[np.ix_(who[n:], who[:n])].any(axis=1)
        for name, p in p_values(view, rng).items():
            accused = p <= LEVEL
            rates = (accused[n:].mean(), accused[n:][alone].mean(), accused[:n].mean())
            found.setdefault(name, []).append(rates)
    return {name: np.array(rows) for name, rows in found.items()}


def shown(rates: Values) -> str:
    """Return a mean in percent with its 95% interval over repetitions."""
    middle = rates.mean()
    wide = stats.t.ppf(0.975, rates.size - 1) * rates.std(ddof=1) / np.sqrt(rates.size)
    return f"{100 * middle:.1f} ({100 * max(middle - wide, 0):.1f}-{100 * min(middle + wide, 1):.1f})"


def main() -> int:
    """Print the table; exit 1 if the adjusted rank misses what it should show on simulated genomes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bed", nargs="?", type=Path)
    parser.add_argument("--simulated", action="store_true")
    parser.add_argument("--people", type=int, nargs="+", default=[50, 100, 200, 400])
    parser.add_argument("--references", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.simulated == (args.bed is not None):
        parser.error("give a .bed file or --simulated")
    people = simulated(500, chromosomes=30, seed=args.seed) if args.simulated else read_plink(args.bed).traits
    console = Console(width=110)
    console.print(f"{people.n:,} people x {people.d:,} variants, {args.references} references, nominal 1%")
    missed = False
    for n in args.people:
        found = measure(people, n, args.references, args.repeats, args.seed)
        table = Table("test", "false %", "false %, no relatives", "true %", title=f"n = {n}")
        for name, rows in found.items():
            table.add_row(name, *(shown(column) for column in rows.T))
        console.print(table)
        level = stats.ttest_1samp(found["adjusted, rank"][:, 0], 1.5 * LEVEL, alternative="greater").pvalue
        before, after = found["llr split"][:, 2].mean(), found["adjusted, rank"][:, 2].mean()
        missed |= bool(level < 1e-3 or (0.2 <= before <= 0.4 and after < 2 * before))
    return int(args.simulated and missed)


if __name__ == "__main__":
    sys.exit(main())
