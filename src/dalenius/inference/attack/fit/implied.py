"""What a prior implies: how often linked people agree in it, and how often a person is 1.

Couplings that were not fitted imply other agreements than those stated. Where a junction tree is small enough
they are read off it. Elsewhere they are estimated from a simulation of two chains, one from all 0 and one
from all 1, driven by the same numbers: with positive links the first stays above the second, so that from
where they meet neither depends on its start (Propp and Wilson 1996). If they do not meet nothing is said.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, stdtrit

from dalenius.inference.attack.fit.trees import plant
from dalenius.inference.attack.identical import merge_identical
from dalenius.inference.attack.solvers.blocks import NetworkBlocks
from dalenius.knowledge.correlation.model import CorrelationModel, Floats
from dalenius.knowledge.correlation.signs import fix_signs, frustrated

WORK = 1e9
"""Links looked at in a simulation: some seconds."""

BATCHES, MOST_ROUNDS, FEWEST_ROUNDS = 50, 300_000, 500
"""Parts of a simulation that are held against each other, and rounds in which everybody is drawn once."""

AT_ONCE = 1 << 22
"""Random numbers drawn at a time."""

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Implied:
    """Agreements of links and probabilities of a 1, with their errors.

    Parameters
    ----------
    agreement, prevalence
        One per link and one per person; not a number where nothing is known.
    agreement_error, prevalence_error
        How far estimates may be off, all together with confidence 0.95; 0 where they are exact.
    """

    agreement: Floats
    prevalence: Floats
    agreement_error: Floats
    prevalence_error: Floats

    @property
    def known(self) -> bool:
        """Whether everything is, at least by estimate."""
        return bool(np.isfinite(self.agreement).all() and np.isfinite(self.prevalence).all())

    @property
    def error(self) -> float:
        """The largest error."""
        both = np.r_[self.agreement_error, self.prevalence_error]
        return float(both.max(initial=0.0))

    def gap(self, agreement: Floats, prevalence: Floats) -> float:
        """The largest difference from what was stated that cannot be excluded; infinite if not known."""
        if not self.known:
            return np.inf
        far = np.r_[
            np.abs(self.agreement - agreement) + self.agreement_error,
            np.abs(self.prevalence - prevalence) + self.prevalence_error,
        ]
        return float(far.max(initial=0.0))


def implied(model: CorrelationModel, *, rng: np.random.Generator) -> Implied:
    """Find what a network's couplings and fields imply.

    Examples
    --------
    >>> triangle = CorrelationModel("id", np.array(["a", "b", "c"]), np.array([[0, 1], [1, 2], [2, 0]]),
    ...                             np.full(3, 0.5), np.zeros(3))
    >>> implied(triangle, rng=np.random.default_rng(1)).agreement.round(6)
    array([0.80749, 0.80749, 0.80749])
    """
    merged = merge_identical(model)
    ends = np.sort(merged.group[model.edges], axis=1)
    between = ends[:, 0] != ends[:, 1]
    n = len(merged.model)
    key, link = np.unique(ends[between, 0] * n + ends[between, 1], return_inverse=True)
    edges = np.stack(np.divmod(key, n), axis=1).astype(np.int64).reshape(-1, 2)
    coupling = np.zeros(key.size)
    own = merged.model.edges
    coupling[np.searchsorted(key, own.min(axis=1) * n + own.max(axis=1))] = merged.model.coupling
    plain = CorrelationModel("id", merged.model.ids, edges, coupling, merged.model.field)
    found = _of_sets(plain, rng)
    agreement, error = np.ones(len(model.edges)), np.zeros(len(model.edges))
    agreement[between], error[between] = found.agreement[link], found.agreement_error[link]
    of = merged.group
    return Implied(agreement, found.prevalence[of], error, found.prevalence_error[of])


def _of_sets(model: CorrelationModel, rng: np.random.Generator) -> Implied:
    """The same for people of whom no two are identical, group by group."""
    groups = _groups(model)
    trees, narrow = plant(groups)
    agreement, prevalence = np.full(len(model.edges), np.nan), np.full(len(model), np.nan)
    some = trees.blocks
    if len(some):
        law = trees.law(model.coupling[some.links], model.field[some.people])
        agreement[some.links], prevalence[some.people] = expit(law.together), expit(-law.log_odds)
    found = Implied(agreement, prevalence, np.zeros(len(model.edges)), np.zeros(len(model)))
    wide, people, _ = groups.take(np.flatnonzero(~narrow))
    if wide.people.size:
        _estimate(model, groups.people[people], found, rng)
    return found


def _groups(model: CorrelationModel) -> NetworkBlocks:
    """Connected groups, in the form of blocks."""
    group = model.components().astype(np.int64)
    people = np.argsort(group, kind="stable")
    of_link = group[model.edges[:, 0]]
    links = np.argsort(of_link, kind="stable")
    place = np.empty(len(model), np.int64)
    place[people] = np.arange(len(model))
    count = int(group.max(initial=-1)) + 1
    return NetworkBlocks(
        np.r_[0, np.cumsum(np.bincount(group, minlength=count))].astype(np.int64),
        np.r_[0, np.cumsum(np.bincount(of_link, minlength=count))].astype(np.int64),
        people.astype(np.int64),
        links.astype(np.int64),
        place[model.edges[links]],
    )


def _estimate(
    model: CorrelationModel, people: NDArray[np.int64], found: Implied, rng: np.random.Generator
) -> None:
    """Simulate groups that are too wide, unless their links contradict each other; fill in what is found."""
    from dalenius.inference.attack.fit._kernels import Neighbours, count, until_met

    people = np.sort(people[~frustrated(model)[people]])
    if not people.size:
        return
    place = np.full(len(model), -1, np.int64)
    place[people] = np.arange(people.size)
    links = np.flatnonzero((place[model.edges] >= 0).all(axis=1))
    signed = fix_signs(model.take(people))
    own = signed.model
    near = own.matrix(own.coupling)
    network = Neighbours(near.indptr.astype(np.int64), near.indices.astype(np.int64), near.data, own.field)
    rounds = int(np.clip(WORK / max(near.nnz, 1), FEWEST_ROUNDS, MOST_ROUNDS))
    chunk = max(1, AT_ONCE // people.size)
    low, high = np.full(people.size, -1.0), np.ones(people.size)
    met = 0
    for start in range(0, rounds // 2, chunk):
        turns = until_met(network, low, high, rng.random((min(chunk, rounds // 2 - start), people.size)))
        met = start + turns if turns > 0 else 0
        if met:
            break
    if not met:
        return
    alike, ones = np.zeros((BATCHES, links.size)), np.zeros((BATCHES, people.size))
    spin, size = high, max(rounds // BATCHES, 2 * met)
    edges = own.edges.astype(np.int64)
    none = np.empty((0, 2), np.int64)
    for batch in range(-1, BATCHES):  # the first part only leaves the meeting behind
        for start in range(0, size, chunk):
            numbers = rng.random((min(chunk, size - start), people.size))
            kept = none if batch < 0 else edges
            at = max(batch, 0)
            count(network, spin, numbers, kept, alike[at], ones[at])
        if batch < 0:
            ones[0] = 0.0
    width = float(stdtrit(BATCHES - 1, 1 - (1 - CONFIDENCE) / 2 / (links.size + people.size)))
    for values, where, result, error in (
        (_signs_back(alike / size, own, signed.flipped), links, found.agreement, found.agreement_error),
        (np.where(signed.flipped, 1 - ones / size, ones / size), people, found.prevalence,
         found.prevalence_error),
    ):  # fmt: skip
        result[where] = values.mean(axis=0)
        error[where] = width * values.std(axis=0, ddof=1) / np.sqrt(BATCHES)


def _signs_back(alike: Floats, model: CorrelationModel, flipped: NDArray[np.bool_]) -> Floats:
    """Agreement of people as they are, of whom some were relabelled."""
    turned = flipped[model.edges[:, 0]] != flipped[model.edges[:, 1]]
    return np.where(turned, 1 - alike, alike)
