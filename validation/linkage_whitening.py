"""Does taking linkage out of the records help the adjusted test? Members found with and without, at 1%.

``python validation/linkage_whitening.py [--people 100] [--repeats 5] [--block 200] [--least 0.01]``

Simulated genomes (msprime), one dense region of 3 million bases, two growing populations, 300 references:
the adjusted test with all of them, and with half of them for the correlations of neighbours.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from absent_alleles import dealt, dense
from dalenius.random import stream
from dalenius.tracing.attack.genomes.adjusted import adjusted


def main() -> int:
    """Print members and outsiders accused at 1%."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--block", type=int, default=200)
    parser.add_argument("--least", type=float, default=0.01)
    args = parser.parse_args()
    copies = dense(400, seed=1)
    share = copies.mean(axis=0) / 2
    copies = copies[:, np.minimum(share, 1 - share) >= args.least]
    print(
        f"{copies.shape[1]:,} variants from {args.least:g} on, {args.people} people",
        flush=True,
    )
    found: dict[str, list[tuple[float, float]]] = {}
    for repeat in range(args.repeats):
        view = dealt(copies, args.people, 300, 0.0, stream(1, "whitening", repeat))
        for name, whiten in (("adjusted", None), ("whitened", args.block)):
            p = adjusted(view, whiten=whiten, rng=stream(1, "halves", repeat)).p_value
            low = p <= 0.01
            found.setdefault(name, []).append((low[: args.people].mean(), low[args.people :].mean()))
    for name, rows in found.items():
        members, others = 100 * np.mean(rows, axis=0)
        error = 100 * np.std(rows, axis=0, ddof=1) / np.sqrt(len(rows))
        print(f"{name}: members {members:.1f} ({error[0]:.1f})%, outsiders {others:.1f} ({error[1]:.1f})%")
    return 0


if __name__ == "__main__":
    sys.exit(main())
