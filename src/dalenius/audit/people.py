"""Open what a plan names: the people, other people, and releases that were already published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dalenius import __version__
from dalenius.attacks.accusations import Accusations
from dalenius.attacks.reconstruction.budget import Budget
from dalenius.audit.data import name_of, source_of
from dalenius.audit.inference.releases import no_nu, open_related
from dalenius.audit.plan import Plan
from dalenius.audit.plan_releases import ReleasePlan
from dalenius.audit.run import Audit, Planned, audit
from dalenius.audit.singling_out.plan import SingledOut, single_out_release
from dalenius.audit.tracing.members import Traced
from dalenius.audit.tracing.plan import of_means, trace_release
from dalenius.findings.document import Data, conclude
from dalenius.findings.policy import Policy
from dalenius.people.dataset import Dataset, read
from dalenius.people.examples import EXAMPLES
from dalenius.people.opening import columns_of
from dalenius.progress import Announce, Progress, silent, unsaid
from dalenius.release.files import read_release
from dalenius.release.release import Release


def run_plan(plan: Plan, *, progress: Progress = silent, announce: Announce = unsaid) -> Audit:
    """Run the audit that a plan describes.

    Raises
    ------
    InputError
        If the data is not what the plan says.
    """
    statistics = [release for release in plan.release if isinstance(release, ReleasePlan)]
    means = [release for release in statistics if of_means(release)]
    rest = [release for release in statistics if not of_means(release)]
    alone = [release for release in plan.release if not isinstance(release, ReleasePlan)]
    if not means and not alone:
        return _run_statistics(plan, rest, plan.policy, progress, announce)
    # Releases of statistics may also be attacked as one: a finding more.
    looks = len(plan.release) + (len(rest) > 1)
    traced = [trace_release(plan, release, looks=looks, progress=progress) for release in means]
    singled = [single_out_release(plan, release, looks=looks, progress=progress) for release in alone]
    counted = None
    if rest:
        # Their intervals pay for the other findings too.
        error = (1 - plan.policy.confidence) * len(rest) / looks
        stricter = plan.policy.model_copy(update={"confidence": 1 - error})
        counted = _run_statistics(plan, rest, stricter, progress, announce)
    people = [n for _, n in traced] + [one.finding.people for one in singled]
    return _join(plan, counted, [found for found, _ in traced], singled, people[0])


@dataclass(frozen=True)
class WholeAudit(Audit):
    """An audit with releases of several families in it.

    Parameters
    ----------
    accusations
        Who is said to be in the data, by release: to be kept as safe as the data.
    predicates
        The conditions that single people out, by release, each a file: to be kept as safe as the data.
    """

    accusations: Mapping[str, Accusations]
    predicates: Mapping[str, str]


def _join(
    plan: Plan, counted: Audit | None, traced: list[Traced], singled: list[SingledOut], people: int
) -> WholeAudit:
    """One report of all families."""
    findings = () if counted is None else counted.report.findings
    data = Data(source=name_of(plan), people=people, public=(), secret=None)
    not_run = () if counted is None else counted.report.not_run
    if plan.knowledge.prior is not None:
        not_run += no_nu(
            [*(found.finding.release for found in traced), *(one.finding.release for one in singled)]
        )
    report = conclude(
        [*findings, *(found.finding for found in traced), *(one.finding for one in singled)],
        plan.policy,
        data=data if counted is None else counted.report.data,
        seed=plan.seed,
        version=__version__,
        not_run=not_run,
    )
    accused = {found.finding.release: found.accusations for found in traced}
    conditions = {one.finding.release: one.predicates for one in singled if one.predicates is not None}
    return WholeAudit(report, {} if counted is None else counted.claims, accused, conditions)


def _run_statistics(
    plan: Plan, releases: list[ReleasePlan], policy: Policy, progress: Progress, announce: Announce
) -> Audit:
    published = {r.name: _release(r) for r in releases}
    with open_people(plan) as people:
        others = None if plan.knowledge.reference is None else _open_reference(plan, people)
        try:
            return audit(
                people,
                releases=published,
                known=plan.knowledge.public,
                reference=others,
                policy=policy,
                seed=plan.seed,
                progress=progress,
                announce=announce,
                budget=Budget(seconds=plan.budget.seconds),
                resamples=plan.budget.resamples,
                related=None if plan.knowledge.prior is None else open_related(plan.knowledge.prior),
            )
        finally:
            if others is not None:
                others.close()


def open_people(plan: Plan) -> Dataset:
    """Read the people of a plan."""
    columns = plan.columns
    source, table = source_of(plan)
    secret = columns.secret or ("" if plan.data.example is None else EXAMPLES[plan.data.example])
    people = read(
        source,
        secret=secret,
        id=columns.id,
        public=columns.public,
        ignored=columns.ignored,
        bins=columns.bins,
        levels=columns.levels,
        missing=columns.missing,
        table=table,
        memory=plan.budget.memory,
    )
    if plan.data.example is not None:
        people.source = name_of(plan)
    return people


def _open_reference(plan: Plan, people: Dataset) -> Dataset:
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
        missing=plan.columns.missing,
        memory=plan.budget.memory,
    )


def _release(planned: ReleasePlan) -> Planned | Release:
    if planned.path is not None:
        return replace(read_release(planned.path), name=planned.name, date=planned.date or "")
    return Planned(tuple(planned.statistics), planned.mechanism or "exact")
