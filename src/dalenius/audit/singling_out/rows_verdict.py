"""What attacking a released table showed, what that rests on, and why it may show nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator

from dalenius.attacks.singling_out.weights import HoldoutSource
from dalenius.audit.singling_out.rows_limit import Judging
from dalenius.audit.singling_out.rows_result import AtLimit
from dalenius.findings.interval import clopper_pearson
from dalenius.findings.singling_out import Outcome
from dalenius.findings.singling_out_build import one_in
from dalenius.theory.isolation import isolation

NEAR_ONE = 2.0
"""Classes whose r lies within this factor of 1 are as large as luck would have them."""


def conclude_rows(at: AtLimit, judging: Judging, ratio: float) -> tuple[Outcome, str | None]:
    """Return what was shown at the decisive limit, and why it decides nothing, if so.

    Parameters
    ----------
    at
        The decisive limit.
    ratio
        The median of ``r = n w / k`` over classes.
    """
    if judging.weighing.source is None:
        return "no verdict", "there is nobody to weigh conditions with; give a population or a holdout"
    if judging.truth is None:
        return "no verdict", "the original rows were not given, so nobody can count whom conditions match"
    if at.lower_end is not None and at.lower_end > 0:
        return "demonstrated", None
    size = judging.weighing.everybody
    if size is not None and at.limit * size < 1:
        return "not shown", too_small(judging.n, size, at.limit)
    if at.isolating and clopper_pearson(at.isolating, at.trials, judging.confidence).low > at.baseline:
        return "not shown", uncertified(at, judging)
    if 1 / NEAR_ONE <= ratio <= NEAR_ONE:
        return "no advantage", None
    return "not shown", None if at.trials else "no condition that is light enough could be written down"


def too_small(n: int, size: int, limit: float) -> str:
    """Say that no condition can be as light as the limit, and which limit a population of this size allows.

    Examples
    --------
    >>> too_small(400, 3000, 0.01 / 400)
    'a condition that somebody in a population of 3,000 meets is met by at least 1 in 3,000, not at most 1 in
    40,000; give a larger population, or take the limit 0.2 (luck is then 16.4%)'
    >>> too_small(400, 100, 0.01 / 400)
    'a condition that somebody in a population of 100 meets is met by at least 1 in 100, not at most 1 in
    40,000; give a larger population'
    """
    said = (
        f"a condition that somebody in a population of {size:,} meets is met by at least 1 in {size:,}, not "
        f"{one_in(limit)}; give a larger population"
    )
    c = usable_limit(n, size)
    return said if c is None else f"{said}, or take the limit {c:g} (luck is then {isolation(n, c / n):.1%})"


def usable_limit(n: int, size: int) -> float | None:
    """Return the least limit of one digit, as a share of 1/n, that one person in a population meets.

    Examples
    --------
    >>> usable_limit(400, 3000), usable_limit(1000, 100_000), usable_limit(400, 100)
    (0.2, 0.01, None)
    """
    least = n / size
    unit = 10.0 ** math.floor(math.log10(least) + 1e-9)
    rounded = math.ceil(least / unit - 1e-9) * unit
    return round(rounded, 12) if rounded <= 1 else None


def uncertified(at: AtLimit, judging: Judging) -> str:
    """Say that conditions do isolate people, yet are not certain to be rare; and how many people would do."""
    said = (
        f"{at.isolating:,} of {at.trials:,} conditions match exactly one person, yet "
        f"{f'only {at.hits:,} are' if at.hits else 'none is'} certain to be met by {one_in(at.limit)}"
    )
    source = judging.weighing.source
    if not isinstance(source, HoldoutSource):
        return said
    need = math.ceil(-math.log(source.error / 3) / at.limit)
    if len(source.rows) >= need:
        return said
    return f"{said}; that takes {2 * need:,} rows of holdout, not {judging.weighing.rows:,}"


def assumptions_of(at: AtLimit, judging: Judging) -> Iterator[str]:
    """What the numbers take for granted."""
    yield "The people of the data are independent draws from the population that weights are about."
    if at.answer is not None:
        weight = at.answer.claim.weight
        yield f"How rare a condition is ({weight.tag}): {weight.assumption}."
    if judging.truth is None:
        kinds = {judging.plan.attacks[attack].assumes for attack, _ in judging.plan.at_once(at.limit)}
        yield from (f"What the attack expects: {text}." for text in sorted(kinds))
    else:
        yield "Conditions about different classes succeed independently of each other."
