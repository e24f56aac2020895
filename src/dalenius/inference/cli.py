"""``dalenius infer``: what differential privacy promises people who are related."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, NoReturn, cast

import typer

from dalenius.console.finish import OUTPUTS, Outputs
from dalenius.console.options import Place, WholeSentences, grouped, place
from dalenius.console.policies import BeliefRules
from dalenius.inference.cli_options import (
    BELIEFS,
    DEGREE,
    FAMILY,
    JOINT,
    NETWORK,
    PEDIGREE,
    SERIES,
    Agreement,
    ChainOptions,
    Epsilon,
    LawOptions,
    LinkFiles,
    NuQuestion,
    NuRules,
    OutputOptions,
    People,
    PriorOptions,
    ShowPeople,
    TargetRules,
)

if TYPE_CHECKING:
    from dalenius.findings.policy import Policy
    from dalenius.inference.answers.measure import Measured
    from dalenius.inference.answers.scan import RoughAgreement
    from dalenius.inference.finding import InferenceFinding
    from dalenius.inference.priors.prior import PriorFiles
    from dalenius.knowledge.correlation.inheritance import MendelLaw
    from dalenius.progress import Progress

    _Answer = tuple[InferenceFinding, Mapping[str, str | Iterable[str]], Iterable[str]]

app = typer.Typer(
    cls=WholeSentences, no_args_is_help=True, add_completion=False, rich_markup_mode=None, help=FAMILY
)


@app.callback()
def family() -> None:
    """Keep the actions words of their own."""


@app.command("network", help=NETWORK, short_help="Links, households: everybody's nu; a target.")
@grouped
def network(
    *, links: LinkFiles, people: People = None, agreement: Agreement = None, asked: NuQuestion
) -> None:
    """Measure a network and write everybody's nu."""
    from dalenius.inference.priors.prior import PriorFiles
    from dalenius.inference.priors.relation_files import parse_columns

    how = asked.fitting
    names = parse_columns(how.columns)
    files = PriorFiles(links.edges, links.households, None, people, agreement, how.identical, how.fit, names)
    _answer(files, asked)


@app.command("pedigree", help=PEDIGREE, short_help="The same for a family tree.")
@grouped
def pedigree(
    *,
    people: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="The family: id,father,mother[,sex][,twin].")
    ],
    about: Annotated[
        Place,
        typer.Option(parser=place, metavar="FILE", help="Bias and epsilon by person: id[,bias][,epsilon]."),
    ] = None,
    agreement: Annotated[
        str | None, typer.Option(metavar="P", help="Such as parent=0.75,sibling=0.75,twin=0.95.")
    ] = None,
    inherited: LawOptions,
    asked: NuQuestion,
) -> None:
    """Measure a family tree and write everybody's nu."""
    from dalenius.inference.genes.law import law_of
    from dalenius.inference.priors.prior import PriorFiles
    from dalenius.inference.priors.relation_files import parse_columns

    law = law_of(inherited.law, inherited.frequency, agreement)
    if law is not None:
        _answer_genes(people, about, law, asked)
    how = asked.fitting
    names = parse_columns(how.columns)
    _answer(PriorFiles(None, None, people, about, agreement, how.identical, how.fit, names), asked)


@app.command("joint", help=JOINT, short_help="Any small joint distribution: the worst mechanism.")
@grouped
def joint(
    prior: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="One column per person, then probability.")
    ],
    epsilon: Annotated[
        list[str],
        typer.Option(
            metavar="EPS", help="Epsilon for everybody (repeated ones add up), or NAME=EPS for one person."
        ),
    ],
    tolerated: TargetRules,
    show_people: ShowPeople = False,
    outputs: Outputs = OUTPUTS,
) -> None:
    """Find the worst mechanism about each of a few people."""
    from dalenius.console.progress import bar
    from dalenius.inference.answers.joint import epsilons_of, measure_joint
    from dalenius.knowledge.correlation.joint import read_joint
    from dalenius.people.opening import open_sheet, place_name

    policy = tolerated.made()
    with bar(quiet=outputs.quiet) as progress:
        table = read_joint(open_sheet(prior))
        epsilons = epsilons_of(epsilon, table.names)
        measured = measure_joint(table, epsilons, source=place_name(prior), progress=progress)
    told = measured.people(show_people=show_people)
    _finish(measured.finding, policy, 1, measured.files(), told, outputs)


