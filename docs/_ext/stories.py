"""The stories of the gallery: those of ``dalenius demo``; the reports are what their commands write."""

from __future__ import annotations

import contextlib
from pathlib import Path

from typer.testing import CliRunner

from dalenius.cli.demo import STORIES, Story
from dalenius.cli.main import app

__all__ = ["STORIES", "Story", "tell"]


def tell(story: Story, folder: Path) -> Path:
    """Run the command of a story, and write its page for the world too; return the folder of its results."""
    with contextlib.chdir(folder):  # the pages show commands and files as a person in that folder gives them
        words = story.make(Path())
        for one in ([*words, "--out", "report"], ["report", "report/findings.json", "--external"]):
            done = CliRunner().invoke(app, one)
            if done.exit_code not in (0, 1):
                raise RuntimeError(f"{' '.join(one)} ended with {done.exit_code}: {done.output}")
    return folder / "report"
