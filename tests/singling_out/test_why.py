"""Which columns single people out: the one that does by construction is named, the others are not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.findings.explanation import Explanation
from dalenius.people.rows.rows import Rows
from dalenius.people.sealed import SealedRows
from dalenius.singling_out.build import split_by_luck
from dalenius.singling_out.finding import ConditionsFinding
from dalenius.singling_out.game.to_finding import with_ways
from dalenius.singling_out.released.files import TripleRows
from dalenius.singling_out.released.to_finding import finding_of_triple
from dalenius.singling_out.released.triple import TripleSettings, run_triple
from dalenius.singling_out.released.why import explained_triple
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


def test_the_column_that_was_copied_is_behind_rows_that_point_at_people(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Synthetic rows of their own, but for one column in which everybody has a value of their own."""
    monkeypatch.setattr("dalenius.singling_out.released.why.FEW", 30)
    rng, n = np.random.default_rng(4), 100

    def drawn(first: int) -> pa.Table:
        own = rng.permutation(n) / 7 + 1000 * first
        return pa.table({"sex": rng.choice(["f", "m"], n), "pay": own})

    original, control, others = drawn(0), drawn(1), drawn(2)
    released = others.set_column(1, "pay", original["pay"])
    rows = TripleRows(SealedRows(Rows.of_table(original)), Rows.of_table(released), Rows.of_table(control))
    how = TripleSettings("univariate", attacks=30)
    found = run_triple(rows, how)
    finding = explained_triple(finding_of_triple(found, "released"), rows, found, how)
    why = finding.explanation.why
    assert why is not None
    assert why.whole > 0
    assert (why.causes[0].name, why.causes[0].without) == ("pay", 0.0)
    fresh = TripleRows(rows.original, Rows.of_table(others), rows.control)
    lucky = run_triple(fresh, how)
    assert explained_triple(finding_of_triple(lucky, "released"), fresh, lucky, how).explanation.why is None


def test_counts_to_come_name_the_way_of_asking_that_does_it() -> None:
    made = SimpleNamespace
    games: Any = [
        made(
            attack=name,
            weight=None,
            rows=[0],
            at=lambda weight, hits=hits: made(success=made(hits=hits, trials=40)),
        )
        for name, hits in (("one region", 30), ("one after the other", 4))
    ]
    for game in games:
        game.rows = [made(weight=None)]
    finding: Any = ConditionsFinding.model_construct(
        details=made(evidence="demonstrated"), explanation=Explanation(), facts=()
    )
    why = with_ways(finding, games).explanation.why
    assert why is not None
    assert [(cause.name, cause.alone, cause.without) for cause in why.causes] == [
        ("one region", 30.0, 4.0), ("one after the other", 4.0, 30.0)
    ]  # fmt: skip
    assert with_ways(finding, games[:1]).explanation.why is None
