"""``dalenius trace``: is this person in the data behind published means?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from dalenius.console.finish import OUTPUTS, Outputs
from dalenius.console.options import THIS_PROCESS, WholeSentences, WorkPlace, grouped, place
from dalenius.console.policies import MembersRules, TargetsRules
from dalenius.console.resumed import resumed
from dalenius.tracing.cli.help import BEACON, MEMBERS, PLAN, PROMISE, TARGETS
from dalenius.tracing.cli.options import (
    AccusingAsked,
    BeaconAsked,
    FilesAsked,
    GenotypeFiles,
    MeansAsked,
    MembersAsked,
    PromiseAsked,
    PublishedAsked,
    RecognisedOutputs,
    Seed,
    TestAsked,
    TrialsAsked,
)

if TYPE_CHECKING:
    from dalenius.findings.report import NotRun

Found = TypeVar("Found")

app = typer.Typer(
    cls=WholeSentences,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Trace people in published means and allele frequencies.",
)


@app.callback()
def family() -> None:
    """Keep the actions words of their own."""


def unless_lost(attack: Callable[[], Found], release: str) -> Found | NotRun:
    """Attack a release, or say that a block ended whoever does it: a sum cannot miss one."""
    from dalenius.auditing.case import lost_work
    from dalenius.errors import LostBlockError

    try:
        return attack()
    except LostBlockError as error:
        return lost_work(release, "tracing", error)


@app.command("targets", help=TARGETS)
@grouped
def targets(
    asked: PublishedAsked,
    accusing: AccusingAsked,
    files: FilesAsked,
    tolerated: TargetsRules,
    seed: Seed = 1,
    spread: WorkPlace = THIS_PROCESS,
    outputs: Outputs = OUTPUTS,
) -> None:
    """Attack published means and write the accusations."""
    from dalenius.auditing.decide import conclude
    from dalenius.console.finish import drawn, finish
    from dalenius.console.progress import bar
    from dalenius.findings.report import Data, NotRun
    from dalenius.people.opening import place_name
    from dalenius.tracing.files.view import open_views
    from dalenius.tracing.pictures import surprise
    from dalenius.tracing.questions.targets import name_of, trace_targets

    sources = {"--release": asked.release, "--targets": asked.targets, "--reference": asked.reference}
    with (
        bar(quiet=outputs.quiet) as progress,
        resumed(outputs.out, sources, (asked, accusing, files, seed), genotypes=True),
        spread.begun(),
    ):
        views, notes = open_views(
            asked.release,
            asked.targets,
            asked.reference,
            files.opening(progress),
            asked.study(),
            mechanism=asked.mechanism,
            known=asked.reference_is_population,
        )
        level, correction = accusing.level, accusing.correction
        one, called = next(iter(views.values())), name_of(views)
        trace = partial(trace_targets, views, accusing.test.score_test(), level=level, correction=correction)
        traced = unless_lost(partial(trace, notes=notes, seed=seed, progress=progress), called)
    data = Data(source=place_name(asked.targets), people=one.targets.n, public=(), secret=None)
    if isinstance(traced, NotRun):
        lost = conclude([], tolerated.made(), data=data, seed=seed, not_run=[traced])
        finish(lost, {}, outputs, told=notes)
    accusations = traced.accusations
    accused = int(accusations.accused(level, correction).sum())
    written = {
        "accusations.csv": accusations.to_csv(level, correction),
        **drawn({"targets.svg": lambda: surprise(accusations.p_value, level, accused)}),
    }
    finish(conclude([traced.finding], tolerated.made(), data=data, seed=seed), written, outputs)


@app.command("members", help=MEMBERS)
@grouped
def members(
    asked: MembersAsked,
    test: TestAsked,
    trials: TrialsAsked,
    files: FilesAsked,
    tolerated: MembersRules,
    spread: WorkPlace,
    outputs: RecognisedOutputs,
) -> None:
    """Publish, attack and judge; write the finding and the curve."""
    from dalenius.auditing.decide import conclude
    from dalenius.console.finish import drawn, finish
    from dalenius.console.options import named_files
    from dalenius.console.progress import bar
    from dalenius.findings.report import Data, NotRun
    from dalenius.people.opening import place_name
    from dalenius.tracing.case import MembersSettings
    from dalenius.tracing.files.groups import open_groups
    from dalenius.tracing.pictures import roc
    from dalenius.tracing.questions.members import run_members

    policy = tolerated.made()
    how = MembersSettings(
        test.score_test(),
        name=place_name(asked.members),
        repeats=trials.repeats,
        prior=trials.prior,
        confidence=policy.confidence,
        seed=trials.seed,
        why=True,
    )
    sources = {"--members": asked.members, "--reference": asked.reference}
    with (
        bar(quiet=outputs.quiet) as progress,
        resumed(outputs.out, sources, (asked, test, trials, files, policy.confidence), genotypes=True),
        spread.begun(),
    ):
        others = named_files(trials.group or [])
        groups = open_groups(asked.members, asked.reference, files.opening(progress), others=others)
        judged = replace(groups, notes=())
        traced = unless_lost(partial(run_members, judged, asked.mechanism, how, progress), how.name)
    data = Data(source=place_name(asked.members), people=groups.members.n, public=(), secret=None)
    if isinstance(traced, NotRun):
        lost = conclude([], policy, data=data, seed=trials.seed, not_run=[traced])
        finish(lost, {}, outputs, told=groups.notes)
    report = conclude([traced.finding], policy, data=data, seed=trials.seed)
    written = drawn({"roc.svg": lambda: roc(traced.finding)})
    if outputs.show_people:
        written["accusations.csv"] = traced.accusations.to_csv(traced.finding.headline)
    finish(report, written, outputs, told=groups.notes)


@app.command("beacon", help=BEACON)
@grouped
def beacon(
    asked: BeaconAsked,
    files: GenotypeFiles,
    tolerated: MembersRules,
    outputs: RecognisedOutputs,
    seed: Seed = 1,
) -> None:
    """Make a beacon, ask it, and judge; write the finding and the curve."""
    from dalenius.auditing.decide import conclude
    from dalenius.console.finish import drawn, finish
    from dalenius.console.options import named_files
    from dalenius.console.progress import bar
    from dalenius.findings.report import Data
    from dalenius.people.opening import place_name
    from dalenius.tracing.attack.genomes.beacon import BeaconAttack
    from dalenius.tracing.case import MembersSettings
    from dalenius.tracing.files.groups import open_beacon
    from dalenius.tracing.pictures import roc
    from dalenius.tracing.questions.beacon import run_beacon

    policy = tolerated.made()
    attack = BeaconAttack(asked.queries, asked.errors, asked.noise)
    how = MembersSettings(name=place_name(asked.members), confidence=policy.confidence, seed=seed, why=True)
    with bar() as progress:
        others = named_files(asked.group or [])
        groups = open_beacon(
            asked.members, asked.reference, files.opening(progress), others=others, seed=seed
        )
        found = run_beacon(replace(groups, notes=()), attack, how, progress)
    data = Data(source=place_name(asked.members), people=groups.members.n, public=(), secret=None)
    report = conclude([found.finding], policy, data=data, seed=seed)
    written = drawn({"roc.svg": lambda: roc(found.finding)})
    if outputs.show_people:
        written["accusations.csv"] = found.accusations.to_csv(found.finding.headline)
    finish(report, written, outputs, told=groups.notes)


@app.command("plan", help=PLAN)
@grouped
def plan(
    asked: MeansAsked,
    files: FilesAsked,
    tolerated: MembersRules,
    seed: Seed = 1,
    outputs: Outputs = OUTPUTS,
) -> None:
    """Put together what attacks reach, what is guaranteed and what is safe; or try it on people."""
    if asked.members is not None:
        _plan_own(asked, files, tolerated, seed, outputs)
        return
    from dalenius.auditing.decide import conclude
    from dalenius.console.finish import drawn, finish
    from dalenius.findings.report import Data
    from dalenius.tracing.pictures import planned
    from dalenius.tracing.questions.sizing import MeansToCome, describe, plan_of

    numbers = asked.numbers()
    made, notes = plan_of(MeansToCome(**numbers))
    data = Data(source="means to come", people=made.n, public=(), secret=None)
    report = conclude([describe(made, asked.means, notes)], tolerated.made(), data=data, seed=1)
    finish(report, drawn({"plan.svg": lambda: planned(made)}), outputs)


@app.command("promise", help=PROMISE)
@grouped
def promise(
    asked: PromiseAsked,
    tolerated: MembersRules,
    command: Annotated[list[str], typer.Argument(metavar="-- PROGRAM [ARGS]", help="What is run.")],
    seed: Seed = 1,
    outputs: Outputs = OUTPUTS,
) -> None:
    """Run a program on neighbouring data, and say whether its promise is refuted."""
    from dalenius.auditing.decide import conclude
    from dalenius.console.finish import finish
    from dalenius.console.progress import bar
    from dalenius.findings.report import Data
    from dalenius.tracing.questions.program import PromiseSettings, refute_program

    policy = tolerated.made()
    how = PromiseSettings(asked.people, asked.columns, asked.trials, policy.confidence, seed)
    with bar() as progress:
        finding = refute_program(command, asked.mechanism, how, limit=asked.seconds, progress=progress)
    data = Data(source="drawn answers", people=asked.people, public=(), secret=None)
    finish(conclude([finding], policy, data=data, seed=seed), {}, outputs)


def _plan_own(
    asked: MeansAsked, files: FilesAsked, tolerated: MembersRules, seed: int, outputs: Outputs
) -> None:
    """Try ways to publish on the custodian's own people."""
    from dalenius.auditing.decide import conclude
    from dalenius.console.finish import finish
    from dalenius.console.progress import bar
    from dalenius.findings.report import Data
    from dalenius.people.opening import place_name
    from dalenius.tracing.files.groups import open_groups
    from dalenius.tracing.questions.own_data import plan_own

    asked.refuse_numbers()
    policy = tolerated.made()
    with bar() as progress:
        groups = open_groups(asked.members, place(str(asked.reference)), files.opening(progress))
        finding = plan_own(replace(groups, notes=()), asked.fpr, policy, seed=seed, progress=progress)
    data = Data(source=place_name(asked.members), people=groups.members.n, public=(), secret=None)
    finish(conclude([finding], policy, data=data, seed=seed), {}, outputs, told=groups.notes)
