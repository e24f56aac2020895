"""A pass tried again on other people: what passes by luck on these does not pass on most of them.

Which hidden or rounded number ends near a limit is chance, and so is who happens to be in the data. A
release that no theorem covers therefore passes only if random nine tenths of the people, published and
attacked in the same way, keep to the policy as well. One service for every family: the family makes and
attacks the sample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from dalenius.findings.policy import Policy, Ruled, worst_of
from dalenius.findings.report import Finding
from dalenius.findings.resampled import Resampled
from dalenius.progress import Progress

SAMPLE_SHARE = 0.9
"""Share of the people on whom a pass is tried again: others, and nearly as many."""

TELLING = 5
"""Samples that are tried even where an earlier one breaks the policy."""


def needs_again(finding: Finding, rulings: Sequence[Ruled], policy: Policy) -> bool:
    """Whether a finding passes, and no theorem says that it must."""
    if worst_of(ruled.verdict for ruled in rulings) != "pass":
        return False
    bound, baseline = finding.bound, finding.decisive.baseline
    limit = policy.limit(0.0 if baseline is None else baseline.rate)
    return bound is None or bound.kind != "advantage-at-most" or bound.value > limit


def draw_sample(people: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Which of so many people are in a sample, in their order."""
    size = max(1, round(SAMPLE_SHARE * people))
    return np.sort(rng.choice(people, size, replace=False))


def try_again(draws: int, rulings: Callable[[int], Sequence[Ruled]], progress: Progress) -> Resampled:
    """Attack samples of the people; ``rulings`` says what a policy holds against the sample of a number.

    One that breaks the policy decides; a few more say how often that is, and then no further ones are tried.

    Examples
    --------
    >>> from dalenius.progress import silent
    >>> try_again(2, lambda draw: [Ruled("stop" if draw else "pass", "somebody is known.", "x")], silent)
    Resampled(draws=2, share=0.9, broken=1, reason='somebody is known.')
    >>> try_again(20, lambda draw: [Ruled("stop", "somebody is known.", "x")], silent).draws
    5
    """
    broken: list[str] = []
    tried = 0
    while tried < draws and not (broken and tried >= TELLING):
        progress(tried / draws, f"on other people, {tried + 1} of {draws}")
        broken += [ruled.reason for ruled in rulings(tried) if ruled.verdict == "stop"][:1]
        tried += 1
    return Resampled(
        draws=tried, share=SAMPLE_SHARE, broken=len(broken), reason=broken[0] if broken else None
    )
