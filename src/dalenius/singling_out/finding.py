"""The shape of a finding about singling out: how often one person alone meets a condition, beside luck."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict

from dalenius.findings.measure import Counted, Gain, Measure, Plain, Rate
from dalenius.findings.report import Details, Finding

Evidence = Literal["demonstrated", "no advantage", "not shown", "not counted"]
"""What an attack showed; the verdict is the policy's."""

Unit = Literal["conditions", "rounds"]


class AtWeight(Measure):
    """What happened with conditions that at most one share of all people, ``at``, meets.

    ``attack`` is how often they match one person alone, None where nobody could count: without the original,
    or without people to weigh with. ``expected`` is what the attack itself expects. ``baseline`` is how often
    the best condition of this weight isolates somebody without the release; ``p_value`` how likely luck alone
    would succeed as often. ``shown`` says whether so small a weight could be shown at all. The lower end of
    the advantage is the cautious one: the lower end of the success, less luck, less the chance that a weight
    is larger than said. ``at_most`` is the success that no attack exceeds, by a theorem about the mechanism.
    """

    model_config = ConfigDict(extra="forbid")

    at: float
    attack: Counted | None
    baseline: Rate
    expected: float | None


class OtherPeople(Plain):
    """The control: what isolates somebody although it cannot know these people.

    ``kept`` says whether its rate is compatible with luck; if it is above, something is wrong with the
    weights, and no advantage counts.
    """

    what: str
    success: Counted
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

    success: Counted
    luck: float
    advantage: float
    low: float
    high: float


class ConditionDetails(Details):
    """What is known where conditions were counted, about one release or in rounds of a game.

    ``unit`` says what was counted: conditions about one release, or rounds of a game in which people are
    drawn anew. ``singled_out`` is how many different people some condition matched alone, on average over the
    rounds of a game. ``reached`` is what Theorem 6.1 lets an attacker reach in a class of this release that
    is light enough. ``epsilon`` is the least one with which differential privacy would allow the success.
    ``law`` is what the result means for a claim of anonymity.
    """

    model_config = ConfigDict(extra="forbid")

    asked: Literal["conditions"] = "conditions"
    source: str
    unit: Unit
    weight_error: float
    singled_out: float | None
    k: int | None
    reached: float | None
    epsilon: float | None
    as_they_are: AsTheyAre | None = None
    together: Together | None = None
    control: OtherPeople | None
    evidence: Evidence
    law: tuple[str, ...]


class CopiesSeen(Plain):
    """Whom the released rows of one reach point at, and whether that is luck.

    ``original`` and ``control`` count people whom a row points at alone, on either side. ``chance`` is how
    likely as many would be originals by luck; ``at_best`` the least chance that so small a control could
    show. ``beyond_luck`` is the share of originals pointed at beyond luck, and ``at_most`` how many of them
    it may be, if the control saw as few others as it might.
    """

    reach: str
    equal: bool
    original: int
    control: int
    chance: float
    at_best: float
    beyond_luck: Gain
    at_most: float


class Linking(Plain):
    """Whether two files of the same people can be joined through released rows.

    ``wrong_pairs`` is how often halves of different people have a nearest row in common, by ``k``: luck.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    k: tuple[int, ...]
    wrong_pairs: tuple[Counted, ...]


class Inferring(Plain):
    """Whether released rows tell the secret of people of whom all else is known.

    ``within`` is how near a number counts as right. ``predictor`` says what learnt best from how many other
    people, and ``about_others`` how often it is right about those of them whom it has not seen. ``beside`` is
    the label of the row that holds the release against it.
    """

    secret: str
    within: float | None
    predictor: str
    learnt_from: int
    about_others: Counted
    beside: str


class Closest(Plain):
    """Distances of released rows to the closest original and to the closest of as many others: no proof.

    Distances are medians, in columns that differ. ``nearer`` is the share of rows nearer to an original, half
    by luck; ``new`` that of rows which equal no original, and ``new_by_luck`` no other.
    """

    rows: int
    people: int
    original: float
    control: float
    nearer: Rate
    new: float
    new_by_luck: float


class Released(Details):
    """What is known where synthetic or perturbed rows were held against the original and a control.

    ``linking``, ``inferring`` and ``closest`` are there where all three questions were asked. ``recoded`` are
    columns whose released values are unlike those of other people: another unit, or another code.
    ``unjudged`` are columns in which released rows are called as people of the data are, and that are not
    known of the control.
    """

    model_config = ConfigDict(extra="forbid")

    asked: Literal["released rows"] = "released rows"
    files: dict[str, str]
    original: int
    synthetic: int
    control: int
    requested: int
    attempts: int
    copies: tuple[CopiesSeen, ...]
    recoded: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()
    linking: Linking | None = None
    inferring: Inferring | None = None
    closest: Closest | None = None


class SinglingOutFinding(Finding):
    """What singling out got out of one release; ``details`` say what was asked."""

    goal: Literal["singling-out"] = "singling-out"
    details: ConditionDetails | Released


class ConditionsFinding(SinglingOutFinding):
    """Conditions that match one person alone, by how rare they are.

    The deciding weight is the one that says most, by the cautious end of the advantage there; the verdict
    follows every weight, and their intervals pay for each other.
    """

    people: int
    measures: tuple[AtWeight, ...]
    details: ConditionDetails

    @property
    def at_best(self) -> AtWeight:
        """The weight that says most."""
        return self.measures[self.deciding or 0]
