"""Answers that somebody published, from plain files, to the same view that an audit attacks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.knowledge.view import Knowledge, View
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.files.read_file import Source
from dalenius.people.files.sheet import Sheet
from dalenius.people.opening import open_sheet
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.release.release import Block, Release
from dalenius.statistics.counts.queries import read_queries
from dalenius.statistics.printed_cell import read_cell

LEVELS = ("0", "1")
"""The values of a secret that is counted as present or absent."""


MOST_ANSWER = 1e15
"""Larger ones are no counts of people, whatever noise they have: their squares lose every digit."""


def read_counts(
    people: Source, answers: Path, queries: Path, *, id: str, noise: str = "unknown", secret: str
) -> View:
    """Read published counts as a view.

    Parameters
    ----------
    people
        A table of the people: a column of ids, and public columns if queries speak of them.
    answers
        ``query,answer``: how many of the people a query counts have the secret.
    queries
        ``query,<id>``, one row for each person a query counts, or ``query,condition``.
    id
        The column of ids.
    noise
        What the publisher says about the error, in the grammar of mechanisms.
    secret
        What the secret is called.

    Raises
    ------
    InputError
        If the files do not fit together; it names how many entries and the first.
    """
    mechanism = parse_mechanism(noise)
    roster = read_roster(open_sheet(people, id=id), id, secret)
    statistic = read_queries(str(queries), roster)
    printed = open_sheet(answers)
    values = _match(printed, list(statistic.labels()))
    resolved = str(mechanism.resolve(statistic.sensitivity(1)))
    column = Column(secret, Role.SECRET, Kind.BINARY, LEVELS)
    half = 0.0 if mechanism.whole else _half_of_last_digit(printed)
    block = Block(
        statistic, LEVELS[1:], values[:, None], least=values[:, None] - half, most=values[:, None] + half
    )
    return View(Release(answers.name, column, (block,), resolved), Knowledge(roster))


def read_roster(table: Sheet, id: str, secret: str, apart: str | None = None) -> Roster:
    """Read a table of people: their ids, and every other column as a public one but one that is apart."""
    ids = table.text(id)
    if secret in table.names:
        raise InputError(
            f"column {secret!r}",
            "must not be both the secret and public",
            table.name,
            "Take it out of there.",
        )
    columns, codes = [], []
    for name in table.names:
        if name not in (id, apart):
            levels, code = np.unique(table.text(name), return_inverse=True)
            kind = Kind.BINARY if levels.size == 2 else Kind.CATEGORICAL
            columns.append(Column(name, Role.PUBLIC, kind, tuple(map(str, levels))))
            codes.append(code.astype(np.int32))
    table_of_codes = np.stack(codes, axis=1) if codes else np.zeros((ids.size, 0), np.int32)
    return Roster(id, ids, CodedColumns(tuple(columns), table_of_codes))


def _half_of_last_digit(table: Sheet) -> float:
    """How far answers may be from what was published: the finest of them shows how they were printed."""
    cells = [read_cell(text) for text in table.text("answer").tolist()]
    return min((cell.shown for cell in cells if cell is not None), default=1.0) / 2


def _match(table: Sheet, queries: list[str]) -> NDArray[np.float64]:
    """Put the answers in the order of the queries."""
    names, numbers = table.text("query"), table.numbers("answer")
    far = np.flatnonzero(~(np.abs(numbers) <= MOST_ANSWER))
    if far.size:
        rule = f"must be a count of people, at most {MOST_ANSWER:g} with its noise"
        raise InputError(f"{table.name}, line {far[0] + 2:,}, column 'answer'", rule, "a larger number")
    answers = dict(zip(names.tolist(), numbers.tolist(), strict=True))
    if len(answers) < names.size:
        raise InputError(f"{table.name}: query", "must name every query once", "a repeated name")
    _refuse(table.name, "must answer every query", "without an answer", set(queries) - set(answers))
    _refuse(table.name, "must answer only what was asked", "without a query", set(answers) - set(queries))
    return np.array([answers[query] for query in queries])


def _refuse(path: str, rule: str, lack: str, names: Iterable[str]) -> None:
    if found := sorted(names):
        kind = "queries" if lack == "without an answer" else "answers"
        raise InputError(
            path, rule, f"{len(found):,} {kind} {lack}",
            "Queries and answers must name the same queries.", value=found[0],
        )  # fmt: skip
