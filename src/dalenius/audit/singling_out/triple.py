"""Original, synthetic and control: do synthetic rows single out real people more often than luck would?

The conditions come from the synthetic rows alone, `dalenius.attacks.singling_out.triple`. Here they are
counted in the original, and in a control: people of the same population who are neither in the original nor
behind the synthetic rows. How often a condition matches there says how rare it is, as a rate a row, and from
that follows how often it would isolate somebody among as many rows as the original has; so the size of the
control moves no expectation, only the width of the interval. From a control as large as the original luck is
unbiased; from a smaller one it is the likeliest, and the interval holds whatever the weights are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dalenius.attacks.singling_out.triple import Mode, guess
from dalenius.audit.singling_out.triple_result import Triple
from dalenius.errors import InputError
from dalenius.findings.interval import Interval
from dalenius.findings.luck import likeliest_luck, luck_estimators
from dalenius.progress import Progress, silent
from dalenius.random import stream
from dalenius.records.boxes import Inside, check_same_columns, rows_inside
from dalenius.records.row_columns import TextColumn
from dalenius.records.rows import Rows, read_rows
from dalenius.theory.isolation import isolation

METHOD = "Efron-Stein variance over rows, luck enclosed for every weight"

Floats = NDArray[np.float64]


def single_out_triple(
    original: Rows,
    synthetic: Rows,
    control: Rows,
    *,
    mode: Mode = "multivariate",
    attacks: int = 1000,
    columns: int = 3,
    confidence: float = 0.95,
    limit: float = 0.1,
    seed: int = 1,
    progress: Progress = silent,
) -> Triple:
    """Attack the original by conditions that single out synthetic rows, and compare with luck.

    Parameters
    ----------
    original
        The people behind the synthetic rows.
    synthetic
        What was released; its columns are the ones that conditions speak of.
    control
        Other people of the same population.
    mode
        Conditions on one column or on several.
    attacks
        How many conditions to try.
    columns
        Columns of a multivariate condition.
    confidence
        Of the intervals.
    limit
        The largest advantage that would be accepted.
    seed
        The same seed gives the same conditions.
    progress
        Told how far it is.
    """
    from scipy.special import ndtri

    if not 0 < confidence < 1:
        raise InputError("confidence", "must lie strictly between 0 and 1", f"{confidence:g}")
    check_same_columns(original, synthetic, "the original")
    check_same_columns(control, synthetic, "the control")
    n = len(original)
    progress(0.0, "conditions from the synthetic rows")
    guesses = guess(synthetic, mode, attacks, stream(seed, "attack", "triple", mode), columns=columns)
    T = len(guesses.boxes)
    z = float(ndtri((1 + confidence) / 2))
    together = _together(guesses.rows)
    progress(0.5, "counting in the original")
    here = rows_inside(guesses.boxes, original, 3)
    success = _mean(np.array([0.0, 1.0]), here, z, together)
    values = luck_estimators(n, len(control), here.counts, z * (together / T) ** 0.5) if T else None
    progress(0.7, "counting in the control")
    there = rows_inside(guesses.boxes, control, (max(values.low.size, values.high.size) if values else 1) + 1)
    if values is None:
        luck, advantage = (Interval(0.0, at, 1.0, confidence, METHOD) for at in (0.0, -1.0))
    else:
        low, high = (_mean(own, there, z, together) for own in (values.low, values.high))
        middle = (
            (low.value + high.value) / 2
            if len(control) >= n
            else likeliest_luck(n, len(control), there.counts)
        )
        luck = _luck(middle, low, high, n, z, confidence)
        advantage = _advantage(success, low, high, luck, n, z, confidence)
    progress(1.0, "done")
    return Triple(
        mode,
        guesses,
        attacks,
        np.minimum(here.counts, 2),
        there.counts,
        n,
        len(synthetic),
        len(control),
        luck,
        advantage,
        limit,
    )


@dataclass(frozen=True)
class _Mean:
    """A mean over the conditions and the variance that the draw of the rows gives it."""

    value: float
    variance: float


def _mean(values: Floats, inside: Inside, z: float, together: float) -> _Mean:
    """The mean of a function of the counts, and a variance that is not too small.

    Efron and Stein (1981): the variance is at most the expected sum over the rows of the squared change when
    a row is left out, also when many conditions match the same rows. A row that matched nothing changed
    nothing, yet might have: z squared more changes of the usual size stand for those, as with Wilson.
    """
    T = inside.counts.size
    if not T:
        return _Mean(0.0, 0.0)
    padded = np.append(values, np.zeros(max(inside.rows.shape[1] + 1 - values.size, 1)))
    change = padded[inside.counts] - padded[np.maximum(inside.counts - 1, 0)]
    listed = np.arange(inside.rows.shape[1]) < inside.counts[:, None]
    by_row = np.bincount(inside.rows[listed], np.broadcast_to(change[:, None], listed.shape)[listed])
    usual = together * abs(float(padded[1] - padded[0])) / T
    return _Mean(float(padded[inside.counts].mean()), float((by_row**2).sum()) / T**2 + (z * usual) ** 2)


def _together(rows: NDArray[np.int64]) -> float:
    """How many conditions match the synthetic row of a condition, on average over the conditions."""
    often = np.bincount(rows) if rows.size else np.zeros(1)
    return float((often**2).sum() / max(often.sum(), 1))


def _luck(middle: float, low: _Mean, high: _Mean, n: int, z: float, confidence: float) -> Interval:
    """Luck itself: never more than the best uninformed condition has."""
    most = isolation(n, 1 / n)
    bottom = np.clip(low.value - z * low.variance**0.5, 0.0, most)
    above = np.clip(high.value + z * high.variance**0.5, bottom, most)
    return Interval(float(np.clip(middle, bottom, above)), float(bottom), float(above), confidence, METHOD)


def _advantage(
    success: _Mean, low: _Mean, high: _Mean, luck: Interval, n: int, z: float, confidence: float
) -> Interval:
    """Success less luck: the rows of both tables are drawn, so the variances add."""
    most = isolation(n, 1 / n)
    # Where luck cannot be above its peak or below 0, only the rows of the original are left to vary.
    worst = min(
        np.clip(high.value, 0.0, most) + z * (success.variance + high.variance) ** 0.5,
        most + z * success.variance**0.5,
    )
    best = max(
        np.clip(low.value, 0.0, most) - z * (success.variance + low.variance) ** 0.5,
        -z * success.variance**0.5,
    )
    value = success.value - luck.value
    return Interval(
        value,
        max(-1.0, float(success.value - worst)),
        min(1.0, float(success.value - best)),
        confidence,
        METHOD,
    )


def read_triple(
    original: str | Path, synthetic: str | Path, control: str | Path, leave_out: Sequence[str] = ()
) -> tuple[Rows, Rows, Rows]:
    """Read the three files; a column that is text in one of them is text in all.

    Parameters
    ----------
    original, synthetic, control
        CSV or Parquet files.
    leave_out
        Columns to ignore, such as a name or a row number.
    """
    paths = (original, synthetic, control)
    first = [read_rows(path) for path in paths]
    for name in leave_out:
        first[1].column(name)
    text = {c.name for rows in first for c in rows.columns if isinstance(c, TextColumn)}
    read = [
        read_rows(path, [name for name in rows.names if name in text])
        for path, rows in zip(paths, first, strict=True)
    ]
    kept = [name for name in read[1].names if name not in leave_out]
    if not kept:
        raise InputError("synthetic rows", "must keep at least one column", "none", "Leave out fewer.")
    for rows, what in ((read[0], "the original"), (read[2], "the control")):
        check_same_columns(rows, read[1].select(kept), what)
    one, two, three = (rows.select(kept) for rows in read)
    return one, two, three
