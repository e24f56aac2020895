"""Groups where all are related alike, against enumeration and the closed form."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InputError
from dalenius.inference.attack.solvers import cliques as room
from dalenius.inference.attack.solvers.cliques import are_cliques, gather, log_odds
from dalenius.knowledge.correlation.model import CorrelationModel
from dalenius.theory.inference import nu_of_clique
from helpers import brute_force as brute


def households(sizes: list[int], J: list[float], seed: int = 0) -> CorrelationModel:
    rng = np.random.default_rng(seed)
    start = np.cumsum([0, *sizes])
    pairs = [list(itertools.combinations(range(a, b), 2)) for a, b in itertools.pairwise(start)]
    edges = np.array([pair for some in pairs for pair in some], np.int64).reshape(-1, 2)
    number = rng.permutation(start[-1])
    coupling = np.repeat(J, [len(some) for some in pairs])
    return CorrelationModel("id", np.arange(start[-1]), number[edges], coupling, rng.normal(size=start[-1]))


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(3, 6), st.floats(-1, 1).filter(bool)), min_size=1, max_size=3))
def test_households_are_enumeration(groups: list[tuple[int, float]]) -> None:
    model = households([size for size, _ in groups], [J for _, J in groups])
    assert are_cliques(model).all()
    u = log_odds(gather(model), model.field)
    assert u == pytest.approx(brute.log_odds(model, model.field), abs=1e-10)


@pytest.mark.parametrize(("J", "nu"), [(0.03, 0.447070442536), (0.05, 1.790231605436)])
def test_golden_thirty(J: float, nu: float) -> None:
    model = households([30], [J])
    assert log_odds(gather(model), np.full(30, 0.05)) == pytest.approx([nu] * 30, abs=1e-9)


def test_the_closed_form_with_a_field() -> None:
    model = households([4], [0.3])
    cliques = gather(model)
    nu = log_odds(cliques, np.full(4, 0.3)) - log_odds(cliques, np.full(4, 0.2))
    down = log_odds(cliques, np.full(4, 0.2)) - log_odds(cliques, np.full(4, 0.1))
    assert np.maximum(nu, down) == pytest.approx([nu_of_clique(4, 0.3, 0.2, 0.2)] * 4, abs=1e-12)


def test_batches_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    model = households([3] * 50 + [5] * 20, [0.4] * 70)
    whole = log_odds(gather(model), model.field)
    monkeypatch.setattr(room, "ROOM", 30)
    assert (log_odds(gather(model), model.field) == whole).all()


def test_who_is_in_no_clique() -> None:
    edges = np.array(
        [[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3], [6, 7], [8, 9], [9, 10], [10, 11], [11, 8]]
    )
    J = np.array([0.3, 0.3, 0.3, 0.3, 0.3, 0.2, 0.3, 0.3, 0.3, 0.3, 0.3])
    model = CorrelationModel("id", np.arange(13), edges, J, np.zeros(13))
    assert np.flatnonzero(are_cliques(model)).tolist() == [0, 1, 2]


def test_one_field_a_person() -> None:
    with pytest.raises(InputError, match="must be 3"):
        log_odds(gather(households([3], [0.2])), np.zeros(4))
