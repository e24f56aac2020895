"""``dalenius reconstruct amounts``: how close printed sums and means come to what somebody earns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalenius.console.finish import OUTPUTS, Outputs
from dalenius.console.options import Place, grouped, place
from dalenius.console.policies import AmountRules

if TYPE_CHECKING:
    from dalenius.amounts.referee.court import AmountWeights
    from dalenius.people.files.sheet import Sheet

HELP = """Bound what people earn, owe or make, from published sums, means and quantiles.

\b
Example:
  dalenius reconstruct amounts --people public.csv --id id --amount income \\
      --table by_region.csv --table by_age.xlsx --truth income.csv

\b
Files:
  people  <id>,columns     everybody who was counted, with their public columns
  table   CSV or xlsx, long: columns, then count, sum, mean, median, min, max,
          sd, variance or quantiles (q25, p25, 25%); or crossed: levels of one
          column down, of another across; Total and All are margins; hidden cells
          are * c x . or empty; with --weight or --weights all but min, max and columns
          called unweighted are by survey weights
  truth   <id>,<amount>    adds the referee: who is bounded too closely, also by
                           somebody of the group who knows their own amount

\b
DIR gets amounts.csv (<id>, least, most, estimate, likely ends) and findings.json.
Exit code: 0 pass; 1 stop, or undecided, as without the truth; 2 bad input. Planned tables: kind = "amounts"
in a plan.
"""


@dataclass(frozen=True)
class SaidOfAmounts:
    """What is said of the tables beside what they print."""

    mechanism: Annotated[
        str | None,
        typer.Option(metavar="MECHANISM", help="What was done to the numbers: rounding:base=1000; or exact."),
    ] = None
    statistic: Annotated[str, typer.Option(help="What the cells of a crossed table are.")] = "sum"
    times: Annotated[float, typer.Option(help="What numbers are printed in: 1000 for thousands.")] = 1.0
    within: Annotated[
        float, typer.Option(help="Which part of an amount is close: 0.1 is 10%.", min=0.0001, max=0.9999)
    ] = 0.1
    least: Annotated[float, typer.Option(help="The least that anybody can have.")] = 0.0
    most: Annotated[float | None, typer.Option(help="The most that anybody can have, if known.")] = None
    weight: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Survey weights in FILE, by which tables are; all know them."),
    ] = None
    weights: Annotated[
        str | None,
        typer.Option(metavar="LOW-HIGH", help="Tables are by survey weights between these, or unknown ones."),
    ] = None
    truth: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="True amounts, read by the referee only.")
    ] = None

    def weighing(self, sheet: Sheet) -> AmountWeights | None:
        """What is known of survey weights; None where everybody counts once."""
        from dalenius.amounts.referee.court import AmountWeights
        from dalenius.errors import InputError
        from dalenius.knowledge.weights import SurveyWeights, parse_weights, read_weights

        if self.weight is not None and self.weights is not None:
            raise InputError("--weights", "must not come with --weight: a column is known", "both")
        if self.weight is not None:
            true = read_weights(sheet, self.weight)
            return AmountWeights(SurveyWeights(true, true), true)
        ends = None if self.weights is None else parse_weights(self.weights)
        if self.weights is not None and ends is None:
            raise InputError("--weights", "must be ends or unknown", "known", "Name the column by --weight.")
        return None if ends is None else AmountWeights(SurveyWeights.between(len(sheet), *ends), None)


NOTHING_SAID, USUAL_POLICY = SaidOfAmounts(), AmountRules()
"""What holds if nothing is said."""


@grouped
def amounts(
    people: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="Table of people: ids and public columns.")
    ],
    id: Annotated[str, typer.Option(metavar="COLUMN", help="Column with person ids.")],
    amount: Annotated[str, typer.Option(metavar="NAME", help="What the number is called.")],
    table: Annotated[list[Path], typer.Option(metavar="FILE", help="A published table; may be repeated.")],
    said: SaidOfAmounts = NOTHING_SAID,
    policy: AmountRules = USUAL_POLICY,
    outputs: Outputs = OUTPUTS,
) -> None:
    """Bound amounts and write what follows."""
    from dalenius.amounts.published.attack import attack_published
    from dalenius.amounts.published.groups import list_people
    from dalenius.amounts.published.printed import AmountsSaid, read_amount_tables
    from dalenius.amounts.terms import AmountTerms
    from dalenius.auditing.decide import conclude
    from dalenius.console.finish import finish
    from dalenius.console.progress import bar
    from dalenius.findings.report import Data
    from dalenius.knowledge.weights import parse_weights
    from dalenius.people.opening import open_sheet

    sheet = open_sheet(people, id=id)
    apart = {id, amount, said.weight}
    listed = list_people(sheet, [name for name in sheet.names if name not in apart], id=id, bins={})
    weighing = said.weighing(sheet)
    mechanism = said.mechanism or "exact"
    release = read_amount_tables(
        table, listed, AmountsSaid(amount, mechanism, said.statistic, said.times, weighing is not None)
    )
    ends = None if said.weights is None else parse_weights(said.weights)
    stated = said.mechanism is not None
    terms = AmountTerms(said.within, said.least, said.most, weights=ends, stated=stated)
    with bar(quiet=outputs.quiet) as progress:
        finding, claims = attack_published(
            release, listed, terms, said.truth, id, weighing, progress=progress
        )
    data = Data(source=str(people), people=len(sheet), public=tuple(listed.labels), secret=None)
    report = conclude([finding], policy.made(), data=data, seed=terms.seed)
    finish(report, {"amounts.csv": claims.to_csv()}, outputs)
