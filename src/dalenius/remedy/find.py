"""Find the least change that makes a plan pass."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dalenius.atomic_write import Scratch
from dalenius.auditing.alternatives import choices, clusters
from dalenius.auditing.changes.proposals import Proposals, ToChange, joined
from dalenius.auditing.decide import decide_each
from dalenius.auditing.families import FAMILIES, changing
from dalenius.auditing.plan import ATTACKED_AS_ONE, Plan
from dalenius.auditing.plan_parts import TablesPlan
from dalenius.auditing.plan_releases import kind_of
from dalenius.errors import DaleniusError, InputError, nearest
from dalenius.findings.report import Finding, Report
from dalenius.people.dataset import Dataset
from dalenius.progress import Progress, silent, within
from dalenius.release.release import Release
from dalenius.remedy.bench import Workbench, deciding, is_fixed, look_at_each
from dalenius.remedy.options import RemedyOptions
from dalenius.remedy.result import Remedy
from dalenius.remedy.rungs import at_risk
from dalenius.remedy.search import Search, propose_all
from dalenius.remedy.work import work_for

AUDITED, CAUSES = 0.1, 0.25

SHARE = 3
"""At most a third of the work is for finding causes."""


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
    _check_alternatives(plan, options)
    changeable = _changeable(plan, options.release)
    scratch = Scratch("dalenius-remedy-")
    with Workbench(_chosen(plan, options.release), people, reference, published) as bench:
        report = bench.audit(bench.plan, progress=within(progress, 0.0, AUDITED)).report
        finding = deciding(decide_each(report.findings, report.policy))
        numbers = sum(each.size for each in bench.numbers(bench.plan).values())
        search = Search(bench, options, work_for(options.minutes, report.data.people, numbers))
        search.start(bench.plan, report)
        search.not_tried += _broken_by_what_is_out(report, bench.plan, changeable)
        if report.verdict != "pass":
            proposals = _proposals(
                search, changeable, finding, scratch.path, within(progress, AUDITED, CAUSES)
            )
            search.among = 1 + proposals.count
            search.progress = within(progress, CAUSES, 1.0)
            propose_all(search, proposals)
        return _finish(search, report, scratch)


def _broken_by_what_is_out(report: Report, plan: Plan, changeable: list[Any]) -> list[str]:
    """Say which releases break a rule by themselves and cannot be changed: then nothing else can pass."""
    out = {each.name for each in plan.release if is_fixed(each) and each not in changeable}
    return [
        f"A change of {one.release}, which is out already: it breaks a rule by itself, so no change of "
        f"what is planned passes beside it; {one.reasons[0]}"
        for one in report.verdicts
        if one.release in out and one.verdict == "stop" and one.reasons
    ]


def _finish(search: Search, report: Report, scratch: Scratch) -> Remedy:
    """Audit the best change as anybody would, by its plan alone; what does not pass then is none."""
    while True:
        ladder, candidates = search.ladder()
        before = report.model_copy(update={"ladder": ladder})
        best = None if ladder.best is None else candidates[ladder.best]
        if best is None:
            return Remedy(before, None, None)
        after = search.bench.audit(best.plan).report
        if after.verdict == "pass":
            return Remedy(before, best, after, scratch)
        at = next(j for j, (_, candidate) in enumerate(search.tried) if candidate is best)
        failed = {"verdict": after.verdict, "note": "It does not pass the audit that its plan alone has."}
        search.tried[at] = (search.tried[at][0].model_copy(update=failed), best)


def _proposals(
    search: Search, changeable: list[Any], finding: Finding | None, scratch: Path, progress: Progress
) -> Proposals:
    """Ask every family that has a question about the plan."""
    bench, plan = search.bench, search.bench.plan
    found = []
    for goal, line in FAMILIES.items():
        propose = changing(goal) if plan.kinds & {*line.kinds} else None
        if propose is None:
            continue
        asked = ToChange(
            plan=plan,
            releases=changeable,
            opened=bench.ground,
            finding=finding,
            keep=search.options.keep,
            given=bench.given,
            out=any(is_fixed(each) and each not in changeable for each in plan.release),
            folder=scratch,
            less_at_risk=lambda plans: _less_at_risk(search, plans, finding, progress),
        )
        found.append(propose(asked, progress))
    return joined(found)


def _less_at_risk(
    search: Search, plans: Mapping[str, Plan], finding: Finding | None, progress: Progress
) -> dict[str, float] | None:
    """Say by how much less is at risk under changed plans; ``None`` if that takes too long."""
    if len(plans) * SHARE > search.work.left:
        return None
    search.work.spend(len(plans))
    people, gain = at_risk(finding)
    found = {}
    looks = look_at_each(search.bench, list(plans.values()), quick=True)
    for j, said in enumerate(plans):
        progress(j / len(plans), said)
        seen = next(looks)
        if isinstance(seen, DaleniusError):
            raise seen
        fewer, less = at_risk(seen.finding)
        found[said] = people - fewer if people else gain - less
    return found


def _changeable(plan: Plan, only: str | None) -> list[Any]:
    """The releases that may be changed, all of one kind: each change is of that kind alone."""
    names = [each.name for each in plan.release]
    if only is not None and only not in names:
        raise InputError("release", "must be one of the plan", repr(only), nearest(only, names))
    may = {kind for line in FAMILIES.values() if line.changes for kind in line.kinds}
    asked = [each for each in plan.release if only in (None, each.name) and kind_of(each) in may]
    found = [each for each in asked if not is_fixed(each)]
    if not found:  # printed tables stand beside what is planned; alone they are what is planned
        found = [each for each in asked if isinstance(each, TablesPlan) and not each.fixed]
    if not found:
        known = all(kind_of(each) in may for each in plan.release)
        raise InputError(
            "plan",
            "must have a release that can be changed",
            "only what is out already" if known else "releases of a kind for which no changes are known",
            "What has a path or fixed = true is never changed.",
        )
    if len({kind_of(each) for each in found}) > 1:
        raise InputError(
            "plan",
            "must have releases of one kind, to be changed together",
            "several kinds",
            "Say which release to mend with --release NAME.",
        )
    return found


def _chosen(plan: Plan, only: str | None) -> Plan:
    """The plan with what is to be changed and what is published with it; of alternatives it alone.

    Releases of another question are left out: they are not attacked together, and no change here is theirs.
    """
    if only is None:
        return plan
    instead = next(names for names in clusters(_stated(plan)) if only in names)
    asked = next(ATTACKED_AS_ONE.get(kind_of(each)) for each in plan.release if each.name == only)
    kept = [
        each
        for each in plan.release
        if each.name == only
        or is_fixed(each)
        or (each.name not in instead and asked and ATTACKED_AS_ONE.get(kind_of(each)) == asked)
    ]
    return plan.model_copy(update={"release": kept})


def _stated(plan: Plan) -> dict[str, str | None]:
    return {each.name: getattr(each, "alternative_to", None) for each in plan.release}


def _check_alternatives(plan: Plan, options: RemedyOptions) -> None:
    if options.release is not None or not choices(_stated(plan))[0]:
        return
    raise InputError(
        "plan",
        "must have one release of each statistic",
        "alternatives, of which one will be published",
        "Say which one to mend with --release NAME.",
    )
