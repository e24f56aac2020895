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

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

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
