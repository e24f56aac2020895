"""Options of ``dalenius infer`` that several commands share, as frozen objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from dalenius.console.finish import OUTPUTS, Outputs
from dalenius.console.options import Place, place
from dalenius.console.policies import Tolerated

People = Annotated[
    Place, typer.Option(parser=place, metavar="FILE", help="Table of all people: id[,bias][,epsilon].")
]
Agreement = Annotated[
    str | None, typer.Option(metavar="P", help="How often linked people agree: 0.8, or type=0.8,type=0.6.")
]
ShowPeople = Annotated[bool, typer.Option("--show-people", help="Name people on the screen.")]
Epsilon = Annotated[
    list[float] | None, typer.Option(help="Epsilon of a release; repeat for several releases, which add up.")
]


@dataclass(frozen=True)
class NuRules(Tolerated):
    """How large nu may be."""

    max_nu: Annotated[
        float | None,
        typer.Option(
            "--target-nu",
            "--max-nu",
            help="Largest nu tolerated: decides. Without --epsilon, find the epsilon that keeps it.",
        ),
    ] = None

    def check(self) -> None:
        """Refuse a target that is none in its own words, then a policy that is none."""
        from dalenius.inference.answers.privacy_loss import check_target

        check_target(self.max_nu)
        super().check()


@dataclass(frozen=True)
class LinkFiles:
    """Who is linked: pair by pair, and by household."""

    edges: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="Links: a,b[,agreement][,type].")
    ] = None
    households: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="Household of each person: id,household.")
    ] = None


@dataclass(frozen=True)
class Fitting:
    """How the prior is made of what was stated."""

    identical: Annotated[
        bool, typer.Option("--identical", help="Allow an agreement of exactly 1 (identical people).")
    ] = False
    fit: Annotated[
        bool,
        typer.Option(
            "--fit/--no-fit",
            help="Make what is stated hold on loops too; --no-fit couples link by link, and decides nothing.",
        ),
    ] = True


@dataclass(frozen=True)
class NuQuestion:
    """What a network and a family tree are asked alike: everybody's nu, and whether a target is kept."""

    fitting: Fitting
    tolerated: NuRules
    epsilon: Epsilon = None
    delta: Annotated[float | None, typer.Option(help="Delta beside epsilon (nu is then infinite).")] = None
    rho: Annotated[
        float | None, typer.Option(help="Rho of Gaussian noise, instead of epsilon (nu is then infinite).")
    ] = None
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same simulation.")] = 1
    show_people: ShowPeople = False
    outputs: Outputs = OUTPUTS


@dataclass(frozen=True)
class PriorOptions:
    """A network or a family tree, and how often related people agree."""

    links: LinkFiles
    pedigree: Annotated[
        Place,
        typer.Option(parser=place, metavar="FILE", help="Instead: a family, id,father,mother[,sex][,twin]."),
    ] = None
    people: People = None
    agreement: Agreement = None
    fitting: Fitting = Fitting()


@dataclass(frozen=True)
class OutputOptions:
    """The output that was seen: answers, or a noisy sum."""

    answers: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="Randomised response: id,answer.")
    ] = None
    epsilon: Annotated[float | None, typer.Option(help="Epsilon of each answer.")] = None
    noisy_sum: Annotated[float | None, typer.Option(help="The published number of 1s.")] = None
    noise: Annotated[str | None, typer.Option(help="Noise of the sum, such as laplace:epsilon=0.5.")] = None
    truth: Annotated[
        Place,
        typer.Option(
            parser=place, metavar="FILE", help="True values, read by the referee only: id,value (0 or 1)."
        ),
    ] = None
