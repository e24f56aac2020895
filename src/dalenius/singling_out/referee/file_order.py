"""Released rows that stand in the order of the people: whoever knows the order has what is as it was.

A column that stayed true beside others that were made up tells nobody anything, unless the first row is still
the first person's. So every column of a released row is held against the person in the same place, and
against those a few places before and after: files that were only sorted alike agree there as well.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.people.rows.rows import Rows, stacked
from dalenius.singling_out.referee.partial import compared
from dalenius.singling_out.referee.pooled import PooledRows

PLACES = 10
"""Places before and after with which the same place is compared."""

BLOCK = 25
"""Rows that are taken for one, as neighbours in a file may be alike."""

FEWEST_BLOCKS = 10


class InFileOrder(NamedTuple):
    """The column in which released rows agree most with the people in the same place.

    Parameters
    ----------
    column
        The column.
    same, luck
        How many agree with the person in the same place, and with one a few places away.
    rows
        How many were compared.
    chance
        How likely luck would agree as much in any column.
    beyond
        The share of people whose value is in their place beyond luck, and two standard errors either side.
    """

    column: str
    same: int
    luck: int
    rows: int
    chance: float
    beyond: tuple[float, float, float]

    @property
    def name(self) -> str:
        """What was looked for."""
        return f"rows in the order of the people, by {self.column}"


def in_file_order(pool: PooledRows, released: Rows) -> InFileOrder | None:
    """Hold released rows against the people in the same place; ``None`` for too few of them."""
    size = min(pool.original, len(released))
    if size < FEWEST_BLOCKS * BLOCK + 2 * PLACES:
        return None
    together = stacked(released.take(np.arange(size)), pool.rows.take(np.arange(size)))
    found = []
    for column in together.columns:
        mine, theirs, width = compared(column, size)
        found.append(_agreed(column.name, np.abs(mine[:, None] - _around(theirs)) <= width))
    looks = len(found)
    best = min(found, key=lambda one: (one.chance, one.column))
    return best._replace(chance=min(1.0, looks * best.chance))


def _around(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """For every row the value in the same place, then those before and after; past the ends of nobody."""
    nobody = np.full(PLACES, np.nan)
    padded = np.concatenate([nobody, values, nobody])
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * PLACES + 1)
    return windows[:, [PLACES, *range(PLACES), *range(PLACES + 1, 2 * PLACES + 1)]]


def _agreed(name: str, agree: NDArray[np.bool_]) -> InFileOrder:
    """Compare the first place with all others, rows taken together by blocks."""
    from scipy.special import stdtr

    inside = agree[PLACES:-PLACES].astype(np.float64)
    here, near = inside[:, 0], inside[:, 1:].mean(axis=1)
    blocks = len(inside) // BLOCK
    gain = (here - near)[: blocks * BLOCK].reshape(blocks, BLOCK).mean(axis=1)
    # without any spread a single further row stands for what was not seen
    spread = max(float(gain.std(ddof=1)), 1 / BLOCK / blocks) / blocks**0.5
    t = float(gain.mean()) / spread
    luck = float(near.mean())
    share = max(0.0, float(gain.mean())) / max(1 - luck, 1 / len(inside))
    wide = 2 * share / t if t > 0 else share
    return InFileOrder(
        name,
        int(here.sum()),
        round(luck * len(inside)),
        len(inside),
        float(f"{float(stdtr(blocks - 1, -t)):.4g}"),
        (share, share - wide, share + wide),
    )
