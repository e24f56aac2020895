"""A family that guesses the commonest secret for everybody: it gains nothing, and can say so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ConfigDict

from dalenius.auditing.case import Asked, Opened
from dalenius.auditing.plan import Plan
from dalenius.findings.measure import Gain, Measure, Rate
from dalenius.findings.policy import Policy, Ruled
from dalenius.findings.report import Details, Finding, Headings
from dalenius.findings.tally import Tally
from dalenius.progress import Announce, Progress
from dalenius.release.release import Release


class ToyDetails(Details):
    """What only this family says."""

    model_config = ConfigDict(extra="forbid")

    commonest: str


class ToyFinding(Finding):
    """What guessing the commonest secret gets."""

    goal: Literal["toy"] = "toy"
    details: ToyDetails


@dataclass(frozen=True)
class ToyClaims:
    """The same guess about everybody."""

    guess: str
    people: int

    def to_csv(self) -> str:
        """Write it."""
        return "person,guess\n" + "".join(f"{i},{self.guess}\n" for i in range(self.people))


@dataclass(frozen=True)
class ToyCase:
    """One release under this question."""

    release: str
    published: Release
    people: int
    goal: str = "toy"
    looks: int = 1

    def publish(self, progress: Progress) -> Release:
        """Return the release."""
        return self.published

    def attack(self, view: Release, progress: Progress, announce: Announce) -> ToyClaims:
        """Guess the last value of the secret for everybody."""
        return ToyClaims(view.secret.levels[-1], self.people)

    def control(self, progress: Progress) -> Release | None:
        """Return the same release: the guess does not look at it."""
        return self.published

    def judge(
        self, claims: ToyClaims, control: ToyClaims | None, looks: int, progress: Progress
    ) -> ToyFinding:
        """Say that it gains nothing over itself."""
        assert control == claims
        rate = Rate.of(Tally(self.people // 2, self.people), 1 - 0.05 / looks)
        nothing = Gain(value=0.0, low=-0.01, high=0.01, confidence=rate.confidence, method="planted")
        return ToyFinding(
            release=self.release,
            people=self.people,
            numbers=self.published.size,
            mechanism=self.published.mechanism,
            promise=None,
            attack_method="commonest",
            measures=(Measure(attack=rate, baseline=rate, advantage=nothing),),
            deciding=0,
            headings=Headings(
                attack="guessed", baseline="without", about="the toy's advantage is", over="it"
            ),
            bound=None,
            confidence=rate.confidence,
            looks=looks,
            severity="none",
            severity_reason="a toy",
            sentence=f"The toy guesses {claims.guess} for everybody in {self.release!r}.",
            notes=(),
            assumptions=(),
            details=ToyDetails(commonest=claims.guess),
        )

    def about_people(self, claims: ToyClaims) -> ToyClaims:
        """Return the guesses."""
        return claims

    def files(self, claims: ToyClaims, finding: Finding) -> Mapping[tuple[str, str], str]:
        """Return the guesses as a file."""
        return {("toys", ".csv"): claims.to_csv()}


class Toy:
    """The family."""

    goal = "toy"
    finding: type[Finding] = ToyFinding

    def open(
        self, plan: Plan, before: Sequence[Opened], *, progress: Progress
    ) -> AbstractContextManager[Opened]:
        """Ask about every release of statistics."""
        cases: list[Any] = [
            ToyCase(name, release, opened.data.people if opened.data else 0)
            for opened in before
            for name, release in opened.published.items()
        ]
        return nullcontext(Asked(cases=cases))

    def rulings(self, finding: Finding, policy: Policy) -> Sequence[Ruled]:
        """Hold the advantage against the limit."""
        kept = finding.advantage.high <= policy.max_advantage
        return [Ruled("pass" if kept else "stop", "the toy says so.", "max_advantage")]


FAMILY = Toy()
