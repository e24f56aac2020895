"""One cell as it is printed: a number, a share, ``<5``, ``100+``, or a mark in place of a hidden one."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

HIDDEN = frozenset(
    {"", "*", "**", "***", "c", "(c)", "[c]", "s", "(s)", "x", "(x)", "[x]", ".", "..", "...", ":"}
)
"""Marks of a cell that was suppressed."""

UNSAID = frozenset({"-", "–", "—", "n/a", "na", "nan", "#n/a", "#div/0!"})
"""Marks that mean zero in one office and hidden in another, or nothing: nothing is concluded from them."""

DIGITS = ("rounded", "truncated")
"""What may be said of the last digit: rounded, or the others cut off."""

SIGNS = {"%": 100.0, "‰": 1000.0}
"""Signs that make a number a share, and of how many it then is."""

_SPACE = r"\s\u00a0\u202f'’"
_POINT = re.compile(rf"[+-]?(\d+|\d{{1,3}}([,{_SPACE}]\d{{3}})+)?(\.\d*)?(e[+-]?\d{{1,2}})?")
_COMMA = re.compile(rf"[+-]?(\d+|\d{{1,3}}([.{_SPACE}]\d{{3}})+)?(,\d*)?(e[+-]?\d{{1,2}})?")
_SURELY_COMMA = re.compile(
    rf"[+-]?(\d+,(\d{{1,2}}|\d{{4,}})|0\d*,\d+|\d{{4,}},\d*|\d{{1,3}}([.{_SPACE}]\d{{3}})+,\d*)(e[+-]?\d{{1,2}})?"
)
_SURELY_POINT = re.compile(
    rf"[+-]?(\d*\.(\d{{1,2}}|\d{{4,}})|0\d*\.\d+|\d{{4,}}\.\d*|\d{{1,3}}([,{_SPACE}]\d{{3}})+\.\d*|\d+\.)(e[+-]?\d{{1,2}})?"
)
_EITHER = re.compile(r"[+-]?\d{1,3},\d{3}")
_BELOW = re.compile(r"(<=|≤|<|under|below|less than|fewer than|at most|up to)\s*(\d{1,15})")
_ABOVE = re.compile(r"(>=|≥|>|over|above|more than|at least)\s*(\d{1,15})")
_OPEN = re.compile(r"(\d{1,15})\s*(\+|and over|or more|and more|and above|or over)")
_RANGE = re.compile(r"(\d{1,15})\s*(?:-|–|—|to|\.\.)\s*(\d{1,15})")
_PAIR = re.compile(r"(?P<count>[^()\[\]]+)[(\[](?P<share>[^()\[\]]+)[)\]]")
_NOT_THE_LIMIT = ("<", ">", "under", "below", "less than", "fewer than", "over", "above", "more than")


@dataclass(frozen=True)
class Printed:
    """What one cell says.

    Parameters
    ----------
    number
        The number in it, not a number where there is none.
    low, high
        What the text says about the true count without a number, such as 0 and 4 for ``<5``.
    unit
        What its last digit counts: 1 for ``12``, 0.01 for ``12.30``, 10 for ``1.2e2``.
    shown
        What the last digit counts that is no zero after the point: 0.1 for ``12.30``. A program prints 33.0
        for what was rounded to 33, so a number is not more exact than the finest of its column.
    per
        Of how many a share is: 100 for a percentage, 1 for a fraction; 0 for a count.
    said
        Whether the cell says anything, be it only that it is hidden.
    blank
        Whether there is nothing in it at all.
    digits
        What is said of the last digit, see `DIGITS`; without a word it may be either.
    """

    number: float = math.nan
    low: float = -math.inf
    high: float = math.inf
    unit: float = 1.0
    shown: float = 1.0
    per: float = 0.0
    said: bool = True
    blank: bool = False
    digits: str | None = None

    @property
    def down(self) -> float:
        """How far what was printed may be below the number."""
        return self._cut(self.number <= 0)

    @property
    def up(self) -> float:
        """How far what was printed may be above the number."""
        return self._cut(self.number >= 0)

    def _cut(self, outwards: bool) -> float:
        last = max(self.unit, self.shown)
        if self.digits == "truncated":
            return last if outwards else 0.0
        return last if self.digits is None and outwards else last / 2

    def holds(self, number: float, slack: float = 0.0) -> bool:
        """Whether this number may be printed so.

        Examples
        --------
        >>> [Printed(33.3, unit=0.1, shown=0.1, digits=said).holds(33.39) for said in (*DIGITS, None)]
        [False, True, True]
        """
        return self.number - self.down - slack <= number <= self.number + self.up + slack


def split_pair(text: str) -> tuple[str, str] | None:
    """Part a count from the share that stands in brackets behind it; ``None`` if that is not there.

    Examples
    --------
    >>> split_pair("12 (3.4%)"), split_pair("* (*)"), split_pair("12 (3.4)"), split_pair("(c)")
    (('12', '3.4%'), ('*', '*'), None, None)
    """
    found = _PAIR.fullmatch(text.strip())
    if found is None:
        return None
    count, share = found["count"].strip(), found["share"].strip()
    mark = share.rstrip("% ")
    if count.lower() in HIDDEN and mark.lower() in HIDDEN:
        return count, mark
    return (count, share) if share[-1:] in SIGNS and count[-1:] not in SIGNS else None


def read_cell(text: str, *, per: float = 0.0, comma: bool = False) -> Printed | None:
    """Read one cell; ``None`` if it cannot be read.

    Parameters
    ----------
    text
        What is printed.
    per
        Of how many a number without a sign is; 0 for counts.
    comma
        Whether decimals stand after a comma.

    Examples
    --------
    >>> read_cell("1,204").number, read_cell("12.50 %").unit, read_cell("<5").high
    (1204.0, 0.01, 4.0)
    >>> read_cell("12,5", per=100, comma=True).number, read_cell("1.2e+02").unit
    (12.5, 10.0)
    >>> read_cell("*").number, read_cell("see note") is None, read_cell("1" + 400 * "0") is None
    (nan, True, True)
    """
    text = " ".join(text.split()).lower()
    if text in HIDDEN:
        return Printed(per=per, blank=not text)
    if text in UNSAID:
        return Printed(per=per, said=False)
    sign = SIGNS.get(text[-1])
    bare = text[:-1].strip() if sign else text
    if any(map(str.isdigit, bare)) and (_COMMA if comma else _POINT).fullmatch(bare):
        thousands, point = ("." if comma else ","), ("," if comma else ".")
        plain = re.sub(rf"[{_SPACE}{thousands}]", "", bare).replace(point, ".")
        if math.isinf(float(plain)):
            return None
        digits, _, power = plain.partition("e")
        decimals = digits.partition(".")[2]
        unit, shown = (10.0 ** (int(power or 0) - len(d)) for d in (decimals, decimals.rstrip("0")))
        return Printed(float(plain), unit=unit, shown=shown, per=sign or per)
    interval = read_interval(bare)
    if interval is None:
        return None
    if sign or per:  # a range of shares, or of counts among them: it is not said
        return Printed(per=sign or per, said=False)
    return Printed(low=max(interval[0], 0.0), high=interval[1])


def decimal_comma(texts: Iterable[str], *, shares: bool = False) -> bool | None:
    """Whether numbers have a comma before their decimals; ``None`` if some have and some have a point.

    ``1,204`` alone is a thousand and more, unless it is a share; beside ``0,5`` it is a little over one.

    Examples
    --------
    >>> decimal_comma(["12,5", "1,204"]), decimal_comma(["1,204", "7"]), decimal_comma(["0,5", "0.5"])
    (True, False, None)
    >>> decimal_comma(["33,333", "66,667"], shares=True)
    True
    """
    bare = [text.strip().lower().rstrip("%‰ ") for text in texts]
    comma = any(_SURELY_COMMA.fullmatch(text) for text in bare)
    point = any(_SURELY_POINT.fullmatch(text) for text in bare)
    if not comma and not point:
        return shares and any(_EITHER.fullmatch(text) for text in bare)
    return None if comma and point else comma


def read_interval(text: str) -> tuple[float, float] | None:
    """Read whole numbers as people write them; ``None`` if the text is no interval.

    Examples
    --------
    >>> read_interval("30-39"), read_interval("60+"), read_interval("under 5")
    ((30.0, 39.0), (60.0, inf), (-inf, 4.0))
    """
    text = " ".join(text.split()).lower()
    if found := _BELOW.fullmatch(text):
        return -math.inf, float(int(found[2]) - (found[1] in _NOT_THE_LIMIT))
    if found := _ABOVE.fullmatch(text):
        return float(int(found[2]) + (found[1] in _NOT_THE_LIMIT)), math.inf
    if found := _OPEN.fullmatch(text):
        return float(found[1]), math.inf
    if (found := _RANGE.fullmatch(text)) and int(found[1]) <= int(found[2]):
        return float(found[1]), float(found[2])
    return None
