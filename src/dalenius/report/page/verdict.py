"""The first sentences of a page, and what would make it pass.

The first sentences of a page: how many people, which value, why, and the cheapest change that passes.

What would make it pass: the ladder of changes with prices, section 3 of a page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dalenius.findings.measure import Gain
from dalenius.findings.policy import RANK, WORDS, Policy, from_to, points, promised_number
from dalenius.findings.report import Finding, Ladder, Report, Rung, only_some_values
from dalenius.report.page.blocks import Block, CellGrid, Items, Prose, Slider, VerdictBox, plain
from dalenius.report.page.charts import PricedRung, price_and_gain, price_and_people
from dalenius.report.page.questions import in_words
from dalenius.shown import people

_HEADLINES = {
    "pass": ("PASS", "Nothing was found that breaks the rules."),
    "stop": ("STOP", "Do not publish this as it is: the rules are broken."),
    "undecided": ("UNDECIDED", "Not shown to keep to the rules: that is no permission to publish."),
}

EXTERNAL = {
    "pass": "It was attacked before publication, as described below; nothing found breaks the rules.",
    "stop": "It was attacked before publication, as described below; as it was then, it breaks the rules.",
    "undecided": "It was attacked before publication, as described below; that does not decide whether it "
    "keeps to the rules.",
}
"""What is said to the world, without numbers of people."""


MOST_REASONS = 6
"""So many reasons stand in the box on top of a page."""


def verdict_box(report: Report, *, external: bool = False) -> VerdictBox:
    """Return what stands in the box on top of a page."""
    word, headline = _HEADLINES[report.verdict]
    worst = speaking(report)
    if external:
        sentences: tuple[str, ...] = (EXTERNAL[report.verdict],)
    elif worst is None:
        sentences = ()
    else:
        sentences = tuple(_sentences(report, worst))
    reasons = () if external else _few(_reasons(report, worst))
    return VerdictBox(report.verdict, word, headline, sentences, reasons, releases(report, external=external))


def _few(reasons: tuple[str, ...]) -> tuple[str, ...]:
    """The first reasons: a box is read, and the table of all numbers has every one."""
    if len(reasons) <= MOST_REASONS:
        return reasons
    return (*reasons[:MOST_REASONS], f"And {len(reasons) - MOST_REASONS:,} more: see section 9.")


def speaking(report: Report) -> Finding | None:
    """Return the finding that a page speaks of first: of the worst release, the gravest one."""
    rank = {each.release: RANK[each.verdict] for each in report.verdicts}
    order = sorted(
        report.findings, key=lambda f: (-rank.get(f.release, 0), -WORDS.index(f.severity), -at_risk(f))
    )
    return order[0] if order else None


def at_risk(finding: Finding) -> int:
    """How many people are certain or as good as known."""
    return (finding.certain or 0) + (finding.known or 0)


def _sentences(report: Report, finding: Finding) -> Iterator[str]:
    yield _how_many(report, finding)
    why = finding.explanation.why
    if why is not None and why.causes:
        worst = why.causes[0]
        if worst.without is not None and worst.without < why.whole:
            named = worst.name if worst.name.startswith(worst.kind) else f"{worst.kind} {worst.name}"
            yield (
                f"Most of it comes from {named}: without it {plain(worst.without)} instead "
                f"of {plain(why.whole)} ({why.counted})."
            )
    yield cheapest(report)
    if (values := only_some_values(report)) is not None:
        yield values
    if report.passing and report.verdict != "pass":
        yield f"What passes: {', '.join(report.passing)}."


def _how_many(report: Report, finding: Finding) -> str:
    """Say how many people and which value; where the question is another one, in the family's words."""
    sure, both = finding.certain or 0, at_risk(finding)
    if finding.goal != "reconstruction" or not both or finding.people is None:
        return finding.sentence
    verb = "it is" if sure == both else f"for {sure:,} of them it is"
    arithmetic = f" {verb[0].upper()}{verb[1:]} plain arithmetic." if sure else ""
    secret = report.data.secret or "the secret"
    return (
        f"From {finding.release!r} alone, somebody with a list of these people is sure or nearly sure about "
        f"{secret} of {both:,} of {people(finding.people)}{_by_value(finding, report.policy)}.{arithmetic}"
    )


def _by_value(finding: Finding, policy: Policy) -> str:
    rows = [row for row in finding.explanation.learned if row.value is not None]
    counts = {row.value: (row.sure or 0) + (row.nearly or 0) for row in rows}
    told = [f"{value}: {count:,}" for value, count in counts.items() if count]
    if policy.sensitive is not None and told:
        return f" ({', '.join(told)}; your rules are about {', '.join(policy.sensitive)})"
    return f" ({', '.join(told)})" if told else ""


