"""The annex for the file: ten entries, filled in from the findings; four have a part that a person writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dalenius.findings.report import Finding, Report
from dalenius.report.page.blocks import Blank, Block, Items, Prose, Subheading
from dalenius.report.page.ladder import for_the_file_of, priced, promised_in_full
from dalenius.report.page.questions import OPINION, QUESTION, three_questions, words_of
from dalenius.report.page.verdict import in_words, promise_of, short_source, verdict_box
from dalenius.shown import people, several

ANY_ATTACK = (
    "A pass is about the attacks that were run and what the attacker was said to know; only a promise such "
    "as differential privacy speaks of attacks that nobody has thought of."
)


_NOT_LEARNED = {
    "tracing": "Who is in the data.",
    "singling-out": "Whom a row or a number is about.",
    "records": "Which records people have, in all their columns.",
    "amounts": "What somebody earns, owes or makes, closely.",
    "inference": "What a person's value is, also from what relatives give away.",
}
"""What must not be learned where no column is the secret."""

_THREE = "Whom a row is about, which rows are of one person, and what else is true of somebody."
"""The same of released rows, about which all three questions are asked."""

ABOUT_A_SECRET = frozenset({"reconstruction", "inference"})
"""Questions about the column that is the secret, where there is one."""


@dataclass(frozen=True)
class AnnexEntry:
    """One entry: what the findings say, and what somebody has to write."""

    title: str
    said: tuple[str, ...]
    blanks: tuple[Blank, ...] = ()


def annex(report: Report, *, external: bool = False) -> tuple[AnnexEntry, ...]:
    """Return the ten entries."""
    return (
        AnnexEntry("What is published, and for whom", tuple(_published(report)), (Blank("For whom"),)),
        AnnexEntry("People and columns", (_people(report),)),
        AnnexEntry("What must not be learned", (_secret(report),), (Blank("Why it is sensitive", 2),)),
        AnnexEntry("Who could attack, with what knowledge", _knowledge(report)),
        AnnexEntry(f"Tested, by {OPINION}", tuple(_questions(report, external=external))),
        AnnexEntry(
            "Protection, and what was rejected",
            tuple(_protection(report, external=external)),
            (Blank("Reason for the choice", 2),),
        ),
        AnnexEntry("What remains", _remains(report, external=external)),
        AnnexEntry("What this does not show", _not_shown(report)),
        AnnexEntry("How to repeat it", tuple(repeat(report, external=external))),
        AnnexEntry(
            "Decision",
            (),
            tuple(Blank(label) for label in ("Decision", "Reason", "Name", "Date", "Signature", "Review by")),
        ),
    )


def for_the_file(report: Report, *, external: bool = False) -> tuple[Block, ...]:
    """Section 8: the annex as blocks of a page."""
    blocks: list[Block] = [Prose("A page to keep with the decision. Fields can be filled in, and print.")]
    for number, entry in enumerate(annex(report, external=external), 1):
        blocks.append(Subheading(f"{number}. {entry.title}"))
        if len(entry.said) == 1:
            blocks.append(Prose(entry.said[0]))
        elif entry.said:
            blocks.append(Items(entry.said))
        blocks += entry.blanks
    return tuple(blocks)


def repeat(report: Report, *, external: bool = False) -> Iterator[str]:
    """Say how the findings can be made again; the world is not told the seed, by which noise is drawn."""
    if external:
        yield f"Made by dalenius {report.dalenius_version}; the findings are kept by whoever publishes."
        return
    if report.command is not None:
        yield f"The command, with the files where they are: {report.command}"
    yield (
        f"The same command or plan and the same data, with seed {report.seed} and dalenius "
        f"{report.dalenius_version}, write the same findings.json on the same machine, byte for byte; "
        "another processor may move a count by a person."
    )
    yield "This page again, from the findings alone: dalenius report findings.json"
    yield "Other rules, without the data: dalenius decide findings.json --rules open-data"


def _published(report: Report) -> Iterator[str]:
    seen = set()
    for finding in report.findings:
        if finding.release in seen:
            continue
        seen.add(finding.release)
        numbers = "" if finding.numbers is None else f"{several(finding.numbers, 'number')}, "
        yield f"{finding.release}: {numbers}protection: {in_words(finding.mechanism)}."
    for failed in report.not_run:
        if failed.release not in seen:
            yield f"{failed.release}: could not be attacked."


def _people(report: Report) -> str:
    data = report.data
    columns = f"; columns that an attacker may know: {', '.join(data.public)}" if data.public else ""
    return f"{people(data.people)}, from {short_source(data.source)}{columns}."


def _secret(report: Report) -> str:
    """What every question of the page asks for, each once."""
    said = [_asked(finding, report) for finding in report.findings]
    return " ".join(dict.fromkeys(said)) or "Not stated."


def _asked(finding: Finding, report: Report) -> str:
    values = report.policy.sensitive
    if finding.headings.at == QUESTION:
        return _THREE
    if finding.goal not in ABOUT_A_SECRET or report.data.secret is None:
        return _NOT_LEARNED.get(finding.goal, "What the attack asks.")
    which = f"above all {', '.join(values)}" if values else "any value"
    return f"{report.data.secret}, {which}."


def _knowledge(report: Report) -> tuple[str, ...]:
    return assumptions(report) or ("Somebody who has the publication, and what is listed above.",)


def assumptions(report: Report) -> tuple[str, ...]:
    """What the findings rest on, each once; where questions differ, with the question that it is about."""
    goals = dict.fromkeys(finding.goal for finding in report.findings)
    said: dict[str, list[str]] = {}
    for finding in report.findings:
        for text in finding.assumptions:
            about = said.setdefault(text, [])
            about += [finding.goal] if finding.goal not in about else []
    if len(goals) < 2:
        return tuple(said)
    return tuple(
        text if len(about) == len(goals) else f"{_called(about)}: {text}" for text, about in said.items()
    )


def _called(goals: Sequence[str]) -> str:
    title = ", ".join(words_of(goal).title for goal in goals)
    return title[0].upper() + title[1:]


def _questions(report: Report, *, external: bool) -> Iterator[str]:
    for one in three_questions(report, external=external):
        results = one.results
        if len(results) > 1:
            results = tuple(f"({number}) {text}" for number, text in enumerate(results, 1))
        tested = f"{one.tested[:-1]}: {' '.join(results)}" if results else one.tested
        yield f"{one.question} {tested}"


def _protection(report: Report, *, external: bool) -> Iterator[str]:
    for finding in report.findings:
        promise = promise_of(finding) or "no promise against attacks that were not tried"
        yield f"{finding.release}: {in_words(finding.mechanism)}; {promise}."
    ladder = report.ladder
    if external or ladder is None:
        return
    shown, more = for_the_file_of(ladder)
    for number in shown:
        rung = ladder.rungs[number]
        chosen = "passes at the least price" if number == ladder.best else rung.verdict
        promised = f"; promised: {promised_in_full(rung)}" if rung.promise else ""
        yield f"{rung.change}: {chosen}; price: {priced(rung)}{promised}."
    if more:
        yield f"{several(more, 'more change')} {'was' if more == 1 else 'were'} tried: see section 3."


def _remains(report: Report, *, external: bool) -> tuple[str, ...]:
    box = verdict_box(report, external=external)
    return (" ".join([box.headline, *box.sentences[:1]]),)


def _not_shown(report: Report) -> tuple[str, ...]:
    said = dict.fromkeys(text for finding in report.findings for text in finding.not_shown)
    return (*said, ANY_ATTACK)
