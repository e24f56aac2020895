"""``dalenius reconstruct scores``: attack the published scores of a classifier."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

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
               <id>,name1,name2,...     one column per classifier; or
               classifier,<id>,prediction; or a tree printed by scikit-learn's
               export_text, in a file that ends in .txt
  scores       classifier,score,value   several: error-rate, accuracy, precision,
               recall, fpr, true-positives, log-loss, brier, auc, positives, mean, sd
  truth        <id>,<secret>            0 or 1; adds the referee's tally

Each score is one equation: many classifiers give many people away.
DIR gets claims.csv (<id>,probability,guess,certain) and findings.json. Exit code:
0 pass; 1 stop, undecided (as without the truth), or nothing can be learnt, and then
nothing is written; 2 bad input.
"""

Printed = Annotated[str | None, typer.Option(metavar="NUMBER", help="As it was printed.")]


def scores(
    people: People,
    id: Id,
    predictions: Annotated[
        Path, typer.Option(metavar="FILE", help="Predictions of the classifiers, or a printed tree.")
    ],
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
    scores: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Scores of several classifiers.")
    ] = None,
    digits: Digits = None,
    noise: Noise = None,
    decoder: Decoder = "auto",
    truth: Truth = None,
    confidence: Confidence = 0.95,
    diagnose: Diagnose = False,
    seed: Seed = 1,
    out: Out = REPORT,
) -> None:
    """Attack published scores and write the claims."""
    from dalenius.errors import InputError
    from dalenius.people.truth_file import read_truth, secret_name
    from dalenius.reconstruction.cli.attack_view import attack_view
    from dalenius.reconstruction.published.scores import read_scores

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
