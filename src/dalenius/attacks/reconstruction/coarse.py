"""Refuse numbers that say nothing: an answer of its own, never a guess."""

from __future__ import annotations

import numpy as np

from dalenius.attacks.reconstruction.system import LinearSystem
from dalenius.errors import UnsupportedError


def refuse_vacuous(system: LinearSystem) -> None:
    """Refuse equations without noise that every secret fits, such as coefficients with too few decimals.

    Counts are left to the decoders: a table that says nothing still has a size, and a baseline.

    Raises
    ------
    UnsupportedError
        If no equation excludes anything.
    """
    if not system.sharp or system.counting.any():
        return
    matrix = system.A.explicit()
    least, most = system.least.astype(np.float64), system.most.astype(np.float64)
    up, down = matrix.maximum(0), matrix.minimum(0)
    lowest, highest = up @ least + down @ most, up @ most + down @ least
    if ((system.low <= lowest) & (system.high >= highest)).all():
        raise UnsupportedError(
            f"the {system.centre.size:,} published numbers are too coarse: with their stated error every "
            "secret of these people fits all of them, so there is nothing to reconstruct; give more digits "
            "if they were published"
        )
