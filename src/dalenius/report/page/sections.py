"""Sections of a page: what is learnt, why and about whom; whether it can be believed; all numbers.

Sections 1, 2 and 4 say what an attacker learns, why, and whom it hits; 5 shows control, calibration,
intervals and bounds; 9 holds all numbers, the rules, the text of the terminal and the words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dalenius.findings.explanation import Group
from dalenius.findings.policy import from_to, points
from dalenius.findings.report import CONTROL_TOLD, Finding, Report
from dalenius.report.page.blocks import Block, CellGrid, Folded, Items, Listing, Prose, Subheading, plain
from dalenius.report.page.charts import cause_bars, group_bars, learned_bar, stated_and_right
from dalenius.report.page.dots import attack_beside_guess, by_value, gain_and_check
from dalenius.report.page.questions import words_for
from dalenius.report.text import rows, summary
from dalenius.shown import several

_OPEN = 6
"""So many findings are shown at once; the others are folded."""

_MOST_VALUES = 12

_MOST_COLUMNS = 3
"""So many columns of groups are shown of a finding, those first whose groups differ most."""

NOT_ATTACKED = "No attack could be run, so nothing is known about it."
NOTHING_BEHIND = "Nothing was found that breaks the rules; which part tells most was not looked for."
NOBODY_SHOWN = "Nothing is shown to be given away, so that no group is hit more than others."
NOT_BY_GROUP = "People at risk were not counted by group for this question."
NO_GROUPS = "Whom it hits is not told: no public column is known here by which people could be grouped."
NO_COLUMNS = frozenset({"tracing", "inference"})
"""Questions about people of whom only genotypes, numbers or relatives are known."""

NOTHING_SHOWN = "Nothing is shown to be given away, so that no part can be named that is behind it."
NOT_ASKED = "Which part is behind it was not asked for."
ALL_AT_ONCE = (
    "One table proves the records, or the proof by several was not tried again without each: leave a table "
    "out of the command, or of the plan, to see what rests on it."
)
NOBODY_HIT = "Nothing was found that breaks the rules; which groups it tells most about was not looked for."


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
    return f"{finding.release}: {words_for(finding).title}"


def what_is_learnt(report: Report) -> tuple[Block, ...]:
    """Section 1: one bar of all people, value by value, and the attack beside the guess."""

    def blocks(finding: Finding) -> Iterator[Block]:
        yield Prose(finding.sentence)
        rows = finding.explanation.learned
        said = words_for(finding).parts
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
        yield from _of_units(finding)

    return each_finding(report, lambda one: tuple(blocks(one)), "No attack could be run.")


def _of_units(finding: Finding) -> Iterator[Block]:
    """Whose tables are their records, unit by unit, and how many of the likeliest claims are right."""
    told = finding.explanation
    if not (told.units or told.ranked):
        return
    from dalenius.report.page import units  # only whole records have units

    if told.units:
        yield units.alone_by_size(told.units)
    if told.radii:
        yield units.radius_strip(told.radii)
    if told.ranked:
        yield units.ranked_curves(told.ranked)


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
            told = f"more than {plain(most.alone)} ({most.name})" if most.alone else "anything"
            yield Prose(f"By itself no part gives away {told}; together they give away {plain(why.whole)}.")
        if why.curve:
            rows = tuple((f"{at.numbers:,}", plain(at.at_risk)) for at in why.curve)
            yield CellGrid("From fewer numbers, spread evenly", ("numbers", why.counted), rows, words=0)
        if why.examples:
            yield Prose("How it is worked out:")
            yield Items(why.examples)
        if why.left_out is not None:
            yield Prose(f"Not tried: {why.left_out.rstrip('.')}.")

    return each_finding(report, lambda one: tuple(blocks(one)), _no_cause(report))


def _nothing_shown(report: Report, findings: Sequence[Finding]) -> bool:
    """Tell whether no finding shows a leak: one that breaks a rule does, whatever its severity is called."""
    broken = {one.release for one in report.verdicts if one.verdict == "stop"}
    return all(one.severity in ("none", "undecided") and one.release not in broken for one in findings)


def _no_cause(report: Report) -> str:
    """Why no part is named."""
    if not report.findings:
        return NOT_ATTACKED
    if report.verdict == "pass":
        return NOTHING_BEHIND
    unnamed = [finding for finding in report.findings if finding.explanation.why is None]
    if _nothing_shown(report, unnamed):
        return NOTHING_SHOWN
    return ALL_AT_ONCE if {finding.goal for finding in report.findings} == {"records"} else NOT_ASKED


def whom_it_hits(report: Report) -> tuple[Block, ...]:
    """Section 4: subgroups by the share at risk."""

    def blocks(finding: Finding) -> Iterator[Block]:
        by_column: dict[str, list[Group]] = {}
        for group in finding.explanation.groups:
            by_column.setdefault(group.column, []).append(group)
        order = sorted(by_column, key=lambda column: -_apart(by_column[column]))
        yield from (group_bars(column, by_column[column]) for column in order[:_MOST_COLUMNS])
        if rest := order[_MOST_COLUMNS:]:
            bars = tuple(group_bars(column, by_column[column]) for column in rest)
            yield Folded(f"{several(len(rest), 'more column')}, whose groups differ less", bars)

    return each_finding(report, lambda one: tuple(blocks(one)), _no_groups(report))


def _apart(groups: Sequence[Group]) -> float:
    """How much more of one group is at risk than of another."""
    shares = [group.at_risk / max(group.people, 1) for group in groups]
    return max(shares) - min(shares)


def _no_groups(report: Report) -> str:
    """Why no groups of people are named."""
    if not report.findings:
        return NOT_ATTACKED
    if report.verdict == "pass":
        return NOBODY_HIT
    unnamed = [finding for finding in report.findings if not finding.explanation.groups]
    if _nothing_shown(report, unnamed):
        return NOBODY_SHOWN
    counted = {finding.goal for finding in unnamed} - NO_COLUMNS
    return NOT_BY_GROUP if report.data.public or counted else NO_GROUPS


def whether_to_believe(report: Report) -> tuple[Block, ...]:
    """Section 5: the gain beside the check and the theorem's bound, and whether claims come true."""
    nothing = "Nothing was estimated that could be doubted here." if report.findings else NOT_ATTACKED
    return each_finding(report, lambda one: tuple(_blocks(one, report)), nothing)


