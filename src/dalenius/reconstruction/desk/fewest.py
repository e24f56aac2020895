"""How few questions give the secrets of a planned desk away: desks are opened, asked and judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from dalenius.errors import InputError
from dalenius.knowledge.view import Knowledge
from dalenius.people.dataset import Dataset
from dalenius.progress import Progress, silent
from dalenius.random import attack_stream, stream
from dalenius.reconstruction.attack.interactive import attack_desk
from dalenius.reconstruction.referee.court import Court
from dalenius.reconstruction.referee.judge import Judgement
from dalenius.release.desk.open_desk import PlannedDesk
from dalenius.release.desk.terms import Budget
from dalenius.release.publish import roster_of
from dalenius.shown import several

FIRST = 8
"""Questions that the search starts from."""

CLOSE = 1.05
"""The search stops when failure and success are this near: noise hides finer differences."""


@dataclass(frozen=True)
class DeskTrial:
    """Some desks asked as many questions, and how many of the guesses were right.

    Parameters
    ----------
    queries
        Questions asked at each desk.
    hits, trials
        Right guesses and guesses, of all desks together.
    """

    queries: int
    hits: int
    trials: int

    @property
    def accuracy(self) -> float:
        """The share of right guesses."""
        return self.hits / self.trials


@dataclass(frozen=True)
class Fewest:
    """The fewest questions after which an attack is right often enough.

    Parameters
    ----------
    queries
        The number, or None if even the most that were tried do not suffice.
    accuracy
        What was asked for.
    baseline
        The share of people that the commonest secret is right about, without any question.
    trials
        Everything that was tried, in order.
    """

    queries: int | None
    accuracy: float
    baseline: float
    trials: tuple[DeskTrial, ...]


def fewest_queries(
    dataset: Dataset,
    desk: PlannedDesk | str,
    *,
    accuracy: float = 0.9,
    most: int = 1 << 14,
    runs: int = 3,
    seed: int = 1,
    progress: Progress = silent,
) -> Fewest:
    """Find how many questions at a desk give the secrets away.

    The number is doubled until the attack succeeds, then the gap to the last failure is halved. All desks of
    one run draw the same noise for the same questions, so that asking more never starts afresh. Noise given
    by its promise, such as ``gaussian:rho=0.1``, grows with the number of questions: then usually none
    suffices.

    Parameters
    ----------
    dataset
        The people; it must stay open.
    desk
        The desk, or only its mechanism; its budget is the number that is tried.
    accuracy
        The share of people whose secret must be guessed.
    most
        Questions to try at most.
    runs
        Desks opened for each number; the mean of their accuracies counts.
    seed
        The same seed gives the same answer.
    progress
        Told how many questions are being tried.

    Raises
    ------
    InputError
        If the commonest secret is right about that share of the people already.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from dalenius.people.dataset import read
    >>> table = pa.table({"age": range(20, 40), "ill": ["no", "yes", "yes", "no"] * 5})
    >>> with read(table, secret="ill") as people:
    ...     found = fewest_queries(people, "exact", accuracy=1.0, runs=1)
    >>> found.queries <= 20, found.baseline
    (True, 0.5)
    """
    roster = roster_of(dataset)
    court = Court(dataset, roster, None, rng=stream(seed, "folds"))

    planned = PlannedDesk(desk) if isinstance(desk, str) else desk

    def judged(queries: int, run: int) -> Judgement:
        limited = replace(planned, budget=Budget(queries=queries))
        opened = limited.open(dataset, rng=stream(seed, "noise", run))
        rng = attack_stream("desk", run)
        claims = attack_desk(opened, opened.terms, Knowledge(roster), queries=queries, rng=rng)
        return court.judge(claims, None)

    def tried(queries: int) -> DeskTrial:
        progress(0.0, f"asking {several(queries, 'question')}")
        tallies = [judged(queries, run).attack for run in range(runs)]
        return DeskTrial(queries, sum(t.hits for t in tallies), sum(t.trials for t in tallies))

    _check(most, runs)
    guess = judged(min(FIRST, most), 0).against_majority.baseline
    baseline = guess.hits / guess.trials
    _check_accuracy(accuracy, baseline)
    queries, trials = _search(tried, accuracy, most)
    return Fewest(queries, accuracy, baseline, trials)


def _check(most: int, runs: int) -> None:
    if most < 1 or runs < 1:
        raise InputError("most and runs", "must be at least 1", f"{most} and {runs}")


def _check_accuracy(accuracy: float, baseline: float) -> None:
    if not baseline < accuracy <= 1:
        raise InputError(
            "accuracy",
            "must be above what guessing the commonest secret reaches, and at most 1",
            f"{accuracy:g}, and without any question {baseline:.3f}",
        )


def _search(
    tried: Callable[[int], DeskTrial], accuracy: float, most: int
) -> tuple[int | None, tuple[DeskTrial, ...]]:
    """Double up to a success, then halve the gap to the last failure."""
    trials = [tried(min(FIRST, most))]
    while trials[-1].accuracy < accuracy:
        if trials[-1].queries == most:
            return None, tuple(trials)
        trials.append(tried(min(2 * trials[-1].queries, most)))
    high = trials[-1].queries
    low = trials[-2].queries if len(trials) > 1 else 0
    while high - low > 1 and high > CLOSE * low:
        trials.append(tried((low + high) // 2))
        if trials[-1].accuracy >= accuracy:
            high = trials[-1].queries
        else:
            low = trials[-1].queries
    return high, tuple(trials)
