"""Propagation from above is never below nu, at any step, and tighter than the other bounds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dalenius.inference.attack.bounds import cutset, influence, propagation
from dalenius.inference.attack.bounds.propagation import propagation_bound
from dalenius.inference.attack.nu import inferential_privacy
from dalenius.inference.attack.solver_parts import of_bounds
from dalenius.knowledge.correlation.model import CorrelationModel
from dalenius.knowledge.correlation.network import read_network
from dalenius.people.examples.families import write_contacts
from helpers.networks import network


def random_model(rng: np.random.Generator) -> tuple[CorrelationModel, np.ndarray]:
    """A few people, densely linked, some so strongly that distant people matter, some without data."""
    people = int(rng.integers(3, 8))
    links = [(i, j) for i in range(people) for j in range(i) if rng.random() < 0.7] or [(0, 1)]
    couplings = rng.exponential(rng.choice([0.1, 0.5, 1.5]), len(links)).tolist()
    epsilon = rng.exponential(0.6, people) * (rng.random(people) < 0.8)
    return network(links, couplings, [0.0] * people), epsilon


def test_never_below_nu() -> None:
    rng = np.random.default_rng(15)
    for _ in range(60):
        model, epsilon = random_model(rng)
        nu = inferential_privacy(model, epsilon).nu
        steps = [propagation_bound(model, epsilon, count) for count in (0, 1, 3, 200)]
        for above, next_one in zip(steps, [*steps[1:], None], strict=True):
            assert above is not None
            assert (above >= nu - 1e-9).all()
            assert next_one is None or (next_one <= above + 1e-12).all()


def test_exact_on_a_tree() -> None:
    tree = network([(0, 1), (1, 2), (1, 3), (3, 4)], [0.4, 0.9, 0.2, 1.1], [0.0] * 5)
    above = propagation_bound(tree, np.full(5, 0.3))
    np.testing.assert_allclose(above, inferential_privacy(tree, 0.3).nu, atol=1e-5)


def test_a_message_that_says_too_little_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault to be caught: with messages of nine tenths what comes out is below nu."""
    honest = propagation.message
    monkeypatch.setattr(propagation, "message", lambda J, u: 0.9 * honest(J, u))
    loop = network([(0, 1), (1, 2), (2, 0)], [0.2] * 3, [0.0] * 3)
    below = propagation_bound(loop, np.full(3, 0.5))
    assert below is not None
    assert (below < inferential_privacy(loop, 0.5).nu - 1e-3).all()


@pytest.mark.parametrize(("coupling", "field"), [(-0.2, 0.0), (0.2, 0.1)])
def test_not_where_it_is_not_proven(coupling: float, field: float) -> None:
    assert propagation_bound(network([(0, 1)], [coupling], [field, 0.0]), np.full(2, 0.5)) is None


def test_wide_networks_use_it_where_it_is_less() -> None:
    rng = np.random.default_rng(3)
    pairs = sorted({(int(min(p)), int(max(p))) for p in rng.integers(0, 150, (900, 2)) if p[0] != p[1]})
    model = network(pairs, [0.05] * len(pairs), [0.0] * 150)
    epsilon = np.full(150, 0.5)
    before = np.minimum(influence.bounds(model, epsilon).best, cutset.links_bound(model, epsilon))
    part = of_bounds(model, np.arange(150), "a test")
    now = part.solve(epsilon)
    assert (now.nu <= before + 1e-12).all()
    assert (now.nu < before).mean() >= 0.9


def test_the_town_of_the_specification(tmp_path: Path) -> None:
    people, homes, edges = write_contacts(tmp_path)
    agreement = {"household": 0.6, "work": 0.52, "school": 0.52, "friend": 0.52}
    town = read_network(edges, households=homes, people=people, agreement=agreement).model
    above = propagation_bound(town, np.full(2000, 0.5))
    assert above is not None
    assert (above.max(), np.median(above)) == (pytest.approx(2.582, abs=5e-4), pytest.approx(1.074, abs=5e-4))
