"""Read the people behind released rows, these rows and other people, so that a value means the same in all.

What stands in a released file is released, whatever it is called. Only a column that names rows, such as a
row number or an id, is kept out of conditions: a number of no meaning would blur all distances. What it says
of people is asked apart, see `dalenius.singling_out.referee.row_names`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalenius.conditions.boxes.boxes import check_same_columns
from dalenius.errors import InputError
from dalenius.people.opening import open_sheet
from dalenius.people.rows.columns import RowColumn, TextColumn
from dalenius.people.rows.rows import Rows
from dalenius.people.sealed import SealedRows, sealed_rows

NAMES = 0.9
"""A column names rows if so many of them have a value that no other has."""


@dataclass(frozen=True)
class RowNames:
    """A column that names released rows, and what the people behind them are called there, and others.

    Without a control the column is not known of others.
    """

    released: Rows
    original: SealedRows
    control: Rows | None


@dataclass(frozen=True)
class TripleRows:
    """The people behind released rows, under seal; the released rows, and other people.

    Parameters
    ----------
    original, synthetic, control
        The rows of each.
    named
        Columns that name the released rows, and people.
    apart
        All columns of the released rows that no condition speaks of.
    """

    original: SealedRows
    synthetic: Rows
    control: Rows
    named: tuple[RowNames, ...] = ()
    apart: tuple[str, ...] = ()

    def select(self, names: Sequence[str]) -> TripleRows:
        """Keep these columns of all three, and what names rows."""
        return replace(
            self,
            original=self.original.select(names),
            synthetic=self.synthetic.select(names),
            control=self.control.select(names),
        )


def read_triple(
    original: Any,
    synthetic: Any,
    control: Any,
    leave_out: Sequence[str] = (),
    ids: Sequence[str] = (),
    *,
    ignored: Sequence[str] = (),
    same_kinds: bool = False,
) -> TripleRows:
    """Read the three files; a column that is text in one of them is text in all.

    Parameters
    ----------
    original, synthetic, control
        Files, frames or tables of databases, see `dalenius.people.opening.open_sheet`.
    leave_out
        Columns of the released rows that no condition speaks of, such as a row number; refused where rows are
        alike in them.
    ids
        Columns that name people, in any of the files.
    ignored
        Columns that a plan does not ask about: numbers among them stay where they are released.
    same_kinds
        Refuse a column that is text in one file and numbers in another, rather than read it as text: nothing
        can be near there, and released rows would seem to know nobody.
    """
    sheets = [open_sheet(source) for source in (original, synthetic, control)]
    first = [sheet.rows() for sheet in sheets]
    for name in leave_out:
        first[1].column(name)
    for name in ids:
        if not any(name in rows.names for rows in first):
            first[0].column(name)
    words = [name for name in ignored if any(name in {*rows.names} - {*rows.kinds} for rows in first)]
    apart = [name for name in dict.fromkeys([*leave_out, *ids, *words]) if _is_apart(name, first)]
    for name in leave_out:
        if name not in apart:
            raise InputError(
                f"--leave-out: column {name!r}",
                "must number or name the released rows",
                "one in which rows are alike",
                "What is released is attacked: leave it out of the released file instead.",
            )
    if same_kinds:
        _check_kinds(first, apart)
    text = {c.name for rows in first for c in rows.columns if isinstance(c, TextColumn)}
    people, released, others = (
        sheet.rows([name for name in rows.names if name in text])
        for sheet, rows in zip(sheets, first, strict=True)
    )
    kept = [name for name in released.names if name not in apart]
    if not kept:
        raise InputError("synthetic rows", "must keep at least one column", "none", "Leave out fewer.")
    for rows, what in ((people, "the original"), (others, "the control")):
        check_same_columns(rows, released.select(kept), what)
    out = tuple(name for name in apart if name in released.names)
    named = tuple(_named(name, people, released, others) for name in out if name in people.names)
    return TripleRows(sealed_rows(people), released, others, named, out).select(kept)


def _is_apart(name: str, files: Sequence[Rows]) -> bool:
    """Whether no condition should speak of a column: it names rows, or is not known of all people."""
    original, released, control = files
    if name not in released.names or name not in original.names or name not in control.names:
        return True
    codes = released.column(name).codes
    alone = np.bincount(codes[codes >= 0]) == 1
    return bool(alone.sum() >= NAMES * len(released))


def _named(name: str, original: Rows, released: Rows, control: Rows) -> RowNames:
    others = control.select([name]) if name in control.names else None
    return RowNames(released.select([name]), sealed_rows(original.select([name])), others)


def _check_kinds(files: Sequence[Rows], apart: Sequence[str]) -> None:
    """Refuse columns of different kinds, as intervals that stand for numbers."""
    for name in files[1].names:
        kinds = [_kind(rows.column(name)) for rows in files if name in rows.names and name not in apart]
        if len({*kinds} - {None}) > 1:
            raise InputError(
                f"column {name!r}",
                "must hold the same kind of value in all three files",
                " and ".join(dict.fromkeys(kind for kind in kinds if kind)),
                "Write it alike; cells that were made coarser are attacked by: dalenius single-out rows.",
            )


def _kind(column: RowColumn) -> str | None:
    if bool(column.missing.all()):
        return None
    if isinstance(column, TextColumn):
        return "text"
    return "dates" if column.kind == "date" else "numbers"
