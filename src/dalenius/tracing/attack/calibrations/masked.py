"""Pools whose people lack values: everybody on the same columns, target and references alike.

A value that is missing says nothing, yet whatever is put in its place pulls: the published mean towards the
release, the references' mean away from it. Were the target alone to lack values, or the references alone,
the pull would be taken for membership or hide it. So both lack the same: the references are looked at on the
target's columns, and the target also lacks what one reference, drawn at random, lacks. Then whatever is put
in place pulls all of a pool alike, and ranks stay exchangeable if whether a value is missing does not depend
on it.

Every target has columns of its own, so every pool has similarities of its own: those of all columns less
those of the columns that the target lacks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.knowledge.tracing import TracingView
from dalenius.people.traits.missing import hidden_alike, lacking, lacks_any
from dalenius.people.traits.traits import CodedTraits, Traits
from dalenius.people.traits.two_bits import MISSING
from dalenius.progress import Progress, silent
from dalenius.release.means import MeansRelease
from dalenius.tracing.attack.genomes.ancestry import spread

Values = NDArray[np.float64]
Dense = NDArray[np.float32]

MOST_WORK = 2e13
"""Multiplications for the similarities of all pools: some minutes."""

STEPS = 3
"""Steps towards the principal components of a pool."""

AT_ONCE = 64
"""Targets whose records are written out at a time."""

MOST_VALUES = 500_000_000
"""Values of references that are written out: 2 GB."""


LACKING = (
    "Values are missing: target and references are compared on the values that the target has, and the "
    "target lacks what a reference lacks. The level holds if whether a value is missing does not depend on "
    "the value."
)
"""What is said where values are missing."""


class MaskedPool(NamedTuple):
    """One target and its references, on as many columns as the target has.

    Parameters
    ----------
    target
        Its position.
    among, inverse
        Products of the references' records, and the inverse of that with the ridge added.
    across, own
        Products of the target's record with theirs, and with itself.
    columns
        How many columns they are over.
    """

    target: int
    among: Values
    inverse: Values
    across: Values
    own: float
    columns: int


def lacking_alike(targets: Traits, reference: Traits, rng: np.random.Generator) -> Traits:
    """Take from every target also what a reference lacks, drawn for each; nothing if no reference does."""
    if not lacks_any(reference):
        return targets
    return hidden_alike(targets, reference, rng.integers(reference.n, size=targets.n))


def affordable(reference: CodedTraits, targets: CodedTraits) -> NDArray[np.intp] | None:
    """Return the columns that can be worked on, the least often missing ones; nothing if all can.

    It looks at sizes and at what is missing, never at values.
    """
    missing = targets.counts()[:, MISSING]
    share = float(missing.mean()) / targets.n
    m, d = reference.n, reference.d
    fits = MOST_WORK / (max(targets.n * min(share, 1 - share), 1) * m**2)
    most = int(min(fits, MOST_VALUES / m, d))
    if most >= d:
        return None
    gone = missing / targets.n + reference.counts()[:, MISSING] / m
    # ties are broken by a scattered order, not by place: neighbours say the same
    scattered = (np.arange(d, dtype=np.uint64) * np.uint64(2_654_435_761)) % np.uint64(2**32)
    return np.asarray(np.sort(np.lexsort((scattered, gone))[: max(most, 1)]), np.intp)


def thinned(view: TracingView) -> tuple[TracingView, tuple[str, ...]]:
    """Keep the columns that can be worked on where values are missing, and say how that is handled."""
    reference, targets = view.reference, view.targets
    assert isinstance(reference, CodedTraits)  # noqa: S101  (checked by whoever asks)
    assert isinstance(targets, CodedTraits)  # noqa: S101
    columns = affordable(reference, targets)
    if columns is None:
        return view, (LACKING,)
    few = f"Only the {columns.size:,} of {targets.d:,} columns that are missing least were used, for time."
    kept = view.release.select(columns), targets.select(columns), reference.select(columns)
    return TracingView(*kept), (LACKING, few)


def masked_pools(
    release: MeansRelease,
    reference: CodedTraits,
    targets: CodedTraits,
    *,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> Iterator[MaskedPool]:
    """Go through the pools of all targets; those who lack the same values come one after the other."""
    alike = lacking_alike(targets, reference, rng)
    centre, scale = release.means.astype(np.float32), (1 / np.sqrt(spread(release))).astype(np.float32)

    def filled(values: NDArray[np.floating]) -> Dense:
        return np.where(np.isnan(values), np.float32(0), (values - centre) * scale).astype(np.float32)

    among = _Among(filled(reference.values(slice(None))))
    gone = lacking(targets)
    _, group = np.unique(np.packbits(gone, axis=1), axis=0, return_inverse=True)
    order = np.argsort(group, kind="stable")
    for start in range(0, order.size, AT_ONCE):
        some = order[start : start + AT_ONCE]
        y = filled(alike.take(some).values(slice(None)))
        across, own = (among.z @ y.T).astype(np.float64), np.einsum("ij,ij->i", y, y)
        for k, t in enumerate(some):
            columns = max(int((~gone[t]).sum()), 1)
            yield MaskedPool(int(t), *among.without(gone[t]), across[:, k], float(own[k]), columns)
        progress(start / order.size, "comparing records on each target's columns")


class _Among:
    """Products of the references' records, with the inverse, on all columns or without some."""

    def __init__(self, z: Dense) -> None:
        self.z = z
        m = len(z)
        self._ridge = m * np.eye(m)
        self._all = (z @ z.T).astype(np.float64)
        self._inverse = _inverse(self._all + self._ridge)
        self._solved = (self._inverse.astype(np.float32) @ z).astype(np.float32)
        self._last: tuple[bytes, tuple[Values, Values]] | None = None

    def without(self, gone: NDArray[np.bool_]) -> tuple[Values, Values]:
        """Leave columns out; what was asked for last is kept, as many targets may lack the same."""
        key = gone.tobytes()
        if self._last is None or self._last[0] != key:
            self._last = key, self._without(np.flatnonzero(gone), gone)
        return self._last[1]

    def _without(self, which: NDArray[np.intp], gone: NDArray[np.bool_]) -> tuple[Values, Values]:
        if 2 * which.size > gone.size:
            kept = self.z[:, ~gone]
            among = (kept @ kept.T).astype(np.float64)
            return among, _inverse(among + self._ridge)
        left = self.z[:, which]
        among = self._all - left @ left.T
        if 4 * which.size > len(self.z):
            return among, _inverse(among + self._ridge)
        # few columns: the inverse is corrected by as many (Sherman, Morrison and Woodbury)
        solved = self._solved[:, which].astype(np.float64)
        inner = np.eye(which.size) - left.T @ solved
        return among, np.asarray(self._inverse + solved @ np.linalg.solve(inner, solved.T))


