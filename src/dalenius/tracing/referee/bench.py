"""Count how often tracing is right: members recognised, and outsiders falsely accused, at the same levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.findings.tally import Tally
from dalenius.tracing.attack.accusations import Accusations

LEVELS = (1e-1, 1e-2, 1e-3, 1e-4)
"""False-alarm rates at which an attacker may choose to accuse."""

POINTS = 200
"""Points of a curve, at most."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RocCurve:
    """How many members are recognised as more outsiders are falsely accused, by measured rates.

    Parameters
    ----------
    false_alarms, recognised
        From (0, 0) to (1, 1).
    area
        Under the whole curve: how often a member is more suspect than an outsider; one half is chance.
    gap
        The largest difference of the two rates at any threshold, 0 or more.
    """

    false_alarms: Floats
    recognised: Floats
    area: float
    gap: float = 0.0


@dataclass(frozen=True)
class TracingJudgement:
    """What the referee counted about one attack; one tally per level in every group.

    Parameters
    ----------
    levels
        The false-alarm rates that the attacker allowed.
    members
        How many members were accused, that is recognised.
    outsiders
        How many people who are not in the data were accused.
    control
        How many members were accused from a release made without them: people like the members in everything
        but being in the data. None if the release could not be made again.
    paired
        Of the same members, how many are accused from the release alone, and how many from the one made
        without them alone. None without a control.
    groups
        The same for other named people, such as relatives.
    curve
        Members against outsiders at all thresholds.
    each
        The rates of the members, one row per release where there were several, one column per level.
    method
        Weights and calibration of the attack.
    rigorous
        Whether the calibration keeps its level in finite samples, under its assumptions.
    pool
        How many reference people the attacker held, at least.
    smallest
        The smallest p-value that was possible in every round: nobody can be accused at a level below it.
    notes
        What the attack said besides, in its first round.
    left_out_gap
        The same gap as the curve's, from a release made without the members; 0 without a control.
    """

    levels: tuple[float, ...]
    members: tuple[Tally, ...]
    outsiders: tuple[Tally, ...]
    control: tuple[Tally, ...] | None
    paired: tuple[tuple[int, int], ...] | None
    groups: Mapping[str, tuple[Tally, ...]]
    curve: RocCurve
    each: Floats
    method: str
    rigorous: bool
    pool: int
    smallest: float
    notes: tuple[str, ...]
    left_out_gap: float = 0.0


@dataclass
class Bench:
    """Collects accusations by group, round by round; those of members release by release. Then counts."""

    levels: tuple[float, ...] = LEVELS
    members: list[list[Accusations]] = field(default_factory=list)
    outsiders: list[Accusations] = field(default_factory=list)
    control: list[Accusations] = field(default_factory=list)
    groups: dict[str, list[Accusations]] = field(default_factory=dict)
    pool: int = 0

    def judge(self) -> TracingJudgement:
        """Count.

        Raises
        ------
        InputError
            If nobody was judged, or a level is not a probability.
        """
        if not all(0 < level < 1 for level in self.levels):
            raise InputError("levels", "must lie strictly between 0 and 1", str(self.levels))
        # Counts are of the first release: the same people judged on several are not as many people.
        ours = self.members[0] if self.members else []
        if not ours or not self.outsiders:
            raise InputError("accusations", "must be about members and outsiders", "an empty group")
        everything = [*ours, *self.outsiders]
        return TracingJudgement(
            levels=self.levels,
            members=tally(ours, self.levels),
            outsiders=tally(self.outsiders, self.levels),
            control=tally(self.control, self.levels) if self.control else None,
            paired=pairs(ours, self.control, self.levels) if self.control else None,
            groups={name: tally(given, self.levels) for name, given in self.groups.items()},
            curve=curve(ours, self.outsiders),
            left_out_gap=curve(self.control, self.outsiders).gap if self.control else 0.0,
            each=np.array([[t.rate for t in tally(given, self.levels)] for given in self.members]),
            method=" or ".join(dict.fromkeys(f"{a.weights}, {a.calibration}" for a in everything)),
            rigorous=all(a.rigorous for a in everything),
            pool=self.pool,
            smallest=max(a.smallest for a in everything),
            notes=ours[0].notes + tuple(f"Doubted: {doubt}." for doubt in ours[0].doubts),
        )


def tally(accusations: Sequence[Accusations], levels: Sequence[float]) -> tuple[Tally, ...]:
    """Count who is accused at each level."""
    return tuple(
        Tally(
            sum(int(a.verdict(level).sum()) for a in accusations),
            sum(a.p_value.size for a in accusations),
        )
        for level in levels
    )


def pairs(
    ours: Sequence[Accusations], control: Sequence[Accusations], levels: Sequence[float]
) -> tuple[tuple[int, int], ...]:
    """Count, at each level, who is accused from the one release and not from the other.

    Both are about the same people, round by round in the same order.
    """
    both = [
        [(one.verdict(level), other.verdict(level)) for one, other in zip(ours, control, strict=True)]
        for level in levels
    ]
    return tuple(
        (sum(int((a & ~b).sum()) for a, b in at), sum(int((b & ~a).sum()) for a, b in at)) for at in both
    )


def curve(members: Sequence[Accusations], outsiders: Sequence[Accusations]) -> RocCurve:
    """Return members recognised against outsiders accused, at every threshold of the p-value.

    Ties of the p-value, as where it is a bound of 1, are ordered by the score.
    """
    suspicion = _ranks([*members, *outsiders])
    size = sum(a.p_value.size for a in members)
    ours, theirs = np.sort(suspicion[:size]), np.sort(suspicion[size:])
    # how often a member is more suspect than an outsider, ties counted half (Mann and Whitney 1947)
    below = np.searchsorted(theirs, ours, "left") + np.searchsorted(theirs, ours, "right")
    area = float(below.sum() / (2 * ours.size * theirs.size))
    cuts = np.unique(suspicion)[::-1]
    alarms = np.r_[0.0, 1 - np.searchsorted(theirs, cuts, "left") / theirs.size]
    found = np.r_[0.0, 1 - np.searchsorted(ours, cuts, "left") / ours.size]
    gap = float((found - alarms).max())
    if alarms.size > POINTS:
        # even steps on the logarithmic scale: the small false-alarm rates are what matters
        spread = np.geomspace(0.5 / theirs.size, 1.0, POINTS - 2)
        keep = np.unique(np.r_[0, np.searchsorted(alarms, spread, "right") - 1, alarms.size - 1])
        alarms, found = alarms[keep], found[keep]
    return RocCurve(alarms, found, area, gap)


def _ranks(accusations: Sequence[Accusations]) -> Floats:
    """How suspect each person is, as a rank from 0; equal where p-value and score are."""
    log_p = np.concatenate([a.log_p for a in accusations])
    score = np.concatenate([a.score for a in accusations])
    order = np.lexsort((score, -log_p))
    steps = (np.diff(log_p[order]) != 0) | (np.diff(score[order]) != 0)
    ranks = np.empty(order.size)
    ranks[order] = np.r_[0, np.cumsum(steps)]
    return ranks
