"""``dalenius infer``: what differential privacy promises people who are related."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn, cast

import typer

from dalenius.console.places import Place, place
from dalenius.inference.cli_help import BELIEFS, DEGREE, FAMILY, JOINT, NETWORK, PEDIGREE

if TYPE_CHECKING:
    from dalenius.inference.answers.measure import Measured
    from dalenius.inference.finding import InferenceFinding
    from dalenius.inference.priors.prior import PriorFiles
    from dalenius.progress import Progress

    _Answer = tuple[InferenceFinding, Mapping[str, str | Iterable[str]], Iterable[str]]

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None, help=FAMILY)

Edges = Annotated[Place, typer.Option(parser=place, metavar="FILE", help="Links: a,b[,agreement][,type].")]
Households = Annotated[
    Place, typer.Option(parser=place, metavar="FILE", help="Household of each person: id,household.")
]
People = Annotated[
    Place, typer.Option(parser=place, metavar="FILE", help="Table of all people: id[,bias][,epsilon].")
]
Agreement = Annotated[
    str | None, typer.Option(metavar="P", help="How often linked people agree: 0.8, or type=0.8,type=0.6.")
]
Identical = Annotated[
    bool, typer.Option("--identical", help="Allow an agreement of exactly 1 (identical people).")
]
Fit = Annotated[
    bool,
    typer.Option(
        "--fit/--no-fit",
        help="Make what is stated hold on loops too; --no-fit couples link by link, and decides nothing.",
    ),
]
ShowPeople = Annotated[bool, typer.Option("--show-people", help="Name people on the screen.")]
Epsilon = Annotated[
    list[float] | None, typer.Option(help="Epsilon of a release; repeat for several releases, which add up.")
]
Target = Annotated[
    float | None,
    typer.Option(
        "--target-nu", help="Largest nu tolerated; without --epsilon, find the epsilon that keeps it."
    ),
]
Delta = Annotated[float | None, typer.Option(help="Delta beside epsilon (nu is then infinite).")]
Rho = Annotated[
    float | None, typer.Option(help="Rho of Gaussian noise, instead of epsilon (nu is then infinite).")
]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same simulation.")]
Out = Annotated[Path, typer.Option(metavar="DIR", help="Folder for the results.")]


@app.callback()
def family() -> None:
    """Keep the actions words of their own."""


@app.command("network", help=NETWORK, short_help="Links, households: everybody's nu; a target.")
def network(
    edges: Edges = None,
    households: Households = None,
    people: People = None,
    agreement: Agreement = None,
    identical: Identical = False,
    fit: Fit = True,
    epsilon: Epsilon = None,
    target_nu: Target = None,
    delta: Delta = None,
    rho: Rho = None,
    seed: Seed = 1,
    show_people: ShowPeople = False,
    out: Out = Path("dalenius-report"),
) -> None:
    """Measure a network and write everybody's nu."""
    from dalenius.inference.priors.prior import PriorFiles

    files = PriorFiles(edges, households, None, people, agreement, identical, fit)
    _answer(files, epsilon or [], target_nu, delta, rho, seed, out, show_people)


@app.command("pedigree", help=PEDIGREE, short_help="The same for a family tree.")
def pedigree(
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
    identical: Identical = False,
    fit: Fit = True,
    epsilon: Epsilon = None,
    target_nu: Target = None,
    delta: Delta = None,
    rho: Rho = None,
    seed: Seed = 1,
    show_people: ShowPeople = False,
    out: Out = Path("dalenius-report"),
) -> None:
    """Measure a family tree and write everybody's nu."""
    from dalenius.inference.priors.prior import PriorFiles

    files = PriorFiles(None, None, people, about, agreement, identical, fit)
    _answer(files, epsilon or [], target_nu, delta, rho, seed, out, show_people)


