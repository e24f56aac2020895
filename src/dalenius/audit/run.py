"""The run of an audit: publish, attack, judge, and once more with redrawn secrets as a control.

The run itself never holds a secret: the publisher and the referee open the data, and only releases, claims
and counts pass through here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dalenius import __version__
from dalenius.attacks.claims import Guesses
from dalenius.attacks.reconstruction.attack import reconstruct, uninformed
from dalenius.attacks.reconstruction.budget import Budget
from dalenius.attacks.reconstruction.forecast import forecast
from dalenius.audit.bounds import bound_of
from dalenius.audit.inference.releases import RelatedPeople, promise_related
from dalenius.audit.resample import RESAMPLES, Again
from dalenius.audit.together import TOGETHER, alternatives, join_all, said_of_dates
from dalenius.errors import (
    SHOW_LEVELS,
    InputError,
    SaysNothingError,
    SolveError,
    UnsupportedError,
    nearest,
)
from dalenius.findings.build import make_finding
from dalenius.findings.document import AuditReport, Data, NotRun, conclude
from dalenius.findings.finding import Finding
from dalenius.findings.inference import InferenceFinding
from dalenius.findings.policy import Policy
from dalenius.knowledge.view import Knowledge, View
from dalenius.people.dataset import Dataset
from dalenius.people.roster import Roster
from dalenius.people.schema import Column
from dalenius.progress import Announce, Progress, silent, unsaid
from dalenius.random import attack_stream, stream
from dalenius.referee.court import Control, Court, reference_of
from dalenius.release.publish import ask_all, publish, roster_of
from dalenius.release.release import Release
from dalenius.statistics.statistic import Statistic


@dataclass(frozen=True)
class Planned:
    """A release that has not been published yet.

    Parameters
    ----------
    statistics
        What will be published, such as ``tables:k=2``.
    mechanism
        What will be done to it, such as ``rounding:base=5``.
    """

    statistics: Statistic | str | Sequence[Statistic | str]
    mechanism: str


@dataclass(frozen=True)
class Audit:
    """An audit that was run.

    Parameters
    ----------
    report
        What was found; nobody's secret is in it.
    claims
        What the attack says about every person, by release: to be kept as safe as the data.
    """

    report: AuditReport
    claims: Mapping[str, Guesses]

    @property
    def verdict(self) -> str:
        """``pass``, ``stop`` or ``undecided``."""
        return self.report.verdict


def audit(
    people: Dataset,
    *,
    statistics: Statistic | str | Sequence[Statistic | str] = (),
    mechanism: str = "exact",
    releases: Mapping[str, Planned | Release] | None = None,
    known: Sequence[str] | None = None,
    reference: Dataset | None = None,
    policy: Policy | None = None,
    seed: int = 1,
    progress: Progress = silent,
    announce: Announce = unsaid,
    budget: Budget | None = None,
    related: RelatedPeople | None = None,
    resamples: int = RESAMPLES,
) -> Audit:
    """Attack planned or published releases, and say what they give away.

    Parameters
    ----------
    people
        The people the releases are about.
    statistics, mechanism
        One planned release; it is called ``release``.
    releases
        Several, planned or published, by name; instead of the two above. Unless two of them answer the
        same statistic, and so are alternatives, all are attacked together as well.
    known
        The public columns the attacker knows; all of them by default.
    reference
        Other people, whose secrets the attacker knows: they teach what is usual for people like these.
    policy
        What is tolerated.
    seed
        The same seed gives the same findings.
    progress
        Is told how far the audit is.
    announce
        Is told before a long attack which decoder was taken and what it is predicted to need; and, where a
        release has far fewer numbers than people, what to expect.
    budget
        What a decoder may be predicted to take; two minutes and half of the memory by default.
    related
        Who is related to whom: then every release's promise is also said as what it is worth to them.
    resamples
        A release that passes without a theorem is tried again on so many random nine tenths of the people,
        since it may pass by luck.

    Raises
    ------
    InputError
        If something given cannot be used; it never shows a person.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from dalenius.people.dataset import read
    >>> rows = pa.table({"age": [32, 47, 51, 60], "ill": ["no", "yes", "no", "no"]})
    >>> with read(rows, secret="ill") as people:
    ...     result = audit(people, statistics="tables:k=1")
    >>> result.verdict, result.report.findings[0].certain.hits
    ('stop', 4)
    """
    if releases is None:
        releases = {"release": Planned(statistics, mechanism)}
    run = _Run(
        people, releases, known, reference, policy or Policy(), seed, progress, announce, budget, resamples
    )
    return run.audit(related)


class _Run:
    """What the releases of one audit share: the attacker's roster, the court and the control group."""

    def __init__(
        self,
        people: Dataset,
        releases: Mapping[str, Planned | Release],
        known: Sequence[str] | None,
        reference: Dataset | None,
        policy: Policy,
        seed: int,
        progress: Progress,
        announce: Announce,
        budget: Budget | None,
        resamples: int,
    ) -> None:
        self.people, self.releases, self.policy = people, releases, policy
        _check_sensitive(policy, people.schema.secret)
        self.seed, self.progress, self.announce = seed, progress, announce
        self.budget, self.resamples = budget, resamples
        if TOGETHER in releases:
            raise InputError(f"release {TOGETHER!r}", "must have another name", "a name that the audit uses")
        self.published = {name: self._publish(name, planned) for name, planned in releases.items()}
        self.parts = {name: [name] for name in self.published}
        if len(releases) > 1 and not alternatives(self.published):
            self.parts[TOGETHER] = list(self.published)
            self.published[TOGETHER] = join_all(list(self.published.values()))
        progress(0.02, "reading the people")
        self.roster = _known_roster(people, known)
        for name, release in self.published.items():
            _check_known(name, release, self.roster)
        others, self.left_out = None, 0
        if reference is not None:
            others, self.left_out = reference_of(reference, people, self.roster)
        progress(0.05, "learning what is usual")
        self.court = Court(people, self.roster, others, rng=stream(seed, "population"))

    def audit(self, related: RelatedPeople | None) -> Audit:
        """Attack every release and conclude."""
        findings: list[Finding] = []
        not_run: list[NotRun] = []
        claims: dict[str, Guesses] = {}
        control = self.court.deal(rng=stream(self.seed, "deal"))
        with control.people:
            for j, (name, release) in enumerate(self.published.items()):
                try:
                    claims[name] = self._attack(name, release, j)
                    findings.append(self._judge(name, release, claims[name], control, j))
                except (UnsupportedError, SolveError) as error:
                    not_run.append(NotRun(release=name, attack_method="reconstruction", reason=str(error)))
        schema = self.people.schema
        data = Data(
            source=self.people.source,
            people=self.people.n,
            public=tuple(column.name for column in self.roster.attributes.columns),
            secret=schema.secret.name,
        )
        report = conclude(
            [*findings, *self._promised(related)],
            self.policy,
            data=data,
            seed=self.seed,
            version=__version__,
            not_run=not_run,
        )
        return Audit(report, claims)

    def _promised(self, related: RelatedPeople | None) -> list[InferenceFinding]:
        """What the promise of each release is worth to people who are related."""
        if related is None:
            return []
        ids = self.roster.ids if self.people.schema.id else None
        return list(promise_related(related, self.published, ids, seed=self.seed, progress=self.progress))

    def _publish(self, name: str, planned: Planned | Release) -> Release:
        if isinstance(planned, Release):
            return planned
        asked = ask_all(self.people, planned.statistics, rng=stream(self.seed, "queries", name))
        noise = stream(self.seed, "noise", name)
        return publish(self.people, asked, planned.mechanism, rng=noise, name=name)

    def _publish_again(self, release: Release, control: Control) -> Release:
        """The same release with the control group's redrawn secrets."""
        statistics = [block.statistic for block in release.blocks]
        noise = stream(self.seed, "noise", release.name, "control")
        made = publish(control.people, statistics, release.mechanism, rng=noise, name=release.name)
        return replace(made, date=release.date)

    def _tell(self, j: int, done: float, name: str, doing: str) -> None:
        """Report how far the share of the time is that one release has."""
        self.progress(0.1 + 0.9 * (j + done) / len(self.published), f"{name}: {doing}")

    def _attack(self, name: str, release: Release, j: int) -> Guesses:
        """Attack a release, in the first part of its share of the time."""
        view = View(release, Knowledge(self.roster, self.court.prior))
        expected = forecast(view)

        def announce(sentence: str) -> None:
            self.announce(f"{name}: {sentence}")

        if expected is not None:
            announce(expected.sentence)
        claims = self._guess(
            view, lambda done, what: self._tell(j, 0.3 * done, name, f"attacking: {what}"), announce
        )
        return claims if expected is None else replace(claims, notes=(expected.sentence, *claims.notes))

    def _guess(self, view: View, progress: Progress = silent, announce: Announce = unsaid) -> Guesses:
        """Guess secrets from a view; the control is attacked with the same randomness."""
        rng = attack_stream(view.release.name)
        progress(0.0, "starting")
        try:
            return reconstruct(view, budget=self.budget, rng=rng, progress=progress, announce=announce)
        except SaysNothingError as error:  # good news, which the referee confirms: nothing beyond the prior
            return uninformed(view, str(error))

    def _judge(self, name: str, release: Release, claims: Guesses, control: Control, j: int) -> Finding:
        checked = None
        parts = [self.published[part] for part in self.parts[name]]
        if all(part.mechanism != "unknown" for part in parts):
            made = [self._publish_again(part, control) for part in parts]
            redrawn = made[0] if len(made) == 1 else join_all(made)
            guessed = self._guess(
                View(redrawn, Knowledge(self.roster, control.prior)),
                lambda done, what: self._tell(j, 0.3 + 0.3 * done, name, f"checking: {what}"),
            )
            checked = self.court.judge_control(guessed, control)
        judgement = self.court.judge(
            claims, checked, known_at=self.policy.known_at, named=self.policy.sensitive or ()
        )
        finding = make_finding(
            judgement,
            release,
            looks=len(self.published),
            confidence=self.policy.confidence,
            population_source=self.court.source,
            bound=bound_of(release),
            assumptions=[
                *self._assumptions(release),
                *said_of_dates(parts, [self.published[name] for name in self.releases]),
            ],
        )
        again = Again(self.court, self.policy, self.seed, self._guess, self.resamples)
        return again.confirm(finding, parts, lambda done, what: self._tell(j, 0.6 + 0.4 * done, name, what))

    def _assumptions(self, release: Release) -> list[str]:
        columns = ", ".join(column.name for column in self.roster.attributes.columns) or "none"
        unknown = "unknown" in {release.mechanism_of(block) for block in release.blocks}
        told = "is told nothing about the mechanism" if unknown else "knows the mechanism"
        said = [f"The attacker knows who is in the data and their public columns ({columns}), and {told}."]
        if self.court.source == "k-fold":
            said.append(
                "No other people were given: the baseline was learnt from the members themselves, nobody "
                "from their own secret, and the attacker starts from it."
            )
        else:
            said.append("The attacker and the baseline learnt from the same reference people.")
        if self.left_out:
            left = f"{self.left_out:,} of the reference people have a secret that no member has"
            said.append(f"{left}, and were left out.")
        if unknown:
            said.append("There is no control: a release made in an unknown way cannot be made again.")
        return said


def _known_roster(people: Dataset, known: Sequence[str] | None) -> Roster:
    roster = roster_of(people)
    if known is None:
        return roster
    return roster.knowing(tuple(known))


def _check_sensitive(policy: Policy, secret: Column) -> None:
    """Refuse a policy about values that the secret does not take: it would be kept whatever comes out."""
    unknown = [value for value in policy.sensitive or () if value not in secret.levels]
    if unknown:
        raise InputError(
            "policy.sensitive",
            f"must be values of the secret {secret.name!r}",
            ", ".join(map(repr, unknown)),
            SHOW_LEVELS,
            hint=nearest(unknown[0], secret.levels),
        )


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
