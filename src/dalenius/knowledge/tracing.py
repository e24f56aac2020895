"""What someone who traces people holds: a release of means, the records of targets, and a reference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.people.traits.traits import Traits
from dalenius.release.means import MeansRelease
from dalenius.shown import hides_people


@dataclass(frozen=True)
class ReferenceMeans:
    """The means of a reference group, in signed units, without its people.

    Parameters
    ----------
    means
        One per attribute.
    m
        Of how many people; ``None`` if that is not said.
    """

    means: NDArray[np.float64]
    m: int | None

    def __post_init__(self) -> None:
        _check_means(self.means, "reference means")
        if self.m is not None and self.m < 1:
            raise InputError("people behind the reference means", "must be at least 1", str(self.m))


@dataclass(frozen=True)
class KnownMeans:
    """The means of the population itself, in signed units, known without error."""

    means: NDArray[np.float64]

    def __post_init__(self) -> None:
        _check_means(self.means, "population means")


Reference = Traits | ReferenceMeans | KnownMeans


@hides_people()
@dataclass(frozen=True)
class TracingView:
    """All that a tracing attack gets; attributes are the same, in the same order, in every part.

    Parameters
    ----------
    release
        The published means.
    targets
        The people asked about: their records.
    reference
        People of the same population who are not asked about, or means; ``None`` if there is nothing.

    Raises
    ------
    InputError
        If the parts do not speak of the same attributes, or the reference holds a target.
    """

    release: MeansRelease
    targets: Traits
    reference: Reference | None = None

    def __post_init__(self) -> None:
        d = self.release.size
        _check_traits(self.targets, self.release, "targets")
        if isinstance(self.reference, ReferenceMeans | KnownMeans):
            if self.reference.means.size != d:
                raise InputError(
                    "reference",
                    f"must have the {d:,} attributes of the release",
                    f"{self.reference.means.size:,}",
                )
        elif self.reference is not None:
            _check_traits(self.reference, self.release, "reference")
            both = np.intersect1d(self.targets.ids, self.reference.ids)
            if both.size:
                raise InputError(
                    "reference",
                    "must not hold a target",
                    f"{both.size:,} people in both",
                    "Take them out of one of the two, or rename people who only share a name.",
                )

    @property
    def people(self) -> int:
        """How many reference people there are; 0 where none are known of."""
        if isinstance(self.reference, ReferenceMeans):
            return self.reference.m or 0
        return 0 if self.reference is None or isinstance(self.reference, KnownMeans) else self.reference.n


def _check_means(means: NDArray[np.float64], name: str) -> None:
    if means.ndim != 1 or not np.isfinite(means).all():
        raise InputError(name, "must be one finite number an attribute", f"shape {means.shape}")


def _check_traits(traits: Traits, release: MeansRelease, name: str) -> None:
    if traits.n == 0:
        raise InputError(name, "must hold at least one person", "nobody")
    if not np.array_equal(traits.names, release.names):
        raise InputError(
            name,
            f"must have the {release.size:,} attributes of the release, in its order",
            f"{traits.d:,} attributes",
            "Match them by name first.",
        )
    if traits.kind != release.kind:
        raise InputError(name, f"must hold {release.kind} values, as the release does", traits.kind)
