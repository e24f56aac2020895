"""Each statistic against a plain count over the people."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.conditions.predicate import And, Between, Equals, In, Not, evaluate
from dalenius.errors import InputError, TooLargeError
from dalenius.matrices.operators import BitRows
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.statistics import tables as tables_module
from dalenius.statistics.counts import subsets as subsets_module
from dalenius.statistics.counts.queries import ConditionCounts
from dalenius.statistics.counts.subsets import HadamardQueries, Subsets, random_subsets, subsets_from_pairs
from dalenius.statistics.parse import ask, check
from dalenius.statistics.tables import Tables, tables_of
from helpers.rosters import coded


def column(name: str, levels: int) -> Column:
    return Column(name, Role.PUBLIC, Kind.CATEGORICAL, tuple(f"v{j}" for j in range(levels)))


@st.composite
def crowds(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    n = draw(st.integers(1, 9))
    return coded(np.stack([rng.integers(0, size, n) for size in sizes], axis=1), sizes)


RNG = np.random.default_rng(3)
NAMES = Roster.of_names("id", np.array(["ann", "bob", "cat", "dan", "eve"]))


# --- tables ---------------------------------------------------------------------------------------------


@settings(max_examples=50, deadline=None)
@given(crowds(), st.data())
def test_rows_of_tables_count_who_their_label_says(roster, data):
    k = data.draw(st.integers(0, len(roster.attributes.columns)))
    tables = tables_of(roster.attributes.columns, k)
    dense = tables.operator(roster).explicit().toarray()
    labels = list(tables.labels())
    assert dense.shape == (tables.rows, len(roster)) == (len(labels), len(roster))
    levels = [c.levels for c in roster.attributes.columns]
    for row, label in zip(dense, labels, strict=True):
        parts = [] if label == "everybody" else [part.split("=") for part in label.split(" & ")]
        expected = [
            all(levels[int(name[1:])][person[int(name[1:])]] == value for name, value in parts)
            for person in roster.attributes.codes
        ]
        assert row.astype(bool).tolist() == expected


@settings(max_examples=50, deadline=None)
@given(crowds(), st.data())
def test_rows_of_one_table_partition_the_people(roster, data):
    k = data.draw(st.integers(0, len(roster.attributes.columns)))
    tables = tables_of(roster.attributes.columns, k)
    dense = tables.operator(roster).explicit().toarray()
    number = math.comb(len(roster.attributes.columns), k)
    for table in range(number):
        assert dense[tables.table == table].sum(axis=0).tolist() == [1] * len(roster)
    assert np.unique(tables.table).size == number


@pytest.mark.parametrize("k", [1, 2])
def test_sensitivity_of_tables_is_the_worst_replacement(k):
    """Brute force: replace one of three people by any other record and secret."""
    columns = (column("c0", 2), column("c1", 2))
    tables = tables_of(columns, k)

    def counts(people):
        codes = np.array([person[:2] for person in people], np.int32)
        roster = Roster("id", np.array(list("abc")), CodedColumns(columns, codes))
        one_hot = np.eye(3)[[person[2] for person in people]]
        return tables.operator(roster).explicit().toarray() @ one_hot

    records = list(itertools.product(range(2), range(2), range(3)))
    change = [
        counts([old, records[0], records[5]]) - counts([new, records[0], records[5]])
        for old, new in itertools.product(records, records)
    ]
    worst = tables.sensitivity(3)
    assert worst.l1 == max(np.abs(c).sum() for c in change)
    assert worst.l2_squared == max((c**2).sum() for c in change)


def test_levels_listed_in_another_order_are_translated():
    ours, theirs = ("young", "old"), ("old", "middle", "young")
    tables = Tables((Column("age", Role.PUBLIC, Kind.CATEGORICAL, ours),), (("age",),))
    listed = (Column("age", Role.PUBLIC, Kind.CATEGORICAL, theirs),)
    people = Roster("id", np.array(["a", "b"]), CodedColumns(listed, np.array([[2], [0]], np.int32)))
    assert tables.operator(people).explicit().toarray().tolist() == [[1, 0], [0, 1]]
    stranger = Roster("id", np.array(["a"]), CodedColumns(listed, np.array([[1]], np.int32)))
    with pytest.raises(
        InputError, match=r"column 'age' must have only levels that the release names; got 1 other"
    ):
        tables.operator(stranger)


def test_tables_are_read_back():
    columns = (column("c0", 2), column("c1", 3), column("unused", 2))
    tables = Tables(columns[:2], (("c1",), ("c0", "c1")))
    assert Tables.from_json(tables.to_json(), columns) == tables


def test_a_workload_of_tables_that_would_not_fit(monkeypatch):
    monkeypatch.setattr(tables_module, "CELL_LIMIT", 11)
    columns = [column(f"c{j}", 2) for j in range(3)]
    assert tables_of(columns, 1).rows == 6
    with pytest.raises(TooLargeError, match=r"at most 11 cells together; got 12 cells.*smaller k"):
        tables_of(columns, 2)


@pytest.mark.parametrize("k", [-1, 3])
def test_more_columns_than_there_are(k):
    with pytest.raises(InputError, match=r"tables: k must be at most the number of public columns \(2\)"):
        tables_of([column("c0", 2), column("c1", 2)], k)


# --- sets of named people ---------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6), st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_sets_follow_the_order_of_the_list(m, n, seed):
    rng = np.random.default_rng(seed)
    dense = rng.integers(0, 2, (m, n)).astype(bool)
    ids = np.array([f"p{i}" for i in rng.permutation(n)])
    asked = Subsets(ids, BitRows.from_dense(dense), tuple(f"q{j}" for j in range(m)))
    order = rng.permutation(n)
    roster = Roster.of_names("id", ids[order])
    assert np.array_equal(asked.operator(roster).explicit().toarray(), dense[:, order])
    alike = asked.fingerprint(roster)
    for i, j in itertools.combinations(range(n), 2):
        same = np.array_equal(dense[:, order[i]], dense[:, order[j]])
        assert np.array_equal(alike[i], alike[j]) == same


def test_an_operator_about_some_of_the_people_has_their_columns():
    asked = Subsets(NAMES.ids, BitRows.from_dense(np.eye(5, dtype=bool)), tuple("vwxyz"))
    some = NAMES.take(np.array([3, 1]))
    assert asked.operator(some).explicit().toarray().T.tolist() == [[0, 0, 0, 1, 0], [0, 1, 0, 0, 0]]


def test_somebody_new_is_counted_by_no_query_and_somebody_counted_must_be_listed():
    asked = Subsets(NAMES.ids, BitRows.from_dense(np.array([[1, 1, 0, 0, 0]], bool)), ("q",))
    more = Roster.of_names("id", np.array(["zoe", *NAMES.ids]))
    assert asked.operator(more).explicit().toarray().tolist() == [[0, 1, 1, 0, 0, 0]]
    without_cat = NAMES.take(np.array([0, 1, 3, 4]))
    asked.refuse_strangers(without_cat)  # nobody asks about cat
    with pytest.raises(InputError, match="queries must count only people on the list; got 1 person"):
        asked.fingerprint(NAMES.take(np.array([1, 2, 3])))


@pytest.mark.parametrize(("values", "expected"), [(1, 2.0), (2, 4.0), (4, 4.0)])
def test_sensitivity_of_sets_is_that_of_the_person_in_most_of_them(values, expected):
    dense = np.array([[1, 0, 1], [1, 0, 0], [0, 0, 1]], bool)
    asked = Subsets(NAMES.ids[:3], BitRows.from_dense(dense), tuple("abc"))
    assert asked.sensitivity(values).l1 == asked.sensitivity(values).l2_squared == expected


def test_pairs_of_query_and_person_become_sets():
    asked = subsets_from_pairs(
        np.array(["q2", "q1", "q2", "q2"]), np.array(["eve", "ann", "bob", "eve"]), NAMES.ids
    )
    assert asked.names == ("q1", "q2")
    assert asked.operator(NAMES).explicit().toarray().tolist() == [[1, 0, 0, 0, 0], [0, 1, 0, 0, 1]]
    with pytest.raises(InputError, match="1 person not on it") as caught:
        subsets_from_pairs(np.array(["q1", "q9"]), np.array(["ann", "zoe"]), NAMES.ids)
    assert "q9" not in str(caught.value)
    assert "query 'q9'" in caught.value.hint


@pytest.mark.parametrize("n", [1, 7, 8, 13])
def test_random_sets_hold_everybody_half_the_time_and_nobody_else(n):
    ids = np.array([f"p{i}" for i in range(n)])
    asked = random_subsets(ids, 4000, rng=np.random.default_rng(1))
    rates = asked.operator(Roster.of_names("id", ids)).apply_transpose(np.ones(4000)) / 4000
    assert np.abs(rates - 0.5).max() < 4 * 0.5 / 4000**0.5
    spare = (asked.members.packed[:, -1] << (n % 8)) & 0xFF if n % 8 else np.zeros(1)
    assert not spare.any()  # bits for people who do not exist


def test_too_many_random_sets(monkeypatch):
    monkeypatch.setattr(subsets_module, "BIT_LIMIT", 99)
    with pytest.raises(
        TooLargeError, match=r"random subsets must be at most 99 queries x people; got 20 x 5"
    ):
        random_subsets(NAMES.ids, 20, rng=RNG)


def test_hadamard_queries_are_about_their_own_people_in_their_order():
    asked = HadamardQueries(NAMES.ids)
    assert asked.rows == 15 == len(list(asked.labels()))
    assert list(asked.labels())[7:9] == ["plus 7", "minus 1"]
    assert asked.operator(NAMES).shape == (15, 5)
    assert asked.sensitivity(1).l1 == 8  # each person is in one of each pair of queries
    with pytest.raises(InputError, match="must be the one the Hadamard queries were made for"):
        asked.operator(NAMES.take(np.array([1, 0, 2, 3, 4])))


# --- conditions -------------------------------------------------------------------------------------------


AGE = Column("age", Role.PUBLIC, Kind.NUMERIC, ("young", "middle", "old"), (30.0, 60.0))
SEX = Column("sex", Role.PUBLIC, Kind.BINARY, ("f", "m"))
TOWN = Column("town", Role.PUBLIC, Kind.CATEGORICAL, ("a", "b"))
CROWD = Roster(
    "id",
    np.array([f"p{i}" for i in range(12)]),
    CodedColumns(
        (AGE, SEX, TOWN),
        np.array([[a, s, t] for a in range(3) for s in range(2) for t in range(2)], np.int32),
    ),
)
ASKED = ConditionCounts(
    (AGE, SEX),
    (And((Between("age", 30.0, None), Equals("sex", "f"))), Not(In("sex", ("f",))), And(())),
    ("older women", "men", "all"),
)


def test_conditions_count_who_meets_them():
    dense = ASKED.operator(CROWD).explicit().toarray()
    for row, predicate in zip(dense, ASKED.predicates, strict=True):
        assert np.array_equal(row.astype(bool), evaluate(predicate, CROWD.attributes))
    assert list(ASKED.labels()) == ["older women", "men", "all"]
    assert ASKED.table.tolist() == [0, 1, 2]


def test_conditions_tell_people_apart_by_the_columns_they_name():
    alike = ASKED.fingerprint(CROWD)
    assert alike.shape == (12, 2)
    assert np.unique(alike, axis=0).shape == (6, 2)


def test_conditions_are_read_back():
    assert ConditionCounts.from_json(ASKED.to_json(), (TOWN, AGE, SEX)) == ASKED


@pytest.mark.parametrize("values", [1, 3])
def test_sensitivity_of_conditions_is_the_worst_replacement(values):
    """One that meets all conditions replaced by one that meets none, or only its secret."""
    operator = ASKED.operator(CROWD).explicit().toarray()
    hot = np.eye(values) if values > 1 else np.array([[0.0], [1.0]])
    records = [np.outer(column, value) for column in operator.T for value in hot]
    change = [a - b for a, b in itertools.product(records, records)]
    worst = ASKED.sensitivity(values)
    assert worst.l1 >= max(np.abs(c).sum() for c in change)
    assert worst.l2_squared >= max((c**2).sum() for c in change)
    assert worst.l1 <= ASKED.rows * min(2, values)


# --- from words -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind", "rows"),
    [
        ("tables:k=1", "tables", 7),
        ("tables:k=2,attributes=age+sex", "tables", 6),
        ("histogram", "tables", 1),
        ("histogram:column=age", "tables", 3),
        ("random-subsets:m=9", "subsets", 9),
        ("hadamard", "hadamard", 31),
    ],
)
def test_statistics_by_name(text, kind, rows):
    asked = ask(text, CROWD, rng=np.random.default_rng(1))
    assert (asked.kind, asked.rows) == (kind, rows)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("table:k=1", "statistic 'table' must be a known kind.*Did you mean 'tables'"),
        ("tables", "tables: k must be given"),
        ("tables:k=-1", "tables: k must be at least 0"),
        ("tables:k=1.5", "tables: k must be a whole number"),
        ("tables:ways=2", "tables: option 'ways' must be one it knows"),
        ("tables:k=4", r"tables: k must be at most the number of public columns \(3\); got 4"),
        ("tables:k=1,attributes=aeg", "column 'aeg' must be one of the public columns.*Did you mean 'age'"),
        ("random-subsets:m=0", "random-subsets: m must be at least 1"),
        ("hadamard:n=4", "hadamard takes no options"),
        ("queries:path=nowhere.csv", "nowhere.csv must be a file"),
    ],
)
def test_statistics_that_cannot_be_asked(text, message):
    with pytest.raises(InputError, match=message):
        ask(text, CROWD, rng=np.random.default_rng(1))


def test_words_are_checked_before_there_are_people():
    with pytest.raises(InputError, match="must be a known kind"):
        check("sum:column=age")
    assert check("tables:k=40").whole("k", least=0) == 40


def test_queries_from_files(tmp_path):
    long = tmp_path / "long.csv"
    long.write_text("query,id\nb,p1\na,p0\nb,p11\n")
    asked = ask(f"queries:path={long}", CROWD, rng=RNG)
    assert list(asked.labels()) == ["a", "b"]
    assert asked.operator(CROWD).apply(np.arange(12.0)).tolist() == [0, 12]
    written = tmp_path / "conditions.csv"
    written.write_text('query,condition\nold,age >= 60\n"f, young","sex = f and age < 30"\n')
    asked = ask(f"queries:path={written}", CROWD, rng=RNG)
    assert list(asked.labels()) == ["old", "f, young"]
    assert asked.operator(CROWD).apply(np.ones(12)).tolist() == [4, 2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query,person\na,p1\n", "must have the columns 'query' and 'id', or 'query' and 'condition'"),
        ("query,id\na,nobody\n", "must count only people on the list; got 1 person"),
        ("query,condition\na,age >= 31\n", "in row 1, or a part of it, must be one of its bin edges"),
        ("query,condition\na,hight >= 31\n", "in row 1, or a part of it, must be one of the public columns"),
        ("query,condition\na,age >\n", "in row 1, or a part of it, must look like"),
        ("query,condition\na,sex = f\na,sex = m\n", "query must name every condition once"),
    ],
)
def test_queries_that_cannot_be_used(text, message, tmp_path):
    path = tmp_path / "queries.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        ask(f"queries:path={path}", CROWD, rng=RNG)
