"""k, l and t of released files: by hand, against loops, and planted faults."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.errors import InputError
from dalenius.people.rows.equivalence import anonymity
from dalenius.people.rows.rows import Rows

# Li, Li and Venkatasubramanian (2007), tables 3 and 5: salaries 3k..11k and their examples.
SALARIES = [3, 4, 5, 6, 11, 8, 7, 9, 10]
ZIP = ["476**"] * 3 + ["4790*"] * 3 + ["476**B"] * 3


def rows(**columns: object) -> Rows:
    return Rows.of_table(pa.table(columns))


def test_the_example_of_the_paper_on_closeness() -> None:
    """D[{3k,4k,5k}, Q] = 0.375 and D[{6k,8k,11k}, Q] = 0.167: the largest is what the file has."""
    found = anonymity(rows(zip=ZIP, pay=SALARIES), ["zip"], ["pay"]).sensitive[0]
    assert found.ordered == pytest.approx(0.375)
    assert found.equal == pytest.approx(6 / 9)
    assert (found.distinct, found.entropy) == (3, pytest.approx(3.0))
    two = rows(zip=["a"] * 3 + ["b"] * 6, pay=[6, 8, 11, 3, 4, 5, 7, 9, 10])
    alone = {1 / 6, two_sided([3, 4, 5, 7, 9, 10], SALARIES)}
    assert anonymity(two, ["zip"], ["pay"]).sensitive[0].ordered == pytest.approx(max(alone))


def two_sided(own: list[int], everybody: list[int]) -> float:
    known = sorted(set(everybody))
    gaps = [
        sum(x <= v for x in own) / len(own) - sum(x <= v for x in everybody) / len(everybody) for v in known
    ]
    return sum(map(abs, gaps)) / (len(known) - 1)


def test_suppressed_rows_are_no_class_and_one_more_row_alone_is_found() -> None:
    table = {"age": ["2*", "2*", "**", "3*", "3*"], "sex": ["f", "f", "*", "m", "m"]}
    found = anonymity(rows(**table), ["age", "sex"])
    assert (found.k, found.classes, found.rows, found.suppressed) == (2, 2, 5, 1)
    table["sex"][0] = "m"
    assert anonymity(rows(**table), ["age", "sex"]).k == 1
    assert anonymity(rows(age=["*", "*"]), ["age"]).k == 0
    assert str(found) == "k = 2 (5 rows in 2 classes, 1 suppressed)"
    assert found.to_json()["suppressed"] == 1


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=40))
def test_every_measure_is_what_loops_find(people: list[tuple[int, int]]) -> None:
    group, pay = map(list, zip(*people, strict=True))
    found = anonymity(rows(g=group, pay=pay), ["g"], ["pay"])
    (own,) = found.sensitive
    classes = [[p for g, p in people if g == c] for c in set(group)]
    assert found.k == min(map(len, classes))
    assert own.distinct == min(len(set(c)) for c in classes)
    assert own.entropy == pytest.approx(min(math.exp(entropy(c)) for c in classes))
    equal = [sum(abs(c.count(v) / len(c) - pay.count(v) / len(pay)) for v in set(pay)) / 2 for c in classes]
    assert own.equal == pytest.approx(max(equal))
    if len(set(pay)) > 1:
        assert own.ordered == pytest.approx(max(two_sided(c, pay) for c in classes), abs=1e-12)
    else:
        assert own.ordered == 0


def entropy(values: list[int]) -> float:
    shares = np.bincount(values)[np.unique(values)] / len(values)
    return float(-(shares * np.log(shares)).sum())


def test_bad_input() -> None:
    table = rows(age=[1, 2], ill=["a", "b"])
    with pytest.raises(InputError, match=r"column 'aeg' must be one of the columns; .* mean 'age'"):
        anonymity(table, ["aeg"])
    with pytest.raises(InputError, match="must name at least one column"):
        anonymity(table, [])
    with pytest.raises(InputError, match="must not be a quasi-identifier"):
        anonymity(table, ["age"], ["age"])
