"""What passes of releases about secrets: leaks by construction never, harmless ones nearly always.

Run it whole with ``python -m validation.passes_secrets``; ``--share 0.1`` draws a tenth of the seeds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa
from validation.markdown import asked, table

import dalenius
from dalenius.audit.run import Planned, audit
from dalenius.dataset.dataset import Dataset, read
from dalenius.findings.policy import Policy

SEEDS = 40
FINE = "tables:k=3,attributes=age+yrs_married+children"

LEAKS = {
    "exact": (FINE, "exact"),
    "noise 0.01": (FINE, "gaussian:sigma=0.01"),
    "Laplace noise 0.01": (FINE, "laplace:scale=0.01"),
    "geometric noise 0.05": (FINE, "geometric:scale=0.05"),
    "noise 0.05, then rounded to 0.1": (FINE, "gaussian:sigma=0.05 | rounding:digits=1"),
    "noise 0.01, then rounded to 5": (FINE, "gaussian:sigma=0.01 | rounding:base=5"),
    "noise 0.5 on tables of eight columns": ("tables:k=3", "gaussian:sigma=0.5"),
    "rounded to 5, then noise 0.01": (FINE, "rounding:base=5 | gaussian:sigma=0.01"),
    "rounded to 5": (FINE, "rounding:base=5"),
    "cells below 10 hidden": (FINE, "suppression:below=10"),
    "rounded to 5, tables of eight columns": ("tables:k=3", "rounding:base=5"),
}
"""About the survey of 6,366 women: people in cells of one, or tables that differ by one, are given away."""

HARMLESS = {
    "noise, rho 0.01": ("tables:k=2", "gaussian:rho=0.01"),
    "noise, epsilon 0.2": ("tables:k=2", "laplace:epsilon=0.2"),
    "rounded to 100": ("tables:k=2", "rounding:base=100"),
    "one table of large cells, noise 3": ("tables:k=1,attributes=sex", "gaussian:sigma=3"),
}
"""Releases that say nothing about anybody, or nothing beyond what people like them usually have."""

POPULATIONS = {
    "400 people, no rule": (400, 0.0, 0.4),
    "400 people, a strong rule": (400, 3.0, 0.5),
    "400 people, one in ten": (400, 1.0, 0.1),
    "60 people, a strong rule": (60, 3.0, 0.5),
}
"""How many people, how much the odds of the secret change with sex and age, and how many have it."""


def leaks(only: Mapping[str, tuple[str, str]] = LEAKS) -> Iterator[tuple[str, str, int, int]]:
    """Audit every leak alone; give its verdict, and who is certain and known."""
    with dalenius.example("fair") as people:
        for name, (statistics, mechanism) in only.items():
            report = audit(people, statistics=statistics, mechanism=mechanism).report
            finding = report.findings[0]
            known = sum(row.right for row in finding.known)
            yield name, report.verdict, finding.certain.hits, known


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


def harmless(population: str, seeds: int) -> tuple[dict[str, Counter[str]], int]:
    """Audit the harmless releases of many draws of people, as alternatives of one plan.

    Their intervals hold together, so what is promised is about plans: in how many does anything stop.
    """
    n, slope, share = POPULATIONS[population]
    planned = {name: Planned(*how) for name, how in HARMLESS.items()}
    verdicts: dict[str, Counter[str]] = {name: Counter() for name in planned}
    stopped = 0
    for seed in range(seeds):
        with drawn(n, slope, share, seed) as people:
            report = audit(people, releases=planned, seed=seed, policy=Policy()).report
        stopped += report.verdict == "stop"
        for each in report.verdicts:
            if each.release in verdicts:
                verdicts[each.release][each.verdict] += 1
    return verdicts, stopped


def main() -> None:
    """Print both tables."""
    options = asked()
    line = table("leaks by construction", "certain", "known besides", "verdict")
    for name, verdict, certain, known in leaks():
        line([name, f"{certain:,}", f"{known:,}", verdict])
        assert verdict != "pass", name
    seeds = max(2, round(SEEDS * options.share))
    line = table("harmless", *(f"{name}: pass / undecided / stop" for name in HARMLESS), "plans that stop")
    for population in POPULATIONS:
        if options.only and population not in options.only:
            continue
        verdicts, stopped = harmless(population, seeds)
        words = ("pass", "undecided", "stop")
        counts = [" / ".join(str(found[word]) for word in words) for found in verdicts.values()]
        line([population, *counts, f"{stopped} of {seeds}"])


if __name__ == "__main__":
    main()
