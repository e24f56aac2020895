"""How a prior stands to what was stated: which agreements and prevalences it implies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.shown import hides_people

Floats = NDArray[np.float64]

CLOSE = 0.01
"""How far what is implied may be from what was stated to count as the same."""


@hides_people("how")
@dataclass(frozen=True)
class PriorStanding:
    """What the couplings and fields in use imply, beside what was stated.

    Parameters
    ----------
    agreement, prevalence
        Implied ones, of each link and of each person; None where not known.
    error
        How far they may be off; 0 if they are exact.
    as_stated
        Whether the law in use is the stated one: without loops, fitted, or shown to be as close as `CLOSE`.
    how
        How that is known, in words.
    least
        Where the couplings of the stated law are not known but enclosed: the least they can be, one per link.
        Those in use are then the most they can be, and nu is bounded, not computed.
    """

    agreement: Floats | None
    prevalence: Floats | None
    error: float
    as_stated: bool
    how: str
    least: Floats | None = None
