"""Two reports side by side, as text for a terminal and as a fragment of HTML."""

from __future__ import annotations

import io

from dalenius.report.compare import ReportChanges

_HEAD = ("release", "what", "before", "after", "change")


def changes_text(changes: ReportChanges, *, width: int = 100) -> str:
    """Return what changed as plain text.

    Examples
    --------
    >>> print(changes_text(ReportChanges("stop before, pass after: better.", (), ())), end="")
    stop before, pass after: better.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    text = io.StringIO()
    console = Console(file=text, width=width, color_system=None, force_jupyter=False)
    console.print(Text(changes.verdict))
    for warning in changes.warnings:
        console.print(Text(f"Careful: {warning}"))
    if changes.rows:
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        for heading in _HEAD:
            table.add_column(heading, overflow="fold")
        for row in changes.rows:
            table.add_row(
                *(Text(cell) for cell in (row.release, row.what, row.before, row.after, row.change))
            )
        console.print()
        console.print(table)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"


def changes_html(changes: ReportChanges) -> str:
    r"""Return what changed as a fragment of HTML: a paragraph, a list and a table.

    Examples
    --------
    >>> changes_html(ReportChanges("stop before, pass after: better.", ("a < b",), ()))
    '<p>stop before, pass after: better.</p>\n<ul><li>a &lt; b</li></ul>\n'
    """
    from markupsafe import Markup

    parts = [Markup("<p>{}</p>\n").format(changes.verdict)]
    if changes.warnings:
        items = Markup("").join(Markup("<li>{}</li>").format(text) for text in changes.warnings)
        parts.append(Markup("<ul>{}</ul>\n").format(items))
    if changes.rows:
        head = Markup("").join(Markup('<th scope="col">{}</th>').format(word) for word in _HEAD)
        body = Markup("\n").join(
            Markup("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>").format(
                row.release, row.what, row.before, row.after, row.change
            )
            for row in changes.rows
        )
        parts.append(
            Markup("<table><thead><tr>{}</tr></thead>\n<tbody>{}</tbody></table>\n").format(head, body)
        )
    return str(Markup("").join(parts))
