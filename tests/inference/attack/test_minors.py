"""Groups that no order makes narrow: k-trees to the very link, random links, and never a narrow group."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dalenius.inference.attack.nu import inferential_privacy
from dalenius.inference.attack.solvers.elimination import eliminations
from dalenius.inference.attack.solvers.width import dense_minors
from dalenius.knowledge.correlation.model import CorrelationModel
from dalenius.theory.inference import coupling_of
from helpers.networks import alike

Edges = NDArray[np.int64]


def alike_at_55(edges: Edges) -> CorrelationModel:
    return alike(int(edges.max()) + 1, edges, coupling_of(0.55))


def k_tree(people: int, k: int, rng: np.random.Generator) -> Edges:
    """Of width k, with as many links as that allows: everybody new knows k who all know each other."""
    edges = [(a, b) for b in range(k + 1) for a in range(b)]
    cliques = [tuple(range(k + 1))]
    for new in range(k + 1, people):
        some = list(cliques[rng.integers(len(cliques))])
        some.pop(int(rng.integers(k + 1)))
        edges += [(a, new) for a in some]
        cliques.append((*some, new))
    return np.array(edges)


def random_links(people: int, links: int, seed: int = 1) -> Edges:
    """Connected: a tree, and others anywhere."""
    rng = np.random.default_rng(seed)
    new = np.arange(1, people)
    tree = np.stack([(rng.random(people - 1) * new).astype(np.int64), new], axis=1)
    pairs = np.sort(np.concatenate([tree, rng.integers(0, people, (links, 2))]), axis=1)
    return np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0)[: people + links]


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 6), st.integers(8, 60), st.integers(0, 10**6), st.floats(0, 1))
def test_a_narrow_group_is_never_called_wide(k: int, people: int, seed: int, kept: float) -> None:
    rng = np.random.default_rng(seed)
    edges = k_tree(people, k, rng)
    one = np.zeros(people, np.intp)
    assert not dense_minors(edges, one, k).any()
    assert dense_minors(edges, one, k - 1).all(), "it has every link that the width allows"
    some = alike_at_55(edges[rng.random(len(edges)) < kept]) if kept > 0.5 else None
    if some is not None:
        assert not dense_minors(some.edges, some.components(), k).any()


def test_groups_are_told_apart() -> None:
    rng = np.random.default_rng(3)
    parts = [k_tree(200, 3, rng), k_tree(300, 8, rng) + 200, random_links(400, 600) + 500]
    model = alike_at_55(np.concatenate(parts))
    wide = dense_minors(model.edges, model.components(), 3)[model.components()]
    assert not wide[:200].any()
    assert wide[200:].all()


def test_links_in_a_plane_are_never_dense() -> None:
    at = np.arange(2500).reshape(50, 50)
    across = np.stack([at[:, :-1].ravel(), at[:, 1:].ravel()], axis=1)
    edges = np.concatenate([across, np.stack([at[:-1].ravel(), at[1:].ravel()], axis=1)])
    assert not dense_minors(edges, np.zeros(2500, np.intp), 5).any()
    assert dense_minors(edges, np.zeros(2500, np.intp), 2).all()


def test_no_order_is_looked_for_where_there_is_none() -> None:
    model = alike_at_55(random_links(2500, 2500))
    (group,) = eliminations(model, 22)
    assert (group.width, group.exact, group.proven, group.order) == (23, False, True, [])
    nus = inferential_privacy(model, 0.1)
    assert any("every order has width at least 23, the limit is 22" in note for note in nus.notes)
    assert not nus.exact.any()


def test_a_long_ladder_stays_exact() -> None:
    n = 20_000
    steps = np.stack([np.arange(0, n, 2), np.arange(1, n, 2)], axis=1)
    model = alike_at_55(np.concatenate([steps, np.stack([np.arange(n - 2), np.arange(2, n)], axis=1)]))
    (group,) = eliminations(model, 22)
    assert (group.width, group.exact, len(group.order)) == (2, True, n)
    assert inferential_privacy(model, 0.1).exact.all()


@pytest.mark.parametrize("limit", [1, 22])
def test_nobody_is_linked(limit: int) -> None:
    assert dense_minors(np.empty((0, 2), np.int64), np.arange(3), limit).tolist() == [False] * 3
