"""The joint of the house: what a family must offer so that it can be audited like every other.

A **family** is a question asked about a release: what is somebody's secret, who is in the data, whom does a
condition match alone, what do related people give away. It opens a plan into **cases**, each one release
under its question. `dalenius.auditing.run` takes every case along the same path, publish, attack, control,
judge, and `dalenius.auditing.decide` holds what comes out against the policy. **Claims** are what an attack
says about people: they go to files that are asked for, never into a report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from dalenius.errors import LostBlockError
from dalenius.findings.policy import Policy, Ruled
from dalenius.findings.report import Finding, NotRun
from dalenius.progress import Announce, Progress
from dalenius.shown import hides_people

if TYPE_CHECKING:
    from dalenius.auditing.plan import Plan
    from dalenius.findings.report import Data
    from dalenius.people.schema import Ids
    from dalenius.release.release import Release

V = TypeVar("V")
C = TypeVar("C")

TOGETHER = "all together"
"""What the releases of an audit are called when they are attacked as one."""


class Claims(Protocol):
    """What an attack says about people, one line each: to be kept as safe as the data."""

    def to_csv(self) -> str:
        """Write it."""
        ...


class Case(Protocol[V, C]):
    """One release under one question."""

    @property
    def goal(self) -> str:
        """The family."""
        ...

    @property
    def release(self) -> str:
        """What the release is called."""
        ...

    @property
    def looks(self) -> int:
        """1 where something is estimated, whose interval pays for the others; 0 where all is computed."""
        ...

    def publish(self, progress: Progress) -> V:
        """Make the release, and return it with what the attacker knows: all that the attack will see."""
        ...

    def attack(self, view: V, progress: Progress, announce: Announce) -> C:
        """Say something about people, from the view alone."""
        ...

    def control(self, progress: Progress) -> V | None:
        """Return the same view made of what cannot have leaked, to be attacked too; ``None`` without one."""
        ...

    def judge(self, claims: C, control: C | None, looks: int, progress: Progress) -> Finding:
        """Hold the claims against the truth; the intervals are to hold together for this many looks."""
        ...

    def about_people(self, claims: C) -> Claims | None:
        """Return what is said about people, in the order of the data; ``None`` if nothing is."""
        ...

    def files(self, claims: C, finding: Finding) -> Mapping[tuple[str, str], str]:
        """Return what is said about people, by what a file holds and its ending: ``("claims", ".csv")``."""
        ...


class Opened(Protocol):
    """The releases of a plan that one family asks about, opened; closed when the audit is over."""

    @property
    def data(self) -> Data | None:
        """What was opened, nobody in it; ``None`` if nothing was."""
        ...

    @property
    def cases(self) -> Sequence[Case[Any, Any]]:
        """One for each release, in the order of the plan."""
        ...

    @property
    def published(self) -> Mapping[str, Release]:
        """Statistics about a secret that were published, by name: other families may ask about them too."""
        ...

    @property
    def ids(self) -> Ids | None:
        """Who the people behind them are, if they have ids."""
        ...

    @property
    def not_run(self) -> Sequence[NotRun]:
        """Releases that this question cannot be asked about although the plan wants it asked."""
        ...


@hides_people()
@dataclass(frozen=True)
class Asked:
    """Releases that one family asks about, where that needs nothing to be kept open; perhaps none."""

    data: Data | None = None
    cases: Sequence[Case[Any, Any]] = ()
    published: Mapping[str, Release] = field(default_factory=dict)
    ids: Ids | None = None
    not_run: Sequence[NotRun] = ()


class Question(Protocol):
    """A further question about releases that another family has opened."""

    def ask(self, before: Sequence[Opened], *, seed: int) -> Opened:
        """Return it as cases; ``before`` is what the other families have opened."""
        ...


class Family(Protocol):
    """A question that is asked about releases.

    ``goal`` is its name in plans and files, ``finding`` the shape of its findings.
    """

    goal: str
    finding: type[Finding]

    def open(
        self, plan: Plan, before: Sequence[Opened], *, progress: Progress
    ) -> AbstractContextManager[Opened]:
        """Open those releases of a plan that this question can be asked about; perhaps none.

        ``before`` is what the families before this one have opened.
        """
        ...

    def rulings(self, finding: Finding, policy: Policy) -> Sequence[Ruled]:
        """Hold a finding against every rule that is about it; nothing if none is."""
        ...


def lost_work(release: str, goal: str, error: LostBlockError) -> NotRun:
    """Say that nobody could do some of it; what was done stays, for a run that tries the rest again."""
    from dalenius.spread.parts import current_parts  # most audits lose nothing

    parts = current_parts()
    if parts is not None:
        parts.lose()
    return NotRun(release=release, attack_method=goal, reason=str(error))
