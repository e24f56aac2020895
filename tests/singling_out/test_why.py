"""Which columns single people out: the one that does by construction is named, the others are not."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.people.rows.rows import Rows
from dalenius.singling_out.build import split_by_luck
from dalenius.singling_out.finding import ConditionsFinding
from dalenius.singling_out.rows import why as leaving_out
from dalenius.singling_out.rows.files import RowsFiles
from dalenius.singling_out.rows.rows import Rowed
from dalenius.singling_out.rows.settings import RowsSettings
from dalenius.singling_out.rows.to_finding import finding_of_rows
from dalenius.singling_out.rows.why import explained_rows

QUASI = ("sex", "age")


def files(n: int = 200) -> RowsFiles:
    """Sex, age and a number of one's own, of which only age was made coarser."""
    rng = np.random.default_rng(1)
    sex, age = rng.choice(["f", "m"], n), rng.integers(18, 80, n)
    own = [str(10**8 + 7919 * i) for i in range(n)]
    original = pa.table({"sex": sex, "age": age, "card": own})
    bands = [f"{a // 40 * 40}-{a // 40 * 40 + 39}" for a in age.tolist()]
    released = pa.table({"sex": sex, "age": bands, "card": own})
    return RowsFiles(Rows.of_table(released), Rows.of_table(original))


def explained(given: RowsFiles) -> ConditionsFinding:
    how = RowsSettings()
    found = Rowed(given, QUASI, how).run()
    return explained_rows(finding_of_rows(found, "r"), given, QUASI, found, how)


def test_the_column_that_names_people_is_named() -> None:
    finding = explained(files())
    why = finding.explanation.why
    assert why is not None
    assert why.whole == 200
    assert (why.causes[0].name, why.causes[0].kind) == ("card", "column")
    assert (why.causes[0].without or 0) < 20
    assert {cause.name: cause.without for cause in why.causes[1:]} == {"sex": 200, "age": 200}
    assert {cause.kind for cause in why.causes[1:]} == {"quasi-identifier"}
    assert any(fact.startswith("Without the column card") for fact in finding.facts)
    (row,) = finding.explanation.learned
    assert (row.people, row.only_by_release) == (200, 200)


def test_nothing_is_tried_where_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    given = files()
    kept = Rows.of_table(pa.table({"sex": ["*"] * 200, "age": ["0-99"] * 200}))
    monkeypatch.setattr(leaving_out, "look_for_causes", None)
    finding = explained(RowsFiles(kept, given.original))
    assert finding.explanation.why is None


def test_too_many_columns_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaving_out, "MOST_COLUMNS", 2)
    why = explained(files()).explanation.why
    assert why is not None
    assert why.causes == ()
    assert why.left_out == "each of 3 columns: they would take too long"


@given(st.integers(0, 500), st.floats(0, 600), st.floats(0, 600))
def test_luck_release_and_the_others_add_up(people: int, singled_out: float, luck: float) -> None:
    row = split_by_luck(people, singled_out, luck)
    assert row.anyway + row.only_by_release + row.hidden == people
    assert row.anyway <= luck + 0.5
