"""The shapes of an experiment: what was promised, what was measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from dalenius.findings.interval import share_confidence
from dalenius.referee.score import Tally
from dalenius.theorems.interval import over_runs
from dalenius.theorems.settings import Parameter, Settings
from dalenius.theory.statements.statement import Statement

CONFIDENCE = 0.95
"""Of all intervals of one outcome together."""

SURE = 0.9999
"""Of the wider intervals, together, by which a promise on average is called broken: a theorem is not
refuted by one run in forty.
"""

Side = Literal["at most", "at least"]
Holds = Literal["in every run", "on average"]
Counts = Literal[
    "wrong", "right", "accused", "moved too far", "moved all the way", "with enough accused", "that isolate"
]
"""What is counted: people, or for the last two the runs in which enough are accused or one is isolated.

Moved are beliefs about people, too far beyond what is promised or all the way to it.
"""


@dataclass(frozen=True)
class Promised:
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
class Row:
    """Tallies of one simulation, one a run, and the promise they are held against.

    Parameters
    ----------
    what
        What was simulated.
    tallies
        People guessed wrong (or right) of all, one a run.
    promise
        What they are held against, if anything is promised about them.
    drawn
        Whether runs differ by chance; a single computed release has no interval.
    """

    what: str
    tallies: tuple[Tally, ...]
    promise: Promised | None = None
    counts: Counts = "wrong"
    drawn: bool = True


@dataclass(frozen=True)
class Measured:
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
    promise: Promised | None
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

    promised: tuple[Promised, ...]
    rows: tuple[Row, ...]
    facts: tuple[str, ...] = ()
    computed: tuple[Computed, ...] = ()
    pictures: Mapping[str, Callable[[], str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Experiment:
    """A statement that can be run; adding one is writing a function and one of these.

    Parameters
    ----------
    id
        The statement's id in the catalogue of the theory.
    parameters
        What can be set besides runs and seed.
    run
        The simulation.
    runs
        How often it is repeated when nobody says.
    errata
        Where our statement differs from the print.
    """

    id: str
    parameters: tuple[Parameter, ...]
    run: Callable[[Settings], Result]
    runs: int
    errata: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """Promised beside measured.

    Parameters
    ----------
    statement
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

    statement: Statement
    settings: Settings
    promised: tuple[Promised, ...]
    measured: tuple[Measured, ...]
    computed: tuple[Computed, ...]
    facts: tuple[str, ...]
    errata: tuple[str, ...]
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
        sizes = {**settings.values, "runs": settings.runs, "seed": settings.seed}
        return {
            "statement": asdict(self.statement),
            "parameters": sizes,
            "promised": [asdict(promise) for promise in self.promised],
            "measured": [{**asdict(row), "rate": row.rate} for row in self.measured],
            "computed": [{**asdict(row), "kept": row.kept} for row in self.computed],
            "facts": list(self.facts),
            "errata": list(self.errata),
            "confidence": self.confidence,
            "interval": self.method,
            "kept": self.kept,
        }


def measure(rows: tuple[Row, ...]) -> tuple[Measured, ...]:
    """Turn tallies into shares with intervals that hold together.

    Examples
    --------
    >>> promise = Promised("any guess", 0.2)
    >>> row, = measure((Row("random errors", (Tally(1, 10), Tally(3, 10)), promise),))
    >>> row.hits, row.trials, row.most, row.kept
    (4, 20, 0.3, False)
    """
    return tuple(_measure(row, len(rows)) for row in rows)


def _measure(row: Row, looks: int) -> Measured:
    hits, trials = sum(t.hits for t in row.tallies), sum(t.trials for t in row.tallies)
    low, high = _ends(row, share_confidence(CONFIDENCE, looks))
    rates = [tally.rate for tally in row.tallies]
    promise = row.promise
    upper = promise is None or promise.side == "at most"
    most = max(rates) if upper else min(rates)
    sure = _ends(row, share_confidence(SURE, looks))
    kept = None if promise is None else _kept(promise, most, *sure)
    return Measured(row.what, row.counts, hits, trials, low, high, most, promise, kept)


def _ends(row: Row, confidence: float) -> tuple[float, float]:
    if not row.drawn:
        (tally,) = row.tallies
        return tally.rate, tally.rate
    interval = over_runs(row.tallies, confidence)
    return interval.low, interval.high


def _kept(promise: Promised, most: float, low: float, high: float) -> bool:
    """On average: broken only if the interval lies beyond; in every run: by the worst run."""
    least, largest = (low, high) if promise.holds == "on average" else (most, most)
    slack = 1e-12
    return least <= promise.value + slack if promise.side == "at most" else largest >= promise.value - slack
