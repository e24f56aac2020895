"""Synthetic or perturbed rows in a plan: the three questions, as a case like every other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from dalenius.auditing.case import Claims
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_releases import ReleasedRowsPlan, name_of, open_data
from dalenius.errors import InputError
from dalenius.findings.report import Finding
from dalenius.findings.tally import share_confidence
from dalenius.people.opening import place_name
from dalenius.progress import Announce, Progress, within
from dalenius.singling_out.finding import SinglingOutFinding
from dalenius.singling_out.released.files import TripleRows, read_triple
from dalenius.singling_out.released.questions import Halves, QuestionsAsked, run_questions
from dalenius.singling_out.released.questions_finding import finding_of_questions
from dalenius.singling_out.released.triple import TripleSettings
from dalenius.singling_out.released.why import explained_triple

HALF = 0.5
"""How far judging is once the three questions were asked; then the columns behind it are looked for."""


@dataclass(frozen=True)
class ReleasedRowsCase:
    """Released rows beside the people behind them and others: singled out, linked, inferred?

    What an attack may know of somebody is handed out by the referee, question by question, and the control
    are the others, asked about in the same breath: both happen when the case is judged.
    """

    plan: Plan
    asked: ReleasedRowsPlan
    goal: str = "singling-out"
    looks: int = 1

    @property
    def release(self) -> str:
        """What the release is called."""
        return self.asked.name

    @cached_property
    def questions(self) -> QuestionsAsked:
        """What is asked."""
        if self.plan.columns.secret is None:
            raise InputError("schema.secret", "must name the column that released rows must not tell", "none")
        link = Halves.of(*self.asked.link)
        return QuestionsAsked(self.plan.columns.secret, link, self.asked.within)

    def publish(self, progress: Progress) -> TripleRows:
        """Read the three files; the people behind the rows stay under seal."""
        columns, others = self.plan.columns, self.plan.knowledge.holdout
        ids = [columns.id] if columns.id is not None else []
        rows = read_triple(
            open_data(self.plan), self.asked.path, others, ids=ids, ignored=columns.ignored, same_kinds=True
        )
        self.questions.check(rows.synthetic)
        return rows

    def attack(self, view: TripleRows, progress: Progress, announce: Announce) -> TripleRows:
        """Return the view: what is known of each person comes with the question."""
        return view

    def control(self, progress: Progress) -> TripleRows | None:
        """Return nothing: others are asked about beside the people of the data."""
        return None

    def judge(
        self, claims: TripleRows, control: TripleRows | None, looks: int, progress: Progress
    ) -> SinglingOutFinding:
        """Ask the three questions about originals and others."""
        how = TripleSettings(
            confidence=share_confidence(self.plan.policy.confidence, looks), seed=self.plan.seed
        )
        asked = QuestionsAsked(self.questions.secret, self.questions.link, self.questions.within, how)
        found = run_questions(claims, asked, within(progress, 0.0, HALF))
        files = {
            "original": name_of(self.plan),
            "synthetic": place_name(self.asked.path),
            "control": place_name(self.plan.knowledge.holdout),
        }
        finding = finding_of_questions(found, self.release, looks=looks, files=files)
        if not self.plan.budget.why:
            return finding
        return explained_triple(finding, claims, found.triple, how, progress=within(progress, HALF, 1.0))

    def about_people(self, claims: TripleRows) -> Claims | None:
        """Return nothing: whom rows point at is written by single-out triple, if it is asked for."""
        return None

    def files(self, claims: TripleRows, finding: Finding) -> Mapping[tuple[str, str], str]:
        """Return nothing."""
        return {}