def _blocks(finding: Finding, report: Report) -> Iterator[Block]:
    picture = gain_and_check(finding, report.policy)
    if picture is not None:
        yield picture
    yield Items(tuple(_sentences(finding)))
    if finding.explanation.calibration:
        yield stated_and_right(finding.explanation.calibration)
    elif picture is not None:
        yield Prose("Whether stated probabilities come true was not counted here.")


def _sentences(finding: Finding) -> Iterator[str]:
    control = finding.decisive.control if finding.measures else None
    told = [fact.removeprefix(CONTROL_TOLD) for fact in finding.facts if fact.startswith(CONTROL_TOLD)]
    if control is None and told:
        yield f"Check where nothing can have leaked, {told[0]}"
    elif control is None:
        yield "Check where nothing can have leaked: not made for this question, or not needed."
    else:
        around = control.low <= 0 <= control.high
        meaning = (
            "which holds 0, as it should"
            if around
            else "above 0: a part of the gain is what people have in common, not a leak"
            if control.low > 0
            else "below 0: where nothing leaked the attack does worse than guessing"
        )
        yield f"Check where nothing can have leaked: {from_to(control.low, control.high)} points, {meaning}."
    if finding.confidence is not None:
        looks = f", and pays for {several(finding.looks or 0, 'look')}" if (finding.looks or 0) > 1 else ""
        yield f"Each interval holds with confidence {finding.confidence:.4g}{looks}."
    else:
        yield "The numbers follow by computation; there is nothing to estimate, and no interval."
    if finding.bound is not None:
        yield f"Theorem: {finding.bound.text}"
    elif finding.measures and finding.decisive.unit == "nu":
        yield "nu holds for whatever keeps to the promise, as long as what was assumed about relatives holds."
    else:
        yield "No theorem limits every attack on this publication: a better attack may get more."
    if finding.undecided is not None:
        yield f"Not decided: {finding.undecided}."
    yield from (f"Warning: {text}" for text in finding.warnings)


