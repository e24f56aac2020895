"""People who are told by record: what cannot be asked of them, what is said, and claims by record."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dalenius.errors import InputError
from dalenius.people.schema import Roster
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.shown import people

if TYPE_CHECKING:
    from dalenius.reconstruction.opened import SecretsOpened

LISTED = 'Say roster = "people" in [data].'

IN_BLOCKS = "In a block nearly everybody has a record of their own, so that records would save nothing there."


def check_by_record(opened: SecretsOpened) -> None:
    """Refuse what needs single people."""
    if not opened.people.by_record:
        return
    scenario = opened.scenario
    rule = "must be left out where people are told by record"
    if scenario.reference is not None:
        raise InputError("knowledge.reference", rule, "one", LISTED)
    if scenario.split is not None:
        raise InputError("schema.split", rule, "one", f"{IN_BLOCKS} {LISTED}")
    if opened.given:
        raise InputError(
            "release", "must be planned where people are told by record", "a published one", LISTED
        )


def said_of_records(opened: SecretsOpened) -> Iterator[str]:
    """Say that people are told by record, and how many records there are."""
    if opened.people.by_record:
        yield (
            f"{people(opened.roster.size)} are told by {len(opened.roster):,} different records, grouped "
            "where they are: people of one record are alike in all that the attacker knows, and claims are "
            "by record."
        )


def records_csv(claims: Guesses, roster: Roster) -> str:
    """Write what is claimed about each record, with its columns: to be joined with people where they are.

    Examples
    --------
    >>> import numpy as np
    >>> from dalenius.people.schema import CodedColumns, Column, Kind, Role
    >>> sex = Column("sex", Role.PUBLIC, Kind.BINARY, ("f", "m"))
    >>> ids, people = np.array(["0"]), np.array([7])
    >>> roster = Roster("record", ids, CodedColumns((sex,), np.array([[1]], np.int32)), {}, people)
    >>> made = Guesses("record", ids, ("no", "yes"), np.array([[0.25, 0.75]]), np.array([False]), "lp")
    >>> print(records_csv(made, roster), end="")
    sex,people,probability,guess,certain
    m,7,0.75,yes,false
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = roster.attributes.columns
    writer.writerow([*(column.name for column in columns), "people", "probability", "guess", "certain"])
    each = roster.people if roster.people is not None else [1] * len(roster)
    told = zip(roster.attributes.codes, each, claims.confidence, claims.guess, claims.certain, strict=True)
    for codes, count, p, guess, sure in told:
        record = [column.levels[code] for column, code in zip(columns, codes, strict=True)]
        writer.writerow([*record, int(count), f"{p:.6g}", claims.levels[guess], "true" if sure else "false"])
    return text.getvalue()
