"""The nine sections of a page, the same for every family, written as HTML or Markdown by templates."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from dalenius.findings.report import Report, asked_besides
from dalenius.report.page.annex import ANY_ATTACK, assumptions, for_the_file
from dalenius.report.page.blocks import Block, Items, Page, Prose, Section, Subheading
from dalenius.report.page.ladder import what_would_pass
from dalenius.report.page.questions import OPINION, three_questions, words_for
from dalenius.report.page.sections import (
    all_details,
    few_details,
    what_is_learnt,
    whether_to_believe,
    whom_it_hits,
    why_it_is_so,
)
from dalenius.report.page.verdict import protections, short_source, verdict_box
from dalenius.shown import people, several

HEADINGS = (
    "What an attacker learns",
    "Why",
    "What would make it pass",
    "Whom it hits",
    "Can you believe it",
    "What was assumed and what was not tested",
    "How the attack works",
    "For the file",
    "Details",
)

WITHHELD = "Left out of this version: counts of people at risk, which would help an attacker."


def page_of(report: Report, *, external: bool = False) -> Page:
    """Return all that a page says; with ``external`` nothing that would help an attacker."""
    blocks = _external(report) if external else _internal(report)
    sections = tuple(Section(name, made) for name, made in zip(HEADINGS, blocks, strict=True))
    return Page(
        short_source(report.data.source),
        _about(report, external=external),
        external,
        verdict_box(report, external=external),
        sections,
    )


def _about(report: Report, *, external: bool) -> tuple[str, ...]:
    numbers = {finding.release: finding.numbers or 0 for finding in report.findings}
    said = [people(report.data.people)]
    if report.data.secret is not None:
        said.append(f"must not be learned: {report.data.secret}")
    said += [f"asked besides: {question}" for question in asked_besides(report)]
    said.append(several(len({*numbers, *(one.release for one in report.not_run)}), "publication"))
    if sum(numbers.values()):
        said.append(several(sum(numbers.values()), "number"))
    # whoever knows the seed can draw the audit's noise again
    said += [] if external else [f"seed {report.seed}"]
    return (*said, f"dalenius {report.dalenius_version}")


def _internal(report: Report) -> tuple[tuple[Block, ...], ...]:
    return (
        what_is_learnt(report),
        why_it_is_so(report),
        what_would_pass(report),
        whom_it_hits(report),
        whether_to_believe(report),
        _assumed(report),
        _how(report),
        for_the_file(report),
        all_details(report),
    )


def _external(report: Report) -> tuple[tuple[Block, ...], ...]:
    withheld = (Prose(WITHHELD),)
    return (
        withheld,
        withheld,
        protections(report),
        withheld,
        _judged(report),
        _assumed(report, external=True),
        _how(report),
        for_the_file(report, external=True),
        few_details(report),
    )


def _judged(report: Report) -> tuple[Block, ...]:
    """Section 5 for the world: how it was judged, family by family, and not what came out."""
    asked = dict.fromkeys(words_for(finding) for finding in report.findings)
    return (*(Prose(words.how[-1]) for words in asked), Prose(WITHHELD))


def _assumed(report: Report, *, external: bool = False) -> tuple[Block, ...]:
    """Section 6: the three questions, what was assumed, what nobody should read into it."""
    blocks: list[Block] = [Prose(f"Tested or not, by {OPINION}:")]
    for one in three_questions(report, external=external):
        blocks += [Subheading(one.question), Prose(one.tested)]
        blocks += [Items(one.results)] if one.results else []
    assumed = assumptions(report)
    blocks += [
        Subheading("Assumed"),
        Items(assumed) if assumed else Prose("Nothing beyond the data and the rules."),
    ]
    if report.not_run:
        failed = [
            f"{one.release}: {one.attack_method} could not be run" + ("." if external else f": {one.reason}")
            for one in report.not_run
        ]
        blocks += [Subheading("Could not be run"), Items(tuple(failed))]
    not_shown = dict.fromkeys(text for f in report.findings for text in f.not_shown)
    return (*blocks, Subheading("Not shown"), Items((*not_shown, ANY_ATTACK)))


def _how(report: Report) -> tuple[Block, ...]:
    """Section 7: three sentences for each family that was asked."""
    asked = list(dict.fromkeys(words_for(finding) for finding in report.findings))
    if not asked:
        return (Prose("No attack could be run."),)
    blocks: list[Block] = []
    for words in asked:
        if len(asked) > 1:
            blocks.append(Subheading(words.title[0].upper() + words.title[1:]))
        blocks.append(Prose(" ".join(words.how)))
    return tuple(blocks)


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


LEARNT, LADDER, DETAILS = 0, 2, 8
"""Sections by their place: what is learnt, what would make it pass, all numbers."""


def fragment_html(report: Report, about: int = LEARNT) -> str:
    """Return the short form for a notebook: verdict, one picture, table; no script.

    Parameters
    ----------
    report
        What was found.
    about
        The section whose picture is shown; of the ladder its table too.
    """
    page = page_of(report)
    style = _asset("fragment.css")
    pictures = [block for block in page.sections[about].blocks if block.kind == "drawing"]
    tables = [block for block in page.sections[LADDER].blocks if block.kind == "grid"]
    numbers = tables[0] if about == LADDER and tables else page.sections[DETAILS].blocks[0]
    return (
        _html()
        .get_template("fragment.html.jinja")
        .render(
            page=page,
            picture=pictures[0] if pictures else None,
            numbers=numbers,
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


def with_commands(text: str) -> Markup:
    """Set a command at the end of a sentence as one types it; an option is not torn at its dashes.

    Examples
    --------
    >>> print(with_commands("Again: dalenius audit <a>.toml --out b"))
    Again: <code class="dal-command">dalenius audit &lt;a&gt;.toml <span>--out</span> b</code>
    """
    before, found, words = text.partition(": dalenius ")
    if not found:
        return escape(text)
    parts = [
        Markup("<span>{}</span>").format(word) if "-" in word else escape(word) for word in words.split(" ")
    ]
    typed = Markup(" ").join(["dalenius", *parts])
    return Markup('{}: <code class="dal-command">{}</code>').format(before, typed)


@cache
def _html() -> Environment:
    made = _environment(autoescape=True)
    made.filters["commands"] = with_commands
    return made


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
