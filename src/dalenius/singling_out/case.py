"""Releases under the question of singling out: anonymised rows, and counts to come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from dalenius.auditing.case import Claims
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_releases import AnonymisedPlan, CountsPlan, open_data
from dalenius.errors import InputError
from dalenius.findings.report import Finding
from dalenius.findings.tally import share_confidence
from dalenius.people.opening import read_rows
from dalenius.people.sealed import SealedRows
from dalenius.progress import Announce, Progress, within
from dalenius.singling_out.attack.planner import ConditionsPlan
from dalenius.singling_out.finding import ConditionsFinding
from dalenius.singling_out.game.counts import play_counts
from dalenius.singling_out.game.result import GameResult
from dalenius.singling_out.game.rounds import GameSettings
from dalenius.singling_out.game.to_finding import finding_of_counts
from dalenius.singling_out.referee.populations import Everybody
from dalenius.singling_out.rows.files import ColumnsApart, read_hierarchies, read_rows_files
from dalenius.singling_out.rows.result import SingledOutRows
from dalenius.singling_out.rows.rows import Rowed, RowsView
from dalenius.singling_out.rows.settings import Recoding, RowsSettings, WeightLimits
from dalenius.singling_out.rows.to_finding import finding_of_rows
from dalenius.singling_out.rows.why import explained_rows

JUDGED = 0.3
"""How far judging is once conditions were counted; then it is looked for which columns are behind them."""


class RowsCase:
    """Anonymised rows that were released: whom does a condition match alone?

    The control are the same conditions about other people, whom the referee counts beside the original: no
    second release is needed.
    """

    goal = "singling-out"
    looks = 1

    def __init__(self, plan: Plan, asked: AnonymisedPlan) -> None:
        self.plan, self.release = plan, asked.name
        everybody = plan.knowledge.population
        files = read_rows_files(
            asked.path,
            asked.quasi,
            original=open_data(plan),
            population=everybody,
            # beside everybody it is there for rows of the plan that were made from people
            holdout=plan.knowledge.holdout if everybody is None else None,
            apart=ColumnsApart(plan.columns.ignored, _ids(plan), asked.count),
        )
        recoding = Recoding(
            read_hierarchies(asked.hierarchies),
            tight=None if asked.tight is None else tuple(asked.tight),
            dropped=asked.dropped,
        )
        how = RowsSettings(recoding, WeightLimits(registered=asked.limit), plan.seed)
        self.rowed, self.quasi, self.rows_files = Rowed(files, asked.quasi, how), asked.quasi, files
        self.people = len(files.released if files.original is None else files.original)
        self.found: SingledOutRows | None = None

    def publish(self, progress: Progress) -> RowsView:
        """Return what was released, with other people."""
        return self.rowed.view()

    def attack(self, view: RowsView, progress: Progress, announce: Announce) -> ConditionsPlan:
        """Write conditions about the classes of the release."""
        return self.rowed.attack(view, progress)

    def control(self, progress: Progress) -> RowsView | None:
        """Return nothing: other people are counted by the same conditions."""
        return None

    def judge(
        self, claims: ConditionsPlan, control: ConditionsPlan | None, looks: int, progress: Progress
    ) -> ConditionsFinding:
        """Weigh the conditions, and count whom they match."""
        confidence = self.plan.policy.confidence
        self.found = self.rowed.judge(
            claims, share_confidence(confidence, looks), within(progress, 0.0, JUDGED)
        )
        finding = finding_of_rows(self.found, self.release, looks=looks, confidence=confidence)
        if not self.plan.budget.why:
            return finding
        rest = within(progress, JUDGED, 1.0)
        return explained_rows(finding, self.rows_files, self.quasi, self.found, self.rowed.how, progress=rest)

    def about_people(self, claims: ConditionsPlan) -> SingledOutRows:
        """Return the conditions with whom they match."""
        if self.found is None:
            raise InputError("conditions", "must be judged first", "none")
        return self.found

    def files(self, claims: ConditionsPlan, finding: Finding) -> Mapping[tuple[str, str], str]:
        """Return every condition, to be checked by others."""
        return {("predicates", ".json"): self.about_people(claims).predicates_json()}


@dataclass(frozen=True)
class CountsCase:
    """Counts to come, of conditions that others choose: is somebody singled out, in how many rounds?

    A game: in every round people are drawn, their counts are published, and an attack that sees those alone
    names a condition. The control, a condition that ignores the counts, is played beside it.
    """

    plan: Plan
    asked: CountsPlan
    people: int
    goal: str = "singling-out"
    looks: int = 1

    @property
    def release(self) -> str:
        """What the release is called."""
        return self.asked.name

    @cached_property
    def population(self) -> SealedRows:
        """Everybody, without what names them."""
        if self.plan.knowledge.population is None:
            raise InputError(
                "knowledge.population", "must name everybody, for a release of counts", "nothing"
            )
        everybody = read_rows(self.plan.knowledge.population, id=self.plan.columns.id)
        kept = [name for name in everybody.names if name not in _ignored(self.plan)]
        return SealedRows(everybody.select(kept))

    def publish(self, progress: Progress) -> SealedRows:
        """Return the population under seal: every round draws from it, and shows its attack counts alone."""
        return self.population

    def attack(self, view: SealedRows, progress: Progress, announce: Announce) -> tuple[GameResult, ...]:
        """Play every attack that so many counts allow."""
        asked, n = self.asked, self.people
        weight = None if asked.limit is None else asked.limit / n
        how = GameSettings(trials=asked.trials, weight=weight, seed=self.plan.seed)
        return play_counts(view, n, asked.queries, asked.mechanism, how=how, progress=progress)

    def control(self, progress: Progress) -> SealedRows | None:
        """Return nothing: the control is played with every attack."""
        return None

    def judge(
        self,
        claims: tuple[GameResult, ...],
        control: tuple[GameResult, ...] | None,
        looks: int,
        progress: Progress,
    ) -> ConditionsFinding:
        """Count the rounds in which somebody was singled out."""
        return finding_of_counts(
            claims,
            self.release,
            Everybody(self.population),
            self.asked.queries,
            self.asked.mechanism,
            looks=looks,
            confidence=self.plan.policy.confidence,
        )

    def about_people(self, claims: tuple[GameResult, ...]) -> Claims | None:
        """Return nothing: the people of a game are drawn anew in every round."""
        return None

    def files(self, claims: tuple[GameResult, ...], finding: Finding) -> Mapping[tuple[str, str], str]:
        """Return nothing."""
        return {}


def people_of(plan: Plan) -> int:
    """Return how many people the data of a plan hold."""
    return len(open_data(plan))


def _ignored(plan: Plan) -> list[str]:
    """The columns that nobody is to be singled out by: those ignored, and what names people."""
    return [*plan.columns.ignored, *_ids(plan)]


def _ids(plan: Plan) -> list[str]:
    return [plan.columns.id] if plan.columns.id is not None else []