@app.command("degree", help=DEGREE, short_help="All trees of a degree: is a target enforceable?")
@grouped
def degree(
    degree: Annotated[int, typer.Option(help="Largest number of links of any person.")],
    agreement: Annotated[float, typer.Option(help="Probability that two linked people have the same value.")],
    tolerated: NuRules,
    epsilon: Epsilon = None,
    outputs: Outputs = OUTPUTS,
) -> None:
    """Say what holds in all trees of a degree."""
    from dalenius.console.finish import drawn
    from dalenius.inference.answers.bounded_degree import all_trees, draw_epsilons, tree_curve
    from dalenius.inference.answers.privacy_loss import spend
    from dalenius.inference.finding import Trees
    from dalenius.inference.pictures import nu_epsilon

    spent, policy = spend(epsilon or []), tolerated.made()
    found = all_trees(degree, agreement, epsilon=spent.epsilon, target=policy.max_nu)
    trees = cast(Trees, found.details)
    shown = draw_epsilons(trees.epsilon)
    pictures = {
        "nu_epsilon.svg": lambda: nu_epsilon(
            shown,
            {},
            trees=tree_curve(degree, agreement, shown),
            target=policy.max_nu,
            chosen=trees.epsilon,
            title=f"Every tree in which nobody has more than {degree} links",
        )
    }
    _finish(found, policy, 1, drawn(pictures), (), outputs)


@app.command("series", help=SERIES, short_help="Values over time: what about one moment?")
@grouped
def series(
    chain: ChainOptions,
    tolerated: NuRules,
    epsilon: Epsilon = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same interval.")] = 1,
    outputs: Outputs = OUTPUTS,
) -> None:
    """Measure a chain and write every moment's nu."""
    from dalenius.console.finish import drawn
    from dalenius.console.progress import bar
    from dalenius.inference.answers.privacy_loss import spend
    from dalenius.inference.over_time.chain_files import ChainFiles, open_chain
    from dalenius.inference.over_time.measure_series import SeriesSource, measure_series
    from dalenius.inference.pictures import nu_epsilon

    spent, policy = spend(epsilon or []), tolerated.made()
    files = ChainFiles(chain.transitions, chain.states, chain.agreement, chain.start)
    with bar(quiet=outputs.quiet) as progress:
        known = open_chain(files)
        found = measure_series(
            known,
            chain.length,
            spent,
            policy.max_nu,
            source=SeriesSource(files.source),
            seed=seed,
            progress=progress,
        )
        shown, nus = found.curve()
    picture = drawn(
        {
            "nu_epsilon.svg": lambda: nu_epsilon(
                shown,
                {"the worst-off moment" + ("" if found.details.exact else ", at most"): nus},
                target=policy.max_nu,
                chosen=found.details.epsilon,
                title=f"One moment of {found.details.moments:,}",
            )
        }
    )
    _finish(found.finding, policy, seed, {"nu.csv": found.rows(), **picture}, (), outputs)


@app.command("beliefs", help=BELIEFS, short_help="What is believed before and after a release.")
@grouped
def beliefs(
    given: PriorOptions,
    output: OutputOptions,
    tolerated: BeliefRules,
    show_people: Annotated[
        bool, typer.Option("--show-people", help="Name people, and write beliefs about everybody.")
    ] = False,
    outputs: Outputs = OUTPUTS,
) -> None:
    """Compute beliefs before and after a release, and have them judged."""
    from dalenius.console.finish import drawn
    from dalenius.console.progress import bar
    from dalenius.inference.answers.beliefs import SeenOutput, believe
    from dalenius.inference.pictures import beliefs as moved
    from dalenius.inference.priors.prior import PriorFiles, open_prior
    from dalenius.inference.priors.relation_files import parse_columns

    links, how = given.links, given.fitting
    prior = PriorFiles(
        links.edges,
        links.households,
        given.pedigree,
        given.people,
        given.agreement,
        how.identical,
        how.fit,
        parse_columns(how.columns),
    )
    policy = tolerated.made()
    with bar(quiet=outputs.quiet) as progress:
        seen = SeenOutput(output.answers, output.epsilon, output.noisy_sum, output.noise)
        found = believe(
            open_prior(prior),
            seen,
            source=prior.source,
            truth=output.truth,
            confidence=policy.confidence,
            progress=progress,
        )
    believed = found.beliefs
    before, after = believed.probability_before, believed.probability_after
    files = drawn({"beliefs.svg": lambda: moved(before, after, found.nu)})
    if show_people:
        files["beliefs.csv"] = found.to_csv()
    _finish(found.finding, policy, 1, files, (), outputs)


def _answer(files: PriorFiles, asked: NuQuestion) -> None:
    """Answer for a network or a family tree, write and print it, and end with its exit code."""
    from dalenius.console.progress import bar
    from dalenius.inference.answers.approximate_dp import without_limit
    from dalenius.inference.answers.privacy_loss import spend
    from dalenius.inference.answers.promise import promise
    from dalenius.inference.answers.scan import scan
    from dalenius.inference.priors.prior import open_prior
    from dalenius.progress import within

    spent = spend(asked.epsilon or [], delta=asked.delta, rho=asked.rho)
    policy = asked.tolerated.made()
    target = policy.max_nu
    with bar(quiet=asked.outputs.quiet) as progress:
        progress(0.0, "reading who is related")
        rough = _rough(files, pure=spent.pure)
        prior = open_prior(files if rough is None else replace(files, agreement=rough.high))
        if not spent.pure:
            finding = without_limit(prior, spent, source=files.source, seed=asked.seed, progress=progress)
            answer: _Answer = (finding, {}, ())
        else:
            part = within(progress, 0.1, 0.6)
            if rough is None:
                promised = promise(prior, spent, target, source=files.source, progress=part)
            else:
                promised = scan(files, rough, spent, target, progress=part)
            pictures = _pictures(promised, target, files.pedigree is not None, within(progress, 0.6, 1.0))
            written = {"nu.csv": promised.rows(), **pictures}
            answer = (promised.finding, written, _worst_off(promised, asked.show_people))
    answered, made, told = answer
    _finish(answered, policy, asked.seed, made, told, asked.outputs)


