"""The report of every command that attacks, the findings in it, and the ladder of what would make them pass.

A report holds the policy and the verdict, every question of it, and the values that a stop is over; a finding
has one shape in all families.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import pairwise
from typing import Any, Literal

from pydantic import ConfigDict, Field, SerializeAsAny

from dalenius.findings.explanation import RARE_VALUES, Explanation
from dalenius.findings.measure import SCHEMA_VERSION, Bound, Gain, Measure, Plain, Verdict, dump
from dalenius.findings.policy import TO_INSIDERS, Policy, Resampled, Severity
from dalenius.shown import people


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


ChangeKind = Literal["as planned", "round", "hide", "fewer", "coarser", "noise"]


class Price(Plain):
    """What a change costs those who read the numbers; a part that does not apply is null."""

    hidden: float | None = Field(default=None, description="Share of the published numbers that are hidden.")
    mean_error: float | None = Field(default=None, description="Mean absolute error of a number.")
    worst_error: float | None = Field(default=None, description="Largest absolute error of a number.")
    relative_error: float | None = Field(default=None, description="Median relative error of a number.")
    lost: int | None = Field(default=None, description="Tables, columns or variants that are left out.")
    merged: int | None = Field(
        default=None, description="Classes of columns that became one with another class."
    )
    blurred: float | None = Field(
        default=None,
        description="Of rows, the mean share of a column's other values that a cell no longer tells apart.",
    )
    adds_up: bool | None = Field(default=None, description="Whether rows still add up to their totals.")


class Rung(Plain):
    """One change: what remains at risk, what it costs, whether it passes."""

    kind: ChangeKind = Field(description="What sort of change it is.")
    change: str = Field(description="The change in words.")
    release: str = Field(description="The release that is changed.")
    sure: int | None = Field(default=None, description="People given away by arithmetic.")
    nearly: int | None = Field(default=None, description="People as good as known besides.")
    advantage: Gain | None = Field(default=None, description="What the attack gains over guessing.")
    price: Price = Field(description="What it costs.")
    promise: str | None = Field(default=None, description="What the mechanism promises against any attack.")
    bound: Bound | None = Field(default=None, description="What a theorem allows any attack, if one applies.")
    verdict: Verdict = Field(description="What the policy says about it.")
    tried: int = Field(ge=0, description="On how many resampled groups or fresh draws it was confirmed.")
    kept: int = Field(ge=0, description="In how many of those it passed.")
    note: str | None = Field(default=None, description="What a reader must know besides; null: nothing.")


class Ladder(Plain):
    """All changes that were tried, the cheapest that passes first among those that pass."""

    rungs: tuple[Rung, ...] = Field(description="The release as planned first, then the changes by price.")
    best: int | None = Field(description="Which rung passes at the least price; null: none of them passes.")
    allowed: tuple[str, ...] = Field(description="Which kinds of change were allowed.")
    not_tried: tuple[str, ...] = Field(default=(), description="What was left out, and why.")

    @property
    def strongest(self) -> int | None:
        """The rung whose theorem leaves every attack least: told whatever it costs; ``None`` without one."""
        bounds = [(rung.bound.value, at) for at, rung in enumerate(self.rungs) if rung.bound is not None]
        return min(bounds)[1] if bounds else None


class Data(Plain):
    """What was audited, without anybody in it; no secret where the question is who is in the data."""

    source: str
    people: int
    public: tuple[str, ...]
    secret: str | None


class NotRun(Plain):
    """An attack that could not be run on a release, and why: an answer of its own, never a guess."""

    release: str
    attack_method: str
    reason: str


class RuleVerdict(Plain):
    """What one rule of a policy says about one release: a key of the policy, or what every pass needs."""

    goal: str
    rule: str
    verdict: Verdict
    reason: str


class ReleaseVerdict(Plain):
    """What a policy says about one release, with every rule that leads to it, and what each rule says."""

    release: str
    verdict: Verdict
    reasons: tuple[str, ...]
    rules: tuple[RuleVerdict, ...] = ()


class Report(Plain):
    """All findings about some releases, and what a policy says about them.

    ``verdict`` is the worst of ``verdicts``, one for each release: ``pass`` only if every release passes.

    ``ladder`` is what would make it pass, where that was looked for.

    ``command`` is what was typed, without folders and without where results go, if a command was.

    There is no time stamp: two runs with one seed can be compared byte by byte.
    """

    schema_version: Literal[2] = SCHEMA_VERSION
    dalenius_version: str
    seed: int
    data: Data
    findings: tuple[SerializeAsAny[Finding], ...]
    not_run: tuple[NotRun, ...]
    policy: Policy
    verdict: Verdict
    reasons: tuple[str, ...]
    verdicts: tuple[ReleaseVerdict, ...] = ()
    ladder: Ladder | None = None
    command: str | None = None

    @property
    def passing(self) -> tuple[str, ...]:
        """The releases that keep to the policy."""
        return tuple(each.release for each in self.verdicts if each.verdict == "pass")

    def to_json(self) -> str:
        """Write the report, see `dump`."""
        return dump(self)

    def summary(self) -> str:
        """Return the report as plain text."""
        from dalenius.report.text import summary

        return summary(self)

    def to_frame(self) -> Any:
        """Return one row for each measure: a pandas frame, or an Arrow table without pandas."""
        from dalenius.report.text import to_frame

        return to_frame(self)

    def plot(self) -> Any:
        """Return a matplotlib figure: what each attack gains, with its interval and the policy's limit."""
        from dalenius.report.picture import plot

        return plot(self)

    def report_html(self, *, external: bool = False) -> str:
        """Return the report as a page, one file that fetches nothing.

        Parameters
        ----------
        external
            For readers outside: no counts of people at risk.
        """
        from dalenius.report.page.render import page_html

        return page_html(self, external=external)

    def _repr_html_(self) -> str:
        from dalenius.report.page.render import fragment_html

        return fragment_html(self)

    def __repr__(self) -> str:
        return f"Report({self.verdict}; findings: {len(self.findings)}; of {people(self.data.people)})"

    def __str__(self) -> str:
        return repr(self)


