"""Which tables a first plan publishes, and how large that is in numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dalenius.errors import InputError, nearest_column
from dalenius.findings.tally import told_alone
from dalenius.people.dataset import Dataset
from dalenius.people.schema import MISSING, Column
from dalenius.random import stream
from dalenius.release.publish import publish
from dalenius.shown import people as people_words
from dalenius.statistics.tables import Tables

MOST_TABLED = 10
"""Public columns up to which all pairs of them are proposed."""

CHOSEN = 8
"""Columns whose pairs are proposed where there are more."""

FEW_LEVELS = 25
"""A column with more levels is tabulated only if there are no others."""

SMALL = 10
"""Below which a count is called small."""

_USUAL = re.compile(
    r"(.*_)?(age|agep|sex|gender|region|state|county|race|rac1p|edu\w*|marital\w*|msp|occup\w*)(_.*)?"
)
_PLAIN = re.compile(r"[^+,=:|#\s]+")


@dataclass(frozen=True)
class Proposal:
    """The statistics of a first plan, and what was said about choosing them."""

    statistics: tuple[str, ...]
    remark: str = ""


def propose(public: Sequence[Column], tables: Sequence[Sequence[str]]) -> Proposal:
    """Choose what is published: the tables somebody named, or pairs of columns that make readable tables.

    Parameters
    ----------
    public
        The public columns.
    tables
        The columns of each table that is really planned, if somebody said so.

    Raises
    ------
    InputError
        For a table by a column that is not public.
    """
    names = [column.name for column in public]
    if tables:
        return Proposal(tuple(_named(table, names) for table in tables))
    if not public:
        return Proposal(("histogram",))
    if len(public) == 1:
        return Proposal(("tables:k=1",))
    if len(public) <= MOST_TABLED and all(len(column.levels) <= 10 * FEW_LEVELS for column in public):
        return Proposal(("tables:k=2",))
    chosen = _chosen(public)
    remark = f"pairs of {len(chosen)} of the {len(public)} public columns; name your own with --table a+b"
    return Proposal((f"tables:k={min(2, len(chosen))},attributes={'+'.join(chosen)}",), remark)


def _named(table: Sequence[str], public: Sequence[str]) -> str:
    for name in table:
        if name not in public:
            rule = "must be by public columns"
            raise InputError(
                f"table {'+'.join(table)!r}", rule, f"the column {name!r}", nearest_column(name, public)
            )
    if len(set(table)) < len(table):
        raise InputError(f"table {'+'.join(table)!r}", "must name each column once", "one twice")
    return f"tables:k={len(table)},attributes={'+'.join(table)}"


def _chosen(public: Sequence[Column]) -> list[str]:
    """Columns that offices tabulate by, then those of few levels, in the order of the file."""
    plain = [column for column in public if _PLAIN.fullmatch(column.name)] or list(public[:1])
    few = [column for column in plain if len(column.levels) <= FEW_LEVELS]
    ranked = sorted(few or plain, key=lambda column: _USUAL.fullmatch(column.name.casefold()) is None)
    first = {column.name for column in ranked[:CHOSEN]}
    return [column.name for column in public if column.name in first]


def size_of(people: Dataset, statistics: Sequence[str]) -> str:
    """Say how many tables and numbers would be published, and how many of these are small.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from dalenius.people.dataset import read
    >>> with read(pa.table({"age": [32, 47, 32], "ill": ["no", "yes", "no"]}), secret="ill") as people:
    ...     size_of(people, ["tables:k=1"])
    '1 table, 4 numbers, 4 below 10'
    """
    release = publish(people, list(statistics), "exact", rng=stream(1, "draft", "size"))
    tables = sum(len(b.statistic.sets) for b in release.blocks if isinstance(b.statistic, Tables))
    numbers = sum(block.answers.size for block in release.blocks)
    small = sum(int((block.answers < SMALL).sum()) for block in release.blocks)
    many = f"{tables:,} table{'s' * (tables != 1)}"
    return f"{many}, {numbers:,} numbers, {small:,} below {SMALL}"


def told_by_columns(people: Dataset) -> dict[str, str]:
    """Say of each public column that tells much of the secret by itself how much.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from dalenius.people.dataset import read
    >>> both = pa.table({"code": ["Z0"] * 40 + ["B2"] * 30, "ill": ["no"] * 40 + ["yes"] * 30})
    >>> with read(both, secret="ill") as people:
    ...     told_by_columns(people)
    {'code': 'tells ill of 100.0% of the people by itself; without it 57.1% are guessed'}
    """
    schema, found, start = people.schema, {}, 0
    if not schema.public:
        return {}
    (block,) = publish(people, "tables:k=1", "exact", rng=stream(1, "draft", "told")).blocks
    counts = block.answers.reshape(-1, len(schema.secret.levels)).astype(np.int64)
    for column in schema.public:
        told = told_alone(counts[start : start + len(column.levels)])
        start += len(column.levels)
        if told is not None:
            usual = f"without it {told[1]:.1%} are guessed"
            found[column.name] = (
                f"tells {schema.secret.name} of {told[0]:.1%} of the people by itself; {usual}"
            )
    return found


FEWEST_LEVELS = 2
"""A secret of two values is told by both of them."""


def named_values(people: Dataset) -> tuple[list[tuple[str, float]], int]:
    """The values of the secret that a plan may name and their people, commonest first; and how many more."""
    (block,) = publish(people, "histogram", "exact", rng=stream(1, "draft", "shares")).blocks
    counts = map(float, block.answers.ravel())
    shares = sorted(zip(people.schema.secret.levels, counts, strict=True), key=lambda each: -each[1])
    named = [each for each in shares if each[1] > 1 or len(shares) <= FEWEST_LEVELS]
    return named, len(shares) - len(named)


def rarest_value(people: Dataset) -> str:
    """The rarest value of the secret that a plan may name and that is not a missing one.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from dalenius.people.dataset import read
    >>> with read(pa.table({"age": [32, 47, 32], "ill": ["no", "yes", "no"]}), secret="ill") as people:
    ...     rarest_value(people)
    'yes'
    """
    named, _ = named_values(people)
    return next((level for level, _ in reversed(named) if level != MISSING), "yes")


def shares_of(people: Dataset) -> str:
    """Say which values the secret takes, and how often, commonest first.

    Of several values those that one person alone has are counted and not named: they may be slips, such as
    a name.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from dalenius.people.dataset import read
    >>> with read(pa.table({"age": [32, 47, 32], "ill": ["no", "yes", "no"]}), secret="ill") as people:
    ...     shares_of(people)
    '3 people: no 66.7%, yes 33.3%'
    """
    named, alone = named_values(people)
    said = [f"{level} {count / people.n:.1%}" for level, count in named]
    if alone:
        said.append(
            f"{alone:,} value{'s' * (alone > 1)} of one person {'each ' * (alone > 1)}{alone / people.n:.1%}"
        )
    return f"{people_words(people.n)}: {', '.join(said)}"
