"""What an attack on a view can and cannot do, said before it is made.

Numbers are in the units of the answers: for counts, people. Rows that are not counts are divided by the
root mean square of their coefficients first.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from dalenius.attacks.reconstruction import predict, proofs
from dalenius.attacks.reconstruction.build import build
from dalenius.attacks.reconstruction.scale import least_scale
from dalenius.attacks.reconstruction.structure import describe, rank_at_most
from dalenius.attacks.reconstruction.system import LEAST_SD, LinearSystem
from dalenius.knowledge.view import View
from dalenius.progress import Progress, silent
from dalenius.records.answers import Vector

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
class Diagnosis:
    """What can be expected of attacks on a release.

    Parameters
    ----------
    people, answers, unknowns
        Sizes; people whom no question tells apart are one unknown.
    merged
        People who share an unknown with somebody.
    rank_at_most
        What the questions alone allow.
    spectrum, prediction, limits, proofs
        See there; ``None`` where it was not computed.
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
        head = f"{self.people:,} people, {self.unknowns:,} unknowns, {self.answers:,} equations"
        merged = f"; {self.merged:,} people share theirs with somebody" if self.merged else ""
        said = [head + merged, *self.about]
        if self.spectrum is not None:
            said.append(_spectrum_line(self.spectrum, self))
        for part in (self.prediction, self.limits, self.proofs):
            if part is not None:
                said += part.lines()
        return (*said, *(f"not computed: {reason}" for reason in self.not_computed))


def diagnose(
    view: View, *, rng: np.random.Generator, seconds: float = 5.0, progress: Progress = silent
) -> Diagnosis:
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
    >>> from dalenius.records.roster import Roster
    >>> from dalenius.records.schema import Column, Kind, Role
    >>> from dalenius.release.release import Block, Release
    >>> from dalenius.statistics.subsets import HadamardQueries
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
    missing: list[str] = []
    spectrum = prediction = limits = found = None
    if min(m, unknowns) <= DENSE_SIDE and m * unknowns <= DENSE_ENTRIES:
        with threadpool_limits(1, user_api="blas"):
            units = least_scale(system) / LEAST_SD
            matrix = system.A.explicit().toarray() / units[:, None]
            values, vectors = _decompose(matrix)
            spectrum = _spectrum(values, vectors, system)
            error = predict.read_error(system, units, matrix, values, vectors)
            prediction = predict.predict(system, matrix, error, spectrum.sigma_min)
            limits = predict.limits(system, matrix, error)
            found, reasons = proofs.prove(
                matrix, system.sizes, error, spectrum.sigma_min, seconds, rng=rng, progress=progress
            )
            missing += reasons
    else:
        missing.append(
            f"rank, predictions and proofs, because {m:,} equations about {unknowns:,} unknowns are more "
            f"than {DENSE_SIDE:,} of each or {DENSE_ENTRIES:,} coefficients"
        )
    return Diagnosis(
        len(view.knowledge.roster),
        m,
        unknowns,
        int(shared.sum()),
        min(rank_at_most(view.release), m, unknowns),
        spectrum,
        prediction,
        limits,
        found,
        describe(view.release),
        tuple(missing),
    )


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


def _spectrum_line(spectrum: Spectrum, diagnosis: Diagnosis) -> str:
    rank = f"rank {spectrum.rank:,} of {diagnosis.unknowns:,}"
    if spectrum.condition is None:
        size = f"least singular value 0; on average {spectrum.resolution:.0%} of an unknown is seen"
    else:
        size = f"least singular value {spectrum.sigma_min:.4g}, condition {spectrum.condition:.3g}"
    return f"{rank}, {size}; {spectrum.identified:,} people would follow from exact answers by linear algebra"