_ROUNDED = re.compile(r"rounding:base=([0-9]+)(?:,ties=[a-z]+)?")
"""To the nearest multiple: an audit always says where the halves of an even base go."""

SAID_OF_ALTERNATIVES = "is published, as was said of them: they are not attacked together."
"""How the assumption ends that names releases of which one will be published."""

CONTROL_TOLD = "Control, "
"""How a fact begins that tells a check for which no gain is computed."""

MISSING = "(missing)"
"""What a missing value is called; hardly anybody's secret."""

_COUNTED = ("max_certain", "max_known", TO_INSIDERS)
"""The rules that ``sensitive`` narrows down; what an attack gains is about all values."""


def only_some_values(report: Report) -> str | None:
    """Say how to name the values that must not be known, where people of every value are counted against it.

    They are where a rule that counts people stops, and where it does so on samples of them.
    """
    if report.policy.sensitive is not None:
        return None
    stopped = {
        each.release
        for each in report.verdicts
        for ruled in each.rules
        if ruled.goal == "reconstruction" and ruled.rule in _COUNTED and ruled.verdict == "stop"
    }
    people, at_risk = _by_value(
        [each for each in report.findings if each.release in stopped or _broken_by_samples(each)]
    )
    if len(people) < 2 or report.data.secret is None:
        return None
    hit = [value for value, count in at_risk.items() if count]
    rarest = min(people, key=lambda value: (value in (MISSING, RARE_VALUES), people[value], value))
    all_of_one = f"All of these people have {hit[0]}. " if len(hit) == 1 and at_risk[hit[0]] > 1 else ""
    if hit == [rarest]:  # it would be the one to name: nothing else is counted
        return all_of_one.strip() or None
    named = f"sensitive = [{json.dumps(rarest, ensure_ascii=False)}]"
    return (
        f"{all_of_one}If only some values of {report.data.secret} must not be known, name them under "
        f"[policy], such as {named}: all others are then reported and stop nothing."
    )


def _broken_by_samples(finding: Finding) -> bool:
    again = finding.tried_again
    return finding.goal == "reconstruction" and again is not None and again.rule in _COUNTED


def coarser_tells_more(report: Report) -> str | None:
    """Say why it may be so, where of two releases the one that is rounded more coarsely gives more away."""
    by_base = {
        int(base[1]): finding
        for finding in report.findings
        if (base := _ROUNDED.fullmatch(finding.mechanism)) and finding.certain is not None
    }
    for (fine, first), (coarse, second) in pairwise(sorted(by_base.items())):
        if first.numbers == second.numbers and (first.certain or 0) < (second.certain or 0):
            alone = f"{coarse} of {coarse // 2 + coarse % 2} people"
            return (
                f"Coarser rounding is not always safer: rounded to {fine} it gives {first.certain:,} away by "
                f"arithmetic, rounded to {coarse} {second.certain:,}. A number that is rounded up to more "
                f"than a group can have, such as {alone}, says that all of them have the value; which groups "
                "meet that is chance."
            )
    return None


def _by_value(findings: list[Finding]) -> tuple[Counter[str], Counter[str]]:
    """How many people have each value in all findings, and of how many it is sure or nearly sure."""
    people, at_risk = Counter[str](), Counter[str]()
    for row in (row for each in findings for row in each.explanation.learned):
        if row.value is not None:
            people[row.value] += row.people
            at_risk[row.value] += (row.sure or 0) + (row.nearly or 0)
    return people, at_risk


def asked_besides(report: Report) -> list[str]:
    """The other questions of a plan that also asks for a secret, each once and in a few words."""
    if report.data.secret is None or len({each.goal for each in report.findings}) < 2:
        return []
    asked = (
        each.headings.asks.removesuffix("?") for each in report.findings if each.goal != "reconstruction"
    )
    return list(dict.fromkeys(filter(None, asked)))
