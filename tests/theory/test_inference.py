"""Golden values, brute force and invariants of the theory of inference."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.errors import InputError
from dalenius.theory import inference as theory

GOLDEN = {
    (0.5, 0.3): 0.137822404948,
    (-0.7, 1.2): -0.673505822586,
    (30, 1e-12): 1e-12,
    (0.001, 800): 0.002,
    (400, 0.01): 0.01,
    (400, 900): 800,
}


@pytest.mark.parametrize(("given_", "expected"), list(GOLDEN.items()))
def test_message(given_: tuple[float, float], expected: float) -> None:
    assert float(theory.message(*given_)) == pytest.approx(expected, rel=1e-11)


@given(st.floats(-5, 5), st.floats(-20, 20))
def test_message_is_odd_bounded_and_what_it_says(J: float, u: float) -> None:
    f = float(theory.message(J, u))
    plain = math.log((math.exp(J + u) + math.exp(-J)) / (math.exp(J) + math.exp(u - J)))
    assert f == pytest.approx(plain, abs=1e-12)
    assert f == -float(theory.message(J, -u)) == -float(theory.message(-J, u))
    assert abs(f) <= min(abs(u), 2 * abs(J)) + 1e-12


@given(st.floats(1e-300, 1e-3), st.floats(1e-3, 800))
def test_message_keeps_small_numbers(u: float, J: float) -> None:
    """Relative accuracy: the derivative at 0 is tanh J."""
    assert float(theory.message(J, u)) == pytest.approx(u * math.tanh(J), rel=1e-6)


def test_pairs() -> None:
    for p, eps, nu in [
        (0.75, 0.3, 0.449160976537),
        (0.9, 0.3, 0.539352242518),
        (0.99, 0.3, 0.593912335379),
        (0.75, 2, 2.801983162854),
    ]:
        assert theory.nu_of_pair(p, eps, eps) == pytest.approx(nu, abs=1e-9)
    assert theory.nu_of_pair(0.8, 0, 0.5) == pytest.approx(0.29604581, abs=1e-8)


def test_cliques() -> None:
    assert theory.nu_of_clique(30, 0.03, 0, 0.1) == pytest.approx(0.447070442536, abs=1e-9)
    assert theory.nu_of_clique(30, 0.05, 0, 0.1) == pytest.approx(1.790231605436, abs=1e-9)


@given(st.integers(2, 5), st.floats(0, 1), st.floats(-1, 1), st.floats(0, 2))
def test_clique_by_enumeration(people: int, J: float, h: float, eps: float) -> None:
    def log_odds(field: float) -> float:
        total = {1: 0.0, -1: 0.0}
        for s in itertools.product((1, -1), repeat=people):
            pairs = sum(a * b for a, b in itertools.combinations(s, 2))
            total[s[0]] += math.exp(J * pairs + field * sum(s))
        return math.log(total[1] / total[-1])

    nu = max(log_odds(h + eps / 2) - log_odds(h), log_odds(h) - log_odds(h - eps / 2))
    assert theory.nu_of_clique(people, J, h, eps) == pytest.approx(nu, abs=1e-9)


def test_trees_of_bounded_degree() -> None:
    for (degree, J, eps), nu in {
        (3, 0.3, 0.1): 0.307242733353,
        (3, 0.5, 0.1): 1.226193406771,
        (3, 0.6, 0.1): 2.311108571173,
        (3, 0.6, 0.01): 1.770954089179,
        (3, 0.6, 1e-4): 1.676541155239,
        (4, 0.25, 0.2): 0.848881128225,
        (6, 0.3, 0.05): 3.140052478185,
        (3, 2, 1): 12.979585713563,
    }.items():
        assert theory.nu_of_bounded_degree(degree, J, eps) == pytest.approx(nu, abs=1e-9)
    for (degree, J), nu in {
        (3, 0.6): 1.675504954896,
        (4, 0.5): 3.296018157506,
        (6, 0.3): 3.049037758829,
    }.items():
        assert theory.least_enforceable_nu(degree, J) == pytest.approx(nu, abs=1e-9)
    assert 0.5 / theory.slope_limit(3, 0.3) == pytest.approx(0.161608727071, abs=1e-9)


def test_family_tree() -> None:
    """A root whose bit is copied down: each generation adds less than the one before, or more."""
    near = [0.1, 0.179944042532, 0.243629747731, 0.294097634497, 0.333862917003, 0.365023881204]
    far = [0.1, 0.219936029435, 0.363243871463, 0.532843792199, 0.729856082331, 0.951549050865]
    for p, nus, tenth in [(0.7, near, 0.442731684939), (0.8, far, 1.953066369167)]:
        J = theory.coupling_of(p)
        assert [theory.nu_of_root(2, k, J, 0.1) for k in range(6)] == pytest.approx(nus, abs=1e-9)
        assert theory.nu_of_root(2, 10, J, 0.1) == pytest.approx(tenth, abs=1e-9)


def test_second_phase_transition() -> None:
    for (d, J, depth, h), pair in {
        (3, 1.7, 12, 0.0975): (0.190577582183, 20.593917217668),
        (2, 2.6, 16, 0.0975): (0.191928663004, 20.979790128933),
    }.items():
        found = [theory.nu_of_root(d, depth, J, eps, h) for eps in (0.19, 0.2)]
        assert found == pytest.approx(pair, abs=1e-9)


def test_near_the_transition_nu_grows_like_a_cube_root() -> None:
    J = math.atanh((1 - 1e-4) / 2)
    assert theory.nu_of_bounded_degree(3, J, 0.01) == pytest.approx(0.813, abs=0.5)
    one, two = (theory.nu_of_bounded_degree(3, J, eps) for eps in (1e-3, 8e-3))
    assert two / one == pytest.approx(2, rel=0.05)


@given(st.integers(2, 8), st.floats(0, 1.5), st.floats(1e-6, 3), st.floats(1, 3))
def test_nu_is_at_least_epsilon_and_monotone(degree: int, J: float, eps: float, more: float) -> None:
    nu = theory.nu_of_bounded_degree(degree, J, eps)
    assert nu >= eps - 1e-9
    assert nu <= eps * theory.slope_limit(degree, J) + 1e-9
    assert nu >= theory.least_enforceable_nu(degree, J) - 1e-6
    assert theory.nu_of_bounded_degree(degree, J, eps * more) >= nu - 1e-9


@given(st.integers(2, 6), st.floats(0.01, 1), st.floats(0.1, 5))
def test_epsilon_for_a_target(degree: int, J: float, nu: float) -> None:
    least = theory.least_enforceable_nu(degree, J)
    if nu <= least:
        with pytest.raises(InputError, match="No epsilon"):
            theory.epsilon_for_bounded_degree(degree, J, nu)
    else:
        eps = theory.epsilon_for_bounded_degree(degree, J, nu)
        assert theory.nu_of_bounded_degree(degree, J, eps) == pytest.approx(nu, rel=1e-6)


def test_parity() -> None:
    for (r, s), formula in {(1, 2): 0.620114506958, (3, 2): 0.860343520875, (2, 3): 0.558770160532}.items():
        assert theory.affiliated_formula_on_parity(r, s, 0.5) == pytest.approx(formula, abs=1e-9)
        assert theory.nu_of_parity(r, s, 0.5) == (r + 1) * 0.5


@pytest.mark.parametrize(
    "bad",
    [
        lambda: theory.coupling_of(1.0),
        lambda: theory.nu_of_pair(0.7, -1, 0.1),
        lambda: theory.nu_of_clique(0, 0.1, 0, 0.1),
        lambda: theory.nu_of_bounded_degree(1, 0.1, 0.1),
        lambda: theory.nu_of_bounded_degree(3, -0.1, 0.1),
        lambda: theory.epsilon_for_bounded_degree(3, 0.6, 1.0),
    ],
)
def test_bad_input(bad: object) -> None:
    assert callable(bad)
    with pytest.raises(InputError):
        bad()
