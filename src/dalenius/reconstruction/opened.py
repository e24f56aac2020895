"""Releases whose question is what everybody's secret is, opened: their roster, court and control group.

What the releases of one audit share is opened once. Nothing here holds a secret: the publisher and the
referee open the data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING

from dalenius.auditing.case import TOGETHER
from dalenius.auditing.plan_parts import RESAMPLES
from dalenius.errors import InputError
from dalenius.findings.policy import Policy
from dalenius.findings.report import Data, NotRun
from dalenius.knowledge.view import View
from dalenius.people.dataset import Dataset
from dalenius.people.schema import Ids, Roster
from dalenius.progress import Announce, Progress, saying, silent, unsaid, within
from dalenius.random import stream
from dalenius.reconstruction.attack.attack import Attempt, attempt
from dalenius.reconstruction.attack.cost import ComputeBudget
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.case import SecretsCase
from dalenius.reconstruction.referee.court import ControlGroup, Court, reference_of
from dalenius.reconstruction.rules import check_sensitive
from dalenius.release.publish import ask_all, publish, publish_again, roster_of
from dalenius.release.release import Release
from dalenius.shown import several
from dalenius.statistics.statistic import Statistic

if TYPE_CHECKING:
    from dalenius.reconstruction.attack.simulated import Shift

SHORT = 0.1
"""Share of the seconds that a first look takes: where it breaks the policy already, nobody looks longer."""


@dataclass(frozen=True)
class Planned:
    """A release that has not been published yet.

    Parameters
    ----------
    statistics
        What will be published, such as ``tables:k=2``.
    mechanism
        What will be done to it, such as ``rounding:base=5``.
    fixed
        Whether it is out already: attacked along with all others, and changed no more.
    alternative_to
        The name of another release, if one of both will be published: they are not attacked together.
    """

    statistics: Statistic | str | Sequence[Statistic | str]
    mechanism: str = "exact"
    fixed: bool = False
    alternative_to: str | None = None


@dataclass(frozen=True)
class GivenRelease:
    """A release that is there already.

    Parameters
    ----------
    release
        What is published.
    fixed
        Whether it is out, and can be changed no more.
    no_control
        Why it cannot be made again of other secrets; ``None`` if it can.
    assumed
        What was assumed to read it.
    unshown
        What no attack here reads of it: then nothing passes.
    alternative_to
        The name of another release, if one of both will be published.
    """

    release: Release
    fixed: bool = False
    no_control: str | None = None
    assumed: tuple[str, ...] = ()
    unshown: tuple[NotRun, ...] = ()
    alternative_to: str | None = None


@dataclass(frozen=True)
class Scenario:
    """What the releases are attacked with, and what is tolerated: a disclosure scenario.

    Parameters
    ----------
    known
        The public columns the attacker knows; all of them by default.
    reference
        Other people, whose secrets the attacker knows.
    policy, seed
        What is tolerated, and what the randomness starts from.
    budget
        What a decoder may be predicted to take.
    resamples
        On how many samples of the people a pass is tried again.
    why
        Whether it is looked for which tables are behind what is given away.
    split
        The public column by which people are split into blocks, each attacked for itself.
    """

    known: Sequence[str] | None = None
    reference: Dataset | None = None
    policy: Policy = field(default_factory=Policy)
    seed: int = 1
    budget: ComputeBudget | None = None
    resamples: int = RESAMPLES
    why: bool = True
    split: str | None = None


class SecretsOpened:
    """What the releases of one audit share: the attacker's roster, the court and the control group.

    Parameters
    ----------
    people, releases, scenario
        Who they are about, what is published, and what it is attacked with.
    progress
        Is told how far the opening is.
    together
        Whether releases that are no alternatives are attacked as one too.
    assumed
        What the findings rest on besides.
    ground
        Other releases about the same people in the same scenario, opened before and still open: the roster,
        the court and the control group are theirs.
    """

    def __init__(
        self,
        people: Dataset,
        releases: Mapping[str, Planned | Release | GivenRelease],
        scenario: Scenario,
        progress: Progress = silent,
        *,
        together: bool = True,
        assumed: Sequence[str] = (),
        ground: SecretsOpened | None = None,
    ) -> None:
        self.people, self.scenario, self._ground = people, scenario, ground
        self.policy, self.seed, self.assumed = scenario.policy, scenario.seed, assumed
        check_sensitive(self.policy, people.schema.secret)
        if TOGETHER in releases:
            raise InputError(f"release {TOGETHER!r}", "must have another name", "a name that the audit uses")
        self.said: dict[str, Guesses] = {}
        self.published: dict[str, Release] = {}
        for j, (name, planned) in enumerate(releases.items()):
            own = within(progress, 0.05 * j / len(releases), 0.05 * (j + 1) / len(releases))
            self.published[name] = self._publish(name, planned, own)
        self.planned = list(self.published.values())
        self.stated = {
            name: None if isinstance(each, Release) else each.alternative_to
            for name, each in releases.items()
        }
        self.given = {name: each for name, each in releases.items() if isinstance(each, GivenRelease)}
        self.fixed = tuple(n for n, each in releases.items() if not isinstance(each, Release) and each.fixed)
        self.parts = {name: [name] for name in self.published}
        if together and len(self.published) > 1:
            self._put_together()
        progress(0.05, "reading the people")
        self.roster: Roster = known_roster(people, scenario.known) if ground is None else ground.roster
        for name, release in self.published.items():
            _check_known(name, release, self.roster)
        if scenario.split is not None:
            from dalenius.reconstruction.blocks import check_split

            check_split(self)
        if people.by_record:
            from dalenius.reconstruction.by_record import check_by_record

            check_by_record(self)
        self.left_out: int = 0 if ground is None else ground.left_out
        self.court: Court = self._open_court(progress) if ground is None else ground.court
        self._closing = ExitStack()

    def _put_together(self) -> None:
        """What will be out together is attacked as one too."""
        from dalenius.auditing.alternatives import NOT_CHOSEN, joints, too_many
        from dalenius.reconstruction.together import join_all

        if too_many(self.stated):
            self.not_run = (NotRun(release=TOGETHER, attack_method=SecretsCase.goal, reason=NOT_CHOSEN),)
        for name, parts in joints(self.stated, self.fixed, TOGETHER).items():
            self.parts[name] = parts
            self.published[name] = join_all([self.published[part] for part in parts], name)

    def _open_court(self, progress: Progress) -> Court:
        others = None
        if self.scenario.reference is not None:
            others, self.left_out = reference_of(self.scenario.reference, self.people, self.roster)
        progress(0.06, "learning what is usual")
        rng = stream(self.seed, "population")
        if self.people.by_record:
            from dalenius.reconstruction.referee.record_court import RecordCourt

            return RecordCourt(self.people, self.roster, rng=rng)
        return Court(self.people, self.roster, others, rng=rng, split=self.scenario.split)

    def __enter__(self) -> SecretsOpened:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.close()

    @property
    def data(self) -> Data:
        """What is audited, nobody in it."""
        return Data(
            source=self.people.source,
            people=self.people.n,
            public=tuple(column.name for column in self.roster.attributes.columns),
            secret=self.people.schema.secret.name,
        )

    @cached_property
    def cases(self) -> tuple[SecretsCase, ...]:
        """One for each release, and one for all together unless they are alternatives."""
        return tuple(SecretsCase(self, name) for name in self.published)

    @property
    def ids(self) -> Ids | None:
        """Who the people are, if they have ids."""
        return self.roster.ids if self.people.schema.id and not self.people.by_record else None

    not_run: tuple[NotRun, ...] = ()

    @cached_property
    def control(self) -> ControlGroup:
        """A group of people whose secrets are redrawn: what is learnt about them did not leak."""
        if self._ground is not None:
            return self._ground.control
        dealt = self.court.deal(rng=stream(self.seed, "deal"))
        self._closing.enter_context(dealt.people)
        return dealt

    def guess(
        self,
        view: View,
        progress: Progress = silent,
        announce: Announce = unsaid,
        *,
        calibrated: bool | Shift = True,
        share: float = 1.0,
    ) -> Guesses:
        """Guess secrets from a view; the control, whose guesses alone count, with the same randomness."""
        progress(0.0, "starting")
        return attempt(self.whole(view, calibrated=calibrated, share=share), progress, announce)

    def whole(self, view: View, *, calibrated: bool | Shift = True, share: float = 1.0) -> Attempt:
        """The whole attack on a view."""
        split = self.scenario.split
        return Attempt(view, self._budget(share), (view.release.name,), calibrated, split=split)

    def follow(self, view: View) -> Guesses:
        """Say whose secret follows by arithmetic alone, after a short search."""
        return attempt(self.arithmetic(view))

    def arithmetic(self, view: View) -> Attempt:
        """The short search for what follows by arithmetic alone."""
        split = self.scenario.split
        return Attempt(view, self._budget(SHORT), (view.release.name,), arithmetic=True, split=split)

    def _budget(self, share: float) -> ComputeBudget:
        whole = self.scenario.budget or ComputeBudget()
        return replace(whole, seconds=share * whole.seconds)

    def _publish(self, name: str, planned: Planned | Release | GivenRelease, progress: Progress) -> Release:
        if isinstance(planned, GivenRelease):
            return planned.release
        if isinstance(planned, Release):
            return planned
        progress(0.0, f"making {name}")
        asked = ask_all(self.people, planned.statistics, rng=stream(self.seed, "queries", name))
        numbers = sum(each.rows for each in asked) * len(self.people.schema.secret.levels)
        size = f"making {name}, about {several(numbers, 'number')}"
        progress(0.0, size)
        noise = stream(self.seed, "noise", name)
        counted = saying(progress, size)
        return publish(self.people, asked, planned.mechanism, rng=noise, name=name, progress=counted)

    def publish_again(self, release: Release) -> Release:
        """The same release with the control group's redrawn secrets."""
        noise = stream(self.seed, "noise", release.name, "control")
        return publish_again(self.control.people, release, rng=noise)


def known_roster(people: Dataset, known: Sequence[str] | None) -> Roster:
    """Return the people with the public columns that the attacker knows."""
    roster = roster_of(people)
    if known is None:
        return roster
    return roster.knowing(tuple(known))


def _check_known(name: str, release: Release, roster: Roster) -> None:
    """Refuse a release by columns the attacker does not know: no attack here can use it."""
    known = {column.name for column in roster.attributes.columns}
    for block in release.blocks:
        for column in getattr(block.statistic, "columns", ()):
            if column.name not in known:
                raise InputError(
                    f"release {name!r}",
                    "must count only by columns that the attacker knows",
                    f"column {column.name!r}",
                    "Add it to knowledge.public, or leave it out of the release.",
                )
