"""What pages name exists: modules, functions, and the programs of validation and benchmarks."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("docs/**/*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]


def test_what_pages_name_can_be_imported() -> None:
    assert [found for page in PAGES for found in strangers(page.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    "text",
    [
        "`dalenius.attacks.tracing`",
        "`dalenius.tracing.kin`",
        "python -m validation.gone",
        "python validation/gone.py",
    ],
)
def test_a_name_that_is_gone_is_noticed(text: str) -> None:
    assert len([*strangers(text)]) == 1


def strangers(text: str) -> Iterator[str]:
    """The names in a text that nothing has."""
    for name in re.findall(r"`(dalenius(?:\.\w+)+)`", text):
        if not is_known(name):
            yield name
    for name in re.findall(r"python (?:-m )?((?:validation|benchmarks)[./][a-z_/.]*[a-z_])", text):
        if not (ROOT / f"{name.removesuffix('.py').replace('.', '/')}.py").is_file():
            yield name


def is_known(name: str) -> bool:
    """Whether a name is that of a module, or of something in one."""
    words = name.split(".")
    for size in range(len(words), 0, -1):
        try:
            found = importlib.import_module(".".join(words[:size]))
        except ModuleNotFoundError:
            continue
        for word in words[size:]:
            if not hasattr(found, word):
                return word in getattr(found, "__annotations__", {})
            found = getattr(found, word)
        return True
    return False
