"""What README and examples show is true; the Python in README runs as a doctest."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dalenius.auditing.plan import check_plan, read_plan
from dalenius.cli.main import app

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    return [text for kind, text in fenced if kind == language]


def test_the_plan_can_be_run(tmp_path: Path) -> None:
    (tmp_path / "people.csv").touch()
    (block,) = blocks("toml")
    plan = check_plan(tomllib.loads(block), tmp_path)
    assert [release.name for release in plan.release] == ["as planned", "with noise"]


def test_the_example_plan_can_be_run() -> None:
    assert len(read_plan(ROOT / "examples" / "audit.toml").release) == 3


COMMANDS = re.findall(r"^dalenius [a-z][a-z -]*[a-z]", README, re.MULTILINE)


@pytest.mark.parametrize("line", sorted(set(COMMANDS)))
def test_the_commands_are_there(line: str) -> None:
    words = [word for word in line.split()[1:] if "." not in word]
    known = [words[:n] for n in (1, 2) if CliRunner().invoke(app, [*words[:n], "--help"]).exit_code == 0]
    assert known, line


def test_the_options_are_there() -> None:
    text = " ".join(" ".join(blocks("")).split())
    for command in ("reconstruct counts", "init"):
        shown = set(
            re.findall(r"--[a-z-]+", text[text.index(f"dalenius {command}") :].split(" dalenius ")[0])
        )
        taught = CliRunner().invoke(app, [*command.split(), "--help"]).output
        assert shown
        assert all(option in taught for option in shown)


def test_the_links_lead_somewhere() -> None:
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/reference/files.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        for link in re.findall(r"\]\(([^)#:]+)\)", text):
            assert ((ROOT / name).parent / link).exists(), (name, link)
