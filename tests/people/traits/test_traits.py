from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InputError
from dalenius.people.traits.traits import CodedTraits, RealTraits, coded_from_values, sums
from dalenius.people.traits.two_bits import VALUES, pack, unpack

seeds = st.integers(0, 2**32)


def some_codes(n: int, d: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 4, (d, n), np.uint8)


def traits_of(codes: np.ndarray) -> CodedTraits:
    d, n = codes.shape
    ids = np.array([f"p{i}" for i in range(n)])
    names = np.array([f"rs{j}" for j in range(d)])
    return coded_from_values("id", ids, names, VALUES[codes].T, "genotype")


def naive(tables: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Person by person, attribute by attribute."""
    d, n = codes.shape
    return np.array([[sum(t[j, codes[j, i]] for j in range(d)) for t in tables] for i in range(n)])


@given(st.integers(0, 30), st.integers(0, 9), seeds)
def test_packing_and_unpacking_is_a_round_trip(n: int, d: int, seed: int) -> None:
    codes = some_codes(n, d, seed)
    assert np.array_equal(unpack(pack(codes), n), codes)


@settings(deadline=None)
@given(st.integers(1, 20), st.integers(1, 12), st.integers(1, 3), seeds)
def test_lookup_is_the_sum_of_the_tables(n: int, d: int, k: int, seed: int) -> None:
    codes, rng = some_codes(n, d, seed), np.random.default_rng(seed)
    traits, tables = traits_of(codes), rng.standard_normal((k, d, 4))
    assert np.allclose(traits.lookup(tables), naive(tables, codes), rtol=0, atol=1e-12)
    single = traits.lookup(tables.astype(np.float32))
    assert np.allclose(single, naive(tables, codes), rtol=0, atol=1e-5)


@settings(deadline=None)
@given(st.integers(1, 20), st.integers(1, 12), seeds)
def test_dot_counts_and_sums_agree_with_dense_values(n: int, d: int, seed: int) -> None:
    codes, rng = some_codes(n, d, seed), np.random.default_rng(seed)
    traits, weights = traits_of(codes), rng.standard_normal((d, 2))
    dense = traits.values(slice(None)).astype(np.float64)
    assert np.allclose(traits.dot(weights), np.nan_to_num(dense) @ weights, rtol=0, atol=1e-12)
    assert np.allclose(traits.dot(weights[:, 0]), traits.dot(weights)[:, 0], rtol=0, atol=0)
    expected = [[np.count_nonzero(row == code) for code in range(4)] for row in codes]
    assert np.array_equal(traits.counts(), expected)
    total, seen = sums(traits)
    assert np.array_equal(total, np.nansum(dense, axis=0))
    assert np.array_equal(seen, np.count_nonzero(~np.isnan(dense), axis=0))


@settings(deadline=None)
@given(st.data(), seeds)
def test_taking_and_selecting_compose(data: st.DataObject, seed: int) -> None:
    n, d = data.draw(st.integers(1, 20)), data.draw(st.integers(1, 10))
    codes, rng = some_codes(n, d, seed), np.random.default_rng(seed)
    traits, dense = traits_of(codes), VALUES[codes].T
    for _ in range(data.draw(st.integers(1, 4))):
        if data.draw(st.booleans()):
            people = rng.integers(0, traits.n, rng.integers(1, traits.n + 1))
            traits, dense = traits.take(people), dense[people]
        else:
            columns = rng.permutation(traits.d)[: rng.integers(1, traits.d + 1)]
            flip = rng.random(columns.size) < 0.5
            traits, dense = traits.select(columns, flip), np.where(flip, -1, 1) * dense[:, columns]
    assert np.array_equal(traits.values(slice(None)), dense.astype(np.float32), equal_nan=True)
    weights = rng.standard_normal(traits.d)
    assert np.allclose(traits.dot(weights), np.nan_to_num(dense) @ weights, rtol=0, atol=1e-12)
    assert traits.counts()[:, 2].tolist() == np.count_nonzero(dense == 1, axis=0).tolist()


def test_a_mask_takes_whom_it_marks_and_names_follow() -> None:
    traits = traits_of(some_codes(5, 3, 1))
    some = traits.take(np.array([True, False, False, True, False])).select(np.array([2, 0]))
    assert some.ids.tolist() == ["p0", "p3"]
    assert some.names.tolist() == ["rs2", "rs0"]


def test_blocks_cover_every_column_once() -> None:
    traits = traits_of(some_codes(7, 11, 2))
    blocks = [block for _, block in traits.blocks(4)]
    assert [b.shape[1] for b in blocks] == [4, 4, 3]
    assert np.array_equal(np.hstack(blocks), traits.values(slice(None)), equal_nan=True)


def test_real_values_behave_alike() -> None:
    table = np.array([[0.5, -2.0], [np.nan, 1.0], [0.25, 0.0]])
    real = RealTraits("id", np.array(["a", "b", "c"]), np.array(["x", "y"]), table)
    assert real.dot(np.array([2.0, 1.0])).tolist() == [-1.0, 1.0, 0.5]
    total, seen = sums(real)
    assert total.tolist() == [0.75, -1.0]
    assert seen.tolist() == [2, 3]
    part = real.take(np.array([2, 0])).select(np.array([1, 0]), np.array([True, False]))
    assert part.table.tolist() == [[0.0, 0.25], [2.0, 0.5]]
    assert np.array_equal(np.hstack([b for _, b in real.blocks(1)]), table, equal_nan=True)


def broken_inputs() -> list[Any]:
    traits = traits_of(some_codes(5, 3, 1))
    ids, names = np.array(["a", "b"]), np.array(["x"])
    return [
        (lambda: traits.lookup(np.zeros((1, 2, 4))), "must have shape"),
        (lambda: traits.dot(np.zeros(4)), "weights must have shape"),
        (lambda: traits.take(np.array([5])), "must lie in"),
        (lambda: traits.take(np.array([True])), "must have 5 entries"),
        (lambda: traits.select(np.array([-1])), "must lie in"),
        (lambda: traits.select(np.array([1]), np.array([True, False])), "one per column"),
        (lambda: coded_from_values("id", ids, names, np.array([[1.0], [2.0]]), "genotype"), "1 others"),
        (lambda: coded_from_values("id", ids, names, np.array([[1.0], [0.0]]), "binary"), "column 'x'"),
        (lambda: coded_from_values("id", ids, names, np.ones((1, 1)), "binary"), "must have shape"),
        (lambda: RealTraits("id", ids, names, np.array([[np.inf], [1.0]])), "finite"),
        (lambda: CodedTraits("id", ids, names, "binary", np.zeros((2, 1), np.uint8)), "one per column"),
    ]


@pytest.mark.parametrize("case", range(11))
def test_what_does_not_fit_is_refused(case: int) -> None:
    call, message = broken_inputs()[case]
    with pytest.raises(InputError, match=message):
        call()
