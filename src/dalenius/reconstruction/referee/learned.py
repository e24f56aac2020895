"""What an attacker learns, counted by the referee: all people, then by the value that they have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.findings.explanation import Learned
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.referee.known import held_to_have, values_to_name

RARE = "rare values"
"""What values that few people have are called together."""


def count_learned(
    claims: Guesses,
    truth: NDArray[np.int32],
    prior: NDArray[np.float64],
    without: NDArray[np.bool_],
    *,
    known_at: float,
    named: tuple[str, ...] = (),
) -> tuple[Learned, ...]:
    """Part the people by who is right about them.

    Parameters
    ----------
    claims, truth, prior, known_at, named
        As of `count_known`.
    without
        About whom the better guess without the release is right.

    Examples
    --------
    >>> claims = Guesses("id", np.array(["a", "b", "c"]), ("no", "yes"),
    ...                  np.array([[0.0, 1.0], [0.9, 0.1], [0.2, 0.8]]), np.array([True, False, False]), "lp")
    >>> truth, usual = np.array([1, 0, 0], np.int32), np.full((3, 2), 0.5)
    >>> right = np.array([False, True, False])
    >>> all_people = count_learned(claims, truth, usual, right, known_at=0.99)[0]
    >>> all_people.anyway, all_people.only_by_release, all_people.hidden, all_people.sure
    (1, 1, 1, 1)
    """
    right = claims.guess == truth
    sure = right & claims.certain
    groups = values_to_name(claims.levels, truth, named)
    known = np.zeros(truth.size, np.bool_)
    for _, values in groups:
        known |= held_to_have(values, claims, truth, prior, known_at)[0]
    nearly = known & right

    def row(value: str | None, of: NDArray[np.bool_]) -> Learned:
        return Learned(
            value=value,
            people=int(of.sum()),
            anyway=int((of & without).sum()),
            only_by_release=int((of & right & ~without).sum()),
            hidden=int((of & ~right & ~without).sum()),
            sure=int((of & sure).sum()),
            nearly=int((of & nearly).sum()),
        )

    having = [(RARE if name is None else name, np.isin(truth, values)) for name, values in groups]
    return (
        row(None, np.ones(truth.size, np.bool_)),
        *(row(name, of) for name, of in having if of.any()),
    )
