"""Changes of planned statistics about a secret: rounding, hiding, fewer tables, noise."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dalenius.auditing.changes.candidate import Candidate
from dalenius.auditing.changes.parts import ChangeablePart, counts_people, parts_of, protected, without
from dalenius.auditing.changes.scopes import FEW, Scope, ranked, scopes, telling_columns
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_releases import ReleasePlan
from dalenius.mechanisms.base import plain
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.mechanisms.stages.rounding import Rounding
from dalenius.mechanisms.stages.suppression import Suppression
from dalenius.shown import several

BASES = (3, 5, 10, 15, 20, 25, 50, 100)
LARGEST_LOCAL_BASE = 25
"""A few tables in steps of 50 beside others in steps of 5 are of no use to anybody."""

DIGITS = (4, 3, 2, 1)
BELOW = (5, 10, 20)
MOST_LEFT_OUT = 7
COLUMNS_LEFT_OUT = 3

SIZES = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0, 200.0, 500.0)
"""Standard deviations of noise. None is below 1: rounded to whole people, less noise is often no noise."""


@dataclass(frozen=True)
class Ground:
    """What may be changed.

    Parameters
    ----------
    plan
        As it is.
    releases
        The releases about a secret that may be changed.
    public
        The public columns.
    keep
        Tables that must not be left out.
    effects
        By how much less is at risk without each table.
    """

    plan: Plan
    releases: tuple[ReleasePlan, ...]
    public: tuple[str, ...]
    keep: frozenset[tuple[str, ...]] = frozenset()
    effects: Mapping[ChangeablePart, float] = field(default_factory=dict)

    @property
    def parts(self) -> list[ChangeablePart]:
        """All tables that may be changed."""
        return [part for release in self.releases for part in parts_of(release, self.public)]

    @property
    def called(self) -> str:
        """The releases that may be changed, in words."""
        return ", ".join(release.name for release in self.releases)

    def changed(self, releases: Mapping[str, Sequence[ReleasePlan]]) -> Plan:
        """The plan with other releases in the places of some."""
        new = [made for each in self.plan.release for made in releases.get(each.name, [each])]
        return self.plan.model_copy(update={"release": new})

    def protect(self, scope: Scope, mechanism: Mapping[str, str]) -> Plan:
        """The plan with another mechanism, by release, for the tables of a scope."""
        taken = [each.name for each in self.plan.release]
        made = {}
        for release in self.releases:
            parts = parts_of(release, self.public)
            ours = {part: mechanism[release.name] for part in parts if part in scope.parts}
            made[release.name] = protected(release, parts, ours, taken)
        return self.changed(made)

    def leave_out(self, parts: Sequence[ChangeablePart]) -> Plan | None:
        """The plan without some tables; ``None`` if nothing were left."""
        made = {
            release.name: without(
                release, [part for part in parts_of(release, self.public) if part not in parts]
            )
            for release in self.releases
        }
        plan = self.changed(made)
        return plan if plan.release and any(made.values()) else None


def rounded(ground: Ground) -> Iterator[Candidate]:
    """Propose coarser rounding, of counts to a base and of other numbers to digits."""
    if not all(counts_people(release) for release in ground.releases):
        for digits in DIGITS:
            mechanism = {release.name: f"rounding:digits={digits}" for release in ground.releases}
            plan = ground.protect(Scope("", frozenset(ground.parts)), mechanism)
            said = f"round to {several(digits, 'digit')}"
            yield Candidate("round", said, ground.called, plan)
        return
    now = max(_base(release) for release in ground.releases)
    hides = any(_hidden_below(release) for release in ground.releases)
    for base in BASES:
        for scope in scopes(ground.parts, ground.effects):
            if base <= now or (scope.said and base > LARGEST_LOCAL_BASE):
                continue
            for kept in (False, True) if hides else (False,):
                mechanism = {each.name: _rounded(each, base, kept) for each in ground.releases}
                also = "" if not hides else ", hiding as planned" if kept else ", hide nothing"
                said = f"round to {base}{scope.said}{also}"
                yield Candidate("round", said, ground.called, ground.protect(scope, mechanism))


def _rounded(release: ReleasePlan, base: int, hide: bool) -> str:
    below = _suppression(release) if hide else None
    return f"{below} | rounding:base={base}" if below is not None else f"rounding:base={base}"


def hidden(ground: Ground) -> Iterator[Candidate]:
    """Propose to hide small counts, with and without zeros, and with further cells that protect them."""
    if not all(counts_people(release) for release in ground.releases):
        return
    now = max(_hidden_below(release) for release in ground.releases)
    for below in (size for size in BELOW if size >= now):
        for zeros in ("keep", "hide"):
            for more in ("no", "yes"):
                for scope in _first_and_last(scopes(ground.parts, ground.effects)):
                    yield _hide(ground, scope, Suppression(below, zeros, more == "yes"))


def _hide(ground: Ground, scope: Scope, how: Suppression) -> Candidate:
    mechanism = {}
    for release in ground.releases:
        base = _base(release)
        mechanism[release.name] = f"{how} | rounding:base={base}" if base > 1 else str(how)
    zeros = "zeros too" if how.zeros == "hide" else "zeros shown"
    more = ", and further cells against subtraction" if how.complementary else ""
    said = f"hide counts below {how.below} ({zeros}){scope.said}{more}"
    return Candidate("hide", said, ground.called, ground.protect(scope, mechanism))


def fewer(ground: Ground) -> Iterator[Candidate]:
    """Propose to leave tables out: the most telling ones, then all by the most telling columns."""
    parts = ground.parts
    may = [part for part in ranked(parts, ground.effects) if part.columns not in ground.keep]
    chosen = [may[:number] for number in range(1, min(MOST_LEFT_OUT, len(may)) + 1)]
    said = [_left_out(each) for each in chosen]
    for name in telling_columns(parts, ground.effects)[:COLUMNS_LEFT_OUT]:
        by = [part for part in parts if name in part.columns]
        if not any(part.columns in ground.keep for part in by):
            chosen.append(by)
            many = f"leave out the {several(len(by), 'table')} by {name}"
            said.append(many if len(by) > 1 else _left_out(by))
    for each, words in zip(chosen, said, strict=True):
        plan = ground.leave_out(each)
        if plan is not None and len(each) < len(parts):
            yield Candidate("fewer", words, ground.called, plan, lost=len(each))


def _left_out(parts: Sequence[ChangeablePart]) -> str:
    if len(parts) > FEW:
        return f"leave out {several(len(parts), 'table')}"
    return f"leave out {', '.join(part.name for part in parts)}"


def noisy(ground: Ground, square: float) -> list[Candidate]:
    """Propose normal noise on every number, from little to much.

    ``square`` is how far one person moves all numbers together, squared.
    """
    return [_noise(ground, size, square) for size in SIZES]


def promised(ground: Ground, size: float, square: float) -> Candidate:
    """Propose noise of the size that keeps a promise which meets the policy."""
    return _noise(ground, size, square)


def _noise(ground: Ground, size: float, square: float) -> Candidate:
    everything = Scope("", frozenset(ground.parts))
    mechanism = {release.name: f"gaussian:sigma={plain(size)}" for release in ground.releases}
    said = f"noise, standard deviation {plain(size)} (rho {square / (2 * size * size):.2g})"
    return Candidate("noise", said, ground.called, ground.protect(everything, mechanism), draws=True)


def size_for(square: float, rho: float) -> float:
    """Return the least noise with which numbers that one person moves so far promise rho, rounded up.

    Examples
    --------
    >>> size_for(2.0, 0.5)
    1.42
    """
    size = math.sqrt(square / (2 * rho))
    digits = 10.0 ** (math.floor(math.log10(size)) - 2)
    return float(f"{math.ceil(size / digits - 1e-9) * digits:.6g}")


def _first_and_last(found: Sequence[Scope]) -> list[Scope]:
    return [found[0], found[-1]] if len(found) > 1 else list(found)


def _base(release: ReleasePlan) -> int:
    stages = parse_mechanism(release.mechanism or "exact").stages
    return max((stage.base for stage in stages if isinstance(stage, Rounding)), default=1)


def _suppression(release: ReleasePlan) -> Suppression | None:
    stages = parse_mechanism(release.mechanism or "exact").stages
    return next((stage for stage in stages if isinstance(stage, Suppression)), None)


def _hidden_below(release: ReleasePlan) -> int:
    found = _suppression(release)
    return 0 if found is None else found.below
