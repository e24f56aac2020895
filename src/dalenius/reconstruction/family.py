"""Reconstruction as a family: what is everybody's secret, and what a plan names for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace
from typing import cast

from dalenius.auditing.case import Asked, Opened
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_parts import TablesPlan
from dalenius.auditing.plan_releases import (
    STATISTICS,
    TABLES,
    AnonymisedPlan,
    ReleasePlan,
    kind_of,
    name_of,
    source_of,
)
from dalenius.errors import InputError
from dalenius.findings.policy import Policy, Ruled
from dalenius.findings.report import Finding, NotRun
from dalenius.grammar import parse_options
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.dataset import Dataset, ReadSettings, read
from dalenius.people.opening import columns_of
from dalenius.people.roles import read_labels
from dalenius.progress import Progress
from dalenius.random import stream
from dalenius.reconstruction.attack.cost import ComputeBudget
from dalenius.reconstruction.finding import SecretsFinding
from dalenius.reconstruction.opened import GivenRelease, Planned, Scenario, SecretsOpened, known_roster
from dalenius.reconstruction.rules import rulings
from dalenius.release.release import Release

AboutSecret = ReleasePlan | TablesPlan | AnonymisedPlan
"""Releases that say something of everybody's secret."""


def _about_secret(plan: Plan) -> list[AboutSecret]:
    """The releases of statistics that are no means, printed tables, and rows that hold the secret."""
    return [
        release
        for release in plan.release
        if (isinstance(release, ReleasePlan | TablesPlan) and kind_of(release) in (STATISTICS, TABLES))
        or (isinstance(release, AnonymisedPlan) and plan.columns.secret in columns_of(release.path))
    ]


@contextmanager
def open_secrets(plan: Plan, releases: Sequence[AboutSecret], progress: Progress) -> Iterator[SecretsOpened]:
    """Open the people of a plan and publish its releases of statistics about their secret."""
    with open_people(plan) as people:
        published, not_run = releases_of(plan, releases, people)
        others = None if plan.knowledge.reference is None else open_reference(plan, people)
        try:
            with SecretsOpened(people, published, scenario_of(plan, others), progress) as opened:
                opened.not_run = (*opened.not_run, *not_run)
                yield opened
        finally:
            if others is not None:
                others.close()


@contextmanager
def _open_rows_alone(plan: Plan, rows: Sequence[AboutSecret], progress: Progress) -> Iterator[Opened]:
    """Open released rows where nothing else is about the secret.

    Singling out does not need what is asked here: columns that no table could have, such as one of too many
    values, stop no audit of rows. What follows about the secret is not run then, and nothing passes.
    """
    with ExitStack() as stack:
        try:
            opened: Opened = stack.enter_context(open_secrets(plan, rows, progress))
        except InputError as error:
            reason = f"what its classes say of {plan.columns.secret}: {error}"
            opened = Asked(
                not_run=[
                    NotRun(release=each.name, attack_method=Reconstruction.goal, reason=reason)
                    for each in rows
                ]
            )
        yield opened


def scenario_of(plan: Plan, reference: Dataset | None) -> Scenario:
    """Return what a plan attacks with, and what it tolerates."""
    return Scenario(
        known=plan.knowledge.public,
        reference=reference,
        policy=plan.policy,
        seed=plan.seed,
        budget=ComputeBudget(seconds=plan.budget.seconds),
        resamples=plan.budget.resamples,
        why=plan.budget.why,
        split=plan.columns.split,
    )


def open_people(plan: Plan) -> Dataset:
    """Read the people of a plan."""
    columns = plan.columns
    source, table = source_of(plan)
    secret = columns.secret or _usual_secret(plan)
    people = read(
        source,
        secret=secret,
        id=columns.id,
        public=columns.public,
        ignored=columns.ignored + [name for name in (columns.weight, columns.household) if name is not None],
        bins=columns.bins,
        how=_how(plan, table),
    )
    if plan.data.example is not None:
        people.source = name_of(plan)
    return people


def _usual_secret(plan: Plan) -> str:
    """The secret of an example, if the plan is about one."""
    if plan.data.example is None:
        return ""
    from dalenius.people.examples.examples import EXAMPLES

    return EXAMPLES[plan.data.example]


def _how(plan: Plan, table: str | None) -> ReadSettings:
    columns = plan.columns
    return ReadSettings(
        levels=columns.levels,
        missing=columns.missing,
        table=table,
        memory=plan.budget.memory,
        missing_codes=columns.missing_codes,
        by_year=columns.by_year,
        again=columns.again,
        letters=columns.letters,
        labels={} if columns.labels is None else read_labels(columns.labels),
        columns=plan.data.columns,
        merged=columns.merged,
        split=columns.split,
        by_record=_by_record(plan),
    )


