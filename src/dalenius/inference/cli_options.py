"""Options of ``dalenius infer`` that several commands share, and what its help says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from dalenius.console.finish import OUTPUTS, Outputs
from dalenius.console.options import Place, place
from dalenius.console.policies import MaxRelatedRho, Tolerated

FAMILY = """What an epsilon is worth to people who are related.

A relative's data speak about you too. nu is the epsilon that would protect an unrelated person as much: with
strong links, epsilon = 1 may protect somebody only like epsilon = 3 would. This is about opinions, habits or
diagnoses in which people agree more often than strangers. Genes follow another law: infer pedigree with
--law mendel.
"""

FILES = """\b
Files (CSV or Parquet):
  edges       a,b[,agreement][,type]     one line per link; or two numbers per line, without names
  households  id,household               everybody at home is linked with everybody else
  people      id[,bias][,epsilon]        bias: probability of a 1; epsilon 0: data not used
Columns of other names: --columns a=source,b=target,id=person; 1, 2, 3 are those of a file without names.
Agreement is the probability that two linked people have the same value: 0.5 if they are strangers. One number
for all (0.8), or by type (parent=0.75,contact=0.6); a column of edges goes first. 1 only with --identical.
Known roughly: 0.6..0.8 tries five from end to end, and the worst of them decides.
Agreements and biases hold as stated, on loops too; what no people can have is refused. Where a fit is out of
reach, or with --no-fit, the result is labelled and undecided. Genes are not covered: agreement models
opinions, habits or diagnoses.
"""

SPENDING = """\b
Several releases about the same people add up: --epsilon 0.5 --epsilon 0.3. With --delta or --rho (Gaussian
noise) nu is infinite: the answer is then group privacy, what rho is worth to people who agree as stated
(--max-related-rho decides), and how far a noisy count moves beliefs in a simulation.
"""

WRITTEN = """DIR gets nu.csv (id,epsilon,nu,method,bound), findings.json, network.svg, nu_epsilon.svg{more}.
Exit code: 0 if --target-nu is kept; 1 if not, if that is not shown, or without one; 2 for bad input.
"""

NETWORK = f"""Compute each person's effective epsilon (nu) in a network of related people.

\b
Examples:
  dalenius infer network --edges edges.csv --agreement 0.8 --epsilon 0.5
  dalenius infer network --edges edges.csv --households homes.csv --agreement contact=0.6,household=0.7 \\
      --target-nu 1

{FILES}
{SPENDING}
{WRITTEN.format(more="")}"""

PEDIGREE = f"""Compute each person's effective epsilon (nu) in a family tree.

\b
Example:
  dalenius infer pedigree --people family.csv --agreement parent=0.75,sibling=0.75 --target-nu 1
  dalenius infer pedigree --people family.csv --law mendel --frequency 0.05 --epsilon 0.5

\b
Files (CSV or Parquet):
  people  id,father,mother[,sex][,twin]   empty or 0: not known; identical twins share a word in twin
  about   id[,bias][,epsilon]             bias: probability of a 1; epsilon 0: data not used
