"""Every example of every page runs, and prints what the page shows; every link leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dalenius.cli.main import app

from .examples import Block, Session, blocks
from .making import NEEDED

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md") if "_build" not in page.parts)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[\w-]+)?\)")


def text_of(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_examples_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if page in NEEDED:
        NEEDED[page]()
    session = Session(page)
    for block in blocks(text_of(page)):
        session.run(block)


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for link in LINK.findall(text_of(page)):
        assert (DOCS / page).parent.joinpath(link).exists(), link


@pytest.mark.parametrize("page", PAGES)
def test_commands_that_are_only_shown_have_these_options(page: str) -> None:
    for block in blocks(text_of(page)):
        if block.kind == "text":
            for line in re.findall(r"^dalenius .*", block.text.replace("\\\n", " "), re.MULTILINE):
                known(line)


ONLY_SHOWN = {
    "explanation/singling_out.md": 2,  # a thousand rounds of a game
    "explanation/validation.md": 1,  # data of a challenge
    "how-to/biobank_frequencies.md": 3,  # twenty audits, a study of thousands, a program run 12,000 times
    "how-to/find_a_remedy.md": 2,  # plans of the reader's own
    "how-to/levels_and_secrets.md": 2,  # a loop of a shell
    "index.md": 1,  # beside what installs it
    "tutorials/tables.md": 1,
}
"""Commands that would take minutes, or files that a page does not have; their options are looked up."""


@pytest.mark.parametrize("page", PAGES)
def test_other_commands_are_run(page: str) -> None:
    shown = [block.text for block in blocks(text_of(page)) if block.kind == "text"]
    commands = [
        line
        for text in shown
        for line in re.findall(r"^ *dalenius [a-z].*", text.replace("\\\n", " "), re.MULTILINE)
    ]
    assert len(commands) == ONLY_SHOWN.get(page, 0), commands


def known(line: str) -> None:
    words = line.split(" # ")[0].split()[1:]
    command = [word for word in words[:2] if re.fullmatch(r"[a-z][a-z-]*", word)]
    if command[:1] in (["theorem"], ["demo"], ["init"], ["audit"], ["report"], ["decide"], ["compare"]):
        command = command[:1]
    if command == ["theorem"]:
        return
    taught = CliRunner().invoke(app, [*command, "--help"])
    assert taught.exit_code == 0, line
    for option in (word.split("=")[0] for word in words if word.startswith("--")):
        assert re.search(rf"{re.escape(option)}\b", taught.output), (line, option)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("pycon", ">>> 1 + 1\n3\n"),
        ("console", "$ dalenius init nowhere.csv --secret hiv\n"),
        ("console", "$ echo $?\n1\n"),
        ("console", "$ rm -r people\n"),
        ("shell", "dalenius report nowhere.json\n"),
        ("shell", "rm -r people\n"),
        ("toml", "seed = = 1\n"),
        ("python", "raise ValueError\n"),
        ("", "dalenius demo\n"),
    ],
)
def test_an_example_that_is_wrong_is_found(
    kind: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises((AssertionError, ValueError)):
        Session("planted").run(Block(kind, text))
