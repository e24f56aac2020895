"""What passes in tracing, and whom it accuses: releases that leak, releases that do not, files as they come.

``python -m validation.passes_tracing [--share 0.1] [--only members targets] [--kept FILE]``

Genomes are simulated with msprime: two populations that parted 4,000 generations ago, linked variants. A seed
divides the same people anew into members, references and others. The first table is about `trace members`:
verdicts on releases that recognise most members by construction, and on releases that hold nothing of them.
The second is about `trace targets`: how often innocent people have a p-value of 0.05 or less, how many of
them are accused, and whether anything is decided. Exit 1 if a release that leaks passes, if more of the
others stop than stated, or if innocents are accused where the level is broken.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from typing import cast

import numpy as np
from numpy.typing import NDArray
from validation.kept import Kept, asked
from validation.markdown import table
from validation.two_populations import common_variants

from dalenius.findings.policy import Policy, worst_of
from dalenius.genomes.orient import orient
from dalenius.knowledge.tracing import KnownMeans, Reference, ReferenceMeans, TracingView
from dalenius.people.traits.traits import CodedTraits, coded_from_values
from dalenius.random import stream
from dalenius.release.means import MeansRelease
from dalenius.release.means_publish import publish_means
from dalenius.tracing.case import MembersSettings
from dalenius.tracing.finding import Targets, TracingFinding
from dalenius.tracing.questions.members import Traced, trace_members
from dalenius.tracing.questions.targets import trace_targets
from dalenius.tracing.rules import rulings

Values = NDArray[np.float64]

SEEDS, MEMBERS, REFERENCES, EACH = 40, 60, 150, 200
LIMIT = 0.05
"""Points over people not in the data that the policy allows."""

STOPS = 0.05
"""Share of releases without members that may be stopped: one minus the confidence of the intervals."""


@cache
def people() -> Values:
    """Genomes of two populations, mixed: -1, 0 and 1 copies less one of common variants."""
    return common_variants(EACH, range(1, 13), rate=3e-9)


class Deal:
    """One division of the people."""

    def __init__(self, seed: int) -> None:
        self.rng = stream(seed, "passes")
        order = self.rng.permutation(2 * EACH)
        self.inside, self.pool, self.others = np.split(order, [MEMBERS, MEMBERS + REFERENCES])
        self.table = people()
        self.names = np.array([f"rs{j}" for j in range(self.table.shape[1])])

    def traits(self, values: Values, prefix: str) -> CodedTraits:
        """Pack genomes, with names of their own."""
        ids = np.array([f"{prefix}{i}" for i in range(len(values))])
        return coded_from_values("id", ids, self.names, values, "genotype")

    def hidden(self, values: Values, share: float) -> Values:
        """Take a share of the values away at random."""
        return np.where(self.rng.random(values.shape) < share, np.nan, values)

    @property
    def members(self) -> Values:
        """Genomes of the people in the release."""
        return self.table[self.inside]

    @property
    def references(self) -> Values:
        """Genomes that the attacker holds."""
        return self.table[self.pool]

    @property
    def strangers(self) -> Values:
        """Genomes of everybody else."""
        return self.table[self.others]


def ruled(found: Traced) -> str:
    """Return the worst of all rules."""
    return worst_of(each.verdict for each in rulings(found.finding, Policy(max_advantage=LIMIT)))


def audited(deal: Deal, mechanism: str, members: Values, references: Values) -> str:
    """Return the verdict on a release of the members."""
    traced = trace_members(
        deal.traits(members, "m"),
        deal.traits(references, "r"),
        mechanism,
        how=MembersSettings(seed=int(deal.rng.integers(1 << 30))),
    )
    return ruled(traced)


def of_others(deal: Deal) -> str:
    """Return the verdict on members who are not in the release at all."""
    release = publish_means(deal.traits(deal.strangers[:MEMBERS], "x"), "exact", rng=deal.rng)
    found = trace_members(deal.traits(deal.members, "m"), deal.traits(deal.references, "r"), release)
    return ruled(found)


def twice(deal: Deal) -> str:
    """References of whom a third are members, typed again with errors."""
    again = deal.members[:50]
    errors = deal.rng.integers(-1, 2, again.shape)
    again = np.where(deal.rng.random(again.shape) < 0.002, errors, again)
    return audited(deal, "exact", deal.members, np.concatenate([deal.references[:100], again]))


def one_ancestry(deal: Deal) -> str:
    """References of one population, members of the other: accused with the release and without it."""
    return audited(deal, "exact", deal.table[EACH : 2 * EACH - 20], deal.table[: EACH - 20])


LEAKING: dict[str, Callable[[Deal], str]] = {
    "exact means": lambda deal: audited(deal, "exact", deal.members, deal.references),
    "noise of 0.001": lambda deal: audited(deal, "gaussian:sigma=0.001", deal.members, deal.references),
    "rounded to 3 digits": lambda deal: audited(deal, "rounding:digits=3", deal.members, deal.references),
    "a fifth of the members' values missing": lambda deal: audited(
        deal, "exact", deal.hidden(deal.members, 0.2), deal.references
    ),
    "a fifth of the references' values missing": lambda deal: audited(
        deal, "exact", deal.members, deal.hidden(deal.references, 0.2)
    ),
    "members among the references, typed again": twice,
    "references of another ancestry": one_ancestry,
    "23 references": lambda deal: audited(deal, "exact", deal.members, deal.references[:23]),
}

HARMLESS: dict[str, Callable[[Deal], str]] = {
    "means of other people": of_others,
    "noise of 5": lambda deal: audited(deal, "gaussian:sigma=5", deal.members, deal.references),
    "gaussian:rho=0.0001": lambda deal: audited(deal, "gaussian:rho=0.0001", deal.members, deal.references),
}


def asks(
    deal: Deal,
    *,
    targets: Callable[[Values], Values] = lambda values: values,
    reference: Reference | None = None,
    means: Values | None = None,
) -> tuple[Values, int, str]:
    """Trace members and strangers; return the strangers' p-values, how many are accused, and the verdict."""
    published = deal.members.mean(axis=0) if means is None else means
    both = np.concatenate([deal.members[:20], deal.strangers])
    release = MeansRelease("r", deal.names, published, "genotype", MEMBERS, "exact", 0.0)
    held = deal.traits(deal.references, "r") if reference is None else reference
    view = TracingView(release, deal.traits(targets(both), "t"), held)
    found, said = trace_targets(view)
    return said.p_value[20:], int(said.accused(0.05)[20:].sum()), _decided(found)


