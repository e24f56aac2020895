"""Columns that are released as they are: whom they give away by themselves, and what luck explains."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from dalenius.findings.policy import Policy
from dalenius.people.rows.rows import Rows
from dalenius.release.rows.classes import find_classes
from dalenius.singling_out.referee.classes import OriginalRows
from dalenius.singling_out.rows.rows import single_out_rows
from dalenius.singling_out.rows.to_finding import finding_of_rows
from dalenius.singling_out.rows.unweighed import as_they_are
from dalenius.singling_out.rules import rulings


def numbered(n: int, start: int, seed: int) -> Rows:
    """Sex, age, and a number of one's own."""
    rng = np.random.default_rng(seed)
    table = {
        "sex": rng.choice(["f", "m"], n),
        "age": rng.integers(18, 80, n),
        "ssn": start + 7919 * np.arange(n),
    }
    return Rows.of_table(pa.table(table))


def banded(rows: Rows) -> Rows:
    ages = [f"{int(rows.column('age').text(i)) // 40 * 40}" for i in range(len(rows))]
    bands = pa.array([f"{a}-{int(a) + 39}" for a in ages])
    others = {name: [rows.column(name).text(i) for i in range(len(rows))] for name in ("sex", "ssn")}
    return Rows.of_table(pa.table({"sex": others["sex"], "age": bands, "ssn": others["ssn"]}))


@pytest.mark.parametrize("others", ["holdout", "population without it", "nobody"])
def test_a_released_number_of_ones_own_stops_by_itself(others: str):
    original = numbered(1000, 10**8, 1)
    known = {
        "holdout": {"holdout": numbered(2000, 5 * 10**8, 2)},
        "population without it": {"population": numbered(20_000, 0, 3).select(["sex", "age"])},
        "nobody": {},
    }[others]
    made = single_out_rows(banded(original), ["sex", "age"], original=original, **known)
    assert made.as_they_are is not None
    assert made.as_they_are.identifying == ("ssn",)
    assert made.as_they_are.people == 1000
    verdict, why, _ = rulings(finding_of_rows(made, "released.csv"), Policy())[0]
    assert verdict == "stop"
    assert "ssn identifies nearly everybody" in why
    assert made.notes, "what the attack says of itself is told"
    assert any("'ssn'" in note for note in finding_of_rows(made, "released.csv").notes)


def test_luck_bounds_what_columns_as_they_are_give_away():
    """Values drawn alike: the bound holds the truth, and a planted one without its logarithm does not."""
    rng = np.random.default_rng(1)
    for size in (200, 1000, 5000):
        chances = rng.dirichlet(np.full(size, 0.5))
        values = [rng.choice(size, 400, p=chances) for _ in range(20)]
        own = []
        for drawn in values:
            rows = Rows.of_table(pa.table({"q": ["x"] * 400, "v": [f"v{i}" for i in drawn]}))
            classes = find_classes(rows, ["q"])
            own.append(as_they_are(classes, OriginalRows(rows, classes), 0.95))
        weights = np.concatenate([chances[drawn] for drawn in values])
        luck = float(np.mean(400 * weights * (1 - weights) ** 399))
        said = [one.luck for one in own if one is not None]
        assert luck <= np.mean(said) + 0.01
        truth = np.mean([one.people for one in own if one is not None]) / 400 - luck
        assert sum(one.low <= truth for one in own if one is not None) >= 19
        planted = np.mean([one.people / 400 for one in own if one is not None])
        assert planted > truth


def columns_of(rows: Rows) -> dict[str, list[str]]:
    return {name: [rows.column(name).text(i) for i in range(len(rows))] for name in rows.names}


def test_a_made_up_column_hides_nobody():
    """A fresh row number beside the people's own numbers spoils conditions on both, and changes nothing."""
    original = numbered(1000, 10**8, 1)
    shuffled = np.random.default_rng(4).permutation(1000)
    numbers = Rows.of_table(pa.table({"row": [f"r{i}" for i in range(1000)]}))
    released = Rows.of_table(pa.table(columns_of(banded(original)) | {"row": [f"r{i}" for i in shuffled]}))
    made = single_out_rows(
        released,
        ["sex", "age"],
        original=Rows((*original.columns, *numbers.columns)),
        holdout=numbered(2000, 5 * 10**8, 2),
    )
    assert made.as_they_are is not None
    assert made.as_they_are.identifying == ("ssn",), "row numbers in another order are nobody's"
    assert made.as_they_are.people == 1000
    assert rulings(finding_of_rows(made, "released.csv"), Policy())[0][0] == "stop"


def test_a_released_column_that_the_original_lacks_never_passes():
    """A number of one's own is as good a name whether or not the file behind the release has it."""
    rng = np.random.default_rng(5)
    people = Rows.of_table(
        pa.table({"sex": rng.choice(["f", "m"], 60_000), "age": rng.integers(18, 80, 60_000)})
    )
    original = people.take(np.arange(500))
    bands = {"sex": columns_of(original)["sex"], "age": ["18-79"] * 500}
    said = {}
    for name, more in {
        "nothing": {},
        "the number of the class": {"class": ["one" if sex == "f" else "two" for sex in bands["sex"]]},
        "a number": {"ssn": [f"{10**8 + 7919 * i}" for i in range(500)]},
        "an answer": {"ill": rng.choice(["no", "yes"], 500).tolist()},
    }.items():
        released = Rows.of_table(pa.table(bands | more))
        made = single_out_rows(released, ["sex", "age"], original=original, population=people)
        said[name] = rulings(finding_of_rows(made, "released.csv"), Policy())[0]
    assert said["nothing"][0] == said["the number of the class"][0] == "pass"
    for name, column in (("a number", "ssn"), ("an answer", "ill")):
        verdict, why, _ = said[name]
        assert verdict == "undecided"
        assert f"{column} is released, but not in the original" in why
