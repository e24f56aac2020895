"""What a mechanism promises to each person, as a number of differential privacy."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Promise:
    """The promise to one person whose record is replaced by any other.

    Parameters
    ----------
    epsilon
        Pure differential privacy, or None where there is none.
    rho
        Zero-concentrated differential privacy of Gaussian noise, or None where there is none.
    text
        The promise in words.
    """

    epsilon: float | None
    rho: float | None
    text: str
