"""What an attacker learns, why, and whom it hits: sections 1, 2 and 4 of a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from dalenius.findings.explanation import Group
from dalenius.findings.finding import Finding
from dalenius.findings.report import Report
from dalenius.plural import several
from dalenius.report.page.axis import plain
from dalenius.report.page.bars import cause_bars, group_bars, learned_bar
from dalenius.report.page.blocks import Block, CellGrid, Folded, Items, Prose, Subheading
from dalenius.report.page.dots import attack_beside_guess, by_value
from dalenius.report.page.questions import words_of

_OPEN = 4
"""So many findings are shown at once; the others are folded."""

_MOST_VALUES = 12


def each_finding(
    report: Report, blocks_of: Callable[[Finding], Sequence[Block]], nothing: str
) -> tuple[Block, ...]:
    """Write what is said of each finding under its name; one sentence where there is nothing at all."""
    said = [(finding, tuple(blocks_of(finding))) for finding in report.findings]
    told = [(finding, blocks) for finding, blocks in said if blocks]
    if not told:
        return (Prose(nothing),)
    if len(report.findings) == 1:
        return told[0][1]
    parts = [(Subheading(heading(finding)), *blocks) for finding, blocks in told]
    shown = [block for part in parts[:_OPEN] for block in part]
    more = [block for part in parts[_OPEN:] for block in part]
    if more:
        shown.append(Folded(f"{several(len(parts) - _OPEN, 'more finding')}", tuple(more)))
    silent = [finding.release for finding, blocks in said if not blocks]
    if silent:
        shown.append(Prose(f"{nothing[:-1]}: {', '.join(dict.fromkeys(silent))}."))
    return tuple(shown)


def heading(finding: Finding) -> str:
    """Name a finding by its release and question."""
    return f"{finding.release}: {words_of(finding.goal).title}"


def what_is_learnt(report: Report) -> tuple[Block, ...]:
    """Section 1: one bar of all people, value by value, and the attack beside the guess."""

    def blocks(finding: Finding) -> Iterator[Block]:
        yield Prose(finding.sentence)
        rows = finding.explanation.learned
        said = words_of(finding.goal).parts
        yield from (learned_bar(row, said) for row in rows if row.value is None)
        values = [row for row in rows if row.value is not None]
        if values:
            confidence = finding.confidence or report.policy.confidence
            yield by_value(values[:_MOST_VALUES], report.data.secret or "the secret", confidence)
        picture = attack_beside_guess(finding, report.policy)
        if picture is None and finding.undecided is None:
            yield Items(finding.facts)  # what follows by arithmetic needs no picture of guesses
        elif picture is None:
            yield Prose(f"Nobody could count how often the attack is right: {finding.undecided}.")
        elif values:
            yield Folded("The attack beside the guess", (picture,))
        else:
            yield picture

    return each_finding(report, lambda one: tuple(blocks(one)), "No attack could be run.")


def why_it_is_so(report: Report) -> tuple[Block, ...]:
    """Section 2: the parts of a release by what is at risk without each, and worked arithmetic."""

    def blocks(finding: Finding) -> Iterator[Block]:
        why = finding.explanation.why
        if why is None:
            return
        yield Prose(f"Counted: {why.counted}; for the whole publication {plain(why.whole)}.")
        picture = cause_bars(why)
        if picture is not None:
            yield picture
        alone = [cause for cause in why.causes if cause.alone is not None]
        if len(alone) > 1:
            most = max(alone, key=lambda cause: cause.alone or 0.0)
            yield Prose(
                f"By itself no part gives away more than {plain(most.alone or 0.0)} ({most.name}); together "
                f"they give away {plain(why.whole)}."
            )
        if why.curve:
            rows = tuple((f"{at.numbers:,}", plain(at.at_risk)) for at in why.curve)
            yield CellGrid("From fewer numbers, spread evenly", ("numbers", why.counted), rows, words=0)
        if why.examples:
            yield Prose("How it is worked out:")
            yield Items(why.examples)
        if why.left_out is not None:
            yield Prose(f"Not tried: {why.left_out}")

    return each_finding(report, lambda one: tuple(blocks(one)), "Which part is behind it was not looked for.")


def whom_it_hits(report: Report) -> tuple[Block, ...]:
    """Section 4: subgroups by the share at risk."""

    def blocks(finding: Finding) -> Iterator[Block]:
        by_column: dict[str, list[Group]] = {}
        for group in finding.explanation.groups:
            by_column.setdefault(group.column, []).append(group)
        for column, groups in by_column.items():
            yield group_bars(column, groups)

    return each_finding(report, lambda one: tuple(blocks(one)), "Whom it hits was not looked for.")
