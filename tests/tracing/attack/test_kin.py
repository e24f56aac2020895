"""Kinship from genotypes: pedigrees whose kinship is known."""

import numpy as np
import pytest

from dalenius.errors import TooLargeError, UnsupportedError
from dalenius.people.traits.traits import coded_from_values
from dalenius.tracing.attack.genomes.linkage import DUPLICATE, FIRST, SECOND, kinship, related


@pytest.fixture(scope="module")
def family():
    """Mother, father, two children, a grandchild with a stranger, a copy of the mother with gaps."""
    rng = np.random.default_rng(4)
    d = 20_000
    f = rng.uniform(0.1, 0.9, d)
    couple = lambda: rng.random((2, d)) < f  # noqa: E731  (two chromosomes of one person)
    gamete = lambda person: np.where(rng.random(d) < 0.5, person[0], person[1])  # noqa: E731
    mother, father, stranger = couple(), couple(), couple()
    child, sibling = (np.stack([gamete(mother), gamete(father)]) for _ in range(2))
    grandchild = np.stack([gamete(child), gamete(stranger)])
    values = np.array([p.sum(axis=0) - 1.0 for p in (mother, father, child, sibling, grandchild, mother)])
    values[5, ::7] = np.nan
    ids = np.array(["mother", "father", "child", "sibling", "grandchild", "copy"])
    return coded_from_values("id", ids, np.arange(d).astype(str), values, "genotype")


def test_kinship_of_a_family(family):
    found = kinship(family, family)
    np.testing.assert_allclose(found, found.T, atol=1e-12)
    np.testing.assert_allclose(np.diag(found), 0.5, atol=1e-12)
    expected = {
        (0, 1): 0,
        (0, 2): 0.25,
        (1, 3): 0.25,
        (2, 3): 0.25,
        (0, 4): 0.125,
        (3, 4): 0.125,
        (0, 5): 0.5,
    }
    for pair, value in expected.items():
        assert found[pair] == pytest.approx(value, abs=0.02), pair


def test_relatives_are_listed_once_closest_first(family):
    pairs = related(family, family)
    assert (pairs[0].one, pairs[0].other) == (0, 5)
    assert pairs[0].kinship > DUPLICATE
    close = {(p.one, p.other) for p in pairs if FIRST <= p.kinship < DUPLICATE}
    # Four of parents with children, the siblings, the child and its own child, the copy with both children.
    assert close == {(0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (2, 4), (2, 5), (3, 5)}
    assert all(p.kinship >= SECOND for p in pairs)
    assert not any({p.one, p.other} == {0, 1} for p in pairs)


def test_kinship_refuses(family, monkeypatch):
    binary = coded_from_values("id", np.array(["a"]), np.array(["x"]), np.array([[1.0]]), "binary")
    with pytest.raises(UnsupportedError, match="genotypes"):
        kinship(binary, binary)
    monkeypatch.setattr("dalenius.tracing.attack.genomes.linkage.MOST_PAIRS", 10)
    with pytest.raises(TooLargeError, match="at most 10"):
        kinship(family, family)
