"""What can be proved about one matrix: how many wild answers it survives, and which errors hide people."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.progress import Progress, silent
from dalenius.reconstruction.attack.forecast.predict import FLOAT, ErrorSize
from dalenius.theory.reconstruction.discrepancy import (
    Discrepancy,
    differing_people,
    partial_discrepancy,
    reconstruction_possibility,
    spectral_discrepancy_bound,
)
from dalenius.theory.reconstruction.lp import gross_errors_tolerated, section_upper_estimate, tau1

SECTION_ROWS = 500
"""Rows up to which the least flat direction is searched, and wild answers are counted."""

SEARCH_PEOPLE, SEARCH_ROWS = 28, 200
"""Sizes up to which the partial discrepancy is computed by integer programming."""

BETA = 0.1
"""An attack that is wrong about a tenth of the people is still blatant."""


@dataclass(frozen=True)
class Proofs:
    """What was proved.

    Parameters
    ----------
    section
        Upper estimate of the Euclidean-section constant of LP decoding, 1 being flattest.
    tau1, wild_answers
        How much of the whole one answer can carry, and how many wild answers LP decoding then survives for
        sure.
    discrepancy
        Proven bounds of the partial discrepancy for a tenth of the people: chosen errors of half of it on
        every answer can defeat every attack, smaller ones cannot. In units of the row bounds if ``scaled``.
    verdict
        At the stated bounded errors: ``possible``, ``impossible`` or ``undecided``; ``None`` without bounds.
    """

    section: float | None
    tau1: float | None
    wild_answers: int | None
    discrepancy: tuple[float | None, float | None]
    scaled: bool
    verdict: str | None

    def lines(self) -> list[str]:
        """Say it in words."""
        said = []
        if self.section is not None:
            said.append(
                f"Euclidean-section constant at most {self.section:.3g}: LP decoding is proved for under "
                f"{self.section**2 / 4:.1%} wild answers"
            )
        if self.wild_answers is not None:
            most = f"any {self.wild_answers} wild answers" if self.wild_answers else "no wild answer for sure"
            said.append(f"LP decoding survives {most} (tau1 {self.tau1:.3g})")
        low, high = self.discrepancy
        unit = "times their bounds" if self.scaled else "on every answer"
        if high == 0:
            said.append("even exact answers fit secrets that differ in over a tenth of the people")
        elif high is not None:
            said.append(
                f"chosen errors of {high / 2:.3g} {unit} can hide a tenth of the people from every attack"
            )
        if low is None:
            said.append("no two secrets can be confused at all")
        elif low > 0:
            said.append(f"chosen errors below {low / 2:.3g} {unit} cannot")
        if self.verdict is not None:
            said.append(f"at the stated errors, finding all but a tenth is {self.verdict}")
        return said


def prove(
    matrix: NDArray[np.float64] | None,
    sizes: NDArray[np.int64],
    error: ErrorSize,
    sigma_min: float,
    seconds: float,
    *,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> tuple[Proofs, list[str]]:
    """Prove what can be proved in time; returns also what was left out and why.

    ``matrix`` is ``None`` where it is too large to be written out; ``sizes`` is how many people each unknown
    sums over, ``sigma_min`` at most the least singular value.
    """
    m = error.tau.size
    missing: list[str] = []
    section = carried = tolerated = None
    if matrix is not None and m <= SECTION_ROWS and matrix.any():
        progress(0.3, "the least flat direction")
        section = section_upper_estimate(matrix, rng=rng)
        if _tau1_seconds(m) <= seconds:
            progress(0.5, "wild answers survived")
            carried = tau1(matrix)
            tolerated = gross_errors_tolerated(carried)
        else:
            missing.append(
                f"wild answers survived, because {m} linear programs take about {_tau1_seconds(m):.0f} s"
            )
    else:
        why = f"{m:,} equations are more than {SECTION_ROWS}"
        missing.append(
            f"flatness and wild answers, because {why if m > SECTION_ROWS else 'the matrix is too large'}"
        )
    bounded = error.kind in ("exact", "bounded") and bool(np.isfinite(error.half).all())
    scaled = bounded and bool(np.ptp(error.half) > FLOAT)
    progress(0.7, "which errors hide people")
    units = error.half if scaled else np.ones(m)
    found, reasons = _discrepancy(matrix, sizes, units, sigma_min, seconds)
    verdict = None
    if bounded:
        verdict = reconstruction_possibility(found, 1.0 if scaled else float(error.half.max(initial=0.0)))
    # without any pair of secrets to confuse both bounds are infinite, which JSON cannot say
    low, high = (x if np.isfinite(x) else None for x in (found.lower, found.upper))
    proofs = Proofs(section, carried, tolerated, (low, high), scaled, verdict)
    return proofs, missing + reasons


def _discrepancy(
    matrix: NDArray[np.float64] | None,
    sizes: NDArray[np.int64],
    units: NDArray[np.float64],
    sigma_min: float,
    seconds: float,
) -> tuple[Discrepancy, list[str]]:
    """Bound the partial discrepancy, one column per person; rows in their units."""
    n = int(sizes.sum())
    if 2 * (sizes // 2).sum() >= differing_people(n, BETA):  # they exchange their secrets, and nothing moves
        return Discrepancy(BETA, 0.0, 0.0, None), []
    if matrix is not None and n <= SEARCH_PEOPLE and units.size <= SEARCH_ROWS:
        people = np.repeat(matrix, sizes, axis=1)
        return partial_discrepancy(people, BETA, errors=units, seconds=seconds), []
    reason = f"the exact discrepancy, because {n:,} people are more than {SEARCH_PEOPLE}"
    told_apart = sizes.max(initial=1) == 1 and (units == 1).all()
    low = spectral_discrepancy_bound(sigma_min, n, units.size, BETA) if told_apart else 0.0
    return Discrepancy(BETA, low, np.inf, None), [reason]


def _tau1_seconds(m: int) -> float:
    """Measured: a minute at 500 rows, growing like the power 3.3."""
    return float(60 * (m / 500) ** 3.3)