def _inverse(matrix: Values) -> Values:
    """Invert a symmetric positive definite matrix, in half the time that a general one takes."""
    from scipy.linalg import lapack

    factor, _ = lapack.dpotrf(matrix, lower=1)
    lower, _ = lapack.dpotri(factor, lower=1)
    return np.asarray(np.tril(lower) + np.tril(lower, -1).T)


def pool_scores(pool: MaskedPool) -> tuple[Values, float]:
    """Partial correlations of everybody in a pool, and n times what membership adds to the target's.

    The same as `partial_correlations` of one target, which says why; here with products instead of means.
    """
    m, across = len(pool.among), pool.across
    ones, seen = pool.inverse.sum(axis=1), pool.inverse @ across
    unexplained = pool.own + m - across @ seen
    own = (1 - across @ ones) / unexplained
    sums = ones - own * seen
    diagonal = np.diag(pool.inverse) + seen**2 / unexplained
    scores = np.append(sums / np.sqrt(diagonal), own * np.sqrt(unexplained))
    unit = np.sqrt(pool.columns)
    return unit * scores, float(unit * np.sqrt(unexplained) * ones.sum())


def components_of(pool: MaskedPool, start: Values) -> Values:
    """Leading principal components of a pool, ``(people, count)``: orthonormal, summing to zero.

    From those of the pool on all columns, by orthogonal iteration: directions in which people really differ
    are the same within rounding after few steps, and one that is noise may be any.
    """
    m = len(pool.among)
    gram = np.empty((m + 1, m + 1))
    gram[:m, :m], gram[:m, m], gram[m, :m], gram[m, m] = pool.among, pool.across, pool.across, pool.own
    found = start
    for _ in range(STEPS):
        found = gram @ (found - found.mean(axis=0))
        found = np.linalg.qr(found - found.mean(axis=0))[0]
    # in the order of how much people differ in them
    _, turned = np.linalg.eigh(found.T @ gram @ found)
    return np.asarray(found @ turned[:, ::-1])
