"""The best guess of a secret without the release: what people like you usually have.

Learning it is no leak, because it happens whether or not a person is in the data. So it is what an attack
must beat, and the prior it may start from.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.knowledge.view import Reference
from dalenius.people.roster import CodedColumns
from dalenius.reconstruction.attack import population_models as models

FEWEST_PEOPLE = 10
"""From fewer people nothing is learnt but the plain frequencies of the secret."""

FEW_PEOPLE = 100
FEWEST_OF_A_VALUE, FEWEST_AMONG_FEW = 10, 3
"""A value of the secret seen on fewer people is not modelled: everybody gets its frequency. Among few people
a column that explains a value must be seen even where a handful have it; held-out people judge if it does.
"""

MOST_PEOPLE = 200_000
"""More reference people than this are thinned out at random: the fit no longer improves, only slows."""

CLIP = 1e-3
"""No probability is nearer to 0 or 1: a model is never sure, and a prior of 0 could not be overturned."""


def predict_population(
    reference: Reference, people: CodedColumns, levels: tuple[str, ...], *, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the probability of each value of the secret for every person, learnt from other people.

    Logistic regression (on levels, and on a line for columns with an order) and gradient-boosted trees are
    compared by their log loss on held-out reference people, with the plain frequencies beside them; the best
    is used.

    Parameters
    ----------
    reference
        The other people: their public columns and secrets.
    people
        Public columns of the people to predict, the same columns as the reference.
    levels
        The values of the secret.
    rng
        Splits and thins the reference people.

    Raises
    ------
    InputError
        If the reference has other columns or levels than ``people``, or codes outside ``levels``.

    Notes
    -----
    Clipped to ``CLIP .. 1 - CLIP`` and scaled to sum to 1. Frequencies count one extra person who is
    spread evenly over the values, so that an empty reference gives equal chances.

    Examples
    --------
    >>> nobody = CodedColumns((), np.zeros((9, 0), np.int32))
    >>> other = Reference(nobody, np.array([0, 0, 0, 0, 0, 0, 1, 1, 1], np.int32))
    >>> me = CodedColumns((), np.zeros((1, 0), np.int32))
    >>> predict_population(other, me, ("no", "yes"), rng=np.random.default_rng(1))
    array([[0.65, 0.35]])
    """
    _check(reference, people, levels)
    reference = _thin(reference, rng)
    seen = np.bincount(reference.secrets, minlength=len(levels))
    shares = (seen + 1 / len(levels)) / (seen.sum() + 1)
    result = np.tile(shares, (len(people), 1))
    modelled = seen >= (FEWEST_AMONG_FEW if seen.sum() < FEW_PEOPLE else FEWEST_OF_A_VALUE)
    enough = reference.secrets.size >= FEWEST_PEOPLE and modelled.sum() >= 2
    if enough and people.columns and len(people):
        model = _learn(reference, modelled, rng)
        if model is not None:
            result[:, modelled] = models.predict(model, people.codes) * shares[modelled].sum()
    clipped: NDArray[np.float64] = np.clip(result, CLIP, 1 - CLIP)
    clipped /= clipped.sum(axis=1, keepdims=True)
    return clipped


def _thin(reference: Reference, rng: np.random.Generator) -> Reference:
    if reference.secrets.size <= MOST_PEOPLE:
        return reference
    rows = np.sort(rng.choice(reference.secrets.size, MOST_PEOPLE, replace=False))
    return _take(reference, rows)


def _learn(reference: Reference, modelled: NDArray[np.bool_], rng: np.random.Generator) -> Any:
    known = _take(reference, np.flatnonzero(modelled[reference.secrets]))
    seed = int(rng.integers(2**31))
    return models.learn(known.attributes.columns, known.attributes.codes, known.secrets, seed=seed)


def _take(reference: Reference, rows: NDArray[np.intp]) -> Reference:
    attributes = reference.attributes
    return Reference(CodedColumns(attributes.columns, attributes.codes[rows]), reference.secrets[rows])


def _check(reference: Reference, people: CodedColumns, levels: tuple[str, ...]) -> None:
    here = [(c.name, c.levels) for c in people.columns]
    there = [(c.name, c.levels) for c in reference.attributes.columns]
    if here != there:
        raise InputError(
            "reference",
            "must have the public columns of the people under attack, with the same levels",
            ", ".join(name for name, _ in there) or "no columns",
            "Read both with the same schema.",
        )
    secrets = reference.secrets
    if secrets.size and not 0 <= secrets.min() <= secrets.max() < len(levels):
        raise InputError(
            "reference secrets",
            f"must be codes from 0 to {len(levels) - 1}",
            f"codes from {secrets.min()} to {secrets.max()}",
        )
