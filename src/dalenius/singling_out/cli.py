"""``dalenius single-out``: can somebody write down a condition that exactly one person meets?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dalenius.console.finish import OUTPUTS, Outputs
from dalenius.console.options import Place, WholeSentences, WorkPlace, grouped, place
from dalenius.console.policies import ConditionRules, CopyRules
from dalenius.errors import InputError
from dalenius.singling_out.cli_help import COUNTS, GAME, ROWS, TRIPLE

if TYPE_CHECKING:
    from dalenius.findings.report import Data
    from dalenius.singling_out.game.rounds import GameSettings
    from dalenius.singling_out.rows.files import ColumnsApart
    from dalenius.singling_out.rows.settings import RowsSettings

app = typer.Typer(
    cls=WholeSentences,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Single people out of anonymised rows, counts and synthetic data.",
)

Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same result.")]
Id = Annotated[str, typer.Option("--id", metavar="COLUMN", help="Column with person ids (not attacked).")]
People = Annotated[int, typer.Option("--n", min=2, help="Number of people drawn into the data.")]
Everybody = Annotated[
    Place, typer.Option(parser=place, metavar="FILE", help="Table of the whole population.")
]
Others = Annotated[
    Place, typer.Option(parser=place, metavar="FILE", help="Other people of the same population.")
]
Released = Annotated[Place, typer.Option(parser=place, metavar="FILE", help="Released rows.")]


@dataclass(frozen=True)
class RowsAsked:
    """The released rows, those behind them, and other people."""

    anonymised: Released
    quasi: Annotated[
        str, typer.Option(metavar="A,B,C", help="Quasi-identifiers: columns that were generalised.")
    ]
    original: Annotated[Place, typer.Option(parser=place, metavar="FILE", help="Original rows.")] = None
    population: Everybody = None
    holdout: Others = None


@dataclass(frozen=True)
class RecodingAsked:
    """What is known of the anonymiser, and the weight limit."""

    hierarchy: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN=FILE", help="Generalisation hierarchy of a column.")
    ] = None
    limit: Annotated[float, typer.Option(help="Weight limit that a pass must cover, as a share of 1/n.")] = (
        0.01
    )
    tight: Annotated[
        str, typer.Option(metavar="A,B", help="Columns whose intervals end at values of rows; else guessed.")
    ] = ""
    dropped: Annotated[bool, typer.Option("--dropped", help="Suppressed rows were left out.")] = False

    def settings(self, seed: int, confidence: float) -> RowsSettings:
        """Read the hierarchies."""
        from dalenius.console.options import named_files
        from dalenius.singling_out.rows.files import read_hierarchies
        from dalenius.singling_out.rows.settings import Recoding, RowsSettings, WeightLimits

        hierarchies = read_hierarchies(named_files(self.hierarchy or []))
        recoding = Recoding(hierarchies, tuple(_words(self.tight)) or None, dropped=self.dropped)
        return RowsSettings(recoding, WeightLimits(registered=self.limit, confidence=confidence), seed)


@dataclass(frozen=True)
class RoundsAsked:
    """How a game is played."""

    trials: Annotated[int, typer.Option(min=1, help="Number of rounds.")] = 1000
    weight: Annotated[float | None, typer.Option(help="Weight limit of the verdict; by default 0.01/n.")] = (
        None
    )
    spread: WorkPlace = field(default_factory=WorkPlace)
    seed: Seed = 1

    def settings(self, confidence: float) -> GameSettings:
        """Return the same for the game."""
        from dalenius.singling_out.game.rounds import GameSettings

        return GameSettings(
            trials=self.trials,
            weight=self.weight,
            confidence=confidence,
            seed=self.seed,
        )

    def of_every_round(self) -> tuple[object, ...]:
        """Everything but who plays, which changes nothing."""
        return self.trials, self.weight, self.seed


@dataclass(frozen=True)
class AnonymiserAsked:
    """What is played against: people, how many are drawn, and what is done to them."""

    n: People
    mechanism: Annotated[str, typer.Option(help="The anonymiser, such as mondrian:k=5.")]
    population: Everybody = None
    holdout: Annotated[
        Place,
        typer.Option(parser=place, metavar="FILE", help="Sample of the population, instead of all of it."),
    ] = None
    quasi: Annotated[str, typer.Option(metavar="A,B,C", help="Columns to generalise (default: all).")] = ""
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=FILE", help="Generalisation hierarchy of a column (datafly)."),
    ] = None

    def __post_init__(self) -> None:
        if (self.population is None) == (self.holdout is None):
            got = "neither" if self.population is None else "both"
            raise InputError("--population and --holdout", "must be given one or the other", got)

    @property
    def people(self) -> Place:
        """Whichever was given."""
        return self.holdout if self.population is None else self.population


@dataclass(frozen=True)
class TripleAsked:
    """The people behind the released rows, the released rows, and others."""

    original: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="The people behind the released rows.")
    ]
    synthetic: Released
    control: Others


@dataclass(frozen=True)
class TripleConditions:
    """Which conditions are tried."""

    mode: Annotated[
        Literal["multivariate", "univariate"], typer.Option(help="Conditions on several columns, or on one.")
    ] = "multivariate"
    attacks: Annotated[
        int | None, typer.Option(min=1, help="How many conditions of a kind to try; usually 2,000.")
    ] = None
    columns: Annotated[
        int | None, typer.Option(min=1, help="Columns per multivariate condition (default: 3).")
    ] = None
    person_id: Id = ""
    leave_out: Annotated[str, typer.Option(metavar="A,B", help="Columns that number or name rows.")] = ""


@dataclass(frozen=True)
class ApartAsked:
    """Columns of rows that are no attributes."""

    count: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column with the number of people per released row.")
    ] = None
    person_id: Id = ""

    def columns(self) -> ColumnsApart:
        """Return the same for the reader."""
        from dalenius.singling_out.rows.files import ColumnsApart

        return ColumnsApart(ids=_words(self.person_id), count=self.count)


@app.callback()
def family() -> None:
    """Keep the actions words of their own."""


@app.command("rows", help=ROWS)
@grouped
def rows(
    asked: RowsAsked,
    recoding: RecodingAsked,
    tolerated: ConditionRules,
    apart: ApartAsked,
    seed: Seed = 1,
    show_people: Annotated[
        bool, typer.Option("--show-people", help="Also write the finer table (downcoding), finer.csv.")
    ] = False,
    outputs: Outputs = OUTPUTS,
) -> None:
    """Attack anonymised rows."""
    from dalenius.auditing.decide import conclude
    from dalenius.console.finish import drawn, finish
    from dalenius.console.progress import bar
    from dalenius.people.opening import place_name
    from dalenius.progress import within
    from dalenius.singling_out.pictures import success_of_rows
    from dalenius.singling_out.rows.files import read_rows_files
    from dalenius.singling_out.rows.rows import Rowed
    from dalenius.singling_out.rows.to_finding import finding_of_rows
    from dalenius.singling_out.rows.why import explained_rows

    quasi, policy = _words(asked.quasi), tolerated.made()
    with bar(quiet=outputs.quiet) as progress:
        progress(0.0, "reading")
        files = read_rows_files(
            asked.anonymised,
            quasi,
            original=asked.original,
            population=asked.population,
            holdout=asked.holdout,
            apart=apart.columns(),
        )
        how = recoding.settings(seed, policy.confidence)
        found = Rowed(files, quasi, how).run(within(progress, 0.0, 0.3))
        finding = explained_rows(
            finding_of_rows(found, place_name(asked.anonymised), confidence=policy.confidence),
            files,
            quasi,
            found,
            how,
            progress=within(progress, 0.3, 1.0),
        )
    pictures = drawn({"success.svg": lambda: success_of_rows(finding)})
    written = {"predicates.json": found.predicates_json(), **pictures}
    if show_people and found.refined:
        written["finer.csv"] = found.finer_csv()
    report = conclude([finding], policy, data=_data(asked.original or asked.anonymised, found.n), seed=seed)
    finish(report, written, outputs)


@app.command("game", help=GAME)
@grouped
def game(
    asked: AnonymiserAsked,
    rounds: RoundsAsked,
    tolerated: ConditionRules,
    outputs: Outputs = OUTPUTS,
) -> None:
    """Play against an anonymiser."""
    from dalenius.auditing.decide import conclude
    from dalenius.console.finish import drawn, finish
    from dalenius.console.options import named_files
    from dalenius.console.progress import bar
    from dalenius.console.resumed import resumed
    from dalenius.mechanisms.anonymise.parse import parse_anonymiser
    from dalenius.people.opening import read_rows
    from dalenius.singling_out.build import SharedError
    from dalenius.singling_out.game.anonymisers import single_out_game
    from dalenius.singling_out.game.to_finding import finding_of_game
    from dalenius.singling_out.pictures import success_of_games
    from dalenius.singling_out.rows.files import read_hierarchies

    policy = tolerated.made()
    files = named_files(asked.hierarchy or [])
    sources = {"--population": asked.population, "--holdout": asked.holdout}
    sources |= {f"--hierarchy {name}": file for name, file in files.items()}
    said = (asked.n, asked.mechanism, asked.quasi, *rounds.of_every_round(), policy.confidence)
    with (
        bar(quiet=outputs.quiet) as progress,
        resumed(outputs.out, sources, said),
        rounds.spread.begun(),
    ):
        found = single_out_game(
            read_rows(asked.people),
            asked.n,
            parse_anonymiser(asked.mechanism, read_hierarchies(files)),
            tuple(_words(asked.quasi)),
            sample=asked.holdout is not None,
            how=rounds.settings(policy.confidence),
            progress=progress,
        )
    shared = SharedError(confidence=policy.confidence)
    finding = finding_of_game(found, asked.mechanism, shared=shared)
    written = drawn({"success.svg": lambda: success_of_games([found])})
    report = conclude([finding], policy, data=_data(asked.people, asked.n), seed=rounds.seed)
    finish(report, written, outputs)


@app.command("counts", help=COUNTS)
@grouped
def counts(
    population: Everybody,
    n: People,
    rounds: RoundsAsked,
    tolerated: ConditionRules,
    queries: Annotated[int, typer.Option(min=1, help="Number of counts asked.")] = 40,
    suppress_below: Annotated[int | None, typer.Option(help="Counts below this are hidden.")] = None,
    outputs: Outputs = OUTPUTS,
) -> None:
    """Play against counts."""
    from dalenius.auditing.decide import conclude
    from dalenius.console.finish import drawn, finish
    from dalenius.console.progress import bar
    from dalenius.console.resumed import resumed
    from dalenius.singling_out.game.counts import single_out_counts
    from dalenius.singling_out.pictures import success_of_games

    policy = tolerated.made()
    said = (n, queries, suppress_below, *rounds.of_every_round(), policy.confidence)
    with (
        bar(quiet=outputs.quiet) as progress,
        resumed(outputs.out, {"--population": population}, said),
        rounds.spread.begun(),
    ):
        found = single_out_counts(
            population,
            n,
            queries,
            suppress_below=suppress_below,
            how=rounds.settings(policy.confidence),
            progress=progress,
        )
    written = drawn({"success.svg": lambda: success_of_games(found.games)})
    report = conclude(found.findings, policy, data=_data(population, n), seed=rounds.seed)
    finish(report, written, outputs)


def _data(source: Place, people: int) -> Data:
    from dalenius.findings.report import Data
    from dalenius.people.opening import place_name

    return Data(source=place_name(source), people=people, public=(), secret=None)


@app.command("triple", help=TRIPLE)
@grouped
def triple(
    asked: TripleAsked,
    conditions: TripleConditions,
    tolerated: CopyRules,
    show_people: Annotated[bool, typer.Option("--show-people", help="Also write the conditions.")] = False,
    seed: Seed = 1,
    outputs: Outputs = OUTPUTS,
) -> None:
    """Attack synthetic or perturbed rows."""
    from dalenius.auditing.decide import conclude
    from dalenius.console.finish import finish
    from dalenius.console.progress import bar
    from dalenius.people.opening import place_name
    from dalenius.progress import within
    from dalenius.singling_out.released.files import read_triple
    from dalenius.singling_out.released.to_finding import finding_of_triple
    from dalenius.singling_out.released.triple import TripleSettings, run_triple
    from dalenius.singling_out.released.why import explained_triple

    policy = tolerated.made()
    places = {"original": asked.original, "synthetic": asked.synthetic, "control": asked.control}
    apart, ids = _words(conditions.leave_out), _words(conditions.person_id)
    how = TripleSettings(
        conditions.mode, conditions.attacks, conditions.columns, policy.confidence, seed=seed
    )
    with bar(quiet=outputs.quiet) as progress:
        progress(0.0, "reading")
        files = read_triple(asked.original, asked.synthetic, asked.control, apart, ids)
        found = run_triple(files, how, within(progress, 0.0, 0.5))
        names = {name: place_name(source) for name, source in places.items()}
        finding = finding_of_triple(found, names["synthetic"], files=names)
        finding = explained_triple(finding, files, found, how, progress=within(progress, 0.5, 1.0))
    written = {"isolating.json": found.isolating_json()} if show_people else {}
    report = conclude([finding], policy, data=_data(asked.original, found.original), seed=seed)
    finish(report, written, outputs)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
