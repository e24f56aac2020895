"""What a total says about everybody in it: exact sums over all databases, sorted by how many bits are 1.

People are summed out one by one. What remains of a group is a table: for every setting of the few people
around it, the weight of each total inside it. Tables of groups that are independent given those people are
convolved. The same steps backwards hand every person the weight of everything outside them, so that one
pass up and one pass down serve all people, whatever the output was. On a forest the tables have two rows and
the whole costs about the square of the number of people; loops cost a factor of two for every person that
must be held fixed.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dalenius.errors import InputError, TooLargeError
from dalenius.inference.attack.solvers.elimination import eliminations
from dalenius.knowledge.correlation.model import CorrelationModel, Floats

Rows = NDArray[np.int64]

WIDEST = 14
"""People held fixed at once."""

MOST_TERMS = 5e8
"""Terms of one pass that take about half a minute."""

MOST_BYTES = 2e9
"""Room for the tables."""


@dataclass
class TotalsTable:
    """Weights by setting of the people in ``scope`` (first person: lowest bit) and by total."""

    scope: tuple[int, ...]
    length: int
    values: Floats = field(default_factory=lambda: np.zeros((1, 1)))

    @property
    def shape(self) -> tuple[int, int]:
        """Settings and totals."""
        return 1 << len(self.scope), self.length


@dataclass(frozen=True)
class Join:
    """Two tables become one: their totals are added."""

    left: TotalsTable
    right: TotalsTable
    out: TotalsTable
    row_left: Rows
    row_right: Rows

    @property
    def terms(self) -> float:
        """How many products are added."""
        return float(self.out.shape[0]) * self.left.length * self.right.length

    def forward(self) -> None:
        """Fill the joint table."""
        from dalenius.inference.attack.beliefs._totals_kernels import convolve

        self.out.values = np.empty(self.out.shape)
        convolve(self.left.values, self.right.values, self.row_left, self.row_right, self.out.values)

    def backward(self, outside: dict[int, Floats]) -> None:
        """Hand the weight outside to both parts."""
        from dalenius.inference.attack.beliefs._totals_kernels import correlate

        around = outside.pop(id(self.out))
        for mine, other, row, row_other in (
            (self.left, self.right, self.row_left, self.row_right),
            (self.right, self.left, self.row_right, self.row_left),
        ):
            outside[id(mine)] = np.full(mine.shape, -np.inf)
            correlate(other.values, around, row, row_other, outside[id(mine)])


@dataclass(frozen=True)
class Eliminate:
    """A person is summed out of the table of everything that hangs on them."""

    person: int
    inside: TotalsTable
    out: TotalsTable
    row: Rows
    local: Floats
    counted: int

    @property
    def terms(self) -> float:
        """How many products are added."""
        return 2.0 * self.out.shape[0] * self.inside.length

    def forward(self) -> None:
        """Fill the table without the person."""
        from dalenius.inference.attack.beliefs._totals_kernels import eliminate

        self.out.values = np.empty(self.out.shape)
        eliminate(self.inside.values, self.row, self.local, self.counted, self.out.values)

    def backward(self, outside: dict[int, Floats], bit: Floats) -> None:
        """Set the weights of the person's two values, and hand on the weight outside."""
        from dalenius.inference.attack.beliefs._totals_kernels import restore

        around = outside.pop(id(self.out))
        into = outside[id(self.inside)] = np.full(self.inside.shape, -np.inf)
        restore(self.inside.values, self.row, self.local, self.counted, around, into, bit)

    def weights(self) -> Floats:
        """Return the weight of both values for every setting of the people around, whatever the total."""
        return np.asarray(self.local + np.logaddexp.reduce(self.inside.values, axis=1)[self.row])


