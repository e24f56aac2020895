"""Small doors: the version, schemas, completion, addresses from the environment, files in the wrong place."""

from __future__ import annotations

import json
import shlex
import sqlite3
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

import dalenius
from dalenius.cli.main import app

Run = Callable[..., Any]
CI = Path(__file__).parents[2] / "examples" / "ci"


def test_version(run: Run) -> None:
    assert run("--version").output == f"dalenius {dalenius.__version__}\n"


@pytest.mark.parametrize("of", ["plan", "findings"])
def test_every_field_of_a_schema_has_words(run: Run, of: str) -> None:
    schema = json.loads(run("schema", of).output)
    Draft202012Validator.check_schema(schema)
    assert schema["$id"].startswith(f"urn:dalenius:{of}:")
    assert of in schema["title"]
    shapes = [schema, *schema["$defs"].values()]
    assert all(field["description"] for shape in shapes for field in shape.get("properties", {}).values())


def test_the_schema_of_a_plan_takes_plans_and_refuses_typos(run: Run, folder: Path) -> None:
    check = Draft202012Validator(json.loads(run("schema", "plan").output))
    plan = tomllib.loads(Path("audit.toml").read_text())
    check.validate(plan)
    assert not check.is_valid(plan | {"sead": 1})
    assert run("schema", "plans").exit_code == 2


def test_completion(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("bash", "/bin/bash"))  # whatever runs the tests
    done = run("--show-completion")
    assert done.exit_code == 0, done.output
    assert "complete" in done.output


@pytest.mark.parametrize(
    ("typed", "proposed"),
    [
        ("dalenius re", ["report", "remedy", "reconstruct"]),
        ("dalenius demo g", ["genomes"]),
        ("dalenius schema p", ["plan"]),
        ("dalenius decide findings.json --rules g", ["gwas", "gdpr-anonymous"]),
    ],
)
def test_a_shell_completes_commands_and_values(typed: str, proposed: list[str]) -> None:
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1)}
    asked = {"_DALENIUS_COMPLETE": "complete_bash", **words}
    done = CliRunner().invoke(app, [], env=asked, prog_name="dalenius")
    assert done.output.split() == proposed


@pytest.mark.parametrize("group", [(), ("reconstruct",), ("trace",), ("single-out",), ("infer",)])
def test_help_tells_every_command_to_the_end(group: tuple[str, ...], run: Run) -> None:
    listed = run(*group, "--help").output.partition("\nCommands:\n")[2]
    assert len(listed.splitlines()) > 3
    assert "..." not in listed, "a sentence that is cut says less than its name"


def test_a_file_in_the_place_of_a_command_or_a_plan(folder: Path, run: Run) -> None:
    done = run("people.csv")
    assert done.exit_code == 2
    assert "dalenius init people.csv --secret COLUMN" in done.output
    assert "dalenius audit audit.toml" in run("audit.toml").output
    done = run("audit", "people.csv")
    assert done.exit_code == 2
    assert "must be a plan in TOML; got a table of people" in done.output
    for name, words in (
        ("people.sas7bdat", "got a table of people"),
        ("findings.json", "by dalenius report"),
    ):
        (folder / name).write_text("{}")
        assert words in " ".join(run("audit", name).output.split())
    assert run("remedy", "people.csv").output == done.output
    assert "No such command" in run("adit").output


def test_an_address_from_the_environment(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = (
        Path("audit.toml").read_text().replace('path = "people.csv"', 'url = "env:HOUSE"\ntable = "people"')
    )
    Path("audit.toml").write_text(plan)
    done = run("audit", "audit.toml")
    assert done.exit_code == 2
    assert "the environment variable 'HOUSE' must hold the address of a database; got nothing" in done.output
    header, *rows = (line.split(",") for line in Path("people.csv").read_text().splitlines())
    with sqlite3.connect("house.sqlite") as house:
        house.execute(f"create table people ({', '.join(header)})")
        house.executemany("insert into people values (?, ?, ?, ?, ?)", rows)
    monkeypatch.setenv("HOUSE", f"sqlite://{Path('house.sqlite').absolute()}")
    assert run("audit", "audit.toml").exit_code == 1
    monkeypatch.setenv("HOUSE", "nosuch://anna:pass4711@host/clinic")
    done = run("audit", "audit.toml")
    assert done.exit_code == 2
    assert "pass4711" not in done.output


@pytest.mark.parametrize("name", ["github.yml", "gitlab.yml"])
def test_the_commands_of_the_examples_run(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    lines = [line.split("- run: ")[-1].strip(" -") for line in (CI / name).read_text().splitlines()]
    (line,) = (line for line in lines if line.startswith("dalenius "))
    words = shlex.split(line.replace("$GITHUB_STEP_SUMMARY", "step.md"))
    assert run(*words[1:]).exit_code == 1
    assert "## dalenius" in Path("step.md" if name == "github.yml" else "summary.md").read_text()
    assert Path("junit.xml").exists()
