"""Claims held against the amounts themselves: who is too close to, and how often a number is near."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.amounts.attack.claims import AmountClaims
from dalenius.amounts.attack.law import guess_alone
from dalenius.amounts.referee.cell_rules import CellRules
from dalenius.findings.tally import Comparison, Tally
from dalenius.knowledge.amounts import AmountPrior

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class JudgedAmounts:
    """What was counted.

    ``outside`` are amounts that lie outside the ends that were claimed: then the tables were not made as
    stated. ``at_risk`` are all who are counted below. ``exposed`` are people whose ends come within the
    tolerated part of their amount from above or below, for anybody; ``inside`` those for whom that holds for
    an insider only; ``unseen`` those among both of whom every single cell keeps the rules.
    """

    at_risk: Mask
    pinned: int
    outside: int
    exposed: int
    inside: int
    unseen: int
    searched: bool
    estimates: Comparison
    control: Comparison | None


def too_close(low: Floats, high: Floats, amounts: Floats, within: float) -> Mask:
    """Whose ends do not leave room for this part of their amount on both sides; nobody's at 0 from below.

    Examples
    --------
    >>> too_close(np.array([0.0, 0.0]), np.array([105.0, 150.0]), np.array([100.0, 100.0]), 0.1)
    array([ True, False])
    """
    room = within * np.abs(amounts)
    above, below = high < amounts + room, low > amounts - room
    nothing = (amounts == 0) & (high <= 0) & (low >= 0)
    return np.asarray(((above | below) & (amounts != 0)) | nothing, np.bool_)


def near(values: Floats, amounts: Floats, within: float) -> Mask:
    """Whose number is within this part of their amount."""
    return np.asarray(np.abs(values - amounts) <= within * np.abs(amounts), np.bool_)


def compare(values: Floats, prior: AmountPrior, amounts: Floats, within: float) -> Comparison:
    """The attack's numbers and those guessed without the release, about the same people."""
    attack, baseline = near(values, amounts, within), near(guess_alone(prior, within), amounts, within)
    n = amounts.size
    return Comparison(
        Tally(int(attack.sum()), n),
        Tally(int(baseline.sum()), n),
        int((attack & ~baseline).sum()),
        int((baseline & ~attack).sum()),
    )


def judge_amounts(
    claims: AmountClaims,
    control: AmountClaims | None,
    amounts: Floats,
    prior: AmountPrior,
    rules: CellRules,
    within: float,
) -> JudgedAmounts:
    """Count. What was known without the release is not counted: it did not come from it."""
    ends = claims.ends
    slack = 1e-9 * np.maximum(np.abs(amounts), 1.0)
    outside = (amounts < ends.low - slack) | (amounts > ends.high + slack)
    n = amounts.size
    before = too_close(np.full(n, prior.least), np.full(n, prior.most), amounts, within)
    pinned = claims.pinned(within) & ~before
    exposed = too_close(ends.low, ends.high, amounts, within) & ~before
    inside = too_close(ends.inside_low, ends.inside_high, amounts, within) & ~before & ~exposed
    if not claims.sure:  # as good as known: likely ends that are close, and right
        likely = claims.likely
        held = (likely.low <= amounts) & (amounts <= likely.high)
        exposed |= too_close(likely.low, likely.high, amounts, within) & held & ~before
        held = (likely.inside_low <= amounts) & (amounts <= likely.inside_high)
        inside |= too_close(likely.inside_low, likely.inside_high, amounts, within) & held & ~before
        inside &= ~exposed
    return JudgedAmounts(
        at_risk=exposed | inside | pinned,
        pinned=int(pinned.sum()),
        outside=int(outside.sum()),
        exposed=int((exposed & ~pinned).sum()),
        inside=int((inside & ~pinned).sum()),
        unseen=int(((exposed | inside | pinned) & rules.safe).sum()),
        searched=bool(ends.searched.all()),
        estimates=compare(claims.guessed.value, prior, amounts, within),
        control=None if control is None else compare(control.guessed.value, prior, amounts, within),
    )
