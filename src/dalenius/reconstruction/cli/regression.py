"""``dalenius reconstruct regression``: attack the published coefficients of regressions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalenius.console.options import grouped
from dalenius.errors import InputError
from dalenius.reconstruction.published.options import (
    AttackOptions,
    Diagnose,
    ListedPeople,
    PrintedCoefficients,
)

if TYPE_CHECKING:
    from dalenius.reconstruction.published.regression import Published
    from dalenius.statistics.estimates.optimum import Penalty

HELP = """Reconstruct a yes/no secret from the published coefficients of regressions that explain it.

\b
Example:
  dalenius reconstruct regression --people public.csv --id client_id \\
      --model logistic --coefficients coef.csv --digits 3

\b
Files, CSV or Parquet:
  people        <id>,columns            everybody in the fits, and the columns they used
  coefficients  [model,]term,estimate   one row per coefficient, several models in one file;
                odds_ratio instead of estimate; or, in a file that ends in .txt,
                what statsmodels prints as a summary
  truth         <id>,<secret>           0 or 1; adds the referee's tally

Terms: a column of numbers; sex[T.m], C(sex)[T.m] or sex_m for a level of a column of words; a:b for a
product; Intercept, const or (Intercept). A linear model may add the terms RSS or R2.
Everybody on the list must have been in every fit, and nobody else.

Models: linear, logistic, poisson, probit, huber, squared-hinge. Without --model it is what
the file says (a summary, odds ratios, R2); otherwise logistic is assumed and said, unless a
linear model would have such coefficients: then --model must be given.
DIR gets claims.csv (<id>,probability,guess,certain) and findings.json. Exit code:
0 pass; 1 stop, undecided (as without the truth), or nothing can be learnt, and then
nothing is written; 2 bad input.
"""


@dataclass(frozen=True)
class FittedModels:
    """How the models were fitted, where their numbers do not say."""

    model: Annotated[
        str | None,
        typer.Option(help="Model that was fitted; if not given, what the numbers say, or logistic."),
    ] = None
    tolerance: Annotated[
        float | None, typer.Option(min=0, help="Mean score at which the solver stopped; 1e-4 if not given.")
    ] = None
    penalty: Annotated[
        str | None, typer.Option(help="none, l2 or l1; not given, none or scikit-learn's default.")
    ] = None
    C: Annotated[
        float | None, typer.Option("--C", help="scikit-learn's C: one over the penalty's weight.")
    ] = None
    no_intercept: Annotated[
        bool, typer.Option("--no-intercept", help="Models without an intercept row had none.")
    ] = False
    standardised: Annotated[
        bool, typer.Option("--standardised", help="The terms were standardised over these people.")
    ] = False

    def published(self, printed: PrintedCoefficients) -> Published:
        """What is said of the models and of how their numbers were printed."""
        from dalenius.reconstruction.published.regression import Published
        from dalenius.statistics.estimates.losses import loss_of

        if self.C is not None and not 0 < self.C < float("inf"):
            raise InputError("--C", "must be above 0", f"{self.C:g}", "Use for example 1.")
        if self.model is not None:
            loss_of(self.model)
        return Published(
            self.model, self._penalty(), not self.no_intercept, self.standardised, printed, self.tolerance
        )

    def _penalty(self) -> Penalty | None:
        """What is said of the penalty; a ``C`` alone is scikit-learn's own, l2."""
        from dalenius.statistics.estimates.optimum import NO_PENALTY, Penalty

        if self.penalty == "none":
            return NO_PENALTY
        if self.penalty is None and self.C is None:
            return None
        return Penalty(self.penalty or "l2", 1 / (self.C or 1.0))


@grouped
def regression(
    listed: ListedPeople,
    coefficients: Annotated[
        list[Path], typer.Option(metavar="FILE", help="The coefficients; may be given several times.")
    ],
    fitted: FittedModels,
    printed: PrintedCoefficients,
    options: AttackOptions,
    diagnose: Diagnose = False,
) -> None:
    """Attack published coefficients and write the claims."""
    from dalenius.reconstruction.cli.attack_view import attack_view
    from dalenius.reconstruction.published.regression import assumed, read_regressions

    how = fitted.published(printed)
    view = read_regressions(listed.people, coefficients, how, id=listed.id, secret=listed.secret)
    try:
        attack_view(view, listed.codes(view), options, diagnosed=diagnose, assumed=assumed(view, how))
    except InputError as error:
        if how.model is not None or "contradict" not in str(error):
            raise
        hint = f"{error.fix} No model was stated: if it was linear, give --model linear.".strip()
        raise InputError(
            error.name, error.rule, error.got, hint, value=error.value, hint=error.hint
        ) from None
