"""Registries load by name, and only what is in their own room."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

import dalenius
from dalenius.registry import Registry

SOURCE = Path(dalenius.__file__).parent


def made_in(text: str) -> Iterator[ast.Call]:
    """Every registry that is made in a file."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            made = node.func.value if isinstance(node.func, ast.Subscript) else node.func
            if isinstance(made, ast.Name | ast.Attribute) and ast.unparse(made).split(".")[-1] == "Registry":
                yield node


def reaches_out(text: str) -> bool:
    """Whether a file makes a registry, or a kind of registry, that is not of its own room."""
    tree = ast.parse(text)
    kinds = any("Registry" in ast.unparse(base) for node in ast.walk(tree)
                if isinstance(node, ast.ClassDef) for base in node.bases)  # fmt: skip
    renamed = any(alias.name == "Registry" and alias.asname for node in ast.walk(tree)
                  if isinstance(node, ast.ImportFrom) for alias in node.names)  # fmt: skip
    public = any(alias.name in ("face", "*") for node in ast.walk(tree)
                 if isinstance(node, ast.ImportFrom) and node.module == "dalenius.registry"
                 for alias in node.names)  # fmt: skip
    whole = any(alias.name == "dalenius.registry" for node in ast.walk(tree)
                if isinstance(node, ast.Import) for alias in node.names)  # fmt: skip
    given = [call.args[0] for call in made_in(text) if call.args]
    plain = len(given) == len(list(made_in(text)))
    own = all(isinstance(room, ast.Name) and room.id == "__package__" for room in given)
    return kinds or renamed or public or whole or not (plain and own)


ROOMS = ("", "auditing", "inference", "reconstruction", "singling_out", "tracing")
FACES = [SOURCE / room / "__init__.py" for room in ROOMS]
FILES = [path for path in SOURCE.rglob("*.py") if path not in (SOURCE / "registry.py", *FACES)]
MAKING = [path for path in FILES if "registry" in path.read_text().lower()]


@pytest.mark.parametrize("path", MAKING, ids=lambda path: str(path.relative_to(SOURCE)))
def test_every_registry_is_of_its_own_room_and_whole(path: Path) -> None:
    assert not reaches_out(path.read_text())
    name = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
    module = importlib.import_module(name)
    registries = [one for one in vars(module).values() if isinstance(one, Registry)]
    for registry in registries:
        assert registry.room == module.__package__
        assert all(found is not None for found in registry.values())


@pytest.mark.parametrize(
    "line",
    [
        'Registry("dalenius.people", {"x": "truth:secret_codes"})',
        'Registry[object](room="dalenius.people", homes={})',
        'Registry(__package__.rpartition(".")[0], {})',
        "from dalenius.registry import Registry as R",
        "class Wider(Registry[object]): ...",
        "from dalenius.registry import face",
        "import dalenius.registry as r; r.face",
    ],
)
def test_a_planted_registry_of_another_room_is_noticed(line: str) -> None:
    assert reaches_out(line)
    assert not reaches_out('KINDS = Registry[object](__package__, {"a": "b:c"})')


def test_a_name_is_loaded_when_it_is_asked_for() -> None:
    registry = Registry[object]("dalenius", {"known": "grammar:Options.only", "lost": "no_such_module:x"})
    from dalenius.grammar import Options

    assert registry["known"] is Options.only
    assert list(registry) == ["known", "lost"]
    assert "lost" in registry
    with pytest.raises(ModuleNotFoundError):
        registry["lost"]
    with pytest.raises(KeyError):
        registry["unknown"]
