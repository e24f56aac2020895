"""The directive ``commands``: every command with its help and options, as the program itself prints them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer.main
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from typer.testing import CliRunner

from dalenius.cli.main import app


def commands(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Give the words of each command below this one."""
    inner = getattr(command, "commands", None)
    if inner is None:
        yield words
        return
    for word, found in inner.items():
        yield from commands(found, (*words, word))


def text() -> str:
    """Return all of it as Markdown."""
    sections = []
    for words in commands(typer.main.get_command(app)):
        help = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "110", "TERMINAL_WIDTH": "110"})
        sections.append(f"## `dalenius {' '.join(words)}`\n\n```text\n{help.output.strip()}\n```\n")
    return "\n".join(sections)


class Commands(SphinxDirective):
    """Puts the commands where it stands."""

    def run(self) -> list[Any]:
        """Read the text as Markdown, like the page around it."""
        return self.parse_text_to_nodes(text(), allow_section_headings=True)


def setup(sphinx: Sphinx) -> dict[str, bool]:
    """Make the directive known."""
    sphinx.add_directive("commands", Commands)
    return {"parallel_read_safe": True}
