"""What passes among related people: a short form of the table in the documentation."""

from __future__ import annotations

import pytest
from validation.passes_inference import LEAKS, SOUND, verdicts

SHORT = [name for name in LEAKS if "60 people" not in name]


@pytest.mark.parametrize("name", SHORT)
def test_what_leaks_never_passes(name: str) -> None:
    assert all(verdict != "pass" for verdict, _ in verdicts(LEAKS[name][1], 2))


@pytest.mark.parametrize("name", [name for name in SOUND if "60 people" not in name])
def test_what_does_not_leak_passes(name: str) -> None:
    assert [verdict for verdict, _ in verdicts(SOUND[name][1], 2)] == ["pass", "pass"]
