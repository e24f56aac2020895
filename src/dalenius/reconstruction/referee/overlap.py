"""Whether the people an attacker learns from are the members themselves.

A reference that holds the members has seen their secrets: the prior would know them, and with it the
baseline, and what the release gives away would be missed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import pdtrc

from dalenius.errors import InputError
from dalenius.knowledge.view import Reference
from dalenius.people.schema import Ids

CHANCE = 1e-6
"""How unlikely as many people in common must be among strangers before a reference is refused."""

SAFETY = 2.0
"""References are drawn from somewhat other people: so many times more rows in common are expected."""


def refuse_members(
    codes: NDArray[np.int32],
    truth: NDArray[np.int32],
    ids: Ids | None,
    reference: Reference,
    reference_ids: Ids | None,
) -> None:
    """Refuse a reference in which members are found: by id, or by rows that nobody else has.

    Parameters
    ----------
    codes, truth, ids
        The members: public columns in the levels of the reference, secrets, and ids if they have any.
    reference, reference_ids
        The other people.

    Raises
    ------
    InputError
        With how many; it names nobody.

    Notes
    -----
    A row that one member has and no other is met again by a stranger with a chance that members themselves
    tell: all such rows together with about twice the share of rows that two members have (Good 1953,
    *Biometrika* 40, equation 9). Ids that count rows are often the same in two files: only people whose
    columns and secret also agree are counted.
    """
    ours = np.column_stack([codes, truth]).astype(np.int32)
    theirs = np.column_stack([reference.attributes.codes, reference.secrets]).astype(np.int32)
    both = np.unique(np.concatenate([ours, theirs]), axis=0, return_inverse=True)[1].ravel()
    mine, other = both[: len(ours)], both[len(ours) :]
    if ids is not None and reference_ids is not None:
        _refuse_by_id(mine, other, ids, reference_ids)
    have = np.bincount(mine, minlength=int(both.max(initial=0)) + 1)
    once, twice = have == 1, int((have == 2).sum())
    found = int(np.isin(np.flatnonzero(once), other).sum())
    expected = SAFETY * 2 * (twice + 1) * len(theirs) / max(len(ours), 1)
    if found and pdtrc(found - 1, expected) < CHANCE:
        raise _members(found, "people with the columns and the secret of one member and of nobody else")


def _refuse_by_id(mine: NDArray[np.intp], other: NDArray[np.intp], ids: Ids, reference_ids: Ids) -> None:
    _, here, there = np.intersect1d(ids, reference_ids, return_indices=True)
    same = int((mine[here] == other[there]).sum())
    shares = [
        np.bincount(rows, minlength=int(max(mine.max(), other.max())) + 1) / rows.size
        for rows in (mine, other)
    ]
    expected = float(here.size * (shares[0] * shares[1]).sum())
    if same and pdtrc(same - 1, expected) < CHANCE:
        raise _members(same, "people with the id, the columns and the secret of a member")


def _members(count: int, who: str) -> InputError:
    return InputError(
        "reference",
        "must be other people than those of the release: what it teaches must not be their own secrets",
        f"{count:,} {who}",
        "Leave the members out of it.",
    )
