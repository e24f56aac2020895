"""The shape of a finding, one for all families: what one attack got out of one release."""

from __future__ import annotations

from pydantic import ConfigDict, SerializeAsAny

from dalenius.findings.explanation import Explanation
from dalenius.findings.measure import Bound, Gain, Measure
from dalenius.findings.plain import Plain
from dalenius.findings.resampled import Resampled
from dalenius.findings.severity import Severity


class Details(Plain):
    """What only one family can say: each family has a shape of its own, which refuses unknown fields.

    Read from a file without its family, whatever is in it is kept as it is.
    """

    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False)


class Headings(Plain):
    """What a family calls the columns of its measures; an empty word leaves a column out.

    ``about`` and ``over`` make the sentence that says what an advantage is: "*about* in percentage points
    over *over*". ``asks`` is the question in a few words.
    """

    at: str = ""
    attack: str
    baseline: str
    advantage: str = "advantage"
    control: str = ""
    at_most: str = ""
    about: str = ""
    over: str = ""
    asks: str = ""


class Finding(Plain):
    """What one attack got out of one release.

    ``goal`` names the family. ``measures`` are the numbers, ``deciding`` is the row the sentence speaks of.
    ``certain`` is how many people's secrets follow by arithmetic, ``known`` how many are as good as known;
    None where the question is another. ``undecided`` says why the numbers decide nothing, if they do not.
    ``confidence`` is with which the intervals of this finding hold, and ``looks`` how many findings they were
    made to hold together for; both None where nothing was estimated. ``facts`` say the numbers in words,
    ``not_shown`` is what nobody should read into them, ``explanation`` what is learnt, why and about whom.
    Nobody is in it.
    """

    goal: str
    release: str
    people: int | None
    numbers: int | None
    mechanism: str
    promise: str | None
    attack_method: str
    measures: tuple[SerializeAsAny[Measure], ...]
    deciding: int | None
    headings: Headings
    certain: int | None = None
    known: int | None = None
    bound: Bound | None
    undecided: str | None = None
    confidence: float | None
    looks: int | None
    severity: Severity
    severity_reason: str
    sentence: str
    facts: tuple[str, ...] = ()
    notes: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    assumptions: tuple[str, ...]
    not_shown: tuple[str, ...] = ()
    explanation: Explanation = Explanation()
    details: SerializeAsAny[Details]

    @property
    def decisive(self) -> Measure:
        """The row that the sentence speaks of."""
        return self.measures[self.deciding or 0]

    @property
    def tried_again(self) -> Resampled | None:
        """What came of a pass when it was tried on other people; ``None`` if it was not."""
        return None

    @property
    def about_these_people(self) -> bool:
        """Whether a pass may be luck of these very people, so that it is to be tried on others."""
        return False

    @property
    def advantage(self) -> Gain:
        """What the attack gains in that row.

        Raises
        ------
        AttributeError
            If nobody could count.
        """
        if not self.measures or self.decisive.advantage is None:
            raise AttributeError("advantage: nobody could count what the attack gains")
        return self.decisive.advantage
