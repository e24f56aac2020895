"""``dalenius reconstruct``: attack answers that were already published."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from dalenius.audit.single import Single

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Reconstruct secrets from answers already published."
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

DIR gets claims.csv (<id>,probability,guess,certain) and findings.json. Exit code: 0, or 2 for bad input.
"""


@app.callback()
def family() -> None:
    """Keep `counts` a word of its own: other releases will stand beside it."""


@app.command("counts", help=HELP)
def counts(
    people: Annotated[Path, typer.Option(metavar="FILE", help="The people.")],
    id: Annotated[str, typer.Option(metavar="COLUMN", help="The column that names them.")],
    answers: Annotated[Path, typer.Option(metavar="FILE", help="The published answers.")],
    queries: Annotated[Path, typer.Option(metavar="FILE", help="What was asked.")],
    noise: Annotated[
        str, typer.Option(metavar="MECHANISM", help="What is said of the error: gaussian:sigma=4, exact.")
    ] = "unknown",
    decoder: Annotated[
        str, typer.Option(help="auto, exhaustive, hadamard, least-squares, box, lp or posterior.")
    ] = "auto",
    truth: Annotated[Path | None, typer.Option(metavar="FILE", help="The true secrets.")] = None,
    confidence: Annotated[
        float, typer.Option(min=0.5, max=1.0, help="From which probability on somebody is exposed.")
    ] = 0.95,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same claims.")] = 1,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where to write.")] = Path("dalenius-report"),
) -> None:
    """Attack published counts and write the claims."""
    from dalenius.audit.published import read_counts, read_truth, secret_name
    from dalenius.audit.single import attack_one
    from dalenius.cli.progress import bar
    from dalenius.records.atomic import write_files

    secret = "secret" if truth is None else secret_name(truth, id)
    view = read_counts(people, answers, queries, id=id, noise=noise, secret=secret)
    codes = None if truth is None else read_truth(truth, view.knowledge.roster.ids, id)
    with bar() as progress:
        result, claims = attack_one(
            view, codes, decoder=decoder, confident=confidence, seed=seed, progress=progress
        )
    files = {"claims.csv": claims.to_csv(), "findings.json": result.to_json()}
    write_files(out, files)
    _print(result)
    typer.echo(f"Written: {', '.join(str(out / name) for name in files)}")


def _print(result: Single) -> None:
    typer.echo(f"{result.people:,} people, {result.numbers:,} answers, mechanism {result.mechanism}")
    typer.echo(f"decoder {result.attack_method}")
    for note in result.notes:
        typer.echo(f"  {note}")
    share = result.expected_right / result.people
    typer.echo(f"The attack expects {share:.1%} of its guesses to be right.")
    typer.echo(f"{result.exposed:,} people are guessed with probability {result.confident:g} or more.")
    typer.echo(f"{result.certain:,} people are certain: arithmetic alone, no probability.")
    if result.finding is not None:
        typer.echo(f"\n{result.finding.sentence}")
        gain = result.finding.advantage
        typer.echo(
            f"Advantage {100 * gain.value:+.1f} points ({100 * gain.low:+.1f} to {100 * gain.high:+.1f}); "
            f"severity {result.finding.severity}: {result.finding.severity_reason}."
        )
    typer.echo("")
