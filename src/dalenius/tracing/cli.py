"""``dalenius trace``: is this person in the data behind published means?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from dalenius.console.places import Place, place

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Trace people in published means and allele frequencies.",
)

FILES = """\b
Files of people: PLINK 1 (.bed with .bim and .fam), .vcf, .vcf.gz (bgzip), .bcf, VCF-Zarr, or a table
  (CSV, Parquet). VCF and Zarr are converted once, beside the file or in --cache.
"""

TESTS = """\b
Tests: --weights says how attributes count, --calibration how a score becomes a p-value, with options as in
  pooled:tail=chernoff, conformal:how=full, flip:tail=bd,blocks=50, adjusted:tail=student. auto chooses by
  what is known. Presets: fig1, fig1-proof, fig2 (with --alpha), fig3 (with --calibration
  paper:rule=fig3,sd=0.5), robust, pool, sankararaman (with --reference-is-population), sankararaman-pool,
  homer.
"""

TARGETS = f"""Say of every target whether they are in the data behind a release.

\b
Examples:
  dalenius trace targets --release freqs.tsv --reference ref.bed --targets people.bed
  dalenius trace targets --release means.csv --reference others.csv --targets people.csv --id person

\b
Release: .frq, .afreq, or any table with SNP id, counted allele and frequency; for tables of people a CSV
  attribute,mean where an attribute is a column of numbers, or column=value.
Reference: other people of the same population, never the targets; or their frequencies alone.
{FILES}
{TESTS}
DIR gets accusations.csv (id,score,p_value,q_value,verdict; for genotypes also unlike and relative_odds),
findings.json and targets.svg. "In" means that the record is not independent of the release: a close relative
of a member is accused too. Genomes are judged among reference people; with frequencies alone, or fewer than
19 people, scores are written and nobody is accused. Exit code: 1 if somebody is accused, and if nobody is:
that shows no safety, `trace members` does; 2 for bad input.
"""

MEMBERS = f"""Audit your own release of means: how many members can be recognised, at how many false alarms?

\b
Example:
  dalenius trace members --members cases.bed --reference ref.vcf.gz --mechanism gaussian:rho=0.5

\b
Mechanisms, joined by " | ": exact, rounding:digits=2, rounding:step=0.05, gaussian:rho=0.5,
  gaussian:sigma=0.01, laplace:epsilon=1, subsample:size=100, clip, ...
The reference is dealt into parts: each part is judged as outsiders by an attacker who holds the others.
--group relatives=kin.bed judges further people, who are neither.
{FILES}
{TESTS}
DIR gets findings.json, roc.svg and, with --show-people, accusations.csv. Exit code: 0 if the policy is kept,
1 if it is broken or more people would be needed to tell, 2 for bad input.
"""

PLAN = """Say how many attributes are safe to publish, and how many suffice to trace people.

\b
Example:
  dalenius trace plan --n 5000 --reference 2000 --fpr 1e-3 --sigma 0.01

