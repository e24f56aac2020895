"""Put a promise of differential privacy to the test: release many times, and try to tell two worlds apart.

In one world a person has one record, in the other the opposite one; everybody else is the same. An attacker
who knows all of that, and sees one release at a time, says which world it came from. What the promise allows
such an attacker is known exactly, so enough releases refute a promise that is not kept. A promise that is not
refuted is not thereby proven: the ceiling says what so many trials could have shown at most.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, TooLargeError
from dalenius.findings.default_policy import CONFIDENCE
from dalenius.findings.measure import Plain, dump
from dalenius.mechanisms.base import Promise
from dalenius.people.traits.traits import CodedTraits, Traits, coded_from_values
from dalenius.progress import Progress, silent
from dalenius.random import stream
from dalenius.release.means import MeansRelease
from dalenius.release.means_publish import publish_means
from dalenius.theory.privacy import epsilon_from_mu, mu_from_rho
from dalenius.theory.tracing.empirical import privacy_lower_bound

MOST_VALUES = 20_000_000
"""People times attributes, written out for every world."""

Floats = NDArray[np.float64]
Publisher = Callable[[Traits, np.random.Generator], MeansRelease]
"""Makes one release of the people it is given; each call must draw noise of its own."""


class PromiseTrial(Plain):
    """What trials say about a promise.

    ``accused_with`` of ``trials_with`` releases that held the record were recognised; ``accused_without`` of
    ``trials_without`` were mistaken for one that did. ``epsilon_low`` and ``rho_low`` are refuted with the
    stated confidence: the mechanism keeps nothing smaller. ``ceiling`` is the epsilon that as many trials
    without a mistake would have shown.
    """

    mechanism: str
    promise: str
    test: Literal["gaussian", "laplace"]
    trials_with: int
    accused_with: int
    trials_without: int
    accused_without: int
    delta: float
    epsilon_claimed: float
    epsilon_low: float
    ceiling: float
    rho_claimed: float | None
    rho_low: float | None
    confidence: float
    broken: bool
    sentence: str

    def to_json(self) -> str:
        """Write it, see `dump`."""
        return dump(self)


def try_promise(
    people: Traits,
    mechanism: str | Publisher,
    *,
    trials: int = 1000,
    delta: float = 1e-6,
    confidence: float = CONFIDENCE,
    seed: int | None = 1,
    progress: Progress = silent,
) -> PromiseTrial:
    """Try to refute the promise of a mechanism of means.

    Parameters
    ----------
    people
        Yes/no answers or genotypes; the first person's record is the one that differs between the worlds.
    mechanism
        A mechanism such as ``gaussian:rho=0.5``, or a program that makes releases, each with its promise.
    trials
        Releases in each world. One verdict a release, so that all are independent.
    delta
        At which epsilon is stated for Gaussian noise.
    confidence
        With which a refutation holds.
    seed
        The same seed gives the same releases. ``None`` draws with OpenDP, which takes no seed, as a release
        for the world does.

    Raises
    ------
    InputError
        If the mechanism promises nothing, or attributes are real values.

    Examples
    --------
    >>> answers = np.where(np.random.default_rng(1).random((20, 8)) < 0.5, -1, 1)
    >>> ids, names = np.arange(20).astype(str), np.array(list("abcdefgh"))
    >>> people = coded_from_values("id", ids, names, answers, "binary")
    >>> found = try_promise(people, "gaussian:rho=0.5", trials=100)
    >>> found.broken, found.rho_low < 0.5 < found.ceiling
    (False, True)
    """
    if trials < 1:
        raise InputError("trials", "must be at least 1", str(trials))
    publish = _publisher(mechanism, for_the_world=seed is None) if isinstance(mechanism, str) else mechanism
    worlds, root = _worlds(people), 1 if seed is None else seed
    exact = [publish_means(world, "exact", rng=stream(root, "exact")).means for world in worlds]
    first = publish(worlds[0], stream(root, "look"))
    promise = first.promise
    if promise is None:
        raise InputError("mechanism", "must promise something", first.mechanism, "Use gaussian or laplace.")
    accused = [0, 0]
    for j in range(2 * trials):
        release = publish(worlds[j % 2], stream(root, "trial", j))
        accused[j % 2] += _recognised(release.means, *exact, gaussian=promise.rho is not None)
        progress((j + 1) / (2 * trials), "releasing again")
    return _conclude(first, promise, accused, trials, delta, confidence)


def _publisher(mechanism: str, *, for_the_world: bool) -> Publisher:
    def publish(people: Traits, rng: np.random.Generator) -> MeansRelease:
        return publish_means(people, mechanism, rng=rng, for_the_world=for_the_world)

    return publish


def _worlds(people: Traits) -> tuple[CodedTraits, CodedTraits]:
    """The people with the first record all highest, and all lowest: as far apart as records can be.

    Values that are missing stay so: which they are is taken as public.
    """
    if not isinstance(people, CodedTraits):
        raise InputError(
            "people", "must have yes/no attributes or genotypes", "real values", "A promise needs limits."
        )
    if people.n * people.d > MOST_VALUES:
        raise TooLargeError(
            "people",
            f"must have at most {MOST_VALUES:,} values",
            f"{people.n * people.d:,}",
            "Take fewer attributes: a broken scale of the noise shows in few.",
        )
    values = people.values(slice(None)).astype(np.float64)
    made = []
    for sign in (1.0, -1.0):
        values[0] = np.where(np.isnan(values[0]), np.nan, sign)
        made.append(coded_from_values(people.id_name, people.ids, people.names, values, people.kind))
    return made[0], made[1]


def _recognised(means: Floats, with_record: Floats, without: Floats, *, gaussian: bool) -> bool:
    """The likelihood-ratio test between the two worlds (Neyman and Pearson), at a ratio of one."""
    if gaussian:
        middle = (with_record + without) / 2
        return bool((means - middle) @ (with_record - without) > 0)
    return bool((np.abs(means - without) - np.abs(means - with_record)).sum() > 0)


def _conclude(
    release: MeansRelease,
    promise: Promise,
    accused: list[int],
    trials: int,
    delta: float,
    confidence: float,
) -> PromiseTrial:
    gaussian = promise.rho is not None
    if promise.rho is not None:
        claimed = epsilon_from_mu(mu_from_rho(promise.rho), delta)
    else:
        claimed, delta = promise.epsilon or 0.0, 0.0
    found = privacy_lower_bound(accused[0], trials, accused[1], trials, delta=delta, confidence=confidence)
    broken = found.epsilon > claimed or (promise.rho is not None and found.rho > promise.rho)
    return PromiseTrial(
        mechanism=release.mechanism,
        promise=promise.text,
        test="gaussian" if gaussian else "laplace",
        trials_with=trials,
        accused_with=accused[0],
        trials_without=trials,
        accused_without=accused[1],
        delta=delta,
        epsilon_claimed=claimed,
        epsilon_low=found.epsilon,
        ceiling=found.ceiling,
        rho_claimed=promise.rho,
        rho_low=found.rho if gaussian else None,
        confidence=confidence,
        broken=broken,
        sentence=_sentence(accused, trials, promise, found.rho if gaussian else found.epsilon, broken),
    )


def _sentence(accused: list[int], trials: int, promise: Promise, low: float, broken: bool) -> str:
    name = "epsilon" if promise.rho is None else "rho"
    said = (
        f"Recognised in {accused[0]:,} of {trials:,} releases with the record, mistaken in {accused[1]:,} of "
        f"{trials:,} without it: {name} is at least {low:.3g}."
    )
    if broken:
        return f"{said} The promise, {promise.text}, is not kept."
    return f"{said} The promise, {promise.text}, is not refuted."