@app.command("joint", help=JOINT, short_help="Any small joint distribution: the worst mechanism.")
def joint(
    prior: Annotated[Path, typer.Option(metavar="FILE", help="One column per person, then probability.")],
    epsilon: Annotated[
        list[str],
        typer.Option(
            metavar="EPS", help="Epsilon for everybody (repeated ones add up), or NAME=EPS for one person."
        ),
    ],
    target_nu: Annotated[
        float | None, typer.Option("--target-nu", help="Largest nu tolerated: decides the verdict.")
    ] = None,
    show_people: ShowPeople = False,
    out: Out = Path("dalenius-report"),
) -> None:
    """Find the worst mechanism about each of a few people."""
    from dalenius.console.progress import bar
    from dalenius.inference.answers.joint import epsilons_of, measure_joint
    from dalenius.inference.answers.privacy_loss import check_target
    from dalenius.knowledge.correlation.joint import read_joint

    target = check_target(target_nu)
    with bar() as progress:
        table = read_joint(prior)
        epsilons = epsilons_of(epsilon, table.names)
        measured = measure_joint(table, epsilons, source=prior.name, progress=progress)
    _finish(measured.finding, target, 1, measured.files(), measured.people(show_people=show_people), out)


@app.command("degree", help=DEGREE, short_help="All trees of a degree: is a target enforceable?")
def degree(
    degree: Annotated[int, typer.Option(help="Largest number of links of any person.")],
    agreement: Annotated[float, typer.Option(help="Probability that two linked people have the same value.")],
    epsilon: Epsilon = None,
    target_nu: Target = None,
    out: Out = Path("dalenius-report"),
) -> None:
    """Say what holds in all trees of a degree."""
    from dalenius.inference.answers.bounded_degree import all_trees, draw_epsilons, tree_curve
    from dalenius.inference.answers.privacy_loss import check_target, spend
    from dalenius.inference.finding import Trees
    from dalenius.inference.pictures import nu_epsilon

    spent, target = spend(epsilon or []), check_target(target_nu)
    found = all_trees(degree, agreement, epsilon=spent.epsilon, target=target)
    trees = cast(Trees, found.details)
    shown = draw_epsilons(trees.epsilon)
    picture = nu_epsilon(
        shown,
        {},
        trees=tree_curve(degree, agreement, shown),
        target=target,
        chosen=trees.epsilon,
        title=f"Every tree in which nobody has more than {degree} links",
    )
    _finish(found, target, 1, {"nu_epsilon.svg": picture}, (), out)


@app.command("beliefs", help=BELIEFS, short_help="What is believed before and after a release.")
def beliefs(
    edges: Edges = None,
    households: Households = None,
    pedigree: Annotated[
        Place,
        typer.Option(parser=place, metavar="FILE", help="Instead: a family, id,father,mother[,sex][,twin]."),
    ] = None,
    people: People = None,
    agreement: Agreement = None,
    identical: Identical = False,
    fit: Fit = True,
    answers: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Randomised response: id,answer.")
    ] = None,
    epsilon: Annotated[float | None, typer.Option(help="Epsilon of each answer.")] = None,
    noisy_sum: Annotated[float | None, typer.Option(help="The published number of 1s.")] = None,
    noise: Annotated[str | None, typer.Option(help="Noise of the sum, such as laplace:epsilon=0.5.")] = None,
    truth: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="True values, read by the referee only: id,value (0 or 1)."),
    ] = None,
    show_people: Annotated[
        bool, typer.Option("--show-people", help="Name people, and write beliefs about everybody.")
    ] = False,
    out: Out = Path("dalenius-report"),
) -> None:
    """Compute beliefs before and after a release, and have them judged."""
    from dalenius.console.progress import bar
    from dalenius.inference.answers.beliefs import SeenOutput, believe
    from dalenius.inference.pictures import beliefs as drawn
    from dalenius.inference.priors.prior import PriorFiles, open_prior

    prior = PriorFiles(edges, households, pedigree, people, agreement, identical, fit)
    with bar() as progress:
        output = SeenOutput(answers, epsilon, noisy_sum, noise)
        found = believe(open_prior(prior), output, source=prior.source, truth=truth, progress=progress)
    seen = found.beliefs
    picture = drawn(seen.probability_before, seen.probability_after, found.nu)
    files = {"beliefs.svg": picture}
    if show_people:
        files["beliefs.csv"] = found.to_csv()
    _finish(found.finding, None, 1, files, (), out)


