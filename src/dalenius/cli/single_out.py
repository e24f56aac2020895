"""``dalenius single-out``: can somebody write down a condition that exactly one person meets?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from dalenius.audit.singling_out.counts import CountsResult
    from dalenius.audit.singling_out.game_result import GameResult
    from dalenius.findings.document import AuditReport

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Single people out of anonymised rows, counts and synthetic data.",
)

ROWS = """Attack a finished anonymised file, as ARX, sdcMicro, anjana and others write it.

\b
Example:
  dalenius single-out rows --original people.csv --anonymised released.csv \\
      --quasi age,zip,sex --population everybody.csv

\b
Cells of the quasi-identifiers: values, * (anything), 4781* (masks), [20, 30), 20-29, >=90, {a, b}, or
labels of a hierarchy (--hierarchy zip=zip.csv, one line a leaf: leaf;level1;...;top).
Blank cells are anything. A column that counts the people of a row (--count) expands it.
How rare a condition is comes from --population (everybody) or --holdout (other people), never from the data;
what they cannot weigh is not shown. A column of people's own values, released as it is, stops by itself.
Rows that were perturbed (noise, microaggregation, swapping, PRAM) are attacked by single-out triple.

DIR gets findings.json, success.svg, and predicates.json with the conditions, to be kept as safe as the data.
Exit code: 0 if the advantage over luck is shown to be at most 5 points, 1 if it is larger or not shown, 2 for
bad input.
"""

GAME = """Play the game of singling out against an anonymiser, beside luck.

\b
Example:
  dalenius single-out game --population everybody.parquet --n 1000 --mechanism mondrian:k=5 --trials 1000

\b
Anonymisers: mondrian:k=5[,l=2,t=0.2,sensitive=COLUMN], datafly:k=5[,suppress=0.02], buckets:k=5,
  bit-suppression:k=5. In each round n people are drawn, anonymised and attacked. datafly takes a file a
  column, --hierarchy zip=zip.csv (one line a value: value;level1;...;top).
Without a table of everybody, --holdout takes a sample of them: data are drawn from a quarter of it, the
attack knows another, and the other half says how rare a condition is, with a confidence limit.

DIR gets findings.json and success.svg. Exit code: 0 if every attack is shown to gain at most 5 points over
luck, 1 if one gains more or that cannot be told (more --trials narrow it), 2 for bad input.
"""

COUNTS = """Ask counts about people, each of them harmless, and single somebody out.

\b
Example:
  dalenius single-out counts --population everybody.parquet --n 1000 --queries 40
  dalenius single-out counts --population everybody.parquet --n 1000 --queries 40 --suppress-below 10

DIR gets findings.json and success.svg. Exit code: 0 if every attack is shown to gain at most 5 points over
luck, 1 if one gains more or that cannot be told (more --trials narrow it), 2 for bad input.
"""

TRIPLE = """Do synthetic or perturbed rows single out real people? Original, released and control rows.

\b
Example:
  dalenius single-out triple --original ori.csv --synthetic syn.csv --control ctl.csv

\b
For rows that are not generalised originals: synthetic ones, and rows with noise, microaggregated, swapped or
relabelled (PRAM). Conditions made from them are counted in the original and, for luck, in the control:
people of the same population who are not behind the released rows. Conditions on a few columns (--mode,
--columns) and conditions around every row: equal to it, or near it in every column. With a control smaller
than the original as many originals are drawn. A control that holds originals is refused.

