"""What a findings file may hold: JSON that every reader takes."""

from __future__ import annotations

import json
import math

from dalenius.findings.measure import Plain, dump


class Anything(Plain):
    """A document whose values nobody checked."""

    found: dict[str, object]


def test_what_is_no_number_is_null() -> None:
    def refuse(word: str) -> None:
        raise AssertionError(word)

    found = Anything(found={"area": math.nan, "odds": [math.inf, 2.0]})
    text = dump(found)
    assert json.loads(text, parse_constant=refuse) == {"found": {"area": None, "odds": [None, 2.0]}}
