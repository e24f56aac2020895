"""What a remedy leaves behind: the changed plan, the ladder, the report, and the protected tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dalenius.atomic_write import Scratch
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_releases import MEANS, STATISTICS, ReleasePlan, kind_of
from dalenius.genomes.variants import Variants
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.dataset import Dataset
from dalenius.random import stream
from dalenius.reconstruction.family import open_people
from dalenius.release.means import MeansRelease
from dalenius.release.means_files import write_means
from dalenius.release.means_publish import publish_means
from dalenius.release.publish import publish
from dalenius.release.release import Release
from dalenius.remedy.bench import is_fixed
from dalenius.remedy.result import Remedy
from dalenius.remedy.written.plan_text import changed_text
from dalenius.remedy.written.workbook import workbook
from dalenius.report.page.render import page_html
from dalenius.tracing.files.opening import Opening
from dalenius.tracing.files.plan import open_traits

PLAN, LADDER, AFTER, PAGE, TABLES = (
    "audit-remedied.toml",
    "remedy.json",
    "findings-remedied.json",
    "report-remedied.html",
    "tables-remedied.xlsx",
)


def files_of(remedy: Remedy, plan: Plan, path: Path, out: Path) -> dict[str, str | bytes]:
    """Return the files of a remedy by name; ``findings.json`` is the report's own.

    Parameters
    ----------
    remedy
        What was found.
    plan, path
        The plan as it is, and where.
    out
        Where the files will be.
    """
    files: dict[str, str | bytes] = {LADDER: remedy.to_json()}
    best, rung = remedy.best, remedy.rung
    if best is None or rung is None or remedy.after is None:
        return files
    made = {out / name: place for name, place in best.files.items()}
    files[PLAN] = changed_text(
        path.read_text(encoding="utf-8"),
        _with_places(best.plan, {str(place): str(new) for new, place in made.items()}),
        best.said,
        folder=path.parent,
        out=out,
        made=made,
    )
    files[AFTER], files[PAGE] = remedy.after.to_json(), page_html(remedy.after)
    if any(_makes_tables(each) for each in best.plan.release):
        files[TABLES] = workbook(_published(plan, world=False), _published(best.plan, world=True), rung)
    files |= means_of(best.plan)
    if best.world is not None:
        return {**files, **best.world()}
    return {**files, **{name: place.read_bytes() for name, place in best.files.items()}}


def _with_places(plan: Plan, new: Mapping[str, str]) -> Plan:
    """The plan with files where they will be instead of where they were made."""
    if not new:
        return plan
    changed = []
    for release in plan.release:
        path, tables = getattr(release, "path", None), getattr(release, "tables", None)
        if str(path) in new:
            release = release.model_copy(update={"path": Path(new[str(path)])})
        if tables is not None and any(str(each) in new for each in tables):
            moved = [Path(new.get(str(each), str(each))) for each in tables]
            release = release.model_copy(update={"tables": moved})
        changed.append(release)
    return plan.model_copy(update={"release": changed})


def means_of(plan: Plan) -> dict[str, str]:
    """The means or frequencies to publish, by name of file; noise in them nobody can draw again."""
    files = {}
    for release in plan.release:
        if not isinstance(release, ReleasePlan) or kind_of(release) != MEANS or is_fixed(release):
            continue
        groups, mechanism = open_traits(plan, release), release.mechanism or "exact"
        made = publish_means(
            groups.members,
            mechanism,
            rng=stream(plan.seed, "noise", release.name, 0),
            name=release.name,
            moved=groups.moved,
            for_the_world=parse_mechanism(mechanism, "means").draws,
        )
        with Scratch("dalenius-remedy-") as scratch:
            write_means(scratch.path / "means", made, _variants(plan, made))
            files[f"{release.name}-remedied.tsv"] = (scratch.path / "means").read_text(encoding="utf-8")
    return files


def _variants(plan: Plan, made: MeansRelease) -> Variants | None:
    """What the attributes of frequencies are, so that readers know which allele was counted."""
    if made.kind != "genotype" or plan.data.path is None:
        return None
    return Opening().genotypes(plan.data.path).variants


def _makes_tables(release: object) -> bool:
    return isinstance(release, ReleasePlan) and kind_of(release) == STATISTICS and not is_fixed(release)


def _published(plan: Plan, *, world: bool) -> list[Release]:
    """Publish what is planned: as the audit did, or for the world, with noise that nobody can draw again."""
    with open_people(plan) as people:
        return [
            _publish(people, each, plan.seed, world=world)
            for each in plan.release
            if isinstance(each, ReleasePlan) and _makes_tables(each)
        ]


def _publish(people: Dataset, release: ReleasePlan, seed: int, *, world: bool) -> Release:
    mechanism = release.mechanism or "exact"
    return publish(
        people,
        tuple(release.statistics),
        mechanism,
        rng=stream(seed, "noise", release.name),
        name=release.name,
        for_the_world=world and parse_mechanism(mechanism).draws,
    )
