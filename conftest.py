"""What holds for every test, those in README and in docstrings too."""

from __future__ import annotations

import html
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

ASKED_FOR_CAUSES = frozenset({"docs", "remedy", "report", "why", "test_why.py"})
"""Folders and files whose tests are about what is behind a finding; others are marked ``causes``."""

LOOKED_AT = frozenset(
    {"README.md", "docs", "papers", "report", "test_names_nobody.py", "test_pictures.py", "validation"}
)
"""Folders and files whose tests look at pictures beside a report; others are marked ``pictures``."""

SHORT_SEARCH = 0.003
"""Share of an attack's seconds that the search for certain people may take, a thirtieth of the usual."""

FULL_SEARCH = frozenset({"attack", "docs", "README.md", "validation"})
"""Where it takes the usual: tests of the attack itself, and what is promised to readers."""


MOST_SLOW = 0.04
"""Share of all tests that may be left to ``make test-all``."""

WHOLE = 3_000
"""So many tests are the whole suite, of which the share can be told."""


FIRST, ME = "gw0", os.environ.get("PYTEST_XDIST_WORKER", "gw0")
COLLECTED = Path(tempfile.gettempdir(), f"collected-{os.environ.get('PYTEST_XDIST_TESTRUNUID', os.getpid())}")
"""Written when the first of several workers has collected all tests."""

PATIENCE = 240.0
"""Seconds that the others wait for it."""


def wait_for_the_first() -> None:
    """Let one worker compile the modules of a fresh clone and its packages: the others find them compiled.

    A minute of a core, which types and contracts have meanwhile (``make ci``).
    """
    until = time.monotonic() + PATIENCE
    while not COLLECTED.exists() and time.monotonic() < until:
        time.sleep(0.2)


if (
    ME != FIRST
    and not sys.dont_write_bytecode
    and not any(Path(__file__).with_name("tests").glob("*/__pycache__"))  # the one above is the controller's
):
    wait_for_the_first()


def pytest_collection_finish() -> None:
    """Tell the others."""
    if ME == FIRST and "PYTEST_XDIST_WORKER" in os.environ:
        COLLECTED.touch()


def pytest_unconfigure() -> None:
    """Leave nothing behind."""
    if ME == FIRST:
        COLLECTED.unlink(missing_ok=True)


@pytest.hookimpl(tryfirst=True)  # before pytest leaves out what is slow
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave nothing to ``make test-all`` that no faster test says, nor more than a few."""
    wrong = list(slow_alone(items))
    slow = sum(item.get_closest_marker("slow") is not None for item in items)
    if len(items) >= WHOLE and slow > MOST_SLOW * len(items):
        wrong.append(f"{slow} of {len(items)} tests are slow; at most {MOST_SLOW:.0%} may be")
    if wrong:
        raise pytest.UsageError("; ".join(wrong))


def slow_alone(items: list[pytest.Item]) -> Iterator[str]:
    """Slow tests that do not say which faster one is beside them, or whose faster one is not there."""
    fast: dict[Path, set[str]] = defaultdict(set)
    for item in items:
        if item.get_closest_marker("slow") is None:
            fast[item.path].add(getattr(item, "originalname", item.name))
    for item in items:
        marked = item.get_closest_marker("slow")
        if marked is None:
            continue
        beside = marked.kwargs.get("beside")
        if marked.args or set(marked.kwargs) != {"beside"}:
            yield f"{item.nodeid}: slow must name the test that stays, slow(beside=...)"
        elif len(items) >= WHOLE and beside not in fast[item.path]:
            yield f"{item.nodeid}: slow beside {beside!r}, which is no faster test of that file"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Attack without each table, column or relation only where a test asks for causes.

    Pictures are painted everywhere and laid out only where a test looks at them, which takes longer than most
    commands that draw one.
    """
    from dalenius.amounts import case as amounts
    from dalenius.inference.answers import why as relations
    from dalenius.reconstruction.attack import attack
    from dalenius.reconstruction.why import leave_one_out as tables
    from dalenius.report import picture
    from dalenius.singling_out.released import why as columns
    from dalenius.singling_out.rows import why as quasi_identifiers
    from dalenius.tracing import case as variants

    with pytest.MonkeyPatch.context() as patch:
        if item.get_closest_marker("causes") is None and not ASKED_FOR_CAUSES & set(item.path.parts):
            for family in (amounts, relations, tables, columns, quasi_identifiers, variants):
                patch.setattr(family, "look_for_causes", lambda *_, **__: None)
        if item.get_closest_marker("pictures") is None and not LOOKED_AT & set(item.path.parts):
            patch.setattr(picture, "written", title_alone)
        if not FULL_SEARCH & set(item.path.parts):
            patch.setattr(attack, "SEARCH", SHORT_SEARCH)
        return (yield)


def title_alone(figure: Any) -> str:
    """A picture that was painted, and is not laid out."""
    titles = (axes.get_title() for axes in figure.axes)
    return f"<svg>{html.escape(' '.join(titles))}</svg>\n"
