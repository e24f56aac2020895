"""Public columns that tell much of the secret by themselves: counted one by one, and said."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.findings.tally import FEWEST_TOLD, MUCH, told_alone
from dalenius.people.dataset import ReadSettings, read
from dalenius.reconstruction.audit import audit
from dalenius.reconstruction.opened import Planned, Scenario

N = 400


def coded(wrong: float) -> pa.Table:
    """A column that is the secret in other words, but for a share of the people."""
    rng = np.random.default_rng(1)
    ill = rng.random(N) < 0.4
    code = np.where(rng.random(N) < wrong, ~ill, ill)
    return pa.table(
        {
            "sex": np.array(["f", "m"])[rng.integers(0, 2, N)],
            "code": np.where(code, "B20", "Z00"),
            "ill": np.where(ill, "yes", "no"),
        }
    )


@given(st.lists(st.lists(st.integers(0, 40), min_size=3, max_size=3), min_size=1, max_size=5))
def test_as_counted_person_by_person(counts: list[list[int]]) -> None:
    """Everybody is told by the others of the same value; the usual guess is everybody's commonest."""
    table = np.array(counts)
    people = [(value, secret) for (value, secret), many in np.ndenumerate(table) for _ in range(many)]
    told = 0
    for value, secret in people:
        others = table[value].copy()
        others[secret] -= 1
        told += all(others[secret] > others[other] for other in range(3) if other != secret)
    usual = int(table.sum(axis=0).max())
    expected = told - usual >= max(MUCH * (len(people) - usual), FEWEST_TOLD)
    found = told_alone(table)
    assert (found is not None) is expected
    if found is not None:
        assert found == (told / len(people), usual / len(people))


@pytest.mark.parametrize("by_record", [False, True])
@pytest.mark.parametrize(("wrong", "said"), [(0.05, True), (0.4, False)])
def test_an_audit_says_which_column_tells_the_secret(by_record: bool, wrong: float, said: bool) -> None:
    """What a column tells beforehand leaves a release little to give away: a reader must know of it."""
    with read(coded(wrong), secret="ill", how=ReadSettings(by_record=by_record)) as people:
        found = audit(people, Planned(["tables:k=1"], "gaussian:rho=0.1"), Scenario(why=False))
    (told,) = [text for text in found.report.findings[0].assumptions if "alone tells" in text] or [""]
    assert told.startswith("code alone tells the secret of 9") is said
    assert "take it out of the public columns" in told or not said


def test_a_column_of_many_values_tells_nobody_by_chance() -> None:
    """Two people a value: each is told by one other, who says as little as a coin."""
    rng = np.random.default_rng(2)
    counts = np.zeros((300, 2), np.int64)
    np.add.at(counts, (np.arange(600) % 300, rng.integers(0, 2, 600)), 1)
    assert told_alone(counts) is None
