"""``dalenius audit``: run a plan."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalenius.console.finish import GATE, REPORT, Gate, Outputs
from dalenius.console.options import THIS_PROCESS, WorkPlace, grouped

if TYPE_CHECKING:
    from dalenius.auditing.plan import Plan
    from dalenius.spread.parts import KeptParts

MANY = 1_000
"""Tables from which on it is said beforehand that there are many."""

PLACES = {"data.path": "data file", "knowledge.reference": "reference"}
"""Keys of a plan that have a shorter name where it is said what differs."""

HELP = """Attack the releases of a plan and say whether they keep to its policy.

\b
Example:
  dalenius audit audit.toml --out report

\b
audit.toml names the data, its columns, the releases, what the attacker knows and
what is tolerated; `dalenius init` writes one to start from.
DIR gets findings.json, the page report.html, the same in short as report.md, and
with --show-people claims.csv (<id>,probability,guess,certain), for several releases
claims-NAME.csv, for means accusations-NAME.csv, for anonymised rows
predicates-NAME.json.

Exit code: 0 every release keeps the policy; 1 one breaks it, or is not shown to keep it; 2 bad input.
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help=HELP)
@grouped
def audit(
    plan: Annotated[Path, typer.Argument(metavar="audit.toml", help="The plan; `dalenius init` writes one.")],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder for the results (default: dalenius-report beside the plan)."
        ),
    ] = None,
    show_people: Annotated[
        bool, typer.Option("--show-people", help="Also write what the attack says about every person.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print only the verdict.")] = False,
    spread: WorkPlace = THIS_PROCESS,
    gate: Gate = GATE,
) -> None:
    """Run a plan, write its findings and end with the exit code of its verdict."""
    from dalenius.auditing.plan import read_plan
    from dalenius.auditing.run import run_plan
    from dalenius.console.finish import NOT_PASSED, tell
    from dalenius.console.progress import bar
    from dalenius.progress import unsaid
    from dalenius.report.page.ladder import release_to_mend

    checked = read_plan(plan)
    outputs = Outputs(plan.parent / REPORT if out is None else out, gate, quiet)
    outputs.check()
    if not quiet and (warning := said_of_size(checked)):
        _say(warning)
    resumed = _resumed(plan, checked, outputs.out)
    shared = spread.or_of_plan(checked.budget.workers, checked.budget.cluster)
    with bar(quiet=quiet) as progress, resumed as parts, shared.begun():
        # what is claimed about people is kept nowhere: who wants to see it waits for all of it
        kept = parts if not show_people and _keeps_findings(checked) else None
        result = run_plan(checked, progress=progress, announce=unsaid if quiet else _say, kept=kept)
    tell(result.report, result.people_files() if show_people else {}, outputs)
    if result.verdict == "pass":
        return
    if not quiet:
        words = f"{shlex.quote(str(plan))}{release_to_mend(result.report)}"
        _say(f"What would make it pass: dalenius remedy {words}")
    raise typer.Exit(NOT_PASSED)


def said_of_size(plan: Plan) -> str | None:
    """Say before the work that very many tables are planned, by the columns that the plan names."""
    from dalenius.grammar import parse_options

    planned = 0
    for text in (text for release in plan.release for text in getattr(release, "statistics", ())):
        options = parse_options(text)
        if options.name == "tables" and "k" in options.values:
            names = options.words("attributes") or plan.columns.public or ()
            planned += comb(len(names), options.whole("k", least=0))
    if planned < MANY:
        return None
    return (
        f"{planned:,} tables are planned, which may take long: all combinations of columns. Name those "
        "that will be published, as in tables:k=2,attributes=age+sex+town."
    )


def _resumed(path: Path, plan: Plan, out: Path) -> AbstractContextManager[KeptParts | None]:
    """Keep what is done until the end: parts of long work, named by all that they rest on, and findings."""
    from dalenius.auditing.plan_releases import MEANS, STATISTICS, kind_of

    kinds = {kind_of(each) for each in plan.release}
    short = plan.knowledge.roster and plan.columns.split is None and kinds <= {STATISTICS}
    if short and (not _keeps_findings(plan) or (len(plan.release) == 1 and not out.exists())):
        return nullcontext()  # nothing was kept before, and its finding ends the run
    from dalenius import __version__
    from dalenius.genomes.read import holds_genotypes, stamp_of
    from dalenius.spread.digest import digest_files
    from dalenius.spread.parts import keeping

    about = {"version of dalenius": __version__, **digest_files({"plan": path})}
    for name, place in _places_of(plan):
        if kinds & {MEANS} and holds_genotypes(place):
            about[name] = stamp_of(place)
        elif isinstance(place, Path):  # what is at an address is told by what is read there
            about |= digest_files({name: place})
    return keeping(out, about, announce=_say)


def _keeps_findings(plan: Plan) -> bool:
    """Whether it can be told that a whole finding would be the same again: all is in files that are digested.

    Findings that rest on people claimed about, and those without a roster, are not kept.
    """
    from dalenius.auditing.plan_releases import STATISTICS, kind_of

    asked = [text for each in plan.release for text in getattr(each, "statistics", ())]
    return (
        plan.knowledge.roster
        and plan.data.path is not None
        and all(isinstance(place, Path) and place.is_file() for _, place in _places_of(plan))
        and plan.knowledge.prior is None
        and all(kind_of(each) in (STATISTICS, "counts") for each in plan.release)
        and not any(getattr(each, "path", None) for each in plan.release)
        and not any("path=" in text for text in asked)
    )


def _places_of(plan: Plan) -> Iterator[tuple[str, Path | str]]:
    """Files and addresses that a plan names, each with the key that names it; not where the work is done."""
    return _places(plan.model_dump(exclude={"budget"}))


def _places(held: object, name: str = "") -> Iterator[tuple[str, Path | str]]:
    if isinstance(held, Path) or (isinstance(held, str) and "://" in held):
        yield PLACES.get(name, name), held
    elif isinstance(held, Mapping):
        for key, each in held.items():
            yield from _places(each, f"{name}.{key}".lstrip("."))
    elif isinstance(held, list | tuple):
        for at, each in enumerate(held):
            yield from _places(each, f"{name}[{at}]")


def _say(sentence: str) -> None:
    """Say beforehand what to expect; on the error stream, since the report repeats it."""
    typer.echo(sentence, err=True)
