"""Worked arithmetic that shows how published numbers give people away; nobody and no small cell is named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dalenius.knowledge.view import View
from dalenius.reconstruction.attack.certain.differencing import Disclosure, find_pairs
from dalenius.reconstruction.attack.system.build import Problem, build
from dalenius.shown import people

MANY = 10
"""People from which on a cell of which all have one value is shown with that value."""


def worked_examples(view: View, names: Sequence[str], most: int = 2) -> tuple[str, ...]:
    """Show how a few numbers give people away.

    Parameters
    ----------
    view
        The release, a block for each table.
    names
        What the tables are called, in the order of the blocks.
    most
        How many examples to give, the most telling first: a difference, a cell of one person, a cell of many
        people who all have one value.
    """
    problem = build(view)
    table = np.repeat(np.arange(len(problem.rows)), problem.rows)
    of = [names[j] for j in table.tolist()]
    pairs = list(find_pairs(view, problem))
    first: list[str] = []
    for kind, say in (("difference", _difference), ("one cell", _one_cell)):
        found = [each for each in pairs if each.kind == kind]
        if found:
            first.append(say(max(found, key=_clear), of, view.release.secret.name))
    return (*first, *_same_value(view, problem, of))[:most]


def _clear(found: Disclosure) -> float:
    """How clear an example is: the larger its numbers, the less it is about a cell of a few; no ranges."""
    number, _, rest = found.arithmetic.partition(" ")
    return float(number) if number.isdecimal() and "to" not in rest.split() else -1.0


def _difference(found: Disclosure, of: Sequence[str], secret: str) -> str:
    row, other = found.rows
    where = f"the table {of[row]}" if of[row] == of[other] else f"the tables {of[row]} and {of[other]}"
    one = len(found.people) == 1
    few, whose = ("one person", "that person's") if one else (f"{len(found.people)} people", "everyone's")
    return (
        f"Two numbers of {where} count the same people but for {few}: {found.arithmetic}, and so {whose} "
        f"value of {secret} is known."
    )


def _one_cell(found: Disclosure, of: Sequence[str], secret: str) -> str:
    few, cell = len(found.people), f"A cell of the table {of[found.rows[0]]} counts"
    if few == 1:
        return f"{cell} one person alone: its numbers say which value of {secret} that person has."
    return f"{cell} {few} people, who all have the same value of {secret}."


def _same_value(view: View, problem: Problem, of: Sequence[str]) -> Iterator[str]:
    """The largest cell of which everybody has one value."""
    levels, secret = problem.levels, view.release.secret.name
    best: tuple[float, int, str] | None = None
    for value, system in zip(
        levels[1:] if len(problem.systems) == 1 else levels, problem.systems, strict=True
    ):
        totals = system.A.apply(system.sizes.astype(np.float64))
        counted = system.counting & (system.sd == 0) & (totals >= MANY)
        ends = [(value, counted & (system.low >= totals))]
        if len(levels) == 2:
            ends.append((levels[0], counted & (system.high <= 0)))
        for held, rows in ends:
            if rows.any():
                row = int(np.argmax(np.where(rows, totals, -1.0)))
                best = max(best or (-1.0, -1, ""), (float(totals[row]), -row, held))
    if best is not None:
        total, row, held = best
        yield (
            f"A cell of the table {of[-row]} counts {people(int(total))}, and its numbers say that all of "
            f"them have {secret}={held}."
        )
