"""What stands around the package: one version, a dated changelog, a citation, workflows that fit the code."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import hypothesis
import pytest

import dalenius
from dalenius.papers.registry import HEADINGS

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def settings() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_the_version_is_said_once(settings: dict[str, Any]) -> None:
    assert "version" not in settings["project"]
    assert settings["project"]["dynamic"] == ["version"]
    said = (ROOT / settings["tool"]["hatch"]["version"]["path"]).read_text()
    assert f'__version__ = "{dalenius.__version__}"' in said


def test_the_changelog_has_the_version_with_a_date() -> None:
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    released = [heading for heading in headings if heading != "Unreleased"]
    assert re.fullmatch(re.escape(dalenius.__version__) + r" \(20\d\d-\d\d-\d\d\)", released[0])


def test_the_citation_is_of_this_version_and_names_every_paper() -> None:
    citation = (ROOT / "CITATION.cff").read_text()
    changelog = (ROOT / "CHANGELOG.md").read_text()
    assert f"\nversion: {dalenius.__version__}\n" in citation
    (date,) = re.findall(r"^date-released: (\S+)$", citation, re.MULTILINE)
    assert f"## {dalenius.__version__} ({date})" in changelog
    for paper in {heading.paper for heading in HEADINGS.values()}:
        who, year, title = re.fullmatch(r"(.*) \((\d{4})\), (.*)", paper).groups()
        assert title in citation
        entry = next(part for part in citation.split("  - type: ") if title in part)
        assert f"year: {year}" in entry
        assert re.findall(r"family-names: (\w+)", entry) == who.split(", ")


def test_the_matrix_of_ci_is_what_the_package_says_it_runs_on(settings: dict[str, Any]) -> None:
    ci = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    claimed = [c.rsplit(" ", 1)[1] for c in settings["project"]["classifiers"] if "Python :: 3." in c]
    (tested,) = re.findall(r"python: \[(.*)\]", ci)
    assert tested == ", ".join(f'"{version}"' for version in claimed)


def test_every_action_is_pinned_and_every_target_exists() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        text = path.read_text()
        uses = re.findall(r"uses: (\S+)", text)
        assert uses
        assert all(re.fullmatch(r"\S+@(v\d+|release/v\d+)", action) for action in uses), path
        assert set(re.findall(r"run: make (\w+)", text)) <= targets


def test_the_security_page_names_every_table_that_a_command_writes() -> None:
    """A file that holds people and is not on the page would be shared as harmless."""
    page = (ROOT / "SECURITY.md").read_text()
    written = set()
    source = (ROOT / "src" / "dalenius").rglob("*.py")
    commands = [path for path in source if "cli" in (path.stem, path.parent.name)]
    for path in commands:
        written |= set(re.findall(r'"(\w+\.csv)"(?:\]| if one|: )', path.read_text()))
    assert {"claims.csv", "accusations.csv", "beliefs.csv"} <= written
    assert not {name for name in written if f"`{name}`" not in page}


def test_the_suite_draws_the_same_examples_unless_asked() -> None:
    asked = hypothesis.settings.get_current_profile_name()
    assert hypothesis.settings.default.derandomize is (asked != "drawn")


def test_the_recipe_needs_what_the_package_needs(settings: dict[str, Any]) -> None:
    recipe = (ROOT / "recipe" / "meta.yaml").read_text()
    assert f'version: "{dalenius.__version__}"' in recipe
    assert f"- python {settings['project']['requires-python']}\n" in recipe
    names = {"duckdb": "python-duckdb", "ibis-framework": "ibis-framework-core"}
    run = recipe.partition("  run:\n")[2].partition("\n\n")[0]
    listed = {line.strip(" -") for line in run.splitlines()[1:]}
    needed = set()
    for each in settings["project"]["dependencies"]:
        name, limits = re.fullmatch(r"([a-z0-9-]+)(?:\[.*\])?(.*)", each).groups()
        needed.add(f"{names.get(name, name)} {limits}".strip())
    assert listed == needed


def test_the_container_runs_as_an_ordinary_user_and_copies_what_there_is() -> None:
    lines = (ROOT / "Containerfile").read_text().splitlines()
    commands = [line.split()[0] for line in lines if line and not line.startswith((" ", "#"))]
    assert commands.index("USER") < commands.index("ENTRYPOINT")
    assert "USER root" not in lines
    for line in lines:
        if line.startswith("COPY "):
            assert all((ROOT / name).exists() for name in line.split()[1:-1])
