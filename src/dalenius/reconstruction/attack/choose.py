"""Before an attack: which decoder for which system, what it will take, and what to expect of it.

What to expect of a release with far fewer numbers than people, said before it is attacked.

Two statements, both from sizes alone. A linear rule sees of everybody, on average, the share of independent
equations among the people. And no rule at all gets more than the numbers can carry: a count is no more than
so many bits (Cover and Thomas 2006, Theorem 8.6.5), and guesses that are right more often than bits allow do
not exist (Fano's inequality, summed over people).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import entr

from dalenius.errors import InputError, TooLargeError, nearest
from dalenius.knowledge.view import View
from dalenius.matrices.answers import Vector
from dalenius.matrices.operators import Operator, Stacked
from dalenius.reconstruction.attack.cost import ComputeBudget, Cost, predict_all, say_bytes, say_seconds
from dalenius.reconstruction.attack.system.build import Problem, build
from dalenius.reconstruction.attack.system.system import Decoding, LinearSystem, log2_vectors
from dalenius.registry import Registry
from dalenius.statistics.statistic import Counting

DECODERS = Registry[Callable[..., Decoding]](
    __package__,
    {
        "exhaustive": "decoders.exhaustive:decode",
        "hadamard": "decoders.hadamard:decode",
        "least-squares": "decoders.least_squares:decode",
        "box": "decoders.box:decode",
        "lp": "decoders.lp:decode",
        "posterior": "decoders.posterior:decode",
    },
)

TOGETHER = Registry[Callable[..., tuple[list[Vector], tuple[str, ...]]]](
    __package__, {"posterior": "decoders.posterior_together:decode_together"}
)
"""Decoders that take all values of a secret together."""

APPLIES = Registry[Callable[[LinearSystem], bool]](
    __package__, {"hadamard": "decoders.hadamard:applies", "posterior": "decoders.posterior:applies"}
)
"""Decoders that do not apply to every system, and when they do."""

QUICK_LOG2 = 18.0
"""Secret vectors that are tried without being asked, as a power of two: a second or two."""

QUICK_HADAMARD = 2_000
"""People up to which the intervals of rounded Hadamard answers are used, and not only their middles."""


@dataclass(frozen=True)
class Choice:
    """A decoder, why it was taken, and what it is predicted to take.

    Parameters
    ----------
    name, why
        The decoder and the reason in words.
    cost
        Predicted seconds, bytes and products.
    passed
        Better decoders that did not fit, each with what it would have taken.
    """

    name: str
    why: str
    cost: Cost
    passed: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """Say it in words, before it is done."""
        over = f"; passed over: {', '.join(self.passed)}" if self.passed else ""
        return f"{self.name}: {self.why}; predicted {self.cost}{over}"


def check_decoder(name: str) -> str:
    """Refuse an unknown decoder, naming the nearest known one."""
    known = [*DECODERS, "auto"]
    if name not in known:
        raise InputError(f"decoder {name!r}", "must be a known one", name, nearest(name, known))
    return name


def choose(systems: Sequence[LinearSystem], budget: ComputeBudget) -> Choice:
    """Take the best decoder that is predicted to fit the budget, for the systems of all values together.

    Raises
    ------
    TooLargeError
        If none does.
    """
    passed: list[str] = []
    tried: dict[str, Cost] = {}
    for name, why in _best_for_all(systems):
        cost = tried[name] = predict_all(name, systems)
        over = budget.misses(cost)
        if over is None:
            return Choice(name, _of_values(why, systems), cost, tuple(passed))
        passed.append(f"{name} ({over})")
    name = min(tried, key=lambda one: tried[one].seconds)
    raise TooLargeError(
        "attack",
        f"must be predicted to take at most {say_seconds(budget.seconds)} and {say_bytes(budget.bytes)}",
        f"{tried[name]} for the cheapest decoder, {name}",
        f"Ask for it by name (decoder {name}), allow more, or attack fewer tables or people.",
    )


def asked_for(name: str, systems: Sequence[LinearSystem]) -> Choice:
    """A decoder that a person named: whatever it takes, it is said."""
    return Choice(name, _of_values("asked for", systems), predict_all(name, systems))


def _of_values(why: str, systems: Sequence[LinearSystem]) -> str:
    return why if len(systems) == 1 else f"{why}, for each of {len(systems)} values"


def _best_for_all(systems: Sequence[LinearSystem]) -> list[tuple[str, str]]:
    """The decoders that apply to every system, in the order of the largest one.

    Values of a secret hang together, and trying every vector of one of them forgets the others.
    """
    largest = max(systems, key=lambda system: system.unknowns)
    for_all = set.intersection(*({name for name, _ in _best_first(system)} for system in systems))
    if len(systems) > 1:
        for_all.discard("exhaustive")
    return [(name, why) for name, why in _best_first(largest) if name in for_all]


def _best_first(system: LinearSystem) -> Iterator[tuple[str, str]]:
    """The decoders that apply to a system, the best first, each with the reason for it."""
    n, m = system.unknowns, system.A.shape[0]
    if APPLIES["hadamard"](system) and (n > QUICK_HADAMARD or not system.sharp):
        yield "hadamard", "the queries are the rows of a Hadamard matrix: one fast transform"
    if log2_vectors(system) <= QUICK_LOG2 and system.shape in {"none", "gaussian"}:
        yield "exhaustive", f"{n} open unknowns: every secret vector can be tried"
    if APPLIES["posterior"](system):
        yield "posterior", f"{n:,} open unknowns: each one's probability can be computed"
    yield "box", f"{n:,} open unknowns, possible secrets only"
    yield "least-squares", f"{m:,} x {n:,} answers and unknowns: the matrix is never written out"


FAR_FEWER = 0.5
"""Numbers a person below which they are called far fewer."""

MANY = 1_000
"""People from which on averages over them say something; with fewer, attacking takes no longer than this."""

COPIES = 60
"""Numbers a person that solvers keep: iterates, bounds, groups, claims; measured, in bytes 8 each."""


@dataclass(frozen=True)
class Forecast:
    """What can be expected of a release with few numbers.

    Parameters
    ----------
    people, numbers, independent
        Sizes; how many equations can be independent at the most.
    guessing
        Share right without the release: by the prior, or by the commonest value as the counts have it.
    expected
        Share right to expect of a linear rule; ``None`` for a secret of more than two values, about which
        there is no such rule.
    at_most
        Share right that no rule exceeds on average, if secrets are independent of each other and as likely
        as the prior has it.
    gigabytes
        Memory that the attack needs, about.
    """

    people: int
    numbers: int
    independent: int
    guessing: float
    expected: float | None
    at_most: float
    gigabytes: float

    @property
    def sentence(self) -> str:
        """Say it in words."""
        expect = "" if self.expected is None else f"the attack is expected to get about {self.expected:.1%}, "
        return (
            f"There are at most {self.independent:,} independent numbers about {self.people:,} people: most "
            "secrets stay hidden, but perhaps those of people in small cells, or between tables that differ "
            f"by a few. Guessing without the release gets about {self.guessing:.1%} right, {expect}and on "
            f"average none gets more than {self.at_most:.1%}. Memory about {self.gigabytes:.1f} GB."
        )


def forecast(view: View) -> Forecast | None:
    """Say what an attack will find, where many people stand in far fewer counts; else ``None``.

    Nothing is solved, and nothing with one row per number and one column per person is written out.

    Examples
    --------
    >>> from dalenius.knowledge.view import Knowledge
    >>> from dalenius.people.schema import CodedColumns
    >>> from dalenius.people.schema import Roster
    >>> from dalenius.people.schema import Column, Kind, Role
    >>> from dalenius.release.release import Block, Release
    >>> from dalenius.statistics.tables import tables_of
    >>> sex = Column("sex", Role.PUBLIC, Kind.BINARY, ("f", "m"))
    >>> codes = np.arange(1000, dtype=np.int32)[:, None] % 2
    >>> people = Roster("id", np.arange(1000).astype(np.str_), CodedColumns((sex,), codes))
    >>> block = Block(tables_of([sex], 1), ("no", "yes"), np.array([[300.0, 200], [300, 200]]))
    >>> release = Release("r", Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes")), (block,), "exact")
    >>> found = forecast(View(release, Knowledge(people)))
    >>> found.independent, round(found.guessing, 2), round(found.at_most, 2)
    (2, 0.6, 0.62)
    """
    people = len(view.knowledge.roster)
    numbers = sum(block.statistic.rows for block in view.release.blocks)
    counted = all(isinstance(block.statistic, Counting) for block in view.release.blocks)
    if people < MANY or numbers >= FAR_FEWER * people or not counted:
        return None
    # for a release that says little of many people only
    from dalenius.reconstruction.attack.system.rank_bound import rank_at_most
    from dalenius.theory.reconstruction.least_squares import lmmse_accuracy

    problem = build(view)
    independent = min(rank_at_most(view.release), numbers, problem.systems[0].unknowns)
    prior = view.knowledge.prior
    usual = _rates(problem)[None, :] if prior is None else prior
    learnt = _nats(problem, independent) / people
    at_most = _most_right(float(entr(usual).sum(axis=1).mean()), learnt, usual.shape[1])
    expected = None
    if usual.shape[1] == 2:
        left = 1 - independent / people
        expected = min(lmmse_accuracy(left * usual[:, 1] * usual[:, 0], usual[:, 1]), at_most)
    return Forecast(
        people=people,
        numbers=numbers,
        independent=independent,
        guessing=float(usual.max(axis=1).mean()),
        expected=expected,
        at_most=at_most,
        gigabytes=_gigabytes(problem, people),
    )


def _rates(problem: Problem) -> Vector:
    """The share of each value of the secret, as the counts have it."""
    first = [float(np.average(s.prior, weights=s.sizes)) for s in problem.systems]
    rates = np.array([1 - first[0], first[0]] if len(first) == 1 else first)
    shares: Vector = rates / rates.sum()
    return shares


def _nats(problem: Problem, independent: int) -> float:
    """What the counts can carry at the most: the rest follows from as many as are independent."""
    carried = 0.0
    for system in problem.systems[: max(1, len(problem.systems) - 1)]:
        people = system.A.apply(system.sizes.astype(np.float64))
        variance = system.A.apply(system.prior * (1 - system.prior) * system.sizes)
        entropy = np.minimum(np.log(2 * np.pi * math.e * (variance + 1 / 12)) / 2, np.log1p(people))
        carried += float(np.sort(np.maximum(entropy, 0.0))[-independent:].sum())
    return carried


def _most_right(entropy: float, learnt: float, values: int) -> float:
    """Fano: being wrong at a rate ``e`` leaves at most ``h(e) + e log(values - 1)`` open about a secret."""
    open_ = max(entropy - learnt, 0.0)

    def missing(wrong: float) -> float:
        return float(entr(wrong) + entr(1 - wrong) + wrong * np.log(values - 1)) - open_

    if open_ <= 0:
        return 1.0
    from scipy.optimize import brentq

    return 1.0 - float(brentq(missing, 0.0, 1 - 1 / values))


def _gigabytes(problem: Problem, people: int) -> float:
    """The levels of everybody, unfolded and as codes, twice, and what solvers keep for each person."""
    A = problem.systems[0].A
    matrix = sum(_bytes(part) for part in (A.parts if isinstance(A, Stacked) else [A]))
    return float(2 * matrix + 8 * COPIES * people) / 1e9 + 0.3


def _bytes(A: Operator) -> int:
    from dalenius.matrices.tables import SummedRows, TableRows

    tables = A.tables if isinstance(A, SummedRows) else A
    if not isinstance(tables, TableRows):
        return 24 * A.entries
    return tables.shape[1] * int(tables.levels.sum() + 4 * tables.levels.size)
