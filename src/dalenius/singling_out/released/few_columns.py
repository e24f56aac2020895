"""A secret told by a few exact columns: rows that hold somebody's pay and diagnosis, and else other people's.

Whoever knows all other columns of somebody finds no near row among such rows, and whoever knows the pay alone
finds the one row with it. So the secret is also taken from the row nearest by one, two or three columns, of
originals and of others alike; every choice of columns is paid for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from dalenius.findings.tally import Tally, count, difference_apart, share_confidence
from dalenius.people.rows.rows import Rows
from dalenius.singling_out.attack.nearest import Ints, nearest
from dalenius.singling_out.attack.secret_guess import agreed
from dalenius.singling_out.referee.asked_people import AskedPeople, Success

WIDEST = 3
"""Columns that are known at most."""

MOST_CHOICES = 100
"""Choices of columns that are tried: every column, then as many of the others as are drawn."""

COMPARED, FEWEST, MOST = 200_000_000, 200, 1000
"""Pairs of people and rows that are compared, about, and how many people of either file are asked about."""


@dataclass(frozen=True)
class FewColumns:
    """The columns that tell the secret of originals most beyond that of others."""

    columns: tuple[str, ...]
    success: Success


def people_asked(released: Rows) -> int:
    """How many people of either file are asked about."""
    return int(np.clip(COMPARED // (2 * MOST_CHOICES * max(len(released), 1)), FEWEST, MOST))


def inferred_from_few(
    released: Rows,
    people: AskedPeople,
    secret: str,
    within: float,
    rng: np.random.Generator,
    confidence: float,
) -> FewColumns:
    """Take the secret from the row nearest by few columns, for many choices of them; return the worst.

    Parameters
    ----------
    released
        What was released.
    people
        Originals and others, not too many.
    secret, within
        The column that is inferred, and how near a number is right.
    rng
        Draws choices of columns, and breaks ties.
    confidence
        With which the intervals of all choices hold together.
    """
    choices = [*_choices([name for name in released.names if name != secret], rng)]
    each = share_confidence(confidence, len(choices))
    column = released.column(secret)
    found = []
    for names in choices:
        rows = [nearest(one, released, 1, rng).rows for one in people.known(names)]
        own, others = (agreed(one, column) for one in rows)
        told = [count(right) for right in people.guessed(secret, (own, others), within)]
        fewer = [_as_if_apart(one, at[:, 0]) for one, at in zip(told, rows, strict=True)]
        gained = difference_apart(fewer[0], fewer[1], each)
        found.append(FewColumns(names, Success(told[0], told[1], gained)))
    return max(found, key=lambda one: (one.success.advantage.low, one.success.advantage.value))


def _as_if_apart(told: Tally, rows: Ints) -> Tally:
    """As many people as say as much, if each had a row of their own.

    Coarse columns send many people to one row, who are right or wrong together: by Kish's design effect they
    count as fewer.
    """
    often = np.bincount(rows)
    together = float((often**2).sum() / max(often.sum(), 1))
    return Tally(int(told.hits / together), max(1, int(told.trials / together)))


def _choices(names: list[str], rng: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """Every column by itself, then two and three together, drawn where there are too many."""
    ordered = sorted(names)
    yield from ((name,) for name in ordered)
    wider = [some for size in range(2, WIDEST + 1) for some in combinations(ordered, size)]
    room = max(0, MOST_CHOICES - len(ordered))
    yield from (wider[j] for j in np.sort(rng.permutation(len(wider))[:room]).tolist())
