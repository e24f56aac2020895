"""Bounds of weights: golden values, and they hold as often as they say."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from dalenius.conditions.predicate import And, Between, Equals, HashBelow, evaluate
from dalenius.errors import InputError
from dalenius.people.rows.rows import Rows
from dalenius.singling_out.attack.rows.dependence import dependence, independent_blocks
from dalenius.singling_out.attack.weights import sources as weights
from dalenius.singling_out.attack.weights.sources import HoldoutSource, PopulationSource, bound, bounds
from dalenius.theory.isolation import min_entropy_bits


def people(n: int, seed: int = 1, *, linked: bool = False) -> Rows:
    rng = np.random.default_rng(seed)
    age, zip_code = rng.integers(0, 50, n), rng.integers(0, 20, n)
    sex = age % 2 if linked else rng.integers(0, 2, n)
    return Rows.of_table(pa.table({"age": age, "zip": zip_code, "sex": sex}))


@pytest.mark.parametrize(
    ("matches", "rows", "error", "value"),
    [
        (0, 10_000, 0.05, 0.000299528360),
        (0, 100_000, 0.001, 0.0000690751670),
        (3, 10_000, 0.05, 0.000775181379),
        (1, 50_000, 0.01, 0.000132759556),
    ],
)
def test_golden_limits(matches: int, rows: int, error: float, value: float):
    made = weights.clopper_pearson(matches, rows, error)
    assert made.value == pytest.approx(value, rel=1e-8)
    assert (made.tag, made.error) == ("cp", error)


def test_golden_product_and_entropy():
    assert weights.product([5, 9], 20_000, 0.05).value == pytest.approx(4.981941091e-07, rel=1e-9)
    atom = 2 ** -min_entropy_bits(12, 50_000, 0.05)
    assert weights.min_entropy(4, atom, 0.05).value == pytest.approx(4 * 2**-11.328600874, rel=1e-9)


def test_formulas_of_hashes():
    phi = weights.exact(10, 1000)
    made = weights.hashed(phi, 1 / 5, 1e-2, 0.05)
    assert made.value == pytest.approx(0.01)  # never above the class itself
    made = weights.hashed(phi, 1 / 5, 1e-8, 0.05)
    assert made.value == pytest.approx(0.002 + np.sqrt(0.01 * 1e-8 / 5 / 0.05))
    assert weights.fingerprint(1e-9, 40, 0.01).value == pytest.approx(1e-9 + 100 * 2.0**-40)


def test_a_population_is_exact_and_nobody_is_lighter_than_one_person():
    rows = people(1000)
    condition = And((Equals("age", "7"), Between("zip", 3, 9)))
    made = bound(condition, PopulationSource(rows))
    assert made.value == evaluate(condition, rows).sum() / 1000
    assert made.tag == "exact"
    assert bound(Equals("age", "99"), PopulationSource(rows)).value == 1 / 1000


def test_frechet_adds_the_errors_of_its_parts():
    parts = [weights.clopper_pearson(1, 1000, 0.01), weights.clopper_pearson(500, 1000, 0.02)]
    made = weights.frechet(parts)
    assert made.value == parts[0].value
    assert made.error == pytest.approx(0.03)


def test_the_least_bound_is_taken_and_errors_are_shared():
    rows = people(4000)
    condition = And((Equals("age", "7"), Equals("zip", "3"), Equals("sex", "1")))
    plain = HoldoutSource(rows, 0.06, ("cp", "frechet", "hash"))
    every = bounds(condition, plain)
    assert [(one.tag, round(one.error, 9)) for one in every] == [("cp", 0.03), ("frechet", 0.03)]
    assert bound(condition, plain).tag == "cp"
    lighter = bound(condition, HoldoutSource(rows, 0.06, ("cp", "product")))
    assert lighter.tag == "product"
    assert "independent" in lighter.assumption
    assert "G-tests of 3 pairs: 0 dependent" in lighter.assumption
    assert lighter.value < bound(condition, plain).value


def test_a_complete_row_and_a_hash():
    rows = people(4000)
    whole = And((Equals("age", "7"), Equals("zip", "3"), Equals("sex", "1")))
    tags = [one.tag for one in bounds(whole, HoldoutSource(rows))]
    assert tags == ["cp", "frechet", "minentropy"]
    columns = ("age", "zip", "sex")
    condition = And((Equals("age", "7"), HashBelow(columns, "prf64", "k", 2**64 // 5)))
    assert [one.tag for one in bounds(condition, HoldoutSource(rows))] == ["cp", "frechet", "hash"]


@pytest.mark.parametrize("methods", [("cp",), ("frechet",), ("product",), ("chain",), ("hash",)])
def test_bounds_hold_as_often_as_they_say(methods: tuple[weights.Method, ...]):
    """Independent columns, so every assumption is true; the weight is known exactly."""
    phi = (Equals("age", "7"), Between("zip", 0, 10))
    columns = ("age", "zip", "sex")
    wrong = 0
    for seed in range(200):
        parts = (*phi, HashBelow(columns, "ms32", f"k{seed}", 2**31)) if methods == ("hash",) else phi
        made = bound(And(parts), HoldoutSource(people(400, seed), 0.2, methods))
        if methods == ("hash",):
            grid = [(7, z, s) for z in range(10) for s in range(2)]
            table = pa.table({name: [row[j] for row in grid] for j, name in enumerate(columns)})
            true = evaluate(And(parts), Rows.of_table(table)).sum() / (50 * 20 * 2)
        else:
            true = 1 / 50 / 2
        wrong += made.value < true
    assert wrong <= 200 * 0.2 + 3 * np.sqrt(200 * 0.2 * 0.8)
    if methods == ("cp",):
        assert wrong >= 10  # a bound that is never wrong would be too wide


def test_dependent_columns_are_found_and_kept_together():
    rows = people(3000, linked=True)
    found = dependence(rows, ("age", "sex", "zip"))
    assert found.dependent == (("age", "sex"),) or found.strongest == ("age", "sex")
    assert dependence(people(3000), ("age", "sex", "zip")).dependent == ()
    i = np.arange(2000)
    twins = Rows.of_table(pa.table({"a": i % 7, "b": i % 7, "c": i // 7}))
    blocks = independent_blocks([{"a"}, {"b"}, {"c"}], twins)
    assert blocks.blocks == ((0, 1), (2,))
    assert "1 dependent" in blocks.sentence
    joined = bound(And((Equals("a", "3"), Equals("b", "3"))), HoldoutSource(twins, 0.05, ("product",)))
    assert joined.value > 1 / 7


def test_bad_input():
    with pytest.raises(InputError, match="methods must hold one that applies"):
        bound(Equals("age", "3"), HoldoutSource(people(10), methods=("product",)))
    with pytest.raises(InputError, match="matches must be at most"):
        weights.exact(11, 10)
    with pytest.raises(InputError, match="error must lie"):
        weights.hashed(weights.exact(1, 10), 0.5, 0.1, 0.0)
    with pytest.raises(InputError, match="bits and error"):
        weights.fingerprint(0.1, 0, 0.05)
