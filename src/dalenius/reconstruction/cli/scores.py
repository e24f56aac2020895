"""``dalenius reconstruct scores``: attack the published scores of a classifier."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from dalenius.console.options import grouped
from dalenius.reconstruction.published.options import AttackOptions, Diagnose, ListedPeople, PrintedNumbers

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

Number = Annotated[
    str | None, typer.Option(metavar="NUMBER", help="This score of the classifier, as it was printed.")
]


@dataclass(frozen=True)
class PrintedScores:
    """Scores of one classifier, as they were printed."""

    error_rate: Number = None
    accuracy: Number = None
    precision: Number = None
    recall: Number = None
    fpr: Number = None
    log_loss: Number = None
    brier: Number = None
    auc: Annotated[
        str | None,
        typer.Option(metavar="NUMBER", help="Published area under the ROC curve; needs --positives."),
    ] = None
    positives: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="How many people have the secret, if published.")
    ] = None

    @property
    def given(self) -> dict[str, str]:
        """Those that were given, by kind."""
        return {kind.replace("_", "-"): text for kind, text in asdict(self).items() if text is not None}


@grouped
def scores(
    listed: ListedPeople,
    predictions: Annotated[
        Path, typer.Option(metavar="FILE", help="Predictions of the classifiers, or a printed tree.")
    ],
    one: PrintedScores,
    printed: PrintedNumbers,
    options: AttackOptions,
    scores: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Scores of several classifiers.")
    ] = None,
    diagnose: Diagnose = False,
) -> None:
    """Attack published scores and write the claims."""
    from dalenius.reconstruction.cli.attack_view import attack_view
    from dalenius.reconstruction.published.scores import read_scores

    view = read_scores(
        listed.people,
        predictions,
        id=listed.id,
        given=one.given,
        scores=scores,
        printed=printed,
        secret=listed.secret,
    )
    attack_view(view, listed.codes(view), options, diagnosed=diagnose)
