"""The annex for the file as a Word document: one page to print, sign and keep."""

from __future__ import annotations

import io

from dalenius.errors import MissingExtraError
from dalenius.findings.report import Report
from dalenius.report.page.annex import annex
from dalenius.report.page.verdict import short_source, verdict_box


def annex_docx(report: Report, *, external: bool = False) -> bytes:
    """Return the annex as the bytes of a ``.docx`` file.

    Raises
    ------
    MissingExtraError
        If python-docx is not installed.
    """
    try:
        import docx
    except ImportError:
        raise MissingExtraError("the annex as a Word file", "python-docx", "word") from None
    document, source = docx.Document(), short_source(report.data.source)
    # the moment of writing is no finding: the same findings give the same words
    document.core_properties.author, document.core_properties.title = "", _plain(source)
    box = verdict_box(report, external=external)
    document.add_heading(_plain(f"Annex for the file: {source}"), level=1)
    document.add_paragraph(_plain(f"{box.word}. {box.headline}"))
    for number, entry in enumerate(annex(report, external=external), 1):
        document.add_heading(f"{number}. {entry.title}", level=2)
        for said in entry.said:
            style = "List Bullet" if len(entry.said) > 1 else None
            document.add_paragraph(_plain(said), style=style)
        if entry.blanks:
            table = document.add_table(rows=0, cols=2, style="Table Grid")
            for blank in entry.blanks:
                row = table.add_row()
                row.cells[0].text, row.cells[1].text = blank.label, "\n" * (blank.lines - 1)
    written = io.BytesIO()
    document.save(written)
    return written.getvalue()


def _plain(text: str) -> str:
    """Leave out what XML cannot hold: control characters in a name are no words."""
    return "".join(letter for letter in text if letter.isprintable() or letter in "\n\t")
