"""Values over time: golden figures, brute force on small chains, and a planted fault."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dalenius.errors import InputError, SolveError
from dalenius.inference.answers.privacy_loss import spend
from dalenius.inference.attack import worst_mechanism as program
from dalenius.inference.attack.chains import nu as chains
from dalenius.inference.attack.chains import steps
from dalenius.inference.attack.chains.nu import largest_nu, moved, nu_over_time
from dalenius.inference.attack.chains.quilt import quilt_scale
from dalenius.inference.attack.nu import inferential_privacy
from dalenius.inference.over_time.measure_series import SeriesSource, measure_series
from dalenius.knowledge.correlation.chain import MarkovChain, agreeing_chain, long_run
from dalenius.knowledge.correlation.joint import JointPrior
from dalenius.theory.inference import coupling_of
from helpers.networks import network


def chain_of(table: np.ndarray, start: np.ndarray | None = None) -> MarkovChain:
    table = np.asarray(table, float)
    states = tuple(map(str, range(len(table))))
    begins = long_run(table) if start is None else np.asarray(start, float)
    return MarkovChain(states, table, begins, "given", stationary=start is None)


def written_out(chain: MarkovChain, moments: int) -> JointPrior:
    mass = np.zeros((len(chain),) * moments)
    for values in itertools.product(range(len(chain)), repeat=moments):
        steps_of = itertools.pairwise(values)
        mass[values] = chain.start[values[0]] * np.prod([chain.transition[a, b] for a, b in steps_of])
    names = tuple(f"m{at}" for at in range(moments))
    return JointPrior(names, (chain.states,) * moments, mass / mass.sum())


@pytest.mark.parametrize(
    ("agreement", "scale", "quilt"),
    [(0.6, 1.47, 3.57), (0.8, 3.85, 13.1), (0.9, 8.64, 31.7), (0.97, 31.03, 118)],
)
def test_noise_of_a_count_for_nu_1(agreement: float, scale: float, quilt: float) -> None:
    made = measure_series(
        agreeing_chain(agreement), 400, spend([]), 1.0, source=SeriesSource("a chain")
    ).details
    assert made.scale == pytest.approx(scale, rel=5e-3)
    assert made.quilt == pytest.approx(quilt, rel=5e-3)
    assert made.nu.worst <= 1.0
    assert made.nu.worst == pytest.approx(1.0, abs=1e-8)
    assert made.exact


@pytest.mark.parametrize("agreement", [0.2, 0.8])
def test_two_values_are_a_path_of_people(agreement: float) -> None:
    path = network([(i, i + 1) for i in range(5)], [coupling_of(agreement)] * 5, [0.0] * 6)
    found = nu_over_time(agreeing_chain(agreement), 6, 0.3)
    np.testing.assert_allclose(found.nu, inferential_privacy(path, 0.3).nu, atol=1e-12)


def drawn(seed: int, values: int) -> np.ndarray:
    """Transitions, a third of them impossible."""
    rng = np.random.default_rng(seed)
    table = rng.dirichlet(np.full(values, 0.5), values) * (rng.random((values, values)) < 0.67)
    table[np.arange(values), rng.integers(0, values, values)] += 0.1
    return np.asarray(table / table.sum(axis=1, keepdims=True))


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([(2, 4), (3, 3)]), st.sampled_from([0.1, 1.0]))
def test_no_mechanism_tells_more(seed: int, size: tuple[int, int], epsilon: float) -> None:
    table, moments = drawn(seed, size[0]), size[1]
    chain = chain_of(table, np.arange(1, len(table) + 1) / np.arange(1, len(table) + 1).sum())
    joint = written_out(chain, moments)
    sure = [
        at for at in range(moments) if (joint.mass.sum(axis=tuple({*range(moments)} - {at})) > 0).sum() < 2
    ]
    assume(len(sure) < moments)
    asked = [at for at in range(moments) if at not in sure]
    worst = program.worst_case(joint, epsilon, asked).nu
    found = nu_over_time(chain, moments, epsilon)
    assert not found.nu[sure].any()
    assert (found.nu[asked] >= worst - 1e-6).all()
    assert found.attained <= worst.max() + 1e-6
    if len(table) == 2:
        np.testing.assert_allclose(found.nu[asked], worst, atol=1e-6)
    if found.exact:
        assert found.nu.max() == pytest.approx(worst.max(), abs=1e-6)


def test_five_values_are_bounded_too() -> None:
    table = np.random.default_rng(3).dirichlet(np.full(5, 0.5), 5)
    chain = chain_of(table)
    worst = program.worst_case(written_out(chain, 3), 0.5).nu
    found = nu_over_time(chain, 3, 0.5)
    assert (found.nu >= worst - 1e-6).all()
    assert found.attained <= worst.max() + 1e-6


def test_the_range_of_a_few_values_is_no_less_than_their_edges() -> None:
    rng = np.random.default_rng(5)
    logs = np.log(rng.dirichlet(np.ones(3), (4, 3)))
    apart = rng.uniform(0.5, 1.0, (4, 3, 3)) * ~np.eye(3, dtype=bool)  # within a factor 2: a metric
    assert (steps._over_range(logs, apart) >= steps._over_edges(logs, apart) - 1e-12).all()
    same = np.full((4, 3, 3), 0.7) * ~np.eye(3, dtype=bool)
    np.testing.assert_allclose(steps._over_range(logs, same), steps._over_edges(logs, same), atol=1e-12)


def test_values_that_never_change_add_up() -> None:
    still = chain_of(np.eye(2), np.array([0.3, 0.7]))
    np.testing.assert_allclose(nu_over_time(still, 40, 0.1).nu, 4.0, atol=1e-9)
    turning = chain_of(np.eye(2)[::-1], np.array([0.5, 0.5]))
    np.testing.assert_allclose(nu_over_time(turning, 40, 0.1).nu, 4.0, atol=1e-9)
    np.testing.assert_allclose(nu_over_time(chain_of(np.full((3, 3), 1 / 3)), 40, 0.1).nu, 0.1, atol=1e-9)


def test_a_side_that_is_forgotten_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = chains._say

    def forgets_the_past(*words: object, backwards: bool) -> np.ndarray:
        told = honest(*words, backwards=backwards)  # type: ignore[arg-type]
        return np.zeros_like(told) if backwards else told

    monkeypatch.setattr(chains, "_say", forgets_the_past)
    with pytest.raises(SolveError, match="fault of the method"):
        nu_over_time(agreeing_chain(0.8), 20, 0.5)


def test_several_chains_at_once_are_each_by_itself() -> None:
    some = [chain_of(np.array([[0.9, 0.1], [b, 1 - b]])) for b in (0.1, 0.3, 0.6)]
    one_by_one = [moved(chain, 30, 0.2).max() for chain in some]
    np.testing.assert_allclose(largest_nu(some, 30, 0.2), one_by_one, atol=1e-12)


def test_quilts_are_not_compared_where_moments_differ() -> None:
    assert quilt_scale(chain_of(np.eye(2), np.array([0.5, 0.5])), 9, 1.0) is None


def test_nothing_to_learn_is_refused() -> None:
    with pytest.raises(InputError, match="two possible values"):
        nu_over_time(chain_of(np.array([[0.5, 0.5], [0.0, 1.0]])), 9, 0.1)
