"""Every command that attacks writes one kind of findings.json, and only through one door."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

import dalenius
from dalenius.auditing.decide import conclude
from dalenius.auditing.schemas import findings_schema
from dalenius.cli.main import COMMANDS
from dalenius.findings.policy import Policy
from dalenius.findings.report import Data

SOURCE = Path(dalenius.__file__).parent


def test_only_one_module_writes_findings() -> None:
    """Whatever a command attacks, it ends in `finish`."""
    writers = [
        path.relative_to(SOURCE).as_posix()
        for path in sorted(SOURCE.rglob("*.py"))
        if re.search(r'"findings\.json"\s*:', path.read_text())
    ]
    assert writers == ["console/finish.py"]


ATTACK_NOTHING = {"init", "report", "compare", "theorem", "schema"}
"""Commands that end in no findings of their own."""


def homes() -> dict[str, str]:
    """The module of every command, by the words that call it."""
    found = {}
    for word, module in COMMANDS.items():
        for one in importlib.import_module(module).app.registered_commands:
            assert one.callback is not None
            words = word if one.name in (None, word) else f"{word} {one.name}"
            found[words] = inspect.unwrap(one.callback).__module__
    return found


def test_every_command_that_attacks_ends_there() -> None:
    """In `finish`, or in what prints and writes for it; `attack_view` ends there for several commands."""
    commands = homes()
    assert {"audit", "rows", "trace beacon", "reconstruct amounts", "single-out game"} <= set(commands)
    for words, module in commands.items():
        text = Path(str(importlib.import_module(module).__file__)).read_text()
        imported = " ".join(
            re.findall(r"from dalenius\.(?:console\.finish|reconstruction\.cli)\S* import (.*)", text)
        )
        ends = {"finish", "tell", "documents", "attack_view"} & set(re.findall(r"\w+", imported))
        assert bool(ends) is (words not in ATTACK_NOTHING), words


def test_the_schema_refuses_another_shape() -> None:
    """The reports of all command tests are held against this schema; here it is shown to bite."""
    data = Data(source="people.csv", people=3, public=("age",), secret="ill")
    plain = conclude([], Policy(), data=data, seed=1).model_dump(mode="json")
    check = Draft202012Validator(findings_schema())
    check.validate(plain)
    for wrong in ({"verdict": "kept"}, {"schema_version": 1}, {"surprise": 1}, {"findings": [{"goal": "x"}]}):
        with pytest.raises(ValidationError):
            check.validate(plain | wrong)
