"""The bench on which changed plans are tried: the people of a plan, opened once for all of them.

A changed plan goes the way of every plan: its families open it, and the ordinary run attacks and judges it.
Only what does not depend on the change, who the people are and what is usual for them, is kept between two.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, cast

from dalenius.auditing.case import Case, Opened
from dalenius.auditing.decide import Decided, decide_one
from dalenius.auditing.families import families_of, family_of
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_parts import TablesPlan
from dalenius.auditing.plan_releases import STATISTICS, TABLES, ReleasePlan, kind_of
from dalenius.auditing.run import Audit, run
from dalenius.errors import DaleniusError
from dalenius.findings.measure import Verdict
from dalenius.findings.policy import Policy, worst_of
from dalenius.findings.report import Finding
from dalenius.people.dataset import Dataset
from dalenius.progress import Progress, silent, unsaid
from dalenius.reconstruction.attack.attack import Attempt
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.case import SecretsCase
from dalenius.reconstruction.family import open_people, open_reference, releases_of, scenario_of
from dalenius.reconstruction.opened import SHORT, GivenRelease, SecretsOpened
from dalenius.release.release import Release
from dalenius.remedy.lockstep import together
from dalenius.remedy.price import Numbers, numbers_of
from dalenius.remedy.rungs import resampled
from dalenius.remedy.work import CONFIRMING
from dalenius.spread.places import side_by_side

ARITHMETIC = "arithmetic alone"
"""How a finding was made that says who is certain and nothing else: that alone breaks the policy."""

PUBLISHES_LATE = ("tracing", "records")
"""Families that publish when they are asked to, not when they are opened."""


@dataclass(frozen=True)
class Seen:
    """What one attack on a changed plan shows: without a control, and on no other people.

    Parameters
    ----------
    decided
        What the policy says about each finding.
    numbers
        What would be published.
    """

    decided: tuple[Decided, ...]
    numbers: Numbers

    @property
    def verdict(self) -> Verdict:
        """What the policy says; a pass here is only a first look."""
        return worst_of(each.verdict for each in self.decided) if self.decided else "undecided"

    @property
    def why_undecided(self) -> str | None:
        """Why nothing is shown where that is the verdict; ``None`` where something is."""
        reasons = [each.reasons[0] for each in self.decided if each.verdict == "undecided" and each.reasons]
        return reasons[0] if reasons and self.verdict == "undecided" else None

    @property
    def only_certain(self) -> bool:
        """Whether it says who is certain and nothing else, since that alone breaks the policy."""
        return self.finding is not None and self.finding.attack_method == ARITHMETIC

    @property
    def on_others(self) -> tuple[int, int]:
        """On how many samples of the people it was tried again, and on how many of them it passed."""
        return resampled([each.finding for each in self.decided]) or (0, 0)

    @property
    def finding(self) -> Finding | None:
        """The finding that speaks for the whole: the worst, and of those the last."""
        return deciding(self.decided)


def deciding(decided: Sequence[Decided]) -> Finding | None:
    """Return the finding that a reader wants: of all tables together, or the worst."""
    if not decided:
        return None
    worst = worst_of(each.verdict for each in decided)
    return [each.finding for each in decided if each.verdict == worst][-1]


class Workbench:
    """The people of a plan.

    Parameters
    ----------
    plan
        As it is before any change.
    people, reference
        Who they are, and other people, where they are open already; then they stay open afterwards.
    published
        Releases of the plan that are out already and at hand, by name.
    """

    def __init__(
        self,
        plan: Plan,
        people: Dataset | None = None,
        reference: Dataset | None = None,
        published: Mapping[str, Release] | None = None,
    ) -> None:
        self.plan, self._people, self._reference = plan, people, reference
        self._published = published or {}
        self.given = people is not None
        self._closing = ExitStack()
        self._ground: SecretsOpened | None = None
        self._coarser: dict[str, Workbench] = {}
        self._said: dict[str, dict[str, Guesses]] = {}

    def __enter__(self) -> Workbench:
        try:
            self._open_ground()
        except BaseException:
            self._closing.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.close()

    def _open_ground(self) -> None:
        if not _secrets(self.plan):
            return
        if self._people is None:
            self._people = self._closing.enter_context(open_people(self.plan))
            if self.plan.knowledge.reference is not None:
                self._reference = self._closing.enter_context(open_reference(self.plan, self._people))
        self._ground = self._closing.enter_context(self._open_secrets(self.plan))

    @property
    def ground(self) -> SecretsOpened | None:
        """The releases about a secret as they are planned; ``None`` if the plan has none."""
        return self._ground

    def _open_secrets(self, plan: Plan) -> SecretsOpened:
        people = cast(Dataset, self._people)
        asked = [each for each in _secrets(plan) if each.name not in self._published]
        made, not_run = releases_of(plan, asked, people)
        given = {name: GivenRelease(release, fixed=True) for name, release in self._published.items()}
        releases = {
            each.name: (made | given)[each.name] for each in _secrets(plan) if each.name in made | given
        }
        opened = SecretsOpened(people, releases, scenario_of(plan, self._reference), ground=self._ground)
        opened.not_run = tuple(not_run)
        opened.said |= self._said.get(_attacked_as(plan), {})
        return opened

    @contextmanager
    def open(self, plan: Plan, *, progress: Progress = silent) -> Iterator[list[Opened]]:
        """Open a changed plan, family by family."""
        if plan.columns != self.plan.columns:
            with self._of_classes(plan).open(plan, progress=progress) as opened:
                yield opened
            return
        with ExitStack() as stack:
            found: list[Opened] = []
            for family in families_of(plan):
                if family.goal == "reconstruction" and _secrets(plan) and self._ground is not None:
                    found.append(stack.enter_context(self._open_secrets(plan)))
                else:
                    opening = family.open(plan, tuple(found), progress=progress)
                    found.append(stack.enter_context(opening))
            yield found

    def _of_classes(self, plan: Plan) -> Workbench:
        """The bench for people whose columns have other classes; opened once."""
        key = plan.columns.model_dump_json()
        if key not in self._coarser:
            self._coarser[key] = self._closing.enter_context(Workbench(plan))
        return self._coarser[key]

    def audit(self, plan: Plan, *, among: int = 1, progress: Progress = silent) -> Audit:
        """Run the ordinary audit of a changed plan; the intervals pay for as many as were tried."""
        with self.open(plan, progress=progress) as opened:
            return run(opened, plan.policy, seed=plan.seed, progress=progress, among=among)

    def look(self, plan: Plan, *, among: int = 1, quick: bool = False, remember: bool = False) -> Seen:
        """Attack a changed plan once, all its releases together.

        What arithmetic gives away after a short search is counted first: where that breaks the policy,
        nothing else is worked out. Then a short attack looks, and arithmetic alone at other people: only what
        passes both is attacked in full.
        With ``quick`` nothing else is worked out at all. What the attack says of a plan that passes is kept
        if it is to be audited next: the same attack is not made twice.
        """
        (seen,) = self.look_all([plan], among=among, quick=quick, remember=remember)
        if isinstance(seen, Seen):
            return seen
        raise seen

    def look_all(
        self, plans: Sequence[Plan], *, among: int = 1, quick: bool = False, remember: bool = False
    ) -> list[Seen | DaleniusError]:
        """Attack some changed plans as `look` does, side by side where several processes share the work.

        Each is opened and judged here, where the secrets are; what is sent are views. In the place of one
        that cannot be looked at stands the error.
        """
        with ExitStack() as stack:
            return together([self._looking(stack, plan, among, quick, remember) for plan in plans])

    def _looking(
        self, stack: ExitStack, plan: Plan, among: int, quick: bool, remember: bool
    ) -> Generator[Attempt, Guesses, Seen]:
        """Ask for attacks one after the other, and say what they show."""
        once = plan.model_copy(
            update={"budget": plan.budget.model_copy(update={"resamples": 0, "why": False})}
        )
        opened = stack.enter_context(self.open(once))
        cases = [case for each in opened for case in each.cases]
        looks = among * sum(case.looks for case in cases)
        decided = []
        for case in _telling(cases, plan):
            finding = yield from _attacked(case, looks, plan.policy, quick)
            if (found := decide_one(finding, plan.policy)) is not None:
                decided.append(found)
        seen = Seen(tuple(decided), numbers_of(opened, changeable_names(plan)))
        if remember and seen.verdict == "pass":
            self._keep(plan, opened)
        return seen

    def _keep(self, plan: Plan, opened: Sequence[Opened]) -> None:
        bench = self if plan.columns == self.plan.columns else self._of_classes(plan)
        for each in opened:
            if isinstance(each, SecretsOpened) and each.said:
                bench._said[_attacked_as(plan)] = dict(each.said)

    def numbers(self, plan: Plan) -> Numbers:
        """Return what would be published, attacked by nobody."""
        with self.open(plan) as opened:
            for case in (case for each in opened for case in each.cases):
                if case.goal in PUBLISHES_LATE:
                    case.publish(silent)
            return numbers_of(opened, changeable_names(plan))


def look_at_each(
    bench: Workbench, plans: Sequence[Plan], *, among: int = 1, quick: bool = False, remember: bool = False
) -> Iterator[Seen | DaleniusError]:
    """Look at changed plans in turn, at so many together as are attacked at once; or why one is refused."""
    at_once = side_by_side()
    for first in range(0, len(plans), at_once):
        some = plans[first : first + at_once]
        yield from bench.look_all(some, among=among, quick=quick, remember=remember)


def _attacked_as(plan: Plan) -> str:
    """All of a plan that an attack depends on: not on what is then looked for besides."""
    return plan.model_dump_json(exclude={"budget": {"why", "resamples"}})


def _attacked(
    case: Case[Any, Any], looks: int, policy: Policy, quick: bool
) -> Generator[Attempt, Guesses, Finding]:
    view = case.publish(silent)
    if not isinstance(case, SecretsCase):
        return case.judge(case.attack(view, silent, unsaid), None, looks, silent)
    opened = case.opened
    if quick:
        return case.judge((yield opened.whole(view, calibrated=False)), None, looks, silent)
    followed = case.judge((yield opened.arithmetic(view)), None, looks, silent)
    if _ruled(case, followed, policy) == "stop":
        return followed.model_copy(update={"attack_method": ARITHMETIC})
    if view.release.promise is None:  # under noise an attack is short anyway: there is little to search
        seen = case.judge((yield opened.whole(view, share=SHORT)), None, looks, silent)
        if _ruled(case, seen, policy) == "pass":
            seen = case.follow_samples(seen, CONFIRMING)
        if _ruled(case, seen, policy) != "pass":
            return seen
    claims = opened.said.get(case.release)
    if claims is None:
        claims = case.claimed((yield opened.whole(view)), case.expected(view))
    return case.judge(claims, None, looks, silent)


def _ruled(case: SecretsCase, finding: Finding, policy: Policy) -> Verdict:
    return worst_of(ruled.verdict for ruled in family_of(case.goal).rulings(finding, policy))


def _telling(cases: Sequence[Case[Any, Any]], plan: Plan) -> list[Case[Any, Any]]:
    """Leave single releases out where all are attacked together: together they tell more."""
    single = {each.name for each in plan.release}
    together = {case.goal for case in cases if case.release not in single}
    return [case for case in cases if case.goal not in together or case.release not in single]


def _secrets(plan: Plan) -> list[ReleasePlan | TablesPlan]:
    kinds = (STATISTICS, TABLES) if plan.knowledge.roster else ()
    return [cast(ReleasePlan | TablesPlan, each) for each in plan.release if kind_of(each) in kinds]


def is_fixed(release: Any) -> bool:
    """Whether a release of a plan is out already, and so can be attacked along but not changed."""
    if getattr(release, "fixed", False):
        return True
    if kind_of(release) == "anonymised-rows":
        return False
    return getattr(release, "path", None) is not None or bool(getattr(release, "tables", None))


def changeable_names(plan: Plan) -> frozenset[str]:
    """The releases of a plan that are not out yet."""
    return frozenset(each.name for each in plan.release if not is_fixed(each))