def _answer(
    files: PriorFiles,
    epsilon: list[float],
    target: float | None,
    delta: float | None,
    rho: float | None,
    seed: int,
    out: Path,
    show_people: bool,
) -> None:
    """Answer for a network or a family tree, write and print it, and end with its exit code."""
    from dalenius.console.progress import bar
    from dalenius.inference.answers.approximate_dp import without_limit
    from dalenius.inference.answers.privacy_loss import check_target, spend
    from dalenius.inference.answers.promise import promise
    from dalenius.inference.priors.prior import open_prior
    from dalenius.progress import within

    spent, target = spend(epsilon, delta=delta, rho=rho), check_target(target)
    with bar() as progress:
        progress(0.0, "reading who is related")
        prior = open_prior(files)
        if not spent.pure:
            finding = without_limit(prior, spent, source=files.source, seed=seed, progress=progress)
            answer: _Answer = (finding, {}, ())
        else:
            promised = promise(prior, spent, target, source=files.source, progress=within(progress, 0.1, 0.6))
            pictures = _pictures(promised, target, files.pedigree is not None, within(progress, 0.6, 1.0))
            written = {"nu.csv": promised.rows(), **pictures}
            answer = (promised.finding, written, _worst_off(promised, show_people))
    answered, made, told = answer
    _finish(answered, target, seed, made, told, out)


def _pictures(measured: Measured, target: float | None, family: bool, progress: Progress) -> dict[str, str]:
    from dalenius.inference import pictures
    from dalenius.inference.answers.nu_curve import scale
    from dalenius.inference.priors.prior import generations

    if measured.finding.details.regardless is not None:
        return {}  # a picture of another prior than stated would be taken for the stated one
    nus, model = measured.nus, measured.network.model
    exact = measured.finding.details.exact
    bound = "" if exact else ", at most"
    curve = scale(measured.prepared, nus, progress=progress)
    drawn = {
        "network.svg": pictures.network(model.edges, nus.nu, nus.epsilon, exact=exact),
        "nu_epsilon.svg": pictures.nu_epsilon(
            curve.epsilon,
            {f"the worst-off{bound}": curve.worst, f"in the middle{bound}": curve.median},
            trees=curve.trees,
            target=target,
            chosen=float(nus.epsilon.max()),
            title=pictures.people_and_links(len(model), len(model.edges)),
        ),
    }
    if family:
        drawn["generations.svg"] = pictures.generations(generations(measured.network), nus.nu, nus.epsilon)
    return drawn


def _worst_off(measured: Measured, show_people: bool) -> Iterator[str]:
    lines = [f"  {line}" for line in measured.worst_off(show_people=show_people)]
    if lines:
        yield f"The worst-off{'' if show_people else ' (--show-people names them)'}:"
    yield from lines
    yield from measured.contradiction(show_people=show_people)


def _finish(
    finding: InferenceFinding,
    target: float | None,
    seed: int,
    files: Mapping[str, str | Iterable[str]],
    told: Iterable[str],
    out: Path,
) -> NoReturn:
    """Hold a finding against the target, and end."""
    from dalenius.auditing.decide import conclude
    from dalenius.console.finish import finish
    from dalenius.findings.policy import Policy
    from dalenius.findings.report import Data

    data = Data(source=finding.release, people=finding.people or 0, public=(), secret=None)
    report = conclude([finding], Policy(max_nu=target), data=data, seed=seed)
    said = [*told]
    if target is None and finding.details.asked != "beliefs":
        said.append("No limit on nu was given: --target-nu decides.")
    finish(report, files, out, told=[*said, ""] if said else ())