Pass: no kind of condition gains more than --limit over luck, and released rows equal or nearly equal
originals no more than others (--max-copies, 0). DIR gets findings.json, with --show-people also the
conditions. Exit code: 0 pass, 1 stop or undecided, 2 bad input.
"""

VERDICTS = {
    "stop": "people are singled out beyond the limit",
    "pass": "shown to keep the limit, against these attacks",
    "undecided": "not shown to keep the limit, nor to break it",
}

Out = Annotated[Path, typer.Option(metavar="DIR", help="Where to write.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same result.")]
Population = Annotated[Path, typer.Option(metavar="FILE", help="Everybody: CSV or Parquet.")]
People = Annotated[int, typer.Option("--n", min=2, help="How many of them the data hold.")]
Trials = Annotated[int, typer.Option(min=1, help="Rounds.")]
Weight = Annotated[float | None, typer.Option(help="Weight limit of the verdict; by default 0.01/n.")]
Workers = Annotated[int, typer.Option(min=1, help="Processes that play.")]


@app.callback()
def family() -> None:
    """Keep the actions words of their own."""


@app.command("rows", help=ROWS)
def rows(
    anonymised: Annotated[Path, typer.Option(metavar="FILE", help="The released rows.")],
    quasi: Annotated[str, typer.Option(metavar="A,B,C", help="The columns that were generalised.")],
    original: Annotated[Path | None, typer.Option(metavar="FILE", help="The rows behind them.")] = None,
    population: Annotated[Path | None, typer.Option(metavar="FILE", help="Everybody.")] = None,
    holdout: Annotated[Path | None, typer.Option(metavar="FILE", help="Other people.")] = None,
    hierarchy: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN=FILE", help="How a column was generalised.")
    ] = None,
    limit: Annotated[
        float, typer.Option(help="How rare conditions must be looked at to pass, as a share of 1/n.")
    ] = 0.01,
    tight: Annotated[
        str, typer.Option(metavar="A,B", help="Columns whose intervals end at values of rows; else guessed.")
    ] = "",
    dropped: Annotated[bool, typer.Option("--dropped", help="Suppressed rows were left out.")] = False,
    count: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Says for how many people a released row stands.")
    ] = None,
    person_id: Annotated[
        str, typer.Option("--id", metavar="COLUMN", help="People's id: not asked about.")
    ] = "",
    seed: Seed = 1,
    out: Out = Path("dalenius-report"),
) -> None:
    """Attack anonymised rows."""
    from dalenius import __version__
    from dalenius.audit.singling_out.rows import single_out_rows
    from dalenius.audit.singling_out.rows_files import read_hierarchies, read_rows_files
    from dalenius.audit.singling_out.rows_finding import finding_of_rows
    from dalenius.audit.tracing.files import named_files
    from dalenius.cli.progress import bar
    from dalenius.findings.document import Data, conclude
    from dalenius.findings.policy import Policy
    from dalenius.report.singling_out_pictures import success_of_rows

    columns = _words(quasi)
    with bar() as progress:
        progress(0.0, "reading")
        files = read_rows_files(
            anonymised,
            columns,
            original=original,
            population=population,
            holdout=holdout,
            ids=_words(person_id),
            count=count,
        )
        found = single_out_rows(
            files.released,
            columns,
            original=files.original,
            population=files.population,
            holdout=files.holdout,
            hierarchies=read_hierarchies(named_files(hierarchy or [])),
            registered=limit,
            tight=tuple(_words(tight)) or None,
            dropped=dropped,
            told=files.warnings,
            seed=seed,
            progress=progress,
        )
    finding = finding_of_rows(found, anonymised.name)
    data = Data(source=str(original or anonymised), people=found.n, public=(), secret=None)
    report = conclude([finding], Policy(), data=data, seed=seed, version=__version__)
    _finish_report(report, {"predicates.json": found.to_json(), "success.svg": success_of_rows(finding)}, out)


def _finish_report(report: AuditReport, files: Mapping[str, str], out: Path) -> None:
    """Write and print a report, and end with the exit code of its verdict."""
    from dalenius.cli.audit import finish

    finish(report, files, out, quiet=False)
    raise typer.Exit(0 if report.verdict == "pass" else 1)


@app.command("game", help=GAME)
def game(
    n: People,
    mechanism: Annotated[str, typer.Option(help="The anonymiser, such as mondrian:k=5.")],
    population: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Everybody: CSV or Parquet.")
    ] = None,
    holdout: Annotated[Path | None, typer.Option(metavar="FILE", help="Or a sample of everybody.")] = None,
    quasi: Annotated[str, typer.Option(metavar="A,B,C", help="The columns it generalises; all.")] = "",
    hierarchy: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN=FILE", help="How datafly generalises a column.")
    ] = None,
    trials: Trials = 1000,
    weight: Weight = None,
    workers: Workers = 1,
    seed: Seed = 1,
    out: Out = Path("dalenius-report"),
) -> None:
    """Play against an anonymiser."""
    from dalenius.audit.singling_out.anonymisers import single_out_game
    from dalenius.audit.singling_out.rows_files import read_hierarchies
    from dalenius.audit.tracing.files import named_files
    from dalenius.cli.progress import bar
    from dalenius.errors import InputError
    from dalenius.people.opening import read_rows

    people = population or holdout
    if people is None or (population and holdout):
        got = "both" if people else "neither"
        raise InputError("--population and --holdout", "must be given one or the other", got)
    with bar() as progress:
        found = single_out_game(
            read_rows(people),
            n,
            mechanism,
            tuple(_words(quasi)),
            sample=holdout is not None,
            hierarchies=read_hierarchies(named_files(hierarchy or [])),
            trials=trials,
            weight=weight,
            seed=seed,
            workers=workers,
            progress=progress,
        )
    _finish_games(found, [found], out)


@app.command("counts", help=COUNTS)
def counts(
    population: Population,
    n: People,
    queries: Annotated[int, typer.Option(min=1, help="How many counts are asked.")] = 40,
    suppress_below: Annotated[int | None, typer.Option(help="Counts below this are hidden.")] = None,
    trials: Trials = 1000,
    weight: Weight = None,
    workers: Workers = 1,
    seed: Seed = 1,
    out: Out = Path("dalenius-report"),
) -> None:
    """Play against counts."""
    from dalenius.audit.singling_out.counts import single_out_counts
    from dalenius.cli.progress import bar
    from dalenius.people.opening import read_rows

    with bar() as progress:
        found = single_out_counts(
            read_rows(population),
            n,
            queries,
            suppress_below=suppress_below,
            trials=trials,
            weight=weight,
            seed=seed,
            workers=workers,
            progress=progress,
        )
    _finish_games(found, found.games, out)


def _finish_games(found: GameResult | CountsResult, games: Sequence[GameResult], out: Path) -> None:
    """Write and print games, and end with the exit code of what those against the release showed."""
    from dalenius.atomic_write import write_files
    from dalenius.audit.singling_out.counts import CountsResult
    from dalenius.audit.singling_out.game_verdict import decide_games
    from dalenius.findings.policy import Policy
    from dalenius.report.singling_out_pictures import success_of_games

    deciding = found.released if isinstance(found, CountsResult) else games
    verdict, reasons = decide_games(deciding, Policy().max_advantage)
    found = found.model_copy(update={"decision": verdict, "reasons": reasons})
    files = {"findings.json": found.to_json(), "success.svg": success_of_games(games)}
    write_files(out, files)
    for line in (*found.lines(), *_closing(demonstrated=verdict == "stop"), ""):
        typer.echo(line)
    _say_verdict(verdict, reasons)
    typer.echo(f"\nWritten: {', '.join(str(out / name) for name in files)}")
    raise typer.Exit(0 if verdict == "pass" else 1)


def _closing(*, demonstrated: bool) -> Iterator[str]:
    """What the result means, and what it does not, for those who decide."""
    from dalenius.findings.singling_out_build import closing

    yield ""
    yield "What this means:"
    yield from (f"  {sentence}" for sentence in closing(demonstrated=demonstrated))


@app.command("triple", help=TRIPLE)
def triple(
    original: Annotated[Path, typer.Option(metavar="FILE", help="The people behind the released rows.")],
    synthetic: Annotated[Path, typer.Option(metavar="FILE", help="What is released.")],
    control: Annotated[Path, typer.Option(metavar="FILE", help="Other people of the same population.")],
    mode: Annotated[
        Literal["multivariate", "univariate"], typer.Option(help="Conditions on several columns, or on one.")
    ] = "multivariate",
    attacks: Annotated[
        int | None,
        typer.Option(min=1, help="How many conditions of a kind to try; usually 2,000."),
    ] = None,
    columns: Annotated[int | None, typer.Option(min=1, help="Columns of a condition on several; 3.")] = None,
    person_id: Annotated[
        str, typer.Option("--id", metavar="COLUMN", help="People's id: not asked about.")
    ] = "",
    leave_out: Annotated[str, typer.Option(metavar="A,B", help="Columns to ignore, such as a number.")] = "",
    limit: Annotated[float, typer.Option(help="The largest advantage over luck that passes.")] = 0.1,
    max_copies: Annotated[
        float, typer.Option(help="The largest share of people copied, or nearly, beyond luck that passes.")
    ] = 0.0,
    show_people: Annotated[bool, typer.Option("--show-people", help="Write the conditions.")] = False,
    seed: Seed = 1,
    out: Out = Path("dalenius-report"),
) -> None:
    """Attack synthetic or perturbed rows."""
    import json

    from dalenius.atomic_write import write_files
    from dalenius.audit.singling_out.triple import read_triple, single_out_triple
    from dalenius.cli.progress import bar

    with bar() as progress:
        progress(0.0, "reading")
        found = single_out_triple(
            *read_triple(original, synthetic, control, _words(leave_out), _words(person_id)),
            mode=mode,
            attacks=attacks,
            columns=columns,
            limit=limit,
            max_copies=max_copies,
            seed=seed,
            progress=progress,
        )
    files = {"original": original.name, "synthetic": synthetic.name, "control": control.name}
    plain = found.to_json(show_people=show_people, files=files)
    write_files(
        out, {"findings.json": json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False) + "\n"}
    )
    for line in (*found.lines(), *_closing(demonstrated=found.verdict == "stop"), ""):
        typer.echo(line)
    _say_verdict(found.verdict, found.reasons)
    typer.echo(f"\nWritten: {out / 'findings.json'}")
    raise typer.Exit(0 if found.verdict == "pass" else 1)


def _say_verdict(verdict: str, reasons: Sequence[str]) -> None:
    """One word, what it means, and every reason."""
    typer.echo(f"{verdict.upper()}: {VERDICTS[verdict]}.")
    for reason in reasons:
        typer.echo(f"  {reason}.")


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
