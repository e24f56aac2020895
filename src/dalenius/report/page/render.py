"""Write a page as HTML or as Markdown: the same blocks, through templates that escape what they are given."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from dalenius.findings.report import Report
from dalenius.report.page.contents import page_of

_TEMPLATES = ("dalenius.report.page", "templates")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~])")


def pages(report: Report, *, external: bool = False) -> dict[str, str]:
    """Return the page in both forms, by name of file."""
    name = "report-external" if external else "report"
    return {
        f"{name}.html": page_html(report, external=external),
        f"{name}.md": page_markdown(report, external=external),
    }


def page_html(report: Report, *, external: bool = False) -> str:
    """Return the whole page as one HTML file that fetches nothing.

    Parameters
    ----------
    report
        What was found; nothing else enters.
    external
        For readers outside: no counts of people at risk.

    Examples
    --------
    >>> from dalenius.auditing.decide import conclude
    >>> from dalenius.findings.policy import Policy
    >>> from dalenius.findings.report import Data
    >>> data = Data(source="<people>.csv", people=3, public=("age",), secret="ill")
    >>> page = page_html(conclude([], Policy(), data=data, seed=1))
    >>> "<h1>&lt;people&gt;.csv</h1>" in page, "<people>" in page
    (True, False)
    """
    style, script = _asset("style.css"), _asset("script.js")
    return (
        _html()
        .get_template("page.html.jinja")
        .render(
            page=page_of(report, external=external),
            style=Markup(style),  # noqa: S704 - a file of the package
            script=Markup(script),  # noqa: S704
            style_hash=_hash(style),
            script_hash=_hash(script),
        )
    )


def page_markdown(report: Report, *, external: bool = False) -> str:
    """Return the page in short, as Markdown for a ticket or the summary of a job.

    Examples
    --------
    >>> from dalenius.auditing.decide import conclude
    >>> from dalenius.findings.policy import Policy
    >>> from dalenius.findings.report import Data
    >>> data = Data(source="people.csv", people=3, public=("age",), secret="ill")
    >>> print(page_markdown(conclude([], Policy(), data=data, seed=1)).splitlines()[0])
    # people.csv: UNDECIDED
    """
    text = _markdown().get_template("page.md.jinja").render(page=page_of(report, external=external))
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def fragment_html(report: Report) -> str:
    """Return the short form for a notebook: verdict, one bar, table; no script."""
    page = page_of(report)
    style = _asset("fragment.css")
    pictures = [block for block in page.sections[0].blocks if block.kind == "drawing"]
    return (
        _html()
        .get_template("fragment.html.jinja")
        .render(
            page=page,
            picture=pictures[0] if pictures else None,
            numbers=page.sections[8].blocks[0],
            style=Markup(style),  # noqa: S704
        )
    )


def markdown_text(value: Any) -> str:
    r"""Escape what Markdown would read as something else than words.

    Examples
    --------
    >>> print(markdown_text("a|b <script> *x*"))
    a\|b \<script\> \*x\*
    """
    return _SPECIAL.sub(r"\\\1", " ".join(str(value).split()))


@cache
def _html() -> Environment:
    return _environment(autoescape=True)


@cache
def _markdown() -> Environment:
    return _environment(autoescape=False, finalize=markdown_text)


def _environment(*, autoescape: bool, finalize: Any = None) -> Environment:
    return Environment(
        loader=PackageLoader(*_TEMPLATES),
        autoescape=autoescape,  # noqa: S701 - Markdown is escaped as it is written
        finalize=finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _asset(name: str) -> str:
    environment = _html()
    return PackageLoader(*_TEMPLATES).get_source(environment, name)[0]


def _hash(text: str) -> str:
    """Return what the page's own policy calls a text by: nothing else may run or style in it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
