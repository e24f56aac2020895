"""From the attributes of people to a release of their means."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.matrices.answers import Counts, Sensitivity
from dalenius.mechanisms.chain import Mechanism
from dalenius.mechanisms.means import noise_sd, sensitivity_of_means
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.mechanisms.stages.samples import ColumnSamples, Constant, Population, SharedSample, Subsample
from dalenius.people.sealed import SealedTraits
from dalenius.people.traits.traits import CodedTraits, RealTraits, Traits, sums
from dalenius.people.truth import open_traits
from dalenius.random import sealed, stream
from dalenius.release.means import MeansRelease, from_fractions, to_fractions

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


def publish_means(
    people: Traits | SealedTraits,
    mechanism: Mechanism | str,
    *,
    rng: np.random.Generator,
    name: str = "release",
    population: Floats | None = None,
    moved: int | None = None,
    for_the_world: bool = False,
) -> MeansRelease:
    """Average, protect, and return what is published.

    Parameters
    ----------
    people
        The attributes of the people.
    mechanism
        What is done to the means, such as ``rounding:digits=2`` or ``gaussian:rho=0.5``; its numbers are in
        the units of the printed means.
    rng
        Draws samples and noise, together with the people's values, so that nobody without these can draw them
        again.
    name
        What the release is called.
    population
        The means of the population in signed units, for the mechanism ``population``.
    moved
        How many of the means one person can move, if not all: of shares of categories, two per column.
    for_the_world
        Draw the noise with OpenDP, which takes no seed: noise that can be drawn again can be taken off again.

    Raises
    ------
    InputError
        If a promise is asked for means of real values, whose range is not known, or nothing is left to
        publish.

    Examples
    --------
    >>> from dalenius.people.traits.traits import coded_from_values
    >>> answers = np.array([[1, -1], [1, 1], [-1, 1], [1, -1]])
    >>> ids, names = np.array(["a", "b", "c", "d"]), np.array(["smokes", "drinks"])
    >>> people = coded_from_values("id", ids, names, answers, "binary")
    >>> release = publish_means(people, "exact", rng=np.random.default_rng(1))
    >>> release.fractions, release.n
    (array([0.75, 0.5 ]), 4)
    """
    people = open_traits(people)
    chain = parse_mechanism(mechanism, "means") if isinstance(mechanism, str) else mechanism
    if chain.draws:
        rng = sealed(rng, _digest(people))
    printed, seen, counted = _average(people, chain, population, rng)
    sensitivity = _sensitivity(people, seen, moved)
    promise = None if isinstance(chain.stages[0], Population | Constant) else chain.promise(sensitivity)
    chain = chain.resolve(sensitivity)
    truth = Counts(printed[:, None], np.arange(people.d), sensitivity)
    values = _protect(chain, truth, rng, for_the_world)[:, 0]
    kept = ~np.isnan(values)
    if not kept.any():
        raise InputError("release", "must hold at least one mean", f"none of {people.d:,}", "Suppress less.")
    spread = noise_sd(chain, values[kept])
    real = people.kind == "real"
    return MeansRelease(
        name,
        people.names[kept],
        values[kept] if real else from_fractions(values[kept]),
        people.kind,
        counted,
        str(chain),
        spread if real or spread is None else 2 * spread,
        promise,
    )


def _digest(people: Traits) -> bytes:
    """What only these people's values give, in any order: sorted fingerprints, one per person."""
    if isinstance(people, RealTraits):
        return b"".join(sorted(row.tobytes() for row in people.table))
    # whole numbers whose sums fit into floating point, so that they come out the same in any order
    most = 1 << (52 - people.d.bit_length())
    tables = stream(0, "fingerprint").integers(0, most, (1, people.d, 4)).astype(np.float64)
    return np.sort(people.lookup(tables)[:, 0]).tobytes()


def _average(
    people: Traits, chain: Mechanism, population: Floats | None, rng: np.random.Generator
) -> tuple[Floats, Whole, int]:
    """The printed means before anything is done to them, of how many values each, and of how many people."""
    first = chain.stages[0]
    if isinstance(first, Population):
        if population is None or population.shape != (people.d,):
            raise InputError(
                "mechanism population",
                f"needs the {people.d:,} means of the population",
                "none" if population is None else f"shape {population.shape}",
            )
        return _printed(people, population), np.full(people.d, people.n), people.n
    if isinstance(first, Subsample | SharedSample):
        people = people.take(first.sample_rows(people.n, rng=rng))
    if people.n == 0:
        raise InputError("people", "must be at least one", "none")
    total, seen = _of_columns(people, first, rng) if isinstance(first, ColumnSamples) else sums(people)
    with np.errstate(invalid="ignore", divide="ignore"):
        return _printed(people, total / seen), seen, people.n  # not a number where nobody's value is known


def _of_columns(people: Traits, sample: ColumnSamples, rng: np.random.Generator) -> tuple[Floats, Whole]:
    if isinstance(people, CodedTraits):
        counts = sample.thin(people.counts(), rng=rng)
        return (counts[:, 2] - counts[:, 0]).astype(np.float64), counts[:, :3].sum(axis=1)
    return _of_real_columns(people, sample, rng)


def _of_real_columns(
    people: RealTraits, sample: ColumnSamples, rng: np.random.Generator
) -> tuple[Floats, Whole]:
    total, seen = np.zeros(people.d), np.zeros(people.d, np.int64)
    for part, values in people.blocks():
        drawn = np.take_along_axis(values, sample.choose(people.n, values.shape[1], rng=rng), axis=0)
        total[part], seen[part] = np.nansum(drawn, axis=0), np.count_nonzero(~np.isnan(drawn), axis=0)
    return total, seen


def _printed(people: Traits, means: Floats) -> Floats:
    return means if people.kind == "real" else to_fractions(means)


def _sensitivity(people: Traits, seen: Whole, moved: int | None) -> Sensitivity:
    """One record may move a mean of real values by any amount; a fraction by one part of the people."""
    if people.kind == "real":
        return Sensitivity(math.inf, math.inf)
    return sensitivity_of_means(seen, moved)


def _protect(chain: Mechanism, truth: Counts, rng: np.random.Generator, for_the_world: bool) -> Floats:
    if not for_the_world:
        return chain.protect(truth, rng=rng)
    from dalenius.mechanisms.stages.opendp import draw_with_opendp

    return draw_with_opendp(chain, truth)
