"""Baselines that only the referee can compute, because they look at the truth of the members.

Both flatter the baseline, so an attack that beats them has not beaten a weak opponent.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.knowledge.view import Reference
from dalenius.people.roster import CodedColumns
from dalenius.reconstruction.attack.population_prior import predict_population

FOLDS = 5

LEAVE_ONE_OUT = 64
"""With fewer people everybody is a fold of their own: a fifth of them would be missed."""


def fold_population(
    attributes: CodedColumns,
    truth: NDArray[np.int32],
    levels: tuple[str, ...],
    folds: int | None = None,
    *,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Predict each member by a model fitted on the other folds' records; the release is not used.

    For where no reference people exist. No member's own secret enters their own prediction.

    Parameters
    ----------
    attributes
        Public columns of the members.
    truth
        The code of each member's secret.
    levels
        The values of the secret.
    folds
        How many parts the members are dealt into; 5, or one a person where there are fewer than 64.

    Examples
    --------
    >>> nothing_known = CodedColumns((), np.zeros((4, 0), np.int32))
    >>> truth = np.array([0, 0, 0, 0], np.int32)
    >>> fold_population(nothing_known, truth, ("no", "yes"), 2, rng=np.random.default_rng(1)).round(2)[0]
    array([0.83, 0.17])
    """
    if len(attributes) != truth.size:
        raise InputError(
            "truth", f"must have one secret for each of the {len(attributes):,} people", f"{truth.size:,}"
        )
    if folds is None:
        folds = max(truth.size, 2) if truth.size < LEAVE_ONE_OUT else FOLDS
    if folds < 2:
        raise InputError("folds", "must be 2 or more", str(folds), "Use for example 5.")
    part = rng.permutation(truth.size) % folds
    result = np.empty((truth.size, len(levels)))
    for k in range(min(folds, truth.size)):
        inside = part == k
        others = Reference(CodedColumns(attributes.columns, attributes.codes[~inside]), truth[~inside])
        members = CodedColumns(attributes.columns, attributes.codes[inside])
        result[inside] = predict_population(others, members, levels, rng=rng)
    return result


def start_from(population: NDArray[np.float64], truth: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the probabilities that an attacker starts from, so that no baseline knows more.

    The predictions from public columns, or the shares of the values among the members where those explain the
    members better (by log loss): the better baseline is the start, whichever it is.

    Examples
    --------
    >>> start_from(np.array([[0.9, 0.1], [0.8, 0.2]]), np.array([1, 1], np.int32)).round(2)[0]
    array([0.17, 0.83])
    """
    values = population.shape[1]
    shares = (np.bincount(truth, minlength=values) + 1 / values) / (truth.size + 1)
    plain: NDArray[np.float64] = np.tile(shares, (truth.size, 1))
    person = np.arange(truth.size)
    gained = np.log(population[person, truth]) - np.log(plain[person, truth])
    return population if gained.sum() >= 0 else plain


def majority(truth: NDArray[np.int32]) -> int:
    """Return the commonest secret: an oracle's best guess for everybody at once; a tie goes to the later.

    Examples
    --------
    >>> majority(np.array([0, 1, 1, 0, 1]))
    1
    """
    if truth.size == 0:
        raise InputError("truth", "must have at least one person", "none")
    counts = np.bincount(truth)
    return int(counts.size - 1 - counts[::-1].argmax())
