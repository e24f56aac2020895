"""What may be changed in means and frequencies: digits, how many of them, and normal noise with a promise."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import cast

from dalenius.auditing.changes.candidate import Candidate
from dalenius.auditing.changes.proposals import Proposals, ToChange, once
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_releases import MEANS, ReleasePlan
from dalenius.errors import InputError, nearest
from dalenius.findings.policy import Policy
from dalenius.findings.report import ChangeKind, Finding
from dalenius.mechanisms.base import plain
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.progress import Progress
from dalenius.shown import several
from dalenius.statistics.parse import FREQUENCIES, check_means
from dalenius.theory.privacy import rho_for_advantage
from dalenius.tracing.files.plan import averaged_columns, open_traits

DIGITS = (4, 3, 2, 1)
"""Digits after the point."""

SHARES = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
"""One of so many means is kept."""

FEWEST = 2
"""Means that a release must have to be worth publishing."""

TELLING = (1, 2, 3, 5, 8)
"""So many of the most telling columns are left out."""

RHOS = (100.0, 50.0, 20.0, 10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
"""What noise promises, from little noise to much."""

UNWRITABLE = "+,|="

NO_LIMITS = "noise: real values have no limits, so one person moves their means without limit."
ONE = "fewer: columns whose names hold one of + , | = cannot be named in a plan."


def propose(asked: ToChange, progress: Progress) -> Proposals:
    """Propose digits, fewer means and noise for every release of means that may be changed."""
    releases = [cast(ReleasePlan, each) for each in asked.of_kind(MEANS)]
    if not releases:
        return Proposals()
    not_tried: list[str] = []
    fewer = [candidate for release in releases for candidate in _fewer(asked, release, not_tried)]
    by_kind: dict[ChangeKind, list[Candidate]] = {
        "round": once(asked.plan, _rounded(asked, releases)),
        "fewer": once(asked.plan, fewer),
    }
    if any(open_traits(asked.plan, release).members.kind == "real" for release in releases):
        return Proposals(by_kind, not_tried=(*not_tried, NO_LIMITS))
    noise = [_noisy(asked, releases, rho) for rho in RHOS]
    promise = None if asked.out else _noisy(asked, releases, rho_for(asked.plan.policy))
    return Proposals(by_kind, noise, promise, tuple(not_tried))


def rho_for(policy: Policy) -> float:
    """Return the largest rho with which no attack tells members from others better than a policy tolerates.

    Two releases, with a person and without, are told apart twice as well as a fair coin is guessed.

    Examples
    --------
    >>> from dalenius.mechanisms.base import Promise
    >>> from dalenius.tracing.build import tracing_bound
    >>> round(tracing_bound(Promise(None, rho_for(Policy(max_advantage=0.1)), "rho")).value, 4)
    0.1
    """
    return rho_for_advantage(policy.max_advantage / 2)


def _rounded(asked: ToChange, releases: Sequence[ReleasePlan]) -> Iterator[Candidate]:
    now = min((_digits(release) for release in releases), default=99)
    for digits in DIGITS:
        if digits < now:
            plan = _with_mechanism(asked, releases, f"rounding:digits={digits}")
            yield Candidate("round", f"round to {several(digits, 'digit')}", asked.called, plan)


def _digits(release: ReleasePlan) -> int:
    """How many digits are published already."""
    stages = [str(stage) for stage in parse_mechanism(release.mechanism or "exact", "means").stages]
    found = [int(text.partition("digits=")[2]) for text in stages if text.startswith("rounding:digits=")]
    return min(found, default=99)


def _with_mechanism(asked: ToChange, releases: Sequence[ReleasePlan], mechanism: str) -> Plan:
    return asked.with_releases({release.name: {"mechanism": mechanism} for release in releases})


def _noisy(asked: ToChange, releases: Sequence[ReleasePlan], rho: float) -> Candidate:
    """Noise that promises this rho, all releases of the same people together."""
    share = rounded_down(rho / len(releases))
    plan = _with_mechanism(asked, releases, f"gaussian:rho={plain(share)}")
    said = f"noise with rho {rho:.3g}"
    return Candidate("noise", said, asked.called, plan, draws=True)


def rounded_down(number: float) -> float:
    """Return a number with three digits that is not above it: more noise rather than less.

    Examples
    --------
    >>> rounded_down(0.0123987)
    0.0123
    """
    unit = 10.0 ** (math.floor(math.log10(number)) - 2)
    return float(f"{math.floor(number / unit + 1e-9) * unit:.6g}")


def _fewer(asked: ToChange, release: ReleasePlan, not_tried: list[str]) -> Iterator[Candidate]:
    """Leave means out: the most telling columns, or all but one of so many."""
    options = check_means(release.statistics[0])
    if options.name == FREQUENCIES:
        yield from _variants(asked, release)
        return
    columns = averaged_columns(asked.plan, release)
    if any(mark in name for name in columns for mark in UNWRITABLE):
        not_tried.append(ONE)
        return
    kept = _kept(asked.keep, columns)
    for gone, said in _left_out(columns, kept, asked.finding):
        text = f"means:columns={'+'.join(name for name in columns if name not in gone)}"
        plan = asked.with_releases({release.name: {"statistics": [text]}})
        yield Candidate("fewer", said, release.name, plan, lost=len(gone))


def _left_out(
    columns: Sequence[str], kept: frozenset[str], finding: Finding | None
) -> Iterator[tuple[frozenset[str], str]]:
    """Which columns are left out, and how that is said."""
    may = [name for name in _telling(finding) if name in columns and name not in kept]
    for number in TELLING:
        gone = may[:number]
        if len(gone) == number and len(columns) - number >= FEWEST:
            named = ", ".join(gone) if number <= 3 else several(number, "column")
            yield frozenset(gone), f"leave out {named}"
    for share in SHARES:
        stay = {*columns[::share]} | kept
        if len(stay) < FEWEST or len(stay) == len(columns):
            continue
        yield frozenset({*columns} - stay), f"publish {len(stay):,} of {len(columns):,} columns"


def _telling(finding: Finding | None) -> list[str]:
    """The columns behind a finding, the most telling first, where it names single ones."""
    why = None if finding is None else finding.explanation.why
    return [] if why is None else [cause.name for cause in why.causes if cause.kind == "column"]


def _kept(keep: Sequence[str], columns: Sequence[str]) -> frozenset[str]:
    for name in keep:
        if name not in columns:
            raise InputError(
                "keep", "must name columns whose means are published", repr(name), nearest(name, columns)
            )
    return frozenset(keep)


def _variants(asked: ToChange, release: ReleasePlan) -> Iterator[Candidate]:
    if asked.keep:
        fix = "Fewer variants are spread evenly over the file."
        raise InputError("keep", "must be left out for frequencies", repr(asked.keep[0]), fix)
    now = int(open_traits(asked.plan, release).members.d)
    for share in SHARES:
        number = -(-now // share)
        if number >= FEWEST:
            text = f"{FREQUENCIES}:variants={number}"
            plan = asked.with_releases({release.name: {"statistics": [text]}})
            said = f"publish {number:,} of {now:,} variants, spread evenly"
            yield Candidate("fewer", said, release.name, plan, lost=now - number)
