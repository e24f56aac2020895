"""Neighbouring variants decorrelated before records are compared: linkage counts once what it says often.

In a dense region a stretch that people share is counted by each of its variants, and the noise of a few
stretches hides members. Blocks of neighbouring variants are multiplied by the inverse root of their
correlations, shrunk towards none. The correlations are learnt from half of the references, who are then in no
pool, so that target and pool stay exchangeable and the rank is exact; the price is a pool of half the size.
Ancestry is adjusted for as before: whitening is no replacement for that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import UnsupportedError
from dalenius.knowledge.tracing import TracingView
from dalenius.people.traits.missing import lacks_any
from dalenius.people.traits.traits import CodedTraits
from dalenius.tracing.attack.genomes.ancestry import Similarities, spread

Values = NDArray[np.float64]

SHRUNK = 0.1
"""How far correlations are drawn towards none; 0.05 to 0.2 did about as well on simulated regions."""


def halved(view: TracingView, rng: np.random.Generator) -> tuple[TracingView, CodedTraits]:
    """Divide the references: a view with those of the pool, and those who say what is linked."""
    reference, targets = view.reference, view.targets
    if not (isinstance(reference, CodedTraits) and isinstance(targets, CodedTraits)):
        raise UnsupportedError("decorrelating neighbours is for genotypes and yes/no answers of people")
    if lacks_any(reference) or lacks_any(targets):
        raise UnsupportedError(
            "decorrelating neighbours is for records without missing values: leave whiten out"
        )
    order = rng.permutation(reference.n)
    learn = order[: reference.n // 2]
    return TracingView(view.release, targets, reference.take(order[learn.size :])), reference.take(learn)


def whitened(view: TracingView, learn: CodedTraits, block: int) -> Similarities:
    """Compare records centred at the release, with neighbours decorrelated in blocks of so many variants."""
    release, reference, targets = view.release, view.reference, view.targets
    assert isinstance(reference, CodedTraits)  # noqa: S101  (halved refuses others)
    scale = 1 / np.sqrt(spread(release) * release.size)
    m, count = reference.n, targets.n
    among, across, own = np.zeros((m, m)), np.zeros((m, count)), np.zeros(count)
    for start in range(0, release.size, block):
        part = np.arange(start, min(start + block, release.size))

        def records(people: CodedTraits, part: NDArray[np.intp] = part) -> Values:
            values = people.select(part).values(slice(None)).astype(np.float64)
            return np.asarray((values - release.means[part]) * scale[part])

        root = inverse_root(records(learn))
        z, y = records(reference) @ root, records(_coded(targets)) @ root
        among += z @ z.T
        across += z @ y.T
        own += (y**2).sum(axis=1)
    return Similarities(among, across, own, release.size, None)


def inverse_root(values: Values) -> Values:
    """Return the inverse root of the shrunk correlations of columns; a column without spread is let be.

    Examples
    --------
    >>> alike = np.array([[0.0, 0.0], [1.0, 1.0]])
    >>> found = inverse_root(alike) @ np.ones(2)  # the two say the same: 1 / sqrt(2 - 0.1) each
    >>> bool(np.allclose(found, 1 / np.sqrt(1.9)))
    True
    """
    rest = values - values.mean(axis=0)
    size = np.linalg.norm(rest, axis=0)
    unit = rest / np.where(size > 0, size, 1.0)
    matrix = (1 - SHRUNK) * (unit.T @ unit) + SHRUNK * np.eye(unit.shape[1])
    matrix[np.diag_indices_from(matrix)] = 1.0
    roots, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors / np.sqrt(np.maximum(roots, SHRUNK / 2))) @ vectors.T)


def _coded(people: object) -> CodedTraits:
    assert isinstance(people, CodedTraits)  # noqa: S101  (halved refuses others)
    return people