def mislabelled(deal: Deal, *, checked: bool) -> tuple[Values, int, str]:
    """A tenth of the published frequencies are of the other allele."""
    means = deal.members.mean(axis=0)
    means = np.where(deal.rng.random(means.size) < 0.1, -means, means)
    if checked:
        theirs = (deal.references.mean(axis=0) + 1) / 2
        found = orient((means + 1) / 2, theirs, np.ones(means.size, np.bool_))
        means = np.where(found.turn, -means, means)
    return asks(deal, means=means)


def heterozygous(deal: Deal) -> tuple[Values, int, str]:
    """A fifth of the targets' heterozygous calls are missing."""
    return asks(
        deal,
        targets=lambda values: np.where(
            (values == 0) & (deal.rng.random(values.shape) < 0.2), np.nan, values
        ),
    )


def elsewhere(deal: Deal) -> tuple[Values, int, str]:
    """References of one of the two populations only."""
    here = np.concatenate([deal.pool, deal.others])
    one = deal.table[here[here < EACH][:REFERENCES]]
    deal.others = here[here >= EACH]
    return asks(deal, reference=deal.traits(one, "r"))


Asked = Callable[[Deal], tuple[Values, int, str]]

ASKED: dict[str, Asked] = {
    "150 reference people": asks,
    "targets lack 5% of their values": lambda deal: asks(deal, targets=lambda v: deal.hidden(v, 0.05)),
    "targets lack 20%": lambda deal: asks(deal, targets=lambda v: deal.hidden(v, 0.2)),
    "targets lack 50%": lambda deal: asks(deal, targets=lambda v: deal.hidden(v, 0.5)),
    "references lack 20%": lambda deal: asks(
        deal, reference=deal.traits(deal.hidden(deal.references, 0.2), "r")
    ),
    "targets lack a fifth of heterozygous calls": heterozygous,
    "a tenth of the alleles mislabelled, and checked": lambda deal: mislabelled(deal, checked=True),
    "frequencies of 150 people": lambda deal: asks(
        deal, reference=ReferenceMeans(deal.references.mean(axis=0), REFERENCES)
    ),
    "frequencies said to be the population's": lambda deal: asks(
        deal, reference=KnownMeans(deal.references.mean(axis=0))
    ),
    "18 reference people": lambda deal: asks(deal, reference=deal.traits(deal.references[:18], "r")),
    "references of another ancestry": elsewhere,
}


def _decided(found: TracingFinding) -> str:
    """Whether anybody could be accused; no safety is shown by that."""
    targets = cast(Targets, found.details)
    return "undecided" if targets.alarms or targets.out_of_reach else "told"


def verdicts(cases: dict[str, Callable[[Deal], str]], kind: str, kept: Kept) -> bool:
    """Print the verdicts on each kind of release; say whether one is wrong."""
    wrong = False
    line = table(kind, "pass", "stop", "undecided")
    for name, run in cases.items():
        case = f"members: {name}"
        if kept.wants(case):
            found = Counter(kept.results(case, lambda seed, run=run: run(Deal(seed))))
            line([name, *(str(found[verdict]) for verdict in ("pass", "stop", "undecided"))])
            wrong |= found["pass"] > 0 if cases is LEAKING else found["stop"] > max(STOPS * kept.seeds, 1)
    return wrong


def innocents(run: Asked, seed: int) -> tuple[float, float, bool]:
    """Shares of innocent people with a p-value of 0.05 or less, and accused; whether nothing is decided."""
    p, accused, verdict = run(Deal(seed))
    return float((p <= 0.05).mean()), accused / p.size, verdict == "undecided"


def accusations(kept: Kept) -> bool:
    """Print what happens to innocent people; say whether any is accused at a level that does not hold."""
    wrong = False
    line = table("files", "innocents with p ≤ 0.05, %", "worst seed, %", "innocents accused, %", "undecided")
    for name, run in ASKED.items():
        case = f"targets: {name}"
        if not kept.wants(case):
            continue
        low, accused, undecided = np.array(list(kept.results(case, partial(innocents, run)))).T
        cells = [f"{100 * low.mean():.1f}", f"{100 * low.max():.1f}", f"{100 * accused.mean():.2f}"]
        line([name, *cells, f"{undecided.sum():.0f} of {kept.seeds}"])
        wrong |= accused.mean() > 0.05 or (low.mean() > 0.08 and undecided.mean() < 0.8)
    return wrong


def main() -> int:
    """Print the tables; exit 1 if one shows what must not be."""
    kept = asked(SEEDS)
    wrong = verdicts(LEAKING, "releases that leak", kept)
    wrong |= verdicts(HARMLESS, "releases that do not", kept)
    return int(wrong | accusations(kept))


if __name__ == "__main__":
    sys.exit(main())
