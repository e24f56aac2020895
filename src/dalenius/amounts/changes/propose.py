"""What may be changed in tables of amounts: rounding, hidden groups, fewer tables and statistics, noise."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dalenius.amounts.case import AmountsCase
from dalenius.amounts.changes.noise import noisy, promised, round_number
from dalenius.amounts.family import FAMILY
from dalenius.auditing.changes.candidate import Candidate
from dalenius.auditing.changes.classes import PublicClasses, coarser
from dalenius.auditing.changes.parts import tables_named
from dalenius.auditing.changes.proposals import Proposals, ToChange, once
from dalenius.auditing.plan_releases import AmountsPlan
from dalenius.findings.report import ChangeKind, Finding
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.mechanisms.stages.rounding import Rounding
from dalenius.progress import Progress, silent
from dalenius.release.amounts import SPREADS, STATISTICS

PARTS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
"""Steps of rounding, in parts of what a group has a person."""

SIZES = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0)
"""Standard deviations of noise, in the same parts."""

BELOW = (3, 5, 10, 20)
MOST_LEFT_OUT = 5
TELLING = ("min", "max", "sd", "variance", "quantiles", "median", "mean")
"""Statistics that may be left out, the most telling first; all quantiles but the median together."""


def propose(asked: ToChange, progress: Progress) -> Proposals:
    """Propose changes of every release of amounts that is not out yet."""
    releases = [cast(AmountsPlan, each) for each in asked.of_kind("amounts")]
    if not releases:
        return Proposals()
    printed, listed = _published(asked)
    usual = _usual([number for _, _, number in printed])
    of_each = {
        release.amount: _usual(
            [number for amount, kind, number in printed if amount == release.amount and kind not in SPREADS]
        )
        for release in releases
    }
    by_kind: dict[ChangeKind, list[Candidate]] = {
        "round": once(asked.plan, _rounded(asked, releases, usual)),
        "hide": once(asked.plan, _hidden(asked, releases)),
        "fewer": once(asked.plan, _fewer(asked, releases)),
        "coarser": once(asked.plan, _coarser(asked, releases, listed)),
    }
    noise = once(asked.plan, [noisy(asked, releases, round_number(size * usual)) for size in SIZES])
    promise, not_tried = promised(asked, releases, of_each)
    return Proposals(by_kind, noise, promise, not_tried)


def _published(asked: ToChange) -> tuple[list[tuple[str, str, float]], Mapping[str, NDArray[np.str_]]]:
    """What groups have a person by the numbers that would be printed, of which amount, and public columns."""
    with FAMILY.open(asked.plan, (), progress=silent) as opened:
        cases = [case for case in opened.cases if isinstance(case, AmountsCase)]
    made = [case.made for case in cases]
    columns = {name: labels for case in cases for name, labels in case.planned.listed.labels.items()}
    each = [
        (
            release.amount,
            one.statistic,
            abs(one.low + one.high) / 2 / (release.groups[one.group].size if one.statistic == "sum" else 1),
        )
        for release in made
        for one in release.said
        if one.statistic != "count" and math.isfinite(one.low + one.high)
    ]
    return each, columns


def _usual(numbers: Sequence[float]) -> float:
    """The middle of some numbers: half are larger."""
    return float(np.median(numbers)) if numbers and np.median(numbers) > 0 else 1.0


def _with(asked: ToChange, releases: Sequence[AmountsPlan], **keys: Any) -> Any:
    return asked.with_releases({release.name: keys for release in releases})


def _rounded(asked: ToChange, releases: Sequence[AmountsPlan], usual: float) -> Iterator[Candidate]:
    now = max((_base(release) for release in releases), default=0.0)
    for part in PARTS:
        base = max(2, round(round_number(part * usual)))
        if base > now:
            plan = _with(asked, releases, mechanism=f"rounding:base={base}")
            yield Candidate("round", f"round to {base:,}", asked.called, plan)


def _base(release: AmountsPlan) -> float:
    stages = parse_mechanism(release.mechanism, "amounts").stages
    return max((float(stage.base) for stage in stages if isinstance(stage, Rounding)), default=0.0)


def _hidden(asked: ToChange, releases: Sequence[AmountsPlan]) -> Iterator[Candidate]:
    """Hide small groups and those that break the p% rule, alone and with further ones against subtraction."""
    now = max(release.hide_below for release in releases)
    part = max(max(release.within, release.hide_p) for release in releases)
    for below in sorted({size for size in (now, *BELOW) if size >= now}):
        for p in sorted({max(release.hide_p for release in releases), part}):
            for more in (False, True):
                if not below and not p:
                    continue
                plan = _with(asked, releases, hide_below=below, hide_p=p, hide_more=more)
                yield Candidate("hide", _said_of_hiding(below, p, more), asked.called, plan)


def _said_of_hiding(below: int, p: float, more: bool) -> str:
    rules = [f"of fewer than {below} people"] * (below > 0) + [f"that break the {100 * p:g}% rule"] * (p > 0)
    return f"hide groups {' or '.join(rules)}{', and further ones against subtraction' * more}"


def _fewer(asked: ToChange, releases: Sequence[AmountsPlan]) -> Iterator[Candidate]:
    """Leave out margins, telling statistics, and tables: the most telling first."""
    kept = tables_named(asked.keep, [tuple(text.split("*")) for one in releases for text in one.groups])
    if any(release.margins for release in releases) and not asked.keep:
        plan = _with(asked, releases, margins=False)
        yield Candidate("fewer", "leave out all totals", asked.called, plan, lost=1)
    for number in range(1, len(TELLING) + 1):
        gone = [
            name for name in TELLING[:number] if any(name in map(_sort, one.statistics) for one in releases)
        ]
        left = {one.name: [name for name in one.statistics if _sort(name) not in gone] for one in releases}
        if gone and all(any(name != "count" for name in names) for names in left.values()):
            plan = asked.with_releases({name: {"statistics": names} for name, names in left.items()})
            yield Candidate("fewer", f"leave out {', '.join(gone)}", asked.called, plan, lost=len(gone))
    telling = _telling(asked.finding)
    for release in releases:
        may = [text for text in release.groups if tuple(text.split("*")) not in kept]
        may.sort(key=lambda text: telling.get(frozenset(text.split("*")), math.inf))
        for number in range(1, min(len(release.groups) - 1, len(may), MOST_LEFT_OUT) + 1):
            gone = may[:number]
            rest = [text for text in release.groups if text not in gone]
            plan = asked.with_releases({release.name: {"groups": rest}})
            yield Candidate("fewer", f"leave out {', '.join(gone)}", release.name, plan, lost=number)


def _sort(statistic: str) -> str:
    return "quantiles" if statistic not in STATISTICS else statistic


def _telling(finding: Finding | None) -> Mapping[frozenset[str], float]:
    """How much is still at risk without a table, where the finding says so."""
    why = None if finding is None else finding.explanation.why
    causes = () if why is None else why.causes
    return {
        frozenset(cause.name.split("*")): cause.without or 0.0 for cause in causes if cause.kind == "table"
    }


def _coarser(
    asked: ToChange, releases: Sequence[AmountsPlan], listed: Mapping[str, NDArray[np.str_]]
) -> Iterator[Candidate]:
    """Propose fewer classes of the columns that the groups are by."""
    used = {name for release in releases for text in release.groups for name in text.split("*")}
    kept = {name for text in asked.keep for name in text.split("*")}
    words = {
        name: dict(Counter(labels.tolist()))
        for name, labels in listed.items()
        if name not in {*asked.plan.columns.bins, *asked.plan.columns.merged}
    }
    classes = PublicClasses(asked.plan.columns.bins, words, frozenset(used - kept))
    return coarser(asked.plan, classes, asked.called)
