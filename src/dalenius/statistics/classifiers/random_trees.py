"""Small random trees on public columns: rules that could have been published, made without any secret."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.matrices.answers import Vector
from dalenius.people.schema import Roster

TRIES = 20
"""Draws of one tree before a rule that says the same of everybody is accepted."""


def random_trees(roster: Roster, trees: int, depth: int, *, rng: np.random.Generator) -> Vector:
    """Draw trees and return what each says of each person: one row per tree, 0 or 1 a person.

    A tree asks on each level of a branch one public column, drawn at random, whether its level is in a
    random half of the levels that people there have; each leaf says 0 or 1 by a fair coin.

    Parameters
    ----------
    roster
        The people and their public columns.
    trees, depth
        How many trees, and how many questions to a leaf.

    Examples
    --------
    >>> from dalenius.people.schema import CodedColumns
    >>> from dalenius.people.schema import Column, Kind, Role
    >>> sex = Column("sex", Role.PUBLIC, Kind.BINARY, ("f", "m"))
    >>> people = Roster("id", np.array(["a", "b"]), CodedColumns((sex,), np.array([[0], [1]], np.int32)))
    >>> drawn = random_trees(people, 5, 1, rng=np.random.default_rng(1))
    >>> drawn.shape, bool((drawn.sum(axis=1) == 1).all())
    ((5, 2), True)
    """
    codes = roster.attributes.codes
    useful = [j for j in range(codes.shape[1]) if np.unique(codes[:, j]).size > 1]
    if not useful:
        raise InputError(
            "classifier-score: trees",
            "must have a public column to ask about",
            "none that differs between people",
            "Make columns public, or give path=predictions.csv.",
        )
    return np.stack([_tree(codes[:, useful], depth, rng) for _ in range(trees)])


def _tree(codes: NDArray[np.int32], depth: int, rng: np.random.Generator) -> Vector:
    for _ in range(TRIES):
        said = np.zeros(codes.shape[0])
        _grow(codes, np.arange(codes.shape[0]), depth, said, rng)
        if 0 < said.sum() < said.size:
            break
    return said


def _grow(
    codes: NDArray[np.int32],
    here: NDArray[np.intp],
    depth: int,
    said: Vector,
    rng: np.random.Generator,
) -> None:
    """Split the people of a node and go on; at the last level, flip the coin of the leaf."""
    if depth == 0 or here.size == 0:
        said[here] = rng.integers(2)
        return
    column = codes[here, rng.integers(codes.shape[1])]
    levels = rng.permutation(np.unique(column))
    left = np.isin(column, levels[: max(1, levels.size // 2)])
    _grow(codes, here[left], depth - 1, said, rng)
    _grow(codes, here[~left], depth - 1, said, rng)
