from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InputError, SolveError, TooLargeError
from dalenius.inference.attack import worst_mechanism as program
from dalenius.inference.attack.affiliation import exact_nu
from dalenius.inference.attack.bounds.events import answered_alike, odds_moved
from dalenius.inference.attack.worst_mechanism import worst_case
from dalenius.knowledge.correlation.joint import JointPrior, from_model
from dalenius.theory.inference import affiliated_formula_on_parity
from helpers.networks import Edges, network


def table(mass: np.ndarray) -> JointPrior:
    mass = np.asarray(mass, float)
    levels = tuple(tuple(str(v) for v in range(q)) for q in mass.shape)
    return JointPrior(tuple(f"p{i}" for i in range(mass.ndim)), levels, mass / mass.sum())


def joint_of(edges: Edges, J: list[float], h: list[float]) -> JointPrior:
    return from_model(network(edges, J, h))


def parity(blocks: int, size: int) -> JointPrior:
    """Person 0, and for each block people whose bits add up with theirs to an even number."""
    x = np.indices((2,) * (1 + blocks * size))
    rest = x[1:].reshape(blocks, size, *x.shape[1:])
    return table(((x[0] + rest.sum(axis=1)) % 2 == 0).all(axis=0).astype(float))


def privacy_of(events: np.ndarray) -> np.ndarray:
    """Which epsilon each person has if these are the events of a mechanism: the largest log-ratio."""
    logs = np.log(events)
    return np.array([np.ptp(logs, axis=axis).max() for axis in range(1, events.ndim)])


def extreme_sums(people: int, epsilon: float) -> np.ndarray:
    """Lemma 3.5: the sum of all bits with Laplace noise comes out as at most 0, or as at least everybody."""
    total = np.indices((2,) * people).sum(axis=0)
    return 0.5 * np.exp(-epsilon * np.stack([total, people - total]))


def check_mechanism(joint: JointPrior, epsilon: float | np.ndarray, found: program.WorstMechanism) -> None:
    """What was found is a private mechanism, and moves the odds by exactly what is claimed."""
    both = np.concatenate([found.events, 1 - found.events])
    assert found.events.max() <= 0.5
    assert (privacy_of(both) <= np.broadcast_to(epsilon, len(joint)) + 1e-9).all()
    for at, person in enumerate(found.people):
        assert odds_moved(joint, found.events[at : at + 1])[person] == pytest.approx(found.nu[at], abs=1e-12)


def test_golden_table_that_is_not_affiliated() -> None:
    joint = table(np.array([0.20, 0.10, 0.08, 0.12, 0.06, 0.14, 0.10, 0.20]).reshape(2, 2, 2))
    found = worst_case(joint, 0.1)
    assert found.nu == pytest.approx([0.144820632702, 0.136771571386, 0.141163260930], abs=1e-9)
    check_mechanism(joint, 0.1, found)


def test_golden_frustrated_triangle_and_chain_of_mixed_signs() -> None:
    triangle = joint_of([(0, 1), (1, 2), (2, 0)], [0.5, 0.5, -0.5], [0.0] * 3)
    assert worst_case(triangle, 0.4).nu == pytest.approx([0.620988732357] * 3, abs=1e-9)
    unfixed = odds_moved(triangle, answered_alike(np.full(3, 0.4)))
    assert unfixed == pytest.approx([0.4, 0.620988732357, 0.4], abs=1e-9)
    chain, eps = joint_of([(0, 1), (1, 2)], [-0.4, 0.9], [0.2, -0.1, 0.3]), np.array([0.1, 0.5, 0.8])
    nu = worst_case(chain, eps).nu
    assert nu == pytest.approx([0.489573645506, 1.102966949397, 1.183223731838], abs=1e-9)


@pytest.mark.parametrize(("blocks", "size", "nu"), [(1, 2, 1.0), (3, 2, 2.0), (2, 3, 1.5)])
def test_golden_parity(blocks: int, size: int, nu: float) -> None:
    joint = parity(blocks, size)
    found = worst_case(joint, 0.5, [0])
    assert found.nu == pytest.approx([nu], abs=1e-7)
    check_mechanism(joint, 0.5, found)
    formula = odds_moved(joint, answered_alike(np.full(len(joint), 0.5)))[0]
    assert formula == pytest.approx(affiliated_formula_on_parity(blocks, size, 0.5), abs=1e-9)
    assert formula < nu - 0.3, "the formula for affiliated data says too little"


def test_golden_three_values() -> None:
    joint = table(np.exp(0.6 * np.eye(3)))
    found = worst_case(joint, 0.5)
    assert found.nu == pytest.approx([0.612694443966] * 2, abs=1e-9)
    check_mechanism(joint, 0.5, found)


def test_identical_people_add_up() -> None:
    clones = np.zeros((2,) * 4)
    clones[0, 0, 0, 0] = clones[1, 1, 1, 1] = 0.5
    eps = np.array([0.1, 0.2, 0.3, 0.4])
    joint = table(clones)
    found = worst_case(joint, eps)
    assert found.nu == pytest.approx([1.0] * 4, abs=1e-9)
    check_mechanism(joint, eps, found)


