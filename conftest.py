"""What holds for every test, those in README and in docstrings too."""

from __future__ import annotations

from collections.abc import Generator

import pytest

ASKED_FOR_CAUSES = frozenset({"docs", "remedy", "report", "why"})
"""Folders whose tests are about what is behind a finding; others are marked ``causes``."""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Attack without each table only where a test asks for causes: that repeats an attack many times."""
    from dalenius.reconstruction.why import leave_one_out

    with pytest.MonkeyPatch.context() as patch:
        if item.get_closest_marker("causes") is None and not ASKED_FOR_CAUSES & set(item.path.parts):
            patch.setattr(leave_one_out, "look_for_causes", lambda *_, **__: None)
        return (yield)
