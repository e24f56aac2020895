"""What the numbers of a printed table are, by the head of their column: counts, means, medians, shares."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from dalenius.printed.units import COUNTS, unit_of

Kind = Literal["count", "sum", "mean", "median", "share"]

_OF = r"\s+(?:of\s+)?(?P<column>.+)"
_FORMS: dict[Kind, re.Pattern[str]] = {
    "mean": re.compile(rf"(?:mean|average|avg\.?){_OF}", re.IGNORECASE),
    "median": re.compile(rf"median{_OF}", re.IGNORECASE),
    "sum": re.compile(rf"(?:sum|total){_OF}", re.IGNORECASE),
}
_SHARE = re.compile(r"(?P<unit>.+?)(?:\s+of\s+(?P<columns>.+))?", re.IGNORECASE)


@dataclass(frozen=True)
class PrintedMeasure:
    """What a number is: of which column, or a share of the people alike in some columns.

    ``of`` is ``None`` where a share does not say of whom; ``per`` is of how many it is, 100 for percentages.
    """

    kind: Kind
    of: tuple[str, ...] | None = ()
    per: float = 0.0


COUNT = PrintedMeasure("count")


def parse_measure(text: str) -> PrintedMeasure | None:
    """Read the head of a column of numbers; ``None`` if it is one of labels.

    Examples
    --------
    >>> parse_measure("count").kind, parse_measure("mean age"), parse_measure("block")
    ('count', PrintedMeasure(kind='mean', of=('age',), per=0.0), None)
    >>> parse_measure("percent of block and sex").of, parse_measure("%").of, parse_measure("% of all").of
    (('block', 'sex'), None, ())
    """
    text = " ".join(text.split())
    if text.lower() in COUNTS:
        return COUNT
    for kind, form in _FORMS.items():
        found = form.fullmatch(text)
        if found is not None:
            own = found["column"]
            return COUNT if own.lower() in COUNTS else PrintedMeasure(kind, (own,))
    found = _SHARE.fullmatch(text)
    per = None if found is None else unit_of(found["unit"])
    if found is None or per is None:
        return None
    return PrintedMeasure("share", None if found["columns"] is None else split_columns(found["columns"]), per)


def split_columns(text: str) -> tuple[str, ...]:
    """Read ``block and sex`` or ``block,sex``: whom a share is of; ``all`` is everybody.

    Examples
    --------
    >>> split_columns("block and sex"), split_columns("block,sex"), split_columns("all")
    (('block', 'sex'), ('block', 'sex'), ())
    """
    if text.strip().lower() in ("all", "total", "everybody"):
        return ()
    return tuple(part for part in (each.strip() for each in re.split(r",|\band\b", text)) if part)


def split_head(header: list[str]) -> tuple[list[str], list[PrintedMeasure]]:
    """Part the columns of labels from those of numbers, which come last; counts are one of them.

    Examples
    --------
    >>> split_head(["sex", "count", "mean age"])[0], split_head(["sex", "number", "count"])[0]
    (['sex'], ['sex', 'number'])
    """
    found: list[PrintedMeasure] = []
    for text in reversed(header):
        measure = parse_measure(text)
        if measure is None or measure in found:
            break
        found.append(measure)
    return header[: len(header) - len(found)], found[::-1]
