"""``dalenius trace``: is this person in the data behind published means?"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dalenius.console.finish import OUTPUTS, Outputs
from dalenius.console.options import Place, grouped, place
from dalenius.console.policies import MembersRules, TargetsRules
from dalenius.tracing.attack.presets import LEVEL
from dalenius.tracing.cli_help import BEACON, MEMBERS, PLAN, TARGETS

if TYPE_CHECKING:
    from dalenius.genomes.associations.sizes import StudySizes
    from dalenius.progress import Progress
    from dalenius.tracing.attack.score_test import ScoreTest
    from dalenius.tracing.files.opening import Opening

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Trace people in published means and allele frequencies.",
)

By = Literal["auto", "id", "place"]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same result.")]


@dataclass(frozen=True)
class FilesAsked:
    """How files of people are opened and matched."""

    id: Annotated[
        str | None, typer.Option("--id", metavar="COLUMN", help="Column with person ids (tables only).")
    ] = None
    match: Annotated[By, typer.Option("--match", help="Match SNPs by id or by place.")] = "auto"
    strands_agree: Annotated[
        bool, typer.Option("--strands-agree", help="Keep A/T and C/G: same strand everywhere.")
    ] = False
    cache: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder for converted files.")] = None

    def opening(self, progress: Progress) -> Opening:
        """Return the same for the reader."""
        from dalenius.tracing.files.opening import Opening

        return Opening(self.id, self.match, self.strands_agree, self.cache, progress)


@dataclass(frozen=True)
class TestAsked:
    """Which test is run."""

    weights: Annotated[
        str, typer.Option(help="Weights of the score: auto, raw, clip, corr, opt, llr, homer or absent.")
    ] = "auto"
    calibration: Annotated[
        str, typer.Option(help="auto, adjusted, pooled, known-p, conformal, flip, norm or paper; see Tests.")
    ] = "auto"
    preset: Annotated[
        str | None, typer.Option(help="A test of the papers by name, instead of weights and calibration.")
    ] = None
    alpha: Annotated[float | None, typer.Option(help="Error of the means, for the weights clip.")] = None
    independent: Annotated[
        bool, typer.Option("--independent", help="Attributes do not depend on each other.")
    ] = False

    def score_test(self) -> ScoreTest:
        """Return the same for the attack."""
        from dalenius.tracing.attack.score_test import ScoreTest

        return ScoreTest(**asdict(self))


@dataclass(frozen=True)
class PublishedAsked:
    """What somebody who traces people holds."""

    release: Annotated[Path, typer.Option(metavar="FILE", help="The published means or frequencies.")]
    targets: Annotated[Place, typer.Option(parser=place, metavar="FILE", help="The people asked about.")]
    reference: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="Other people, or frequencies of others.")
    ] = None
    reference_is_population: Annotated[
        bool,
        typer.Option(
            "--reference-is-population",
            help="Reference frequencies are those of the population, without error.",
        ),
    ] = False
    n: Annotated[int | None, typer.Option(min=1, help="Number of people behind the release.")] = None
    cases: Annotated[
        int | None, typer.Option(min=1, help="Of summary statistics: cases, if the file does not say.")
    ] = None
    controls: Annotated[int | None, typer.Option(min=1, help="The same of controls.")] = None
    frequencies_of: Annotated[
        Literal["auto", "controls", "everybody"],
        typer.Option(help="Whose frequency stands beside an odds ratio; auto: controls in GWAS-SSF."),
    ] = "auto"
    mechanism: Annotated[str, typer.Option(help="Mechanism said to be behind the means.")] = "unknown"

    def study(self) -> StudySizes:
        """Return what is said about the people behind the release."""
        from dalenius.genomes.associations.sizes import StudySizes

        return StudySizes(self.n, self.cases, self.controls, self.frequencies_of)


@dataclass(frozen=True)
class MembersAsked:
    """What is published of whom, and other people."""

    members: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="The people whose means are published.")
    ]
    reference: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="Others of the same population.")
    ]
    mechanism: Annotated[str, typer.Option(help="Mechanism applied to the means.")] = "exact"


@dataclass(frozen=True)
class TrialsAsked:
    """How often releases are made, and who else is judged."""

    prior: Annotated[float | None, typer.Option(help="Prior probability that a target is a member.")] = None
    repeats: Annotated[int, typer.Option(min=1, help="Independent releases to make and attack.")] = 1
    group: Annotated[
        list[str] | None, typer.Option(metavar="NAME=FILE", help="Others to judge, such as relatives.")
    ] = None


@dataclass(frozen=True)
class BeaconAsked:
    """Who is in a beacon, and how it is asked."""

    members: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="The people in the beacon: genotypes.")
    ]
    reference: Annotated[
        Place,
        typer.Option(
            parser=place,
            metavar="FILE",
            help="Others of the population (default: a quarter of members).",
        ),
    ] = None
    queries: Annotated[int, typer.Option(min=1, help="Questions about one person, at most.")] = 100
    noise: Annotated[
        float, typer.Option(min=0, max=0.5, help="Probability that an answer is turned over.")
    ] = 0.0
    errors: Annotated[
        float, typer.Option(min=0, max=0.5, help="Share of alleles that records have wrong.")
    ] = 1e-3
    group: Annotated[
        list[str] | None, typer.Option(metavar="NAME=FILE", help="Others to judge, such as relatives.")
    ] = None


@dataclass(frozen=True)
class MeansAsked:
    """Means that are to be published, and whom they are to be safe from."""

    n: Annotated[int, typer.Option("--n", min=1, help="Number of people behind each mean.")]
    reference: Annotated[
        int | None,
        typer.Option(min=1, help="Number of reference people (default: the whole population)."),
    ] = None
    fpr: Annotated[float, typer.Option(help="False-positive rate (false alarms) the attacker accepts.")] = (
        1e-3
    )
    beta: Annotated[
        float, typer.Option(help="Power (share of members recognised) that counts as tracing.")
    ] = 0.5
    sigma: Annotated[float, typer.Option(min=0, help="Noise on each fraction or frequency.")] = 0.0
    rho: Annotated[float | None, typer.Option(help="Instead: a budget for --means together.")] = None
    means: Annotated[int | None, typer.Option(min=1, help="How many means you want to publish.")] = None
    alpha: Annotated[float, typer.Option(min=0, help="Bias that the guarantee is to cover.")] = 0.0
    frequencies: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Allele frequencies; the guarantee is then computed for them."),
    ] = None


@app.callback()
def family() -> None:
    """Keep the actions words of their own."""


@app.command("targets", help=TARGETS)
@grouped
def targets(
    asked: PublishedAsked,
    test: TestAsked,
    files: FilesAsked,
    tolerated: TargetsRules,
    level: Annotated[
        float, typer.Option(help="Accuse at q-values (p-values corrected for multiple testing) up to this.")
    ] = LEVEL,
    correction: Annotated[
        Literal["bh", "by", "holm", "bonferroni"], typer.Option(help="Correction for multiple testing.")
    ] = "bh",
    seed: Seed = 1,
    outputs: Outputs = OUTPUTS,
) -> None:
    """Attack published means and write the accusations."""
    from dalenius.auditing.decide import conclude
    from dalenius.console.finish import drawn, finish
    from dalenius.console.progress import bar
    from dalenius.findings.report import Data
    from dalenius.people.opening import place_name
    from dalenius.tracing.files.view import open_views
    from dalenius.tracing.pictures import surprise
    from dalenius.tracing.questions.targets import trace_targets

    with bar(quiet=outputs.quiet) as progress:
        views, notes = open_views(
            asked.release,
            asked.targets,
            asked.reference,
            files.opening(progress),
            asked.study(),
            mechanism=asked.mechanism,
            known=asked.reference_is_population,
        )
        finding, accusations = trace_targets(
            views,
            test.score_test(),
            level=level,
            correction=correction,
            notes=notes,
            seed=seed,
            progress=progress,
        )
    data = Data(source=place_name(asked.targets), people=accusations.ids.size, public=(), secret=None)
    accused = int(accusations.accused(level, correction).sum())
    written = {
        "accusations.csv": accusations.to_csv(level, correction),
        **drawn({"targets.svg": lambda: surprise(accusations.p_value, level, accused)}),
    }
    finish(conclude([finding], tolerated.made(), data=data, seed=seed), written, outputs)


@app.command("members", help=MEMBERS)
@grouped
def members(
    asked: MembersAsked,
    test: TestAsked,
    trials: TrialsAsked,
    files: FilesAsked,
    tolerated: MembersRules,
    show_people: Annotated[bool, typer.Option("--show-people", help="Write who is recognised.")] = False,
    seed: Seed = 1,
    outputs: Outputs = OUTPUTS,
) -> None:
    """Publish, attack and judge; write the finding and the curve."""
    from dalenius.auditing.decide import conclude
    from dalenius.console.finish import drawn, finish
    from dalenius.console.options import named_files
    from dalenius.console.progress import bar
    from dalenius.findings.report import Data
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
        seed=seed,
        why=True,
    )
    with bar(quiet=outputs.quiet) as progress:
        others = named_files(trials.group or [])
        groups = open_groups(asked.members, asked.reference, files.opening(progress), others=others)
        traced = run_members(replace(groups, notes=()), asked.mechanism, how, progress)
    data = Data(source=place_name(asked.members), people=groups.members.n, public=(), secret=None)
    report = conclude([traced.finding], policy, data=data, seed=seed)
    written = drawn({"roc.svg": lambda: roc(traced.finding)})
    if show_people:
        written["accusations.csv"] = traced.accusations.to_csv(traced.finding.headline)
    finish(report, written, outputs, told=groups.notes)


@app.command("beacon", help=BEACON)
@grouped
def beacon(
    asked: BeaconAsked,
    files: FilesAsked,
    tolerated: MembersRules,
    show_people: Annotated[bool, typer.Option("--show-people", help="Write who is recognised.")] = False,
    seed: Seed = 1,
    outputs: Outputs = OUTPUTS,
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
    how = MembersSettings(name=place_name(asked.members), confidence=policy.confidence, seed=seed)
    with bar() as progress:
        others = named_files(asked.group or [])
        groups = open_beacon(
            asked.members, asked.reference, files.opening(progress), others=others, seed=seed
        )
        found = run_beacon(replace(groups, notes=()), attack, how, progress)
    data = Data(source=place_name(asked.members), people=groups.members.n, public=(), secret=None)
    report = conclude([found.finding], policy, data=data, seed=seed)
    written = drawn({"roc.svg": lambda: roc(found.finding)})
    if show_people:
        written["accusations.csv"] = found.accusations.to_csv(found.finding.headline)
    finish(report, written, outputs, told=groups.notes)


@app.command("plan", help=PLAN)
@grouped
def plan(asked: MeansAsked, tolerated: MembersRules, outputs: Outputs = OUTPUTS) -> None:
    """Put together what attacks reach, what is guaranteed and what is safe."""
    from dalenius.auditing.decide import conclude
    from dalenius.console.finish import drawn, finish
    from dalenius.findings.report import Data
    from dalenius.tracing.pictures import planned
    from dalenius.tracing.questions.sizing import MeansToCome, describe, plan_of

    made, notes = plan_of(MeansToCome(**asdict(asked)))
    data = Data(source="means to come", people=asked.n, public=(), secret=None)
    report = conclude([describe(made, asked.means, notes)], tolerated.made(), data=data, seed=1)
    finish(report, drawn({"plan.svg": lambda: planned(made)}), outputs)