def _by_record(plan: Plan) -> bool | None:
    """Whether people are grouped into records: as the plan says, else where there are many and all can be."""
    if plan.data.roster is not None:
        return plan.data.roster == "records"
    tables = all(
        isinstance(release, ReleasePlan)
        and release.path is None
        and all(parse_options(text).name in ("tables", "histogram") for text in release.statistics)
        and not parse_mechanism(release.mechanism or "exact").samples
        for release in plan.release
    )
    alone = plan.knowledge.reference is None and plan.knowledge.prior is None and plan.columns.split is None
    return None if tables and alone else False


def open_reference(plan: Plan, people: Dataset) -> Dataset:
    """Read other people by the schema of those under attack; bins are the same, wherever they came from."""
    known = plan.knowledge.public
    public = [c for c in people.schema.public if known is None or c.name in known]
    secret = people.schema.secret
    named = plan.columns.id if plan.columns.id in columns_of(plan.knowledge.reference) else None
    return read(
        plan.knowledge.reference,
        secret=secret.name,
        id=named,
        public=[column.name for column in public],
        bins={column.name: column.edges for column in (*public, secret) if column.edges},
        how=people.how.among([column.name for column in (*public, secret)]),
    )


def releases_of(
    plan: Plan, releases: Sequence[AboutSecret], people: Dataset
) -> tuple[dict[str, Planned | GivenRelease], list[NotRun]]:
    """What is attacked, by name, and what no attack here reads."""
    found: dict[str, Planned | GivenRelease] = {}
    not_run = []
    for release in releases:
        before = [each.release for each in found.values() if isinstance(each, GivenRelease)]
        opened = _open(plan, release, people, before)
        if isinstance(opened, NotRun):
            not_run.append(opened)
        else:
            found[release.name] = opened
            not_run += opened.unshown if isinstance(opened, GivenRelease) else ()
    return found, not_run


def _open(
    plan: Plan, planned: AboutSecret, people: Dataset, before: Sequence[Release]
) -> Planned | GivenRelease | NotRun:
    """Read or plan a release; the data tell whether one that is there was made as it states."""
    rng = stream(plan.seed, "noise", planned.name)
    if isinstance(planned, AnonymisedPlan):
        from dalenius.reconstruction.of_plan.rows import open_rows

        listed = known_roster(people, plan.knowledge.public)
        return open_rows(planned, people, listed, rng=rng, beside=before)
    if not isinstance(planned, ReleasePlan):
        from dalenius.reconstruction.of_plan.tables import open_tables  # reads print; few plans do

        roster = known_roster(people, plan.knowledge.public)
        if planned.numbers == "weighted":
            from dalenius.reconstruction.of_plan.weighted import open_weighted

            read = open_weighted(plan, planned, people, roster)
        else:
            read = open_tables(planned, people, roster, rng=rng, beside=before)
        return read if isinstance(read, NotRun) else replace(read, alternative_to=planned.alternative_to)
    if planned.path is None:
        asked = tuple(planned.statistics)
        return Planned(asked, planned.mechanism or "exact", planned.fixed, planned.alternative_to)
    from dalenius.reconstruction.referee.made_as_stated import comparable, try_again
    from dalenius.release.files import read_release

    release = replace(read_release(planned.path), name=planned.name, date=planned.date or "")
    if not release.date and comparable(people, release):
        reason = try_again(people, release, rng=rng, beside=before).reason(release)
        if reason is not None:
            return NotRun(release=planned.name, attack_method=Reconstruction.goal, reason=reason)
    return GivenRelease(release, planned.fixed, alternative_to=planned.alternative_to)


class Reconstruction:
    """Guesses the secret of everybody from statistics about it."""

    goal = "reconstruction"
    finding = SecretsFinding

    def open(
        self, plan: Plan, before: Sequence[Opened], *, progress: Progress
    ) -> AbstractContextManager[Opened]:
        """Open the releases of statistics that are no means."""
        asked = _about_secret(plan)
        if not asked:
            return nullcontext(Asked())
        if all(isinstance(release, AnonymisedPlan) for release in asked):
            return _open_rows_alone(plan, asked, progress)
        return open_secrets(plan, asked, progress)

    def rulings(self, finding: Finding, policy: Policy) -> Sequence[Ruled]:
        """Hold a finding against the rules about certain people, known people and the advantage."""
        return rulings(cast(SecretsFinding, finding), policy)


FAMILY = Reconstruction()
