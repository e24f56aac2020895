"""Networks of related people, written as links, couplings and fields, or drawn."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from dalenius.knowledge.correlation.model import CorrelationModel

Edges = list[tuple[int, int]]


def network(edges: ArrayLike | Edges, J: ArrayLike, h: Sequence[float]) -> CorrelationModel:
    """People p0, p1, ... with these links, their couplings, and a field for each person."""
    names = np.array([f"p{i}" for i in range(len(h))])
    pairs = np.array(edges, np.int64).reshape(-1, 2)
    return CorrelationModel("id", names, pairs, np.array(J, float), np.array(h, float))


def alike(n: int, edges: ArrayLike | Edges, J: float) -> CorrelationModel:
    """All links equally strong, nobody with a field."""
    return network(edges, [J] * (np.size(np.asarray(edges)) // 2), [0.0] * n)


ORDINARY = st.floats(-2, 2)


@st.composite
def networks(
    draw: st.DrawFn,
    most: int = 6,
    strengths: st.SearchStrategy[float] = ORDINARY,
    fields: st.SearchStrategy[float] = st.floats(-1, 1),  # noqa: B008 - a strategy never changes
) -> CorrelationModel:
    """Up to so many people, each pair linked or not."""
    n = draw(st.integers(1, most))
    edges = [pair for pair in itertools.combinations(range(n), 2) if draw(st.booleans())]
    J = [draw(strengths) for _ in edges]
    return network(edges, J, [draw(fields) for _ in range(n)])
