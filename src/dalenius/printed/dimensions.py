"""What the labels of a printed table mean, and which column each header row is about."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from dalenius.errors import InputError
from dalenius.people.schema import Column
from dalenius.printed.units import split_unit
from dalenius.statistics.printed_cell import read_interval

_MARGINS = frozenset(
    {"total", "totals", "all", "sum", "overall", "everybody", "everyone", "any", "(all)", "_t", "persons",
     "both sexes", "total general", "insgesamt", "gesamt", "zusammen", "summe", "ensemble", "total général",
     "totale", "totaal", "totalt", "i alt", "razem", "ogółem", "celkem", "összesen", "yhteensä", "всего",
     "σύνολο", "toplam", "合計", "合计", "总计"}
)  # fmt: skip
"""What offices print for everybody; ``_T`` is that of SDMX."""


_EVERYBODY = frozenset(
    {"people", "persons", "individuals", "population", "respondents", "participants", "clients", "patients",
     "groups", "categories", "levels", "values", "rows", "columns", "n", "combined", "together"}
)  # fmt: skip


_OF = ("total", "subtotal", "all")


def is_margin(label: str, name: str = "") -> bool:
    """Whether a label of the column ``name`` stands for everybody.

    ``All women`` does not: it is a part, called so.

    Examples
    --------
    >>> is_margin("Total"), is_margin("All persons"), is_margin("All ages", "age"), is_margin("All women")
    (True, True, True, False)
    >>> is_margin("Insgesamt"), is_margin("_T"), is_margin("T")
    (True, True, False)
    """
    words = label.lower().split()
    if label.lower() in _MARGINS:
        return True
    if len(words) != 2 or words[0] not in ("all", "total"):
        return False
    return words[1] in _EVERYBODY or words[1].rstrip("s") == name.lower().rstrip("s")


def levels_of(column: Column, label: str) -> tuple[str, ...] | None:
    """The levels of a column that a label stands for: one, or those in a band such as ``30-39``.

    ``None`` if nobody has such a level.

    Examples
    --------
    >>> from dalenius.people.schema import Kind, Role
    >>> age = Column("age", Role.PUBLIC, Kind.CATEGORICAL, ("28", "31", "35", "62"))
    >>> levels_of(age, "31"), levels_of(age, "30-39"), levels_of(age, "60+"), levels_of(age, "thirty")
    (('31',), ('31', '35'), ('62',), None)
    """
    if label in column.levels:
        return (label,)
    for same in (str.casefold, number_of):
        wanted = same(label)
        alike = tuple(level for level in column.levels if wanted is not None and same(level) == wanted)
        if len(alike) == 1:
            return alike
    numbers = [number_of(level) for level in column.levels]
    band = read_interval(label)
    if band is None or any(number is None for number in numbers):
        return None
    inside = [number is not None and band[0] <= number < band[1] + 1 for number in numbers]
    return tuple(level for level, within in zip(column.levels, inside, strict=True) if within) or None


def number_of(text: str) -> float | None:
    """Read a label as a number, if it is one."""
    try:
        return float(text)
    except ValueError:
        return None


def without_total(column: Column | None, label: str) -> str:
    """The level in ``f Total`` and ``Total f``, as pivot tables print a subtotal; other labels as they are.

    Examples
    --------
    >>> from dalenius.people.schema import Kind, Role
    >>> without_total(Column("sex", Role.PUBLIC, Kind.BINARY, ("f", "m")), "f Total")
    'f'
    """
    if column is None or levels_of(column, label) is not None or is_margin(label, column.name):
        return label
    first, _, rest = label.partition(" ")
    most, _, last = label.rpartition(" ")
    if last.lower() in _OF and levels_of(column, most) is not None:
        return most
    return rest if first.lower() in _OF and levels_of(column, rest) is not None else label


def fill(
    labels: Sequence[str], before: Sequence[str], margin: Callable[[int, str], bool]
) -> list[str] | None:
    """Fill in the labels that a line of a table leaves out, outermost first.

    What is left out before the first printed label is as in the line before. What is left out after it is a
    margin: under ``All`` there is no level, and the innermost label is never left out. ``None`` where a
    label is missing between two that are printed, so that it may be either.

    Examples
    --------
    >>> fill(["", "", "y"], ["f", "A", "x"], lambda j, label: label == "All")
    ['f', 'A', 'y']
    >>> fill(["All", "", ""], ["m", "B", "y"], lambda j, label: label == "All")
    ['All', '', '']
    """
    filled: list[str] = []
    printed, parted, open_ = False, False, False
    for j, label in enumerate(labels):
        if label:
            open_ |= parted
            printed = True
            filled.append(label)
        elif printed or j == len(labels) - 1:
            parted |= printed and not margin(j - 1, filled[-1]) and filled[-1] != ""
            filled.append("")
        else:
            filled.append(before[j])
    return None if open_ else filled


SECRET = ""
"""The dimension of the secret while its name is not known."""


@dataclass(frozen=True)
class HeaderRow:
    """A row of labels that run across: its row in the file, the name in its corner or above it, labels."""

    line: int
    name: str | None
    labels: list[str]

    @property
    def wanted(self) -> list[str]:
        """The labels that are no margins, each once."""
        return list(dict.fromkeys(label for label in self.labels if label and not is_margin(label)))


def names_of(known: dict[str, Column], secret: str | None) -> set[str]:
    """What a cell of a header may name."""
    return {*known, *([] if secret is None else [secret])}


def name_dimensions(
    rows: Sequence[HeaderRow], down: tuple[str, ...], known: dict[str, Column], secret: str | None, table: str
) -> tuple[list[str], tuple[str, ...]]:
    """Name the column of each row; and the public columns that a row taken for the secret's could be, too.

    Raises
    ------
    InputError
        If nothing is about the secret, or rows without names can be understood in more than one way.
    """
    named = {row.name for row in rows if row.name is not None}
    is_named = secret is not None and secret in (*down, *named)
    free = {name: column for name, column in known.items() if name not in {*down, *named}}
    ways = list(_ways(rows, free, is_named, SECRET if secret is None else secret))
    if not ways:
        raise _unfit(rows, down, free, table, is_named)
    way = ways[0]
    last = max((j for j, row in enumerate(rows) if row.name is None), default=None)
    # values of the secret stand innermost, as a rule; where they do not, labels alone are not enough
    if len(ways) > 1 or (not is_named and last is not None and way[last] in known):
        raise _ask(rows, ways, table)
    for row, name in zip(rows, way, strict=True):
        if row.name is None and name in known and _are_any_numbers(row.wanted, known[name]):
            raise InputError(
                f"{table}, row {row.line}, in the header,",
                "must say which column it is about",
                f"numbers, which {name!r} has too",
                "Write the name of the column in the first cell of that row.",
                value=", ".join(row.wanted),
            )
    if is_named:
        return way, ()
    labels = next(row.wanted for row, name in zip(rows, way, strict=True) if name not in known)
    values = [word for word, _ in map(split_unit, labels) if word]
    alike = [name for name, column in free.items() if name not in way and _fits(column, values)]
    return way, tuple(alike)


def _ways(
    rows: Sequence[HeaderRow], free: dict[str, Column], is_named: bool, secret: str
) -> Iterator[list[str]]:
    """Every way to understand the rows without names: one of them is the secret's, unless it is named."""
    unnamed = [j for j, row in enumerate(rows) if row.name is None]
    for own in [None] if is_named else unnamed:
        fits = [
            [row.name]
            if row.name is not None
            else [secret]
            if j == own
            else [name for name, column in free.items() if _fits(column, row.wanted)]
            for j, row in enumerate(rows)
        ]
        for way in itertools.islice(itertools.product(*fits), 100):
            if len(set(way)) == len(way):
                yield list(way)


