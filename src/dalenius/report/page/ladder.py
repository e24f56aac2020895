"""What would make it pass: the ladder of changes with prices, section 3 of a page."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dalenius.auditing.case import TOGETHER
from dalenius.findings.measure import Gain
from dalenius.findings.policy import from_to, points, promised_number
from dalenius.findings.report import SAID_OF_ALTERNATIVES, Ladder, Report, Rung
from dalenius.report.page.blocks import Block, CellGrid, Items, Prose, Slider, plain

if TYPE_CHECKING:
    from dalenius.report.page.planes import PricedRung


def count_or_blank(number: int | None) -> str:
    """Write a count; nothing where there is none."""
    return "" if number is None else f"{number:,}"


def _none_passes(ladder: Ladder) -> str:
    """Say that nothing allowed passes, and what does that was told for its promise alone."""
    forbidden = next((rung.change for rung in ladder.rungs if rung.verdict == "pass"), None)
    if forbidden is None:
        return "No change in the list that was tried passes."
    return f"No change that was allowed passes. This one does, but was not allowed: {forbidden}."


def cheapest(report: Report) -> str:
    """Say which change passes at the least price, that none does, or that none was looked for."""
    ladder = report.ladder
    if ladder is None:
        if report.verdict == "pass":
            return "No change is needed under these rules."
        found = _largest(report)
        return found[0] if found else "Which change would make it pass was not looked for."
    if ladder.best is None:
        return _none_passes(ladder)
    best = ladder.rungs[ladder.best]
    if best.kind == "as planned":
        return "No change is needed under these rules."
    kept = f"; it passed again in {best.kept:,} of {best.tried:,} tries" if best.tried else ""
    return f"Cheapest change that passes your rules: {best.change}{kept} (see section 3)."


NOT_LOOKED_FOR = "What would make it pass was not looked for."

_NO_PLAN_COMMANDS = frozenset(
    {
        "reconstruct counts",
        "reconstruct desk",
        "reconstruct regression",
        "reconstruct scores",
        "single-out game",
        "infer joint",
    }
)
"""Commands whose question no kind of release in a plan asks, and whose findings do not say so themselves."""

_NO_PLAN_QUESTIONS = frozenset(
    {"targets", "sizes", "safe", "promise", "trees", "series", "beliefs", "released rows"}
)
"""What findings say was asked, where no plan asks it, or no change of such a release is tried."""


def _largest(report: Report) -> tuple[str, ...]:
    """Which epsilon keeps to the limit, where one was computed for it or for less."""
    limit = report.policy.max_nu
    found = [getattr(finding.details, "chosen", None) for finding in report.findings]
    kept = [one for one in found if one is not None and limit is not None and one.target <= limit]
    return tuple(str(one.reason) for one in kept)


def release_to_mend(report: Report) -> str:
    """The option that says which release to change: of alternatives, and of several kinds, one is changed."""
    told = [
        text for one in report.findings for text in one.assumptions if text.endswith(SAID_OF_ALTERNATIVES)
    ]
    if not told and len({finding.goal for finding in report.findings}) < 2:
        return ""
    broken = [one.release for one in report.verdicts if one.verdict != "pass" and one.release != TOGETHER]
    of_several = [name for name in broken if any(name in text for text in told)] or broken
    return f" --release {shlex.quote(of_several[0])}" if of_several else ""


def looks_for_it(report: Report) -> str:
    """Which command looks for a change that passes: as it can be typed where a plan was audited."""
    words = (report.command or "").split()
    plan = next((word for word in words if word.endswith(".toml") and "'" not in word), None)
    if words[1:2] == ["audit"] and plan is not None:
        return f"This looks for it: dalenius remedy {plan}{release_to_mend(report)}"
    if _no_change_is_tried(report, words):
        return "No command looks for one: of this question no plan can be changed."
    return "Written as a plan, it can be changed until it passes, by: dalenius remedy audit.toml"


def _no_change_is_tried(report: Report, words: Sequence[str]) -> bool:
    """Tell whether no plan asks what was asked, or none that a remedy could change until it passes."""
    return " ".join(words[1:3]) in _NO_PLAN_COMMANDS or any(
        finding.goal == "records" or getattr(finding.details, "asked", None) in _NO_PLAN_QUESTIONS
        for finding in report.findings
    )


_PRICES = (
    ("mean_error", "mean error of a number"),
    ("hidden", "share of numbers hidden"),
    ("blurred", "share of what a cell told that is lost"),
    ("lost", "parts left out"),
)
"""What may stand on the axis of prices, the first that tells changes apart."""

_HEAD = (
    "no.",
    "change",
    "verdict",
    "passed again",
    "promise",
    "sure",
    "nearly sure",
    "gain, points",
    "hidden",
    "mean error",
    "left out",
)


def what_would_pass(report: Report) -> tuple[Block, ...]:
    """Section 3: the ladder, and the price against the risk."""
    ladder = report.ladder
    if ladder is None:
        return tuple(_without_ladder(report))
    return (
        Prose(cheapest(report).replace(" (see section 3)", "")),
        CellGrid("Changes that were tried", _HEAD, tuple(_cells(ladder)), words=5),
        *_promised(ladder),
        *([Prose(of_any_value(report.policy.sensitive))] if report.policy.sensitive else []),
        *_pictures(report, ladder),
        Prose(f"Allowed were: {', '.join(ladder.allowed) or 'none'}."),
        *([Items(ladder.not_tried)] if ladder.not_tried else []),
    )


def _promised(ladder: Ladder) -> Iterator[Block]:
    """What the chosen change promises, the last one, told for its promise, and the one with the strongest."""
    last = len(ladder.rungs) - 1
    for at in sorted({last if at is None else at for at in (ladder.best, ladder.strongest, last)}):
        rung = ladder.rungs[at]
        if rung.promise is not None or rung.bound is not None:
            told = rung.bound.text if rung.bound else f"{promised_in_full(rung)}."
            yield Prose(" ".join(filter(None, (f"No. {at} has a promise.", told, rung.note))))


def promised_in_full(rung: Rung) -> str:
    """Say what a change promises, and what a theorem makes of it; nothing if it promises nothing.

    Examples
    --------
    >>> from dalenius.findings.report import Price
    >>> rung = Rung(kind="noise", change="noise", release="r", verdict="pass", tried=0, kept=0,
    ...     price=Price(), promise="differential privacy with epsilon = 1; the noise is seeded")
    >>> promised_in_full(rung)
    'differential privacy with epsilon = 1'
    """
    if rung.promise is None:
        return ""
    said = rung.promise.partition(";")[0]
    if rung.bound is None or rung.bound.kind != "advantage-at-most":
        return said
    return f"{said}, so that no attack gains more than {points(rung.bound.value)} points"


def _without_ladder(report: Report) -> Iterator[Block]:
    if report.verdict == "pass":
        yield Prose("It passes as it is; cheaper protection was not looked for.")
        return
    if not report.findings:
        yield Prose("No attack could be run: whether it passes as it is has to be found out first.")
        return
    kept = _largest(report)
    yield Items(kept) if kept else Prose(f"{NOT_LOOKED_FOR} {looks_for_it(report)}")
    if report.passing:
        yield Prose(f"Of what was compared, this passes: {', '.join(report.passing)}.")


def _cells(ladder: Ladder) -> Iterator[tuple[str, ...]]:
    for number, rung in enumerate(ladder.rungs):
        best = "\N{LEFTWARDS ARROW} least loss" if number == ladder.best else ""
        yield (
            str(number),
            rung.change,
            f"{rung.verdict} {best}".strip(),
            f"{rung.kept:,} of {rung.tried:,}" if rung.tried else "not tried",
            promised_number(rung.promise),
            count_or_blank(rung.sure),
            count_or_blank(rung.nearly),
            _gain(rung.advantage),
            _share(rung.price.hidden),
            "" if rung.price.mean_error is None else plain(rung.price.mean_error),
            count_or_blank(rung.price.lost),
        )


def of_any_value(sensitive: Sequence[str]) -> str:
    """Say that the ladder counts more people than the rules do.

    Examples
    --------
    >>> of_any_value(["yes"])
    'Sure and nearly sure count people whatever their value is; your rules are about yes alone.'
    """
    return (
        "Sure and nearly sure count people whatever their value is; your rules are about "
        f"{', '.join(sensitive)} alone."
    )


def priced(rung: Rung) -> str:
    """Write the price of a change in words.

    Examples
    --------
    >>> from dalenius.findings.report import Price
    >>> rung = Rung(kind="round", change="round to 10", release="r", verdict="pass", tried=0, kept=0,
    ...     price=Price(hidden=0.0, mean_error=1.4))
    >>> priced(rung)
    '0.0% of the numbers hidden, mean error 1.4'
    """
    price = rung.price
    said = [] if price.hidden is None else [f"{price.hidden:.1%} of the numbers hidden"]
    said += [] if price.mean_error is None else [f"mean error {plain(price.mean_error)}"]
    said += [] if price.worst_error is None else [f"largest error {plain(price.worst_error)}"]
    said += [] if price.blurred is None else [f"{price.blurred:.1%} of what cells told is lost"]
    said += [f"{price.lost:,} left out"] if price.lost else []
    said += [] if price.adds_up is not False else ["rows no longer add up to totals"]
    return ", ".join(said) or ("no price known" if price.lost is None else "nothing left out")


MOST_IN_THE_FILE = 8
"""So many changes stand on the page for the file; the ladder has all."""


def for_the_file_of(ladder: Ladder) -> tuple[list[int], int]:
    """Choose changes for the page for the file: what passes, the first of each kind; and count the others.

    Examples
    --------
    >>> from dalenius.findings.report import Price
    >>> kinds = [("as planned", "stop"), ("round", "stop"), ("round", "stop"), ("noise", "pass")]
    >>> rungs = [Rung(kind=kind, change=kind, release="r", verdict=verdict, tried=0, kept=0, price=Price())
    ...     for kind, verdict in kinds]
    >>> for_the_file_of(Ladder(rungs=tuple(rungs), best=3, allowed=("round", "noise")))
    ([0, 1, 3], 1)
    """
    rungs = ladder.rungs
    first = {rung.kind: at for at, rung in reversed(list(enumerate(rungs)))}
    passing = [at for at, rung in enumerate(rungs) if rung.verdict == "pass"]
    best = [] if ladder.best is None else [ladder.best]
    chosen = sorted(list(dict.fromkeys([*best, *first.values(), *passing]))[:MOST_IN_THE_FILE])
    return chosen, len(rungs) - len(chosen)


def _pictures(report: Report, ladder: Ladder) -> Iterator[Block]:
    from dalenius.report.page.planes import PricedRung, price_and_gain, price_and_people

    for field, words in _PRICES:
        rungs = [
            PricedRung(number, rung, float(value))
            for number, rung in enumerate(ladder.rungs)
            if (value := getattr(rung.price, field)) is not None
        ]
        if len({one.price for one in rungs}) < 2:
            continue
        if any(one.rung.sure is not None or one.rung.nearly is not None for one in rungs):
            tolerated = report.policy.max_certain + report.policy.max_known
            yield price_and_people(rungs, words, None if report.policy.sensitive else tolerated)
        if any(one.rung.advantage is not None for one in rungs):
            yield price_and_gain(rungs, words, _limit(report, ladder))
        yield from _slider(rungs, words)
        left = len(ladder.rungs) - len(rungs)
        if left:
            yield Prose(f"In the table only, since they have another price: {left:,} of the changes.")
        return


def _slider(rungs: Sequence[PricedRung], words: str) -> Iterator[Block]:
    """Move along noise, where there are two steps of it."""
    noise = sorted((one for one in rungs if one.rung.kind == "noise"), key=lambda one: one.price)
    if len(noise) < 2:
        return
    steps = []
    for one in noise:
        sure, nearly = (count_or_blank(count) or "?" for count in (one.rung.sure, one.rung.nearly))
        risk = f"{sure} sure, {nearly} nearly sure; promise: {promised_number(one.rung.promise)}"
        said = f"{one.rung.change}: {words} {plain(one.price)}; {risk}; {one.rung.verdict}."
        steps.append((str(one.number), said))
    yield Slider("Move along the noise", tuple(steps))


def _limit(report: Report, ladder: Ladder) -> float | None:
    """The policy's limit over the guess in the release that is changed."""
    changed = {rung.release for rung in ladder.rungs}
    for finding in report.findings:
        if finding.release in changed and finding.measures and finding.decisive.baseline is not None:
            return report.policy.limit(finding.decisive.baseline.rate)
    return None


def _gain(gain: Gain | None) -> str:
    return "" if gain is None else f"{points(gain.value)} ({from_to(gain.low, gain.high)})"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}" if value >= 0.1 or not value else f"{value:.1%}"