Agreement is the probability that two relatives have the same value: parent (with a child) and twin. Where
parents are known siblings agree because of them: sibling is compared with what follows, not counted twice.
It models opinions, habits or diagnoses, not genes. For genes say --law mendel (one allele per person, of
which a child copies either parent's) or --law mendel-genotypes (0, 1 or 2 alleles, one of each parent), and
--frequency, how common the allele is. That law is exact in one family, an upper bound where families hang
together, and group privacy where they form loops. A column genotype in people is held against it: a child
whom its parents cannot have is refused.

{SPENDING}
{WRITTEN.format(more=", generations.svg")}"""

JOINT = """Find the worst mechanism for any joint distribution of a few people's values.

\b
Example:
  dalenius infer joint --prior prior.csv --epsilon 0.5

\b
prior.csv has one column of values for each person, two values or more, and a last column probability; lines
that are missing have probability 0. A linear program finds, for each person, the event of an epsilon-private
mechanism that tells most about them: no theorem about the prior is needed. --epsilon is for all, or NAME=0.5
for one person.

DIR gets nu.csv, mechanism.csv (the probability of the event for every combination) and findings.json.
Exit code: 0 if --target-nu is kept; 1 if not, or without one; 2 for bad input.
"""

DEGREE = """Say what holds in every tree in which nobody has more than so many links, whatever its size.

\b
Examples:
  dalenius infer degree --degree 3 --agreement 0.7 --epsilon 0.1
  dalenius infer degree --degree 3 --agreement 0.8 --target-nu 1      (not enforceable)

Where (degree - 1)|2 agreement - 1| is above 1, distant relatives together outweigh any noise: nu stays above
a constant however small epsilon is.

DIR gets findings.json and nu_epsilon.svg. Exit code: 0 if --target-nu is kept; 1 if
not, if no epsilon keeps it, or without one; 2 for bad input.
"""

SERIES = """Compute what an epsilon for every moment promises about one moment of a person's series.

Yesterday's value speaks about today's. nu is the epsilon that would protect one moment as much if moments had
nothing to do with each other.

\b
Examples:
  dalenius infer series --agreement 0.9 --length 1000 --target-nu 1      (two values, 90 of 100 kept)
  dalenius infer series --transitions chain.csv --length 52 --epsilon 0.2
  dalenius infer series --states weeks.csv --target-nu 1                 (estimated)

\b
One of
  transitions  from,VALUE,VALUE,...  one line per value: how likely each value follows it; 0: never
  states       id,time,state         series of many people, times 1, 2, 3; transitions are counted
  agreement    how likely a value is the same at the next moment; two values, equally likely
Without --start every moment is like the first (the chain's long-run shares); --start well=0.9,ill=0.1 says
how it begins. With two values nu is the worst case, with more a proven upper bound unless it says exact. Of
an estimate the upper end of what the data allows decides. Epsilon protects one moment; if yours protects all
moments of a person together, nu is that epsilon and there is nothing to compute.

DIR gets nu.csv (moment,epsilon,nu,bound), findings.json and nu_epsilon.svg. Beside it stands the noise of the
Markov quilt mechanism for the same nu. Exit code: 0 if --target-nu is kept at every moment; 1 if not, if that
is not shown, or without one; 2 for bad input.
"""

BELIEFS = f"""Compute what an attacker who knows the links believes, before and after a release.

\b
Examples:
  dalenius infer beliefs --edges edges.csv --agreement 0.8 --answers said.csv --epsilon 0.5 --truth truth.csv
  dalenius infer beliefs --edges edges.csv --agreement 0.8 --noisy-sum 17.3 --noise laplace:epsilon=0.5

\b
A release is one of
  answers     id,answer: 0 or 1, each told truly with odds e^epsilon (randomised response)
  noisy sum   the number of 1s with laplace, geometric or gaussian noise
truth (id,value) is read by the referee alone, who says how much closer beliefs came to it.

{FILES}
DIR gets findings.json, beliefs.svg and, with --show-people, beliefs.csv (id,before,after: the probability of
a 1). Exit code: 1, since one
output shows no safety; 2 for bad input.
"""

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
class TargetRules(Tolerated):
    """How large nu may be, of a stated epsilon."""

    max_nu: Annotated[
        float | None, typer.Option("--target-nu", "--max-nu", help="Largest nu tolerated: decides.")
    ] = None

    def check(self) -> None:
        """Refuse a target that is none in its own words, then a policy that is none."""
        from dalenius.inference.answers.privacy_loss import check_target

        check_target(self.max_nu)
        super().check()


@dataclass(frozen=True)
class NuRules(TargetRules):
    """How large nu may be, also where an epsilon is to be found that keeps it so."""

    max_nu: Annotated[
        float | None,
        typer.Option(
            "--target-nu",
            "--max-nu",
            help="Largest nu tolerated: decides. Without --epsilon, find the epsilon that keeps it.",
        ),
    ] = None


@dataclass(frozen=True)
class NetworkRules(NuRules):
    """The same of releases that may have Gaussian noise."""

    max_related_rho: MaxRelatedRho = None


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
    columns: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Names of the files' own, such as a=source,b=target,bias=share."),
    ] = None


@dataclass(frozen=True)
class NuQuestion:
    """What a network and a family tree are asked alike: everybody's nu, and whether a target is kept."""

    fitting: Fitting
    tolerated: NetworkRules
    epsilon: Epsilon = None
    delta: Annotated[float | None, typer.Option(help="Delta beside epsilon (nu is then infinite).")] = None
    rho: Annotated[
        float | None, typer.Option(help="Rho of Gaussian noise, instead of epsilon (nu is then infinite).")
    ] = None
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same simulation.")] = 1
    show_people: ShowPeople = False
    outputs: Outputs = OUTPUTS


@dataclass(frozen=True)
class LawOptions:
    """Which law relatives follow: agreement of pairs, or inheritance."""

    law: Annotated[
        str,
        typer.Option(metavar="LAW", help="agreement; of genes mendel (alleles) or mendel-genotypes."),
    ] = "agreement"
    frequency: Annotated[
        float | None, typer.Option(metavar="Q", help="How common the allele is, with --law mendel.")
    ] = None


@dataclass(frozen=True)
class ChainOptions:
    """One person's values over time, from one of three places."""

    transitions: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="Transitions: from,VALUE,VALUE,...")
    ] = None
    states: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="Series to estimate them from: id,time,state.")
    ] = None
    agreement: Annotated[
        float | None, typer.Option(metavar="P", help="Two values: how likely the next one is the same.")
    ] = None
    start: Annotated[
        str | None, typer.Option(metavar="SHARES", help="The first moment, such as well=0.9,ill=0.1.")
    ] = None
    length: Annotated[int | None, typer.Option(help="How many moments (of a file: its longest series).")] = (
        None
    )


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
