from __future__ import annotations

import numpy as np
import pytest

from dalenius.errors import InputError, TooLargeError
from dalenius.records import relationship
from dalenius.records.relationship import gram
from dalenius.records.traits import RealTraits, coded_from_values


def test_blocks_add_up_to_the_dense_product(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relationship, "WIDTH", 7)
    rng = np.random.default_rng(1)
    values = rng.choice([-1, 0, 1, np.nan], (12, 40), p=[0.4, 0.3, 0.25, 0.05])
    names = np.array([f"rs{j}" for j in range(40)])
    traits = coded_from_values("id", np.array([f"p{i}" for i in range(12)]), names, values, "genotype")
    centre, scale = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
    scale[5] = 0
    standard = np.nan_to_num((values - centre) / np.where(scale > 0, scale, np.inf))
    expected = standard @ standard.T / 39
    assert np.allclose(gram(traits, centre, scale), expected, rtol=0, atol=1e-5)
    some = np.array([3, 30, 8])
    part = gram(traits, centre[some], scale[some], columns=some)
    assert np.allclose(part, standard[:, some] @ standard[:, some].T / 3, rtol=0, atol=1e-5)
    real = RealTraits("id", traits.ids, names, values)
    assert np.allclose(gram(real, centre, scale), expected, rtol=0, atol=1e-5)


def test_too_many_people_and_wrong_shapes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    traits = coded_from_values("id", np.array(["a", "b"]), np.array(["x"]), np.ones((2, 1)), "binary")
    with pytest.raises(InputError, match="centre must be 1 finite numbers"):
        gram(traits, np.zeros(2), np.ones(1))
    with pytest.raises(InputError, match="scale must be"):
        gram(traits, np.zeros(1), np.array([np.nan]))
    monkeypatch.setattr(relationship, "LARGEST", 1)
    with pytest.raises(TooLargeError, match="must be at most 1"):
        gram(traits, np.zeros(1), np.ones(1))
