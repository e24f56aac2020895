"""What a generalised cell of a released table says about the original value.

The first rule that fits wins, so a text that is a raw value of the column always means that value:

1. a raw value of the column                     the value itself
2. only ``*``; nothing, if nobody's is missing   everything
3. ``{a, b, c}``; ``a, b`` of raw values         one of these
4. ``[a, b]`` ``(a, b)`` ``[a, b[`` ``]a; b]``   between; ``[`` left and ``]`` right hold their end
5. ``a-b`` ``a–b`` ``a..b`` ``a:b``              between, with both ends; of dates also ``a/b``; a code such
                                                 as 25-00703, by its zeros, is the value itself
6. ``>=a`` ``>a`` ``<=a`` ``<a`` ``≥a`` ``90+``  above, below
7. ``4781*``                                     of this form, ``*`` is one character
8. a label of the hierarchy                      one of the leaves below it
9. anything else                                 the value itself

Raw values are those of the population or the holdout and the leaves of the hierarchy. Where tools differ:

- ``a,b`` without a blank (anonypyx) is also a set if some part is a raw value, or if no raw values are known.
- Two rising numbers ``28,53`` are a range if no cell of the column lists three (some Mondrians write so): the
  range holds the set, so a class can come out too large, never too small.
- ``NA`` and the like (sdcMicro's suppression) are nothing. In a column of dates ``1970`` and ``1970-06`` are
  all days of the year and the month, also as ends.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from dalenius.conditions.leaves import Between, Equals, In, Like, OfColumn
from dalenius.errors import InputError
from dalenius.people.rows.columns import NumberColumn, NumberKind, RowColumn, TextColumn, number
from dalenius.people.schema import MISSING
from dalenius.release.rows.labels import LabelTree, between, is_period

GRAMMAR = (
    "A cell is a raw value, * (everything), {a, b}, an interval such as [20, 30[ or (20, 30], a range like "
    "20-29 or 20..29, a comparison such as >=90, a mask such as 913** (one * a character) or a label of a "
    "hierarchy."
)

_NOTHING = ("", MISSING, "NA", "<NA>", "NaN", "nan", "NaT", "None", "null", "NULL")
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_DATE = r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?"
_RANGE = re.compile(rf"({_NUMBER})\s*(?:-|–|\.\.|:)\s*({_NUMBER})")
_DATES = re.compile(rf"({_DATE})\s*(?:-|–|\.\.|/)\s*({_DATE})")
_PERIODS = re.compile(r"(\d{4}(?:-\d{2})?)\s*(?:–|\.\.|/|\s-\s)\s*(\d{4}(?:-\d{2})?)|(\d{4})-(\d{4})")
_BRACKETS = re.compile(r"([\[\](])\s*(.*?)\s*([\[\])])", re.DOTALL)
_COMPARISON = re.compile(r"(>=|<=|>|<|≥|≤)\s*(\S.*)")
_AND_MORE = re.compile(rf"({_NUMBER})\s*\+")


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

    @property
    def known(self) -> bool:
        """Whether raw values are known at all."""
        return self.values is not None or self.hierarchy is not None

    @property
    def kind(self) -> NumberKind | None:
        """What the column holds if it holds numbers."""
        return self.values.kind if isinstance(self.values, NumberColumn) else None

    def is_raw(self, text: str) -> bool:
        """Whether a text is a value that somebody may have."""
        if isinstance(self.values, TextColumn) and text in self.values.labels.code_of:
            return True
        if isinstance(self.values, NumberColumn) and not math.isnan(self.values.number(text)):
            return True
        return self.hierarchy is not None and text in self.hierarchy.labels


def parse_cell(
    text: str, domain: Domain, level: int | None = None, *, pairs: bool = False
) -> OfColumn | None:
    """Read one cell; ``None`` is everything.

    Parameters
    ----------
    text
        The cell.
    domain
        What is known of its column.
    level
        The level of the hierarchy that the whole column was recoded to, if it was.
    pairs
        Whether two numbers with a comma are the ends of a range, see `parse_cells`.

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
    if cell in _NOTHING:
        return Equals(domain.column, MISSING) if domain.may_miss else None
    if not cell.strip("*"):
        return None
    if pairs and _is_pair(cell):
        return _between(domain, *cell.split(","), with_low=True, with_high=True)
    for rule in (_set, _interval, _range, _comparison, _mask):
        leaf = rule(cell, domain)
        if leaf is not None:
            return leaf
    if domain.hierarchy is not None and domain.hierarchy.knows(cell):
        return In(domain.column, domain.hierarchy.leaves_below(cell, level))
    if cell[0] in "{[](<>≤≥" or cell[-1] in "}[]":
        raise InputError(f"cell of column {domain.column!r}", "must be readable", "one that is not", GRAMMAR)
    return Equals(domain.column, cell)


