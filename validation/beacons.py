"""How many questions recognise the members of a beacon, on dense simulated genomes, and what noise ends it.

``python validation/beacons.py [--people 100] [--queries 50] [--noise 0 0.1 0.3]``

Genomes as in ``absent_alleles.py``; everybody who is not in the beacon is reference or outsider in turn.
Exit 1 if people who are not in it are accused beyond the level, or answers without noise do not recognise
half.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from scipy import stats

from absent_alleles import dense
from dalenius.people.traits.traits import CodedTraits, coded_from_values
from dalenius.tracing.attack.genomes.beacon import BeaconAttack
from dalenius.tracing.case import MembersSettings
from dalenius.tracing.files.groups import TraitGroups
from dalenius.tracing.questions.beacon import run_beacon


def main() -> int:
    """Print, for each noise, members and others accused by level."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--noise", type=float, nargs="+", default=[0.0, 0.1, 0.3])
    args = parser.parse_args()
    copies = dense(400, seed=1)
    order = np.random.default_rng(1).permutation(len(copies))
    names = np.array([f"v{j}" for j in range(copies.shape[1])])

    def people(who: np.ndarray) -> CodedTraits:
        ids = np.array([f"p{i}" for i in who])
        return coded_from_values("id", ids, names, copies[who] - 1.0, "genotype")

    groups = TraitGroups(people(order[: args.people]), people(order[args.people :]))
    missed = False
    for noise in args.noise:
        found = run_beacon(groups, BeaconAttack(args.queries, flip=noise), MembersSettings()).finding
        for row in found.reachable:
            rates = f"members {row.attack.rate:.1%}, others {row.outsiders.rate:.1%}"
            print(f"noise {noise:g}, {args.queries} questions, level {row.at:g}: {rates}", flush=True)
            missed |= row.outsiders.hits > stats.binom.ppf(0.999, row.outsiders.trials, row.at)
        print(next(fact for fact in found.facts if "fewer questions" in fact), flush=True)
        missed |= noise == 0 and found.reachable[0].attack.rate < 0.5
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
