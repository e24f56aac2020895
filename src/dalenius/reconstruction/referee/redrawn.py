"""Deal the control group: people whose real secret is not in the release.

An attack that also does well on them has learnt how public columns and secrets go together, or has seen the
truth; neither is a leak of the release about its members.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.private_repr import hides_people

SHARE = 0.2
"""Share of the people in the control group: enough to measure, few enough to leave the release alike."""


@hides_people()
@dataclass(frozen=True)
class Redraw:
    """A control group and the secrets to publish in place of the real ones.

    Parameters
    ----------
    chosen
        Who is in the control group.
    codes
        Everybody's secret, with the chosen people's drawn anew.
    """

    chosen: NDArray[np.bool_]
    codes: NDArray[np.int32]


def deal_redraw(
    truth: NDArray[np.int32],
    population: NDArray[np.float64],
    share: float = SHARE,
    *,
    rng: np.random.Generator,
) -> Redraw:
    """Choose people at random and draw their secrets anew from what is usual for people like them.

    The release of the redrawn secrets does not depend on the chosen people's real ones, so an attack on it
    cannot be right about those more often than the population predictor is.

    Parameters
    ----------
    truth
        The code of everybody's secret.
    population
        For every person and value, its probability without the release.
    share
        Share of the people to choose; at least one person is.

    Examples
    --------
    >>> sure = np.array([[0.0, 1.0]] * 4)
    >>> redraw = deal_redraw(np.zeros(4, np.int32), sure, 0.5, rng=np.random.default_rng(1))
    >>> int(redraw.chosen.sum()), redraw.codes[redraw.chosen].tolist()
    (2, [1, 1])
    """
    if population.ndim != 2 or population.shape[0] != truth.size:
        raise InputError(
            "population",
            f"must have one row for each of the {truth.size:,} people",
            f"shape {population.shape}",
        )
    if truth.size == 0:
        raise InputError("truth", "must have at least one person", "none")
    if not 0 < share < 1:
        raise InputError("share", "must lie strictly between 0 and 1", f"{share:g}", "Use for example 0.2.")
    chosen = np.zeros(truth.size, bool)
    chosen[rng.choice(truth.size, max(1, round(share * truth.size)), replace=False)] = True
    reached = population[chosen].cumsum(axis=1)
    drawn = rng.random((len(reached), 1)) * reached[:, -1:]
    codes = truth.astype(np.int32)
    codes[chosen] = (drawn >= reached).sum(axis=1)
    return Redraw(chosen, codes)
