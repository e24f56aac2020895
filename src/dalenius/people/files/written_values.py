r"""What a column of written values is: CSV has no types, so all values of a column decide together.

A column is whole numbers, numbers, truth values, dates or text, in this order, if all of its values can be
read so. Numbers with leading zeros are text (a postal code ``01234`` is not 1234). An empty value is missing;
so are the marks that programs write for it (``NA``, ``null``), unless the column is text. Where fields are
not separated by commas, numbers may have a decimal comma; ``1,234`` alone may be a thousand, so that some
number of the file must show that commas are decimal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

MARKS = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")
"""What programs write where a number, a date or a truth value is missing."""

_WHOLE = r"(0|[1-9][0-9]{0,17})"
_BLANK = r"[ \t]*"


class WrittenKind(StrEnum):
    """What the values of a column of text can be read as."""

    WHOLE = "whole numbers"
    REAL = "numbers"
    COMMA = "numbers with a decimal comma"
    TRUTH = "truth values"
    DATE = "dates"
    TEXT = "text"


PATTERNS: Mapping[WrittenKind, str] = {
    WrittenKind.WHOLE: rf"^{_BLANK}-?{_WHOLE}{_BLANK}$",
    WrittenKind.REAL: rf"^{_BLANK}-?({_WHOLE}(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?{_BLANK}$",
    WrittenKind.COMMA: rf"^{_BLANK}-?{_WHOLE}(,[0-9]+)?([eE][+-]?[0-9]+)?{_BLANK}$",
    WrittenKind.TRUTH: r"^(true|false|True|False|TRUE|FALSE)$",
    WrittenKind.DATE: r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?)?$",
}
"""What every value of a column must look like, for the reader of regular expressions RE2."""

CLEARLY_COMMA = r",([0-9]{1,2}|[0-9]{4,})([eE][+-]?[0-9]+)?[ \t]*$"
"""A number whose comma cannot separate thousands."""


class Look:
    """What the values of a column look like, as far as they were seen."""

    def __init__(self) -> None:
        self.fits = list(PATTERNS)
        """The patterns that all values have, in order; nothing was seen that is not missing: all."""
        self.seen = False
        self.clear = False
        """Whether a number has a comma that cannot separate thousands."""
        self.plain = True
        """Whether every number can be read as it stands: without marks, blanks and decimal commas."""

    def at(self, values: Any) -> Look:
        """Look at further values, an Arrow array of text."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.fits and len(values) and values[0].is_valid and values[0].as_py() not in MARKS:
            # most columns of text are told by their first value
            self.fits = [kind for kind in self.fits if _all_match(values[:1], PATTERNS[kind])]
        if not self.fits:
            return self
        levels = pc.unique(values).drop_null()
        known = levels.filter(pc.invert(pc.is_in(levels, pa.array(MARKS, pa.string()))))
        self.plain &= len(known) == len(levels)
        if len(known):
            self.seen = True
            self.fits = [kind for kind in self.fits if _all_match(known, PATTERNS[kind])]
        if self.fits and len(known):
            self.plain &= not pc.any(pc.match_substring_regex(known, "[ \t,]")).as_py()
        if WrittenKind.COMMA in self.fits and len(known):
            self.clear |= bool(pc.any(pc.match_substring_regex(known, CLEARLY_COMMA)).as_py())
        return self


def _all_match(values: Any, shape: str) -> bool:
    import pyarrow.compute as pc

    return bool(pc.all(pc.match_substring_regex(values, shape)).as_py())


def decide(looks: Sequence[Look], delimiter: str) -> tuple[WrittenKind, ...]:
    """Say what each column of a file is, given what its values look like.

    Examples
    --------
    >>> import pyarrow as pa
    >>> one, two = Look().at(pa.array(["1,5", "2"])), Look().at(pa.array(["1,234", "NA"]))
    >>> [str(kind) for kind in decide([one, two], ";")], [str(kind) for kind in decide([two], ";")]
    (['numbers with a decimal comma', 'numbers with a decimal comma'], ['text'])
    """
    decimal = delimiter != "," and any(look.clear and WrittenKind.COMMA in look.fits for look in looks)
    known = [kind for kind in WrittenKind if kind is not WrittenKind.COMMA or decimal]
    return tuple(
        next((kind for kind in known if look.seen and kind in look.fits), WrittenKind.TEXT) for look in looks
    )


def meaning(levels: Any, kind: WrittenKind) -> Any:
    """Read the different values of a column as what they are; None if one is no such day."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if kind is WrittenKind.TEXT:
        return levels
    absent = pc.is_in(levels, pa.array(MARKS, pa.string()))
    known = pc.utf8_trim(pc.replace_with_mask(levels, absent, pa.scalar(None, pa.string())), " \t")
    if kind is WrittenKind.COMMA:
        known = pc.replace_substring(known, ",", ".")
    types = {
        WrittenKind.WHOLE: pa.int64(),
        WrittenKind.TRUTH: pa.bool_(),
        WrittenKind.DATE: pa.timestamp("us"),
    }
    try:
        return known.cast(types.get(kind, pa.float64()))
    except pa.ArrowInvalid:
        return None