def cheapest(report: Report) -> str:
    """Say which change passes at the least price, that none does, or that none was looked for."""
    ladder = report.ladder
    if ladder is None:
        if report.verdict == "pass":
            return "No change is needed under these rules."
        return "Which change would make it pass was not looked for."
    if ladder.best is None:
        return "No change in the list that was tried passes."
    best = ladder.rungs[ladder.best]
    if best.kind == "as planned":
        return "No change is needed under these rules."
    kept = f"; it passed again in {best.kept:,} of {best.tried:,} tries" if best.tried else ""
    return f"Cheapest change that passes your rules: {best.change}{kept} (see section 3)."


def _reasons(report: Report, finding: Finding | None) -> tuple[str, ...]:
    """The rules that decide about the release that the page speaks of; where several are as bad, of each."""
    worst = [each for each in report.verdicts if each.verdict == report.verdict and each.reasons]
    if len(worst) > 1 and report.verdict != "pass":
        return tuple(f"{each.release}: {each.reasons[0]}" for each in worst)
    for each in report.verdicts:
        if finding is not None and each.release == finding.release and each.reasons:
            return each.reasons
    return report.reasons


def releases(report: Report, *, external: bool = False) -> CellGrid:
    """Every release with its protection and verdict, and, inside the house, people at risk."""
    verdicts = {each.release: each.verdict for each in report.verdicts}
    rows, seen = [], set()
    for finding in report.findings:
        verdict = verdicts.get(finding.release, "no rule")
        promise = (finding.promise or "none").partition(";")[0]  # what it rests on is in the annex
        cells = [finding.release, verdict, in_words(finding.mechanism), promise]
        if not external:
            cells += [_count(finding.certain), _count(finding.known)]
        elif finding.release in seen:
            continue
        seen.add(finding.release)
        rows.append(tuple(cells))
    failed = [one.release for one in report.not_run if one.release not in seen]
    blank = [] if external else ["", ""]
    rows += [(name, verdicts.get(name, "undecided"), "", "", *blank) for name in dict.fromkeys(failed)]
    head = ("publication", "verdict", "protection", "promise", *(() if external else ("sure", "nearly sure")))
    used = [j for j in range(len(head)) if j < 4 or any(row[j] for row in rows)]
    cells_used = tuple(tuple(row[j] for j in used) for row in rows)
    return CellGrid("Publications and their verdicts", tuple(head[j] for j in used), cells_used, words=4)


def short_source(source: str) -> str:
    """Name what was audited without the folders of the machine it lay on.

    Examples
    --------
    >>> short_source("/home/ann/study/people.csv"), short_source("example fair")
    ('people.csv', 'example fair')
    """
    return source.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] or source


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


NOT_LOOKED_FOR = (
    "What would make it pass was not looked for. The command dalenius remedy tries changes of a plan."
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
        *_pictures(report, ladder),
        Prose(f"Allowed were: {', '.join(ladder.allowed) or 'none'}."),
        *([Items(ladder.not_tried)] if ladder.not_tried else []),
    )


def protections(report: Report) -> tuple[Block, ...]:
    """The same section for the world: protection, promise and verdict."""
    return (releases(report, external=True),)


def _without_ladder(report: Report) -> Iterator[Block]:
    if report.verdict == "pass":
        yield Prose("It passes as it is; cheaper protection was not looked for.")
        return
    yield Prose(NOT_LOOKED_FOR)
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
            _count(rung.sure),
            _count(rung.nearly),
            _gain(rung.advantage),
            _share(rung.price.hidden),
            "" if rung.price.mean_error is None else plain(rung.price.mean_error),
            _count(rung.price.lost),
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
    said += [] if price.lost is None else [f"{price.lost:,} left out"]
    said += [] if price.adds_up is not False else ["rows no longer add up to totals"]
    return ", ".join(said) or "no price known"


def _pictures(report: Report, ladder: Ladder) -> Iterator[Block]:
    for field, words in _PRICES:
        rungs = [
            PricedRung(number, rung, float(value))
            for number, rung in enumerate(ladder.rungs)
            if (value := getattr(rung.price, field)) is not None
        ]
        if len({one.price for one in rungs}) < 2:
            continue
        if any(one.rung.sure is not None or one.rung.nearly is not None for one in rungs):
            yield price_and_people(rungs, words, report.policy.max_certain + report.policy.max_known)
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
        risk = f"{_count(one.rung.sure) or '?'} sure, {_count(one.rung.nearly) or '?'} nearly sure"
        promise = one.rung.promise or "no promise"
        steps.append(
            (
                str(one.number),
                f"{one.rung.change}: {words} {plain(one.price)}; {risk}; {promise}; {one.rung.verdict}.",
            )
        )
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