@dataclass(frozen=True)
class Totals:
    """A network, ready to be asked what an output says about everybody.

    Parameters
    ----------
    steps
        How people are summed out, first to last.
    whole
        The last table: the weight of every total.
    people
        How many there are.
    """

    steps: tuple[Join | Eliminate, ...]
    whole: TotalsTable
    people: int

    @property
    def law(self) -> Floats:
        """Logarithm of the probability of every total, before anything is published."""
        weight = self.whole.values[0]
        return np.asarray(weight - np.logaddexp.reduce(weight))

    def log_odds(self, log_likelihood: Floats) -> Floats:
        """Return everybody's log-odds of 0 against 1, given how likely the output is for every total.

        Examples
        --------
        >>> edges, names = np.array([[0, 1]]), np.array(["a", "b"])
        >>> pair = CorrelationModel("id", names, edges, np.array([0.5]), np.zeros(2))
        >>> sums = totals(pair, np.array([True, True]))
        >>> sums.log_odds(np.array([0.0, -np.inf, -np.inf]))
        array([inf, inf])
        """
        if log_likelihood.shape != (self.whole.length,):
            raise InputError(
                "likelihood",
                f"must be one number for each total 0 to {self.whole.length - 1}",
                f"shape {log_likelihood.shape}",
            )
        outside: dict[int, Floats] = {id(self.whole): log_likelihood[None, :].astype(np.float64)}
        bits = np.zeros((self.people, 2))
        for step in reversed(self.steps):
            if isinstance(step, Eliminate):
                step.backward(outside, bits[step.person])
            else:
                step.backward(outside)
        return np.asarray(bits[:, 0] - bits[:, 1])

    def draw(self, draws: int, *, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Draw databases from the network, one per row: the last person summed out is drawn first."""
        bits = np.zeros((draws, self.people), np.bool_)
        for step in reversed(self.steps):
            if isinstance(step, Eliminate):
                none, one = step.weights()
                setting = np.zeros(draws, np.intp)
                for at, other in enumerate(step.out.scope):
                    setting |= bits[:, other].astype(np.intp) << at
                bits[:, step.person] = rng.random(draws) < expit(one - none)[setting]
        return bits


def totals(model: CorrelationModel, counted: NDArray[np.bool_]) -> Totals:
    """Sum a network out, keeping how many of the counted people have a 1.

    Raises
    ------
    TooLargeError
        If it would take too long or too much room; says how much.

    Examples
    --------
    >>> pair = CorrelationModel("id", np.array(["a", "b"]), np.array([[0, 1]]), np.array([0.5]), np.zeros(2))
    >>> np.exp(totals(pair, np.array([True, True])).law).round(6)
    array([0.365529, 0.268941, 0.365529])
    """
    people = int(counted.sum())
    if least_terms(people) > MOST_TERMS:
        raise _too_large(f"at least {least_terms(people):.1e} terms", people)
    sums = _plan(model, counted)
    terms = sum(step.terms for step in sums.steps)
    room = 8.0 * sum(step.out.shape[0] * step.out.length for step in sums.steps)
    if terms > MOST_TERMS or room > MOST_BYTES:
        raise _too_large(f"{terms:.1e} terms and {room / 1e9:.2g} GB", people)
    for step in sums.steps:
        step.forward()
    return sums


def least_terms(counted: int) -> float:
    """Return how many terms any network takes with so many people counted, known before looking at it.

    Any two of them are in one table for the first time in one step, which multiplies their totals: a table
    of c people has c + 1 totals, so joining two takes at least c times c' terms, one for every pair.

    Examples
    --------
    >>> least_terms(1_000_000)
    499999500000.0
    """
    return counted * (counted - 1) / 2


def _too_large(got: str, people: int) -> TooLargeError:
    return TooLargeError(
        "noisy sum",
        f"must take at most {MOST_TERMS:.0e} terms and {MOST_BYTES / 1e9:g} GB for exact beliefs",
        f"{got} for {people:,} people counted",
        "Ask about one group at a time, or bound it: nu holds for everybody.",
    )


def _plan(model: CorrelationModel, counted: NDArray[np.bool_]) -> Totals:
    order = tuple(_elimination(model))
    number = np.empty(len(model), np.int64)
    number[[person for person, _ in order]] = np.arange(len(model))
    links = _links(model)
    waiting: list[list[TotalsTable]] = [[] for _ in order]
    steps: list[Join | Eliminate] = []
    alone: list[TotalsTable] = []
    for person, around in order:
        inside = _join(waiting[person], steps)
        step = _eliminate(person, around, inside, links[person], model.field[person], int(counted[person]))
        steps.append(step)
        home = waiting[min(around, key=number.__getitem__)] if around else alone
        home.append(step.out)
    whole = _join(alone, steps)
    return Totals(tuple(steps), whole, len(model))


def _elimination(model: CorrelationModel) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Give people in the order in which they are summed out, with those they are then joined to."""
    for group in eliminations(model, WIDEST):
        if group.width > WIDEST:
            raise TooLargeError(
                "network",
                f"must come apart when {WIDEST} people are held fixed",
                f"a width of {group.width}" + ("" if group.exact else " or more"),
                "Use the bounds: they hold for any network.",
            )
        yield from zip(group.order, map(tuple, group.together), strict=True)


def _links(model: CorrelationModel) -> list[dict[int, float]]:
    links: list[dict[int, float]] = [{} for _ in range(len(model))]
    for (a, b), J in zip(model.edges.tolist(), model.coupling.tolist(), strict=True):
        links[a][b] = links[b][a] = J
    return links


def _eliminate(
    person: int, around: tuple[int, ...], inside: TotalsTable, links: dict[int, float], h: float, counted: int
) -> Eliminate:
    spin, setting = np.array([1.0, -1.0])[:, None], np.arange(1 << len(around))
    local = np.repeat(h * spin, setting.size, axis=1)
    for at, other in enumerate(around):
        J = links.get(other, 0.0)
        if J != 0:
            differ = (spin < 0) != ((setting >> at & 1) == 1)[None, :]
            local[differ if J > 0 else ~differ] -= 2 * abs(J)  # relative to the likelier of the two
    row = _rows((person, *around), inside.scope).reshape(setting.size, 2).T
    return Eliminate(person, inside, TotalsTable(around, inside.length + counted), row.copy(), local, counted)


def _join(tables: list[TotalsTable], steps: list[Join | Eliminate]) -> TotalsTable:
    """Join the two shortest until one is left."""
    if not tables:
        return TotalsTable((), 1)
    tick = count()
    heap = [(table.length, next(tick), table) for table in tables]
    heapq.heapify(heap)
    while len(heap) > 1:
        left, right = heapq.heappop(heap)[2], heapq.heappop(heap)[2]
        scope = tuple(sorted({*left.scope, *right.scope}))
        out = TotalsTable(scope, left.length + right.length - 1)
        steps.append(Join(left, right, out, _rows(scope, left.scope), _rows(scope, right.scope)))
        heapq.heappush(heap, (out.length, next(tick), out))
    return heap[0][2]


def _rows(scope: tuple[int, ...], part: tuple[int, ...]) -> Rows:
    """For every setting of ``scope``, the setting of the people in ``part``."""
    return _places(tuple(scope.index(person) for person in part), len(scope))


@lru_cache(maxsize=1000)
def _places(places: tuple[int, ...], size: int) -> Rows:
    setting = np.arange(1 << size)
    rows = np.zeros_like(setting)
    for at, place in enumerate(places):
        rows |= (setting >> place & 1) << at
    return rows