GLOSSARY = (
    ("sure", "no other value fits the published numbers: plain arithmetic, no probability"),
    ("nearly sure", "held at the probability of the rules or more, rightly, and because of the publication"),
    ("guessable anyway", "right without the publication, from the commonest value or from public columns"),
    (
        "gain, advantage",
        "how much more often the attack is right than the better guess without it",
    ),
    ("points", "differences of percentages: from 72% to 89% are 17 points"),
    ("check, control", "the same attack where nothing can have leaked; its gain should be about 0"),
    ("interval", "a range made so that it holds the true value in a stated share of repetitions"),
    ("promise", "a limit on what any attack can gain, such as differential privacy with epsilon or rho"),
    (
        "nu",
        "the epsilon that would protect an unrelated person as much",
    ),
    ("publication, release", "what is published: tables, counts, averages, rows"),
    ("protection, mechanism", "what is done to the numbers before they are published"),
    ("undecided", "neither shown to keep to the rules nor shown to break them"),
)
"""Words of a page in plain English."""

_COLUMNS = (
    "release",
    "goal",
    "measure",
    "attack",
    "baseline",
    "advantage",
    "control",
    "limit",
    "at_most",
    "certain",
    "known",
    "severity",
)


_POINTS = ("advantage", "control", "limit")
"""Differences of shares."""


def all_details(report: Report) -> tuple[Block, ...]:
    """Section 9, inside the house."""
    return (
        numbers(report),
        rules(report),
        Folded("The report as the terminal prints it", (Listing("Report as text", summary(report)),)),
        Folded("What was noted on the way", _notes(report)),
        glossary(),
    )


def few_details(report: Report) -> tuple[Block, ...]:
    """Section 9 for the world: rules and words."""
    return (rules(report), glossary())


def numbers(report: Report) -> CellGrid:
    """All measures of all findings."""
    made = tuple(tuple(_cell(row, column) for column in _COLUMNS) for row in rows(report))
    used = [j for j in range(len(_COLUMNS)) if any(cells[j] for cells in made)]
    head = tuple(_COLUMNS[j].replace("_", " ") for j in used)
    words = sum(_COLUMNS[j] in ("release", "goal", "measure") for j in used)
    differences = [name for name in head if name in _POINTS]
    title = "All numbers"
    if differences and all(row["unit"] == "share" for row in rows(report)):
        title += f" ({', '.join(differences)} in points)"
    return CellGrid(title, head, tuple(tuple(cells[j] for j in used) for cells in made), words=words)


def rules(report: Report) -> CellGrid:
    """The policy, rule by rule."""
    policy = report.policy
    nu, rho = (
        "no rule" if limit is None else f"{limit:g}" for limit in (policy.max_nu, policy.max_related_rho)
    )
    made = (
        ("purpose", policy.rules or "own rules"),
        ("gain tolerated", f"{points(policy.max_advantage)} points"),
        ("or, if less, this share of what guessing gets wrong", f"{policy.max_recovered:.0%}"),
        ("people whose value may be sure, by arithmetic", f"{policy.max_certain:,}"),
        ("people besides whose value may be nearly sure", f"{policy.max_known:,}"),
        ("nearly sure is from", f"{policy.known_at:g}"),
        ("values that count", "all" if policy.sensitive is None else ", ".join(policy.sensitive)),
        ("share of rows that may copy somebody", f"{policy.max_copies:.1%}"),
        ("nu tolerated", nu),
        ("rho of related people tolerated", rho),
        ("confidence of all intervals together", f"{policy.confidence:g}"),
    )
    return CellGrid("The rules", ("rule", "value"), made, words=2)


def glossary() -> Folded:
    """The words."""
    return Folded("What the words mean", (CellGrid("Words", ("word", "meaning"), GLOSSARY, words=2),))


def _notes(report: Report) -> tuple[Block, ...]:
    said = [f"{f.release}: {text}" for f in report.findings for text in (*f.facts, *f.notes)]
    return (Items(tuple(dict.fromkeys(said))),) if said else (Prose("Nothing was noted."),)


def _cell(row: dict[str, Any], column: str) -> str:
    value, share = row[column], row["unit"] == "share"
    if column == "attack" and value is None and row["baseline"] is not None:
        return "not tried"
    if value is None:
        return ""
    if column in ("advantage", "control"):
        ends = (row[f"{column}_low"], row[f"{column}_high"])
        written = points if share else _nu
        if ends[0] == ends[1] == value:  # worked out, not estimated
            return written(value)
        return f"{written(value)} ({written(ends[0])} to {written(ends[1])})"
    if column == "limit":
        return points(value)
    if isinstance(value, float):
        return f"{value:.1%}" if share else _nu(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def _nu(value: float) -> str:
    return f"{value:.4g}"
