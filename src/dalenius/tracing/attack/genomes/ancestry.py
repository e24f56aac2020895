"""Who descends from the same people as whom: similarities of records, and the directions they differ in.

Every record is centred at the published means and divided by the spread that they imply, so the release sits
at the origin. All that the calibration for real genomes needs are inner products of such records: among the
references (once), and of each target with the references. Both come from one pass over blocks of columns.

The pool of a target is the references and the target, treated alike. Its principal components would take one
eigendecomposition a target; the references' own, and one row and column more, give them from a secular
equation, exactly, in time linear in the pool.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import TooLargeError, UnsupportedError
from dalenius.people.traits.missing import lacks_any
from dalenius.people.traits.traits import CodedTraits, Dense, Traits
from dalenius.progress import Progress, silent
from dalenius.release.means import MeansRelease

Values = NDArray[np.float64]

UNSAID_PEOPLE = 100
"""How many people a release is taken to be about where it does not say; only smooths its spread."""

STEPS = 64
"""Most steps towards an eigenvalue: halving alone would reach the last bit of a double."""


@dataclass(frozen=True)
class Similarities:
    """Inner products of records centred at the release, divided by the number of columns.

    Parameters
    ----------
    references
        ``(m, m)``, of every two references.
    across
        ``(m, N)``, of references with targets.
    own
        ``(N,)``, of each target with itself.
    columns
        How many columns they are over.
    shares
        Where values are missing, and count as the published mean, the shares of columns that both have: of
        every two references, of references with targets, of targets; ``None`` where nothing is missing.
    """

    references: Values
    across: Values
    own: Values
    columns: int
    shares: tuple[Values, Values, Values] | None = None

    @property
    def ridge(self) -> float:
        """The noise of a similarity between unrelated people relative to their number, ``m / d``.

        Nothing where columns are many, and a shrinkage towards the plain score where they are few. It
        depends on sizes only, so a pool stays symmetric.
        """
        return len(self.references) / self.columns

    @cached_property
    def inverse(self) -> Values:
        """``(K + ridge)^-1`` of the references."""
        ridge = self.ridge * np.eye(len(self.references))
        return np.asarray(np.linalg.inv(self.references + ridge), np.float64)


def spread(release: MeansRelease) -> Values:
    """Return the variance of one person's value in each column, plus what noise adds for n people.

    It is computed from the release alone, so that target and references are treated alike. Means are drawn
    in by one person of each kind, so that a value nobody has in the release does not count without bound.
    """
    people = UNSAID_PEOPLE if release.n is None else release.n
    drawn_in = np.clip(release.means, -1, 1) * people / (people + 2)
    alleles = 2 if release.kind == "genotype" else 1
    return np.asarray((1 - drawn_in**2) / alleles + people * (release.sigma or 0.0) ** 2)


MOST_PAIRS = 200_000_000
"""Pairs of people that are compared at most: 10,000 references with each other and with as many targets. That
takes about 5 GB; how many variants they are compared on: `pruning`."""


def pairs_compared(reference: Traits, targets: Traits) -> int:
    """How many pairs of people `similarities` compares: it grows with the square of the references."""
    return reference.n * (reference.n + targets.n)


def similarities(
    release: MeansRelease, reference: Traits, targets: Traits, *, progress: Progress = silent
) -> Similarities:
    """Multiply records centred at the release, block by block; a missing value counts as the published mean.

    Raises
    ------
    UnsupportedError
        For real values: the release does not say how much they vary.
    TooLargeError
        If more than `MOST_PAIRS` pairs of people would have to be compared.
    """
    if not (isinstance(reference, CodedTraits) and isinstance(targets, CodedTraits)):
        raise UnsupportedError(
            "adjusting for ancestry is for genotypes and yes/no answers; a release of real values does not "
            "say how much they vary: use the calibration conformal"
        )
    if (pairs := pairs_compared(reference, targets)) > MOST_PAIRS:
        raise TooLargeError(
            "people compared to adjust for ancestry",
            f"must be at most {MOST_PAIRS:,} pairs",
            f"{reference.n:,} references and {targets.n:,} targets, {pairs:,} pairs",
            "Give fewer references, targets in several files, or use the calibration conformal.",
        )
    m, count, d = reference.n, targets.n, release.size
    centre = release.means.astype(np.float32)
    scale = (1 / np.sqrt(spread(release) * d)).astype(np.float32)
    among, across, own = np.zeros((m, m)), np.zeros((m, count)), np.zeros(count)
    shares = None
    if lacks_any(reference) or lacks_any(targets):
        shares = np.zeros((m, m)), np.zeros((m, count)), np.zeros(count)
    width = max(64, 16_000_000 // (m + count))
    for (part, z), (_, y) in zip(reference.blocks(width), targets.blocks(width), strict=True):
        if shares is not None:
            there, here = ((~np.isnan(u)).astype(np.float32) / np.float32(np.sqrt(d)) for u in (z, y))
            _add(*shares, there, here)
        z, y = (
            np.where(np.isnan(u), np.float32(0), (u - centre[part]) * scale[part]).astype(np.float32)
            for u in (z, y)
        )
        _add(among, across, own, z, y)
        progress(part.stop / d, "comparing records")
    return Similarities(among, across, own, d, shares)


def _add(among: Values, across: Values, own: Values, z: Dense, y: Dense) -> None:
    """Add the products of one block of columns."""
    among += z @ z.T
    across += z @ y.T
    own += np.einsum("ij,ij->i", y, y)


def atypical(similar: Similarities) -> Values:
    """Return for every target a p-value of "this record is as near to references as they are to each other".

    Nearness is the mean correlation, about the references' mean, with the nearest tenth of them (20 at most).
    It is ranked among the references' own; a diagnostic, so their one neighbour less is not corrected for.
    Where values are missing, similarities are over the columns that both have.
    """
    among, across, alone = similar.references, similar.across, similar.own
    if similar.shares is not None:
        among, across, alone = (
            table / np.maximum(share, 1e-9)
            for table, share in zip((among, across, alone), similar.shares, strict=True)
        )
    inner = among - among.mean(axis=0) - among.mean(axis=1)[:, None] + among.mean()
    outer = across - across.mean(axis=0) - among.mean(axis=1)[:, None] + among.mean()
    length = np.sqrt(np.maximum(np.diag(inner), 1e-12))
    own = np.sqrt(np.maximum(alone - 2 * across.mean(axis=0) + among.mean(), 1e-12))
    inner = inner / np.outer(length, length)
    np.fill_diagonal(inner, -np.inf)
    nearest = min(20, max(1, among.shape[0] // 10))
    theirs, its = (
        np.sort(table, axis=0)[-nearest:].mean(axis=0) for table in (inner, outer / np.outer(length, own))
    )
    return np.asarray((1 + np.searchsorted(np.sort(theirs), its, side="right")) / (theirs.size + 1))


@dataclass(frozen=True)
class Axes:
    """The references about their own mean, in the coordinates of their principal components.

    Parameters
    ----------
    similar
        What it was made of.
    eigenvalues, vectors
        Of the centred similarities, largest first; ``(r,)`` and ``(m, r)``.
    """

    similar: Similarities
    eigenvalues: Values
    vectors: Values


def axes(similar: Similarities) -> Axes:
    """Decompose the centred similarities of the references."""
    among = similar.references
    centred = among - among.mean(axis=0) - among.mean(axis=1)[:, None] + among.mean()
    eigenvalues, vectors = np.linalg.eigh(centred)
    keep = np.flatnonzero(eigenvalues > 1e-9 * eigenvalues[-1])[::-1]
    return Axes(similar, eigenvalues[keep], vectors[:, keep])


def pool_components(at: Axes, who: slice, count: int) -> Values:
    """Return the leading principal components of the pools of some targets.

    A pool is the references and one target. About its own mean its scatter is that of the references about
    theirs plus ``m/(m+1) c c'``, c the target less the references' mean: one row and column more on a
    diagonal matrix ("arrowhead"), whose eigenvalues solve ``t - g = sum b_i^2 / (t - l_i)``, one between
    every two neighbours of the ``l_i``.

    Returns
    -------
    NDArray
        ``(targets, m + 1, count)``: orthonormal columns that sum to zero; the target is the last row.
    """
    among, across = at.similar.references, at.similar.across[:, who]
    m = among.shape[0]
    shrink = m / (m + 1)
    centred = across - across.mean(axis=0) - among.mean(axis=1)[:, None] + among.mean()
    length = at.similar.own[who] - 2 * across.mean(axis=0) + among.mean()
    b = np.sqrt(shrink) * (centred.T @ at.vectors)
    g = shrink * length
    lam = at.eigenvalues
    found = np.empty((b.shape[0], m + 1, count))
    for j in range(count):
        above = np.maximum(g - lam[0], 0) + np.sqrt((b**2).sum(axis=1)) if j == 0 else lam[j - 1] - lam[j]
        step = _root(lam - lam[j], b, g - lam[j], np.broadcast_to(above, g.shape))
        inside = b / (step[:, None] - (lam - lam[j]))
        last = 1 / np.sqrt(shrink)
        found[:, :m, j] = inside @ at.vectors.T - last / (m + 1)
        found[:, m, j] = last * shrink
    found /= np.sqrt((found**2).sum(axis=1))[:, None, :]
    return found


def _root(poles: Values, b: Values, g: Values, above: Values) -> Values:
    """Solve ``t - g = sum b_i^2 / (t - poles_i)`` between the pole at 0 and the bracket's other end.

    Newton's steps for the difference times ``t (end - t)``, which takes the poles at both ends away; a step
    that leaves the bracket is replaced by its middle.
    """
    found = above / 2
    going, low, high, square = np.arange(g.size), np.zeros_like(g), above.copy(), b**2
    for _ in range(STEPS):
        root, end = found[going], above[going]
        inverse = 1 / (root[:, None] - poles)
        terms = square[going] * inverse
        value = root - g[going] - terms.sum(axis=1)
        slope = 1 + (terms * inverse).sum(axis=1)
        low, high = np.where(value < 0, root, low), np.where(value < 0, high, root)
        inside, change = root * (end - root), end - 2 * root
        step = value * inside / (slope * inside + value * change)
        tried = np.where(np.isfinite(step), root - step, low)
        found[going] = np.where((tried > low) & (tried < high), tried, (low + high) / 2)
        left = np.abs(found[going] - root) > 4e-16 * end
        going, low, high = going[left], low[left], high[left]
        if not going.size:
            break
    return found
