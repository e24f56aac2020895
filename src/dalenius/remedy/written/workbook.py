"""The protected tables as a workbook: one sheet a table, changed cells marked, and a sheet that says why."""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np

from dalenius.findings.report import Rung
from dalenius.mechanisms.base import SEEDED
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.printed.rewrite import CHANGED
from dalenius.release.release import Block, Release
from dalenius.remedy.price import Numbers, tables_in
from dalenius.statistics.tables import Tables

DONE = "what was done"
HIDDEN = ":"
"""What stands in a hidden cell."""

LONGEST_SHEET = 31
TIME = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*")
FORBIDDEN = re.compile(r"[\[\]:*?/\\']")


def workbook(planned: Sequence[Release], published: Sequence[Release], rung: Rung) -> bytes:
    """Write protected tables as xlsx.

    Parameters
    ----------
    planned
        The releases as they were planned.
    published
        The releases as they are to be published.
    rung
        What was done.
    """
    from openpyxl import Workbook

    book = Workbook()
    first = book.active
    first.title = DONE
    before: dict[str, Any] = {}
    for release in planned:
        before |= tables_in(release)
    for line in _said(rung, before, published):
        first.append([line])
    first.column_dimensions["A"].width = 110
    titles = {DONE}
    for release in published:
        for block in release.blocks:
            if isinstance(block.statistic, Tables):
                for j, names in enumerate(block.statistic.sets):
                    _sheet(book, release, block, j, names, before, titles)
    data = io.BytesIO()
    book.save(data)
    return timeless(data.getvalue())


def timeless(data: bytes) -> bytes:
    """A workbook without the time at which it was written: the same tables are the same bytes."""
    made = io.BytesIO()
    with ZipFile(io.BytesIO(data)) as book, ZipFile(made, "w") as again:
        for name in book.namelist():
            text = TIME.sub(rb"\g<1>1980-01-01T00:00:00Z", book.read(name))
            again.writestr(ZipInfo(name), text, ZIP_DEFLATED)
    return made.getvalue()


def _said(rung: Rung, before: Numbers, published: Sequence[Release]) -> list[str]:
    now = {name for release in published for name in tables_in(release)}
    gone = [name for name in before if name not in now]
    said = [
        f"Change: {rung.change}.",
        f"Passes the audit, and {rung.kept} of {rung.tried} times tried again.",
    ]
    said += [f"Release {release.name}: {release.mechanism}." for release in published]
    if rung.promise is not None:
        # the rung is of an audit, whose noise can be drawn again; the numbers here are not
        said.append(f"Promise: {rung.promise.replace(f'; {SEEDED}', '')}.")
    if any(release.promise is not None for release in published):
        said.append("The noise was drawn by OpenDP, without a seed: it cannot be drawn again.")
    if gone:
        said.append(f"Left out: {', '.join(gone)}.")
    return [*said, f"Coloured cells are not as planned; {HIDDEN!r} stands for a hidden number."]


def _sheet(
    book: Any,
    release: Release,
    block: Block,
    table: int,
    names: tuple[str, ...],
    before: Mapping[str, Any],
    titles: set[str],
) -> None:
    """One table: a row for each combination of levels, a column for each value of the secret."""
    from openpyxl.styles import Font, PatternFill

    statistic = block.statistic
    if not isinstance(statistic, Tables):
        return
    sheet = book.create_sheet(_title(names, titles))
    sheet.append([*names, *(f"{release.secret.name}={value}" for value in block.values)])
    for cell in sheet[1]:
        cell.font = Font(bold=True)
    answers = block.answers[statistic.table == table]
    old = before.get("*".join(names) or "everybody")
    levels = {column.name: column.levels for column in statistic.columns}
    fill = PatternFill("solid", fgColor=CHANGED)
    noisy = parse_mechanism(release.mechanism).draws  # an unmarked cell would show that its noise is 0
    for row, (combination, numbers) in enumerate(
        zip(itertools.product(*(levels[name] for name in names)), answers, strict=True)
    ):
        sheet.append([*map(_plain, combination), *map(_shown, numbers)])
        for column, number in enumerate(numbers):
            if noisy or old is None or old.shape != answers.shape or not _same(old[row, column], number):
                sheet.cell(row + 2, len(names) + column + 1).fill = fill


def _plain(level: str) -> str:
    """A level as text: one that a spreadsheet would take for a formula is quoted."""
    return f"'{level}" if level.startswith("=") else level


def _shown(number: float) -> Any:
    if np.isnan(number):
        return HIDDEN
    return int(number) if float(number).is_integer() else float(number)


def _same(first: float, second: float) -> bool:
    return bool(first == second or (np.isnan(first) and np.isnan(second)))


def _title(names: tuple[str, ...], titles: set[str]) -> str:
    """A name of a sheet that is allowed and not taken."""
    whole = FORBIDDEN.sub("_", " x ".join(names)) or "everybody"
    title, number = whole[:LONGEST_SHEET], 2
    while title.casefold() in {each.casefold() for each in titles}:
        ending = f" {number}"
        title, number = whole[: LONGEST_SHEET - len(ending)] + ending, number + 1
    titles.add(title)
    return title
