"""The face of the package: every name is there, sorted, typed and loaded only when asked for."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import dalenius

SOURCE = Path(dalenius.__file__).parent


@pytest.mark.parametrize("name", dalenius.__all__)
def test_every_name_is_there(name: str) -> None:
    assert callable(getattr(dalenius, name))


def test_the_names_are_sorted_and_the_stub_has_them_all() -> None:
    tree = ast.parse((SOURCE / "__init__.pyi").read_text())
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    stubbed = {alias.asname: f"{node.module}" for node in imports for alias in node.names}
    assert list(dalenius.__all__) == sorted(dalenius.__all__)
    assert stubbed == dalenius._HOMES
    assert set(dalenius.__all__) < set(dir(dalenius))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'adit'"):
        _ = dalenius.adit


def test_the_verb_and_the_room_have_one_name() -> None:
    """``dalenius.audit`` runs an audit whether or not its room was loaded before."""
    for first in ("import dalenius", "import dalenius.auditing.plan as plan, dalenius"):
        code = f"{first}\nassert callable(dalenius.audit), dalenius.audit"
        subprocess.run([sys.executable, "-c", code], check=True)


def test_importing_the_package_loads_nothing() -> None:
    code = "import sys, dalenius; sys.exit([m for m in sys.modules if m.startswith('dalenius.')] != [])"
    subprocess.run([sys.executable, "-c", code], check=True)
