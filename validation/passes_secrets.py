"""What passes of releases about secrets: leaks by construction never, harmless ones nearly always.

Run it whole with ``python -m validation.passes_secrets [--share 0.1] [--only WORD ...] [--kept FILE]``. Exit
code 1 if a leak passes, or if anything stops in more harmless plans than the intervals allow.
"""

from __future__ import annotations

import sys
from collections import Counter
from functools import partial

import numpy as np
import pyarrow as pa
from validation.kept import Kept, asked
from validation.markdown import table

import dalenius
from dalenius.findings.policy import Policy
from dalenius.people.dataset import Dataset, read
from dalenius.reconstruction.audit import audit
from dalenius.reconstruction.opened import Planned, Scenario

SEEDS = 40
STOPS = 0.05
"""Share of plans in which anything may stop: one minus the confidence of the intervals."""

FINE = "tables:k=3,attributes=age+yrs_married+children"

LEAKS = {
    "exact": (FINE, "exact"),
    "noise 0.01": (FINE, "gaussian:sigma=0.01"),
    "Laplace noise 0.01": (FINE, "laplace:scale=0.01"),
    "geometric noise 0.05": (FINE, "geometric:scale=0.05"),
    "noise 0.3": (FINE, "gaussian:sigma=0.3"),
    "Laplace noise 0.15": (FINE, "laplace:scale=0.15"),
    "noise 0.05, then rounded to 0.1": (FINE, "gaussian:sigma=0.05 | rounding:digits=1"),
    "noise 0.01, then rounded to 5": (FINE, "gaussian:sigma=0.01 | rounding:base=5"),
    "noise 0.5 on tables of eight columns": ("tables:k=3", "gaussian:sigma=0.5"),
    "rounded to 5, then noise 0.01": (FINE, "rounding:base=5 | gaussian:sigma=0.01"),
    "rounded to 5": (FINE, "rounding:base=5"),
    "cells below 10 hidden": (FINE, "suppression:below=10"),
    "cells below 10 hidden, then noise 0.01": (FINE, "suppression:below=10 | gaussian:sigma=0.01"),
    "rounded to 5, tables of eight columns": ("tables:k=3", "rounding:base=5"),
    "cells below 10 hidden, tables of eight columns": ("tables:k=3", "suppression:below=10"),
}
"""About the survey of 6,366 women: people in cells of one, or tables that differ by one, are given away."""

HARMLESS = {
    "noise, rho 0.01": ("tables:k=2", "gaussian:rho=0.01"),
    "noise, epsilon 0.2": ("tables:k=2", "laplace:epsilon=0.2"),
    "one table of large cells, noise 3": ("tables:k=1,attributes=sex", "gaussian:sigma=3"),
}
"""Releases that say nothing about anybody, or nothing beyond what people like them usually have."""

OTHER = "noise, epsilon 0.2"
"""Which of them would be published in place of the first."""

POPULATIONS = {
    "400 people, no rule": (400, 0.0, 0.4),
    "400 people, a strong rule": (400, 3.0, 0.5),
    "400 people, one in ten": (400, 1.0, 0.1),
    "60 people, a strong rule": (60, 3.0, 0.5),
}
"""How many people, how much the odds of the secret change with sex and age, and how many have it."""


def leak(name: str) -> tuple[str, int, int]:
    """Audit a leak alone; return its verdict, and how many are certain and known."""
    statistics, mechanism = LEAKS[name]
    with dalenius.example("fair") as people:
        report = audit(people, Planned(statistics, mechanism)).report
    finding = report.findings[0]
    return report.verdict, finding.certain, sum(row.right for row in finding.details.judged.known)


def drawn(n: int, slope: float, share: float, seed: int) -> Dataset:
    """Draw people whose secret depends on sex and age, and on nothing else."""
    rng = np.random.default_rng(seed)
    age, sex = rng.integers(0, 5, n), rng.integers(0, 2, n)
    odds = slope * (sex - 0.5 + (age - 2) / 4) + np.log(share / (1 - share))
    ill = rng.random(n) < 1 / (1 + np.exp(-odds))
    ill[:2] = True, False  # a secret that nobody has is no secret
    rows = {
        "age": [f"{20 + 10 * a} to {29 + 10 * a}" for a in age],
        "sex": np.where(sex == 1, "f", "m"),
        "town": rng.choice(list("abcd"), n),
        "ill": np.where(ill, "yes", "no"),
    }
    return read(pa.table(rows), secret="ill")  # noqa: S106  (a column, not a password)


def harmless(population: str, seed: int) -> dict[str, str]:
    """Audit the harmless releases of one draw of people, as alternatives of one plan: a verdict for each."""
    planned = {name: Planned(*how) for name, how in HARMLESS.items()}
    planned[OTHER] = Planned(*HARMLESS[OTHER], alternative_to=next(iter(HARMLESS)))
    with drawn(*POPULATIONS[population], seed) as people:
        report = audit(people, planned, Scenario(policy=Policy(), seed=seed)).report
    return {each.release: each.verdict for each in report.verdicts if each.release in planned}


def leaking(kept: Kept) -> bool:
    """Print what is said of leaks; say whether one passes."""
    wrong = False
    line = table("leaks by construction", "certain", "known besides", "verdict")
    for name in filter(kept.wants, LEAKS):
        verdict, certain, known = next(kept.results(name, lambda seed, name=name: leak(name)))
        line([name, f"{certain:,}", f"{known:,}", verdict])
        wrong |= verdict == "pass"
    return wrong


def not_leaking(kept: Kept) -> bool:
    """Print what is said of harmless releases; say whether more plans stop than the intervals allow.

    All intervals of a plan hold together, so what is promised is about plans: in how many does anything stop.
    """
    wrong = False
    line = table("harmless", *(f"{name}: pass / undecided / stop" for name in HARMLESS), "plans that stop")
    for population in filter(kept.wants, POPULATIONS):
        plans = list(kept.results(population, partial(harmless, population)))
        counts = [Counter(plan[name] for plan in plans) for name in HARMLESS]
        cells = [" / ".join(str(found[word]) for word in ("pass", "undecided", "stop")) for found in counts]
        stopped = sum("stop" in plan.values() for plan in plans)
        line([population, *cells, f"{stopped} of {len(plans)}"])
        wrong |= stopped > max(1, STOPS * len(plans))
    return wrong


def main() -> int:
    """Print both tables; exit 1 if one shows what must not be."""
    kept = asked(SEEDS)
    return int(leaking(kept) | not_leaking(kept))


if __name__ == "__main__":
    sys.exit(main())
