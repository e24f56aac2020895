"""Counting in the engine against counting in numpy."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.conditions.predicate import And, Between, Equals, In, Not, Or, evaluate
from dalenius.errors import InputError, TooLargeError
from dalenius.people.dataset import Dataset, ReadSettings, read
from dalenius.people.engine import count_predicates as matching
from dalenius.people.engine import tabulate as counting
from dalenius.people.engine.count_predicates import count_predicates
from dalenius.people.engine.tabulate import plan_covers, tabulate
from dalenius.people.truth import secret_codes
from dalenius.random import stream

N = 500
NAMES = ("a", "b", "c", "d")


@pytest.fixture(scope="module")
def people() -> Iterator[Dataset]:
    rng = stream(1, "test", "tabulate")
    columns = {name: rng.integers(0, size, N) for name, size in zip(NAMES, (2, 3, 4, 90), strict=True)}
    columns |= {"s": rng.integers(0, 3, N), "key": np.array([f"k{i}" for i in range(N)])}
    with read(pa.table(columns), secret="s", id="key") as data:
        yield data


def by_hand(people: Dataset, names: tuple[str, ...]) -> np.ndarray:
    codes = people.attributes().select(names).codes
    shape = [len(people.schema.column(name).levels) for name in names] + [3]
    table = np.zeros(shape, np.int64)
    np.add.at(table, (*codes.T, secret_codes(people)), 1)
    return table


@pytest.mark.parametrize("most_cells", [1, 40, 1 << 16])
def test_tables_are_those_counted_by_hand(
    people: Dataset, most_cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "MOST_CELLS", most_cells)
    sets = [names for ways in range(4) for names in combinations(NAMES, ways)] + [("c", "a"), ("d", "b", "a")]
    for names, table in zip(sets, tabulate(people, sets), strict=True):
        assert table.dtype == np.int64
        assert (table == by_hand(people, names)).all()


def test_no_sets_no_tables(people: Dataset) -> None:
    assert tabulate(people, []) == []


@given(
    sizes=st.lists(st.integers(1, 50), min_size=5, max_size=5),
    sets=st.lists(st.sets(st.integers(0, 4)).map(lambda s: tuple(sorted(s))), max_size=12),
    most=st.integers(1, 5000),
)
def test_covers_hold_every_set_once_and_only_a_lone_set_is_too_large(
    sizes: list[int], sets: list[tuple[int, ...]], most: int
) -> None:
    covers = plan_covers(sets, sizes, most)
    assert sorted(i for cover in covers for i in cover.sets) == list(range(len(sets)))
    for cover in covers:
        assert all(set(sets[i]) <= set(cover.columns) for i in cover.sets)
        fits = np.prod([sizes[j] for j in cover.columns]) <= most
        assert fits or set(cover.columns) in [set(sets[i]) for i in cover.sets]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("aa",), "column 'aa' must be in the data"),
        (("s",), "column 's' must be public to be counted by; got the role secret."),
        (("a", "a"), "column 'a' must be once in a set; got twice."),
    ],
)
def test_columns_that_cannot_be_tabulated(people: Dataset, names: tuple[str, ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        tabulate(people, [names])


def test_a_table_too_large_says_how_large(people: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "LARGEST_TABLE", 10)
    with pytest.raises(
        TooLargeError, match=r"the table by b, c must have at most 10 cells; got 36. Use fewer"
    ):
        tabulate(people, [("b", "c")])


PREDICATES = [
    Equals("a", "1"),
    In("c", ("0", "3")),
    In("c", ()),
    Between("c", 1, 3),
    Between("d", None, None),
    Not(Equals("b", "2")),
    And(()),
    Or(()),
    And((Equals("a", "0"), Or((Equals("b", "1"), Not(Between("c", 2, None)))))),
]


@pytest.mark.parametrize("most_cells", [0, 20, 1 << 12])
@pytest.mark.parametrize("per_scan", [1, 4, 200])
def test_publisher_and_attacker_agree_who_matches(
    people: Dataset, most_cells: int, per_scan: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matching, "MOST_CELLS_TO_MATCH", most_cells)
    monkeypatch.setattr(matching, "PREDICATES_PER_SCAN", per_scan)
    secrets, attributes = secret_codes(people), people.attributes()
    expected = [np.bincount(secrets[evaluate(p, attributes)], minlength=3) for p in PREDICATES]
    assert (count_predicates(people, PREDICATES) == expected).all()


@pytest.mark.parametrize("most_cells", [0, 1 << 12])
def test_a_predicate_may_not_speak_of_the_secret(
    people: Dataset, most_cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matching, "MOST_CELLS_TO_MATCH", most_cells)
    with pytest.raises(InputError, match=r"column 's' must be public to be counted by; got the role secret."):
        count_predicates(people, [Equals("s", "1")])


def test_no_predicates_no_counts(people: Dataset) -> None:
    assert count_predicates(people, []).shape == (0, 3)


def test_rows_stay_within_the_memory_budget(tmp_path: Path) -> None:
    n = 200_000
    rng = stream(1, "test", "memory")
    columns = {f"c{j}": rng.integers(0, 6, n) for j in range(8)} | {"income": rng.normal(size=n)}
    columns |= {"s": rng.integers(0, 2, n), "key": np.arange(n)}
    path = tmp_path / "people.parquet"
    pyarrow.parquet.write_table(pa.table(columns), path)
    with read(path, secret="s", id="key", how=ReadSettings(memory="200MB")) as data:
        tables = tabulate(data, list(combinations([f"c{j}" for j in range(8)], 2)))
        assert {int(table.sum()) for table in tables} == {n}
        assert (data.attributes().codes[:, 3] == columns["c3"]).all()
        limit = data.rows.engine.backend.raw_sql("SELECT current_setting('memory_limit')").fetchone()[0]
    assert limit == "190.7 MiB"


def test_closing_removes_what_spilled_to_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    data = read(pa.table({"s": [0, 1]}), secret="s")
    assert [folder.stat().st_mode & 0o777 for folder in tmp_path.iterdir()] == [0o700]
    data.close()
    assert list(tmp_path.iterdir()) == []
