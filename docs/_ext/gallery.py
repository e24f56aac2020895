"""The directive ``gallery``: sample reports, made anew whenever the pages are built."""

from __future__ import annotations

import shutil
import tempfile
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from stories import STORIES, tell

FORMS = {"report.html": "report", "report-external.html": "for readers outside", "report.md": "as Markdown"}
"""What of a story is shown, and what it is called."""


class Gallery(SphinxDirective):
    """Lists the stories, with links to what their commands write."""

    def run(self) -> list[Any]:
        """Return a list of links."""
        items = []
        for name, story in STORIES.items():
            links = ", ".join(f'<a href="samples/{name}-{file}">{words}</a>' for file, words in FORMS.items())
            items.append(f"<li><b>{escape(story.title)}</b>: {escape(story.told)} {links}</li>")
        return [nodes.raw("", f"<ul>{''.join(items)}</ul>", format="html")]


def write(sphinx: Sphinx, failed: Exception | None) -> None:
    """Make the reports, beside the pages."""
    if failed is not None or sphinx.builder.format != "html":
        return
    folder = Path(sphinx.outdir) / "samples"
    folder.mkdir(exist_ok=True)
    for name, story in STORIES.items():
        with tempfile.TemporaryDirectory() as place:
            out = tell(story, Path(place))
            for file in FORMS:
                shutil.copyfile(out / file, folder / f"{name}-{file}")


def setup(sphinx: Sphinx) -> dict[str, bool]:
    """Make the directive known, and the reports at the end."""
    sphinx.add_directive("gallery", Gallery)
    sphinx.connect("build-finished", write)
    return {"parallel_read_safe": True}
