"""Counts by survey weights: how many people are behind a number in which each counts by a weight.

Without a list of people nobody's weight is known, but between which ends weights lie may be. A weighted count
of t is then of t / most to t / least people, in whole numbers; and of nobody if it is 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from dalenius.errors import InputError
from dalenius.knowledge.weights import KNOWN, parse_weights
from dalenius.mechanisms.chain import Mechanism
from dalenius.records.cells.cell import NO_LIMIT
from dalenius.records.published.sheets import LabelledCell

Ends = tuple[float, float]

SLACK = 1e-9
"""By how much a quotient gives way: floating-point division may be off by less."""


def parse_table_weights(said: Mapping[str, str]) -> dict[str, Ends]:
    """Read what is said of the weights of tables.

    Raises
    ------
    InputError
        If these are no ends: without a list of people no weight is known.

    Examples
    --------
    >>> parse_table_weights({"P1": "5-20", "": "unknown"})
    {'P1': (5.0, 20.0), '': (0.0, inf)}
    """
    found = {}
    for table, text in said.items():
        ends = parse_weights(text)
        if ends is None:
            fix = "Without a list of people nobody's weight is known."
            raise InputError("--weights", "must be ends, as in 5-20, or unknown", KNOWN, fix)
        found[table] = ends
    return found


def people_behind(total: Ends, weights: Ends) -> tuple[int, int]:
    """Between which numbers of people weigh so much together.

    Examples
    --------
    >>> people_behind((99.5, 100.5), (5.0, 20.0)), people_behind((0.0, 0.0), (0.0, math.inf))
    ((5, 20), (0, 0))
    >>> people_behind((3.0, 3.0), (0.0, math.inf)) == (1, NO_LIMIT)
    True
    """
    (low, high), (least, most) = total, weights
    fewest = max(math.ceil(low / most - SLACK), 1 if low > 0 else 0)
    if high <= 0:
        return fewest, 0
    return fewest, min(math.floor(high / least + SLACK), NO_LIMIT) if least > 0 else NO_LIMIT


def weighted_ends(
    cells: Sequence[LabelledCell], chain: Mechanism, weights: Ends, table: str
) -> list[tuple[int, int]]:
    """How many people are behind each weighted count; a hidden one says nothing.

    Raises
    ------
    InputError
        If a number is not one that people with such weights give.
    """
    found = [(0, NO_LIMIT)] * len(cells)
    shown = [at for at, cell in enumerate(cells) if not math.isnan(cell.printed.number)]
    if not shown or chain.noise[0] != "none":
        return found
    printed = [cells[at].printed for at in shown]
    numbers = np.array([[each.number] for each in printed])
    least = numbers - np.array([[each.down] for each in printed])
    most = numbers + np.array([[each.up] for each in printed])
    read = chain.error(numbers, counts=False, least=least, most=most)
    for at, low, high in zip(shown, read.low[:, 0], read.high[:, 0], strict=True):
        fewest, largest = people_behind((max(float(low), 0.0), float(high)), weights)
        if fewest > largest:
            rule = f"must be a sum of weights between {weights[0]:g} and {weights[1]:g}"
            raise InputError(f"{table}, {cells[at].place}", rule, "another")
        found[at] = fewest, largest
    return found
