"""Desks: the same answers from people, a database and a callable; budgets, sticky noise, bad input."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from dalenius.conditions.hashes import BITS
from dalenius.conditions.predicate import (
    And,
    Between,
    Equals,
    HashBit,
    In,
    Not,
    Or,
    Predicate,
    columns_of,
    evaluate,
    from_json,
    hashes,
    to_json,
)
from dalenius.errors import BudgetError, InputError, UnsupportedError
from dalenius.people.dataset import Dataset, ReadSettings, read
from dalenius.people.engine.count_predicates import count_predicates
from dalenius.people.schema import Column, Kind, Role
from dalenius.people.truth import secret_codes
from dalenius.release.desk.desk import OpenDesk
from dalenius.release.desk.open_desk import open_desk
from dalenius.release.desk.sql import sql_source, to_sql
from dalenius.release.desk.terms import Budget, Terms
from dalenius.release.files import read_release, write_release

N = 300
NAMES = ("town", "age", "weight", "rooms")
EVERYBODY = And(())


def people_table() -> pa.Table:
    rng = np.random.default_rng(3)
    town = rng.choice(["Ås", "aarau", "O'Fallon", 'q"t', "a|b"], N).astype(object)
    town[:9] = None
    return pa.table(
        {
            "town": town,
            "age": rng.integers(18, 60, N),
            "weight": np.where(rng.random(N) < 0.1, None, rng.normal(70, 15, N)),
            "rooms": rng.integers(2, 9, N) / 2,
            "ill": rng.choice(["no", "yes"], N),
        }
    )


@pytest.fixture(scope="module")
def people() -> Iterator[Dataset]:
    with read(
        people_table(), secret="ill", bins={"weight": [50.5, 80]}, how=ReadSettings(missing="value")
    ) as data:
        yield data


QUESTIONS: list[Predicate] = [
    EVERYBODY,
    Or(()),
    Equals("town", "O'Fallon"),
    Not(Equals("town", 'q"t')),
    Equals("town", "(missing)"),
    In("town", ("Ås", "a|b")),
    Between("weight", 50.5, None),
    Not(Between("weight", None, 80.0)),
    Equals("rooms", "2.5"),
    HashBit(("town",), "s", 3),
    HashBit(NAMES, "it's", 127),
    And((HashBit(NAMES, "x", 0), Not(HashBit(("age", "weight"), "x", 9)), Between("age", 30, 50))),
    *(HashBit(NAMES, "many", bit) for bit in range(40)),
]


def brute(data: Dataset, predicates: list[Predicate]) -> np.ndarray:
    attributes, ill = data.attributes(), secret_codes(data) == 1
    return np.array([[(evaluate(p, attributes) & ill).sum()] for p in predicates], np.float64)


def test_hash_bits_are_fair_and_differ_between_salts_and_bits(people):
    attributes = people.attributes()
    distinct = np.unique(attributes.codes, axis=0, return_index=True)[1]
    bits = np.array([evaluate(HashBit(NAMES, s, b), attributes)[distinct] for s in "ab" for b in range(BITS)])
    shares = bits.mean(axis=1)
    assert abs(shares.mean() - 0.5) < 5 * 0.5 / math.sqrt(bits.size)
    assert abs(shares - 0.5).max() < 5 * 0.5 / math.sqrt(distinct.size)
    correlation = np.corrcoef(bits.astype(float)) - np.eye(len(bits))
    assert abs(correlation).max() < 6 / math.sqrt(distinct.size)


def test_a_hash_goes_through_json():
    asked = And((HashBit(("b", "a"), "salt", 17), Not(Equals("a", "1"))))
    assert from_json(json.loads(json.dumps(to_json(asked)))) == asked
    assert columns_of(asked) == {"a", "b"}
    assert hashes(asked)
    assert not hashes(Or((Not(EVERYBODY),)))


@pytest.mark.parametrize("bit", [-1, 128])
def test_a_hash_has_128_bits(bit):
    with pytest.raises(InputError, match="from 0 to 127"):
        HashBit(("a",), "s", bit)


def test_a_hash_of_nothing_is_refused():
    with pytest.raises(InputError, match="at least one public column"):
        HashBit((), "s", 0)


def test_people_in_an_engine_are_counted_as_by_hand(people):
    desk = open_desk(people, "exact", rng=np.random.default_rng(1))
    assert np.array_equal(desk.ask(QUESTIONS), brute(people, QUESTIONS))
    assert (count_predicates(people, QUESTIONS).sum(axis=1)[0]) == N


def test_a_database_counts_the_same_people(people):
    """The text of the conditions, run by DuckDB on the raw columns, with its own md5."""
    connection = duckdb.connect()
    connection.register("raw", people_table())
    connection.execute('CREATE TABLE "people" AS SELECT * FROM raw')
    terms = Terms(people.schema.secret, people.schema.public, "exact")
    desk = OpenDesk(sql_source(lambda text: connection.execute(text).fetchall(), "people", terms), terms)
    assert np.array_equal(desk.ask(QUESTIONS), brute(people, QUESTIONS))
    connection.close()


def test_names_and_values_cannot_break_out_of_their_quotes():
    column = Column('a" OR 1=1 --', Role.PUBLIC, Kind.BINARY, ("'; DROP TABLE people; --", "x"))
    text = to_sql(Equals(column.name, column.levels[0]), [column])
    assert text == "((\"a\"\" OR 1=1 --\" = '''; DROP TABLE people; --'))"


def test_a_batch_beyond_the_budget_is_refused_whole(people):
    desk = open_desk(people, "exact", rng=np.random.default_rng(1), budget=Budget(queries=3))
    desk.ask(QUESTIONS[:2])
    with pytest.raises(BudgetError, match="2 questions more, of which 1 are left"):
        desk.ask(QUESTIONS[2:4])
    assert (desk.spent, desk.left) == (2, 1)
    desk.ask(QUESTIONS[2:3])
    with pytest.raises(BudgetError):
        desk.ask(QUESTIONS[:1])
    assert desk.transcript.size == 3


@pytest.mark.parametrize(
    ("mechanism", "budget", "queries"),
    [
        ("gaussian:sigma=5", Budget(rho=0.1), 5),  # each costs 1 / (2 * 25)
        ("gaussian:sigma=5", Budget(rho=0.1, queries=3), 3),
        ("laplace:scale=10", Budget(epsilon=1), 10),
        ("geometric:scale=10 | rounding:base=5", Budget(epsilon=0.35), 3),
        ("gaussian:rho=0.1", Budget(queries=7), 7),
    ],
)
def test_noise_is_paid_for(mechanism, budget, queries, people):
    desk = open_desk(people, mechanism, rng=np.random.default_rng(1), budget=budget)
    assert desk.left == queries
    desk.ask([HashBit(NAMES, "s", bit) for bit in range(queries)])
    promise = desk.transcript.promise
    spent = promise.rho if promise.epsilon is None else promise.epsilon
    limit = budget.rho or budget.epsilon or 0.1
    assert spent <= limit * (1 + 1e-9)
    with pytest.raises(BudgetError):
        desk.ask([EVERYBODY])


def test_a_promise_is_kept_for_all_queries_together(people):
    desk = open_desk(people, "gaussian:rho=0.1", rng=np.random.default_rng(1), budget=Budget(queries=20))
    assert desk.terms.mechanism == "gaussian:sigma=10"  # sqrt(20 / 0.2)


def test_a_secret_of_three_values_costs_twice(people):
    table = people_table().drop(["ill"]).append_column("ill", pa.array(["a", "b", "c"] * (N // 3)))
    with read(table, secret="ill", how=ReadSettings(missing="value")) as data:
        desk = open_desk(data, "laplace:scale=10", rng=np.random.default_rng(1), budget=Budget(epsilon=1))
        assert desk.left == 5
        assert desk.ask([EVERYBODY]).shape == (1, 3)


def test_fresh_noise_averages_out_and_sticky_noise_does_not(people):
    asked = [HashBit(NAMES, "s", 0)] * 400
    truth = brute(people, asked[:1])[0, 0]
    fresh = open_desk(people, "gaussian:sigma=4", rng=np.random.default_rng(1))
    told = fresh.ask(asked)
    assert abs(told.mean() - truth) < 4 * 4 / math.sqrt(400)
    assert abs(told.std() - 4) < 0.6
    sticky = open_desk(people, "gaussian:sigma=4", rng=np.random.default_rng(1), sticky=True)
    assert np.unique(sticky.ask(asked)).size == 1
    assert sticky.spent == 1
    assert sticky.transcript.promise.rho == pytest.approx(1 / 32)


def test_sticky_noise_depends_on_the_question_alone(people):
    asked = [HashBit(NAMES, "s", bit) for bit in range(30)]
    one, other = (
        open_desk(people, "gaussian:sigma=4", rng=np.random.default_rng(9), sticky=True) for _ in range(2)
    )
    told = one.ask(asked)
    parts = [other.ask([predicate]) for predicate in reversed(asked)]
    assert np.array_equal(told, np.concatenate(parts)[::-1])
    assert np.unique(told - brute(people, asked)).size == 30


def test_small_groups_and_small_counts_get_no_answer(people):
    few = And(tuple(HashBit(NAMES, "s", bit) for bit in range(6)))
    matched = int(evaluate(few, people.attributes()).sum())
    assert 0 < matched < 20
    desk = open_desk(people, "exact", rng=np.random.default_rng(1), smallest=20)
    assert np.isnan(desk.ask([few, EVERYBODY])).ravel().tolist() == [True, False]
    hiding = open_desk(people, "suppression:below=20", rng=np.random.default_rng(1))
    assert np.isnan(hiding.ask([few, EVERYBODY])).ravel().tolist() == [True, False]


def test_a_transcript_is_a_release_that_can_be_filed(people, tmp_path):
    desk = open_desk(people, "suppression:below=20 | rounding:base=5", rng=np.random.default_rng(1))
    desk.ask(QUESTIONS)
    desk.ask(QUESTIONS[:3])
    write_release(desk.transcript, tmp_path / "said")
    back = read_release(tmp_path / "said")
    assert back.blocks[0].statistic == desk.transcript.blocks[0].statistic
    assert np.array_equal(back.blocks[0].answers, desk.transcript.blocks[0].answers, equal_nan=True)
    assert back.mechanism == desk.transcript.mechanism


ILL = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))
TOWN = Column("town", Role.PUBLIC, Kind.CATEGORICAL, ("Bern", "Zug"))
TERMS = Terms(ILL, (TOWN,), "exact", Budget(queries=5))
ZUG = Equals("town", "Zug")


@pytest.mark.parametrize("given", [[1], [1, 2, 3], [[1, 2], [3, 4]], [[1], []], 7, None])
def test_answers_of_the_wrong_length_are_refused(given):
    desk = OpenDesk(lambda predicates: given, TERMS)
    with pytest.raises(InputError, match="1 for each of 2 questions"):
        desk.ask([ZUG, EVERYBODY])
    assert desk.spent == 0


@pytest.mark.parametrize("given", [math.nan, math.inf, -math.inf, "many"])
def test_answers_that_are_no_numbers_are_refused(given):
    desk = OpenDesk(lambda predicates: [given], TERMS)
    with pytest.raises(InputError, match="finite number or None"):
        desk.ask([ZUG])


@pytest.mark.parametrize("given", [[3, None], np.array([3.0, 4.0]), np.array([[3], [4]]), ((3,), (4,))])
def test_answers_may_come_as_any_list(given):
    assert OpenDesk(lambda predicates: given, TERMS).ask([ZUG, EVERYBODY])[0, 0] == 3


def test_the_answers_of_a_desk_are_a_copy():
    desk = OpenDesk(lambda predicates: [3], TERMS, sticky=True)
    desk.ask([ZUG])[:] = 99
    assert desk.ask([ZUG])[0, 0] == 3
    assert desk.transcript.blocks[0].answers.tolist() == [[3], [3]]


def test_nothing_asked_is_nothing_answered():
    desk = OpenDesk(lambda predicates: [], TERMS)
    assert desk.ask([]).size == 0
    assert (desk.transcript.size, desk.transcript.promise) == (0, None)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (Equals("twon", "Zug"), "Did you mean 'town'"),
        (Equals("town", "Zugg"), "--show-people shows the levels"),
        (HashBit(("town", "age"), "s", 1), "column 'age' must be one of the public columns"),
        (Equals("ill", "yes"), "column 'ill' must be one of the public columns"),
    ],
)
def test_questions_nobody_can_answer_are_refused(question, message):
    desk = OpenDesk(lambda predicates: [0 for _ in predicates], TERMS)
    with pytest.raises(InputError, match=message):
        desk.ask([ZUG, question])
    assert desk.spent == 0


@pytest.mark.parametrize("budget", [{"queries": 0}, {"rho": 0.0}, {"epsilon": -1.0}, {"rho": math.nan}])
def test_a_budget_of_nothing_is_refused(budget):
    with pytest.raises(InputError, match="must be above 0"):
        Budget(**budget)


@pytest.mark.parametrize(
    ("mechanism", "budget"),
    [("exact", Budget(rho=1)), ("gaussian:sigma=3", Budget(epsilon=1)), ("laplace:scale=3", Budget(rho=1))],
)
def test_a_budget_in_another_currency_is_refused(mechanism, budget):
    with pytest.raises(InputError, match="needs a mechanism whose noise is paid for in it"):
        OpenDesk(lambda predicates: [], Terms(ILL, (TOWN,), mechanism, budget))


def test_a_promise_without_a_number_of_queries_is_refused(people):
    with pytest.raises(InputError, match="how many queries"):
        open_desk(people, "gaussian:rho=1", rng=np.random.default_rng(1))


def test_a_subsample_is_not_supported(people):
    with pytest.raises(UnsupportedError, match="subsample"):
        open_desk(people, "subsample:rate=0.5", rng=np.random.default_rng(1))
