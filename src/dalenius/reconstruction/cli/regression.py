"""``dalenius reconstruct regression``: attack the published coefficients of regressions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalenius.reconstruction.cli.options import (
    REPORT,
    Confidence,
    Decoder,
    Diagnose,
    Digits,
    Id,
    Noise,
    Out,
    People,
    Seed,
    Truth,
)

if TYPE_CHECKING:
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

Models: linear, logistic, poisson, probit, huber, squared-hinge.
DIR gets claims.csv (<id>,probability,guess,certain) and findings.json. Exit code:
0 pass; 1 stop, undecided (as without the truth), or nothing can be learnt, and then
nothing is written; 2 bad input.
"""


def regression(
    people: People,
    id: Id,
    coefficients: Annotated[
        list[Path], typer.Option(metavar="FILE", help="The coefficients; may be given several times.")
    ],
    model: Annotated[str, typer.Option(help="Model that was fitted.")] = "logistic",
    digits: Digits = None,
    noise: Noise = None,
    significant: Annotated[
        int | None, typer.Option(min=1, help="Significant digits they were printed with, as by %.3g.")
    ] = None,
    tolerance: Annotated[
        float | None, typer.Option(min=0, help="Mean score at which the solver stopped; 1e-4 if not given.")
    ] = None,
    penalty: Annotated[
        str | None, typer.Option(help="none, l2 or l1; not given, none or scikit-learn's default.")
    ] = None,
    C: Annotated[
        float | None, typer.Option("--C", help="scikit-learn's C: one over the penalty's weight.")
    ] = None,
    no_intercept: Annotated[
        bool, typer.Option("--no-intercept", help="Models without an intercept row had none.")
    ] = False,
    standardised: Annotated[
        bool, typer.Option("--standardised", help="The terms were standardised over these people.")
    ] = False,
    decoder: Decoder = "auto",
    truth: Truth = None,
    confidence: Confidence = 0.95,
    diagnose: Diagnose = False,
    seed: Seed = 1,
    out: Out = REPORT,
) -> None:
    """Attack published coefficients and write the claims."""
    from dalenius.errors import InputError
    from dalenius.people.truth_file import read_truth, secret_name
    from dalenius.reconstruction.cli.attack_view import attack_view
    from dalenius.reconstruction.published.regression import Published, assumed, read_regressions
    from dalenius.statistics.estimates.losses import loss_of

    if C is not None and not 0 < C < float("inf"):
        raise InputError("--C", "must be above 0", f"{C:g}", "Use for example 1.")
    loss_of(model)
    how = Published(
        model,
        _penalty(penalty, C),
        not no_intercept,
        standardised,
        digits,
        noise,
        significant,
        tolerance,
    )
    secret = "secret" if truth is None else secret_name(truth, id)
    view = read_regressions(people, coefficients, how, id=id, secret=secret)
    codes = None if truth is None else read_truth(truth, view.knowledge.roster.ids, id)
    attack_view(
        view,
        codes,
        decoder=decoder,
        confidence=confidence,
        seed=seed,
        diagnosed=diagnose,
        out=out,
        assumed=assumed(view, how),
    )


def _penalty(kind: str | None, C: float | None) -> Penalty | None:
    """What is said of the penalty; a ``C`` alone is scikit-learn's own, l2."""
    from dalenius.statistics.estimates.optimum import NO_PENALTY, Penalty

    if kind == "none":
        return NO_PENALTY
    if kind is None and C is None:
        return None
    return Penalty(kind or "l2", 1 / (C or 1.0))