def _are_any_numbers(labels: Sequence[str], column: Column) -> bool:
    """Whether labels are numbers that many a column has: not all levels of one that has three or more."""
    whole = len(labels) > 2 and {levels_of(column, label) for label in labels} == {
        (v,) for v in column.levels
    }
    return not whole and all(number_of(label) is not None for label in labels)


def _fits(column: Column, labels: Sequence[str]) -> bool:
    return bool(labels) and all(levels_of(column, label) is not None for label in labels)


def _ask(rows: Sequence[HeaderRow], ways: list[list[str]], table: str) -> InputError:
    differ = (j for j in range(len(rows)) if len({way[j] for way in ways}) > 1)
    j = next(differ, max(j for j, row in enumerate(rows) if row.name is None))
    could = dict.fromkeys(repr(way[j]) if way[j] else "the secret" for way in ways)
    return InputError(
        f"{table}, row {rows[j].line}, in the header,",
        "must say which column it is about",
        f"labels that fit {' and '.join(could)}",
        "Write the name of the column in the first cell of that row.",
        value=", ".join(rows[j].wanted),
    )


def _unfit(
    rows: Sequence[HeaderRow], down: tuple[str, ...], free: dict[str, Column], table: str, is_named: bool
) -> InputError:
    unnamed = [row for row in rows if row.name is None]
    if not is_named and not unnamed:
        names = [*down, *(row.name for row in rows if row.name)]
        return InputError(
            table,
            "must have the values of the secret across or down",
            f"only {', '.join(names)}",
            "Name the secret with --secret.",
        )
    lost = next((row for row in unnamed if not any(_fits(c, row.wanted) for c in free.values())), unnamed[0])
    return InputError(
        f"{table}, row {lost.line}, in the header,",
        "must say which column it is about",
        "labels that fit no public column",
        "Write the name of the column in the first cell of that row.",
        value=", ".join(lost.wanted),
    )
