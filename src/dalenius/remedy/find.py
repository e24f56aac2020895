"""Find the least change that makes a plan pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from dalenius.auditing.decide import decide_each
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_releases import STATISTICS, ReleasePlan, kind_of
from dalenius.errors import InputError, nearest
from dalenius.findings.finding import Finding
from dalenius.findings.report import Report
from dalenius.people.dataset import Dataset
from dalenius.progress import Progress, silent, within
from dalenius.reconstruction.together import alternatives
from dalenius.release.release import Release
from dalenius.remedy.bench import Workbench, deciding, is_fixed
from dalenius.remedy.causes import NO_CAUSES, effects_of
from dalenius.remedy.options import RemedyOptions, tables_named
from dalenius.remedy.proposals.proposals import Proposals
from dalenius.remedy.proposals.secrets import propose
from dalenius.remedy.proposals.tables import Ground
from dalenius.remedy.result import Remedy
from dalenius.remedy.search import Search, propose_all
from dalenius.remedy.work import work_for

AUDITED, CAUSES = 0.1, 0.25


def find_remedy(
    plan: Plan,
    options: RemedyOptions | None = None,
    *,
    people: Dataset | None = None,
    reference: Dataset | None = None,
    published: Mapping[str, Release] | None = None,
    progress: Progress = silent,
) -> Remedy:
    """Look for the least change that makes a plan pass.

    Parameters
    ----------
    plan
        What is planned; what is out already in it is attacked along and never changed.
    options
        What may be changed, and what a change costs.
    people, reference
        The people of the plan and the attacker's other people, where they are open already.
    published
        Releases of the plan that are out already and at hand, by name.
    progress
        Is told how far the search is.

    Raises
    ------
    InputError
        If nothing in the plan can be changed, or the data is not what the plan says.
    """
    options = options or RemedyOptions()
    changeable = _changeable(plan, options.release)
    with Workbench(_chosen(plan, options.release), people, reference, published) as bench:
        _check_alternatives(bench, options)
        report = bench.audit(bench.plan, progress=within(progress, 0.0, AUDITED)).report
        finding = deciding(decide_each(report.findings, report.policy))
        numbers = sum(each.size for each in bench.numbers(bench.plan).values())
        search = Search(bench, options, work_for(options.minutes, report.data.people, numbers))
        search.start(bench.plan, report)
        if report.verdict != "pass":
            proposals = _proposals(search, changeable, finding, within(progress, AUDITED, CAUSES))
            search.among = 1 + proposals.count
            search.progress = within(progress, CAUSES, 1.0)
            propose_all(search, proposals)
        return _finish(search, report)


def _finish(search: Search, report: Report) -> Remedy:
    """Audit the best change as anybody would, by its plan alone; what does not pass then is none."""
    while True:
        ladder, candidates = search.ladder()
        before = report.model_copy(update={"ladder": ladder})
        best = None if ladder.best is None else candidates[ladder.best]
        if best is None:
            return Remedy(before, None, None)
        after = search.bench.audit(best.plan).report
        if after.verdict == "pass":
            return Remedy(before, best, after)
        at = next(j for j, (_, candidate) in enumerate(search.tried) if candidate is best)
        failed = {"verdict": after.verdict, "note": "It does not pass the audit that its plan alone has."}
        search.tried[at] = (search.tried[at][0].model_copy(update=failed), best)


def _proposals(
    search: Search, changeable: list[ReleasePlan], finding: Finding | None, progress: Progress
) -> Proposals:
    bench, options = search.bench, search.options
    opened = bench.ground
    if opened is None:
        raise InputError("plan", "must have a release that can be changed", "none about a secret")
    public = tuple(column.name for column in opened.people.schema.public)
    ground = Ground(bench.plan, tuple(changeable), public)
    keep = tables_named(options.keep, [part.columns for part in ground.parts if part.columns])
    effects = effects_of(bench, ground, finding, search.work, progress)
    if effects is None:
        search.not_tried.append(NO_CAUSES)
    ground = Ground(bench.plan, tuple(changeable), public, keep, effects or {})
    measured = finding is not None and bool(finding.measures) and finding.decisive.baseline is not None
    baseline = finding.decisive.baseline.rate if measured else 0.5  # type: ignore[union-attr]
    out = any(is_fixed(each) for each in bench.plan.release)
    return propose(ground, opened, baseline, given=bench.given, out=out)


def _changeable(plan: Plan, only: str | None) -> list[ReleasePlan]:
    """The releases that may be changed."""
    names = [each.name for each in plan.release]
    if only is not None and only not in names:
        raise InputError("release", "must be one of the plan", repr(only), nearest(only, names))
    found = [
        cast(ReleasePlan, each)
        for each in plan.release
        if not is_fixed(each) and only in (None, each.name) and kind_of(each) == STATISTICS
    ]
    if not found:
        raise InputError(
            "plan",
            "must have a release that can be changed",
            "only what is out already, or of a kind that cannot",
            "Plan statistics about a secret with a mechanism.",
        )
    return found


def _chosen(plan: Plan, only: str | None) -> Plan:
    """The plan with what is to be changed and what is out; of alternatives the chosen one alone."""
    if only is None:
        return plan
    kept = [each for each in plan.release if each.name == only or is_fixed(each)]
    return plan.model_copy(update={"release": kept})


def _check_alternatives(bench: Workbench, options: RemedyOptions) -> None:
    opened = bench.ground
    if opened is None or options.release is not None:
        return
    if not alternatives({release.name: release for release in opened.planned}):
        return
    raise InputError(
        "plan",
        "must have one release of each statistic",
        "alternatives, of which one will be published",
        "Say which one to mend with --release NAME.",
    )
