"""Statistics and mechanisms by functions: the text of the grammar, read by its one reader."""

from __future__ import annotations

import inspect

import pytest

import dalenius
from dalenius import wording
from dalenius.errors import InputError
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.statistics.parse import check
from dalenius.wording import MechanismText, StatisticText

GIVEN = {
    "tables": {"k": 2},
    "random_subsets": {"m": 5},
    "linear_regression": {"terms": "age"},
    "logistic_regression": {"terms": ["age", "sex"], "publish": "odds-ratios"},
    "m_estimator": {"loss": "poisson", "terms": "age"},
    "gaussian": {"rho": 0.1},
    "laplace": {"epsilon": 1},
    "geometric": {"epsilon": 0.5},
    "rounding": {"base": 5},
    "suppression": {"below": 10, "complementary": True},
    "subsample": {"rate": 0.5},
    "topcode": {"at": 50},
}
WORDS = [
    name
    for name, one in inspect.getmembers(wording, inspect.isfunction)
    if one.__module__ == wording.__name__ and not name.startswith("_")
]


@pytest.mark.parametrize("name", WORDS)
def test_every_word_is_a_text_of_the_grammar(name: str) -> None:
    said = getattr(wording, name)(**GIVEN.get(name, {}))
    assert isinstance(said, StatisticText | MechanismText)
    assert said.partition(":")[0] == name.replace("_", "-")


def test_words_are_joined_as_in_the_text() -> None:
    said = dalenius.suppression(10) | dalenius.rounding(5)
    assert said == "suppression:below=10 | rounding:base=5"
    assert str(parse_mechanism(said)) == said
    assert "gaussian:rho=0.1" | dalenius.rounding(5) == "gaussian:rho=0.1 | rounding:base=5"
    assert check(dalenius.tables(k=1, attributes="age")).values == {"k": "1", "attributes": "age"}
    assert dalenius.gaussian(rho=0.1 + 0.2) == f"gaussian:rho={0.1 + 0.2!r}"
    assert dalenius.gaussian(epsilon=1, delta=1e-6) == "gaussian:epsilon=1,delta=1e-06"


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda: dalenius.tables(k=-1), "at least 0"),
        (lambda: dalenius.tables(k=1, attributes="a,k=2"), "without the signs"),
        (lambda: dalenius.gaussian(), "must have either sigma or rho"),
        (lambda: dalenius.gaussian(rho=-1), "above 0"),
        (lambda: dalenius.rounding(1), "at least 2"),
        (lambda: dalenius.rounding(5) | dalenius.gaussian(rho=1), "must come before"),
        (lambda: dalenius.rounding(5) | "roundin", "must be one it knows"),
        (lambda: dalenius.suppression(1), "at least 2"),
    ],
)
def test_what_cannot_be_right_is_refused_when_it_is_made(make, rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        make()
