"""The releases of a plan that are attacked by singling out: anonymised rows, and counts to come."""

from __future__ import annotations

from dataclasses import dataclass

from dalenius.audit.data import open_data
from dalenius.audit.plan import Plan
from dalenius.audit.plan_releases import AnonymisedPlan, CountsPlan
from dalenius.audit.singling_out.counts import play_counts
from dalenius.audit.singling_out.counts_finding import finding_of_counts
from dalenius.audit.singling_out.game_tables import Population
from dalenius.audit.singling_out.rows import single_out_rows
from dalenius.audit.singling_out.rows_files import read_hierarchies, read_rows_files
from dalenius.audit.singling_out.rows_finding import finding_of_rows
from dalenius.errors import InputError
from dalenius.findings.interval import share_confidence
from dalenius.findings.singling_out import SinglingOutFinding
from dalenius.people.opening import read_rows
from dalenius.progress import Progress, silent


@dataclass(frozen=True)
class SingledOut:
    """What one release gave.

    Parameters
    ----------
    finding
        Nobody is in it.
    predicates
        The conditions as a file, for anonymised rows: to be kept as safe as the data.
    """

    finding: SinglingOutFinding
    predicates: str | None


def single_out_release(
    plan: Plan, release: AnonymisedPlan | CountsPlan, *, looks: int, progress: Progress = silent
) -> SingledOut:
    """Attack one release of a plan.

    Raises
    ------
    InputError
        If a file is not what the plan says.
    """
    if isinstance(release, CountsPlan):
        return _counts(plan, release, looks, progress)
    return _rows(plan, release, looks, progress)


def _rows(plan: Plan, release: AnonymisedPlan, looks: int, progress: Progress) -> SingledOut:
    files = read_rows_files(
        release.path,
        release.quasi,
        original=open_data(plan),
        population=plan.knowledge.population,
        holdout=plan.knowledge.holdout,
        ignored=plan.columns.ignored,
        ids=_ids(plan),
    )
    confidence = plan.policy.confidence
    found = single_out_rows(
        files.released,
        release.quasi,
        original=files.original,
        population=files.population,
        holdout=files.holdout,
        hierarchies=read_hierarchies(release.hierarchies),
        registered=release.limit,
        tight=None if release.tight is None else tuple(release.tight),
        dropped=release.dropped,
        told=files.warnings,
        confidence=share_confidence(confidence, looks),
        seed=plan.seed,
        progress=progress,
    )
    finding = finding_of_rows(found, release.name, looks=looks, confidence=confidence)
    return SingledOut(finding, found.to_json())


def _counts(plan: Plan, release: CountsPlan, looks: int, progress: Progress) -> SingledOut:
    if plan.knowledge.population is None:
        raise InputError("knowledge.population", "must name everybody, for a release of counts", "nothing")
    population = read_rows(plan.knowledge.population, id=plan.columns.id)
    kept = [name for name in population.names if name not in _ignored(plan)]
    population, n = population.select(kept), people_of(plan)
    confidence = plan.policy.confidence
    games = play_counts(
        population,
        n,
        release.queries,
        release.mechanism,
        trials=release.trials,
        weight=None if release.limit is None else release.limit / n,
        confidence=share_confidence(confidence, looks),
        seed=plan.seed,
        progress=progress,
    )
    source = Population(population)
    finding = finding_of_counts(
        games, release.name, source, release.queries, release.mechanism, looks=looks, confidence=confidence
    )
    return SingledOut(finding, None)


def people_of(plan: Plan) -> int:
    """Return how many people the data of a plan hold."""
    return len(open_data(plan))


def _ignored(plan: Plan) -> list[str]:
    """The columns that nobody is to be singled out by: those ignored, and what names people."""
    return [*plan.columns.ignored, *_ids(plan)]


def _ids(plan: Plan) -> list[str]:
    return [plan.columns.id] if plan.columns.id is not None else []
