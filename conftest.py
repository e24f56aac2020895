"""What holds for every test, those in README and in docstrings too."""

from __future__ import annotations

from collections.abc import Generator

import pytest

ASKED_FOR_CAUSES = frozenset({"docs", "remedy", "report", "why", "test_why.py"})
"""Folders and files whose tests are about what is behind a finding; others are marked ``causes``."""

SHORT_SEARCH = 0.01
"""Share of an attack's seconds that the search for certain people may take, a tenth of the usual."""

FULL_SEARCH = frozenset({"attack", "docs", "README.md", "validation"})
"""Where it takes the usual: tests of the attack itself, and what is promised to readers."""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Attack without each table, column or relation only where a test asks for causes."""
    from dalenius.amounts import case as amounts
    from dalenius.inference.answers import why as relations
    from dalenius.reconstruction.attack import attack
    from dalenius.reconstruction.why import leave_one_out as tables
    from dalenius.singling_out.released import why as columns
    from dalenius.singling_out.rows import why as quasi_identifiers
    from dalenius.tracing import case as variants

    with pytest.MonkeyPatch.context() as patch:
        if item.get_closest_marker("causes") is None and not ASKED_FOR_CAUSES & set(item.path.parts):
            for family in (amounts, relations, tables, columns, quasi_identifiers, variants):
                patch.setattr(family, "look_for_causes", lambda *_, **__: None)
        if not FULL_SEARCH & set(item.path.parts):
            patch.setattr(attack, "SEARCH", SHORT_SEARCH)
        return (yield)
