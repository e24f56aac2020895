"""What changed between two reports: verdicts, people at risk, gains; and what makes them hard to compare."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dalenius.findings.measure import Gain, Verdict
from dalenius.findings.policy import RANK, from_to, points
from dalenius.findings.report import Finding, Report
from dalenius.report.page.blocks import plain
from dalenius.report.page.questions import words_of

_ABSENT = "not there"


@dataclass(frozen=True)
class ChangedRow:
    """One number or verdict of a release, before and after, and whether that is better."""

    release: str
    what: str
    before: str
    after: str
    change: str


@dataclass(frozen=True)
class ReportChanges:
    """Two reports side by side: what makes them hard to compare, and what changed."""

    verdict: str
    warnings: tuple[str, ...]
    rows: tuple[ChangedRow, ...]


def compare(before: Report, after: Report) -> ReportChanges:
    """Hold two reports side by side, release by release and question by question."""
    verdict = _turn(before.verdict, after.verdict)
    rows = [*_verdicts(before, after), *_findings(before, after)]
    return ReportChanges(
        f"{before.verdict} before, {after.verdict} after: {verdict}.",
        tuple(_warnings(before, after)),
        tuple(rows),
    )


def _warnings(before: Report, after: Report) -> Iterator[str]:
    if before.data != after.data:
        yield "the data is another one: what changed may be the people, not the protection."
    if before.seed != after.seed:
        yield f"the seeds differ ({before.seed} and {after.seed}): a part of the change is chance."
    if before.policy != after.policy:
        changed = [
            name
            for name in type(before.policy).model_fields
            if getattr(before.policy, name) != getattr(after.policy, name)
        ]
        yield f"the rules differ ({', '.join(changed)}): verdicts are not by the same measure."
    if before.dalenius_version != after.dalenius_version:
        yield (
            f"the versions differ ({before.dalenius_version} and {after.dalenius_version}): the attacks may "
            "be others."
        )
    if not {f.release for f in before.findings} & {f.release for f in after.findings}:
        yield "no release has the same name in both: nothing stands side by side."


def _verdicts(before: Report, after: Report) -> Iterator[ChangedRow]:
    was = {each.release: each.verdict for each in before.verdicts}
    now = {each.release: each.verdict for each in after.verdicts}
    for release in dict.fromkeys([*was, *now]):
        one, two = was.get(release), now.get(release)
        turned = _turn(one, two) if one is not None and two is not None else ""
        yield ChangedRow(release, "verdict", one or _ABSENT, two or _ABSENT, turned)


def _turn(before: Verdict, after: Verdict) -> str:
    """Say whether a verdict got better."""
    if before == after:
        return "the same"
    return "better" if RANK[after] < RANK[before] else "worse"


def _findings(before: Report, after: Report) -> Iterator[ChangedRow]:
    was = {(f.goal, f.release): f for f in before.findings}
    now = {(f.goal, f.release): f for f in after.findings}
    for goal, release in dict.fromkeys([*was, *now]):
        one, two = was.get((goal, release)), now.get((goal, release))
        yield from _numbers(goal, release, one, two)


def _numbers(goal: str, release: str, one: Finding | None, two: Finding | None) -> Iterator[ChangedRow]:
    counts = {
        "sure": [None if found is None else found.certain for found in (one, two)],
        "nearly sure": [None if found is None else found.known for found in (one, two)],
    }
    for what, (first, second) in counts.items():
        if first is None and second is None:
            continue
        change = "" if first is None or second is None else f"{second - first:+,}"
        yield ChangedRow(release, f"people {what}", _count(first), _count(second), change)
    gains = [None if f is None or not f.measures else f.decisive.advantage for f in (one, two)]
    if gains[0] is None and gains[1] is None:
        return
    shown = next(f for f in (one, two) if f is not None and f.measures)
    share = shown.decisive.unit == "share"
    said = [_gain(gain, share=share) for gain in gains]
    what = f"gain, {words_of(goal).title}" if share else "nu above epsilon"
    yield ChangedRow(release, what, said[0], said[1], _moved(gains[0], gains[1], share=share))


def _moved(one: Gain | None, two: Gain | None, *, share: bool) -> str:
    """By how much a gain moved; intervals that overlap do not tell."""
    if one is None or two is None:
        return ""
    moved = two.value - one.value
    said = f"{'+' * (moved > 0)}{points(moved)} points" if share else f"{moved:+.3g}"
    apart = two.low > one.high or one.low > two.high
    return said if apart or moved == 0 else f"{said}, intervals overlap"


def _gain(gain: Gain | None, *, share: bool) -> str:
    if gain is None:
        return _ABSENT
    if not share:
        return f"{gain.value:.4g}"
    return f"{points(gain.value)} points ({from_to(gain.low, gain.high)})"


def _count(number: int | None) -> str:
    return _ABSENT if number is None else plain(number)
