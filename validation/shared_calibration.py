"""Do verdicts stay where samples of the people take over what was learnt about the whole release?

A pass that no theorem covers is tried on five samples of the people. Their probabilities are moved as those
of the whole release, if they were decoded in the same way, instead of being tried on simulated releases of
their own. Here both are done about the same plans:

    python -m validation.shared_calibration [--share 0.5] [--first 100] [--only WORD ...] [--kept FILE]

Exit code 1 if a verdict differs.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any
from unittest.mock import patch

from validation.kept import asked
from validation.markdown import table
from validation.passes_secrets import drawn

from dalenius.reconstruction.attack import attack as attempts
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.audit import audit
from dalenius.reconstruction.opened import Planned, Scenario

SEEDS = 2
PEOPLE = (400, 1.0, 0.3)
"""How many, how much the odds of the secret change with sex and age, and how many have it."""

PLANS = {
    "sex, noise 3": ("tables:k=1,attributes=sex", "gaussian:sigma=3"),
    "sex, Laplace noise 2": ("tables:k=1,attributes=sex", "laplace:scale=2"),
    "sex and town, noise 6": ("tables:k=2,attributes=sex+town", "gaussian:sigma=6"),
    "one column, noise 6": ("tables:k=1", "gaussian:sigma=6"),
    "one column, Laplace noise 4": ("tables:k=1", "laplace:scale=4"),
    "two columns, noise 12": ("tables:k=2", "gaussian:sigma=12"),
    "two columns, Laplace noise 8": ("tables:k=2", "laplace:scale=8"),
    "one column, rounded to 50": ("tables:k=1", "rounding:base=50"),
    "two columns, rounded to 20": ("tables:k=2", "rounding:base=20"),
    "three columns, noise 3": ("tables:k=3", "gaussian:sigma=3"),
    "three columns, Laplace noise 2": ("tables:k=3", "laplace:scale=2"),
    "two columns, rounded to 10": ("tables:k=2", "rounding:base=10"),
    "one column, below 20 hidden": ("tables:k=1", "suppression:below=20"),
}


def both_ways(name: str, seed: int) -> list[list[Any]]:
    """The verdict, how many of the samples break the policy, and how many took over what was learnt."""
    return [list(_audited(name, seed, shared=shared)) for shared in (True, False)]


def _audited(name: str, seed: int, *, shared: bool) -> tuple[str, int, int]:
    taken = []

    def attack(view: Any, **how: Any) -> Guesses:
        learnt = how["calibrated"]
        if isinstance(learnt, bool) or shared:
            got = reconstruct(view, **how)
        else:
            got = reconstruct(view, **how | {"calibrated": True})
        taken.append(got.shift is not None and got.shift is learnt)
        return got

    with drawn(*PEOPLE, seed) as people, patch.object(attempts, "reconstruct", attack):
        report = audit(people, Planned(*PLANS[name]), Scenario(seed=seed)).report
    judged = report.findings[0].details.judged
    tried = judged.resampled
    return report.verdict, -1 if tried is None else tried.broken, sum(taken)


def main() -> int:
    """Print both verdicts of every plan; exit 1 if one differs."""
    kept, differ = asked(SEEDS), 0
    line = table("plan", "seeds", "samples that took it over", "verdicts that differ", "samples that differ")
    for name in filter(kept.wants, PLANS):
        found = list(kept.results(name, partial(both_ways, name)))
        verdicts = sum(shared[0] != own[0] for shared, own in found)
        samples = sum(abs(shared[1] - own[1]) for shared, own in found)
        line([name, str(len(found)), str(sum(shared[2] for shared, _ in found)), str(verdicts), str(samples)])
        differ += verdicts
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main())
