"""The calibration ``flip`` on many targets: signs of the differences to one reference person."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, TooLargeError
from dalenius.tracing.attack.calibrations import flips
from dalenius.tracing.attack.tails.column_sums import column_sums
from dalenius.tracing.attack.tails.outsider import pair
from dalenius.tracing.attack.tails.saddlepoint import tilt_all
from dalenius.tracing.attack.test_case import Outcome, Setting, Split, split

Values = NDArray[np.float64]

WRITTEN_OUT = 50_000_000
"""Differences (targets times attributes or blocks) that are written out: 400 MB."""

FLIPPED = 500_000_000_000
"""Signs that Monte Carlo multiplies: some minutes."""

DRAWS = 9_999


def run_flip(setting: Setting) -> Outcome:
    """Compare every target with one reference person, chosen at random."""
    tail = setting.options.choice("tail", flips.FLIP_TAILS, "bd")
    blocks = _blocks(setting)
    parts = split(setting, 1)
    if blocks is None and tail in flips.MOMENTS:
        score, squares = _moments(setting, parts)
        return Outcome(score, flips.MOMENTS[tail](score, np.sqrt(squares)), 1)
    if blocks is None and tail == "saddlepoint":
        score, _ = _moments(setting, parts)
        z = np.where(parts.compared > 0, parts.mean, np.nan)
        found = tilt_all(setting.view.targets, pair(z, parts.v), setting.progress)
        return Outcome(score, found.saddlepoint, 1, certificate=found.chernoff)
    a = _differences(setting, parts, blocks)
    score = a.sum(axis=1)
    if tail in flips.MOMENTS:
        return Outcome(score, flips.MOMENTS[tail](score, np.sqrt((a**2).sum(axis=1))), 1)
    if tail == "monte-carlo":
        draws = setting.options.whole("draws", DRAWS, least=1)
        if draws * a.size > FLIPPED:
            raise TooLargeError(
                "monte-carlo",
                f"must multiply at most {FLIPPED:,} signs",
                f"{draws:,} draws of {a.shape[1]:,} signs for {a.shape[0]:,} targets",
                "Use the tail bd, fewer draws, or blocks.",
            )
        log_p = flips.monte_carlo(a, draws=draws, rng=setting.rng)
        return Outcome(score, log_p, 1, smallest=1 / (draws + 1))
    if tail == "saddlepoint":
        return Outcome(score, np.array([flips.saddlepoint(row) for row in a]), 1)
    n = setting.facts.n
    step = 2 / (n * setting.facts.alleles) if n and setting.weights == "raw" else None
    return Outcome(score, np.array([flips.exact(row, step=step) for row in a]), 1)


def _moments(setting: Setting, parts: Split) -> tuple[Values, Values]:
    """The scores, and the sums of squares of their terms."""

    def terms(x: Values, part: slice) -> Values:
        a = (parts.compared[part] > 0) * parts.v[part] * (x - parts.mean[part])
        return np.stack([a, a**2])

    score, squares = column_sums(setting.view.targets, terms).T
    return score, squares


def _differences(setting: Setting, parts: Split, blocks: NDArray[np.intp] | None) -> Values:
    """Write out the terms of every target, added up within blocks."""
    targets = setting.view.targets
    width = targets.d if blocks is None else int(blocks.max()) + 1
    if targets.n * width > WRITTEN_OUT:
        raise TooLargeError(
            f"flip:tail={setting.options.text('tail', 'bd')}",
            f"must write out at most {WRITTEN_OUT:,} differences",
            f"{targets.n:,} targets times {width:,}",
            "Use the tail bd without blocks, or fewer blocks or targets.",
        )
    found = np.zeros((targets.n, width))
    v = np.where(parts.compared > 0, parts.v, 0.0)
    for part, values in targets.blocks():
        a = np.nan_to_num(v[part] * (values.astype(np.float64) - parts.mean[part]))
        if blocks is None:
            found[:, part] = a
        else:
            first = int(blocks[part].min())
            sums = flips.block_sums(a, blocks[part] - first)
            found[:, first : first + sums.shape[1]] += sums
    return found


def _blocks(setting: Setting) -> NDArray[np.intp] | None:
    """Return which block each attribute is in: given, or so many neighbours each."""
    d = setting.q.size
    if setting.blocks is not None:
        blocks = np.asarray(setting.blocks, np.intp)
        if blocks.shape != (d,) or blocks.min() < 0 or np.unique(blocks).size != blocks.max() + 1:
            raise InputError(
                "blocks", f"must number the block of each of {d:,} attributes, from 0", f"{blocks.shape}"
            )
        return blocks
    if "blocks" not in setting.options.values:
        return None
    return np.arange(d, dtype=np.intp) // setting.options.whole("blocks", least=1)
