"""All numbers, the rules, the text of the terminal and the words: section 9 of a page."""

from __future__ import annotations

from typing import Any

from dalenius.findings.report import Report
from dalenius.findings.words import points
from dalenius.report.frame import rows
from dalenius.report.page.blocks import Block, CellGrid, Folded, Items, Listing, Prose
from dalenius.report.text import summary

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


def all_details(report: Report) -> tuple[Block, ...]:
    """Section 9, inside the house."""
    return (
        numbers(report),
        rules(report),
        Folded("The report as the terminal prints it", (Listing("Report as text", summary(report)),)),
        Folded("What was noted on the way", _notes(report)),
        glossary(),
        Prose("Everything on this page comes from findings.json; no person is in it."),
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
    return CellGrid("All numbers", head, tuple(tuple(cells[j] for j in used) for cells in made), words=words)


def rules(report: Report) -> CellGrid:
    """The policy, rule by rule."""
    policy = report.policy
    nu = "no rule" if policy.max_nu is None else f"{policy.max_nu:g}"
    made = (
        ("purpose", policy.rules or "own rules"),
        ("gain tolerated", f"{points(policy.max_advantage)} points"),
        ("or, if less, this share of what guessing gets wrong", f"{policy.max_recovered:.0%}"),
        ("people who may be sure", f"{policy.max_certain:,}"),
        ("people who may be nearly sure", f"{policy.max_known:,}"),
        ("nearly sure is from", f"{policy.known_at:g}"),
        ("values that count", "all" if policy.sensitive is None else ", ".join(policy.sensitive)),
        ("share of rows that may copy somebody", f"{policy.max_copies:.1%}"),
        ("nu tolerated", nu),
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
    if value is None:
        return ""
    if column in ("advantage", "control"):
        ends = (row[f"{column}_low"], row[f"{column}_high"])
        written = points if share else _nu
        return f"{written(value)} ({written(ends[0])} to {written(ends[1])})"
    if column == "limit":
        return points(value)
    if isinstance(value, float):
        return f"{value:.1%}" if share else _nu(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def _nu(value: float) -> str:
    return f"{value:.4g}"
