"""Planted faults: a number of the theory that is too large or too small."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Spoil = Callable[[Any, str, float], None]


@pytest.fixture
def spoil(monkeypatch: pytest.MonkeyPatch) -> Spoil:
    """Multiply what a function of a module, or a method of a class, returns."""

    def multiply(home: Any, name: str, factor: float) -> None:
        function = getattr(home, name)
        monkeypatch.setattr(home, name, lambda *given, **named: factor * function(*given, **named))

    return multiply