def parse_cells(texts: Sequence[str], domain: Domain) -> tuple[OfColumn | None, ...]:
    """Read all different cells of a column; those that cannot be read are counted.

    Examples
    --------
    >>> parse_cells(["28,53"], Domain("age"))[0] == parse_cell("28-53", Domain("age"))
    True
    >>> parse_cells(["28,53", "28,31,53"], Domain("age"))[0]
    In(column='age', levels=('28', '53'))
    """
    level = None if domain.hierarchy is None else domain.hierarchy.common_level(texts)
    pairs = _writes_pairs(texts, domain)
    leaves: list[OfColumn | None] = []
    bad: list[str] = []
    for text in texts:
        try:
            leaves.append(parse_cell(text, domain, level, pairs=pairs))
        except InputError:
            bad.append(text)
    if bad:
        got = f"{len(bad):,} of {len(texts):,} different ones that are not"
        raise InputError(f"cells of column {domain.column!r}", "must be readable", got, GRAMMAR)
    return tuple(leaves)


def _writes_pairs(texts: Sequence[str], domain: Domain) -> bool:
    """Whether every list of the column is two rising numbers; labels that look like numbers are listed."""
    if isinstance(domain.values, TextColumn) or domain.hierarchy is not None:
        return False
    lists = [text for text in texts if "," in text and text.strip()[0] not in "{[]("]
    return bool(lists) and all(map(_is_pair, lists))


def _is_pair(cell: str) -> bool:
    ends = [number(part) for part in cell.split(",")]
    return len(ends) == 2 and ends[0] < ends[1]


def _set(cell: str, domain: Domain) -> OfColumn | None:
    if cell[0] == "{" and cell[-1] == "}":
        parts = tuple(part.strip() for part in cell[1:-1].split(","))
        return In(domain.column, parts) if all(parts) else None
    if "," not in cell or cell[0] in "[](":
        return None
    trimmed = tuple(part.strip() for part in cell.split(","))
    listed = trimmed if all(map(domain.is_raw, trimmed)) else _joined_parts(cell.split(","), domain)
    return None if listed is None else In(domain.column, listed)


def _joined_parts(parts: Sequence[str], domain: Domain) -> tuple[str, ...] | None:
    """The values of a list some of which hold commas themselves, or are nobody's whom we know."""
    found: list[str] = []
    raw = at = 0
    while at < len(parts):
        for stop in range(len(parts), at, -1):
            value = ",".join(parts[at:stop]).strip()
            if domain.is_raw(value):
                raw += 1
                break
        else:
            stop, value = at + 1, parts[at]
        found.append(value)
        at = stop
    if len(found) < 2 or not all(found):
        return None
    blanks = any(part != part.strip() for part in parts)
    doubtful = raw < len(found) and (blanks or (domain.known and not raw))
    return None if doubtful else tuple(found)


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
    if domain.kind == "date":
        periods = _PERIODS.fullmatch(cell)
        ends = [end for end in periods.groups() if end] if periods else [cell, cell]
        if all(is_period(end, "date") for end in ends):
            return _between(domain, *ends, with_low=True, with_high=True)
    found = _RANGE.fullmatch(cell) or _DATES.fullmatch(cell)
    if found is not None and _is_code(*found.groups()):
        return None
    return None if found is None else _between(domain, *found.groups(), with_low=True, with_high=True)


def _is_code(low: str, high: str) -> bool:
    """Whether two numbers with a dash are a code: 00-04 are years of age, 25-00703 is an area.

    Examples
    --------
    >>> _is_code("25", "00703"), _is_code("00", "04"), _is_code("0.5", "10")
    (True, False, False)
    """
    return len(low) != len(high) and any(re.match(r"0\d", end) for end in (low, high))


def _comparison(cell: str, domain: Domain) -> OfColumn | None:
    more = _AND_MORE.fullmatch(cell)
    if more is not None:
        return _between(domain, more[1], "", with_low=True, with_high=False)
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
    return between(domain.column, low, high, with_low=with_low, with_high=with_high, kind=domain.kind)
