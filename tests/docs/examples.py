"""Runs the examples of a page: Python as a session, commands in this process, plans as files."""

from __future__ import annotations

import doctest
import re
import shlex
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from dalenius.cli.main import app

SHOWN = {"text", "sql", "yaml", "{toctree}", "{eval-rst}", "{include}", "{commands}", "{gallery}"}
"""Blocks that are read, not run."""

LOOSE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FENCE = re.compile(r"^( *)```([^\n`]*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
COMMENTS = re.compile(r"\s+#.*$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """What stands between two fences."""

    kind: str
    text: str


def blocks(page: str) -> list[Block]:
    """Return the blocks of a page, in order."""
    found = []
    for indent, kind, text in FENCE.findall(page):
        lines = [line.removeprefix(indent) for line in text.splitlines()]
        found.append(Block(kind.split(" ")[0], "\n".join(lines) + "\n"))
    return found


@dataclass
class Session:
    """Runs the blocks of one page one after the other, in the current folder."""

    name: str
    globals: dict[str, Any] = field(default_factory=dict)
    code: int = 0

    def run(self, block: Block) -> None:
        """Run one block, and hold what it prints against what the page shows."""
        if block.kind == "pycon" or (block.kind == "python" and ">>>" in block.text):
            self._python(block.text)
        elif block.kind == "python":
            exec(compile(block.text, self.name, "exec"), self.globals)  # noqa: S102
        elif block.kind == "console":
            self._console(block.text)
        elif block.kind == "shell":
            self._shell(block.text)
        elif block.kind == "toml":
            tomllib.loads(block.text)
            file = re.match(r"# (\w+\.toml)\n", block.text)
            if file:
                Path(file[1]).write_text(block.text, encoding="utf-8")
        else:
            assert block.kind in SHOWN, f"{self.name}: a block {block.kind!r} is neither run nor shown"

    def _python(self, text: str) -> None:
        test = doctest.DocTestParser().get_doctest(text, self.globals, self.name, None, 0)
        said: list[str] = []
        done = doctest.DocTestRunner(optionflags=LOOSE | doctest.IGNORE_EXCEPTION_DETAIL).run(
            test, out=said.append, clear_globs=False
        )
        self.globals.update(test.globs)
        assert not done.failed, "".join(said)

    def _console(self, text: str) -> None:
        parts = re.split(r"^\$ ", text, flags=re.MULTILINE)
        assert not parts[0].strip()
        for part in parts[1:]:
            line, _, wanted = part.replace("\\\n", " ").partition("\n")
            printed = self._command(shlex.split(line, comments=True))
            if wanted.strip():
                same = doctest.OutputChecker().check_output(wanted, printed, LOOSE)
                assert same, f"{self.name}: $ {line}\n{printed}"

    def _shell(self, text: str) -> None:
        """Run commands one after the other; what they print is not shown on the page."""
        for line in text.replace("\\\n", " ").splitlines():
            self._command(shlex.split(line, comments=True))

    def _command(self, words: list[str]) -> str:
        if words == ["echo", "$?"]:
            return f"{self.code}\n"
        assert words[0] == "dalenius", f"{self.name}: only dalenius is run, not {words[0]}"
        done = CliRunner().invoke(app, words[1:])
        self.code = done.exit_code
        assert self.code in (0, 1), f"{self.name}: {' '.join(words)} ended with {self.code}\n{done.output}"
        return done.stdout
