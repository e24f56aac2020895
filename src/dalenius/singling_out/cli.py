"""``dalenius single-out``: can somebody write down a condition that exactly one person meets?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import typer

from dalenius.console.places import Place, place

if TYPE_CHECKING:
    from dalenius.findings.finding import Finding
    from dalenius.findings.policy import Policy
    from dalenius.singling_out.game.result import GameResult

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
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
labels of a hierarchy (--hierarchy zip=zip.csv, one line per leaf: leaf;level1;...;top).
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
  column, --hierarchy zip=zip.csv (one line per value: value;level1;...;top).
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

Out = Annotated[Path, typer.Option(metavar="DIR", help="Folder for the results.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same result.")]
Population = Annotated[
    Place, typer.Option(parser=place, metavar="FILE", help="Table of the whole population.")
]
People = Annotated[int, typer.Option("--n", min=2, help="Number of people drawn into the data.")]
Trials = Annotated[int, typer.Option(min=1, help="Number of rounds.")]
Weight = Annotated[float | None, typer.Option(help="Weight limit of the verdict; by default 0.01/n.")]
Workers = Annotated[int, typer.Option(min=1, help="Number of processes.")]


@app.callback()
def family() -> None:
    """Keep the actions words of their own."""


@app.command("rows", help=ROWS)
def rows(
    anonymised: Annotated[Place, typer.Option(parser=place, metavar="FILE", help="Released rows.")],
    quasi: Annotated[
        str, typer.Option(metavar="A,B,C", help="Quasi-identifiers: columns that were generalised.")
    ],
    original: Annotated[Place, typer.Option(parser=place, metavar="FILE", help="Original rows.")] = None,
    population: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="Table of the whole population.")
    ] = None,
    holdout: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="Other people of the same population.")
    ] = None,
    hierarchy: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN=FILE", help="Generalisation hierarchy of a column.")
    ] = None,
    limit: Annotated[
        float, typer.Option(help="Weight limit that a pass must cover, as a share of 1/n.")
    ] = 0.01,
    tight: Annotated[
        str, typer.Option(metavar="A,B", help="Columns whose intervals end at values of rows; else guessed.")
    ] = "",
    dropped: Annotated[bool, typer.Option("--dropped", help="Suppressed rows were left out.")] = False,
    count: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column with the number of people per released row.")
    ] = None,
    person_id: Annotated[
        str, typer.Option("--id", metavar="COLUMN", help="Column with person ids (not attacked).")
    ] = "",
    seed: Seed = 1,
    out: Out = Path("dalenius-report"),
) -> None:
    """Attack anonymised rows."""
    from dalenius.console.places import named_files
    from dalenius.console.progress import bar
    from dalenius.people.opening import place_name
    from dalenius.singling_out.pictures import success_of_rows
    from dalenius.singling_out.rows.files import ColumnsApart, read_hierarchies, read_rows_files
    from dalenius.singling_out.rows.rows import Rowed
    from dalenius.singling_out.rows.settings import Recoding, RowsSettings, WeightLimits
    from dalenius.singling_out.rows.to_finding import finding_of_rows

    columns = _words(quasi)
    with bar() as progress:
        progress(0.0, "reading")
        read = read_rows_files(
            anonymised,
            columns,
            original=original,
            population=population,
            holdout=holdout,
            apart=ColumnsApart(ids=_words(person_id), count=count),
        )
        hierarchies = read_hierarchies(named_files(hierarchy or []))
        recoding = Recoding(hierarchies, tuple(_words(tight)) or None, dropped=dropped)
        how = RowsSettings(recoding, WeightLimits(registered=limit), seed)
        found = Rowed(read, columns, how).run(progress)
    finding = finding_of_rows(found, place_name(anonymised))
    files = {"predicates.json": found.to_json(), "success.svg": success_of_rows(finding)}
    _finish([finding], original or anonymised, found.n, seed, files, out)


@app.command("game", help=GAME)
def game(
    n: People,
    mechanism: Annotated[str, typer.Option(help="The anonymiser, such as mondrian:k=5.")],
    population: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="Table of the whole population.")
    ] = None,
    holdout: Annotated[
        Place,
        typer.Option(parser=place, metavar="FILE", help="Sample of the population, instead of all of it."),
    ] = None,
    quasi: Annotated[str, typer.Option(metavar="A,B,C", help="Columns to generalise (default: all).")] = "",
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=FILE", help="Generalisation hierarchy of a column (datafly)."),
    ] = None,
    trials: Trials = 1000,
    weight: Weight = None,
    workers: Workers = 1,
    seed: Seed = 1,
    out: Out = Path("dalenius-report"),
) -> None:
    """Play against an anonymiser."""
    from dalenius.console.places import named_files
    from dalenius.console.progress import bar
    from dalenius.errors import InputError
    from dalenius.mechanisms.anonymise.parse import parse_anonymiser
    from dalenius.people.opening import read_rows
    from dalenius.singling_out.game.anonymisers import single_out_game
    from dalenius.singling_out.game.settings import GameSettings
    from dalenius.singling_out.game.to_finding import finding_of_game
    from dalenius.singling_out.pictures import success_of_games
    from dalenius.singling_out.rows.files import read_hierarchies

    people = population or holdout
    if people is None or (population and holdout):
        got = "both" if people else "neither"
        raise InputError("--population and --holdout", "must be given one or the other", got)
    with bar() as progress:
        found = single_out_game(
            read_rows(people),
            n,
            parse_anonymiser(mechanism, read_hierarchies(named_files(hierarchy or [])) or None),
            tuple(_words(quasi)),
            sample=holdout is not None,
            how=GameSettings(trials=trials, weight=weight, seed=seed, workers=workers),
            progress=progress,
        )
    finding = finding_of_game(found, mechanism)
    _finish([finding], people, n, seed, {"success.svg": success_of_games([found])}, out)


@app.command("counts", help=COUNTS)
def counts(
    population: Population,
    n: People,
    queries: Annotated[int, typer.Option(min=1, help="Number of counts asked.")] = 40,
    suppress_below: Annotated[int | None, typer.Option(help="Counts below this are hidden.")] = None,
    trials: Trials = 1000,
    weight: Weight = None,
    workers: Workers = 1,
    seed: Seed = 1,
    out: Out = Path("dalenius-report"),
) -> None:
    """Play against counts."""
    from dalenius.console.progress import bar
    from dalenius.people.opening import read_rows
    from dalenius.singling_out.game.counts import single_out_counts
    from dalenius.singling_out.game.settings import GameSettings
    from dalenius.singling_out.game.tables import Population
    from dalenius.singling_out.game.to_finding import finding_of_counts
    from dalenius.singling_out.pictures import success_of_games

    everybody = read_rows(population)
    with bar() as progress:
        found = single_out_counts(
            everybody,
            n,
            queries,
            suppress_below=suppress_below,
            how=GameSettings(trials=trials, weight=weight, seed=seed, workers=workers),
            progress=progress,
        )
    released = "exact" if suppress_below is None else f"suppression:below={suppress_below}"
    noisy = [_beside(game) for game in found.games[len(found.released) :]]
    findings = [
        finding_of_counts(
            [game],
            f"counts, {game.attack}",
            Population(everybody),
            queries,
            released,
            looks=len(found.released),
        )
        for game in found.released
    ]
    findings[0] = findings[0].model_copy(
        update={"notes": (*findings[0].notes, found.sentence, REGION, *noisy)}
    )
    files = {"success.svg": success_of_games(found.games)}
    _finish(findings, population, n, seed, files, out)


REGION = (
    "A region is a condition that about one person of the data meets; the other counts of a region ask what "
    "else is true of whoever that is."
)


def _beside(game: GameResult) -> str:
    """What the same counts with noise give away, to compare."""
    row = game.at(game.weight if game.weight is not None else game.rows[0].weight)
    return f"Beside it, {game.mechanism}, {game.attack}: {row.success.rate:.1%} of the rounds."


def _finish(
    findings: Sequence[Finding],
    source: Place,
    people: int,
    seed: int,
    files: Mapping[str, str],
    out: Path,
    policy: Policy | None = None,
) -> NoReturn:
    """Hold findings against a policy, and end."""
    from dalenius.auditing.decide import conclude
    from dalenius.console.finish import finish
    from dalenius.findings.policy import Policy
    from dalenius.findings.report import Data
    from dalenius.people.opening import place_text

    data = Data(source=place_text(source), people=people, public=(), secret=None)
    finish(conclude(findings, policy or Policy(), data=data, seed=seed), files, out)


@app.command("triple", help=TRIPLE)
def triple(
    original: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="The people behind the released rows.")
    ],
    synthetic: Annotated[Place, typer.Option(parser=place, metavar="FILE", help="Released rows.")],
    control: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="Other people of the same population.")
    ],
    mode: Annotated[
        Literal["multivariate", "univariate"], typer.Option(help="Conditions on several columns, or on one.")
    ] = "multivariate",
    attacks: Annotated[
        int | None,
        typer.Option(min=1, help="How many conditions of a kind to try; usually 2,000."),
    ] = None,
    columns: Annotated[
        int | None, typer.Option(min=1, help="Columns per multivariate condition (default: 3).")
    ] = None,
    person_id: Annotated[
        str, typer.Option("--id", metavar="COLUMN", help="Column with person ids (not attacked).")
    ] = "",
    leave_out: Annotated[str, typer.Option(metavar="A,B", help="Columns to ignore, such as a number.")] = "",
    limit: Annotated[
        float, typer.Option(min=0, max=1, help="The largest advantage over luck that passes.")
    ] = 0.05,
    max_copies: Annotated[
        float,
        typer.Option(
            min=0, max=1, help="The largest share of people copied, or nearly, beyond luck that passes."
        ),
    ] = 0.0,
    show_people: Annotated[bool, typer.Option("--show-people", help="Also write the conditions.")] = False,
    seed: Seed = 1,
    out: Out = Path("dalenius-report"),
) -> None:
    """Attack synthetic or perturbed rows."""
    from dalenius.console.progress import bar
    from dalenius.findings.policy import Policy
    from dalenius.people.opening import place_name
    from dalenius.singling_out.released.to_finding import finding_of_triple
    from dalenius.singling_out.released.triple import TripleSettings, read_triple, run_triple

    policy = Policy(max_advantage=limit, max_copies=max_copies)
    with bar() as progress:
        progress(0.0, "reading")
        files = read_triple(original, synthetic, control, _words(leave_out), _words(person_id))
        how = TripleSettings(mode, attacks, columns, seed=seed)
        found = run_triple(files, how, progress)
    names = {
        "original": place_name(original),
        "synthetic": place_name(synthetic),
        "control": place_name(control),
    }
    finding = finding_of_triple(found, place_name(synthetic), files=names)
    written = {"isolating.json": found.isolating_json()} if show_people else {}
    _finish([finding], original, found.original, seed, written, out, policy)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
