"""A release of means: for each attribute of people its average, exact or distorted.

Inside, means are in signed units: a yes/no attribute counts -1 or +1, a genotype -1, 0 or +1 (copies of the
allele less one), so a fraction or allele frequency ``f`` is the mean ``2 f - 1`` and noise on fractions is
doubled. Real values stay what they are. Fractions exist only in files and on the screen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.mechanisms.base import Promise
from dalenius.shown import hides_people

Kind = Literal["binary", "genotype", "real"]


@hides_people("name", "mechanism")
@dataclass(frozen=True)
class MeansRelease:
    """The published means of one group of people.

    Parameters
    ----------
    name
        What the release is called.
    names
        The attributes, each once; one that was suppressed is not among them.
    means
        One mean an attribute, in signed units; outside -1 .. 1 where noise was added and not cut off.
    kind
        What was averaged.
    n
        How many people; None if that is not said.
    mechanism
        What is said to have been done to the means, ``unknown`` if nothing is said.
    sigma
        Standard deviation of random noise on each mean, in signed units: 0 for none, None if not known.
    promise
        What the mechanism promises, if anything.

    Raises
    ------
    InputError
        If there is no mean, a name is repeated, a mean is not a number, or a size is out of range.

    Examples
    --------
    >>> release = MeansRelease("study", np.array(["smokes", "ill"]), np.array([-0.5, 0.2]), "binary", 40)
    >>> release.fractions
    array([0.25, 0.6 ])
    >>> release.select(np.array([1])).names
    array(['ill'], dtype='<U6')
    """

    name: str
    names: NDArray[np.str_]
    means: NDArray[np.float64]
    kind: Kind
    n: int | None = None
    mechanism: str = "unknown"
    sigma: float | None = None
    promise: Promise | None = None

    def __post_init__(self) -> None:
        if self.means.ndim != 1 or self.means.size == 0 or self.means.shape != self.names.shape:
            raise InputError(
                "means",
                "must be one per attribute, and at least one",
                f"{self.means.size:,} means of {self.names.size:,} attributes",
            )
        if not np.isfinite(self.means).all():
            raise InputError(
                "means",
                "must be finite numbers",
                f"{int((~np.isfinite(self.means)).sum()):,} that are not",
                "Leave an attribute out that is not published.",
            )
        order = np.sort(self.names)
        repeated = order[1:][order[1:] == order[:-1]]
        if repeated.size:
            raise InputError(
                "attributes", "must be named once", f"{str(repeated[0])!r} twice", "Rename or drop one."
            )
        if self.n is not None and self.n < 1:
            raise InputError("number of people", "must be at least 1", str(self.n))
        if self.sigma is not None and not (math.isfinite(self.sigma) and self.sigma >= 0):
            raise InputError("sigma", "must be a number, 0 or more", str(self.sigma))

    @property
    def size(self) -> int:
        """How many numbers are published."""
        return int(self.means.size)

    @property
    def fractions(self) -> NDArray[np.float64]:
        """The means as fractions or allele frequencies: what is printed; real values as they are."""
        return self.means if self.kind == "real" else to_fractions(self.means)

    def select(self, columns: NDArray[np.intp], flip: NDArray[np.bool_] | None = None) -> MeansRelease:
        """Keep these attributes, in this order; a flipped one speaks of the other value (allele)."""
        means = self.means[columns]
        if flip is not None:
            if self.kind == "real":
                raise InputError("flip", "needs attributes of two values", "real values")
            means = np.where(flip, -means, means)
        return replace(self, names=self.names[columns], means=means)


def to_fractions(means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn signed means into fractions.

    Examples
    --------
    >>> to_fractions(np.array([-1.0, 0.0, 1.0]))
    array([0. , 0.5, 1. ])
    """
    return (means + 1.0) / 2.0


def from_fractions(fractions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn fractions into signed means.

    Examples
    --------
    >>> from_fractions(np.array([0.0, 0.25, 1.0]))
    array([-1. , -0.5,  1. ])
    """
    return 2.0 * fractions - 1.0
