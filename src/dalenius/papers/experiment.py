"""The shapes of an experiment: what was promised, what was measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from dalenius.findings.tally import Tally
from dalenius.papers.settings import Settings
from dalenius.papers.statement import Heading, Statement

Side = Literal["at most", "at least"]
Holds = Literal["in every run", "on average"]
Counts = Literal[
    "wrong", "right", "accused", "moved too far", "moved all the way", "with enough accused", "that isolate"
]
"""What is counted: people, or for the last two the runs in which enough are accused or one is isolated.

Moved are beliefs about people, too far beyond what is promised or all the way to it.
"""


@dataclass(frozen=True)
class PromisedShare:
    """What a statement promises for these sizes: a share of the people.

    Parameters
    ----------
    what
        About which guesses.
    value
        The share.
    counts
        Whether it is the share guessed wrong, guessed right, accused by a test, or about whom beliefs move;
        or the share of runs in which enough people are accused, or in which a condition isolates somebody.
    side
        Whether the share is at most or at least ``value``.
    holds
        In every single run, or only on average over the randomness of the statement.
    """

    what: str
    value: float
    counts: Counts = "wrong"
    side: Side = "at most"
    holds: Holds = "in every run"

    @property
    def empty(self) -> bool:
        """Whether it says nothing, because no share is above 1 or below 0."""
        return self.value >= 1 if self.side == "at most" else self.value <= 0

    @property
    def of(self) -> str:
        """What it is a share of."""
        return "runs" if self.counts in ("with enough accused", "that isolate") else "people"


@dataclass(frozen=True)
class SimulatedRow:
    """Tallies of one simulation, one per run, and the promise they are held against.

    Parameters
    ----------
    what
        What was simulated.
    tallies
        People guessed wrong (or right) of all, one per run.
    promise
        What they are held against, if anything is promised about them.
    drawn
        Whether runs differ by chance; a single computed release has no interval.
    """

    what: str
    tallies: tuple[Tally, ...]
    promise: PromisedShare | None = None
    counts: Counts = "wrong"
    drawn: bool = True


@dataclass(frozen=True)
class MeasuredShare:
    """What was measured: counts first, over all runs.

    Parameters
    ----------
    what
        What was simulated.
    hits, trials
        People guessed wrong (or right), of all people of all runs.
    low, high
        Interval of the expected share; both equal to it where nothing is random.
    most
        The share in the run that was hardest on the promise.
    kept
        Whether the promise was kept; None where nothing is promised.
    """

    what: str
    counts: Counts
    hits: int
    trials: int
    low: float
    high: float
    most: float
    promise: PromisedShare | None
    kept: bool | None

    @property
    def rate(self) -> float:
        """Hits over trials."""
        return self.hits / self.trials


@dataclass(frozen=True)
class Computed:
    """A number that follows without chance, and the number it is held against.

    Parameters
    ----------
    what
        What was computed.
    value
        The number.
    promised
        What it is held against, if anything is promised about it.
    side
        Whether it must be at most, at least, or equal to that.
    tolerance
        How far rounding may take it beyond.
    """

    what: str
    value: float
    promised: float | None = None
    side: Side | Literal["equal"] = "equal"
    tolerance: float = 1e-9

    @property
    def kept(self) -> bool | None:
        """Whether the promise was kept; None where nothing is promised."""
        if self.promised is None:
            return None
        over = self.value - self.promised
        not_more, not_less = bool(over <= self.tolerance), bool(over >= -self.tolerance)
        return {"at most": not_more, "at least": not_less, "equal": not_more and not_less}[self.side]


@dataclass(frozen=True)
class Result:
    """What an experiment hands back.

    Parameters
    ----------
    promised, rows
        Promises about shares of people, and the tallies held against them.
    facts
        What is worth a sentence.
    computed
        Numbers that follow without chance.
    pictures
        Names of files, and how each is drawn as SVG.
    """

    promised: tuple[PromisedShare, ...]
    rows: tuple[SimulatedRow, ...]
    facts: tuple[str, ...] = ()
    computed: tuple[Computed, ...] = ()
    pictures: Mapping[str, Callable[[], str]] = field(default_factory=dict)


@dataclass(frozen=True)
class StatementOutcome:
    """Promised beside measured.

    Parameters
    ----------
    heading, statement
        What was run.
    settings
        The sizes.
    computed
        What follows without chance.
    facts
        What else holds of this simulation.
    confidence, method
        Of all intervals together, and how they were made.
    pictures
        Names of files, and how each is drawn as SVG.
    """

    heading: Heading
    statement: Statement
    settings: Settings
    promised: tuple[PromisedShare, ...]
    measured: tuple[MeasuredShare, ...]
    computed: tuple[Computed, ...]
    facts: tuple[str, ...]
    confidence: float
    method: str
    pictures: Mapping[str, Callable[[], str]] = field(default_factory=dict, compare=False)

    @property
    def kept(self) -> bool:
        """Whether no promise was broken."""
        measured, computed = ((row.kept for row in rows) for rows in (self.measured, self.computed))
        return False not in (*measured, *computed)

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as plain values."""
        settings = self.settings
        said = {key: getattr(self.heading, key) for key in ("id", "paper", "number", "title")}
        said |= {"assumptions": self.statement.assumptions, "says": self.statement.says}
        sizes = {**settings.values, "runs": settings.runs, "seed": settings.seed}
        return {
            "statement": said,
            "parameters": sizes,
            "promised": [asdict(promise) for promise in self.promised],
            "measured": [{**asdict(row), "rate": row.rate} for row in self.measured],
            "computed": [{**asdict(row), "kept": row.kept} for row in self.computed],
            "facts": list(self.facts),
            "errata": list(self.statement.errata),
            "confidence": self.confidence,
            "interval": self.method,
            "kept": self.kept,
        }
