"""Beliefs after a release: brute force, the limits of the theorems, simulated databases, bad input."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import norm

from dalenius.errors import InputError, TooLargeError, UnsupportedError
from dalenius.inference.attack.beliefs import beliefs
from dalenius.inference.attack.beliefs import shifts as beliefs_shifts
from dalenius.inference.attack.beliefs import totals as beliefs_totals
from dalenius.inference.attack.beliefs.beliefs import (
    ONE_COUNT,
    NoisySum,
    RandomisedResponse,
    after_answers,
    after_noisy_sum,
)
from dalenius.inference.attack.beliefs.shifts import LABEL, simulate_shifts
from dalenius.inference.attack.beliefs.totals import totals
from dalenius.inference.attack.solvers.forest import odds_shift, plant
from dalenius.knowledge.correlation.model import CorrelationModel
from dalenius.mechanisms.stages.noise import Gaussian, Geometric, Laplace, Noise
from dalenius.theory.inference import coupling_of, nu_of_clique
from helpers.networks import network, networks

CHAIN = ([(0, 1), (1, 2)], [0.4, 0.9], [0.2, -0.1, 0.3])


def databases(model: CorrelationModel) -> tuple[np.ndarray, np.ndarray]:
    bits = np.array(list(itertools.product((0, 1), repeat=len(model))))
    spins = 1 - 2 * bits
    a, b = model.edges.T
    return bits, (spins[:, a] * spins[:, b]) @ model.coupling + spins @ model.field


def by_hand(bits: np.ndarray, weight: np.ndarray) -> np.ndarray:
    add = np.logaddexp.reduce
    return np.array(
        [add(weight[bits[:, i] == 0]) - add(weight[bits[:, i] == 1]) for i in range(bits.shape[1])]
    )


def density(noise: Noise, gap: np.ndarray) -> np.ndarray:
    scale = noise.resolve(ONE_COUNT).known_scale()
    return -(gap**2) / (2 * scale**2) if isinstance(noise, Gaussian) else -np.abs(gap) / scale


@settings(deadline=None, max_examples=60)
@given(networks(7), st.floats(-20, 20), st.sampled_from(["laplace", "geometric", "gaussian"]), st.data())
def test_a_noisy_sum_is_read_as_enumeration_reads_it(
    model: CorrelationModel, observed: float, kind: str, data: st.DataObject
) -> None:
    counted = np.array(data.draw(st.lists(st.booleans(), min_size=len(model), max_size=len(model))))
    noise: Noise = {"laplace": Laplace(0.7), "geometric": Geometric(2.0), "gaussian": Gaussian(0.6)}[kind]
    observed = round(observed) if kind == "geometric" else observed
    found = after_noisy_sum(model, observed, noise, counted=counted)
    bits, weight = databases(model)
    assert found.before == pytest.approx(by_hand(bits, weight), abs=1e-10)
    weight = weight + density(noise, observed - bits[:, counted].sum(axis=1))
    assert found.after == pytest.approx(by_hand(bits, weight), abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(networks(7), st.data())
def test_answers_are_read_as_enumeration_reads_them(model: CorrelationModel, data: st.DataObject) -> None:
    n = len(model)
    answers = np.array(data.draw(st.lists(st.sampled_from([0.0, 1.0, np.nan]), min_size=n, max_size=n)))
    epsilon = np.array(data.draw(st.lists(st.floats(0, 5), min_size=n, max_size=n)))
    found = after_answers(model, answers, epsilon)
    bits, weight = databases(model)
    right = np.where(np.isnan(answers), 0.0, bits == answers)
    chance = np.where(right, 1 / (1 + np.exp(-epsilon)), 1 / (1 + np.exp(epsilon)))
    chance[:, np.isnan(answers)] = 1.0
    weight = weight + np.log(chance).sum(axis=1)
    assert found.after == pytest.approx(by_hand(bits, weight), abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(networks(7, st.floats(0, 2)), st.floats(0.01, 3), st.data())
def test_no_output_moves_anybody_further_than_nu(
    model: CorrelationModel, epsilon: float, data: st.DataObject
) -> None:
    """Theorem 3.4; and Lemma 3.5: outputs up to 0 and from n on move everybody that far."""
    n = len(model)
    bits, weight = databases(model)
    up, before, down = (by_hand(bits, weight - k * epsilon * bits.sum(axis=1)) for k in (1, 0, -1))
    nu = np.maximum(up - before, before - down)
    noise = Laplace(None, epsilon)
    observed = data.draw(st.floats(-5, n + 5))
    assert (np.abs(after_noisy_sum(model, observed, noise).shift) <= nu + 1e-8).all()
    answers = np.array(data.draw(st.lists(st.sampled_from([0.0, 1.0, np.nan]), min_size=n, max_size=n)))
    assert (np.abs(after_answers(model, answers, epsilon).shift) <= nu + 1e-8).all()
    for low, high in ((-3.3, n + 2.5), (0.0, float(n))):
        ends = [np.abs(after_noisy_sum(model, at, noise).shift) for at in (low, high)]
        assert np.maximum(*ends) == pytest.approx(nu, abs=1e-8)
    same = [np.abs(after_answers(model, np.full(n, z), epsilon).shift) for z in (0.0, 1.0)]
    assert np.maximum(*same) == pytest.approx(nu, abs=1e-8)


def test_wide_groups_that_have_a_form_of_their_own() -> None:
    """A clique of 40 and a grid of 12 by 13: too wide for a junction tree, exact all the same."""
    n = 40
    clique = [(i, j) for j in range(n) for i in range(j)]
    rows, columns = 12, 13
    spot = n + np.arange(rows * columns).reshape(rows, columns)
    grid = [
        *zip(spot[:-1].ravel(), spot[1:].ravel(), strict=True),
        *zip(spot[:, :-1].ravel(), spot[:, 1:].ravel(), strict=True),
    ]
    loose = [(n + rows * columns, n + rows * columns + 1)]
    edges = [*clique, *grid, *loose]
    J = [0.03] * len(clique) + [0.3] * len(grid) + [np.inf]
    both = network(edges, J, [0.0] * (n + rows * columns + 2))
    seen = after_answers(both, np.zeros(len(both)), 0.1).shift
    assert seen[:n] == pytest.approx(nu_of_clique(n, 0.03, 0.0, 0.1), abs=1e-9)
    assert seen[n] == pytest.approx(seen[n + columns - 1], abs=1e-9)
    assert 0.26 < seen[n] < 0.28 < 0.6 < seen[spot[6, 6]] < 0.7
    assert seen[-2:] == pytest.approx([0.2, 0.2])
    wide = network(
        [(i, j) for j in range(30) for i in range(j)],
        [0.01 * (-1 if k == 7 else 1) for k in range(435)],
        [0.1] * 30,
    )  # somebody who likes to differ, which samples do not take
    with pytest.raises(UnsupportedError, match="odd number of negative agreements"):
        after_answers(wide, np.zeros(30), 0.1)


def test_golden_chain_is_attained() -> None:
    chain = network(*CHAIN)
    epsilon = np.array([0.1, 0.5, 0.8])
    moved = [np.abs(after_answers(chain, np.full(3, z), epsilon).shift) for z in (0.0, 1.0)]
    nu = [0.489573645506, 1.103589828973, 1.180877199471]
    assert np.maximum(*moved) == pytest.approx(nu, abs=1e-9)
    sums = [np.abs(after_noisy_sum(chain, at, Laplace(None, 0.5)).shift) for at in (-1.0, 3.0)]
    nu = [0.816876807029, 1.040187996704, 0.981454155756]
    assert np.maximum(*sums) == pytest.approx(nu, abs=1e-9)


def test_far_outputs_of_gaussian_noise_move_beliefs_without_limit_and_keep_their_digits() -> None:
    chain = network(*CHAIN)
    near, far = (after_noisy_sum(chain, at, Gaussian(1.0)).shift for at in (-10.0, -1e6))
    assert (near > 5).all()
    assert far == pytest.approx(1e6, rel=1e-5)
    # far out only neighbouring totals matter: P(x_0 = 1) is the chance of being the only 1
    bits, weight = databases(chain)
    one = bits.sum(axis=1) == 1
    order = np.argmax(bits[one], axis=1)
    expected = weight[bits.sum(axis=1) == 0] - weight[one][np.argsort(order)] + 1e6 + 0.5
    assert after_noisy_sum(chain, -1e6, Gaussian(1.0)).after == pytest.approx(expected, abs=1e-8)


def test_a_thousand_people_far_from_the_likely_total() -> None:
    """Weights e^-3000 below the largest decide here: an output of -1 is the field epsilon/2 on everybody."""
    n, epsilon = 1000, 6.0
    rng = np.random.default_rng(5)
    edges = [(int(rng.integers(i)), i) for i in range(1, n)]
    tree = network(edges, [0.4] * (n - 1), [-0.5] * n)
    found = after_noisy_sum(tree, -1.0, Laplace(None, epsilon))
    forest = plant(tree)
    assert forest is not None
    moved = np.maximum(found.shift, -after_noisy_sum(tree, n + 1.0, Laplace(None, epsilon)).shift)
    assert moved == pytest.approx(odds_shift(forest, tree.field, np.full(n, epsilon)), abs=1e-8)


def test_identical_twins_and_people_outside_the_sum() -> None:
    twins = network([(0, 1)], [np.inf], [0.0, 0.0])
    only_one = np.array([True, False])
    assert after_noisy_sum(twins, -1.0, Laplace(None, 0.3)).shift == pytest.approx([0.6, 0.6])
    assert after_noisy_sum(twins, -1.0, Laplace(None, 0.3), counted=only_one).shift == pytest.approx(
        [0.3, 0.3]
    )
    nobody = after_noisy_sum(twins, -1.0, Laplace(None, 0.3), counted=np.zeros(2, bool))
    assert nobody.shift == pytest.approx([0.0, 0.0], abs=1e-12)


def test_probabilities_are_of_a_one() -> None:
    alone = network([], [], [0.5])
    seen = after_answers(alone, np.array([1.0]), 2.0)
    assert seen.probability_before == pytest.approx([1 / (1 + np.e)])
    assert seen.probability_after == pytest.approx([1 / (1 + np.exp(-1.0))])


def zeus(depth: int, agreement: float) -> CorrelationModel:
    n = 2 ** (depth + 1) - 1
    edges = [((i - 1) // 2, i) for i in range(1, n)]
    return network(edges, [coupling_of(agreement)] * (n - 1), [0.0] * n)


@pytest.mark.parametrize(("agreement", "as_told"), [(0.7, True), (0.72, False)])
def test_databases_are_drawn_from_the_network(agreement: float, as_told: bool) -> None:
    """Zeus and a great-grandchild agree with probability (1 + 0.4^3)/2 at 0.7; a planted 0.72 is seen."""
    draws = 400_000
    bits = totals(zeus(3, agreement), np.zeros(15, bool)).draw(draws, rng=np.random.default_rng(11))
    agree = float((bits[:, 0] == bits[:, 14]).mean())
    error = np.sqrt(0.532 * 0.468 / draws)
    assert bool(abs(agree - 0.532) < 5 * error) is as_told
    assert bits.mean(axis=0) == pytest.approx(0.5, abs=5 * 0.5 / np.sqrt(draws))


def test_a_loop_is_drawn_from_too() -> None:
    loop = network([(0, 1), (1, 2), (2, 3), (3, 0)], [0.7, -0.5, 0.4, 0.9], [0.3, 0.0, -0.2, 0.0])
    weight = databases(loop)[1]
    exact = np.exp(weight - np.logaddexp.reduce(weight))
    drawn = totals(loop, np.ones(4, bool)).draw(200_000, rng=np.random.default_rng(2))
    share = np.bincount(drawn @ [8, 4, 2, 1], minlength=16) / 200_000
    assert (np.abs(share - exact) < 5 * np.sqrt(exact / 200_000)).all()


def test_simulated_shifts_of_one_person_are_the_normal_law() -> None:
    """Alone, an output o of Gaussian noise moves the log-odds by (1/2 - o)/sigma^2."""
    alone, sigma = network([], [], [0.0]), 2.0
    found = simulate_shifts(
        alone, NoisySum(Gaussian(sigma), np.array([True])), rng=np.random.default_rng(4), draws=20_000
    )

    def below(t: float) -> float:
        reach = t * sigma**2
        return float(norm.cdf((0.5 + reach) / sigma) - norm.cdf((0.5 - reach) / sigma))

    for place, level in enumerate(found.levels):
        exact = brentq(lambda t, level=level: below(t) - level, 0, 5)
        assert found.everybody.low[place, 0] <= exact <= found.everybody.high[place, 0]
        assert found.everybody.high[place, 0] < 1.06 * found.everybody.low[place, 0]
    assert found.anybody.value == pytest.approx(found.everybody.value[:, 0])
    assert found.label == LABEL
    assert "gaussian:sigma=2" in found.mechanism


def test_limits_hold_as_often_as_they_say() -> None:
    """150 repeats of 60 draws: 95% limits of the median of a law whose median is known."""
    alone = network([], [], [0.0])
    exact = brentq(lambda t: norm.cdf(0.5 + t) - norm.cdf(0.5 - t) - 0.5, 0, 5)
    mechanism, held, narrow = NoisySum(Gaussian(1.0), np.array([True])), 0, 0
    for seed in range(150):
        found = simulate_shifts(alone, mechanism, rng=np.random.default_rng(seed), draws=60, levels=(0.5,))
        held += bool(found.anybody.low[0] <= exact <= found.anybody.high[0])
        narrow += bool(abs(found.anybody.value[0] - exact) < 0.02)
    assert held >= 135  # 95% of 150 less four standard errors
    assert narrow < 100  # a limit that is the estimate itself would not hold


def test_simulated_shifts_stay_below_nu_where_there_is_one() -> None:
    chain = network(*CHAIN)
    forest = plant(chain)
    assert forest is not None
    nu = odds_shift(forest, chain.field, np.full(3, 0.5))
    rng = np.random.default_rng(8)
    for mechanism in (RandomisedResponse(np.full(3, 0.5)), NoisySum(Geometric(None, 0.5), np.ones(3, bool))):
        found = simulate_shifts(chain, mechanism, rng=rng, draws=500)
        assert (found.everybody.value <= nu + 1e-9).all()
        assert (found.everybody.value > 0).all()
        assert (np.diff(found.everybody.value, axis=0) >= 0).all()


def test_too_few_draws_give_no_upper_limit() -> None:
    found = simulate_shifts(
        network(*CHAIN), RandomisedResponse(np.full(3, 0.5)), rng=np.random.default_rng(1), draws=20
    )
    assert np.isinf(found.anybody.high[2])
    assert np.isfinite(found.anybody.low[2])


def test_bad_input_is_refused() -> None:
    chain, rng = network(*CHAIN), np.random.default_rng(1)
    with pytest.raises(InputError, match="answers must be 0, 1 or missing; got 1 that are not"):
        after_answers(chain, np.array([0.0, 0.5, 1.0]), 1.0)
    with pytest.raises(InputError, match="one for each of 3 people"):
        after_answers(chain, np.zeros(2), 1.0)
    with pytest.raises(InputError, match="epsilon"):
        after_answers(chain, np.zeros(3), -1.0)
    with pytest.raises(InputError, match="observed sum must be a number"):
        after_noisy_sum(chain, float("nan"), Laplace(1.0))
    with pytest.raises(InputError, match=r"whole under geometric noise; got 0\.5"):
        after_noisy_sum(chain, 0.5, Geometric(1.0))
    with pytest.raises(InputError, match="people counted must be chosen among 3"):
        after_noisy_sum(chain, 0.5, Laplace(1.0), counted=np.ones(2, bool))
    with pytest.raises(InputError, match="each total 0 to 3"):
        totals(chain, np.ones(3, bool)).log_odds(np.zeros(3))
    coin = RandomisedResponse(np.full(3, 0.5))
    with pytest.raises(InputError, match="draws must be 1 or more"):
        simulate_shifts(chain, coin, rng=rng, draws=0)
    with pytest.raises(InputError, match="strictly between 0 and 1; got 1"):
        simulate_shifts(chain, coin, rng=rng, levels=(1.0,))


def test_what_does_not_fit_is_refused_with_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    n = 20
    clique = network([(i, j) for j in range(n) for i in range(j)], [0.01] * (n * (n - 1) // 2), [0.0] * n)
    with pytest.raises(TooLargeError, match="a width of 19"):
        after_noisy_sum(clique, 3.0, Laplace(1.0))
    chain, coins = network(*CHAIN), RandomisedResponse(np.full(3, 0.5))
    monkeypatch.setattr(beliefs_shifts, "MOST_SIMULATED", 100.0)
    with pytest.raises(TooLargeError, match=r"for 1,000 draws\. In Python, draws=\d+ or fewer"):
        simulate_shifts(chain, coins, rng=np.random.default_rng(1))
    monkeypatch.setattr(beliefs_totals, "MOST_TERMS", 2000.0)
    long = network([(i, i + 1) for i in range(50)], [0.1] * 50, [0.0] * 51)
    with pytest.raises(TooLargeError, match=r"got 5\.\de\+03 terms and .* GB for 51 people counted"):
        after_noisy_sum(long, 3.0, Laplace(1.0))


def test_a_sum_over_many_people_is_refused_before_anybody_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    n = 1_000_000
    links = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    model = CorrelationModel("id", np.arange(n), links, np.full(n - 1, 0.3), np.zeros(n))

    def walked(*_: object) -> None:
        pytest.fail("everybody was walked over")

    monkeypatch.setattr(beliefs_totals, "_plan", walked)
    monkeypatch.setattr(beliefs, "solver", walked)
    with pytest.raises(TooLargeError, match=r"got at least 5\.0e\+11 terms for 1,000,000 people counted"):
        after_noisy_sum(model, 3.0, Laplace(1.0))
    few = NoisySum(Gaussian(1.0), np.arange(n) < 5000)
    with pytest.raises(TooLargeError, match=r"at least 1\.2e\+10 for 1,000 draws\. In Python, draws=160"):
        simulate_shifts(model, few, rng=np.random.default_rng(1))


@settings(deadline=None)
@given(networks(7), st.data())
def test_no_network_takes_fewer_terms_than_is_known_beforehand(
    model: CorrelationModel, data: st.DataObject
) -> None:
    counted = np.array([data.draw(st.booleans()) for _ in range(len(model))])
    terms = sum(step.terms for step in totals(model, counted).steps)
    assert terms >= beliefs_totals.least_terms(int(counted.sum()))
