"""Do levels of 5, 1 and 0.1% hold on genomes, in files as they come?

Run: python -m validation.tracing_small_levels [--divisions 6] [--only complete]

A rank among m references is no p-value below 1/(m+1), so 0.1% needs a thousand of them. Genomes are simulated
with msprime: two populations that parted 4,000 generations ago, linked variants. Each division deals the same
people anew into members, 1,000 references and innocents. A line fails if the lower 99.9% limit of the share
of innocents at or below a level is above it and nothing said that the level is doubted. All innocents of a
division are ranked among the same references, so the spread over divisions is printed beside the mean.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta
from validation.markdown import table
from validation.two_populations import common_variants

from dalenius.genomes.orient import orient
from dalenius.knowledge.tracing import ReferenceMeans, TracingView
from dalenius.people.traits.traits import CodedTraits, coded_from_values
from dalenius.random import stream
from dalenius.release.means import MeansRelease
from dalenius.tracing.attack.accusations import Accusations
from dalenius.tracing.attack.attack import trace

Values = NDArray[np.float64]

EACH, MEMBERS, REFERENCES = 750, 100, 1000
LEVELS = (0.05, 0.01, 0.001)


@cache
def people() -> Values:
    """Copies less one of common variants, two populations."""
    return common_variants(EACH, range(1, 9), rate=2e-9)


class Division:
    """One deal of the people."""

    def __init__(self, seed: int) -> None:
        self.rng = stream(seed, "small levels")
        order = self.rng.permutation(2 * EACH)
        inside, held, others = np.split(order, [MEMBERS, MEMBERS + REFERENCES])
        self.members, self.references, self.innocents = (people()[who] for who in (inside, held, others))
        self.means = self.members.mean(axis=0)

    def hide(self, values: Values, share: float) -> Values:
        """Take values away at random."""
        return np.where(self.rng.random(values.shape) < share, np.nan, values)

    def traced(
        self, means: Values | None = None, targets: Values | None = None, references: Values | None = None
    ) -> Accusations:
        """Ask about the innocents."""
        held = self.references if references is None else references
        return self._trace(means, targets, packed(held, "r"))

    def by_frequencies(self) -> Accusations:
        """The same with the references' frequencies alone."""
        return self._trace(None, None, ReferenceMeans(self.references.mean(axis=0), REFERENCES))

    def mislabelled(self) -> Accusations:
        """A tenth of the frequencies are of the other allele, and checked against the references."""
        means = np.where(self.rng.random(self.means.size) < 0.1, -self.means, self.means)
        return self.traced(self._turned(means, named=True))

    def folded(self) -> Accusations:
        """Frequencies of the rarer allele, none named, and turned by the references."""
        return self.traced(self._turned(-np.abs(self.means), named=False))

    def _turned(self, means: Values, *, named: bool) -> Values:
        theirs = (self.references.mean(axis=0) + 1) / 2
        found = orient((means + 1) / 2, theirs, np.full(means.size, named))
        return np.where(found.turn, -means, means)

    def _trace(
        self, means: Values | None, targets: Values | None, held: CodedTraits | ReferenceMeans
    ) -> Accusations:
        published = self.means if means is None else means
        names = np.array([f"rs{j}" for j in range(published.size)])
        release = MeansRelease("r", names, published, "genotype", MEMBERS, "exact", 0.0)
        asked = packed(self.innocents if targets is None else targets, "t")
        return trace(TracingView(release, asked, held), rng=self.rng)


def packed(values: Values, prefix: str) -> CodedTraits:
    """Give genomes names."""
    ids = np.array([f"{prefix}{i}" for i in range(len(values))])
    return coded_from_values(
        "id", ids, np.array([f"rs{j}" for j in range(values.shape[1])]), values, "genotype"
    )


LINES: dict[str, Callable[[Division], Accusations]] = {
    "complete": lambda d: d.traced(),
    "a tenth of the alleles mislabelled, and checked": Division.mislabelled,
    "frequencies of the rarer allele, none named": Division.folded,
    "targets lack 5%": lambda d: d.traced(targets=d.hide(d.innocents, 0.05)),
    "targets lack 10%": lambda d: d.traced(targets=d.hide(d.innocents, 0.1)),
    "targets lack 20%": lambda d: d.traced(targets=d.hide(d.innocents, 0.2)),
    "targets lack 50%": lambda d: d.traced(targets=d.hide(d.innocents, 0.5)),
    "references lack 20%": lambda d: d.traced(references=d.hide(d.references, 0.2)),
    "18 references": lambda d: d.traced(references=d.references[:18]),
    "frequencies of the references alone": Division.by_frequencies,
}


def main() -> int:
    """Print a line for each kind of file; exit 1 if a level is broken that is not called doubted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--divisions", type=int, default=6)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", nargs="*")
    args = parser.parse_args()
    size = people().shape
    print(f"simulated: {size[0]:,} people x {size[1]:,} variants, {REFERENCES:,} references", flush=True)
    line = table(
        "files", "innocents", *(f"p ≤ {level:g}, % (most)" for level in LEVELS), "smallest p", "doubted"
    )
    broken = False
    for name, run in LINES.items():
        if args.only and not any(word in name for word in args.only):
            continue
        start, said = time.process_time(), []
        for seed in range(args.first, args.first + args.divisions):
            said.append(run(Division(seed)))
        doubted = all(each.doubts for each in said)
        shares = np.array([[(each.p_value <= level).mean() for level in LEVELS] for each in said])
        total = sum(each.p_value.size for each in said)
        for level, hits in zip(LEVELS, (shares.mean(axis=0) * total).round(), strict=True):
            broken |= not doubted and bool(hits and beta.ppf(0.001, hits, total - hits + 1) > level)
        cells = [
            f"{100 * a:.2f} ({100 * b:.2f})"
            for a, b in zip(shares.mean(axis=0), shares.max(axis=0), strict=True)
        ]
        least = min(float(each.p_value.min()) for each in said)
        line([name, f"{total:,}", *cells, f"{least:.2g}", "yes" if doubted else "no"])
        print(f"  {time.process_time() - start:.0f} CPU s", file=sys.stderr, flush=True)
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
