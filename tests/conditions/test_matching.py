"""Narrowing must not change who matches."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.conditions import matching
from dalenius.conditions.matching import Matcher
from dalenius.conditions.predicate import (
    And,
    Between,
    Equals,
    HashBelow,
    HashBit,
    Not,
    Or,
    Predicate,
    evaluate,
)
from dalenius.errors import InputError
from dalenius.people.rows.rows import Rows

RNG = np.random.default_rng(4)
ROWS = Rows.of_table(
    pa.table({"age": RNG.integers(0, 50, 300), "town": RNG.choice(["Bern", "Zug", "Genf"], 300)})
)

leaves = st.one_of(
    st.sampled_from(["Bern", "Zug", "Genf"]).map(lambda town: Equals("town", town)),
    st.integers(0, 50).map(lambda age: Between("age", None, age)),
    st.builds(
        lambda seed, below: HashBelow(("age", "town"), "ms32", f"{seed}", below),
        st.integers(0, 3),
        st.integers(0, 2**32),
    ),
)
trees: st.SearchStrategy[Predicate] = st.recursive(
    leaves,
    lambda part: st.one_of(
        st.lists(part, max_size=4).map(lambda parts: And(tuple(parts))),
        st.lists(part, max_size=4).map(lambda parts: Or(tuple(parts))),
        part.map(Not),
    ),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.lists(trees, min_size=1, max_size=4), st.sampled_from([0, 700, matching.MEMORY]))
def test_the_same_rows_as_one_by_one(asked: list[Predicate], memory: int) -> None:
    matcher = Matcher(ROWS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "MEMORY", memory)
        for predicate in asked * 2:
            np.testing.assert_array_equal(matcher.which(predicate), np.flatnonzero(evaluate(predicate, ROWS)))


def test_what_is_remembered_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "MEMORY", 5000)
    matcher = Matcher(ROWS)
    most = 0
    for i in range(200):
        hashed = HashBelow(("age", "town"), "ms32", f"{i}", 2**31)
        matcher.count(And((Between("age", i % 50, i % 50 + 2), Equals("town", "Zug"), hashed)))
        matcher.count(Or((hashed, Equals("town", "Zug"))))
        most = max(most, matcher.remembered)
    assert 5000 < most < 5000 + 10 * len(ROWS)  # without the limit it ends above 50,000


def test_bits_of_codes_are_refused() -> None:
    with pytest.raises(InputError, match="bit of a hash must be asked of coded columns"):
        Matcher(ROWS).count(HashBit(("age",), "salt", 1))
