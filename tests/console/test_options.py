"""Options that belong together: one frozen object for the command, one option per field for who calls it."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError, dataclass, field
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from dalenius.console.options import grouped
from dalenius.errors import InputError


@dataclass(frozen=True)
class Written:
    """Where to."""

    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the results.")] = Path("report")
    again: Annotated[list[str], typer.Option(help="Repeated.")] = field(default_factory=list)


@dataclass(frozen=True)
class Asked:
    """How."""

    people: Annotated[Path, typer.Option(metavar="FILE", help="The people.")]
    written: Written
    confidence: Annotated[float, typer.Option("--sure", min=0.5, max=1.0)] = 0.95
    quiet: Annotated[bool, typer.Option("--quiet")] = False

    def __post_init__(self) -> None:
        if self.quiet and self.confidence == 1:
            raise InputError("--quiet", "must not be given with --sure 1", "both")


SEEN: list[tuple[str, Asked, int]] = []
app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command("try", help="Try it.")
@grouped
def tried(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    asked: Asked,
    seed: Annotated[int, typer.Option(min=0)] = 1,
) -> None:
    """Keep what was given."""
    SEEN.append((name, asked, seed))


def run(*arguments: str) -> tuple[int, str]:
    """Exit code and all that was said."""
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.output


def test_options_arrive_in_their_objects() -> None:
    """Also those of an object within an object, lists, other names than the field's, and the plain ones."""
    given = [
        "a",
        "--people",
        "p.csv",
        "--sure",
        "0.6",
        "--out",
        "d",
        "--again",
        "x",
        "--again",
        "y",
        "--seed",
        "3",
    ]
    assert run(*given) == (0, "")
    asked = Asked(Path("p.csv"), Written(Path("d"), ["x", "y"]), 0.6)
    assert SEEN.pop() == ("a", asked, 3)
    with pytest.raises(FrozenInstanceError):
        asked.quiet = True  # type: ignore[misc]


def test_defaults_are_those_of_the_fields() -> None:
    """What is not given stands as the class says."""
    assert run("a", "--people", "p.csv") == (0, "")
    assert SEEN.pop() == ("a", Asked(Path("p.csv"), Written()), 1)


def test_the_help_lists_every_option_where_the_object_stands() -> None:
    """In the order of parameters and fields, required ones marked."""
    code, text = run("--help")
    assert code == 0
    assert re.findall(r"^ +(--[\w-]+)", text, re.M) == [
        "--people", "--out", "--again", "--sure", "--quiet", "--seed", "--help",
    ]  # fmt: skip
    assert re.search(r"--people FILE .*\[required\]", text)
    assert re.search(r"Folder for the results. *\[default: report\]", text)


@pytest.mark.parametrize("given", [["a"], ["a", "--people", "p", "--sure", "0.1"], ["a", "--people"]])
def test_bad_options_are_refused(given: list[str]) -> None:
    """A missing one, one out of its range, one without a value: exit 2 and the command not called."""
    assert run(*given)[0] == 2
    assert not SEEN


def test_what_a_class_refuses_is_bad_input() -> None:
    """Rules about several options stand in the class, and reach whoever catches errors for all commands."""
    result = CliRunner().invoke(app, ["a", "--people", "p", "--sure", "1", "--quiet"])
    assert isinstance(result.exception, InputError)
    assert not SEEN


def test_two_options_of_one_name_are_a_mistake() -> None:
    """It is found when the command is declared, not when somebody calls it."""

    def twice(out: Path, written: Written) -> None: ...

    with pytest.raises(ValueError, match="out"):
        grouped(twice)
