"""The strongest errors we can construct inside the assumptions of a statement, with secrets that suit them.

The theorems promise something about every secret and every choice of errors, so both are chosen here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.matrices.answers import Vector
from dalenius.matrices.fast_products import transform
from dalenius.papers.simulated.people import Bits

MARGIN = 1e-9
"""How far past one half an estimate is pushed, so that rounding of floats does not pull it back."""

ROUNDS, HASTE = 20, 4.0
"""Rounds of the search against least squares, and how fast weights move in it."""


@dataclass(frozen=True, eq=False)
class AimedErrors:
    """Errors of the answers and the secret they are aimed at."""

    errors: Vector
    secret: Bits


def bent(t: int) -> Vector:
    """Return a sequence of 4^t signs whose Hadamard transform is flat (Rothaus 1976, inner product).

    Examples
    --------
    >>> bent(1), transform(bent(1))
    (array([ 1.,  1.,  1., -1.]), array([ 2.,  2.,  2., -2.]))
    """
    at = np.arange(4**t)
    odd = np.bitwise_count((at >> t) & at & ((1 << t) - 1)) & 1
    return np.where(odd == 1, -1.0, 1.0)


def blocks(budget: float, n: int) -> list[int]:
    """Choose t of disjoint blocks of 4^t people, largest first, with the sum of 2^t within a budget.

    Examples
    --------
    >>> blocks(12.5, 4096), blocks(100.0, 20)
    ([3, 2], [2, 1])
    """
    chosen: list[int] = []
    t = max(int(n).bit_length() // 2, 0)
    while t >= 0:
        if 2**t <= budget and 4**t <= n:
            chosen.append(t)
            budget -= 2**t
            n -= 4**t
        else:
            t -= 1
    return chosen


def hadamard(n: int, error: float, secret: Bits) -> AimedErrors:
    """Aim errors of the Hadamard counts at as many people as flat spectra allow.

    Pushing 4^t people by one half along a bent sequence costs 2^t / 2 in every signed answer, whose
    error is at most twice that of a count. So with 4 error a power of two, 16 error^2 people are wrong,
    all that Theorem 7 allows; otherwise several blocks together reach about a third of it or more.

    Parameters
    ----------
    secret
        Secrets of the people who are not aimed at.
    """
    size = 1 << (n - 1).bit_length()
    push, start = np.zeros(size), 0
    # the first row has one count, not two, and so half the error: everybody is pulled back by error/size
    spare = 1 + 2 * (error / size + MARGIN)
    for t in blocks(4 * error / spare, n):
        push[start : start + 4**t] = bent(t) / 2
        start += 4**t
    signed = transform(push * spare)
    signed[0] = np.clip(signed[0], -error, error)
    halves = signed[1:] / 2
    errors = np.concatenate([signed[:1], halves, -halves])
    aimed = np.where(push[:n] > 0, 0, 1).astype(np.int32)
    return AimedErrors(errors, np.where(push[:n] != 0, aimed, secret))


def least_squares(A: NDArray[np.float64], error: float) -> AimedErrors:
    """Aim bounded errors at rounded least squares, by search.

    Errors move two people together as far as the inverse Gram matrix couples them. From every person, and
    from the least visible directions, a group of those coupled most is aimed at; groups of many sizes are
    tried.
    """
    inverse: NDArray[np.float64] = np.linalg.pinv(A).astype(np.float64)
    starts = np.vstack([inverse @ inverse.T, np.linalg.svd(A, full_matrices=False)[2][-5:]])
    best, errors = -1, np.zeros(A.shape[0])
    size = 1
    while size <= A.shape[1]:
        caught, found = _aim(inverse, starts, error, size)
        if caught > best:
            best, errors = caught, found
        size = max(size + 1, size * 5 // 4)
    return AimedErrors(errors, _against(inverse @ errors))


def _aim(
    inverse: NDArray[np.float64], starts: NDArray[np.float64], error: float, size: int
) -> tuple[int, Vector]:
    """Push the ``size`` people of each start together; those who lag gain weight (multiplicative weights)."""
    group = np.argsort(-np.abs(starts), axis=1, kind="stable")[:, :size]
    side = np.where(np.take_along_axis(starts, group, 1) < 0, -1.0, 1.0)
    weight = np.full(group.shape, 1.0 / size)
    best, errors = -1, np.zeros(inverse.shape[1])
    for _ in range(ROUNDS):
        pull = np.zeros((starts.shape[0], inverse.shape[0]))
        np.put_along_axis(pull, group, weight * side, 1)
        candidates = error * np.sign(pull @ inverse)
        shift = candidates @ inverse.T
        caught = (np.abs(shift) > 0.5 + MARGIN).sum(axis=1)
        first = int(caught.argmax())
        if caught[first] > best:
            best, errors = int(caught[first]), candidates[first]
        reached = np.take_along_axis(shift, group, 1) * side
        weight *= np.exp(-HASTE * (reached - reached.mean(axis=1, keepdims=True)))
        weight /= weight.sum(axis=1, keepdims=True)
    return best, errors


def wild(A: NDArray[np.float64], error: float, gross: int) -> AimedErrors:
    """Aim small errors and some wild ones at LP decoding, along the least visible direction.

    The wild answers are the ones this direction shows up in most, and they lie by the number of people.
    """
    direction = np.linalg.svd(A, full_matrices=False)[2][-1]
    seen = A @ direction
    errors = error * np.sign(seen)
    worst = np.argsort(-np.abs(seen), kind="stable")[:gross]
    errors[worst] = A.shape[1] * np.sign(seen[worst])
    return AimedErrors(errors, _against(direction))


def _against(shift: Vector) -> Bits:
    """The secret that a shift of the estimates hurts most: 0 where it goes up, 1 where it goes down."""
    return (shift <= 0).astype(np.int32)
