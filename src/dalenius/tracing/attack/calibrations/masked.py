"""Pools whose people lack values: everybody on the same columns, target and references alike.

A value that is missing says nothing, yet whatever is put in its place pulls: the published mean towards the
release, the references' mean away from it. Were the target alone to lack values, or the references alone,
the pull would be taken for membership or hide it. So both lack the same: the references are looked at on the
target's columns, and the target also lacks what one reference, drawn at random, lacks. Then whatever is put
in place pulls all of a pool alike, and ranks stay exchangeable if whether a value is missing does not depend
on it.

Every target has columns of its own, so every pool has similarities of its own: those of all columns less
those of the columns that the target lacks. Where these are fewer than the references neither the similarities
of a pool nor their inverse is written out: both are those of all columns, corrected by those it lacks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

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
"""Multiplications for all pools: some minutes."""

CORRECTED = 0.7
"""Columns that a target lacks for each reference, up to which correcting is less work than inverting."""

PRECISE = 1e-3
"""What must be left of any direction without these columns: of less, single precision says too little."""

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
    among
        Products of the references' records.
    across, own
        Products of the target's record with theirs, and with itself.
    columns
        How many columns they are over.
    """

    target: int
    among: PoolProducts
    across: Values
    own: float
    columns: int


class PoolProducts(Protocol):
    """Products of the references' records, and the inverse of that with the ridge added."""

    @property
    def diagonal(self) -> Values:
        """That of the inverse."""
        ...

    def times(self, x: Values) -> Values:
        """Multiply the products by vectors."""
        ...

    def solve(self, x: Values) -> Values:
        """Multiply the inverse by vectors."""
        ...


@dataclass(frozen=True)
class WrittenOut:
    """Products and inverse as they are."""

    products: Values
    inverse: Values

    @property
    def diagonal(self) -> Values:
        """That of the inverse."""
        return np.asarray(np.diag(self.inverse))

    def times(self, x: Values) -> Values:
        """Multiply the products by vectors."""
        return np.asarray(self.products @ x)

    def solve(self, x: Values) -> Values:
        """Multiply the inverse by vectors."""
        return np.asarray(self.inverse @ x)


@dataclass(frozen=True)
class Corrected:
    """Those of all columns less what some columns add (Sherman, Morrison and Woodbury).

    Parameters
    ----------
    whole
        On all columns.
    left
        The records on the columns that are left out, ``L``.
    added
        What leaving them out adds to the inverse, as ``added added^T``.
    """

    whole: WrittenOut
    left: Dense
    added: Values

    @staticmethod
    def of(whole: WrittenOut, left: Dense, solved: Dense) -> Corrected | None:
        """Leave columns out, given ``S = A^-1 L``: ``S (I - L^T S)^-1 S^T`` is added to the inverse.

        ``None`` where rounding would be too large a part of it.
        """
        from scipy.linalg import lapack

        by = solved.astype(np.float64)
        inner = np.eye(left.shape[1]) - left.T.astype(np.float64) @ by
        factor, failed = lapack.dpotrf((inner + inner.T) / 2, lower=1)
        if failed or factor.diagonal().min(initial=1.0) ** 2 < PRECISE:
            return None
        return Corrected(whole, left, lapack.dtrtrs(factor, by.T, lower=1)[0].T)

    @property
    def diagonal(self) -> Values:
        """That of the inverse."""
        return np.asarray(self.whole.diagonal + np.einsum("ij,ij->i", self.added, self.added))

    def times(self, x: Values) -> Values:
        """Multiply the products by vectors."""
        return np.asarray(self.whole.times(x) - self.left @ (self.left.T @ x))

    def solve(self, x: Values) -> Values:
        """Multiply the inverse by vectors."""
        return np.asarray(self.whole.solve(x) + self.added @ (self.added.T @ x))


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
    most = int(min(_columns_in_time(m, targets.n, share), MOST_VALUES / m, d))
    if most >= d:
        return None
    gone = missing / targets.n + reference.counts()[:, MISSING] / m
    # ties are broken by a scattered order, not by place: neighbours say the same
    scattered = (np.arange(d, dtype=np.uint64) * np.uint64(2_654_435_761)) % np.uint64(2**32)
    return np.asarray(np.sort(np.lexsort((scattered, gone))[: max(most, 1)]), np.intp)


