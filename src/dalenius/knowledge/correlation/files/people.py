"""Who the people are: ``id[,bias][,epsilon]``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.knowledge.correlation.files.columns import Codes, line, listed, read_columns
from dalenius.people.files.read_file import Source
from dalenius.people.schema import Ids
from dalenius.shown import hides_people, several

Floats = NDArray[np.float64]


LEAST_EPSILON, MOST_EPSILON = 1e-9, 1e4
"""Smaller ones are none, and larger ones promise nothing; beyond, numbers lose their digits."""

RAREST = 1e-12
"""The least that a bias may be away from 0 and 1."""


@hides_people("source")
@dataclass(frozen=True)
class People:
    """People, how likely their bit is 1, and the epsilon of their data.

    Parameters
    ----------
    ids
        All different.
    bias, epsilon
        One number each, NaN where nothing is said; None if nothing is said about anybody.
    notes
        What of the file is not used.
    """

    ids: Ids
    bias: Floats | None
    epsilon: Floats | None
    notes: tuple[str, ...] = ()
    source: str = ""


def read_people(source: Source) -> People:
    """Read who the people are.

    Parameters
    ----------
    source
        Columns ``id``, and if wanted ``bias`` (the probability that the bit is 1) and ``epsilon`` (0 for
        somebody whose data is not used).

    Raises
    ------
    InputError
        For a person twice, a bias that is not strictly between 0 and 1, or an epsilon below 0.
    """
    columns = read_columns(source, ("id",), ("bias", "epsilon"))
    ids, (code,) = columns.people("id")
    refuse_twice(columns.name, ids, code)
    bias = columns.numbers("bias") if "bias" in columns else None
    epsilon = columns.numbers("epsilon") if "epsilon" in columns else None
    rule = f"must lie strictly between 0 and 1, by {RAREST:g} or more"
    _check(columns.name, ids, "bias", bias, lambda x: (x >= RAREST) & (x <= 1 - RAREST), rule)
    rule = f"must be 0 or more, and from {LEAST_EPSILON:g} to {MOST_EPSILON:,.0f} if it is not 0"
    _check(columns.name, ids, "epsilon", epsilon, _is_epsilon, rule)
    return People(ids, _said(bias), _said(epsilon), columns.notes, columns.name)


def _is_epsilon(values: Floats) -> NDArray[np.bool_]:
    fits: NDArray[np.bool_] = (values == 0) | ((values >= LEAST_EPSILON) & (values <= MOST_EPSILON))
    return fits


def refuse_twice(file: str, ids: Ids, code: Codes) -> None:
    """Refuse a file of people in which somebody has two lines."""
    if code.size == ids.size:
        return
    seen = np.bincount(code, minlength=ids.size)
    twice = np.flatnonzero(seen > 1)
    at = np.flatnonzero(code == twice[0])[1]
    raise InputError(
        f"{file}: column 'id'",
        "must name everybody once",
        f"{several(twice.size, 'person', 'people')} more than once, first in {line(at)}",
        value=listed(ids[twice].tolist()),
    )


def _check(
    file: str,
    ids: Ids,
    name: str,
    values: Floats | None,
    holds: Callable[[Floats], NDArray[np.bool_]],
    rule: str,
) -> None:
    if values is None:
        return
    bad = np.flatnonzero(~holds(values) & ~np.isnan(values))
    if bad.size:
        more = f" and {bad.size - 1:,} more lines" if bad.size > 1 else ""
        raise InputError(
            f"{file}: column {name!r}",
            rule,
            f"another number in {line(bad[0])}{more}",
            value=f"{values[bad[0]]:g} of {listed(ids[bad].tolist())}",
        )


def _said(values: Floats | None) -> Floats | None:
    return None if values is None or np.isnan(values).all() else values
