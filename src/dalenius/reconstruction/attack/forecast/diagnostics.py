"""What an attack on a view can and cannot do, said before it is made.

Numbers are in the units of the answers: for counts, people. Rows that are not counts are divided by the
root mean square of their coefficients first.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import one_blas_thread
from dalenius.knowledge.view import View
from dalenius.matrices.answers import Vector
from dalenius.matrices.operators import Operator, single
from dalenius.progress import Progress, silent
from dalenius.reconstruction.attack.forecast import predict, proofs
from dalenius.reconstruction.attack.forecast.predict_large import PEOPLE, STEPS, predict_sampled
from dalenius.reconstruction.attack.linalg.cgls import cgls
from dalenius.reconstruction.attack.linalg.lanczos import LEADING_STEPS, Ends, find_ends
from dalenius.reconstruction.attack.linalg.lanczos import STEPS as END_STEPS
from dalenius.reconstruction.attack.matrix_cost import product_seconds
from dalenius.reconstruction.attack.system.build import build
from dalenius.reconstruction.attack.system.noise_scale import least_scale
from dalenius.reconstruction.attack.system.rank_bound import describe, rank_at_most
from dalenius.reconstruction.attack.system.system import LEAST_SD, LinearSystem
from dalenius.shown import people, several

DENSE_SIDE, DENSE_ENTRIES = 4_000, 32_000_000
"""The smaller side and the coefficients up to which the matrix is decomposed: a minute at the most."""

NO_RANK = 1e-11
"""Eigenvalues of ``A^T A`` below this share of the largest count as 0."""

RESOLVED = 1 - 1e-6


@dataclass(frozen=True)
class Spectrum:
    """What linear algebra says about the equations.

    Parameters
    ----------
    rank
        Independent equations.
    sigma_min, condition
        Least singular value (0 if the rank is below the unknowns), and the largest over it.
    identified
        People whose secret follows from exact answers by linear algebra alone.
    resolution
        Mean over unknowns of how much of each one is seen: 1 is everything, 0 nothing.
    """

    rank: int
    sigma_min: float
    condition: float | None
    identified: int
    resolution: float


@dataclass(frozen=True)
class SpectrumEstimate:
    """What products with the matrix say about equations too large to decompose.

    Parameters
    ----------
    ends
        Bounds of the largest and the least singular value.
    resolution
        Bounds of the mean over unknowns of how much of each one is seen: below from people drawn at random,
        above from the rank.
    products
        Products with the matrix and its transpose that everything took.
    """

    ends: Ends
    resolution: tuple[float, float]
    products: int

    def lines(self) -> list[str]:
        """Say it in words."""
        low, high = self.resolution
        return [*self.ends.lines(), f"on average {low:.0%} to {high:.0%} of an unknown is seen"]


@dataclass(frozen=True)
class ReleaseDiagnosis:
    """What can be expected of attacks on a release.

    Parameters
    ----------
    people, answers, unknowns
        Sizes; people whom no question tells apart are one unknown.
    merged
        People who share an unknown with somebody.
    rank_at_most
        What the questions alone allow.
    spectrum, estimate, prediction, limits, proofs
        See there; ``None`` where it was not computed. ``spectrum`` is exact, ``estimate`` is what takes its
        place where the matrix is too large.
    about
        What the questions alone tell, in words.
    not_computed
        What is missing, and why.
    """

    people: int
    answers: int
    unknowns: int
    merged: int
    rank_at_most: int
    spectrum: Spectrum | None
    estimate: SpectrumEstimate | None
    prediction: predict.Prediction | None
    limits: predict.Limits | None
    proofs: proofs.Proofs | None
    about: tuple[str, ...]
    not_computed: tuple[str, ...]

    def to_json(self) -> str:
        """Write it as JSON."""
        return json.dumps(asdict(self), indent=2) + "\n"

    def lines(self) -> tuple[str, ...]:
        """Say it in words, a line each."""
        head = (
            f"{people(self.people)}, {several(self.unknowns, 'unknown')}, {several(self.answers, 'equation')}"
        )
        merged = f"; {self.merged:,} people share theirs with somebody" if self.merged else ""
        said = [head + merged, *self.about]
        if self.spectrum is not None:
            said.append(_spectrum_line(self.spectrum, self))
        for part in (self.estimate, self.prediction, self.limits, self.proofs):
            if part is not None:
                said += part.lines()
        return (*said, *(f"not computed: {reason}" for reason in self.not_computed))


def diagnose(
    view: View, *, rng: np.random.Generator, seconds: float = 5.0, progress: Progress = silent
) -> ReleaseDiagnosis:
    """Say what an attack on a view can be expected to do, without making it.

    Parameters
    ----------
    view
        The release and what else the attacker knows. Of a secret with more than two values the first is
        taken.
    rng
        Draws directions in the search for the least flat one.
    seconds
        How long each of the two searches for proofs may take; longer ones are left out.

    Examples
    --------
    >>> from dalenius.knowledge.view import Knowledge
    >>> from dalenius.people.schema import Roster
    >>> from dalenius.people.schema import Column, Kind, Role
    >>> from dalenius.release.release import Block, Release
    >>> from dalenius.statistics.counts.subsets import HadamardQueries
    >>> ids = np.arange(8).astype(np.str_)
    >>> block = Block(HadamardQueries(ids), ("1",), np.full((15, 1), 2.0))
    >>> secret = Column("s", Role.SECRET, Kind.BINARY, ("0", "1"))
    >>> release = Release("r", secret, (block,), "gaussian:sigma=2")
    >>> found = diagnose(View(release, Knowledge(Roster.of_names("id", ids))), rng=np.random.default_rng(1))
    >>> found.spectrum.rank, round(found.prediction.least_squares, 3)
    (8, 0.702)
    """
    progress(0.0, "diagnosis")
    problem = build(view)
    system = problem.systems[0]
    m, unknowns = system.A.shape
    shared = system.sizes[system.sizes > 1]
    at_most = min(rank_at_most(view.release), m, unknowns)
    dense = min(m, unknowns) <= DENSE_SIDE and m * unknowns <= DENSE_ENTRIES
    with one_blas_thread():
        if dense:
            found = _decomposed(system, seconds, rng, progress)
        else:
            found = _multiplied(system, at_most, seconds, rng, progress)
    return ReleaseDiagnosis(
        len(view.knowledge.roster),
        m,
        unknowns,
        int(shared.sum()),
        at_most,
        found.spectrum,
        found.estimate,
        found.prediction,
        found.limits,
        found.proofs,
        describe(view.release),
        tuple(found.missing),
    )


@dataclass(frozen=True)
class _Found:
    spectrum: Spectrum | None
    estimate: SpectrumEstimate | None
    prediction: predict.Prediction
    limits: predict.Limits | None
    proofs: proofs.Proofs
    missing: list[str]


def _decomposed(system: LinearSystem, seconds: float, rng: np.random.Generator, progress: Progress) -> _Found:
    """Everything exactly, from the singular vectors."""
    units = least_scale(system) / LEAST_SD
    matrix = system.A.explicit().toarray() / units[:, None]
    values, vectors = _decompose(matrix)
    spectrum = _spectrum(values, vectors, system)

    def missed(target: Vector) -> float:
        step = vectors @ ((vectors.T @ (matrix.T @ target)) / values)
        freedom = max(target.size - values.size, 1)
        return float(np.linalg.norm(target - matrix @ step) / np.sqrt(freedom))

    def norms(scale: Vector) -> Vector:
        return np.asarray(np.linalg.norm(matrix / scale[:, None], axis=0), np.float64)

    error = predict.read_error(system, units, missed)
    found, missing = proofs.prove(
        matrix, system.sizes, error, spectrum.sigma_min, seconds, rng=rng, progress=progress
    )
    prediction = predict.predict(system, matrix, error, spectrum.sigma_min)
    return _Found(spectrum, None, prediction, predict.limits(system, norms, error), found, missing)


def _multiplied(
    system: LinearSystem, at_most: int, seconds: float, rng: np.random.Generator, progress: Progress
) -> _Found:
    """As much as products with the matrix tell."""
    units = least_scale(system) / LEAST_SD
    A = single(system.A)
    _announce(A, progress)

    def missed(target: Vector) -> float:
        solved = cgls(A, target * units, units, progress=progress)
        return float(np.linalg.norm(solved.residual) / np.sqrt(max(target.size - at_most, 1)))

    def norms(scale: Vector) -> Vector:
        return _column_norms(system, units * scale)

    ends = find_ends(A, units, at_most < system.unknowns, rng=rng, progress=progress)
    error = predict.read_error(system, units, missed)
    sample = predict_sampled(system, A, units, error, ends.least[0], rng=rng, progress=progress)
    found, missing = proofs.prove(None, system.sizes, error, ends.least[0], seconds, rng=rng)
    most = at_most / system.unknowns  # the trace of a projection is its rank
    resolution = (min(sample.resolution, most), most)
    estimate = SpectrumEstimate(ends, resolution, ends.products + sample.products)
    return _Found(None, estimate, sample.prediction, predict.limits(system, norms, error), found, missing)


def _announce(A: Operator, progress: Progress) -> None:
    """Say beforehand what it will cost."""
    products = LEADING_STEPS + END_STEPS + PEOPLE * STEPS
    most = 2 * products * product_seconds(A)  # each with the matrix and back
    progress(0.05, f"too large to decompose: up to {products:,} products, {most:,.0f} s at the most")


def _column_norms(system: LinearSystem, scale: Vector) -> Vector:
    """Norms of the columns, rows divided by ``scale``.

    The coefficients of counts are 0 and 1: their own squares.
    """
    if system.counting.all():
        squares = system.A.apply_transpose(1 / scale**2)
    else:
        squares = np.asarray(system.A.explicit().power(2).T @ (1 / scale**2))
    return np.sqrt(np.maximum(squares, 0.0))


def _decompose(matrix: NDArray[np.float64]) -> tuple[Vector, NDArray[np.float64]]:
    """The squared singular values other than 0, rising, and their right singular vectors."""
    wide = matrix.shape[0] < matrix.shape[1]
    values, vectors = np.linalg.eigh(matrix @ matrix.T if wide else matrix.T @ matrix)
    seen = values > NO_RANK * max(values[-1], 0.0)
    values, vectors = values[seen], vectors[:, seen]
    return values, matrix.T @ vectors / np.sqrt(values) if wide else vectors


def _spectrum(values: Vector, vectors: NDArray[np.float64], system: LinearSystem) -> Spectrum:
    rank = values.size
    resolution = (vectors**2).sum(axis=1)
    alone = system.sizes == 1
    full = rank == system.unknowns
    return Spectrum(
        rank,
        float(np.sqrt(values[0])) if full else 0.0,
        float(np.sqrt(values[-1] / values[0])) if full else None,
        int((alone & (resolution >= RESOLVED)).sum()),
        float(resolution.mean()),
    )


def _spectrum_line(spectrum: Spectrum, diagnosis: ReleaseDiagnosis) -> str:
    rank = f"rank {spectrum.rank:,} of {diagnosis.unknowns:,}"
    if spectrum.condition is None:
        size = f"least singular value 0; on average {spectrum.resolution:.0%} of an unknown is seen"
    else:
        size = f"least singular value {spectrum.sigma_min:.4g}, condition {spectrum.condition:.3g}"
    return f"{rank}, {size}; {spectrum.identified:,} people would follow from exact answers by linear algebra"
