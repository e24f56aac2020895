"""``dalenius reconstruct scores``: attack the published scores of a classifier."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

HELP = """Reconstruct a yes/no secret from the scores of published classifiers.

\b
Example:
  dalenius reconstruct scores --people public.csv --id client_id \\
      --predictions tree.csv --error-rate 0.137

\b
Files, CSV or Parquet:
  people       <id>[,columns]           everybody the scores were computed on
  predictions  <id>,prediction          what the classifier says, 0 or 1; or
               <id>,probability         its probability of the secret; or
               <id>,name1,name2,...     one column a classifier; or
               classifier,<id>,prediction; or a tree printed by scikit-learn's
               export_text, in a file that ends in .txt
  scores       classifier,score,value   several: error-rate, accuracy, precision,
               recall, fpr, true-positives, log-loss, brier, auc, positives, mean, sd
  truth        <id>,<secret>            0 or 1; adds the referee's tally

Each score is one equation: many classifiers give many people away.
DIR gets claims.csv (<id>,probability,guess,certain) and findings.json. Exit code: 0, or 2 for bad input.
"""

Printed = Annotated[str | None, typer.Option(metavar="NUMBER", help="As it was printed.")]


def scores(
    people: Annotated[Path, typer.Option(metavar="FILE", help="The people.")],
    id: Annotated[str, typer.Option(metavar="COLUMN", help="The column that names them.")],
    predictions: Annotated[Path, typer.Option(metavar="FILE", help="What the classifiers say of them.")],
    error_rate: Printed = None,
    accuracy: Printed = None,
    precision: Printed = None,
    recall: Printed = None,
    fpr: Printed = None,
    log_loss: Printed = None,
    brier: Printed = None,
    auc: Annotated[str | None, typer.Option(metavar="NUMBER", help="Needs --positives.")] = None,
    positives: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="How many people have the secret, if published.")
    ] = None,
    scores: Annotated[Path | None, typer.Option(metavar="FILE", help="Scores of several.")] = None,
    digits: Annotated[
        int | None, typer.Option(min=0, help="Decimals they were rounded to; as printed if not given.")
    ] = None,
    noise: Annotated[
        str | None, typer.Option(metavar="MECHANISM", help="What is said of their error instead.")
    ] = None,
    decoder: Annotated[
        str, typer.Option(help="auto, exhaustive, least-squares, box, lp or posterior.")
    ] = "auto",
    truth: Annotated[Path | None, typer.Option(metavar="FILE", help="The true secrets.")] = None,
    confidence: Annotated[
        float, typer.Option(min=0.5, max=1.0, help="From which probability on somebody is exposed.")
    ] = 0.95,
    diagnose: Annotated[bool, typer.Option("--diagnose", help="Say first what can be expected.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same claims.")] = 1,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where to write.")] = Path("dalenius-report"),
) -> None:
    """Attack published scores and write the claims."""
    from dalenius.audit.published import read_truth, secret_name
    from dalenius.audit.published_scores import read_scores
    from dalenius.cli.attack_view import attack_view
    from dalenius.errors import InputError

    if digits is not None and noise is not None:
        raise InputError("--digits", "must not be given with --noise", noise, "Give one of the two.")
    options = {
        "error-rate": error_rate, "accuracy": accuracy, "precision": precision, "recall": recall, "fpr": fpr,
        "log-loss": log_loss, "brier": brier, "auc": auc, "positives": positives,
    }  # fmt: skip
    given = {kind: text for kind, text in options.items() if text is not None}
    secret = "secret" if truth is None else secret_name(truth, id)
    view = read_scores(
        people, predictions, id=id, given=given, scores=scores, digits=digits, noise=noise, secret=secret
    )
    codes = None if truth is None else read_truth(truth, view.knowledge.roster.ids, id)
    attack_view(view, codes, decoder=decoder, confidence=confidence, seed=seed, diagnosed=diagnose, out=out)
