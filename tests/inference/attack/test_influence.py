from __future__ import annotations

import itertools
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from dalenius.errors import InputError
from dalenius.inference.attack.affiliation import exact_nu
from dalenius.inference.attack.bounds import influence
from dalenius.inference.attack.bounds.influence import (
    NAMES,
    Bounds,
    bounds,
    network_influences,
    table_influences,
)
from dalenius.inference.attack.bounds.spectral import Influences, radius, resolvent
from dalenius.inference.attack.solvers.forest import odds_shift, plant
from dalenius.inference.attack.worst_mechanism import worst_case
from dalenius.knowledge.correlation.joint import JointPrior, from_model
from dalenius.knowledge.correlation.model import CorrelationModel
from helpers.networks import network

CHAIN_B_BIN = [0.317073170732, 0.444189237271, 0.317073170732]


def table(mass: np.ndarray) -> JointPrior:
    mass = np.asarray(mass, float)
    levels = tuple(tuple(str(v) for v in range(q)) for q in mass.shape)
    return JointPrior(tuple(f"p{i}" for i in range(mass.ndim)), levels, mass / mass.sum())


def chain() -> CorrelationModel:
    return network([(0, 1), (1, 2)], [0.3, 0.3], [0.0] * 3)


def value(found: Bounds, name: str) -> np.ndarray:
    row = found.values[name]
    assert row is not None
    return row


def test_golden_chain() -> None:
    gamma, gtilde = (matrix.toarray() for matrix in network_influences(chain()))
    assert gamma[0, 1] == pytest.approx(0.3, abs=1e-12)
    assert [gamma[1, 0], gamma[1, 2]] == pytest.approx([0.385067643389] * 2, abs=1e-12)
    assert gtilde[0, 1] == gtilde[1, 0] == 0.3
    found = bounds(chain(), 0.2)
    assert value(found, "B-bin") == pytest.approx(CHAIN_B_BIN, abs=1e-9)
    assert value(found, "A-bin")[:2] == pytest.approx([0.338119275579, 0.460397585263], abs=1e-9)
    assert value(found, "paper")[:2] == pytest.approx([0.676238551158, 0.920795170526], abs=1e-9)
    assert value(found, "B") == pytest.approx(np.array(CHAIN_B_BIN) + 0.2, abs=1e-9)
    assert value(found, "group") == pytest.approx([0.6] * 3)
    assert found.best_name.tolist() == ["B-bin"] * 3


def test_golden_chain_notices_gamma_in_the_place_of_gtilde(monkeypatch: pytest.MonkeyPatch) -> None:
    def confused(model: CorrelationModel) -> tuple[csr_array, csr_array]:
        gamma, _ = network_influences(model)
        return gamma, gamma

    monkeypatch.setattr(influence, "network_influences", confused)
    assert value(bounds(chain(), 0.2), "B-bin") != pytest.approx(CHAIN_B_BIN, abs=1e-3)


def test_golden_table() -> None:
    joint = table(np.array([0.20, 0.10, 0.08, 0.12, 0.06, 0.14, 0.10, 0.20]).reshape(2, 2, 2))
    gamma, gtilde = table_influences(joint)
    assert gamma[0, 1] == pytest.approx(0.439275201946, abs=1e-9)
    assert gtilde[0, 1] == pytest.approx(0.356779088910, abs=1e-9)
    assert np.linalg.norm(gamma, 2) == pytest.approx(0.778259455319, abs=1e-9)
    found = bounds(joint, 0.1)
    assert found.radius_gamma is not None
    assert found.radius_gtilde is not None
    assert found.radius_gamma.overall == pytest.approx([0.771198932838] * 2, abs=1e-9)
    assert found.radius_gtilde.overall == pytest.approx([0.679755867683] * 2, abs=1e-9)
    b_bin = [0.375161816755, 0.327299767248, 0.318668098091]
    assert value(found, "B-bin") == pytest.approx(b_bin, abs=1e-9)
    assert found.best == pytest.approx([0.3] * 3), "the group bound is the smallest here"
    assert found.best_name.tolist() == ["group"] * 3


def test_golden_three_values() -> None:
    joint = table(np.exp(0.6 * np.eye(3)))
    for matrix in table_influences(joint):
        assert matrix[0, 1] == pytest.approx(0.3, abs=1e-12)
    found = bounds(joint, 0.5)
    assert value(found, "A") == pytest.approx([1.214285714286] * 2, abs=1e-9)
    assert value(found, "paper") == pytest.approx([1.428571428571] * 2, abs=1e-9)
    assert found.values["A-bin"] is None
    assert found.values["B-bin"] is None


