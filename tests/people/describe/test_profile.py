"""The first look: which columns look like an id, a constant, a number to be cut."""

from __future__ import annotations

import ibis
import numpy as np
import pyarrow as pa
import pytest

from dalenius.errors import InputError
from dalenius.people.describe.profile import ColumnProfile, _shown, profile
from dalenius.people.describe.signs import Shape
from dalenius.people.schema import Kind, Role
from dalenius.random import stream

N = 2000


@pytest.fixture(scope="module")
def looked() -> dict[str, ColumnProfile]:
    rng = stream(1, "test", "profile")
    nearly = [f"m{i}" for i in range(N)]
    nearly[1] = nearly[0]
    table = pa.table(
        {
            "key": np.arange(N),
            "passport": [f"x{i}" for i in range(N)],
            "mail": nearly,
            "income": rng.lognormal(10, 1, N),
            "place": rng.integers(0, 1100, N).astype(str).tolist(),
            "age": rng.integers(18, 40, N),
            "sex": rng.choice(["f", "m"], N, p=[0.7, 0.3]),
            "planet": ["Earth"] * N,
            "note": [None] * 10 + ["a", "b"] * (N // 2 - 5),
            "tags": [[1]] * N,
        }
    )
    return {column.name: column for column in profile(table)}


@pytest.mark.parametrize(
    ("name", "role", "kind", "reason"),
    [
        ("key", Role.ID, Kind.CATEGORICAL, "every value is different"),
        ("passport", Role.IGNORED, Kind.CATEGORICAL, "names people as key does"),
        ("mail", Role.IGNORED, Kind.CATEGORICAL, "nearly every value is different: it names people"),
        ("income", Role.PUBLIC, Kind.NUMERIC, "2000 different values"),
        ("age", Role.PUBLIC, Kind.CATEGORICAL, "22 different values"),
        ("sex", Role.PUBLIC, Kind.BINARY, "2 different values"),
        ("planet", Role.IGNORED, Kind.CATEGORICAL, "the same for everybody"),
        ("note", Role.PUBLIC, Kind.BINARY, "2 different values, 10 missing"),
        ("tags", Role.IGNORED, Kind.CATEGORICAL, "values of type array<int64> cannot be counted by"),
    ],
)
def test_suggestions(
    looked: dict[str, ColumnProfile], name: str, role: Role, kind: Kind, reason: str
) -> None:
    column = looked[name]
    assert (column.role, column.kind, column.reason) == (role, kind, reason)


def test_columns_that_name_people_show_no_values(looked: dict[str, ColumnProfile]) -> None:
    for name in ("key", "passport", "mail"):
        assert (looked[name].min, looked[name].max, looked[name].example_levels) == ("", "", ())


def test_what_is_shown_of_the_others(looked: dict[str, ColumnProfile]) -> None:
    assert looked["sex"].example_levels == ("f", "m")
    assert (looked["age"].min, looked["age"].max, looked["age"].dtype) == ("18", "39", "int64")
    assert looked["income"].edges == tuple(sorted(looked["income"].edges)) != ()
    assert looked["note"].missing == 10


def test_nothing_to_look_at() -> None:
    with pytest.raises(InputError, match="must have at least one row"):
        profile(pa.table({"a": pa.array([], pa.int64())}))


def test_a_damaged_index_with_values_and_no_least_one() -> None:
    """Seen of an SQLite file with a piece cut out of it."""
    table = ibis.memtable(pa.table({"x": ["a", "b", "b"]}))
    column = ColumnProfile("c", "string", 2, 0, "", "", (), Role.PUBLIC, Kind.CATEGORICAL, (), "")
    shown = _shown(column, table, Shape("c", 3, 2, 0, None, None, False, False, False))
    assert (shown.min, shown.max) == ("", "")