def _rough(files: PriorFiles, *, pure: bool) -> RoughAgreement | None:
    """The two ends of an agreement that is known roughly."""
    from dalenius.errors import InputError
    from dalenius.inference.answers.scan import parse_rough

    rough = parse_rough(files.agreement) if isinstance(files.agreement, str) else None
    if rough is not None and not pure:
        raise InputError("--agreement", "must be one number with --delta or --rho", "a range")
    return rough


def _answer_genes(family: Place, about: Place, law: MendelLaw, asked: NuQuestion) -> NoReturn:
    """Answer for a family tree by Mendel's law."""
    from dalenius.console.progress import bar
    from dalenius.errors import InputError
    from dalenius.inference.answers.privacy_loss import spend
    from dalenius.inference.genes.measure_genes import measure_genes
    from dalenius.inference.priors.relation_files import RelationFiles, parse_columns
    from dalenius.knowledge.correlation.inheritance import read_lineage

    spent, policy = spend(asked.epsilon or [], delta=asked.delta, rho=asked.rho), asked.tolerated.made()
    if not spent.pure:
        raise InputError("--law", "must be agreement with --delta or --rho", "mendel", "Give --epsilon.")
    with bar(quiet=asked.outputs.quiet) as progress:
        opening = RelationFiles(parse_columns(asked.fitting.columns))
        kin, told = opening.open(family), opening.open(about)
        opening.check()
        lineage = read_lineage(kin, law, people=told)
        found = measure_genes(lineage, law, spent, policy.max_nu, progress=progress)
    named = "" if asked.show_people else " (--show-people names them)"
    worst = [f"  {line}" for line in found.worst_off(show_people=asked.show_people)]
    lines = [f"The worst-off{named}:", *worst]
    _finish(found.finding, policy, asked.seed, {"nu.csv": found.rows()}, lines, asked.outputs)


def _pictures(measured: Measured, target: float | None, family: bool, progress: Progress) -> dict[str, str]:
    from dalenius.console.finish import drawn
    from dalenius.inference import pictures
    from dalenius.inference.answers.nu_curve import scale
    from dalenius.inference.priors.prior import generations

    if measured.finding.details.regardless is not None:
        return {}  # a picture of another prior than stated would be taken for the stated one
    nus, model = measured.nus, measured.network.model
    exact = measured.finding.details.exact
    bound = "" if exact else ", at most"
    curve = scale(measured.prepared, nus, progress=progress)
    made = {
        "network.svg": lambda: pictures.network(model.edges, nus.nu, nus.epsilon, exact=exact),
        "nu_epsilon.svg": lambda: pictures.nu_epsilon(
            curve.epsilon,
            {f"the worst-off{bound}": curve.worst, f"the median{bound}": curve.median},
            trees=curve.trees,
            target=target,
            chosen=float(nus.epsilon.max()),
            title=pictures.people_and_links(len(model), len(model.edges)),
        ),
    }
    if family:
        made["generations.svg"] = lambda: pictures.generations(
            generations(measured.network), nus.nu, nus.epsilon
        )
    return drawn(made)


def _worst_off(measured: Measured, show_people: bool) -> Iterator[str]:
    lines = [f"  {line}" for line in measured.worst_off(show_people=show_people)]
    if lines:
        yield f"The worst-off{'' if show_people else ' (--show-people names them)'}:"
    yield from lines
    yield from measured.contradiction(show_people=show_people)


def _finish(
    finding: InferenceFinding,
    policy: Policy,
    seed: int,
    files: Mapping[str, str | Iterable[str]],
    told: Iterable[str],
    outputs: Outputs,
) -> NoReturn:
    """Hold a finding against the policy, and end."""
    from dalenius.auditing.decide import conclude
    from dalenius.console.finish import finish
    from dalenius.findings.report import Data

    data = Data(source=finding.release, people=finding.people or 0, public=(), secret=None)
    report = conclude([finding], policy, data=data, seed=seed)
    said = [*told]
    if policy.max_nu is None and policy.max_related_rho is None and finding.details.asked != "beliefs":
        said.append("No limit on nu was given: --target-nu decides.")
    finish(report, files, outputs, told=[*said, ""] if said else ())
