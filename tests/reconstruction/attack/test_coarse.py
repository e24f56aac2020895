"""Numbers so coarse that they say nothing about anybody: said so, and nothing guessed."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_info, threadpool_limits

from dalenius import accelerate
from dalenius.errors import SaysNothingError
from dalenius.knowledge.view import Knowledge, View
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.reconstruction.attack import attack as attack_module
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.release.release import Block, Release
from dalenius.statistics.estimates.regression import Regression
from dalenius.statistics.tables import tables_of

SECRET = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))
CODES = np.array([[0, 1], [0, 1], [1, 0], [1, 1], [0, 0], [0, 1], [1, 0], [0, 0]])
TRUTH = np.array([1, 0, 1, 0, 0, 1, 1, 0])


def coefficients(n: int, numbers: list[float], digits: int, prior: float = 0.5) -> View:
    """A logistic regression, published with these numbers: the intercept, and one per column."""
    X = np.random.default_rng(n).normal(size=(n, len(numbers) - 1))
    numeric = {f"x{j}": column for j, column in enumerate(X.T)}
    columns = tuple(Column(name, Role.PUBLIC, Kind.NUMERIC, ("all",)) for name in numeric)
    ids = np.arange(n).astype(np.str_)
    roster = Roster("id", ids, CodedColumns(columns, np.zeros(X.shape, np.int32)), numeric)
    block = Block(Regression(columns, tuple(numeric), "logistic"), ("estimate",), np.array(numbers)[:, None])
    release = Release("r", SECRET, (block,), f"rounding:digits={digits}")
    return View(release, Knowledge(roster, np.tile([1 - prior, prior], (n, 1))))


@pytest.mark.parametrize(
    ("n", "terms", "said"),
    [(40, 7, "every secret of these people fits all of them"), (300, 3, "stay within 2.0 points")],
)
def test_coefficients_that_were_rounded_to_nothing(n: int, terms: int, said: str) -> None:
    with pytest.raises(SaysNothingError, match=said):
        reconstruct(coefficients(n, [0.0] * terms, 0), rng=np.random.default_rng(1))


@pytest.mark.parametrize(
    ("numbers", "digits", "prior"),
    [([0.0, 2.0, 0.0], 0, 0.5), ([-2.0, 0.0, 0.0], 0, 0.5), ([0.0, 0.0, 0.0], 2, 0.5), ([0.0] * 3, 0, 0.1)],
)
def test_coefficients_that_say_something(
    numbers: list[float], digits: int, prior: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slope, a rate, narrow numbers that confirm the prior, and coarse ones that contradict it."""
    monkeypatch.setattr(attack_module, "SEARCH", 0.0)  # who is certain is not asked here
    claims = reconstruct(coefficients(60, numbers, digits, prior), rng=np.random.default_rng(1))
    assert claims.method != "prior"


@pytest.mark.parametrize("mechanism", ["rounding:base=100", "bounded:error=100"])
@pytest.mark.parametrize("decoder", ["auto", "least-squares", "posterior"])
def test_tables_in_which_every_cell_may_be_anything(mechanism, decoder, people, attack) -> None:
    roster = people(CODES)
    tables = tables_of(roster.attributes.columns, 2)
    with pytest.raises(SaysNothingError, match="every secret of these people fits"):
        attack([tables], roster, TRUTH, mechanism, decoder=decoder, prior=0.3)


@pytest.mark.parametrize("mechanism", ["rounding:base=3", "suppression:below=2", "gaussian:sigma=50"])
def test_tables_that_say_something(mechanism, people, attack) -> None:
    """Noise never excludes anything, but its size says what to expect: that is no refusal."""
    roster = people(CODES)
    claims = attack([tables_of(roster.attributes.columns, 2)], roster, TRUTH, mechanism)
    assert claims.probability.shape == (8, 2)


def test_one_number_that_says_something_is_enough(people, release) -> None:
    roster = people(CODES)
    columns = roster.attributes.columns
    coarse = release([tables_of(columns, 2)], roster, TRUTH, "rounding:base=100").blocks[0]
    total = release([tables_of(columns[:1], 1)], roster, TRUTH, "exact").blocks[0]
    blocks = (
        Block(coarse.statistic, coarse.values, coarse.answers, mechanism="rounding:base=100"),
        Block(total.statistic, total.values, total.answers, mechanism="exact"),
    )
    view = View(Release("r", SECRET, blocks, "rounding:base=100, exact"), Knowledge(roster))
    assert reconstruct(view, rng=np.random.default_rng(1)).probability[:, 1].sum() == pytest.approx(
        4, abs=0.1
    )


def test_no_thread_of_blas_spins_during_an_attack(people, view) -> None:
    roster = people(CODES)
    seen: list[set[int]] = []

    def look(share: float = 0.0, doing: str = "") -> None:
        seen.append({pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"})

    with threadpool_limits(2, user_api="blas"):
        published = view([tables_of(roster.attributes.columns, 1)], roster, TRUTH, "gaussian:sigma=1")
        reconstruct(published, rng=np.random.default_rng(1), progress=look)
        assert seen
        assert all(threads == {1} for threads in seen)
        look()
    assert seen[-1] == {2}


def test_the_libraries_of_blas_are_looked_for_once(people, view, monkeypatch: pytest.MonkeyPatch) -> None:
    """To look through all that is loaded takes a third of a small attack."""
    roster = people(CODES)
    published = view([tables_of(roster.attributes.columns, 1)], roster, TRUTH, "gaussian:sigma=1")
    looked: list[object] = []
    look = ThreadpoolController.__init__
    monkeypatch.setattr(ThreadpoolController, "__init__", lambda found: looked.append(found) or look(found))
    accelerate._controller.cache_clear()
    for _ in range(3):
        reconstruct(published, rng=np.random.default_rng(1))
    assert len(looked) == 1
