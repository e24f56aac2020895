"""What is usual for people like somebody in a block like theirs: a baseline for many small blocks.

A model of the other public columns says how many people of a block would have each value. Where more or fewer
have it, everybody's odds there are moved by that ratio, drawn towards one as if a few usual people lived
there too: the ratio of a Poisson count with a gamma law before it (Clayton and Kaldor 1987, empirical Bayes
for small areas). How many is chosen by what predicts members best, and none at all is one of the choices.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dalenius.knowledge.view import Reference
from dalenius.people.schema import CodedColumns
from dalenius.reconstruction.attack.population_prior import CLIP, predict_population
from dalenius.reconstruction.referee.baseline import FOLDS

Table = NDArray[np.float64]

USUAL_PEOPLE = (2.0, 8.0, 32.0, 128.0)
"""How many usual people are thought to live in each block besides."""


def fold_by_block(
    attributes: CodedColumns,
    split: str,
    truth: NDArray[np.int32],
    levels: tuple[str, ...],
    *,
    rng: np.random.Generator,
) -> Table:
    """Predict each member by the other folds' records, of all blocks and of their own; no release is used.

    Parameters
    ----------
    attributes, split
        Public columns of the members, and which of them is the block.
    truth, levels
        The code of each member's secret, and its values.
    rng
        Deals the folds.
    """
    block, others = _without(attributes, split)
    part = rng.permutation(truth.size) % min(FOLDS, max(truth.size, 2))
    model, seen, foreseen = (np.empty((truth.size, len(levels))) for _ in range(3))
    for k in np.unique(part):
        inside = part == k
        outside = Reference(CodedColumns(others.columns, others.codes[~inside]), truth[~inside])
        predicted = predict_population(outside, others, levels, rng=rng)
        model[inside] = predicted[inside]
        found, expected = _sums(block[~inside], truth[~inside], predicted[~inside], int(block.max()) + 1)
        seen[inside], foreseen[inside] = found[block[inside]], expected[block[inside]]
    return _best(model, seen, foreseen, truth)


def predict_by_block(
    reference: Reference,
    attributes: CodedColumns,
    split: str,
    truth: NDArray[np.int32],
    levels: tuple[str, ...],
    *,
    rng: np.random.Generator,
) -> Table:
    """Predict members by other people, of all blocks and of their own."""
    block, others = _without(attributes, split)
    there, theirs = _without(reference.attributes, split)
    plain = Reference(theirs, reference.secrets)
    both = CodedColumns(theirs.columns, np.concatenate([others.codes, theirs.codes]))
    predicted = predict_population(plain, both, levels, rng=rng)
    model, own = predicted[: truth.size], predicted[truth.size :]
    found, expected = _sums(there, reference.secrets, own, int(max(block.max(), there.max())) + 1)
    return _best(model, found[block], expected[block], truth)


def _without(attributes: CodedColumns, split: str) -> tuple[NDArray[np.int32], CodedColumns]:
    at = attributes.position(split)
    kept = [j for j in range(len(attributes.columns)) if j != at]
    rest = CodedColumns(tuple(attributes.columns[j] for j in kept), attributes.codes[:, kept])
    return attributes.codes[:, at], rest


def _sums(
    block: NDArray[np.int32], secrets: NDArray[np.int32], predicted: Table, blocks: int
) -> tuple[Table, Table]:
    """How many people of each block have each value, and how many the model says."""
    values = predicted.shape[1]
    found = np.bincount(block * np.int64(values) + secrets, minlength=blocks * values).reshape(blocks, values)
    sums = [np.bincount(block, column, blocks) for column in predicted.T]
    return found.astype(np.float64), np.stack(sums, axis=1).astype(np.float64)


def _best(model: Table, seen: Table, foreseen: Table, truth: NDArray[np.int32]) -> Table:
    """The model alone, or moved by what is seen in blocks: whichever explains the members best."""
    share = model.mean(axis=0)
    tried: Sequence[Table] = [model, *(_moved(model, seen, foreseen, n * share) for n in USUAL_PEOPLE)]
    person = np.arange(truth.size)
    return max(tried, key=lambda table: float(np.log(table[person, truth]).sum()))


def _moved(model: Table, seen: Table, foreseen: Table, besides: Table) -> Table:
    """Odds times the ratio of people seen and foreseen.

    Examples
    --------
    >>> even = np.array([[0.5, 0.5]])
    >>> _moved(even, np.array([[8.0, 0.0]]), np.array([[4.0, 4.0]]), np.array([1.0, 1.0])).round(2)
    array([[0.9, 0.1]])
    """
    moved = np.clip(_scaled(model * (seen + besides) / (foreseen + besides)), CLIP, 1 - CLIP)
    return _scaled(moved)


def _scaled(table: Table) -> Table:
    scaled: Table = table / table.sum(axis=1, keepdims=True)
    return scaled
