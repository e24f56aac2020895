from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.errors import InputError, TooLargeError
from dalenius.inference.attack.affiliation import affiliated, exact_nu, relabelling
from dalenius.knowledge.correlation.joint import JointPrior, from_model
from dalenius.knowledge.correlation.model import CorrelationModel


def bits(mass: np.ndarray) -> JointPrior:
    mass = np.asarray(mass, float)
    names = tuple(f"p{i}" for i in range(mass.ndim))
    return JointPrior(names, (("no", "yes"),) * mass.ndim, mass / mass.sum())


def by_definition(mass: np.ndarray) -> bool:
    cells = list(itertools.product((0, 1), repeat=mass.ndim))
    for x, y in itertools.product(cells, repeat=2):
        most, least = tuple(map(max, zip(x, y, strict=True))), tuple(map(min, zip(x, y, strict=True)))
        if mass[most] * mass[least] < mass[x] * mass[y] * (1 - 1e-12):
            return False
    return True


@given(st.integers(1, 4), st.integers(0, 2**32), st.booleans(), st.floats(0.01, 1))
def test_as_defined(n: int, seed: int, zeros: bool, noise: float) -> None:
    rng = np.random.default_rng(seed)
    spins = 1 - 2 * np.indices((2,) * n)
    mass = np.exp(0.3 * spins.sum(axis=0) ** 2 + noise * rng.normal(size=(2,) * n))
    if zeros:
        mass[rng.random(mass.shape) < 0.4] = 0
        mass.flat[0] += 1
    joint = bits(mass)
    found = affiliated(joint)
    assert bool(found) == by_definition(joint.mass)
    if found.violation is not None:
        x, y = found.violation
        most, least = tuple(map(max, zip(x, y, strict=True))), tuple(map(min, zip(x, y, strict=True)))
        assert joint.mass[most] * joint.mass[least] < joint.mass[x] * joint.mass[y]


def test_golden_table_is_not_affiliated_and_says_where() -> None:
    found = affiliated(bits(np.array([0.20, 0.10, 0.08, 0.12, 0.06, 0.14, 0.10, 0.20]).reshape(2, 2, 2)))
    assert not found
    assert found.violation == ((1, 0, 1), (1, 1, 0))
    assert found.reason == (
        "p1 and p2, where p0 is yes: "
        "the chances of no yes and yes no multiply to more than those of yes yes and no no"
    )


def test_two_people_at_a_time_are_not_enough_where_combinations_are_impossible() -> None:
    mass = np.zeros((2,) * 4)
    mass[1, 1, 0, 0] = mass[0, 0, 1, 1] = 0.5
    found = affiliated(bits(mass))
    assert not found
    assert found.violation == ((0, 0, 1, 1), (1, 1, 0, 0))
    assert found.reason.startswith("p0, p1, p2 and p3: the chances of no no yes yes and yes yes no no")
    nearly = np.where(mass > 0, mass, 1e-30)
    assert not affiliated(bits(nearly))


def test_pairwise_positive_correlation_is_not_enough() -> None:
    even = (np.indices((2, 2, 2)).sum(axis=0) % 2 == 0).astype(float)  # pairs are independent
    assert not affiliated(bits(even + 0.05))
    assert exact_nu(bits(even), 0.5) is None


@pytest.mark.parametrize("sign", [1, -1])
def test_a_network_is_affiliated_exactly_if_its_couplings_are_positive(sign: int) -> None:
    rng = np.random.default_rng(2)
    edges = np.array([[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]])
    J = rng.uniform(0.1, 1, 5)
    J[4] *= sign
    model = CorrelationModel("id", np.array(list("abcd")), edges, J, rng.normal(size=4))
    assert bool(affiliated(from_model(model))) == (sign > 0)


def test_bits_are_exchanged_where_that_helps() -> None:
    chain = CorrelationModel(
        "id",
        np.array(["a", "b", "c"]),
        np.array([[0, 1], [1, 2]]),
        np.array([-0.4, 0.9]),
        np.array([0.2, -0.1, 0.3]),
    )
    joint = from_model(chain)
    assert not affiliated(joint)
    flipped = relabelling(joint)
    assert flipped is not None
    assert flipped[0] != flipped[1] == flipped[2]
    nu = exact_nu(joint, np.array([0.1, 0.5, 0.8]))
    assert nu == pytest.approx([0.489573645506, 1.102966949397, 1.183223731838], abs=1e-9)


def test_a_frustrated_triangle_cannot_be_relabelled() -> None:
    edges, J = np.array([[0, 1], [1, 2], [2, 0]]), np.array([0.5, 0.5, -0.5])
    joint = from_model(CorrelationModel("id", np.array(list("abc")), edges, J, np.zeros(3)))
    assert relabelling(joint) is None
    assert exact_nu(joint, 0.4) is None


def test_independent_people_keep_their_epsilon() -> None:
    p = [np.array([0.3, 0.7]), np.array([0.9, 0.1]), np.array([0.5, 0.5])]
    joint = bits(np.einsum("i,j,k->ijk", *p))
    assert exact_nu(joint, np.array([0.1, 0.2, 0.3])) == pytest.approx([0.1, 0.2, 0.3])


def test_bad_input() -> None:
    with pytest.raises(InputError, match="two values each"):
        affiliated(JointPrior(("a",), (("0", "1", "2"),), np.full(3, 1 / 3)))
    mass = np.ones((2,) * 15)
    mass.flat[5] = 0
    with pytest.raises(TooLargeError, match="32,767"):
        affiliated(bits(mass))
