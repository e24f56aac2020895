"""Every command that attacks writes one kind of findings.json, and only through one door."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

import dalenius
from dalenius.auditing.decide import conclude
from dalenius.auditing.schemas import findings_schema
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


@pytest.mark.parametrize(
    "module",
    [
        "cli/audit",
        "reconstruction/cli/attack_view",
        "reconstruction/cli/desk",
        "reconstruction/cli/tables",
        "tracing/cli/commands",
        "singling_out/cli",
        "inference/cli",
    ],
)
def test_every_command_that_attacks_ends_there(module: str) -> None:
    imported = re.findall(
        r"from dalenius\.console\.finish import (.*)", (SOURCE / f"{module}.py").read_text()
    )
    assert {"finish", "tell"} & set(re.findall(r"\w+", " ".join(imported)))


def test_the_schema_refuses_another_shape() -> None:
    """The reports of all command tests are held against this schema; here it is shown to bite."""
    data = Data(source="people.csv", people=3, public=("age",), secret="ill")
    plain = conclude([], Policy(), data=data, seed=1).model_dump(mode="json")
    check = Draft202012Validator(findings_schema())
    check.validate(plain)
    for wrong in ({"verdict": "kept"}, {"schema_version": 1}, {"surprise": 1}, {"findings": [{"goal": "x"}]}):
        with pytest.raises(ValidationError):
            check.validate(plain | wrong)
