"""Printed tables that a plan names, as releases about the people of its data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dalenius.auditing.plan_parts import NOT_ATTACKED, TablesPlan
from dalenius.errors import InputError, SaysNothingError
from dalenius.findings.report import NotRun
from dalenius.people.dataset import Dataset
from dalenius.people.opening import open_sheet
from dalenius.people.schema import MISSING, CodedColumns, Column, Kind, Roster, label_number
from dalenius.printed.files import PrintedTable, read_printed
from dalenius.printed.grid import read_grids
from dalenius.printed.tables import Said, release_of_tables
from dalenius.reconstruction.of_plan.promise import may_promise, noise_in, promise_of, sized
from dalenius.reconstruction.opened import GivenRelease
from dalenius.reconstruction.referee.made_as_stated import try_again
from dalenius.release.release import Release
from dalenius.statistics.statistic import Among, Counting


def open_tables(
    planned: TablesPlan,
    people: Dataset,
    roster: Roster,
    *,
    rng: np.random.Generator,
    beside: Sequence[Release] = (),
) -> GivenRelease | NotRun:
    """Read the printed tables of one release, and see whether the data give them.

    Parameters
    ----------
    planned
        What the plan says of them.
    people
        The people of the plan; only the publisher looks at their secrets, to make the tables again.
    roster
        The same people as the attacker knows them.
    rng
        Draws what the mechanism draws.
    beside
        The releases before it, whose noise must not be in it.

    Returns
    -------
    GivenRelease or NotRun
        The release; or why nothing here attacks it, which leaves the verdict undecided.

    Raises
    ------
    InputError
        If a table cannot be read, or is not about these people.
    """
    if planned.numbers in NOT_ATTACKED:
        return not_attacked(planned.name, cells_unread(planned))
    notes: list[str] = []
    listed = rosters_for(planned, people, roster)
    try:
        release = _read(planned, people, listed, notes, rng=rng)
    except SaysNothingError as error:
        return not_attacked(planned.name, str(error))
    dated = planned.date is not None and not planned.unchanged
    again = try_again(people, release, rng=rng, beside=[] if dated else beside)
    if not dated and (reason := again.reason(release)):
        return not_attacked(planned.name, reason)
    assumed = tuple(text.replace("give --margins", "give margins") for text in notes)
    no_control = "they are of another date" if dated else again.why_not
    return GivenRelease(release, planned.fixed, no_control, assumed)


def not_attacked(name: str, reason: str) -> NotRun:
    """Say why nothing here attacks a release, which leaves the verdict undecided."""
    return NotRun(release=name, attack_method="reconstruction", reason=reason)


def cells_unread(planned: TablesPlan) -> str:
    """Say how much is there that nothing attacks."""
    cells = sum(
        sum(any(letter.isdigit() for letter in cell) for row in sheet.cells for cell in row)
        for path in planned.tables
        for sheet in read_grids(path)
    )
    return (
        f"its tables ({cells:,} cells with numbers) hold {NOT_ATTACKED[planned.numbers or '']}: no attack "
        "here reads these yet, so nothing was shown about them. Check them by other means (the p% rule)."
    )


def _read(
    planned: TablesPlan,
    people: Dataset,
    listed: Sequence[Roster],
    notes: list[str],
    *,
    rng: np.random.Generator,
) -> Release:
    secret = people.schema.secret
    said = Said(planned.mechanism, planned.margins, planned.of, planned.numbers, planned.digits)
    roster, printed = best_reading(planned, listed, secret, said)
    for table in printed:
        check_values(table, secret)
    promise = None
    if may_promise(planned):
        placed = noise_in(planned, printed, roster, secret)
        said = sized(said, placed)
        promise, why_not = promise_of(said.mechanism, placed, roster, rng=rng)
        notes += [why_not] if why_not else []
    release = release_of_tables(
        printed, roster, said, secret=secret.name, levels=secret.levels, announce=notes.append
    )
    blocks = tuple(
        replace(block, statistic=Among(block.statistic, roster, planned.name))
        for block in release.blocks
        if isinstance(block.statistic, Counting)
    )
    date = "" if planned.unchanged else planned.date or ""
    return replace(release, name=planned.name, secret=secret, blocks=blocks, date=date, promise=promise)


def best_reading(
    planned: TablesPlan, listed: Sequence[Roster], secret: Column, said: Said
) -> tuple[Roster, list[PrintedTable]]:
    """Read labels as values of people, or as the bins of the plan where only these are known."""
    for roster in listed:
        columns = roster.attributes.columns
        printed = [
            table
            for path in planned.tables
            for table in read_printed(path, columns, secret=secret.name, per=said.per)
        ]
        nobodys = any(not levels for t in printed for e in t.entries for _, levels in e.conditions)
        if not nobodys or roster is listed[-1]:
            break
    return roster, printed


def check_values(table: PrintedTable, secret: Column) -> None:
    """Refuse values of the secret that the data do not have."""
    if unknown := [value for value in table.values if value not in secret.levels]:
        raise InputError(
            f"{table.name}: values of the secret {secret.name!r}",
            f"must be among the {len(secret.levels)} of the data",
            f"{len(unknown):,} others",
            "Spell them as the data do.",
            value=unknown[0],
            hint=f"The data have {', '.join(secret.levels)}.",
        )


def rosters_for(planned: TablesPlan, people: Dataset, roster: Roster) -> list[Roster]:
    """Who was counted, with the columns that the attacker knows: by their own values, then by bins."""
    if planned.people is None:
        return _by_value_and_bin(roster)
    if people.schema.id is None:
        raise InputError(
            f"release {planned.name!r}: people", "must come with an id in [schema]", "none", "Name one."
        )
    return _of_then(planned, people.schema.id.name, roster)


def _by_value_and_bin(roster: Roster) -> list[Roster]:
    fine = by_value(roster)
    return [roster] if fine is roster else [fine, roster]


def _of_then(planned: TablesPlan, id: str, roster: Roster) -> list[Roster]:
    """The people of a file of its own; where it has nothing but ids, with the columns of the data."""
    sheet = open_sheet(planned.people, id=id)
    ids = sheet.text(id)
    strangers = int((~np.isin(ids, roster.ids)).sum())
    if strangers:
        raise InputError(
            f"release {planned.name!r}: people",
            "must all be in [data]",
            f"{strangers:,} who are not",
            "Put everybody who was counted in any release into [data], and say by `people` who was when.",
        )
    if not any(column.name in sheet for column in roster.attributes.columns):
        place = {name: at for at, name in enumerate(roster.ids.tolist())}
        return _by_value_and_bin(roster.take(np.array([place[name] for name in ids.tolist()], np.intp)))
    columns, codes = [], []
    for column in roster.attributes.columns:
        if column.name in sheet:
            levels, code = np.unique(sheet.text(column.name), return_inverse=True)
            kind = Kind.BINARY if levels.size == 2 else Kind.CATEGORICAL
            columns.append(Column(column.name, column.role, kind, tuple(map(str, levels))))
            codes.append(code.astype(np.int32))
    return [Roster(id, ids, CodedColumns(tuple(columns), np.stack(codes, axis=1)))]


def by_value(roster: Roster) -> Roster:
    """Take the numbers behind bins as levels of their own: tables print other bands than a plan has bins."""
    if not roster.numbers:
        return roster
    columns, codes = list(roster.attributes.columns), roster.attributes.codes.copy()
    for name, numbers in roster.numbers.items():
        at = roster.attributes.position(name)
        values, code = np.unique(numbers, return_inverse=True)
        levels = tuple(MISSING if np.isnan(value) else label_number(value) for value in values)
        columns[at] = Column(name, columns[at].role, Kind.CATEGORICAL, levels)
        codes[:, at] = code
    return Roster(roster.id_name, roster.ids, CodedColumns(tuple(columns), codes))
