"""``dalenius reconstruct``: attack answers that were already published."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalenius.reconstruction.cli import regression as reconstruct_regression
from dalenius.reconstruction.cli import scores as reconstruct_scores
from dalenius.reconstruction.cli import tables as reconstruct_tables
from dalenius.reconstruction.cli.options import REPORT, Confidence, Diagnose, Id, Out, People, Seed, Truth

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Reconstruct secrets from answers already published.",
)

HELP = """Reconstruct a yes/no secret from published counts.

\b
Example:
  dalenius reconstruct counts --people people.csv --id client_id \\
      --answers answers.csv --queries queries.csv --noise gaussian:sigma=4

\b
Files, CSV or Parquet:
  people   <id>[,columns]    everybody, and public columns that conditions speak of
  queries  query,<id>        one row for each person a query counts; or
           query,condition   such as: age >= 30 and sex = f
  answers  query,answer      how many of them have the secret
  truth    <id>,<secret>     0 or 1; adds the referee's tally

DIR gets claims.csv (<id>,probability,guess,certain) and findings.json. Exit code:
0 pass; 1 stop, undecided (as without the truth), or nothing can be learnt, and then
nothing is written; 2 bad input.
"""


@app.callback()
def family() -> None:
    """Keep `counts` a word of its own: other releases will stand beside it."""


@app.command("counts", help=HELP)
def counts(
    people: People,
    id: Id,
    answers: Annotated[Path, typer.Option(metavar="FILE", help="Published answers: query,answer.")],
    queries: Annotated[Path, typer.Option(metavar="FILE", help="Questions: query,<id> or query,condition.")],
    noise: Annotated[
        str, typer.Option(metavar="MECHANISM", help="Mechanism behind the answers: gaussian:sigma=4, exact.")
    ] = "unknown",
    decoder: Annotated[
        str, typer.Option(help="Decoder: auto, exhaustive, hadamard, least-squares, box, lp or posterior.")
    ] = "auto",
    truth: Truth = None,
    confidence: Confidence = 0.95,
    diagnose: Diagnose = False,
    seed: Seed = 1,
    out: Out = REPORT,
) -> None:
    """Attack published counts and write the claims."""
    from dalenius.people.truth_file import read_truth, secret_name
    from dalenius.reconstruction.cli.attack_view import attack_view
    from dalenius.reconstruction.published.counts import read_counts

    secret = "secret" if truth is None else secret_name(truth, id)
    view = read_counts(people, answers, queries, id=id, noise=noise, secret=secret)
    codes = None if truth is None else read_truth(truth, view.knowledge.roster.ids, id)
    attack_view(view, codes, decoder=decoder, confidence=confidence, seed=seed, diagnosed=diagnose, out=out)


app.command("scores", help=reconstruct_scores.HELP)(reconstruct_scores.scores)
app.command("regression", help=reconstruct_regression.HELP)(reconstruct_regression.regression)
app.command("tables", help=reconstruct_tables.TABLES_HELP)(reconstruct_tables.tables)
app.command("joint", help=reconstruct_tables.JOINT_HELP)(reconstruct_tables.joint)
