"""Similarities of records, principal components of a pool, and records unlike the references."""

import numpy as np
import pytest

from dalenius.errors import UnsupportedError
from dalenius.people.traits.traits import RealTraits, coded_from_values
from dalenius.release.means import MeansRelease
from dalenius.tracing.attack.genomes.ancestry import atypical, axes, pool_components, similarities, spread


def genotypes(rng, p, people, prefix):
    """Genotypes of independent alleles with frequencies p, some missing."""
    values = rng.binomial(2, p, (people, p.size)) - 1.0
    values[rng.random(values.shape) < 0.02] = np.nan
    ids = np.array([f"{prefix}{i}" for i in range(people)])
    return coded_from_values("id", ids, np.arange(p.size).astype(str), values, "genotype")


@pytest.fixture(scope="module")
def similar():
    rng = np.random.default_rng(7)
    p = rng.uniform(0.1, 0.9, 500)
    reference, targets = genotypes(rng, p, 40, "r"), genotypes(rng, p, 5, "t")
    release = MeansRelease("r", reference.names, rng.uniform(-0.8, 0.8, 500), "genotype", 30, "exact", 0.0)
    return release, reference, targets, similarities(release, reference, targets)


def test_similarities_are_inner_products_about_the_release(similar):
    release, reference, targets, found = similar
    scaled = [
        np.nan_to_num((u.values(slice(None)) - release.means) / np.sqrt(spread(release) * release.size))
        for u in (reference, targets)
    ]
    np.testing.assert_allclose(found.references, scaled[0] @ scaled[0].T, atol=1e-5)
    np.testing.assert_allclose(found.across, scaled[0] @ scaled[1].T, atol=1e-5)
    np.testing.assert_allclose(found.own, (scaled[1] ** 2).sum(axis=1), atol=1e-5)


def test_components_of_every_pool_are_those_of_its_own_decomposition(similar):
    found = similar[-1]
    components = pool_components(axes(found), slice(1, 5), 7)
    for t, columns in zip(range(1, 5), components, strict=True):
        pool = np.block(
            [
                [found.references, found.across[:, [t]]],
                [found.across[:, [t]].T, found.own[[t], None]],
            ]
        )
        centred = pool - pool.mean(axis=0) - pool.mean(axis=1)[:, None] + pool.mean()
        vectors = np.linalg.eigh(centred)[1][:, ::-1][:, :7]
        np.testing.assert_allclose(np.abs((vectors * columns).sum(axis=0)), 1, atol=1e-9)
        np.testing.assert_allclose(columns.T @ columns, np.eye(7), atol=1e-9)
        np.testing.assert_allclose(columns.sum(axis=0), 0, atol=1e-9)


def test_noise_and_people_widen_the_spread():
    names = np.array(["a", "b"])
    exact = MeansRelease("r", names, np.array([0.0, 1.0]), "genotype", 98, "exact", 0.0)
    np.testing.assert_allclose(spread(exact), [0.5, (1 - 0.98**2) / 2])
    noisy = MeansRelease("r", names, np.array([0.0, 1.7]), "genotype", 98, "gaussian", 0.1)
    np.testing.assert_allclose(spread(noisy), spread(exact) + 0.98)


def test_a_stranger_is_atypical_and_a_peer_is_not():
    rng = np.random.default_rng(3)
    base = rng.uniform(0.2, 0.8, 3000)
    drift = lambda: np.clip(base + rng.normal(0, 0.15, base.size), 0.05, 0.95)  # noqa: E731
    here, there, elsewhere = drift(), drift(), drift()
    both = np.vstack([genotypes(rng, p, 60, "r").values(slice(None)) for p in (here, there)])
    names = np.arange(base.size).astype(str)
    reference = coded_from_values("id", np.arange(120).astype(str), names, both, "genotype")
    release = MeansRelease("r", names, 2 * (here + there + elsewhere) / 3 - 1, "genotype", 60, "exact", 0.0)
    peers = atypical(similarities(release, reference, genotypes(rng, here, 30, "t")))
    strangers = atypical(similarities(release, reference, genotypes(rng, elsewhere, 30, "t")))
    assert strangers.max() == pytest.approx(1 / 121)
    assert np.mean(peers <= 0.05) < 0.25


def test_real_values_are_refused():
    names = np.array(["a"])
    real = RealTraits("id", np.array(["x"]), names, np.zeros((1, 1)))
    with pytest.raises(UnsupportedError, match="conformal"):
        similarities(MeansRelease("r", names, np.zeros(1), "real", 5), real, real)
