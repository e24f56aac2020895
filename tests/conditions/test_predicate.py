"""Predicates and the conditions people write, against brute force over the records."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.conditions.parse import parse_condition
from dalenius.conditions.predicate import (
    And,
    Between,
    Equals,
    In,
    Not,
    Or,
    columns_of,
    evaluate,
    from_json,
    matching_codes,
    to_json,
)
from dalenius.errors import InputError
from dalenius.people.schema import CodedColumns, Column, Kind, Role

SEX = Column("sex", Role.PUBLIC, Kind.BINARY, ("f", "m"))
AGE = Column("age", Role.PUBLIC, Kind.NUMERIC, ("<30", "30-60", ">=60"), (30.0, 60.0))
ROOMS = Column("number of rooms", Role.PUBLIC, Kind.CATEGORICAL, ("1", "2", "10", "(missing)"))
COLUMNS = (SEX, AGE, ROOMS)
PEOPLE = CodedColumns(
    COLUMNS, np.array([[s, a, r] for s in range(2) for a in range(3) for r in range(4)], np.int32)
)

limits = {"age": [None, 30.0, 60.0], "number of rooms": [None, 0.0, 1.0, 1.5, 2.0, 10.0, 11.0]}


@st.composite
def leaves(draw):
    column = draw(st.sampled_from(COLUMNS))
    level = st.sampled_from(column.levels)
    kinds = [
        st.builds(Equals, st.just(column.name), level),
        st.builds(In, st.just(column.name), st.lists(level, min_size=1, max_size=4).map(tuple)),
    ]
    if column.name in limits:
        limit = st.sampled_from(limits[column.name])
        kinds.append(st.builds(Between, st.just(column.name), limit, limit))
    return draw(st.one_of(kinds))


predicates = st.recursive(
    leaves(),
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(And, st.lists(inner, max_size=3).map(tuple)),
        st.builds(Or, st.lists(inner, max_size=3).map(tuple)),
    ),
    max_leaves=6,
)


def holds(predicate, record: dict[str, int]) -> bool:
    """The meaning of a predicate, spelt out for one record."""
    match predicate:
        case Not(part):
            return not holds(part, record)
        case And(parts):
            return all(holds(part, record) for part in parts)
        case Or(parts):
            return any(holds(part, record) for part in parts)
        case Equals(column, level):
            return label(column, record) == level
        case In(column, levels):
            return label(column, record) in levels
        case Between("age", low, high):
            start, stop = [(-np.inf, 30), (30, 60), (60, np.inf)][record["age"]]
            return (low is None or start >= low) and (high is None or stop <= high)
        case Between(column, low, high):
            text = label(column, record)
            if text == "(missing)":
                return False
            return (low is None or float(text) >= low) and (high is None or float(text) < high)
    raise AssertionError(predicate)


def label(column: str, record: dict[str, int]) -> str:
    return next(c for c in COLUMNS if c.name == column).levels[record[column]]


@settings(max_examples=50, deadline=None)
@given(predicates)
def test_evaluation_is_what_the_tree_says_of_every_record(predicate):
    names = [c.name for c in COLUMNS]
    expected = [holds(predicate, dict(zip(names, row, strict=True))) for row in PEOPLE.codes.tolist()]
    assert evaluate(predicate, PEOPLE).tolist() == expected


@settings(max_examples=50, deadline=None)
@given(predicates)
def test_json_round_trip(predicate):
    assert from_json(json.loads(json.dumps(to_json(predicate)))) == predicate


@settings(max_examples=50, deadline=None)
@given(predicates)
def test_only_the_named_columns_are_looked_at(predicate):
    names = columns_of(predicate)
    kept = tuple(c.name for c in COLUMNS if c.name in names)
    assert np.array_equal(evaluate(predicate, PEOPLE.select(kept)), evaluate(predicate, PEOPLE))


def written(predicate) -> str:
    """One way of writing a predicate as a condition."""
    match predicate:
        case Not(part):
            return f"not ({written(part)})"
        case And(parts):
            return "(" + " and ".join(written(part) for part in parts) + ")"
        case Or(parts):
            return "(" + " OR ".join(written(part) for part in parts) + ")"
        case Equals(column, level):
            return f"'{column}' = '{level}'"
        case In(column, levels):
            return f"'{column}' in (" + ", ".join(f'"{level}"' for level in levels) + ")"
        case Between(column, None, high):
            return f"'{column}' < {high}"
        case Between(column, low, _):
            return f"'{column}'>={low}"
    raise AssertionError(predicate)


def writable(predicate) -> bool:
    """The grammar has no empty lists and no test with two limits or none."""
    match predicate:
        case Not(part):
            return writable(part)
        case And(parts) | Or(parts):
            return len(parts) > 0 and all(writable(part) for part in parts)
        case Between(_, low, high):
            return (low is None) != (high is None)
    return True


@settings(max_examples=50, deadline=None)
@given(predicates.filter(writable))
def test_what_is_written_is_read_back(predicate):
    read = parse_condition(written(predicate))
    assert np.array_equal(evaluate(read, PEOPLE), evaluate(predicate, PEOPLE))


@pytest.mark.parametrize(
    ("text", "predicate"),
    [
        ("sex = f", Equals("sex", "f")),
        ("sex != f", Not(Equals("sex", "f"))),
        ("age < 30", Between("age", None, 30.0)),
        ("not sex = f and age >= 60", And((Not(Equals("sex", "f")), Between("age", 60.0, None)))),
        ("a = 1 or b = 2 and c = 3", Or((Equals("a", "1"), And((Equals("b", "2"), Equals("c", "3")))))),
        ("(a = 1 or b = 2) and c = 3", And((Or((Equals("a", "1"), Equals("b", "2"))), Equals("c", "3")))),
        ("sex in (f, m)", In("sex", ("f", "m"))),
        ("'and' = \"or\"", Equals("and", "or")),
        ("  sex=f  ", Equals("sex", "f")),
        ("lambda = __import__", Equals("lambda", "__import__")),
    ],
)
def test_conditions_as_people_write_them(text, predicate):
    assert parse_condition(text) == predicate


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "got no column at the end"),
        ("sex", "none of = != < >= in at the end"),
        ("sex = ", "no value at the end"),
        ("sex > 3", "something that cannot be read at character 4"),
        ("age < old", "no number at character 7"),
        ("(sex = f", r"no '\)' at the end"),
        ("sex = f sex = m", "something more at character 9"),
        ("sex in f", r"no '\(' at character 8"),
        ("sex in ()", "no value at character 9"),
        ("sex = 'f", "cannot be read"),
        ("and sex = f", "none of = != < >= in at character 5"),
    ],
)
def test_broken_conditions_say_where(text, problem):
    with pytest.raises(InputError, match=f"condition must look like.*{problem}"):
        parse_condition(text)


def test_broken_conditions_show_nothing_of_a_file_and_end_at_some_depth():
    for text in ("ZQ999x ZQ999x", "ZQ999x = 'ZQ999x", "age < ZQ999x", "(ZQ999x = a", "ZQ999x in ZQ999x"):
        with pytest.raises(InputError) as caught:
            parse_condition(text)
        assert "ZQ999x" not in str(caught.value)
    for opening in ("(", "not "):
        with pytest.raises(InputError, match="more than 100 conditions inside each other"):
            parse_condition(opening * 50_000 + "sex = f")
        assert parse_condition("(" * 50 + "sex = f" + ")" * 50)


@pytest.mark.parametrize(
    ("predicate", "message"),
    [
        (Equals("sec", "f"), "column 'sec' must be one of the public columns.*Did you mean 'sex'"),
        (
            Equals("sex", "x"),
            "value 'x' of column 'sex' must be one of its levels; got no such level. --show-people shows",
        ),
        (In("sex", ("f", "male")), "value 'male' of column 'sex'"),
        (Between("age", 31.0, None), "limit 31 of column 'age' must be one of its bin edges.*Edges: 30, 60"),
        (Between("sex", 1.0, None), r"column 'sex' must be numeric to be compared by size.*Use = or in"),
    ],
)
def test_predicates_about_what_is_not_there(predicate, message):
    with pytest.raises(InputError, match=message):
        evaluate(predicate, PEOPLE)


def test_levels_of_people_are_no_part_of_a_message():
    for predicate in (Equals("sex", "x"), Between("sex", 1.0, None)):
        with pytest.raises(InputError) as caught:
            evaluate(predicate, PEOPLE)
        assert "f, m" not in str(caught.value)
        assert "f, m" in f"{caught.value.hint} {caught.value.value}"


def test_an_unknown_node_is_refused():
    with pytest.raises(InputError, match="predicate must be one of the known nodes; got 'eval'"):
        from_json({"eval": "1"})


def test_levels_are_compared_as_numbers_not_as_text():
    assert matching_codes(Between("number of rooms", 2.0, None), ROOMS) == (1, 2)


def test_nothing_and_everything():
    assert evaluate(And(()), PEOPLE).all()
    assert not evaluate(Or(()), PEOPLE).any()
    assert columns_of(And(())) == frozenset()
