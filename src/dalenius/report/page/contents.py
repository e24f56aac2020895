"""The nine sections of a page, the same for every family; for the world without counts of people at risk."""

from __future__ import annotations

from dalenius.findings.report import Report
from dalenius.plural import people, several
from dalenius.report.page.annex import ANY_ATTACK, for_the_file
from dalenius.report.page.belief import whether_to_believe
from dalenius.report.page.blocks import Block, Items, Page, Prose, Section, Subheading
from dalenius.report.page.details import all_details, few_details
from dalenius.report.page.learned import what_is_learnt, whom_it_hits, why_it_is_so
from dalenius.report.page.questions import OPINION, three_questions, words_of
from dalenius.report.page.remedies import protections, what_would_pass
from dalenius.report.page.verdict import short_source, verdict_box

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
        (Prose("Attack and guess were counted on the same people. " + WITHHELD),),
        _assumed(report, external=True),
        _how(report),
        for_the_file(report, external=True),
        few_details(report),
    )


def _assumed(report: Report, *, external: bool = False) -> tuple[Block, ...]:
    """Section 6: the three questions, what was assumed, what nobody should read into it."""
    blocks: list[Block] = [Prose(f"Tested or not, by {OPINION}:")]
    for one in three_questions(report, external=external):
        blocks += [Subheading(one.question), Prose(one.tested)]
        blocks += [Items(one.results)] if one.results else []
    assumed = tuple(dict.fromkeys(text for f in report.findings for text in f.assumptions))
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
    goals = list(dict.fromkeys(finding.goal for finding in report.findings))
    if not goals:
        return (Prose("No attack could be run."),)
    blocks: list[Block] = []
    for goal in goals:
        words = words_of(goal)
        if len(goals) > 1:
            blocks.append(Subheading(words.title[0].upper() + words.title[1:]))
        blocks.append(Prose(" ".join(words.how)))
    return tuple(blocks)
