"""What the labels of a printed table mean: a level, a band, a margin; and where one is left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dalenius.people.schema import Column
from dalenius.statistics.printed_cell import read_interval

_MARGINS = frozenset({"total", "totals", "all", "sum", "overall", "everybody", "everyone", "any", "(all)"})
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
