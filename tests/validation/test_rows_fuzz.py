"""A hundredth of ``validation/rows_fuzz.py``, and a lie that it finds."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius.reconstruction.of_plan import rows
from dalenius.reconstruction.referee.made_as_stated import MadeAgain
from validation import rows_fuzz


def test_nobody_is_certain_of_what_is_not_so(tmp_path: Path) -> None:
    seen: Counter[str] = Counter()
    for seed in (1, 2, 3):
        rows_fuzz.compare(tmp_path, seed, seen)
    assert seen["certain"] > 20
    assert seen["wrong"] == 0


def test_secrets_of_other_people_are_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: two values stand for each other in the rows."""
    made = rows._secrets_of

    def swapped(*asked: Any) -> np.ndarray:
        values = made(*asked)
        return np.where((values == 0) | (values == 1), 1 - values, values)

    monkeypatch.setattr(rows, "_secrets_of", swapped)
    honest: Counter[str] = Counter()
    rows_fuzz.compare(tmp_path, 4, honest)
    assert honest["attacked"] == 0, "the data do not give them"
    monkeypatch.setattr(rows, "try_again", lambda *asked, **how: MadeAgain())
    seen: Counter[str] = Counter()
    for seed in range(4, 7):
        rows_fuzz.compare(tmp_path, seed, seen)
    assert seen["wrong"] > 0