\b Noise is on fractions or allele frequencies. DIR gets findings.json and plan.svg. Exit code: 0 if no attack
can recognise people from --means, 1 if one is predicted to or that is not known, 2 for bad input.
"""

By = Literal["auto", "id", "place"]
Id = Annotated[
    str | None, typer.Option("--id", metavar="COLUMN", help="Column with person ids (tables only).")
]
Match = Annotated[By, typer.Option("--match", help="Match SNPs by id or by place.")]
Strands = Annotated[bool, typer.Option("--strands-agree", help="Keep A/T and C/G: same strand everywhere.")]
Cache = Annotated[Path | None, typer.Option(metavar="DIR", help="Folder for converted files.")]
Weights = Annotated[str, typer.Option(help="Weights of the score: auto, raw, clip, corr, opt, llr or homer.")]
Calibration = Annotated[
    str, typer.Option(help="auto, adjusted, pooled, known-p, conformal, flip, norm or paper; see Tests.")
]
Preset = Annotated[
    str | None, typer.Option(help="A test of the papers by name, instead of weights and calibration.")
]
Independent = Annotated[bool, typer.Option("--independent", help="Attributes do not depend on each other.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same result.")]
Out = Annotated[Path, typer.Option(metavar="DIR", help="Folder for the results.")]


@app.callback()
def family() -> None:
    """Keep the three actions words of their own."""


@app.command("targets", help=TARGETS)
def targets(
    release: Annotated[Path, typer.Option(metavar="FILE", help="The published means or frequencies.")],
    targets: Annotated[Path, typer.Option(metavar="FILE", help="The people asked about.")],
    reference: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Other people, or frequencies of others.")
    ] = None,
    reference_is_population: Annotated[
        bool,
        typer.Option(
            "--reference-is-population",
            help="Reference frequencies are those of the population, without error.",
        ),
    ] = False,
    n: Annotated[int | None, typer.Option(min=1, help="Number of people behind the release.")] = None,
    mechanism: Annotated[str, typer.Option(help="Mechanism said to be behind the means.")] = "unknown",
    level: Annotated[
        float, typer.Option(help="Accuse at q-values (p-values corrected for multiple testing) up to this.")
    ] = 0.05,
    correction: Annotated[
        Literal["bh", "by", "holm", "bonferroni"], typer.Option(help="Correction for multiple testing.")
    ] = "bh",
    weights: Weights = "auto",
    calibration: Calibration = "auto",
    preset: Preset = None,
    alpha: Annotated[float | None, typer.Option(help="Error of the means, for the weights clip.")] = None,
    independent: Independent = False,
    id: Id = None,
    match: Match = "auto",
    strands_agree: Strands = False,
    cache: Cache = None,
    seed: Seed = 1,
    out: Out = Path("dalenius-report"),
) -> None:
    """Attack published means and write the accusations."""
    from dalenius.auditing.decide import conclude
    from dalenius.console.finish import finish
    from dalenius.console.progress import bar
    from dalenius.findings.policy import Policy
    from dalenius.findings.report import Data
    from dalenius.tracing.attack.score_test import ScoreTest
    from dalenius.tracing.files.opening import Opening
    from dalenius.tracing.files.view import open_view
    from dalenius.tracing.pictures import surprise
    from dalenius.tracing.targets import trace_targets

    with bar() as progress:
        opening = Opening(id, match, strands_agree, cache, progress)
        view, notes = open_view(
            release, targets, reference, opening, n=n, mechanism=mechanism, known=reference_is_population
        )
        finding, accusations = trace_targets(
            view,
            ScoreTest(weights, calibration, preset, independent, alpha),
            level=level,
            correction=correction,
            notes=notes,
            seed=seed,
            progress=progress,
        )
    data = Data(source=str(targets), people=view.targets.n, public=(), secret=None)
    files = {
        "accusations.csv": accusations.to_csv(level, correction),
        "targets.svg": surprise(
            accusations.p_value, level, int(accusations.accused(level, correction).sum())
        ),
    }
    finish(conclude([finding], Policy(), data=data, seed=seed), files, out)


@app.command("members", help=MEMBERS)
def members(
    members: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="The people whose means are published.")
    ],
    reference: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="Others of the same population.")
    ],
    mechanism: Annotated[str, typer.Option(help="Mechanism applied to the means.")] = "exact",
    weights: Weights = "auto",
    calibration: Calibration = "auto",
    preset: Preset = None,
    alpha: Annotated[float | None, typer.Option(help="Error of the means, for the weights clip.")] = None,
    independent: Independent = False,
    prior: Annotated[float | None, typer.Option(help="Prior probability that a target is a member.")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Independent releases to make and attack.")] = 1,
    group: Annotated[
        list[str] | None, typer.Option(metavar="NAME=FILE", help="Others to judge, such as relatives.")
    ] = None,
    id: Id = None,
    match: Match = "auto",
    strands_agree: Strands = False,
    cache: Cache = None,
    show_people: Annotated[bool, typer.Option("--show-people", help="Write who is recognised.")] = False,
    seed: Seed = 1,
    out: Out = Path("dalenius-report"),
) -> None:
    """Publish, attack and judge; write the finding and the curve."""
    from dalenius.auditing.decide import conclude
    from dalenius.console.finish import finish
    from dalenius.console.places import named_files
    from dalenius.console.progress import bar
    from dalenius.findings.policy import Policy
    from dalenius.findings.report import Data
    from dalenius.people.opening import place_name, place_text
    from dalenius.tracing.attack.score_test import ScoreTest
    from dalenius.tracing.case import MembersSettings
    from dalenius.tracing.files.groups import open_groups
    from dalenius.tracing.files.opening import Opening
    from dalenius.tracing.members import run_members
    from dalenius.tracing.pictures import roc

    with bar() as progress:
        opening = Opening(id, match, strands_agree, cache, progress)
        groups = open_groups(members, reference, opening, others=named_files(group or []))
        how = MembersSettings(
            ScoreTest(weights, calibration, preset, independent, alpha),
            name=place_name(members),
            repeats=repeats,
            prior=prior,
            seed=seed,
        )
        traced = run_members(replace(groups, notes=()), mechanism, how, progress)
    data = Data(source=place_text(members), people=groups.members.n, public=(), secret=None)
    report = conclude([traced.finding], Policy(), data=data, seed=seed)
    files = {"roc.svg": roc(traced.finding)}
    if show_people:
        files["accusations.csv"] = traced.accusations.to_csv(traced.finding.headline)
    finish(report, files, out, told=groups.notes)


@app.command("plan", help=PLAN)
def plan(
    n: Annotated[int, typer.Option("--n", min=1, help="Number of people behind each mean.")],
    reference: Annotated[
        int | None,
        typer.Option(min=1, help="Number of reference people (default: the whole population)."),
    ] = None,
    fpr: Annotated[
        float, typer.Option(help="False-positive rate (false alarms) the attacker accepts.")
    ] = 1e-3,
    beta: Annotated[
        float, typer.Option(help="Power (share of members recognised) that counts as tracing.")
    ] = 0.5,
    sigma: Annotated[float, typer.Option(min=0, help="Noise on each fraction or frequency.")] = 0.0,
    rho: Annotated[float | None, typer.Option(help="Instead: a budget for --means together.")] = None,
    means: Annotated[int | None, typer.Option(min=1, help="How many means you want to publish.")] = None,
    alpha: Annotated[float, typer.Option(min=0, help="Bias that the guarantee is to cover.")] = 0.0,
    frequencies: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Allele frequencies; the guarantee is then computed for them."),
    ] = None,
    out: Out = Path("dalenius-report"),
) -> None:
    """Put together what attacks reach, what is guaranteed and what is safe."""
    from dalenius.auditing.decide import conclude
    from dalenius.console.finish import finish
    from dalenius.findings.policy import Policy
    from dalenius.findings.report import Data
    from dalenius.tracing.pictures import planned
    from dalenius.tracing.sizing import MeansToCome, describe, plan_of

    made, notes = plan_of(MeansToCome(n, reference, fpr, beta, sigma, rho, means, alpha, frequencies))
    data = Data(source="means to come", people=n, public=(), secret=None)
    report = conclude([describe(made, means, notes)], Policy(), data=data, seed=1)
    finish(report, {"plan.svg": planned(made)}, out)
