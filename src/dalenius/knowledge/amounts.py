"""What someone who wants to know amounts holds: the tables, who is in which group, and what is usual."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.knowledge.weights import SurveyWeights
from dalenius.release.amounts import AmountRelease
from dalenius.shown import hides_people

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class AmountPrior:
    """What is known about everybody's amount without the release.

    Parameters
    ----------
    least, most
        Between which amounts lie for sure; the upper end may be infinite.
    mean, sd
        Expected amounts and how far they are off, as usual for people like these.
    median
        What half of such people have at the most.
    shift
        Above which amounts are lognormal; normal if it is not given.
    """

    least: float
    most: float
    mean: Floats
    sd: Floats
    median: Floats
    shift: float | None = None

    def __post_init__(self) -> None:
        if not np.isfinite(self.least) or not self.least < self.most:
            raise InputError("least", "must be a number below most", f"{self.least:g} and {self.most:g}")


@hides_people()
@dataclass(frozen=True)
class Insider:
    """Somebody in the data who knows their own amount, and wants to know those of ``targets``."""

    person: int
    amount: float
    targets: NDArray[np.intp]


@hides_people("amount")
@dataclass(frozen=True)
class AmountView:
    """All that an attack on amounts gets; ``weights`` where people count by survey weights."""

    release: AmountRelease
    prior: AmountPrior
    insiders: tuple[Insider, ...] = ()
    weights: SurveyWeights | None = None
