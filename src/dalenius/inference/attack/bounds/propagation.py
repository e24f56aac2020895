"""Propagation from above: a bound on nu where linked people rather agree and every value is a fair coin.

On a tree messages between neighbours give log-odds exactly. On loops the same messages, started as if every
neighbour were certain, are never too small: by Lebowitz's inequality (1974) a person's log-odds are at most
what each neighbour says in the network without that person, and unfolding that gives the tree of
self-avoiding walks, which lies inside the tree that propagation unfolds. So every step is a bound, and each
is at most the one before (Krinsky 1975 has it for magnets).
"""

from __future__ import annotations

import numpy as np

from dalenius.knowledge.correlation.model import CorrelationModel, Floats
from dalenius.theory.inference import message

MOST_STEPS = 200
"""Steps after which it is left as it is: every one is a bound."""

SETTLED = 1e-6
"""Change from which on further steps gain next to nothing."""


def propagation_bound(model: CorrelationModel, epsilon: Floats, steps: int = MOST_STEPS) -> Floats | None:
    """Return a bound on everybody's nu; None where a link is negative or a value likelier beforehand.

    Examples
    --------
    >>> links = np.array([[0, 1], [1, 2], [0, 2]])
    >>> ring = CorrelationModel("id", np.arange(3), links, np.full(3, 0.2), np.zeros(3))
    >>> propagation_bound(ring, np.full(3, 0.5)).round(6)  # exact: 0.727551
    array([0.736919, 0.736919, 0.736919])
    """
    if model.field.any() or (model.coupling < 0).any():
        return None
    one, other = model.edges.T
    to, source = np.concatenate([one, other]), np.concatenate([other, one])
    coupling = np.concatenate([model.coupling, model.coupling])
    back = np.roll(np.arange(to.size), len(model.edges))  # the message along the same link, the other way
    heard = 2 * coupling
    for _ in range(steps):
        total = epsilon + np.bincount(to, heard, minlength=len(model))
        # what rounding leaves must not make a message smaller than it is
        said = np.minimum(message(coupling, np.maximum(total[source] - heard[back], 0.0)) + 1e-15, heard)
        change = float((heard - said).max(initial=0.0))
        heard = said
        if change <= SETTLED:
            break
    result: Floats = epsilon + np.bincount(to, heard, minlength=len(model))
    return result
