"""A prior about a few people as a table: the probability of every combination of their values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from math import prod
from operator import add

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, TooLargeError
from dalenius.knowledge.correlation.model import CorrelationModel, Floats
from dalenius.people.files.read_file import Source, read_sheet
from dalenius.people.files.sheet import Sheet
from dalenius.shown import hides_people

CELLS = 2**20
"""The largest table: 20 people with a bit each."""

SUM_TOLERANCE = 1e-9
"""How far the probabilities may be from adding up to 1: nothing is rescaled silently."""

PROBABILITY = "probability"


@hides_people()
@dataclass(frozen=True)
class JointPrior:
    """What an attacker believes about a few people, whatever their values are.

    Parameters
    ----------
    names
        The people.
    levels
        The values each may have, at least two.
    mass
        The probability of every combination: one axis per person, in the order of `names`.

    Raises
    ------
    InputError
        If nobody is in it, somebody has fewer than two values, the shape does not fit, a probability is
        negative or not a number, or they do not add up to 1.

    Examples
    --------
    >>> twins = JointPrior(("a", "b"), (("0", "1"), ("0", "1")), np.array([[0.5, 0.0], [0.0, 0.5]]))
    >>> len(twins), twins.binary, twins.everywhere
    (2, True, False)
    """

    names: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    mass: Floats

    def __post_init__(self) -> None:
        if not self.names:
            raise InputError("a joint prior", "must be about at least one person", "nobody")
        if len(set(self.names)) < len(self.names):
            raise InputError("people of a joint prior", "must have different names", "one name twice")
        for at, (name, values) in enumerate(zip(self.names, self.levels, strict=True)):
            if len(values) < 2:
                raise InputError(
                    f"column {at + 1} of a joint prior",
                    "must have at least two values",
                    f"{len(values)}",
                    "Leave out people whose value is certain: nothing is left to learn about them.",
                    value=repr(name),
                )
        _check_size(self.levels)
        shape = tuple(len(values) for values in self.levels)
        if self.mass.shape != shape:
            raise InputError("a joint prior", f"must have the shape {shape}", f"{self.mass.shape}")
        _check_mass(self.mass)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def binary(self) -> bool:
        """Whether everybody has two values."""
        return all(len(values) == 2 for values in self.levels)

    @property
    def everywhere(self) -> bool:
        """Whether every combination has a positive probability."""
        return bool((self.mass > 0).all())

    def given(self, person: int) -> Floats:
        """One row per value of a person: how likely each combination of the others is with it.

        Not a number where the value itself has probability 0.
        """
        rows = np.moveaxis(self.mass, person, 0).reshape(self.mass.shape[person], -1)
        total = rows.sum(axis=1, keepdims=True)
        result: Floats = np.divide(rows, total, out=np.full_like(rows, np.nan), where=total > 0)
        return result


def _check_size(levels: tuple[tuple[str, ...], ...]) -> None:
    cells = prod(len(values) for values in levels)
    if cells > CELLS:
        raise TooLargeError(
            "a joint prior",
            f"must have at most {CELLS:,} combinations",
            f"{len(levels)} people with {cells:,}",
            "Give fewer people, or a network of who is related to whom.",
        )


def _check_mass(mass: Floats) -> None:
    if not np.isfinite(mass).all():
        raise InputError("probabilities", "must be numbers", "one that is not")
    if (mass < 0).any():
        raise InputError("probabilities", "must not be negative", f"{mass.min():g}")
    total = float(mass.sum())
    if abs(total - 1) > SUM_TOLERANCE:
        fix = "Divide by the sum if these are weights, or add the combinations that are missing."
        raise InputError("probabilities", "must add up to 1", f"a sum of {total:.12g}", fix)


def read_joint(path: Source) -> JointPrior:
    """Read a table with one column per person and a last column `probability`.

    Combinations that are not in the file have probability 0; values are taken as text.

    Raises
    ------
    InputError
        If the last column is another one, a combination is given twice, a value is missing, or the
        probabilities are not those of a `JointPrior`.
    """
    table = read_sheet(path)
    *names, last = table.names
    if last != PROBABILITY:
        raise InputError(table.name, f"must have {PROBABILITY!r} as its last column", "another name")
    if not names:
        fix = "Add one column of values per person before it."
        raise InputError(table.name, "must be about at least one person", f"only {PROBABILITY!r}", fix)
    levels, codes = zip(*(_coded(table, name, at + 1) for at, name in enumerate(names)), strict=True)
    _check_size(levels)
    shape = tuple(max(len(values), 1) for values in levels)
    place = np.ravel_multi_index(codes, shape)
    _check_once(table.name, place)
    mass = np.zeros(prod(shape))
    mass[place] = table.numbers(PROBABILITY)
    return JointPrior(tuple(names), levels, mass.reshape(shape))


def _coded(table: Sheet, name: str, at: int) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """The values of a person and which of them each row has; a column is a person, and told by its number."""
    try:
        text = table.text(name)
    except InputError as error:
        where = f"column {at} of a joint prior"
        raise InputError(where, error.rule, error.got, error.fix, value=repr(name)) from None
    values, codes = np.unique(text, return_inverse=True)
    return tuple(str(value) for value in values), codes


def _check_once(path: str, place: NDArray[np.intp]) -> None:
    _, first, times = np.unique(place, return_index=True, return_counts=True)
    if times.max() > 1:
        again = first[times > 1].min()
        rows = np.flatnonzero(place == place[again])[:2] + 1
        raise InputError(
            path,
            "must give every combination of values once",
            f"the same one in rows {rows[0]} and {rows[1]}",
            "Keep one of them, with the sum of their probabilities if they are parts.",
        )


def from_model(model: CorrelationModel) -> JointPrior:
    """Write out the table of a small network.

    Raises
    ------
    TooLargeError
        If it has more than 20 people.
    InputError
        If people must be identical and different at once.

    Examples
    --------
    >>> ids, couplings = np.array(["a", "b"]), np.array([np.inf])
    >>> from_model(CorrelationModel("id", ids, np.array([[0, 1]]), couplings, np.zeros(2))).mass
    array([[0.5, 0. ],
           [0. , 0.5]])
    """
    bits = (("0", "1"),) * len(model)
    _check_size(bits)
    spins = [_along(np.array([1.0, -1.0]), i, len(model)) for i in range(len(model))]
    weight = reduce(add, (h * s for h, s in zip(model.field, spins, strict=True)), np.zeros(()))
    for (a, b), J in zip(model.edges, model.coupling, strict=True):
        agree = spins[a] * spins[b]
        # of the two infinite weights only minus infinity counts: the other would be in every other cell
        weight = weight + (np.where(agree * J < 0, -np.inf, 0.0) if np.isinf(J) else J * agree)
    top = weight.max()
    if top == -np.inf:
        raise InputError("couplings", "must allow some combination", "people both identical and opposite")
    mass = np.exp(weight - top)
    if (mass[np.isfinite(weight)] == 0).any():
        raise InputError("couplings", "must leave probabilities above 1e-308", "some below")
    return JointPrior(tuple(map(str, model.ids)), bits, mass / mass.sum())


def _along(values: Floats, axis: int, axes: int) -> Floats:
    """Values along one axis of a table."""
    return values.reshape([-1 if i == axis else 1 for i in range(axes)])
