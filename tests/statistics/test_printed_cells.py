"""Printed cells of many people: counted and applied without a matrix, as if it were written out."""

import numpy as np
import pytest

from dalenius.matrices.operators import take_people, take_rows
from dalenius.matrices.tables import SummedRows
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.statistics import cells
from dalenius.statistics.cells import CellCounts, join_cells

AGE = Column("age", Role.PUBLIC, Kind.CATEGORICAL, ("20", "30", "40", "50"))
SEX = Column("sex", Role.PUBLIC, Kind.BINARY, ("f", "m"))
CITY = Column("city", Role.PUBLIC, Kind.CATEGORICAL, ("a", "b", "c"))

ASKED = join_cells(
    [
        CellCounts(
            (AGE, SEX), ((("age", ("20",)), ("sex", ("f",))), (("sex", ("m",)), ("age", ("30", "40")))), "xy"
        ),
        CellCounts((CITY, SEX, AGE), ((("city", ("c", "a")),), (), (("city", ()),)), "zev"),
        CellCounts((CITY, SEX, AGE), ((("age", ("50",)), ("city", ("b",)), ("sex", ("f", "m"))),), "w"),
    ]
)


@pytest.fixture
def roster() -> Roster:
    rng = np.random.default_rng(4)
    codes = np.stack([rng.integers(0, size, 70) for size in (3, 4, 2)], axis=1).astype(np.int32)
    return Roster("id", np.arange(70).astype(np.str_), CodedColumns((CITY, AGE, SEX), codes))


def test_nothing_written_out_is_the_same_matrix(monkeypatch: pytest.MonkeyPatch, roster: Roster) -> None:
    written = ASKED.operator(roster).explicit().toarray()
    monkeypatch.setattr(cells, "ENTRY_LIMIT", 0)
    implicit = ASKED.operator(roster)
    assert isinstance(implicit, SummedRows)
    assert np.array_equal(implicit.explicit().toarray(), written)
    assert np.array_equal(ASKED.totals(roster), written.sum(axis=1))
    assert implicit.entries == written.sum()
    rng = np.random.default_rng(5)
    x, r = rng.normal(size=70), rng.normal(size=len(written))
    assert np.allclose(implicit.apply(x), written @ x)
    assert np.allclose(implicit.single().apply_transpose(r), written.T @ r, atol=1e-4)
    some = np.array([1, 3, 5])
    assert np.array_equal(take_rows(implicit, some).toarray(), written[some])
    assert np.array_equal(take_people(implicit, some).explicit().toarray(), written[:, some])


def test_people_are_told_apart_exactly_where_a_cell_does(roster: Roster) -> None:
    columns = ASKED.operator(roster).explicit().toarray().T
    prints = ASKED.fingerprint(roster)
    _, by_print = np.unique(prints, axis=0, return_inverse=True)
    for group in range(by_print.max() + 1):
        assert len(np.unique(columns[by_print.ravel() == group], axis=0)) == 1
