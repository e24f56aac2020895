"""The shape of a finding about tracing: how many members are recognised, at how many false alarms."""

from __future__ import annotations

from typing import Literal

from dalenius.findings.finding import Bound, Plain, Rate
from dalenius.findings.severity import Severity


class OverReleases(Plain):
    """The share of members recognised, averaged over independent releases, with Student's interval.

    Verdicts from one release share its noise and the attacker's reference, so they vary together; whole
    releases do not.
    """

    releases: int
    mean: float
    low: float
    high: float


class TracingRate(Plain):
    """What happens at one level: the rate of false alarms the attacker allows.

    ``control`` are members accused from a release made without them. ``baseline`` is the people not in the
    data; the control, where that is shown to be accused more often than these. ``advantage`` is the members'
    rate less that of the baseline. ``low`` and ``high`` hold it: against other people from two exact
    intervals that each pay half, against the control from the same members paired. Where both are compared,
    ``low`` is established against both, and ``high`` is what neither excludes. ``bound`` is what the promise
    says no attack can exceed at the measured false alarms (their upper end). ``ppv`` is how often an
    accusation is right, given the stated prior. Where the level is not ``reachable`` no p-value can be as
    small, so that nobody is accused whoever is in the data: such a row says nothing and decides nothing.
    """

    level: float
    reachable: bool
    members: Rate
    outsiders: Rate
    control: Rate | None
    baseline: Literal["outsiders", "control"]
    advantage: float
    low: float
    high: float
    bound: float | None
    ppv: float | None
    over_releases: OverReleases | None


class GroupRates(Plain):
    """How often other named people, such as relatives of members, are accused; one rate a level."""

    name: str
    rates: tuple[Rate, ...]


class CurvePoint(Plain):
    """One threshold of the attack: false alarms and members recognised, as measured."""

    false_alarms: float
    recognised: float


class TracingFinding(Plain):
    """What tracing got out of one release of means.

    ``rigorous`` says whether the attack's levels hold in finite samples under its assumptions; ``level_kept``
    whether the measured false alarms are compatible with them. ``pool`` is how many reference people the
    attacker held; ``smallest`` is the smallest p-value that is possible with them, 0 where nothing limits it.
    ``headline`` is the level that the sentence speaks of. ``looks`` is how
    many findings the intervals hold together for, all their levels included.
    """

    release: str
    goal: Literal["tracing"] = "tracing"
    attack_method: str
    rigorous: bool
    level_kept: bool
    notes: tuple[str, ...]
    people: int
    pool: int
    smallest: float
    numbers: int
    mechanism: str
    promise: str | None
    rates: tuple[TracingRate, ...]
    headline: float
    groups: tuple[GroupRates, ...]
    curve: tuple[CurvePoint, ...]
    area: float
    prior: float | None
    releases: int
    bound: Bound | None
    assumptions: tuple[str, ...]
    confidence: float
    looks: int
    severity: Severity
    severity_reason: str
    sentence: str

    @property
    def reachable(self) -> tuple[TracingRate, ...]:
        """The rates at levels at which somebody could be accused."""
        return tuple(rate for rate in self.rates if rate.reachable)

    @property
    def at_headline(self) -> TracingRate:
        """The rates at the level at which most is established."""
        return next(rate for rate in self.rates if rate.level == self.headline)
