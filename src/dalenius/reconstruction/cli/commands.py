"""``dalenius reconstruct``: attack answers that were already published."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalenius.console.options import WholeSentences, grouped
from dalenius.reconstruction.cli import desk as reconstruct_desk
from dalenius.reconstruction.cli import regression as reconstruct_regression
from dalenius.reconstruction.cli import scores as reconstruct_scores
from dalenius.reconstruction.cli import tables as reconstruct_tables
from dalenius.reconstruction.published.options import AttackOptions, Diagnose, ListedPeople

app = typer.Typer(
    cls=WholeSentences,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Reconstruct secrets from answers already published, or from a query interface that is planned.",
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
@grouped
def counts(
    listed: ListedPeople,
    answers: Annotated[Path, typer.Option(metavar="FILE", help="Published answers: query,answer.")],
    queries: Annotated[Path, typer.Option(metavar="FILE", help="Questions: query,<id> or query,condition.")],
    options: AttackOptions,
    noise: Annotated[
        str, typer.Option(metavar="MECHANISM", help="Mechanism behind the answers: gaussian:sigma=4, exact.")
    ] = "unknown",
    diagnose: Diagnose = False,
) -> None:
    """Attack published counts and write the claims."""
    from dalenius.reconstruction.cli.attack_view import attack_view
    from dalenius.reconstruction.published.counts import read_counts

    view = read_counts(listed.people, answers, queries, id=listed.id, noise=noise, secret=listed.secret)
    attack_view(view, listed.codes(view), options, diagnosed=diagnose)


app.command("scores", help=reconstruct_scores.HELP)(reconstruct_scores.scores)
app.command("regression", help=reconstruct_regression.HELP)(reconstruct_regression.regression)
app.command("tables", help=reconstruct_tables.TABLES_HELP)(reconstruct_tables.tables)
app.command("joint", help=reconstruct_tables.JOINT_HELP)(reconstruct_tables.joint)
app.command("desk", help=reconstruct_desk.HELP)(reconstruct_desk.desk)
