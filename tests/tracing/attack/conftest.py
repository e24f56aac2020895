"""People of a simulated population, some of them in a release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from dalenius.knowledge.tracing import TracingView
from dalenius.people.traits.traits import RealTraits, coded_from_values
from dalenius.release.means import MeansRelease


def names(prefix, count):
    return np.array([f"{prefix}{i}" for i in range(count)])


def traits(prefix, values, kind="binary"):
    values = np.asarray(values, np.float64)
    ids, columns = names(prefix, len(values)), names("c", values.shape[1])
    if kind == "real":
        return RealTraits("id", ids, columns, values)
    return coded_from_values("id", ids, columns, values, kind)


def draw(rng, p, people, kind="binary"):
    """Independent attributes with means p; genotypes of two independent alleles."""
    bits = lambda: np.where(rng.random((people, p.size)) < (1 + p) / 2, 1.0, -1.0)  # noqa: E731
    return bits() if kind == "binary" else (bits() + bits()) / 2


@dataclass
class World:
    """Who is in the data, who is not, the reference, and what was published."""

    p: np.ndarray
    members: np.ndarray
    outsiders: np.ndarray
    reference: np.ndarray
    q: np.ndarray
    kind: str
    n: int
    sigma: float = 0.0

    def view(self, targets, reference=...):
        release = MeansRelease("r", names("c", self.q.size), self.q, self.kind, self.n, "exact", self.sigma)
        given = traits("z", self.reference, self.kind) if reference is ... else reference
        return TracingView(release, traits("t", targets, self.kind), given)


def make(seed, *, d=200, n=40, m=60, targets=20, kind="binary", missing=0.0):
    rng = np.random.default_rng(seed)
    p = rng.uniform(-0.9, 0.9, d)
    members, outsiders = draw(rng, p, n, kind), draw(rng, p, targets, kind)
    reference = draw(rng, p, m, kind)
    world = World(p, members, outsiders, reference, members.mean(axis=0), kind, n)
    for group in (outsiders, reference):
        group[rng.random(group.shape) < missing] = np.nan
    return world


@pytest.fixture(scope="session")
def world():
    return make


@pytest.fixture(scope="session", name="World")
def world_class():
    return World


@pytest.fixture(scope="session")
def people():
    return traits


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    with threadpool_limits(1):
        yield