def _columns_in_time(m: int, targets: int, share: float) -> float:
    """How many columns fit into the work, of which a target lacks this share: corrected, or written out."""
    each = MOST_WORK / targets
    corrected = min((each / (2 * m)) ** 0.5, CORRECTED * m)
    written_out = (each - m**3) / m**2
    return float(max(corrected / max(share, 1e-9), written_out / max(min(share, 1 - share), 1e-9)))


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

    among = _AllColumns(filled(reference.values(slice(None))))
    gone = lacking(targets)
    _, group = np.unique(np.packbits(gone, axis=1), axis=0, return_inverse=True)
    order = np.argsort(group, kind="stable")
    for start in range(0, order.size, AT_ONCE):
        some = order[start : start + AT_ONCE]
        y = filled(alike.take(some).values(slice(None)))
        across, own = (among.z @ y.T).astype(np.float64), np.einsum("ij,ij->i", y, y)
        for k, t in enumerate(some):
            columns = max(int((~gone[t]).sum()), 1)
            yield MaskedPool(int(t), among.without(gone[t]), across[:, k], float(own[k]), columns)
        progress(start / order.size, "comparing records on each target's columns")


class _AllColumns:
    """Products of the references' records on all columns, and without some."""

    def __init__(self, z: Dense) -> None:
        self.z = z
        self._whole = _written_out(z)
        self._solved = (self._whole.inverse.astype(np.float32) @ z).astype(np.float32)
        self._last: tuple[bytes, PoolProducts] | None = None

    def without(self, gone: NDArray[np.bool_]) -> PoolProducts:
        """Leave columns out; what was asked for last is kept, as many targets may lack the same."""
        key = gone.tobytes()
        if self._last is None or self._last[0] != key:
            self._last = key, self._without(np.flatnonzero(gone), gone)
        return self._last[1]

    def _without(self, which: NDArray[np.intp], gone: NDArray[np.bool_]) -> PoolProducts:
        if which.size <= CORRECTED * len(self.z):
            corrected = Corrected.of(self._whole, self.z[:, which], self._solved[:, which])
            if corrected is not None:
                return corrected
        if 2 * which.size > gone.size:
            return _written_out(self.z[:, ~gone])
        left = self.z[:, which]
        return _with_inverse(self._whole.products - left @ left.T)


def _written_out(z: Dense) -> WrittenOut:
    return _with_inverse((z @ z.T).astype(np.float64))


def _with_inverse(products: Values) -> WrittenOut:
    m = len(products)
    return WrittenOut(products, _inverse(products + m * np.eye(m)))


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
    m, across = len(pool.across), pool.across
    ones, seen = pool.among.solve(np.stack([np.ones(m), across], axis=1)).T
    unexplained = pool.own + m - across @ seen
    own = (1 - across @ ones) / unexplained
    sums = ones - own * seen
    diagonal = pool.among.diagonal + seen**2 / unexplained
    scores = np.append(sums / np.sqrt(diagonal), own * np.sqrt(unexplained))
    unit = np.sqrt(pool.columns)
    return unit * scores, float(unit * np.sqrt(unexplained) * ones.sum())


def components_of(pool: MaskedPool, start: Values) -> Values:
    """Leading principal components of a pool, ``(people, count)``: orthonormal, summing to zero.

    From those of the pool on all columns, by orthogonal iteration: directions in which people really differ
    are the same within rounding after few steps, and one that is noise may be any.
    """
    found = start
    for _ in range(STEPS):
        found = _times(pool, found - found.mean(axis=0))
        found = np.linalg.qr(found - found.mean(axis=0))[0]
    # in the order of how much people differ in them
    _, turned = np.linalg.eigh(found.T @ _times(pool, found))
    return np.asarray(found @ turned[:, ::-1])


def _times(pool: MaskedPool, x: Values) -> Values:
    """Multiply the products of everybody in a pool, the target last, by vectors."""
    theirs = pool.among.times(x[:-1]) + np.outer(pool.across, x[-1])
    return np.vstack([theirs, pool.across @ x[:-1] + pool.own * x[-1]])
