"""How many conditions would single somebody out by luck, from how often they match people outside the data.

A condition of weight w, fixed before rows are drawn, isolates one of m of them with chance ``B(m,w) = m w
(1-w)^(m-1)``. Of c matches among N rows, the chance that exactly one is among m drawn from them,

    e(c) = m c (N-m)_{c-1} / (N)_c      with      (a)_j = a (a-1) ... (a-j+1),

has the mean B(m,w) for every w: unbiased, whatever N is. A control of at least as many rows as the data
therefore says what luck is among the data's n rows. A smaller one of N rows cannot (B(n,w) has degree n in w,
means of functions of c have degree N): then as many rows are drawn from the data as the control has, both
sides are compared there, and what is found is scaled back to the n people.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.findings.tally import Interval

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

METHOD = "Efron-Stein variance over rows, as many rows compared on either side"

FAR = 60.0
"""Expected matches among the drawn rows beyond which exactly one never happens: ``60 exp(-60)``."""


def alone_when_drawn(rows: int, drawn: int) -> Floats:
    """For c = 0, 1, ... matches among some rows the chance that exactly one is among those drawn from them.

    More matches than are listed leave no chance worth counting.

    Examples
    --------
    >>> alone_when_drawn(3, 2), alone_when_drawn(100, 100)[:3]
    (array([0.        , 0.66666667, 0.66666667, 0.        ]), array([0., 1., 0.]))
    """
    top = int(min(rows, 80 + np.ceil(2 * FAR * rows / drawn))) if drawn < rows else 2
    values = np.zeros(top + 1)
    values[1] = drawn / rows
    for c in range(1, top):  # e(c+1) / e(c) = (c+1)/c (N-m-c+1)/(N-c)
        values[c + 1] = values[c] * (c + 1) / c * max(rows - drawn - c + 1, 0) / max(rows - c, 1)
    return values


class Matched(NamedTuple):
    """What conditions match in some rows: how many each, and their rows, one condition after the other."""

    counts: Ints
    rows: Ints


class Compared(NamedTuple):
    """The share of conditions that isolate somebody, the share that would by luck, and the difference."""

    success: float
    luck: Interval
    advantage: Interval


def compared(
    data: Matched, control: Matched, n: int, others: int, together: float, confidence: float
) -> Compared:
    """Compare what the same conditions match in the data and in a control, among as many rows of either.

    Parameters
    ----------
    data, control
        The matches. Counts that a condition surely isolates nobody with may be cut off.
    n, others
        Rows of the data and of the control.
    together
        How many conditions speak of the same row, on average.
    confidence
        Of the intervals.
    """
    from scipy.special import ndtri

    if not data.counts.size:
        nothing = Interval(0.0, -1.0, 1.0, confidence, METHOD)
        return Compared(0.0, nothing, nothing)
    drawn, z = min(n, others), float(ndtri((1 + confidence) / 2))
    here, there = (
        _mean(n / drawn * alone_when_drawn(size, drawn), own, z, together)
        for own, size in ((data, n), (control, others))
    )
    wide = z * (float(there.values.var()) / data.counts.size + there.shared) ** 0.5
    luck = Interval(there.value, max(0.0, there.value - wide), there.value + wide, confidence, METHOD)
    # condition by condition: what makes one luckier than another is the same on either side
    apart = float((here.values - there.values).var()) / data.counts.size
    gain, wide = here.value - there.value, z * (apart + here.shared + there.shared) ** 0.5
    value, low, high = (float(np.clip(end, -1.0, 1.0)) for end in (gain, gain - wide, gain + wide))
    return Compared(here.value, luck, Interval(value, low, high, confidence, METHOD))


class _Mean(NamedTuple):
    """What every condition gives, and the variance of their mean beyond that of each by itself."""

    values: Floats
    shared: float

    @property
    def value(self) -> float:
        return float(self.values.mean())


def _mean(values: Floats, matched: Matched, z: float, together: float) -> _Mean:
    """A function of the counts, and what rows that several conditions match add to the variance of its mean.

    Efron and Stein (1981): the variance is at most the expected sum over the rows of the squared change when
    a row is left out, also when many conditions match the same rows. What each condition alone adds to that
    sum is left out here: the spread over the conditions bounds it, and is about a third of it. A row that
    matched nothing changed nothing, yet might have: z squared more changes of the usual size stand for those,
    as with Wilson.
    """
    T = matched.counts.size
    padded = np.append(values, 0.0)
    counts = np.minimum(matched.counts, values.size)
    found = padded[counts]
    change = found - padded[np.maximum(counts - 1, 0)]
    by_row = (
        np.bincount(matched.rows, np.repeat(change, matched.counts)) if matched.rows.size else np.zeros(1)
    )
    shared = float((by_row**2).sum() - (matched.counts * change**2).sum())
    usual = together * abs(float(values[1] - values[0])) / T
    return _Mean(found, max(0.0, shared) / T**2 + (z * usual) ** 2)
