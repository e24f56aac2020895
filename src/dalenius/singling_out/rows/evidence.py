"""What attacking a released table showed, what that rests on, and why it may show nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from dalenius.findings.tally import clopper_pearson
from dalenius.singling_out.attack.weights.sources import HoldoutSource
from dalenius.singling_out.finding import Evidence
from dalenius.singling_out.rows.at_limit import Judging
from dalenius.singling_out.rows.result import AtLimit
from dalenius.singling_out.words import one_in
from dalenius.theory.isolation import isolation

NEAR_ONE = 2.0
"""Classes whose r lies within this factor of 1 are as large as luck would have them."""


def conclude_rows(
    limits: Sequence[AtLimit],
    registered: AtLimit,
    judging: Judging,
    ratio: float,
    lows: Sequence[float],
    unjudged: Sequence[str] = (),
    changed: Sequence[str] = (),
) -> tuple[Evidence, str | None]:
    """Return what was shown, and why it decides nothing, if so.

    Parameters
    ----------
    limits
        All limits, of which those that can be shown decide.
    registered
        The smallest weight that a pass must be about.
    ratio
        The median of ``r = n w / k`` over classes.
    lows
        Cautious ends of advantages that need no weights.
    unjudged
        Released columns that the original lacks, so that nobody can count whom they single out.
    changed
        Released columns outside the quasi-identifiers with values that no original has.
    """
    if judging.truth is None:
        return "not counted", "the original rows were not given, so nobody can count whom conditions match"
    ends = [at.lower_end for at in limits if at.shown and at.lower_end is not None]
    demonstrated = any(low > 0 for low in (*lows, *ends))
    why = (
        _not_judged(unjudged)
        if unjudged
        else _not_as_it_was(changed)
        if changed
        else _not_weighed(registered, judging)
    )
    if demonstrated:
        return "demonstrated", why
    if why is not None:
        return "not counted" if judging.weighing.source is None else "not shown", why
    doubtful = [at for at in limits if at.shown and _isolates(at, judging)]
    if doubtful:
        return "not shown", uncertified(doubtful[-1], judging)
    if 1 / NEAR_ONE <= ratio <= NEAR_ONE:
        return "no advantage", None
    return (
        "not shown",
        None if registered.trials else "no condition that is light enough could be written down",
    )


def _not_judged(columns: Sequence[str]) -> str:
    """Why values that people may be known by count for nothing.

    Examples
    --------
    >>> _not_judged(["ssn"])
    'ssn is released, but not in the original: nobody can count whom it singles out; give an original with all
    released columns, or if it says for how many people a row stands, name it by count'
    """
    return (
        f"{', '.join(columns)} is released, but not in the original: nobody can count whom it singles out; "
        "give an original with all released columns, or if it says for how many people a row stands, name it "
        "by count"
    )


def _not_as_it_was(columns: Sequence[str]) -> str:
    """Why columns with values of nobody decide nothing.

    Examples
    --------
    >>> _not_as_it_was(["tax"])
    'tax is released with values that no original has, though it is not among the columns made coarser: if it
    is written in another way, whoever reads it has the rows, and no condition on it was asked of anybody;
    name it in quasi, write it as in the original, or ask about changed rows: dalenius rows'
    """
    are, they = ("is", "it is") if len(columns) == 1 else ("are", "they are")
    return (
        f"{', '.join(columns)} {are} released with values that no original has, though {they} not among the "
        f"columns made coarser: if {they} written in another way, whoever reads it has the rows, and no "
        "condition on it was asked of anybody; name it in quasi, write it as in the original, or ask about "
        "changed rows: dalenius rows"
    )


def _not_weighed(registered: AtLimit, judging: Judging) -> str | None:
    """Why there are conditions that nobody can say to be rare."""
    weighing = judging.weighing
    if weighing.source is None:
        return "there is nobody to weigh conditions with; give a population or a holdout"
    unknown = weighing.unknown(judging.plan.classes.released.names)
    if unknown:
        return (
            f"{', '.join(unknown)} is released, but not known of the {weighing.name}: nobody can say how "
            f"rare its values are; give a {weighing.name} with all released columns"
        )
    if registered.shown:
        return None
    if weighing.everybody is not None:
        return too_small(judging.n, weighing.everybody, registered.limit)
    return too_few(judging, registered.limit)


def _isolates(at: AtLimit, judging: Judging) -> bool:
    """Whether conditions match one person more often than luck, though they are not certain to be rare."""
    if not at.isolating or at.isolating == at.hits:
        return False
    return clopper_pearson(at.isolating, at.trials, judging.confidence).low > at.baseline


def too_small(n: int, size: int, limit: float) -> str:
    """Say that no condition can be as light as the limit, and which limit a population of this size allows.

    Examples
    --------
    >>> too_small(400, 3000, 0.01 / 400)
    'a condition that somebody in a population of 3,000 meets is met by at least 1 in 3,000, not at most 1 in
    40,000; give a larger population, or take a rarity limit of 0.2 (luck is then 16.4%)'
    >>> too_small(400, 100, 0.01 / 400)
    'a condition that somebody in a population of 100 meets is met by at least 1 in 100, not at most 1 in
    40,000; give a larger population'
    """
    said = (
        f"a condition that somebody in a population of {size:,} meets is met by at least 1 in {size:,}, not "
        f"{one_in(limit)}; give a larger population"
    )
    c = usable_limit(n, size)
    return (
        said
        if c is None
        else f"{said}, or take a rarity limit of {c:g} (luck is then {isolation(n, c / n):.1%})"
    )


def usable_limit(n: int, size: float) -> float | None:
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


def too_few(judging: Judging, limit: float) -> str:
    """Say that a holdout cannot show a limit, how many rows would, and which limit this one can show."""
    least, need = judging.weighing.least, _needed(judging, limit)
    said = (
        f"a holdout of {judging.weighing.rows:,} can show that a condition is met by {one_in(least)}, not "
        f"{one_in(limit)}; that takes {need:,} rows of holdout"
    )
    c = usable_limit(judging.n, 1 / least)
    return (
        said
        if c is None
        else f"{said}, or take a rarity limit of {c:g} (luck is then {judging.luck(c / judging.n):.1%})"
    )


def _needed(judging: Judging, limit: float) -> int:
    return 2 * math.ceil(-math.log(judging.weighing.error / 3) / limit)


def uncertified(at: AtLimit, judging: Judging) -> str:
    """Say that conditions do isolate people, yet are not certain to be rare; and how many people would do."""
    said = (
        f"{at.isolating:,} of {at.trials:,} conditions match exactly one person, yet "
        f"{f'only {at.hits:,} are' if at.hits else 'none is'} certain to be met by {one_in(at.limit)}"
    )
    source = judging.weighing.source
    if not isinstance(source, HoldoutSource):
        return said
    need = _needed(judging, at.limit)
    return said if judging.weighing.rows >= need else f"{said}; that takes {need:,} rows of holdout"


def assumptions_of(at: AtLimit, judging: Judging) -> Iterator[str]:
    """What the numbers take for granted."""
    yield "The people of the data are independent draws from the population that weights are about."
    if at.answer is not None:
        weight = at.answer.claim.weight
        yield f"How rare a condition is ({weight.tag}): {weight.assumption}."
    if judging.truth is None:
        kinds = {
            judging.plan.attacks[attack].assumes for attack, _ in judging.written(at.limit, each=at.each)
        }
        yield from (f"What the attack expects: {text}." for text in sorted(kinds))
    else:
        yield "Conditions about different classes succeed independently of each other."
