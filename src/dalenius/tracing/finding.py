"""What only a finding about tracing says: how many members are recognised, at how many false alarms."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict

from dalenius.findings.measure import Counted, Gain, Measure, Plain
from dalenius.findings.report import Details, Finding

Correction = Literal["bh", "by", "holm", "bonferroni"]


class OverReleases(Plain):
    """The share of members recognised, averaged over independent releases, with Student's interval.

    Verdicts from one release share its noise and the attacker's reference, so they vary together; whole
    releases do not.
    """

    releases: int
    mean: float
    low: float
    high: float


class AtLevel(Measure):
    """What happens at one level, ``at``: the rate of false alarms the attacker allows.

    ``attack`` are the members accused, ``outsiders`` the people not in the data who are, ``left_out`` members
    accused from a release made without them. ``against`` says which of these two is the baseline: the people
    not in the data; the members left out, where those are shown to be accused more often. The ends of the
    advantage come from two exact intervals that each pay half against other people, and from the same members
    paired against the release without them. Where both are compared, the lower end is established against
    both, and the upper end is what neither excludes. ``at_most`` is what the promise says no attack can
    exceed at the measured false alarms (their upper end). ``ppv`` is how often an accusation is right, given
    the stated prior. Where the level is not ``shown`` no p-value can be as small, so that nobody is accused
    whoever is in the data.
    """

    model_config = ConfigDict(extra="forbid")

    at: float
    attack: Counted
    baseline: Counted
    advantage: Gain
    outsiders: Counted
    left_out: Counted | None
    against: Literal["outsiders", "left out"]
    ppv: float | None
    over_releases: OverReleases | None


class GroupRates(Plain):
    """How often other named people, such as relatives of members, are accused; one rate for each level."""

    name: str
    rates: tuple[Counted, ...]


class CurvePoint(Plain):
    """One threshold of the attack: false alarms and members recognised, as measured."""

    false_alarms: float
    recognised: float


class Members(Details):
    """What is known where members were traced.

    ``rigorous`` says whether the attack's levels hold in finite samples under its assumptions; ``level_kept``
    whether the measured false alarms are compatible with them. ``pool`` is how many reference people the
    attacker held; ``smallest`` is the smallest p-value that is possible with them, 0 where nothing limits it.
    ``area`` is how often a member is more suspect than somebody not in the data; ``area_high`` is its upper
    limit at the confidence of the report. ``gap`` is by how much more often members are accused at the
    threshold where that is most, less the same for members who were left out of the release; ``chance`` is
    how large it is in one of 10,000 cases without any difference. ``standing_out`` counts members whose own
    record moves the means farther than chance; ``compared`` is the part of members' values that references
    have too. ``sampled`` is the part of the members whom the means are of, where a sample is published.
    """

    model_config = ConfigDict(extra="forbid")

    asked: Literal["members"] = "members"
    rigorous: bool
    level_kept: bool
    pool: int
    smallest: float
    groups: tuple[GroupRates, ...]
    curve: tuple[CurvePoint, ...]
    area: float
    area_high: float = 0.5
    gap: float = 0.0
    chance: float = 1.0
    standing_out: int = 0
    compared: float = 1.0
    sampled: float = 1.0
    prior: float | None
    releases: int


class GroupAccused(Plain):
    """How many of the accused are like one group of a release, such as its cases."""

    name: str
    people: int | None
    accused: int


class Targets(Details):
    """What is known where people were asked about and nobody knows who is in the data.

    ``held`` says what the attacker compares with. ``alone`` counts p-values at or below the level, each
    target taken alone; ``accused`` counts q-values. Where there are ``alarms`` the level does not hold, and
    nobody is accused; nobody can be where the level is ``out_of_reach``. ``unlike`` counts targets of whom
    nothing is said, since their records are unlike the references'. ``groups`` tell the accused apart where a
    release is of several groups of people.
    """

    model_config = ConfigDict(extra="forbid")

    asked: Literal["targets"] = "targets"
    targets: int
    reference: int
    held: str
    weights: str
    calibration: str
    rigorous: bool
    level: float
    correction: Correction
    accused: int
    unlike: int
    groups: tuple[GroupAccused, ...] = ()
    alone: int
    expected_alone: float
    smallest_p: float
    alarms: tuple[str, ...]
    out_of_reach: bool


class AttackSize(Plain):
    """From how many means an attack recognises the wanted share, and whom it needs for that."""

    name: str
    holds: str
    proven: bool
    means: int
    recognised: float | None


class Sizes(Details):
    """What is predicted before anything is published.

    ``limit``, ``rho`` and ``epsilon`` are of ``means``, the number somebody wants to publish; epsilon at
    delta one in a million. Without noise nothing limits an attack, and they are None.
    """

    model_config = ConfigDict(extra="forbid")

    asked: Literal["sizes"] = "sizes"
    reference: int | None
    false_alarms: float
    recognised: float
    sigma: float
    law: str
    safe: int
    guaranteed: int | None
    attacks: tuple[AttackSize, ...]
    means: int | None
    limit: float | None
    rho: float | None
    epsilon: float | None


class TriedRelease(Plain):
    """What came of one way to publish, on one draw: 0 for the search, 1 and on to confirm it.

    ``recognised`` are members, ``others`` people not in the data, both at ``level``, where the difference is
    established best; ``gain_high`` is the upper end of that difference.
    """

    setting: str
    variants: int
    mechanism: str
    draw: int
    level: float
    recognised: float
    others: float
    gain_high: float
    verdict: Literal["pass", "undecided", "stop"]


class SafeRelease(Plain):
    """The most that is safe along one way to protect; None where nothing that was tried is."""

    way: str
    setting: str | None
    variants: int | None
    mechanism: str | None
    tried: tuple[TriedRelease, ...]


class SafeReleases(Details):
    """What can be published of one's own people, way by way; the first way is to protect nothing."""

    model_config = ConfigDict(extra="forbid")

    asked: Literal["safe"] = "safe"
    reference: int
    variants: int
    false_alarms: float
    limit: float
    ways: tuple[SafeRelease, ...]
    confirmed: int


class WorldsTold(Plain):
    """How well releases of one pair of worlds were told apart, on releases from which nothing was learnt.

    ``low`` is what that refutes, in the units of the promise; ``ceiling`` what no mistake would have refuted.
    """

    pair: str
    trials: int
    told: int
    mistaken: int
    low: float
    ceiling: float
    epsilon_low: float


class PromiseTested(Details):
    """What trials of a program say about its promise, in rho for Gaussian noise and in epsilon otherwise."""

    model_config = ConfigDict(extra="forbid")

    asked: Literal["promise"] = "promise"
    measured: Literal["rho", "epsilon"]
    claimed: float
    epsilon_claimed: float
    delta: float
    low: float
    ceiling: float
    pairs: tuple[WorldsTold, ...]
    columns: int


class TracingFinding(Finding):
    """What tracing got out of one release of means; ``details`` say what was asked."""

    goal: Literal["tracing"] = "tracing"
    details: Members | Targets | Sizes | SafeReleases | PromiseTested


class MembersFinding(TracingFinding):
    """How many members of a release can be recognised, at each level of false alarms."""

    measures: tuple[AtLevel, ...]
    details: Members

    @property
    def reachable(self) -> tuple[AtLevel, ...]:
        """The levels at which somebody could be accused."""
        return tuple(row for row in self.measures if row.shown)

    @property
    def headline(self) -> float:
        """The level that the sentence speaks of."""
        return self.measures[self.deciding or 0].at
