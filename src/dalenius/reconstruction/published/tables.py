"""Printed tables, and folders of releases, to the same view that an audit attacks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, SaysNothingError
from dalenius.knowledge.view import Knowledge, View
from dalenius.people.files.read_file import Source
from dalenius.people.opening import open_sheet
from dalenius.people.schema import Roster
from dalenius.printed.files import PrintedTable, read_printed
from dalenius.printed.tables import Said, release_of_tables, secret_levels
from dalenius.progress import Announce, unsaid
from dalenius.reconstruction.published.counts import read_roster
from dalenius.release.files import HEAD, read_release
from dalenius.release.joint import DatedRelease, dates_of, join
from dalenius.release.release import Release

PEOPLE = "people.csv"
TABLES = (".csv", ".xlsx", ".xlsm")


YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
"""What tells the date of a table by its name."""


def read_tables(
    people: Source,
    tables: Sequence[Path],
    *,
    id: str,
    said: Said | None = None,
    secret: str | None = None,
    values: tuple[str, ...] | None = None,
    announce: Announce = unsaid,
) -> View:
    """Read printed tables and the list of people as a view.

    Parameters
    ----------
    people
        A table of the people: a column of ids, and the public columns that the tables speak of.
    tables
        CSV or xlsx files, see `read_printed`.
    id
        The column of ids.
    said
        What is said about the printed numbers.
    secret
        What the secret is called, if the tables do not say.
    values
        All values of the secret; by default those that are printed, and the opposite of a lone one.
    announce
        Told what is not used.

    Raises
    ------
    InputError
        If a file cannot be read, or the tables are not about these people.
    """
    said = said or Said()
    sheet = open_sheet(people, id=id)
    roster = read_roster(sheet, id, secret or "", apart=said.weight)
    columns = roster.attributes.columns
    printed = [t for path in tables for t in read_printed(path, columns, secret=secret, per=said.per)]
    levels = None if values is None else secret_levels(values)
    if said.weight is not None or said.weights is not None:
        from dalenius.reconstruction.published.weighted import release_weighed, weights_said

        weights = weights_said(sheet, said)
        release = release_weighed(printed, roster, weights, said, levels, secret, announce)
    else:
        release = release_of_tables(printed, roster, said, secret=secret, levels=levels, announce=announce)
    return View(release, Knowledge(roster))


def read_joint(
    folder: Path,
    *,
    id: str,
    people: Source | None = None,
    said: Mapping[str, Said] | None = None,
    secret: str | None = None,
    announce: Announce = unsaid,
    unchanged: bool = False,
) -> View:
    """Read everything in a folder as one view.

    In the folder may be folders of releases, files of tables, and folders of tables; a folder with a
    ``people.csv`` of its own is about those people, everything else about the people of the whole.

    Parameters
    ----------
    folder
        What was published.
    people
        The list of people; by default ``people.csv`` in the folder.
    said
        What is said about printed numbers: by the name of a table or its folder, or ``""`` for all others.
    secret
        What the secret is called.
    announce
        Told what is not used, and what is taken as of different dates.
    unchanged
        Whether nobody's secret has changed between releases of different dates, see `join`. Each folder is a
        date of its own, and so is each year in the name of a table.
    """
    if not folder.is_dir():
        raise InputError(str(folder), "must be a folder of releases", "no such folder", "Check the path.")
    everybody = people
    if everybody is None and (folder / PEOPLE).is_file():
        everybody = folder / PEOPLE
    roster = None if everybody is None else read_roster(open_sheet(everybody, id=id), id, secret or "")
    collected = _Collected(folder, id, roster, said or {}, secret)
    sources = collected.sources(announce)
    if not sources:
        raise InputError(str(folder), "must hold releases or tables", "nothing that is one")
    dates = dates_of(sources)
    if len(dates) > 1 and not unchanged:
        announce(
            f"The releases are of {len(dates)} dates, and secrets may have changed between them: what is "
            f"said is about {dates[-1] or 'the last'}, and nothing follows for certain from the others. Give "
            "--unchanged if no secret can have changed."
        )
    release, joint = join(sources, unchanged=unchanged)
    return View(release, Knowledge(joint))


class _Collected:
    """What lies in a folder, before the values of the secret are known."""

    def __init__(
        self, folder: Path, id: str, roster: Roster | None, said: Mapping[str, Said], secret: str | None
    ) -> None:
        self.id, self.roster, self.said, self.secret = id, roster, said, secret
        self.releases: list[tuple[str, Release, Roster]] = []
        self.tables: list[tuple[str, list[PrintedTable], Roster]] = []
        for path in sorted(folder.iterdir()):
            if path.is_dir() and (path / HEAD).is_file():
                self.releases.append((path.name, read_release(path), self._people(path)))
            elif path.is_dir():
                files = [file for file in sorted(path.iterdir()) if _is_table(file)]
                if files:
                    self._add_tables(path.name, files, self._people(path))
            elif _is_table(path):
                self._add_tables(path.name, [path], self._people(folder))
        unused = set(self.said) - {"", *(name for name, _, _ in self.tables)}
        if unused:
            raise InputError(
                f"what is said of {min(unused)!r}",
                "must name a table or a folder of tables",
                f"none of that name in {folder}",
                f"There are: {', '.join(name for name, _, _ in self.tables) or 'none'}.",
            )

    def _people(self, place: Path) -> Roster:
        own = place / PEOPLE
        if own.is_file():
            return read_roster(open_sheet(own), self.id, self.secret or "")
        if self.roster is None:
            raise InputError(
                str(place), f"must have a {PEOPLE}, or be about a list of people", "none", "Give --people."
            )
        return self.roster

    def _add_tables(self, name: str, files: list[Path], roster: Roster) -> None:
        columns, per = roster.attributes.columns, self._said(name).per
        found = [t for f in files for t in read_printed(f, columns, secret=self.secret, per=per)]
        self.tables.append((name, found, roster))

    def _said(self, name: str) -> Said:
        return self.said.get(name, self.said.get("", Said()))

    def sources(self, announce: Announce) -> list[DatedRelease]:
        """One source a release, and one a file or folder of tables."""
        printed = [value for _, tables, _ in self.tables for table in tables for value in table.values]
        levels = self.releases[0][1].secret.levels if self.releases else None
        if levels is None and printed:
            levels = secret_levels(printed)
        for value in printed:
            if levels is not None and value not in levels:
                raise InputError(
                    "value of the secret in a table",
                    f"must be one of the {len(levels)} of the releases",
                    "another one",
                    value=value,
                    hint=f"The releases have {', '.join(levels)}.",
                )
        sources = [DatedRelease(name, release, roster, name, name) for name, release, roster in self.releases]
        silent = None
        for name, tables, roster in self.tables:
            try:
                release = release_of_tables(
                    tables, roster, self._said(name), secret=self.secret, levels=levels, announce=announce
                )
            except SaysNothingError as error:  # of one, others may say something
                silent = error
                announce(f"{error}; it is left out.")
                continue
            in_folder = Path(name).suffix.lower() not in TABLES
            date = name if in_folder else " ".join(YEAR.findall(name))
            sources.append(DatedRelease(name, release, roster, name if in_folder else "", date))
        if silent is not None and not sources:
            raise silent
        return sorted(sources, key=lambda source: source.date)


def _is_table(path: Path) -> bool:
    return (
        path.is_file() and path.suffix.lower() in TABLES and path.name != PEOPLE and path.name[0] not in ".~"
    )


def read_truth_of(
    source: Source, ids: NDArray[np.str_], id: str, levels: tuple[str, ...]
) -> NDArray[np.int32]:
    """Read ``<id>,<secret>`` as codes of levels, in the order of ``ids``.

    For a secret of two values 0 and 1, no and yes, false and true are understood too.

    Raises
    ------
    InputError
        If somebody is missing, named twice, or has a value that no table counts.
    """
    table = open_sheet(source, id=id)
    names = [name for name in table.names if name != id]
    if len(names) != 1:
        got = f"{len(table.names):,} columns"
        raise InputError(table.name, f"must have two columns, {id!r} and the secret", got)
    words = {level.casefold(): code for code, level in enumerate(levels)}
    if len(levels) == 2:
        words = {"0": 0, "1": 1, "no": 0, "yes": 1, "false": 0, "true": 1} | words
    named, texts = table.text(id).tolist(), [text.strip().casefold() for text in table.text(names[0])]
    if len(set(named)) < len(named):
        raise InputError(f"{table.name}: column {id!r}", "must name every person once", "a repeated name")
    if wrong := sorted(set(texts) - set(words)):
        raise InputError(
            f"{table.name}: column {names[0]!r}",
            "must hold the values of the secret that are printed",
            f"{sum(text in wrong for text in texts):,} other values",
            value=wrong[0],
            hint=f"Printed are {', '.join(levels)}.",
        )
    codes = {person: words[text] for person, text in zip(named, texts, strict=True)}
    missing = sum(person not in codes for person in ids.tolist())
    if missing:
        raise InputError(table.name, "must have everybody on the list of people", f"{missing:,} missing")
    return np.array([codes[person] for person in ids.tolist()], np.int32)
