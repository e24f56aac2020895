"""What a generalised cell of a released table says about the original value.

The first rule that fits wins:

1. a raw value of the column                     the value itself
2. only ``*``; nothing, if nobody's is missing   everything
3. ``{a, b, c}``; ``a, b`` of raw values         one of these
4. ``[a, b]`` ``(a, b)`` ``[a, b[`` ``]a; b]``   between; ``[`` left and ``]`` right hold their end
5. ``a-b`` ``a–b`` ``a..b`` ``a:b``              between, with both ends
6. ``>=a`` ``>a`` ``<=a`` ``<a`` ``≥a`` ``≤a``   above, below
7. ``4781*``                                     of this form, ``*`` is one character
8. a label of the hierarchy                      one of the leaves below it
9. anything else                                 the value itself
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from dalenius.attacks.singling_out.label_tree import LabelTree
from dalenius.errors import InputError
from dalenius.records.leaves import Between, Closed, Equals, In, Like, OfColumn
from dalenius.records.row_columns import NumberColumn, RowColumn, TextColumn, number, read_number
from dalenius.records.schema import MISSING

GRAMMAR = (
    "A cell is a raw value, * (everything), {a, b}, an interval such as [20, 30[ or (20, 30], a range like "
    "20-29 or 20..29, a comparison such as >=90, a mask such as 913** (one * a character) or a label of a "
    "hierarchy."
)

_FEW = 5

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\s*(?:-|–|\.\.|:)\s*({_NUMBER})")
_DATES = re.compile(r"(\d{4}-\d{2}-\d{2}\S*?)\s*(?:–|\.\.|\s-\s)\s*(\d{4}-\d{2}-\d{2}\S*)")
_BRACKETS = re.compile(r"([\[\](])\s*(.*?)\s*([\[\])])", re.DOTALL)
_COMPARISON = re.compile(r"(>=|<=|>|<|≥|≤)\s*(\S.*)")
_OPEN_ENDS = ("", "inf", "+inf", "-inf", "∞", "+∞", "-∞")


@dataclass(frozen=True, eq=False)
class Domain:
    """What is known of a column besides the release: values it may have, and a hierarchy.

    Parameters
    ----------
    column
        Its name.
    values
        A column of other people, such as the population's; ``None`` if there is none.
    hierarchy
        How its values are generalised; ``None`` if that is not known.
    """

    column: str
    values: RowColumn | None = None
    hierarchy: LabelTree | None = None

    @cached_property
    def may_miss(self) -> bool:
        """Whether somebody's value may be missing; where nobody's is, an empty cell was suppressed."""
        return self.values is not None and bool(self.values.missing.any())

    def is_raw(self, text: str) -> bool:
        """Whether a text is a value that somebody may have."""
        if isinstance(self.values, TextColumn) and text in self.values.labels.code_of:
            return True
        if isinstance(self.values, NumberColumn) and not math.isnan(self.values.number(text)):
            return True
        return self.hierarchy is not None and text in self.hierarchy.labels

    def number(self, text: str) -> float:
        """Read an end of an interval; a date becomes its place in time."""
        if isinstance(self.values, NumberColumn):
            return self.values.number(text)
        value = number(text)
        return read_number(text, "date") if math.isnan(value) else value


def parse_cell(text: str, domain: Domain, level: int | None = None) -> OfColumn | None:
    """Read one cell; ``None`` is everything.

    Parameters
    ----------
    text
        The cell.
    domain
        What is known of its column.
    level
        The level of the hierarchy that the whole column was recoded to, if it was.

    Examples
    --------
    >>> parse_cell("[20, 30[", Domain("age"))
    Between(column='age', low=20.0, high=30.0, closed='left')
    >>> parse_cell("4781*", Domain("zip"))
    Like(column='zip', mask='4781*', longer=False)
    """
    cell = text.strip()
    if domain.is_raw(cell):
        return Equals(domain.column, cell)
    if cell in ("", MISSING):
        return Equals(domain.column, MISSING) if domain.may_miss else None
    if not cell.strip("*"):
        return None
    for rule in (_set, _interval, _range, _comparison, _mask):
        leaf = rule(cell, domain)
        if leaf is not None:
            return leaf
    if domain.hierarchy is not None and domain.hierarchy.knows(cell):
        return In(domain.column, domain.hierarchy.leaves_below(cell, level))
    if cell[0] in "{[](<>≤≥" or cell[-1] in "}[]":
        raise InputError(
            f"cell {text!r} of column {domain.column!r}", "must be readable", repr(text), GRAMMAR
        )
    return Equals(domain.column, cell)


def parse_cells(texts: Sequence[str], domain: Domain) -> tuple[OfColumn | None, ...]:
    """Read all different cells of a column; those that cannot be read are named together."""
    level = None if domain.hierarchy is None else domain.hierarchy.common_level(texts)
    leaves: list[OfColumn | None] = []
    bad: list[str] = []
    for text in texts:
        try:
            leaves.append(parse_cell(text, domain, level))
        except InputError:
            bad.append(text)
    if bad:
        more = f" and {len(bad) - _FEW} more" if len(bad) > _FEW else ""
        raise InputError(
            f"cells of column {domain.column!r}",
            "must be readable",
            ", ".join(map(repr, bad[:_FEW])) + more,
            GRAMMAR,
        )
    return tuple(leaves)


def _set(cell: str, domain: Domain) -> OfColumn | None:
    if cell[0] == "{" and cell[-1] == "}":
        parts = tuple(part.strip() for part in cell[1:-1].split(","))
        return In(domain.column, parts) if all(parts) else None
    parts = tuple(part.strip() for part in cell.split(","))
    if len(parts) > 1 and all(domain.is_raw(part) for part in parts):
        return In(domain.column, parts)
    return None


def _interval(cell: str, domain: Domain) -> OfColumn | None:
    found = _BRACKETS.fullmatch(cell)
    if found is None:
        return None
    left, inner, right = found.groups()
    for separator in (";", ","):
        low, split, high = inner.partition(separator)
        if split:
            break
    else:
        inside = _RANGE.fullmatch(inner)
        if inside is None:
            return None
        low, high = inside.groups()
    return _between(domain, low.strip(), high.strip(), with_low=left == "[", with_high=right == "]")


def _range(cell: str, domain: Domain) -> OfColumn | None:
    found = _RANGE.fullmatch(cell) or _DATES.fullmatch(cell)
    return None if found is None else _between(domain, *found.groups(), with_low=True, with_high=True)


def _comparison(cell: str, domain: Domain) -> OfColumn | None:
    found = _COMPARISON.fullmatch(cell)
    if found is None:
        return None
    sign, end = found.groups()
    held = sign in (">=", "<=", "≥", "≤")
    low, high = (end, "") if sign in (">=", ">", "≥") else ("", end)
    return _between(domain, low, high, with_low=held, with_high=held)


def _mask(cell: str, domain: Domain) -> OfColumn | None:
    return Like(domain.column, cell) if "*" in cell else None


def _between(domain: Domain, low: str, high: str, *, with_low: bool, with_high: bool) -> Between | None:
    ends = []
    for text in (low, high):
        value = None if text.lower() in _OPEN_ENDS else domain.number(text)
        if value is not None and math.isnan(value):
            return None
        ends.append(value)
    start, stop = ends
    if start is not None and stop is not None and start > stop:
        return None
    return Between(domain.column, start, stop, _CLOSED[with_low, with_high])


_CLOSED: dict[tuple[bool, bool], Closed] = {
    (True, True): "both",
    (True, False): "left",
    (False, True): "right",
    (False, False): "neither",
}
