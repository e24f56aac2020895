"""Look at people and draft the plan of their audit: what columns are, what is published, how large it is."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dalenius.auditing.drafting.lines import plan_text, toml
from dalenius.auditing.drafting.proposal import (
    Proposal,
    propose,
    rarest_value,
    shares_of,
    size_of,
    told_by_columns,
)
from dalenius.errors import InputError, nearest_column
from dalenius.people.dataset import ReadSettings, read
from dalenius.people.describe.header import check_header
from dalenius.people.describe.profile import ColumnProfile, profile
from dalenius.people.describe.signs import ColumnSign
from dalenius.people.opening import columns_of, is_address, split_table
from dalenius.people.roles import Labels, read_labels
from dalenius.people.schema import Role, check_edges
from dalenius.progress import Progress, silent, within

LOOKED = 0.7
"""How far drafting is once all columns were looked at."""


@dataclass(frozen=True)
class DraftOptions:
    """What is known about the people beforehand.

    Parameters
    ----------
    secret
        The column an attacker must not learn.
    id
        The column that names people; if it is not given, one whose values are all different, if there is one.
    table
        The table of a database, or the sheet of a workbook.
    columns
        The names of the columns of a CSV file without a header.
    header
        Whether the first line of a CSV file is known to name the columns.
    tables
        The columns of each table that is planned.
    bins
        Cut points by column.
    reference
        Other people whose secrets the attacker knows.
    labels
        A dictionary of codes.
    """

    secret: str
    id: str | None = None
    table: str | None = None
    columns: Sequence[str] = ()
    header: bool = False
    tables: Sequence[Sequence[str]] = ()
    bins: Mapping[str, Sequence[float]] = field(default_factory=dict)
    reference: str | None = None
    labels: str | None = None


@dataclass(frozen=True)
class Draft:
    """What was found out about the people, and what to publish."""

    options: DraftOptions
    columns: Sequence[ColumnProfile]
    id: str | None
    data: Sequence[str] = ()
    shares: str = ""
    rarest: str = "yes"
    told: Mapping[str, str] = field(default_factory=dict)
    size: str = ""
    proposal: Proposal | None = None
    reference: str | None = None
    labels: str | None = None

    def named(self, role: Role) -> list[ColumnProfile]:
        """The columns of one role, the secret and the id being whatever they were said to be."""
        taken = {self.options.secret, self.id}
        return [c for c in self.columns if c.role is role and c.name not in taken]

    @property
    def counted(self) -> list[ColumnProfile]:
        """The public columns and the secret."""
        return [*self.named(Role.PUBLIC), *(c for c in self.columns if c.name == self.options.secret)]

    @property
    def bins(self) -> dict[str, tuple[float, ...]]:
        """The cut points of numbers: those that were given, and those that were found."""
        found = {c.name: c.edges for c in self.counted if c.edges}
        return found | {name: tuple(edges) for name, edges in self.options.bins.items()}

    @property
    def codes(self) -> dict[str, tuple[str | int, ...]]:
        """What is written where a value is missing, by column."""
        return {c.name: c.codes for c in self.counted if c.codes}

    @property
    def years(self) -> list[str]:
        """The columns of dates, which are read by their year."""
        return [c.name for c in self.counted if c.sign is ColumnSign.DATE]

    def signed(self, sign: ColumnSign) -> list[str]:
        """The columns left out because of what they are."""
        return [c.name for c in self.named(Role.IGNORED) if c.sign is sign]

    @property
    def gaps(self) -> bool:
        """Whether a column that is counted by has missing values."""
        return any(c.missing for c in self.counted)


def draft_plan(
    source: str, options: DraftOptions, *, out: Path, progress: Progress = silent
) -> tuple[str, list[str]]:
    """Look at people and write the plan of their audit.

    Parameters
    ----------
    source
        A file, or the address of a database.
    options
        What is known about the people beforehand.
    out
        Where the plan will be: paths in it are relative to that.
    progress
        Is told how far the look at the people is.

    Returns
    -------
    tuple[str, list[str]]
        The text of an ``audit.toml``, and what to say about it.

    Raises
    ------
    InputError
        If the data cannot be audited by such a plan; it is read once, to be sure.
    """
    if not (options.columns or options.header):
        check_header(source)
    labels = _check_given(options)
    counted = [options.secret, *options.bins]
    columns = profile(
        source,
        options.table,
        columns=options.columns,
        counted=counted,
        kept=[name for table in options.tables for name in table],
        progress=within(progress, 0.0, LOOKED),
    )
    _check_names(options, [column.name for column in columns])
    found = next((c.name for c in columns if c.role is Role.ID and c.name != options.secret), None)
    draft = Draft(options, columns, options.id or found)
    how = ReadSettings(
        missing="value" if draft.gaps else "refuse",
        table=options.table,
        missing_codes=draft.codes,
        by_year=draft.years,
        labels=labels,
        columns=options.columns,
    )
    progress(LOOKED, "reading the people")
    with read(
        source,
        secret=options.secret,
        id=draft.id,
        public=[c.name for c in draft.named(Role.PUBLIC)],
        ignored=[c.name for c in draft.named(Role.IGNORED)],
        bins=draft.bins,
        how=how,
    ) as people:
        proposal = propose(people.schema.public, options.tables)
        whole = Draft(
            options,
            columns,
            draft.id,
            data=_data_lines(source, options, out),
            shares=shares_of(people),
            rarest=rarest_value(people),
            told=told_by_columns(people),
            size=size_of(people, proposal.statistics),
            proposal=proposal,
            reference=None if options.reference is None else _beside(options.reference, out),
            labels=None if options.labels is None else _beside(options.labels, out),
        )
    return plan_text(whole), _summary(whole)


def _check_given(options: DraftOptions) -> Labels:
    """Refuse what is wrong by itself before the people are looked at, which may take long; read labels."""
    for name, edges in options.bins.items():
        check_edges(name, edges)
    if options.reference is not None:
        others = columns_of(options.reference)
        if options.secret not in others:
            rule = f"must have the secret column {options.secret!r}"
            fix = nearest_column(options.secret, others)
            raise InputError(f"reference {options.reference!r}", rule, "no such column", fix)
    return {} if options.labels is None else read_labels(options.labels)


def _check_names(options: DraftOptions, names: Sequence[str]) -> None:
    given = [("secret", options.secret), ("id", options.id), *(("bins for", name) for name in options.bins)]
    for role, name in given:
        if name is not None and name not in names:
            what = f"{role} column {name!r}"
            raise InputError(what, "must be in the data", "no such column", nearest_column(name, names))


def _beside(place: str, out: Path) -> str:
    return place if is_address(place) else Path(os.path.relpath(place, out.parent)).as_posix()


def _data_lines(source: str, options: DraftOptions, out: Path) -> list[str]:
    place, table = split_table(source, options.table)
    lines = [f"{'url' if is_address(place) else 'path'} = {toml(_beside(place, out))}"]
    if table:
        lines.append(f"table = {toml(table)}")
    if options.columns:
        lines.append(f"columns = {toml(list(options.columns))}  # the file has no line of names")
    return lines


def _summary(draft: Draft) -> list[str]:
    """What a person wants to know before opening the plan; no value but the secret's own levels."""
    lines = [f"Secret {draft.options.secret}, {draft.shares}.", f"Planned: {draft.size}."]
    if weights := draft.signed(ColumnSign.WEIGHT):
        lines.append(f"Survey weights, left out: {', '.join(weights)}.")
    if households := draft.signed(ColumnSign.HOUSEHOLD):
        lines.append(f"Numbers of households, left out: {', '.join(households)}.")
    if same := [f"{c.name} (as {c.same_as})" for c in draft.named(Role.IGNORED) if c.same_as]:
        lines.append(f"Tell the same as another column, left out: {', '.join(same)}.")
    for name, told in draft.told.items():
        lines.append(f"Is {name} known to strangers? It {told}. If not, move it from public to ignored.")
    if draft.years:
        lines.append(f"Dates, by year: {', '.join(draft.years)}.")
    if draft.codes:
        alike: dict[tuple[str | int, ...], list[str]] = {}
        for name, codes in draft.codes.items():
            alike.setdefault(codes, []).append(name)
        said = "; ".join(f"{', '.join(map(str, codes))} in {', '.join(who)}" for codes, who in alike.items())
        lines.append(f"Taken for missing values: {said}.")
    return lines
