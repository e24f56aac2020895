"""The mechanism that gives members away least, among all that are accurate on average."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.grammar import Options
from dalenius.mechanisms.base import Floats, Reading, Stage, plain
from dalenius.mechanisms.distortions import unknown_error

EDGE = 1e-6
"""How far a fraction times the number of people may be from a whole count."""


@dataclass(frozen=True)
class WorstCase(Stage):
    """Publish for every count what the linear program of the theory says: as untraceable as accuracy allows.

    Parameters
    ----------
    alpha
        How far the expected answer may be from the population's mean, in -1 .. 1.
    people
        How many people the means are of.
    """

    alpha: float
    people: int

    before_noise: ClassVar[bool] = False
    gives_counts: ClassVar[bool] = False

    @staticmethod
    def parse(options: Options) -> WorstCase:
        """Read ``worst-case:alpha=0.1,people=50``; the prior is uniform."""
        options.only("alpha", "people")
        return WorstCase(options.number("alpha", least=0, most=1), options.whole("people", least=1))

    def __str__(self) -> str:
        return f"worst-case:alpha={plain(self.alpha)},people={self.people}"

    def protect(self, values: Floats, table: NDArray[np.int64], *, rng: np.random.Generator) -> Floats:
        """Look every count up; what is suppressed stays suppressed."""
        from dalenius.theory.tracing.count_mechanisms import worst_case

        counts = values * self.people
        hidden = np.isnan(counts)
        whole = np.rint(np.where(hidden, 0.0, counts))
        if (np.abs(whole - np.where(hidden, 0.0, counts)) > EDGE).any() or whole.max() > self.people:
            raise InputError(
                "worst-case: people",
                "must be the number of people averaged, all with known yes/no values",
                str(self.people),
                "Write the size of the group, or of the sample.",
            )
        outputs = worst_case(self.people, self.alpha).outputs
        return np.where(hidden, np.nan, (1 + outputs[whole.astype(np.intp)]) / 2)

    def read(self, reading: Reading, *, counts: bool) -> Reading:
        """Know nothing of the size of the error."""
        return unknown_error(reading)
