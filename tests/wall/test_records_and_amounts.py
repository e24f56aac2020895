"""Whole records and amounts: two truths behind the same tables are attacked by the same claims."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dalenius.amounts.attack.claims import claim_amounts
from dalenius.knowledge.amounts import AmountPrior, AmountView
from dalenius.records.attack.claims import claim_records
from dalenius.records.cells.columns import RecordColumns
from dalenius.records.cells.release import PublishedRecords
from dalenius.records.referee.publish import publish_tables
from dalenius.release.amounts import AmountGroup
from dalenius.release.amounts_publish import AmountSettings, publish_amounts
from dalenius.testing import check_attack

COLUMNS = RecordColumns.of({"sex": ["f", "m"], "age": ["child", "adult"], "town": ["a", "b"]})
PEOPLE = np.array([[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1], [0, 0, 1]], np.int32)
OTHERS = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1], [1, 1, 1], [0, 0, 1]], np.int32)
"""The same sexes and ages in every town, otherwise combined."""


def two_towns() -> list[PublishedRecords]:
    asked = ["tables:k=2,attributes=sex+town", "tables:k=2,attributes=age+town"]
    return [
        publish_tables("r", COLUMNS, people, asked, "exact", rng=np.random.default_rng(1))
        for people in (PEOPLE, OTHERS)
    ]


def records(view: PublishedRecords, *, rng: np.random.Generator) -> list[str]:
    """All that an attack on records writes down."""
    claims = claim_records(view, rng=rng)
    return [claims.to_csv(), claims.ranked_csv(), claims.units_csv(None)]


def two_payrolls() -> list[AmountView]:
    """Two of four exchange their amounts; both are in every group that either is in."""
    groups = [AmountGroup("all", np.arange(4)), AmountGroup("some", np.array([0, 1]))]
    usual = AmountPrior(0.0, np.inf, np.full(4, 50.0), np.full(4, 30.0), np.full(4, 40.0))
    return [
        AmountView(publish_amounts(np.array(pay), "pay", groups, AmountSettings(), rng=rng), usual)
        for pay, rng in (
            ([10.0, 30.0, 5.0, 8.0], np.random.default_rng(1)),
            ([30.0, 10.0, 8.0, 5.0], np.random.default_rng(1)),
        )
    ]


def amounts(view: AmountView, *, rng: np.random.Generator) -> list[str]:
    return [claim_amounts(view, ("a", "b", "c", "d")).to_csv()]


def test_two_truths_behind_the_same_tables() -> None:
    assert sorted(map(tuple, PEOPLE.tolist())) != sorted(map(tuple, OTHERS.tolist()))
    check_attack(records, two_towns())


def test_two_truths_behind_the_same_sums() -> None:
    check_attack(amounts, two_payrolls())


@pytest.mark.parametrize(("attack", "views"), [(records, two_towns()), (amounts, two_payrolls())])
def test_an_attack_that_finds_the_truth_lying_about_is_noticed(attack: Any, views: list[Any]) -> None:
    truth = {id(view): number for number, view in enumerate(views)}

    def peeks(view: Any, *, rng: np.random.Generator) -> Any:
        return attack(view, rng=rng), truth[id(view)]

    with pytest.raises(AssertionError, match="knows more than its view"):
        check_attack(peeks, views)
