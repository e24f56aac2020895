"""What the name and the shape of a column say about it: weights, households, names of people, dates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class ColumnSign(StrEnum):
    """What a column turned out to be, beyond numbers and words."""

    NONE = ""
    WEIGHT = "weight"
    HOUSEHOLD = "household"
    DATE = "date"


@dataclass(frozen=True)
class Shape:
    """What one pass over a column counted.

    Parameters
    ----------
    name
        Of the column.
    people, distinct, missing
        How many rows, different values and missing values.
    low, high
        The smallest and the largest value.
    numeric, whole
        Whether it holds numbers, and whole ones.
    dated
        Whether its type is that of dates.
    """

    name: str
    people: int
    distinct: int
    missing: int
    low: Any
    high: Any
    numeric: bool
    whole: bool
    dated: bool = False

    @property
    def known(self) -> int:
        """How many values are not missing."""
        return self.people - self.missing


_WEIGHTS = re.compile(
    r"(.*_)?(fnlwgt|pwgtp|wgtp|perwt|hhwt|asecwt|wtfinl|wtsupp|pweight|hweight|wgt|weights"
    r"|wt[a-z]+[0-9]+yr|(survey|sample|sampling|person|final|design|household)_?(weight|wt)|expansion_factor|hochrechnungsfaktor)"
    r"(_.*|[0-9]*)"
)
_PERHAPS = re.compile(r"weight|wt|w|gewicht|poids|peso|pond")
_HOUSEHOLD = re.compile(
    r"(household|house|hh|hld|dwelling|family|fam|haushalt)_?(id|no|nr|num|number|key|code|serial)|serialno|serial"
    r"|hhid|hid"
)
_PERHAPS_HOUSEHOLD = re.compile(r"household|house|hh|dwelling|family|haushalt")
_NAMES = re.compile(
    r"(.*[_ ])?(id|ids|key|uuid|guid|ssn|nino|pid|no|nr|num|number|serial|serialno|code|phone|zip|mrn)"
    r"([_ ].*|[0-9]*)"
    r"|(person|client|customer|patient|member|user|case|record|row|index)(id|no|nr|num|number|key)?"
)
_DATES = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}([ T].*)?|[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{4}|[0-9]{4}/[0-9]{2}/[0-9]{2}"
)

BODY = (25, 350)
"""Between which numbers a column that is just called "weight" holds those of bodies, in kilos or pounds."""

MOST_IN_HOUSEHOLD = 12
"""People that share a household's number on average, at most."""

SIZES = 20
"""So many different values has a column that is just called "household" if it holds sizes, at most."""


def sign_of(shape: Shape) -> ColumnSign:
    """Say what a column is by its name and its shape together.

    Examples
    --------
    >>> str(sign_of(Shape("PWGTP", 900, distinct=300, missing=0, low=1, high=800, numeric=True, whole=True)))
    'weight'
    >>> str(sign_of(Shape("WTINT2YR", 90, distinct=80, missing=0, low=9, high=99, numeric=True, whole=False)))
    'weight'
    >>> str(sign_of(Shape("household", 90, distinct=40, missing=0, low=1, high=40, numeric=True, whole=True)))
    'household'
    """
    name = shape.name.casefold()
    if shape.dated or (isinstance(shape.low, str) and _is_date(shape.low) and _is_date(shape.high)):
        return ColumnSign.DATE
    amounts = shape.numeric and shape.distinct > 2 and shape.low >= 0
    of_bodies = amounts and BODY[0] <= shape.low and shape.high <= BODY[1]
    if amounts and (_WEIGHTS.fullmatch(name) or (_PERHAPS.fullmatch(name) and not of_bodies)):
        return ColumnSign.WEIGHT
    shared = shape.known / max(1, shape.distinct)
    named = _HOUSEHOLD.fullmatch(name) or (_PERHAPS_HOUSEHOLD.fullmatch(name) and shape.distinct > SIZES)
    if named and 1 < shared <= MOST_IN_HOUSEHOLD:
        return ColumnSign.HOUSEHOLD
    return ColumnSign.NONE


def names_people(shape: Shape) -> bool:
    """Whether whole numbers that are nearly all different are names rather than amounts.

    They are if the column is called so, if they are consecutive, or if all have as many digits.

    Examples
    --------
    >>> def column(name, low, high):
    ...     return Shape(name, 1000, 990, 0, low, high, numeric=True, whole=True)
    >>> names_people(column("income", 900, 91_000)), names_people(column("client_no", 900, 91_000))
    (False, True)
    """
    if _NAMES.fullmatch(shape.name.casefold()):
        return True
    dense = shape.high - shape.low < 1.2 * shape.people
    return bool(dense or (shape.low > 0 and len(str(int(shape.low))) == len(str(int(shape.high))) > 4))


def _is_date(text: str) -> bool:
    return _DATES.fullmatch(text.strip()) is not None
