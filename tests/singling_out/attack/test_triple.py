"""Conditions from synthetic rows: what is tried, by hand and against plain evaluation."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.conditions.boxes.boxes import rows_inside
from dalenius.conditions.predicate import columns_of, evaluate, to_json
from dalenius.errors import InputError
from dalenius.people.rows.rows import Rows, distinct
from dalenius.singling_out.attack import released_rows
from dalenius.singling_out.attack.released_rows import guess


def table(**columns: object) -> Rows:
    return Rows.of_table(pa.table(columns))


def test_one_column_by_hand() -> None:
    synthetic = table(age=[20, 30, 30, 41], town=["Zug", "Bern", "Bern", None], id=[1, 1, 1, 1])
    found = guess(synthetic.select(["age", "town"]), "univariate", 100, np.random.default_rng(1))
    texts = {str(to_json(found.boxes.predicate(p))) for p in range(len(found.boxes))}
    assert texts == {
        "{'equals': ['age', '20']}",
        "{'equals': ['age', '41']}",
        "{'between': ['age', None, 20.0, 'both']}",
        "{'between': ['age', 41.0, None, 'both']}",
        "{'equals': ['town', 'Zug']}",
        "{'equals': ['town', 'Bern']}",  # two rows that are the same count once
        "{'equals': ['town', '(missing)']}",
        "{'equals': ['age', '30']}",
    }


PEOPLE = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(0, 5)),
        st.one_of(st.none(), st.sampled_from("abc")),
        st.booleans(),
        st.sampled_from([-2.5, -0.0, 0.0, 1.5, 7.0, float("inf"), float("-inf")]),
    ),
    min_size=2,
    max_size=12,
)


def of(raw: list[tuple[object, ...]]) -> Rows:
    a, b, c, d = map(list, zip(*raw, strict=True))
    return table(a=pa.array(a, pa.int64()), b=pa.array(b, pa.string()), c=c, d=pa.array(d, pa.float64()))


@settings(max_examples=40, deadline=None)
@given(PEOPLE, PEOPLE, st.integers(1, 4), st.booleans())
def test_boxes_are_their_conditions_and_match_one_synthetic_row(
    synthetic: list[tuple[object, ...]], others: list[tuple[object, ...]], width: int, single: bool
) -> None:
    released, people = of(synthetic), of(others)
    mode = "univariate" if single else "multivariate"
    found = guess(released, mode, 20, np.random.default_rng(3), columns=width, most_attempts=200)
    counts = rows_inside(found.boxes, people, 100).counts
    seen = set()
    for p in range(len(found.boxes)):
        predicate = found.boxes.predicate(p)
        seen.add(str(to_json(predicate)))
        assert len(columns_of(predicate)) == (1 if single else width)
        assert counts[p] == evaluate(predicate, people).sum()
        assert distinct(released.take(evaluate(predicate, released))).counts.size == 1
    assert len(seen) == len(found.boxes)
    assert len(found.boxes) <= 20


def test_what_was_made_is_counted_not_what_was_asked_for() -> None:
    coarse = table(sex=["f", "m"] * 50, age=[1, 2] * 50)
    found = guess(coarse, "multivariate", 1000, np.random.default_rng(1), columns=2, most_attempts=3000)
    assert len(found.boxes) == 2
    assert found.attempts == 1000, "both that there are, after one look: nobody goes on drawing"
    same = guess(
        table(sex=["f"] * 5, age=[1] * 5, x=[1] * 5),
        "multivariate",
        5,
        np.random.default_rng(1),
        most_attempts=100,
    )
    assert len(same.boxes) == 1


@pytest.mark.parametrize("rows", [5, 60])
def test_drawing_ends_when_there_are_no_more_and_finds_what_it_would_have(
    rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told that there are more conditions than there are, it draws to the end, and has the same."""
    rng = np.random.default_rng(rows)
    coarse = table(sex=rng.choice(["f", "m"], rows), age=rng.integers(0, 9, rows), x=rng.integers(0, 4, rows))

    def boxes() -> tuple[list[list[float]], int]:
        found = guess(coarse, "multivariate", 500, np.random.default_rng(7), columns=2, most_attempts=40_000)
        return np.hstack([found.boxes.columns, found.boxes.low, found.boxes.high]).tolist(), found.attempts

    made, attempts = boxes()
    monkeypatch.setattr(released_rows, "_all_there_are", lambda *_: 500)
    assert boxes() == (made, 40_000)
    assert attempts < 20_000


def test_bad_input() -> None:
    rows = table(a=[1, 2])
    with pytest.raises(InputError, match="columns of a condition must be from 1 to the 1 there are; got 3"):
        guess(rows, "multivariate", 5, np.random.default_rng(1))
    with pytest.raises(InputError, match="attacks must be 1 or more"):
        guess(rows, "univariate", 0, np.random.default_rng(1))
