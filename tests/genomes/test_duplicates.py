from __future__ import annotations

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.genomes import duplicates
from dalenius.genomes.duplicates import find_overlap
from dalenius.people.traits.traits import CodedTraits, coded_from_values


def people(values: np.ndarray, prefix: str) -> CodedTraits:
    ids = np.array([f"{prefix}{i}" for i in range(len(values))])
    return coded_from_values(
        "id", ids, np.array([f"rs{j}" for j in range(values.shape[1])]), values, "genotype"
    )


def genotypes(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return rng.binomial(2, rng.uniform(0.1, 0.5, d), (n, d)) - 1.0


def test_twins_and_copies_with_errors_are_found_and_relatives_are_not() -> None:
    rng = np.random.default_rng(1)
    one = genotypes(rng, 300, 2000)
    two = genotypes(rng, 200, 2000)
    two[7] = one[3]
    noisy = one[250].copy()
    wrong = rng.choice(2000, 10, replace=False)
    noisy[wrong] = rng.integers(-1, 2, 10)
    noisy[rng.choice(2000, 60, replace=False)] = np.nan
    two[9] = noisy
    # a brother of person 5: half of the genotypes the same by descent
    two[11] = np.where(rng.random(2000) < 0.5, one[5], two[11])
    found = find_overlap(people(one, "a"), people(two, "b"), rng=np.random.default_rng(2))
    assert found.same_name.shape == (0, 2)
    assert found.same_genotypes.tolist() == [[3, 7], [250, 9]]
    assert found.agreement[0] == 1
    assert 0.99 <= found.agreement[1] < 1
    assert found


def test_names_are_compared_too() -> None:
    rng = np.random.default_rng(3)
    one, two = people(genotypes(rng, 5, 500), "a"), people(genotypes(rng, 5, 500), "b")
    both = CodedTraits("id", np.array(["b0", "a3", "b2", "b3", "b4"]), two.names, two.kind, two.packed)
    found = find_overlap(one, both, rng=rng)
    assert found.same_name.tolist() == [[3, 1]]
    assert not find_overlap(one, two, rng=rng)


def test_too_few_columns_say_nothing_about_genotypes() -> None:
    values = np.ones((4, 20))
    assert (
        find_overlap(people(values, "a"), people(values, "b"), rng=np.random.default_rng(1)).agreement.size
        == 0
    )


def test_columns_that_tell_nobody_apart_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duplicates, "MANY", 100)
    one = people(np.ones((20, 200)), "a")
    with pytest.raises(InputError, match="must tell people apart"):
        find_overlap(one, one, rng=np.random.default_rng(1))
    with pytest.raises(InputError, match="must be aligned"):
        find_overlap(one, one.select(np.arange(5)), rng=np.random.default_rng(1))