def test_golden_tree_where_the_norm_is_above_one_and_the_radius_below() -> None:
    n = 1 + 6 + 36 + 216
    tree = network([((i - 1) // 6, i) for i in range(1, n)], [np.arctanh(0.9 / 6)] * (n - 1), [0.0] * n)
    found = bounds(tree, 0.01)
    ratio = {name: value(found, name)[1] / 0.01 for name in NAMES}
    assert ratio["B-bin"] == pytest.approx(6.977, abs=1e-3)
    assert ratio["A-bin"] == pytest.approx(74.6, abs=0.05)
    assert ratio["paper"] == pytest.approx(149.2, abs=0.05)
    forest = plant(tree)
    assert forest is not None
    assert odds_shift(forest, tree.field, np.full(n, 0.01))[1] / 0.01 == pytest.approx(3.165, abs=1e-3)
    assert found.radius_gamma is not None
    assert found.radius_gamma.overall == pytest.approx([0.9626] * 2, abs=1e-4)
    assert np.linalg.norm(network_influences(tree)[0].toarray(), 2) == pytest.approx(1.0154, abs=1e-4)


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_a_network_and_its_table_have_the_same_influences(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    pairs = [pair for pair in itertools.combinations(range(n), 2) if rng.random() < 0.6]
    model = network(pairs, list(rng.normal(0, 0.5, len(pairs)) + 0.01), list(rng.normal(0, 0.5, n)))
    for of_network, of_table in zip(
        network_influences(model), table_influences(from_model(model)), strict=True
    ):
        assert of_network.toarray() == pytest.approx(of_table, abs=1e-12)


@pytest.mark.parametrize("J", [1e-9, 0.01, 0.3, 0.99])
@pytest.mark.parametrize("pull", [0.0, 1e-3, 0.7, 5.0, 300.0])
def test_gamma_is_rounded_up_and_no_further(J: float, pull: float) -> None:
    model = network([(0, 1)], [J], [pull, 0.0])
    computed = network_influences(model)[0].toarray()[0, 1]
    with localcontext() as context:
        context.prec = 400
        t = Decimal(pull)
        top, bottom = (2 * (t + Decimal(J))).exp(), (2 * (t - Decimal(J))).exp()
        true = ((1 + top) / (1 + bottom)).ln() / 2
        assert true <= Decimal(float(computed)) <= true * (1 + Decimal("1e-12"))


def exact_resolvent(matrix: np.ndarray, b: np.ndarray) -> list[Fraction]:
    """Solve x = G x + b in fractions."""
    n = b.size
    rows = [[Fraction(int(i == j)) - Fraction(float(matrix[i, j])) for j in range(n)] for i in range(n)]
    for i, row in enumerate(rows):
        row.append(Fraction(float(b[i])))
    for i in range(n):
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for k in range(n):
            if k != i:
                rows[k] = [x - rows[k][i] * y for x, y in zip(rows[k], rows[i], strict=True)]
    return [row[n] for row in rows]


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.floats(0.01, 0.999))
def test_sums_of_powers_are_never_too_small(seed: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    pattern = np.triu(rng.random((n, n)) < 0.7, 1)
    G = np.where(pattern | pattern.T, rng.exponential(size=(n, n)), 0.0)
    G *= size / max(np.abs(np.linalg.eigvals(G)).max(), 1e-9)
    influences = Influences(csr_array(G), np.zeros(n, np.int32), 1)
    enclosed = radius(influences)
    true = np.abs(np.linalg.eigvals(G)).max()
    assert enclosed.low[0] - 1e-9 <= true <= enclosed.high[0] + 1e-9
    b = rng.exponential(size=n) * (rng.random(n) < 0.7)
    x = resolvent(influences, enclosed, b)
    exact = exact_resolvent(G, b)
    assert all(Fraction(float(upper)) >= value for upper, value in zip(x, exact, strict=True))
    assert x == pytest.approx([float(value) for value in exact], rel=1e-9, abs=1e-9 / (1 - size))


def test_every_group_is_treated_by_itself() -> None:
    """A weak chain, a dense group, identical people, one alone, and two whose coupling is 0."""
    edges = [(0, 1), (1, 2), *itertools.combinations(range(3, 9), 2), (9, 10), (12, 13)]
    J = [0.3, 0.3, *[0.4] * 15, np.inf, 0.0]
    found = bounds(network(edges, J, [0.0] * 14), 0.2)
    assert value(found, "B-bin")[:3] == pytest.approx(CHAIN_B_BIN, abs=1e-9)
    assert np.isinf(value(found, "B-bin")[3:11]).all()
    assert found.best[3:9] == pytest.approx([1.2] * 6)
    assert found.best[9:11] == pytest.approx([0.4] * 2)
    assert found.best[11:].tolist() == [0.2] * 3, "people without links keep their epsilon, to the last digit"
    assert found.best_name.tolist() == ["B-bin"] * 3 + ["group"] * 11
    notes = " / ".join(found.notes)
    assert "2 people are in groups with a coupling of 1 or more" in notes
    assert "B, B-bin not available for 6 people: the spectral radius of gtilde is 1 or more" in notes


def test_the_sharper_matrix_alone_may_be_available() -> None:
    star = network([(0, i) for i in range(1, 5)], [0.4] * 4, [0.0] * 5)
    found = bounds(star, 0.1)
    assert found.values["A-bin"] is None
    assert np.isfinite(value(found, "B-bin")).all()
    assert any(note.startswith("A, A-bin, paper not available for 5 people") for note in found.notes)


def test_what_cannot_be_certified_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dalenius.inference.attack.bounds.spectral.POWERS", 0)
    monkeypatch.setattr("dalenius.inference.attack.bounds.spectral._patience", lambda influences: 0)
    hub = network([(0, i) for i in range(1, 30)], [0.17] * 29, [0.0] * 30)
    found = bounds(hub, 0.1)
    assert found.values["B-bin"] is None
    assert any("could not be shown to be below 1" in note for note in found.notes)
    monkeypatch.undo()
    assert bounds(hub, 0.1).values["B-bin"] is not None


def test_a_solver_that_fails_is_caught_by_the_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    def useless(influences: Influences, b: np.ndarray, residual: float) -> np.ndarray:
        return b * 0.9

    right = bounds(network([(0, i) for i in range(1, 5)], [0.3] * 4, [0.0] * 5), 0.1)
    cycle = network([(i, (i + 1) % 5) for i in range(5)], [0.45] * 5, [0.0] * 5)
    b_bin = value(bounds(cycle, 0.1), "B-bin")
    monkeypatch.setattr("dalenius.inference.attack.bounds.spectral._solve", useless)
    assert (value(bounds(cycle, 0.1), "B-bin") >= b_bin - 1e-12).all(), "what is missing is added"
    found = bounds(network([(0, i) for i in range(1, 5)], [0.3] * 4, [0.0] * 5), 0.1)
    assert right.values["B-bin"] is not None
    assert found.values["B-bin"] is None, "nothing is certain"
    assert any("came to no certain end" in note for note in found.notes)


def test_impossible_combinations_leave_the_group_bound_alone() -> None:
    """Reading the influence of three identical people as 0 would promise epsilon where nu is 3 epsilon."""
    clones = np.zeros((2, 2, 2))
    clones[0, 0, 0] = clones[1, 1, 1] = 0.5
    joint = table(clones)
    assert np.isinf(table_influences(joint)[0][0, 1])
    found = bounds(joint, 0.3)
    assert found.best == pytest.approx([0.9] * 3)
    assert worst_case(joint, 0.3).nu == pytest.approx([0.9] * 3)
    assert {name for name, row in found.values.items() if row is not None} == {"group"}
    assert found.radius_gamma is None


def test_order_of_the_bounds_and_a_person_alone() -> None:
    rng = np.random.default_rng(4)
    found = bounds(table(np.exp(0.2 * rng.normal(size=(2,) * 4))), rng.random(4))
    for less, more in (("B-bin", "A-bin"), ("A-bin", "A"), ("A", "paper"), ("B-bin", "B")):
        assert (value(found, less) <= value(found, more)).all()
    assert bounds(table(np.array([0.2, 0.8])), 0.7).best.tolist() == [0.7]


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.floats(0.05, 0.6))
def test_no_bound_is_below_the_exact_nu_of_a_network(seed: int, strength: float) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    pairs = [pair for pair in itertools.combinations(range(n), 2) if rng.random() < 0.5]
    model = network(pairs, list(rng.uniform(0, strength, len(pairs))), list(rng.normal(0, 0.4, n)))
    eps = rng.exponential(0.3, n) * (rng.random(n) < 0.8)
    nu = exact_nu(from_model(model), eps)
    found = bounds(model, eps)
    assert nu is not None
    for row in found.values.values():
        assert row is None or (row >= nu * (1 - 1e-9) - 1e-12).all()
    assert (found.best >= eps).all()


@pytest.mark.parametrize("epsilon", [-1.0, np.nan, np.array([0.1, 0.2])])
def test_bad_epsilons(epsilon: float | np.ndarray) -> None:
    with pytest.raises(InputError, match="epsilon"):
        bounds(chain(), epsilon)
