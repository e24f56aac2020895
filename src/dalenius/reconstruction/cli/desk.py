"""``dalenius reconstruct desk``: ask a planned query interface, and say what its answers give away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from dalenius.console.finish import OUTPUTS, Outputs
from dalenius.console.options import Place, grouped, place
from dalenius.console.policies import SecretRules

if TYPE_CHECKING:
    from dalenius.release.desk.open_desk import PlannedDesk

HELP = """Try a query interface that answers counts, before it opens: what do its answers give away?

\b
Examples:
  dalenius reconstruct desk --people people.csv --id client --secret hiv \\
      --mechanism gaussian:sigma=3 --questions 400
  dalenius reconstruct desk --people people.csv --secret hiv --questions 100 --smallest 10

\b
The desk answers how many people meet a condition on public columns and have the
secret. The attacker knows who is in the data with all public columns, and spends
the budget twice, at a fresh desk each time: on random halves of everybody, and on
random halves of a group that is small enough for so many answers.

\b
Mechanisms: exact, rounding:base=5, suppression:below=10, gaussian:sigma=3,
laplace:epsilon=0.1, joined by " | ". Noise given by rho or epsilon is made
large enough for all questions of the budget together.

\b
DIR gets findings.json, and with --show-people a file of claims
(<id>,probability,guess,certain) for each way of asking. Exit code:
0 pass; 1 stop, undecided, or no question is answered; 2 bad input.
"""


@dataclass(frozen=True)
class PeopleBehind:
    """Whom the desk answers about."""

    people: Annotated[
        Place,
        typer.Option(parser=place, metavar="FILE", help="Table of people, one row each; or DATABASE#TABLE."),
    ]
    secret: Annotated[str, typer.Option(metavar="COLUMN", help="Secret column: what is counted.")]
    id: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column with person ids.")] = None
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Column that cannot be asked about; may be repeated."),
    ] = None


@dataclass(frozen=True)
class DeskRules:
    """How the desk protects its answers, and how much may be asked."""

    mechanism: Annotated[str, typer.Option(metavar="MECHANISM", help="What is done to every answer.")] = (
        "exact"
    )
    questions: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Questions that one person may ask.")
    ] = None
    rho: Annotated[
        float | None, typer.Option(help="Budget of all answers in rho, for noise of a stated sigma.")
    ] = None
    epsilon: Annotated[
        float | None, typer.Option(help="Budget of all answers in epsilon, for noise of a stated scale.")
    ] = None
    smallest: Annotated[
        int, typer.Option(min=0, metavar="N", help="Give no answer about fewer people than this.")
    ] = 0
    sticky: Annotated[
        bool, typer.Option("--sticky", help="The same question gets the same answer, at no cost.")
    ] = False

    def planned(self) -> PlannedDesk:
        """The desk as it is planned."""
        from dalenius.release.desk.open_desk import PlannedDesk
        from dalenius.release.desk.terms import Budget

        budget = Budget(self.questions, self.rho, self.epsilon)
        return PlannedDesk(self.mechanism, budget, self.smallest, self.sticky)


@grouped
def desk(
    behind: PeopleBehind,
    rules: DeskRules,
    tolerated: SecretRules,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same findings.")] = 1,
    show_people: Annotated[
        bool, typer.Option("--show-people", help="Also write what the attack says about every person.")
    ] = False,
    outputs: Outputs = OUTPUTS,
) -> None:
    """Ask a planned desk and write what its answers give away."""
    from dalenius.console.finish import finish
    from dalenius.console.progress import Notices, bar
    from dalenius.people.dataset import read
    from dalenius.reconstruction.desk.audit import audit_desk
    from dalenius.reconstruction.opened import Scenario

    scenario = Scenario(policy=tolerated.made(), seed=seed)
    planned, notices = rules.planned(), Notices(quiet=outputs.quiet)
    behind_it = read(behind.people, secret=behind.secret, id=behind.id, ignored=behind.ignore or ())
    with behind_it as people, bar(quiet=outputs.quiet) as progress:
        result = audit_desk(people, planned, scenario, progress=progress, announce=notices.say)
    finish(result.report, result.people_files() if show_people else {}, outputs)