def test_randomised_response_and_the_noisy_sum_attain_the_worst_case() -> None:
    chain = joint_of([(0, 1), (1, 2)], [0.4, 0.9], [0.2, -0.1, 0.3])
    eps = np.array([0.1, 0.5, 0.8])
    golden = [0.489573645506, 1.103589828973, 1.180877199471]
    assert odds_moved(chain, answered_alike(eps)) == pytest.approx(golden, abs=1e-9)
    assert worst_case(chain, eps).nu == pytest.approx(golden, abs=1e-9)
    assert privacy_of(answered_alike(eps)) == pytest.approx(eps)
    golden = [0.816876807029, 1.040187996704, 0.981454155756]
    assert odds_moved(chain, extreme_sums(3, 0.5)) == pytest.approx(golden, abs=1e-9)
    assert worst_case(chain, 0.5).nu == pytest.approx(golden, abs=1e-9)
    assert privacy_of(extreme_sums(3, 0.5)) == pytest.approx([0.5] * 3)


@settings(max_examples=40)
@given(st.integers(1, 4), st.integers(0, 2**32))
def test_the_program_is_the_formula_on_affiliated_networks(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = [pair for pair in itertools.combinations(range(n), 2) if rng.random() < 0.7]
    J = list(rng.exponential(0.6, len(pairs)))
    joint = joint_of(pairs, J, list(rng.normal(0, 0.7, n)))
    eps = rng.exponential(0.6, n) * (rng.random(n) < 0.8)
    nu = exact_nu(joint, eps)
    assert nu is not None
    assert worst_case(joint, eps).nu == pytest.approx(nu, abs=1e-6)


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_between_epsilon_and_the_sum_and_growing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(rng.choice([2, 2, 3], rng.integers(1, 4)))
    mass = rng.exponential(size=shape) * (rng.random(shape) < 0.8)
    mass.flat[[0, -1]] += 0.1
    for person in range(len(shape)):  # everybody keeps two possible values at least
        mass[tuple(1 if i == person else 0 for i in range(len(shape)))] += 0.05
    joint = table(mass)
    eps = rng.exponential(0.5, len(shape))
    found = worst_case(joint, eps)
    check_mechanism(joint, eps, found)
    assert (found.nu >= eps - 1e-8).all()
    assert (found.nu <= eps.sum() + 1e-8).all()
    more = worst_case(joint, eps + rng.exponential(0.2, len(shape)))
    assert (more.nu >= found.nu - 1e-8).all()


def test_large_epsilons_on_many_people() -> None:
    joint = table(np.random.default_rng(1).exponential(size=(2,) * 8))
    found = worst_case(joint, 5.0, [3])
    check_mechanism(joint, 5.0, found)
    assert 5 <= found.nu[0] <= 40


def test_people_asked_for_and_values_that_cannot_be() -> None:
    mass = np.array([[0.1, 0.3], [0.0, 0.0], [0.4, 0.2]])
    joint = table(mass)
    found = worst_case(joint, 0.3, [0])
    assert found.people.tolist() == [0]
    assert {int(found.to[0]), int(found.away[0])} == {0, 2}, "nobody believes in value 1"
    assert found.events.shape == (1, 3, 2)
    speaks_for = odds_moved(joint, found.events)[0]
    assert speaks_for == pytest.approx(found.nu[0])
    certain = table(np.array([[0.5, 0.5], [0.0, 0.0]]))
    with pytest.raises(InputError, match="column 1 of the prior must have two possible values"):
        worst_case(certain, 0.3)


def test_progress_is_said() -> None:
    said: list[float] = []
    worst_case(table(np.ones((2, 2))), 0.1, progress=lambda share, words: said.append(share))
    assert said == [0.0, 0.5]


def test_bad_input() -> None:
    joint = table(np.ones((2, 2)))
    with pytest.raises(TooLargeError, match="8,192"):
        worst_case(table(np.ones((2,) * 13)), 0.1)
    for people in ([], [2], [-1]):
        with pytest.raises(InputError, match="some of 0 to 1"):
            worst_case(joint, 0.1, people)
    for epsilon in (-0.1, np.nan, np.inf, np.array([0.1, -0.1])):
        with pytest.raises(InputError, match="at least 0 and finite"):
            worst_case(joint, epsilon)
    with pytest.raises(InputError, match="one for each of 2"):
        worst_case(joint, np.ones(3))


def test_a_solution_that_breaks_privacy_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted fault: the conditions about one person are forgotten."""
    right = program._privacy_rows

    def forgetful(shape: tuple[int, ...], eps: np.ndarray) -> object:
        return right(shape, np.where(np.arange(eps.size) == 1, 3.0, eps))

    monkeypatch.setattr(program, "_privacy_rows", forgetful)
    with pytest.raises(SolveError, match="its mechanism attains"):
        worst_case(joint_of([(0, 1)], [0.8], [0.0, 0.0]), 0.3)


def test_a_solution_below_what_a_coin_about_the_person_attains_is_refused() -> None:
    """With epsilons of 29 and 13 the solver stops at a mechanism that tells less than nothing."""
    mass = np.array([[8.39524196e-01, 3.28545097e-05], [4.09953638e-05, 1.60401954e-01]])
    with pytest.raises(SolveError, match=r"a nu of -\d+\.\d+, below the person's own epsilon of 28\.9"):
        worst_case(table(mass), np.array([28.93317509, 13.32965894]))
