"""The design matrix: names of terms as people write them, and the numbers behind them."""

from __future__ import annotations

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.statistics.estimates.design import canonical, columns_of, design, expand
from dalenius.statistics.parse import ask, check

COLUMNS = (
    Column("age", Role.PUBLIC, Kind.NUMERIC, ("below 40", "40 or more"), (40.0,)),
    Column("sex", Role.PUBLIC, Kind.BINARY, ("f", "m")),
    Column("town", Role.PUBLIC, Kind.CATEGORICAL, ("10:30", "b c", "d")),
    Column("rooms", Role.PUBLIC, Kind.CATEGORICAL, ("1", "2", "4.5")),
)
CODES = np.array([[0, 1, 0, 0], [1, 0, 1, 1], [1, 1, 2, 2], [0, 0, 2, 1]], np.int32)
AGES = np.array([31.5, 47.0, 60.25, 22.0])


@pytest.fixture
def roster() -> Roster:
    return Roster("id", np.array(list("abcd")), CodedColumns(COLUMNS, CODES), {"age": AGES})


@pytest.mark.parametrize(
    ("name", "term"),
    [
        ("const", "Intercept"),
        ("(Intercept)", "Intercept"),
        (" age ", "age"),
        ("C(sex)[T.m]", "sex[T.m]"),
        ("sex[T.m]", "sex[T.m]"),
        ("sex_m", "sex[T.m]"),
        ("sexm", "sex[T.m]"),
        ("factor(town)b c", "town[T.b c]"),
        ("C(town)[T.10:30]", "town[T.10:30]"),
        ("C(rooms)[T.4.5]", "rooms[T.4.5]"),
        ("age:C(sex)[T.m]", "age:sex[T.m]"),
        ("town[T.10:30]:rooms", "town[T.10:30]:rooms"),
        ("age[T.below 40]", "age[T.below 40]"),
    ],
)
def test_names_as_people_write_them(roster: Roster, name: str, term: str) -> None:
    assert canonical(name, roster) == term
    assert canonical(term, roster) == term


def test_numbers_come_from_behind_the_bins(roster: Roster) -> None:
    X = design(roster, ("age", "rooms", "sex[T.m]", "age:sex[T.m]", "town[T.10:30]:rooms"))
    assert X.T.tolist() == [
        [1, 1, 1, 1],
        AGES.tolist(),
        [1, 2, 4.5, 2],
        [1, 0, 1, 0],
        [31.5, 0, 60.25, 0],
        [1, 0, 0, 0],
    ]
    assert columns_of(COLUMNS, ("age:sex[T.m]", "town[T.10:30]")) == COLUMNS[:3]
    taken = roster.take(np.array([2, 0]))
    assert design(taken, ("age",), intercept=False).ravel().tolist() == [60.25, 31.5]
    assert roster.knowing(("sex",)).numbers == {}


def test_standardised_columns_have_mean_0_and_sd_1(roster: Roster) -> None:
    X = design(roster, ("age", "sex[T.m]"), standardise=True)
    assert X[:, 1:].mean(axis=0) == pytest.approx([0, 0])
    assert X[:, 1:].std(axis=0) == pytest.approx([1, 1])
    with pytest.raises(InputError, match="must vary to be standardised"):
        design(roster.take(np.array([1, 3])), ("sex[T.m]",), standardise=True)


def test_a_formula_is_expanded(roster: Roster) -> None:
    assert expand(roster, ("age", "town")) == ("age", "town[T.b c]", "town[T.d]")
    assert expand(roster, ("C(rooms)", "sex[T.m]")) == ("rooms[T.2]", "rooms[T.4.5]", "sex[T.m]")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("aeg", "Did you mean 'age'"),
        ("sex", r"must say which level of a column of words it is about; .* Write sex\[T.level\]"),
        ("sex[T.w]", "no such term. --show-people shows the levels"),
    ],
)
def test_names_of_nothing(roster: Roster, name: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        canonical(name, roster)


def test_levels_are_a_hint_and_no_part_of_a_message(roster: Roster) -> None:
    for name, hint in (("sex[T.w]", "Did you mean 'sex[T."), ("sex", "Its levels: f, m")):
        with pytest.raises(InputError) as caught:
            canonical(name, roster)
        assert hint in caught.value.hint
        assert hint not in str(caught.value)
    with pytest.raises(InputError) as caught:
        canonical("Ann Smith", roster, "model 'm', term 3")
    assert "Ann" not in str(caught.value)
    assert caught.value.value == "Ann Smith"


def test_repeated_terms_and_missing_numbers(roster: Roster) -> None:
    with pytest.raises(InputError, match="'age' twice"):
        expand(roster, ("age", "age"))
    gaps = Roster("id", roster.ids, roster.attributes, {"age": np.array([1.0, np.nan, 2.0, 3.0])})
    with pytest.raises(InputError, match="1 people without one"):
        design(gaps, ("age",))
    with pytest.raises(InputError, match="at least one column"):
        design(roster, (), intercept=False)
    with pytest.raises(InputError, match="must be one per person"):
        Roster("id", roster.ids, roster.attributes, {"age": np.zeros(3)})


@pytest.mark.parametrize(
    "text",
    [
        "linear-regression:terms=age+sex,ridge=2,intercept=no",
        "linear-regression:terms=age,fit=r2",
        "logistic-regression:terms=age+sex+town,penalty=l1,C=0.5,standardise=yes",
        "logistic-regression:terms=age,publish=odds-ratios",
        "m-estimator:loss=huber,threshold=1,terms=age",
        "m-estimator:loss=poisson,terms=age+rooms",
        "secret-regressor:outcome=rooms,terms=age+sex",
    ],
)
def test_words_of_a_plan(roster: Roster, text: str) -> None:
    asked = ask(text, roster, rng=np.random.default_rng(1))
    assert asked.kind == text.partition(":")[0]
    assert asked.rows == len(list(asked.labels()))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("linear-regression", "terms must be given"),
        ("logistic-regression:terms=age,C=0", "C must be above 0"),
        ("logistic-regression:terms=age,penalty=none,C=1", "must come with a penalty"),
        ("logistic-regression:terms=age,penalty=l3", "must be one it knows"),
        ("m-estimator:terms=age", "loss must be one it knows"),
        ("m-estimator:loss=poisson,terms=age,threshold=1", "for loss=huber only"),
        ("linear-regression:terms=age,intercept=maybe", "intercept must be one it knows"),
        ("linear-regression:term=age", "Did you mean 'terms'"),
        ("secret-regressor:terms=age", "outcome must be given"),
    ],
)
def test_words_that_are_wrong_before_any_data(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        check(text)
