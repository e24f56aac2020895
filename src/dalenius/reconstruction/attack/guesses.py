"""What an attack says about people, and how what is known about a group is shared by its people.

What an attack says about people, so that a referee can check it.

From what is known about a group to each of its people, who may be unlike in what is known beforehand.

No question of the release tells the people of a group apart: it only says how many of them have each value.
Public columns that the release does not use still tell who of them it more probably is.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dalenius.people.schema import Ids
from dalenius.shown import hides_people

if TYPE_CHECKING:
    from dalenius.reconstruction.attack.simulated import Shift


@hides_people("method")
@dataclass(frozen=True)
class Guesses:
    """A guess of every person's secret.

    Parameters
    ----------
    id_name, ids
        Who the guesses are about.
    levels
        The values that the secret can take.
    probability
        For every person and value, how likely the attack holds it to be; rows sum to 1.
    certain
        Whether the guess follows from the release by arithmetic alone, with no probability in it.
    method
        Which decoder made them.
    notes
        What a reader should know about how they were made.
    shift
        How stated probabilities were moved to what comes true, where that was learnt.
    """

    id_name: str
    ids: Ids
    levels: tuple[str, ...]
    probability: NDArray[np.float64]
    certain: NDArray[np.bool_]
    method: str
    notes: tuple[str, ...] = ()
    shift: Shift | None = field(default=None, repr=False)

    @property
    def guess(self) -> NDArray[np.int32]:
        """The code of the likeliest value of each person; a tie goes to the later value."""
        from_the_end = self.probability[:, ::-1].argmax(axis=1)
        return np.asarray(len(self.levels) - 1 - from_the_end, np.int32)

    @property
    def confidence(self) -> NDArray[np.float64]:
        """The probability of the guessed value."""
        best: NDArray[np.float64] = self.probability.max(axis=1)
        return best

    def to_csv(self) -> str:
        """Return the claims as ``<id>,probability,guess,certain``.

        Examples
        --------
        >>> claims = Guesses("id", np.array(["a"]), ("no", "yes"), np.array([[0.25, 0.75]]),
        ...                  np.array([False]), "least-squares")
        >>> print(claims.to_csv(), end="")
        id,probability,guess,certain
        a,0.75,yes,false
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([self.id_name, "probability", "guess", "certain"])
        for name, p, code, sure in zip(self.ids, self.confidence, self.guess, self.certain, strict=True):
            writer.writerow([name, f"{p:.6g}", self.levels[code], "true" if sure else "false"])
        return text.getvalue()


Table = NDArray[np.float64]

ROUNDS = 200


CLOSE = 1e-7
"""Largest miss of a group's mean at which the fit ends; far below what would move a guess."""


def spread(
    share: Table,
    group: NDArray[np.intp],
    prior: Table | None,
    *,
    alike: NDArray[np.intp] | None = None,
    settled: NDArray[np.bool_] | None = None,
) -> Table:
    """Return everybody's probabilities, whose mean over each group is what the release says of it.

    Everybody's odds are their own beforehand times a factor of their group and value, the same for all: what
    counts of a group do to people who are independent, for large groups (the conditional Bernoulli law, Chen,
    Dempster and Liu 1994). Fitted by iterative scaling.

    Parameters
    ----------
    share
        For each group and value, the expected share of its people who have it.
    group
        The group of each person.
    prior
        For each person and value, its probability without the release; ``None`` if all are alike.
    alike
        For each person, a number that people with the same public columns share.
    settled
        Groups whose sums are known. There people with the same public columns get the same: where
        predictions were learnt from the members, each without their own secret, those of two people alike
        differ only by that secret, and once the sum is known the difference points the wrong way.

    Examples
    --------
    >>> spread(np.array([[0.5, 0.5]]), np.array([0, 0]), np.array([[0.8, 0.2], [0.2, 0.8]])).round(2)
    array([[0.8, 0.2],
           [0.2, 0.8]])
    """
    wanted = share[group]
    if prior is None:
        return wanted
    sizes = np.bincount(group, minlength=len(share))
    mixed = sizes[group] > 1
    if not mixed.any():
        return wanted
    own, of = prior[mixed], group[mixed]
    weight = own * (share / np.maximum(_mean(own, of, sizes), 1e-300))[of]
    for _ in range(ROUNDS):
        total = weight.sum(axis=1, keepdims=True)
        fitted = weight / np.where(total > 0, total, 1.0)
        mean = _mean(fitted, of, sizes)
        if np.abs(mean - share)[sizes > 1].max() < CLOSE:
            break
        weight = fitted * (share / np.maximum(mean, 1e-300))[of]
    result = wanted.copy()
    result[mixed] = np.where(total > 0, fitted, share[of])
    if alike is not None and settled is not None and settled.any():
        kind = np.unique(group * (int(alike.max()) + 1) + alike, return_inverse=True)[1].ravel()
        averaged = _mean(result, kind, np.bincount(kind))[kind]
        result = np.where(settled[group][:, None], averaged, result)
    return result


def _mean(values: Table, group: NDArray[np.intp], sizes: NDArray[np.intp]) -> Table:
    columns = [np.bincount(group, column, minlength=sizes.size) for column in values.T]
    return np.stack(columns, axis=1) / np.maximum(sizes, 1)[:, None]
