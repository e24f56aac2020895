"""The shape of a finding about singling out: how often one person alone meets a condition, beside luck."""

from __future__ import annotations

import math
from typing import Literal

from dalenius.findings.finding import Bound, Plain, Rate
from dalenius.findings.severity import Severity

Outcome = Literal["demonstrated", "no advantage", "not shown", "no verdict"]
Unit = Literal["conditions", "rounds"]


class AtWeight(Plain):
    """What happened with conditions that at most one share of all people meets.

    ``success`` is None where nobody could count: without the original, or without people to weigh with.
    ``expected`` is what the attack itself expects. ``baseline`` is how often the best condition of this
    weight isolates somebody without the release; ``p_value`` how likely luck alone would succeed as often.
    ``shown`` says whether so small a weight could be shown at all. ``low`` is the cautious end of the
    advantage: the lower end of the success, less luck, less the chance that a weight is larger than said.
    ``at_most`` is the success that no attack exceeds, by a theorem about the mechanism.
    """

    weight: float
    success: Rate | None
    expected: float | None
    baseline: float
    p_value: float | None
    advantage: float | None
    low: float | None
    high: float | None
    at_most: float | None
    shown: bool = True


class OtherPeople(Plain):
    """The control: what isolates somebody although it cannot know these people.

    ``kept`` says whether its rate is compatible with luck; if it is above, something is wrong with the
    weights, and no advantage counts.
    """

    what: str
    success: Rate
    baseline: float
    kept: bool


class AsTheyAre(Plain):
    """What the columns released as they are give away by themselves, whoever else there is.

    ``people`` are those whose values nobody else has, in the release and in the data. ``luck`` is at most
    what conditions as rare would isolate without the release; ``identifying`` names the columns in which
    nearly everybody has a value of their own.
    """

    columns: tuple[str, ...]
    identifying: tuple[str, ...]
    people: int
    luck: float
    advantage: float
    low: float


class Together(Plain):
    """All people who are alone in the release, one condition each, beside as many others.

    Luck comes from how often the same conditions match one of other people, all conditions together: no
    single one needs to be shown to be rare.
    """

    success: Rate
    luck: float
    advantage: float
    low: float
    high: float


class SinglingOutFinding(Plain):
    """What singling out got out of one release.

    ``unit`` says what was counted: conditions about one release, or rounds of a game in which people are
    drawn anew. ``weight`` is the limit that says most, by the cautious end of the advantage there; the
    verdict follows every limit, and their intervals pay for each other.
    ``singled_out`` is how many different people some condition matched alone, on average over the rounds of a
    game. ``undecided`` says why the numbers decide nothing, if they do not. ``reached`` is what Theorem 6.1
    lets an attacker reach in a class of this release that is light enough. ``epsilon`` is the least one with
    which differential privacy would allow the success. ``law`` is what the result means for a claim of
    anonymity, ``not_shown`` what nobody should read into it.
    """

    release: str
    goal: Literal["singling-out"] = "singling-out"
    attack_method: str
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    people: int
    mechanism: str
    promise: str | None
    source: str
    unit: Unit
    weight: float
    weight_error: float
    limits: tuple[AtWeight, ...]
    singled_out: float | None
    k: int | None
    reached: float | None
    epsilon: float | None
    as_they_are: AsTheyAre | None = None
    together: Together | None = None
    control: OtherPeople | None
    bound: Bound | None
    outcome: Outcome
    undecided: str | None
    assumptions: tuple[str, ...]
    law: tuple[str, ...]
    not_shown: tuple[str, ...]
    confidence: float
    looks: int
    severity: Severity
    severity_reason: str
    sentence: str

    @property
    def deciding(self) -> AtWeight:
        """The limit that says most."""
        return next(at for at in self.limits if math.isclose(at.weight, self.weight, rel_tol=1e-9))
