"""Several releases of means of the same people, attacked as one: what they say, and promise, together.

Thirty releases of the same means, each under noise enough for one of them, are thirty draws of that noise:
their average has a thirtieth of its variance. Means of different columns are one release of all columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.mechanisms.base import Promise
from dalenius.people.sealed import SealedTraits
from dalenius.random import stream
from dalenius.release.means import MeansRelease
from dalenius.release.means_publish import publish_means
from dalenius.theory.privacy import compose_epsilon, compose_rho
from dalenius.tracing.case import MembersCase, MembersSettings
from dalenius.tracing.files.groups import TraitGroups

LEAST_VARIANCE = 1e-12
"""An exact mean outweighs every noisy one of the same column."""


@dataclass(frozen=True)
class TogetherPart:
    """One of the releases: its name, which of the columns it is of, and what is done to them."""

    name: str
    columns: NDArray[np.intp]
    mechanism: str
    moved: int | None


class TogetherCase(MembersCase):
    """All that will be published of these people: who is in the data?"""

    def __init__(self, groups: TraitGroups, parts: Sequence[TogetherPart], how: MembersSettings) -> None:
        mechanisms = dict.fromkeys(part.mechanism for part in parts)
        super().__init__(groups, "; ".join(mechanisms), how)
        self.parts = tuple(parts)

    def _publish(self, people: SealedTraits, *drawn: str | int) -> MeansRelease:
        """Publish each part with the noise that it has by itself, and put them together."""
        first, *others = drawn
        made = []
        for part in self.parts:
            called = part.name if first == self.release else f"{first} {part.name}"
            noise = stream(self.how.seed, "noise", called, *others)
            some = people.select(part.columns)
            made.append(publish_means(some, part.mechanism, rng=noise, name=part.name, moved=part.moved))
        return join_means(made, str(first))


def join_means(releases: Sequence[MeansRelease], name: str) -> MeansRelease:
    """Put releases of the same people together, of one kind of attributes.

    A column that several have is averaged, each weighted by the inverse of its noise's variance. Of columns
    with different noise those are kept that tell most together: adding up k of them moves a member's score by
    k and has a variance of ``sum 1 + n sigma^2``, so ``k^2`` over that is to be largest.

    Examples
    --------
    >>> names = np.array(["a", "b"])
    >>> one, two = (MeansRelease(f"r{m}", names, np.full(2, m), "binary", 9, "x", 0.2) for m in (0.0, 0.1))
    >>> both = join_means([one, two], "both")
    >>> both.means, round(both.sigma, 4)
    (array([0.05, 0.05]), 0.1414)
    """
    names = np.concatenate([release.names for release in releases])
    means = np.concatenate([release.means for release in releases])
    known = all(release.sigma is not None for release in releases)
    noise = np.concatenate([np.full(release.size, release.sigma or 0.0) for release in releases])
    weight = 1 / np.maximum(noise**2, LEAST_VARIANCE)
    columns, at = np.unique(names, return_inverse=True)
    total = np.bincount(at, weight)
    mean = np.bincount(at, weight * means) / total
    variance = np.where(total * LEAST_VARIANCE >= 1, 0.0, 1 / total)
    sizes = {release.n for release in releases}
    n = sizes.pop() if len(sizes) == 1 else None
    kept = np.arange(columns.size)
    if known and n is not None and releases[0].kind != "real":
        kept = _telling(variance, n * (2 if releases[0].kind == "genotype" else 1))
    return MeansRelease(
        name,
        columns[kept],
        mean[kept],
        releases[0].kind,
        n,
        "; ".join(dict.fromkeys(release.mechanism for release in releases)),
        float(np.sqrt(variance[kept].mean())) if known else None,
        promised_together([release.promise for release in releases]),
    )


def _telling(variance: NDArray[np.float64], counted: int) -> NDArray[np.intp]:
    """Which columns tell most when they count alike, the least noisy first; in their own order."""
    order = np.argsort(variance, kind="stable")
    k = np.arange(1, order.size + 1)
    power = k**2 / np.cumsum(1 + counted * variance[order])
    return np.sort(order[: int(power.argmax()) + 1])


def promised_together(promises: Sequence[Promise | None]) -> Promise | None:
    """Return what releases promise together: rho and epsilon add up; nothing, if one promises nothing.

    Pure differential privacy of epsilon is zero-concentrated with ``epsilon^2 / 2`` (Bun and Steinke 2016).

    Examples
    --------
    >>> promised_together([Promise(None, 0.5, "x"), Promise(1.0, None, "y")]).rho
    1.0
    """
    made = [promise for promise in promises if promise is not None]
    if len(made) < len(promises):
        return None
    given = tuple(dict.fromkeys(text for promise in made for text in promise.given))
    pure = [promise.epsilon for promise in made if promise.epsilon is not None]
    if len(pure) == len(made):
        epsilon = compose_epsilon(pure)
        return Promise(epsilon, None, f"differential privacy with epsilon = {epsilon:.4g} together", given)
    rhos = [promise.rho if promise.rho is not None else (promise.epsilon or 0.0) ** 2 / 2 for promise in made]
    rho = compose_rho(rhos)
    text = f"zero-concentrated differential privacy with rho = {rho:.4g} together"
    return Promise(None, rho, text, given)
