"""What is said beside printed tables: mechanisms, universes, geography, which tables leave nothing out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from dalenius.errors import InputError, nearest
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.records.cells.release import OF_SAMPLE
from dalenius.records.published.measures import split_columns
from dalenius.records.published.nesting import Nesting
from dalenius.statistics.printed_cell import DIGITS

ALL = ""
"""The name under which something is said of all tables that have nothing of their own."""


FULL = "full"
"""What may be said of decimals besides that they are rounded or truncated: 33.0 is printed in full."""


@dataclass(frozen=True)
class SaidOfTables:
    """What is said of each table by its name, and under `ALL` of all others.

    Parameters
    ----------
    mechanism, margins
        What was done to counts, nothing where nothing is said; to margins instead, ``none`` if they are sums
        of what is printed.
    universe
        Whom a table is about: for some columns, the labels that are allowed.
    geography
        Columns of units, the smallest first, each within the next.
    nestings
        What lies within what, by file.
    complete
        Tables in which a combination that is not printed is 0.
    numbers
        Columns in which every number from a first to a last is a level of its own.
    shares
        Of whom the percentages of a table are: of the people alike in these columns.
    digits
        What is said of the decimals of means, medians and shares, see `DIGITS` and `FULL`.
    weights
        Tables in which everybody counts by a survey weight, and between which ends weights lie.
    """

    mechanism: Mapping[str, str] = field(default_factory=dict)
    margins: Mapping[str, str] = field(default_factory=dict)
    universe: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    geography: tuple[str, ...] = ()
    nestings: tuple[Nesting, ...] = ()
    complete: frozenset[str] = frozenset()
    numbers: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    shares: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    digits: str | None = None
    weights: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def check(self, tables: Sequence[str]) -> None:
        """Refuse what is said of a table that is not there.

        Raises
        ------
        InputError
            With the table that was probably meant.
        """
        if self.digits not in (None, FULL, *DIGITS):
            raise InputError("--digits", f"must be {', '.join(DIGITS)} or {FULL}", repr(self.digits))
        for option, names in (
            ("--mechanism", self.mechanism),
            ("--margins", self.margins),
            ("--universe", self.universe),
            ("--complete", self.complete),
            ("--shares", self.shares),
            ("--weights", self.weights),
        ):
            for name in names:
                if name not in (ALL, *tables):
                    raise InputError(option, "must name one of the tables", repr(name), nearest(name, tables))


def without_sample(said: SaidOfTables, tables: Sequence[str]) -> tuple[SaidOfTables, str]:
    """Where all tables count one random sample they are about its people; returns what to say of it.

    Examples
    --------
    >>> said, note = without_sample(SaidOfTables({ALL: "subsample:rate=0.5 | rounding:base=5"}), ["a", "b"])
    >>> said.mechanism, note[:38]
    ({'a': 'rounding:base=5', 'b': 'rounding:base=5'}, 'All tables are taken to count the same')
    """
    stated = {name: said.mechanism.get(name, said.mechanism.get(ALL, "exact")) for name in tables}
    chains = {name: parse_mechanism(text) for name, text in stated.items()}
    rest = {name: chain.of_sample for name, chain in chains.items()}
    if None in rest.values() or len({str(chain.stages[0]) for chain in chains.values()}) > 1:
        return said, ""
    note = (
        f"All tables are taken to count the same random sample: {OF_SAMPLE} If each counts a sample of "
        "its own, attack them one by one."
    )
    return replace(said, mechanism={name: str(chain) for name, chain in rest.items()}), note


def split_said(texts: Sequence[str]) -> dict[str, str]:
    """Part ``NAME=TEXT`` about one table from texts about all: a mechanism has a colon before its ``=``.

    Examples
    --------
    >>> split_said(["P1=rounding:base=5", "suppression:below=3", "P2=exact"])
    {'P1': 'rounding:base=5', '': 'suppression:below=3', 'P2': 'exact'}
    """
    found: dict[str, str] = {}
    for text in texts:
        name, equals, rest = text.partition("=")
        own, said = (name.strip(), rest.strip()) if equals and ":" not in name else (ALL, text.strip())
        if own in found:
            option = "--mechanism, --margins and --weights"
            raise InputError(option, "must be said once of a table", repr(text))
        found[own] = said
    return found


def parse_universe(texts: Sequence[str]) -> dict[str, dict[str, list[str]]]:
    """Read ``TABLE=column=label|label&column=label``: whom a table is about.

    Raises
    ------
    InputError
        If it is not written so, or a table has two.

    Examples
    --------
    >>> parse_universe(["P11=age=18+&sex=f|m"])
    {'P11': {'age': ['18+'], 'sex': ['f', 'm']}}
    """
    found: dict[str, dict[str, list[str]]] = {}
    for text in texts:
        table, _, rest = text.partition("=")
        parts = [part.partition("=") for part in rest.split("&")]
        if not table.strip() or any(not name.strip() or not labels.strip() for name, _, labels in parts):
            raise InputError("--universe", "must be TABLE=column=labels", repr(text), "As in P11=age=18+.")
        if table.strip() in found:
            raise InputError("--universe", "must be said once of a table", repr(text), "Join them with &.")
        found[table.strip()] = {
            name.strip(): [label.strip() for label in labels.split("|")] for name, _, labels in parts
        }
    return found


def parse_geography(text: str | None) -> tuple[str, ...]:
    """Read ``block<tract<county``: columns of units, each within the next.

    Examples
    --------
    >>> parse_geography("block<tract")
    ('block', 'tract')
    """
    if text is None:
        return ()
    names = tuple(name.strip() for name in text.split("<"))
    if not all(names) or len(set(names)) != len(names):
        raise InputError(
            "--geography", "must be columns, each within the next", repr(text), "As in block<tract."
        )
    return names


def parse_numbers(texts: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Read ``age=0-125``: a column in which each number is a level of its own.

    Raises
    ------
    InputError
        If it is not written so.

    Examples
    --------
    >>> parse_numbers(["age=0-125"])
    {'age': (0, 125)}
    """
    found = {}
    for text in texts:
        name, _, ends = text.partition("=")
        first, _, last = (part.strip() for part in ends.partition("-"))
        if not name.strip() or not (first.isdigit() and last.isdigit()) or int(first) > int(last):
            rule = "must be a column, its first and its last number"
            raise InputError("--numbers", rule, repr(text), "As in age=0-125.")
        found[name.strip()] = int(first), int(last)
    return found


def parse_shares(texts: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Read ``TABLE=block,sex``: percentages of a table are of people alike in these columns; or ``all``.

    Examples
    --------
    >>> parse_shares(["P5=block,sex", "all"])
    {'P5': ('block', 'sex'), '': ()}
    """
    found = {}
    for text in texts:
        table, equals, columns = text.partition("=")
        own = table.strip() if equals else ALL
        if own in found:
            raise InputError("--shares", "must be said once of a table", repr(text))
        found[own] = split_columns(columns if equals else text)
    return found
