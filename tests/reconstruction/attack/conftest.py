"""Views and attacks on them, linear systems by hand, and the rule by which a mean is accepted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from dalenius.knowledge.view import Knowledge, View
from dalenius.matrices.operators import SparseRows
from dalenius.people.schema import Roster
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.attack.linalg.programs import Repeated
from dalenius.reconstruction.attack.search.settle import settle
from dalenius.reconstruction.attack.system.build import Problem
from dalenius.reconstruction.attack.system.system import LinearSystem
from dalenius.release.release import Release
from dalenius.statistics.tables import tables_of
from helpers.rosters import coded


def make_system(
    A: Any,
    centre: Any,
    *,
    low: Any = None,
    high: Any = None,
    sd: float = 0.0,
    shape: str = "none",
    prior: float = 0.5,
    sizes: Any = None,
) -> LinearSystem:
    """A linear system by hand; rows without noise hold exactly unless an interval is given."""
    A = np.asarray(A, np.float64)
    m, n = A.shape
    centre = np.asarray(centre, np.float64)
    noisy = sd != 0
    low = (np.full(m, -np.inf) if noisy else centre) if low is None else np.asarray(low, np.float64)
    high = (np.full(m, np.inf) if noisy else centre) if high is None else np.asarray(high, np.float64)
    sizes = np.ones(n, np.int64) if sizes is None else np.asarray(sizes, np.int64)
    operator = SparseRows(sparse.csr_array(A))
    sds, priors = np.full(m, sd), np.full(n, prior)
    return LinearSystem(
        operator, centre, low, high, sds, shape, sizes, np.zeros_like(sizes), sizes.copy(), priors,
        np.ones(m, np.bool_),
    )  # fmt: skip


def acceptable(own: Sequence[float], mean: float, sd: float, runs: int) -> bool:
    """Whether the mean of own runs agrees with a mean of ``runs`` runs whose standard deviation is known."""
    allowed = 4 * sd / len(own) ** 0.5 + 2 * sd / runs**0.5 + 0.005
    return abs(float(np.mean(own)) - mean) <= allowed


FIVE = ("a", "b", "c", "d", "e")


def certain_people(problem: Problem, systems: Sequence[LinearSystem]) -> NDArray[np.bool_]:
    """Who has one value in all that these systems allow."""
    sizes = problem.systems[0].sizes
    least = np.stack([system.least for system in systems])
    most = np.stack([system.most for system in systems])
    certain = (least == sizes).any(axis=0)
    return (certain | (most[0] == 0) if len(systems) == 1 else certain)[problem.group]


def attacked(seen: View) -> Guesses:
    """What the attack makes of what is seen, always with the same seed."""
    return reconstruct(seen, rng=np.random.default_rng(1))


@pytest.fixture(scope="session")
def people() -> Callable[..., Roster]:
    """People by their codes: attacks read rosters, not the files that the rest of the family opens."""
    return coded


@pytest.fixture(scope="session")
def view(release: Callable[..., Release]) -> Callable[..., View]:
    """The release and the people; a prior may be one number, the same for all."""

    def make(*args: Any, prior: Any = None, **options: Any) -> View:
        roster = args[1]
        if isinstance(prior, float):
            prior = np.tile([1 - prior, prior], (len(roster), 1))
        return View(release(*args, **options), Knowledge(roster, prior))

    return make


@pytest.fixture(scope="session")
def attack(view: Callable[..., View]) -> Callable[..., Guesses]:
    """Publish and attack."""

    def make(*args: Any, decoder: str = "auto", **options: Any) -> Guesses:
        return reconstruct(view(*args, **options), decoder=decoder, rng=np.random.default_rng(99))

    return make


@pytest.fixture(scope="session")
def rounded(people: Callable[..., Roster], view: Callable[..., View]) -> Callable[..., Any]:
    """All two-column tables of made people, rounded to base 5; and their secrets."""

    def make(
        n: int,
        values: int,
        seed: int = 1,
        levels: Sequence[int] = (2, 3, 4, 5, 7, 2, 3, 9),
        mechanism: str = "rounding:base=5",
    ) -> tuple[View, NDArray[np.int64]]:
        rng = np.random.default_rng(seed)
        common = rng.standard_normal((n, 2))
        codes = []
        for size in levels:
            score = common @ rng.standard_normal(2) + rng.standard_normal(n)
            codes.append(np.searchsorted(np.quantile(score, np.arange(1, size) / size), score))
        roster = people(np.stack(codes, axis=1))
        chances = common @ rng.standard_normal((2, values)) - 0.4 * np.arange(values)
        secrets = (chances + rng.gumbel(size=chances.shape)).argmax(axis=1)
        named = ("no", "yes") if values == 2 else FIVE[:values]
        tables = [tables_of(roster.attributes.columns, 2)]
        return view(tables, roster, secrets, mechanism, levels=named, seed=seed), secrets

    return make


@pytest.fixture(scope="session")
def linear() -> Callable[..., LinearSystem]:
    return make_system


@pytest.fixture(scope="session")
def searched() -> Callable[[LinearSystem], LinearSystem]:
    """What all rows of a system together say about each sum, in whole numbers."""

    def search(system: LinearSystem) -> LinearSystem:
        everybody = np.arange(system.unknowns)
        return settle(Problem(("no", "yes"), (system,), everybody, (system.A.shape[0],)), 30.0).systems[0]

    return search


@pytest.fixture(scope="session")
def program_ends() -> Callable[[LinearSystem], tuple[list[float], list[float]]]:
    """The smallest and largest value of every unknown by linear programs, fractions allowed."""

    def solve(system: LinearSystem) -> tuple[list[float], list[float]]:
        rows = sparse.csr_array(system.A.explicit())
        program = Repeated(rows, system.low, system.high, system.least, system.most)
        unit = np.eye(system.unknowns)
        return [program.minimise(e)[0] for e in unit], [-program.minimise(-e)[0] for e in unit]

    return solve


@pytest.fixture(scope="session")
def accept() -> Callable[..., bool]:
    return acceptable
