"""Released rows that a plan names, as what they are besides: a table of the secret by their public cells.

Whom a row may be about follows from these cells. Of k rows that k people fit, whoever knows these people
knows how often each value of the secret is among them; if all have one value, everybody's secret
(Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam 2006, the homogeneity attack on k-anonymity). Nobody
need be singled out for that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dalenius.auditing.plan_releases import AnonymisedPlan
from dalenius.conditions.matching import Matcher
from dalenius.conditions.predicate import Leaf
from dalenius.errors import InputError
from dalenius.findings.report import NotRun
from dalenius.mechanisms.anonymise.hierarchy import Hierarchy
from dalenius.people.dataset import Dataset
from dalenius.people.opening import open_sheet
from dalenius.people.rows.columns import NumberColumn, RowColumn, TextColumn
from dalenius.people.rows.rows import Rows
from dalenius.people.schema import Column, Roster
from dalenius.reconstruction.of_plan.tables import by_value, not_attacked
from dalenius.reconstruction.opened import GivenRelease
from dalenius.reconstruction.referee.made_as_stated import try_again
from dalenius.release.release import Block, Release
from dalenius.release.rows.classes import Classes, find_classes
from dalenius.release.rows.expanded import COUNTS, expanded
from dalenius.statistics.cells import CellCounts, Condition
from dalenius.statistics.statistic import Among

ASSUMED = "Every released row is about one person of the data, and its public cells are true of that person."

WHOLE = "all released rows"


def open_rows(
    planned: AnonymisedPlan,
    people: Dataset,
    roster: Roster,
    *,
    rng: np.random.Generator,
    beside: Sequence[Release] = (),
) -> GivenRelease | NotRun:
    """Read released rows as numbers of people, and see whether the data give them.

    Parameters
    ----------
    planned
        What the plan says of the rows.
    people
        The people of the plan; only the publisher looks at their secrets, to count them again.
    roster
        The same people as the attacker knows them.
    rng, beside
        As of `dalenius.reconstruction.of_plan.tables.open_tables`.

    Returns
    -------
    GivenRelease or NotRun
        The release; or why nothing here attacks it, which leaves the verdict undecided.
    """
    fine = by_value(roster)
    try:
        _check_public(planned, people)
        release = _read(planned, people.schema.secret, fine, _known(roster, fine), people.how.labels)
    except InputError as error:
        return not_attacked(planned.name, f"as a table of {people.schema.secret.name}: {error}")
    again = try_again(people, release, rng=rng, beside=beside)
    if reason := again.reason(release):
        return not_attacked(planned.name, f"as a table of {people.schema.secret.name}: {reason}")
    return GivenRelease(release, fixed=True, no_control=again.why_not, assumed=(ASSUMED,))


def _check_public(planned: AnonymisedPlan, people: Dataset) -> None:
    """Refuse to read rows without the columns that were made coarser because somebody may know them."""
    public = {column.name for column in people.schema.public}
    for name in planned.quasi:
        if name not in public and name != people.schema.secret.name:
            raise InputError(
                f"column {name!r}",
                "must be among the public columns, since it was made coarser",
                "none of them",
                "Name it in public under [schema]; what an attack is to know of them is [knowledge] public.",
            )


def _read(
    planned: AnonymisedPlan,
    secret: Column,
    fine: Roster,
    known: Rows,
    labels: Mapping[str, Mapping[str, str]],
) -> Release:
    sheet = open_sheet(planned.path)
    if secret.name in planned.quasi:
        raise InputError(
            f"column {secret.name!r}", "must not be among the columns made coarser", "one of them"
        )
    numbers = {planned.count} if planned.count is not None else {*COUNTS}
    written = sheet.rows([name for name in sheet.names if not numbers & {name, name.lower()}])
    people = len(fine), {*known.names, secret.name}
    each, _ = expanded(written, planned.quasi, people=people, count=planned.count)
    released = Rows(tuple(_labelled(column, labels) for column in each.columns))
    values = _secrets_of(released.column(secret.name), secret)
    names = [name for name in released.names if name in known.names]
    cells: list[tuple[Condition, ...]] = [()]
    counts = [np.bincount(values[values >= 0], minlength=len(secret.levels))]
    texts = [WHOLE]
    if names:
        hierarchies = {
            name: Hierarchy.read(path) for name, path in planned.hierarchies.items() if name in names
        }
        classes = find_classes(
            released.select(names), names, known=known.select(names), hierarchies=hierarchies
        )
        cells += _conditions(classes, fine, known)
        counts += list(_counted(classes.of_row, values, len(classes), len(secret.levels)))
        texts += [classes.cells(i) for i in range(len(classes))]
    asked = CellCounts(
        tuple(c for c in fine.attributes.columns if c.name in names), tuple(cells), tuple(texts)
    )
    block = _block(asked, fine, secret, np.stack(counts).astype(np.float64), planned.name)
    return Release(planned.name, secret, (block,), "exact")


def _block(asked: CellCounts, fine: Roster, secret: Column, counts: NDArray[np.float64], name: str) -> Block:
    """Numbers of people by value; ends where more people fit than there are rows.

    The people of the rows are among those who fit, so that at least as many have each value. The others may
    have any: they stand in rows whose cells overlap, were starred, or were left out.
    """
    fit = asked.operator(fine).apply(np.ones(len(fine)))
    others = fit - counts.sum(axis=1)
    if (others < 0).any():
        raise InputError(
            "released rows",
            "must be about the people of the data",
            f"{int((others < 0).sum()):,} kinds of rows, of which there are more than people who fit them",
        )
    exact = (others == 0)[:, None]
    return Block(
        Among(asked, fine, name),
        secret.levels,
        np.where(exact, counts, np.nan),
        "exact",
        low=np.where(exact, -np.inf, counts),
        high=np.where(exact, np.inf, counts + others[:, None]),
    )


def _conditions(classes: Classes, fine: Roster, known: Rows) -> list[tuple[Condition, ...]]:
    """Which levels of the public columns the cells of each class stand for."""
    held = [
        [_levels(leaf, name, fine, known) for leaf in leaves]
        for name, leaves in zip(classes.boxes.columns, classes.boxes.leaves, strict=True)
    ]
    return [
        tuple(
            (name, levels)
            for name, own, code in zip(classes.boxes.columns, held, codes, strict=True)
            if (levels := own[code]) is not None
        )
        for codes in classes.boxes.codes.tolist()
    ]


def _levels(leaf: Leaf | None, name: str, fine: Roster, known: Rows) -> tuple[str, ...] | None:
    """The levels of a column that a cell stands for; ``None`` for all of them."""
    if leaf is None:
        return None
    at = fine.attributes.position(name)
    codes = fine.attributes.codes[:, at]
    levels, first = np.unique(codes, return_index=True)
    met = Matcher(known.select([name]).take(first)).which(leaf)
    return tuple(fine.attributes.columns[at].levels[code] for code in levels[met].tolist())


def _known(roster: Roster, fine: Roster) -> Rows:
    """What the attacker knows of everybody, numbers as numbers."""
    columns: list[RowColumn] = []
    for at, column in enumerate(fine.attributes.columns):
        if column.name in roster.numbers:
            columns.append(NumberColumn(column.name, roster.numbers[column.name], "float"))
        else:
            columns.append(TextColumn(column.name, fine.attributes.codes[:, at], column.levels))
    return Rows(tuple(columns))


def _labelled(column: RowColumn, labels: Mapping[str, Mapping[str, str]]) -> TextColumn:
    """The cells of a column as text, codes under the names that the plan gives them."""
    text = column if isinstance(column, TextColumn) else column.as_text
    named = labels.get(column.name, {})
    levels = [named.get(level, level) for level in text.levels]
    if len({*levels}) < len(levels):
        return text
    return TextColumn(text.name, text.codes, tuple(levels))


def _secrets_of(column: RowColumn, secret: Column) -> NDArray[np.int64]:
    """The value of the secret in every row, -1 where it is starred or missing."""
    text = column if isinstance(column, TextColumn) else column.as_text
    place = {level: code for code, level in enumerate(secret.levels)}
    codes = [_code(level, secret, place) for level in text.levels]
    strange = sum(code is None for code in codes)
    if strange:
        raise InputError(
            f"column {secret.name!r}",
            f"must have the {len(secret.levels)} values of the data",
            f"{strange:,} others",
            "Spell them as the data do.",
        )
    return np.array([*codes, -1], np.int64)[text.codes]


def _code(level: str, secret: Column, place: dict[str, int]) -> int | None:
    if level.strip() in ("", "*"):
        return -1
    if not secret.edges:
        return place.get(level)
    try:
        return int(np.searchsorted(secret.edges, float(level), side="right"))
    except ValueError:
        return place.get(level)


def _counted(
    of_row: NDArray[np.int64], values: NDArray[np.int64], classes: int, levels: int
) -> NDArray[np.int64]:
    """How many rows of each class have each value; starred rows are of no class."""
    there = (of_row >= 0) & (values >= 0)
    found = np.bincount(of_row[there] * levels + values[there], minlength=classes * levels)
    return found.reshape(classes, levels)
