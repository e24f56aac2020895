"""Hidden and rounded cells: what is derived always holds the truth, and is tight."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InputError, SaysNothingError
from dalenius.knowledge.view import Knowledge, View
from dalenius.people.schema import Column, Kind, Role
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.certain import ranges as extremes
from dalenius.reconstruction.attack.certain.cells import derive_cells
from dalenius.reconstruction.attack.certain.conflict import find_conflict
from dalenius.reconstruction.attack.certain.ranges import row_extremes
from dalenius.reconstruction.attack.linalg import programs as repeated
from dalenius.reconstruction.attack.search.parts import propagate
from dalenius.release.release import Block, Release
from dalenius.statistics.tables import Tables, tables_of

MECHANISMS = [
    "suppression:below=4",
    "suppression:below=4,complementary=yes",
    "suppression:below=3,zeros=hide",
    "rounding:base=3",
    "rounding:base=5,how=down",
    "rounding:base=4,how=random",
    "topcode:at=3",
    "suppression:below=4 | rounding:base=3",
]


def truth_of(view, secrets, levels):
    """The true count of every cell by its name."""
    counts = {}
    for block in view.release.blocks:
        matrix = block.statistic.operator(view.knowledge.roster)
        for code, level in enumerate(levels):
            values = matrix.apply((secrets == code).astype(np.float64))
            counts |= {
                f"{label}, ill={level}": v for label, v in zip(block.statistic.labels(), values, strict=True)
            }
    return counts


@pytest.mark.parametrize("mechanism", MECHANISMS)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32), values=st.integers(2, 3))
def test_what_is_derived_holds_the_truth_and_certain_is_never_wrong(people, view, mechanism, seed, values):
    rng = np.random.default_rng(seed)
    roster = people(rng.integers(0, 3, (int(rng.integers(8, 30)), 3)))
    levels = ("a", "b", "c")[:values]
    secrets = rng.integers(0, values, len(roster))
    asked = [tables_of(roster.attributes.columns, 2), tables_of(roster.attributes.columns, 1)]
    made = view(asked, roster, secrets, mechanism, levels=levels, seed=seed)
    derived = derive_cells(made)
    counts = truth_of(made, secrets, levels)
    for cell in derived.cells:
        assert cell.low <= cell.derived_low <= counts[cell.what] <= cell.derived_high <= cell.high
    try:
        claims = reconstruct(View(derived.release, made.knowledge), rng=rng)
    except SaysNothingError:  # every cell may be anything, so none was derived
        assert not derived.exact
        return
    assert (claims.guess[claims.certain] == secrets[claims.certain]).all()


def test_a_table_alone_gives_the_intervals_of_its_own_totals(people):
    """A textbook table: two hidden cells in each line, so that each can be anything the totals allow.

    The rows are levels that all people of the other column share: nothing but the totals is known.
    """
    roster = people([[0]] * 10 + [[1]] * 12 + [[2]] * 8)
    secret = Column("ill", Role.SECRET, Kind.CATEGORICAL, ("a", "b", "c"))
    table = np.array([[np.nan, np.nan, 5], [np.nan, np.nan, 4], [2, 3, 3]])  # truth 2 3 5 / 4 4 4 / 2 3 3
    total = np.array([[8.0, 10.0, 12.0]])
    columns = roster.attributes.columns
    blocks = (
        Block(tables_of(columns, 1), secret.levels, table),
        Block(Tables((), ((),)), secret.levels, total),
    )
    view = View(Release("r", secret, blocks, "exact"), Knowledge(roster))
    found = {cell.what: (cell.derived_low, cell.derived_high) for cell in derive_cells(view).cells}
    # by hand: x = count(0, a); then 5 - x, 6 - x and 2 + x must all be at least 0
    assert found == {
        "a0=0, ill=a": (0, 5), "a0=0, ill=b": (0, 5), "a0=1, ill=a": (1, 6), "a0=1, ill=b": (2, 7),
    }  # fmt: skip


def test_knowing_the_people_is_at_least_as_tight_as_brute_force_allows(people, view):
    """Against every vector of secrets: the derived interval is that of all vectors, or wider by fractions."""
    rng = np.random.default_rng(5)
    roster = people(rng.integers(0, 2, (10, 4)))
    secrets = rng.integers(0, 2, 10)
    asked = [tables_of(roster.attributes.columns, 2)]
    made = view(asked, roster, secrets, "suppression:below=4,complementary=yes")
    published = made.release.blocks[0].answers
    matrix = asked[0].operator(roster).explicit().toarray()
    possible = []
    for vector in itertools.product((0, 1), repeat=10):
        yes = matrix @ np.array(vector)
        counts = np.stack([matrix.sum(axis=1) - yes, yes], axis=1)
        visible = ~np.isnan(published)
        if (counts[visible] == published[visible]).all():
            possible.append(counts)
    least, most = np.min(possible, axis=0), np.max(possible, axis=0)
    labels = list(asked[0].labels())
    for cell in derive_cells(made).cells:
        label, _, value = cell.what.rpartition(", ill=")
        at = labels.index(label), ("no", "yes").index(value)
        assert cell.derived_low <= least[at]
        assert cell.derived_high >= most[at]
        assert cell.derived_high - cell.derived_low <= most[at] - least[at] + 1


def test_golden_intervals(linear, program_ends):
    """G6: certain people, and sums bounded by all rows together; as whole numbers the third row is 0 or 2."""
    A = [[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 1, 1]]
    system = linear(A, [1, 1, 1.5, 2.5], low=[1, 1, 1, 2], high=[1, 1, 2, 3])
    smallest, largest = program_ends(system)
    assert np.allclose(smallest, [0.5, 0, 0.5, 0])
    assert np.allclose(largest, [1, 0.5, 1, 1])
    found = row_extremes(propagate(system), np.ones(4, bool))
    assert found.low.tolist() == [1, 1, 2, 2]
    assert found.high.tolist() == [1, 1, 2, 3]


def test_programs_started_from_each_other_give_what_programs_from_nothing_give(linear, monkeypatch):
    rng = np.random.default_rng(4)
    A = rng.random((30, 20)) < 0.3
    truth = A @ rng.integers(0, 2, 20)
    system = linear(A, truth, low=np.maximum(truth - 2, 0), high=truth + 2)
    warm = row_extremes(system, np.ones(30, bool))
    monkeypatch.setattr(repeated, "open_highs", lambda: None)
    cold = row_extremes(system, np.ones(30, bool))
    assert warm.low.tolist() == cold.low.tolist()
    assert warm.high.tolist() == cold.high.tolist()
    assert (warm.low <= truth).all()
    assert (truth <= warm.high).all()
    assert (warm.high - warm.low).sum() < 4 * 30


def test_too_many_cells_fall_back_to_propagation_and_say_so(people, view, monkeypatch):
    rng = np.random.default_rng(3)
    roster = people(rng.integers(0, 3, (30, 3)))
    made = view([tables_of(roster.attributes.columns, 2)], roster, rng.integers(0, 2, 30), "rounding:base=5")
    tight = derive_cells(made)
    monkeypatch.setattr(extremes, "WORK_LIMIT", 0)
    loose = derive_cells(made)
    assert "too many for linear programs" in loose.notes[0]
    for a, b in zip(tight.cells, loose.cells, strict=True):
        assert b.derived_low <= a.derived_low <= a.derived_high <= b.derived_high


@pytest.mark.parametrize(("base", "mean", "sd"), [(3, 1.000, 0.0), (5, 0.946, 0.095), (10, 0.832, 0.131)])
def test_rounded_two_way_tables(people, view, accept, base, mean, sd):
    """Two-way tables, n = 50, d = 50, rounded to nearest: the table of measured recoveries."""
    own = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        roster, secrets = people(rng.integers(0, 2, (50, 50))), rng.integers(0, 2, 50)
        made = view([tables_of(roster.attributes.columns, 1)], roster, secrets, f"rounding:base={base}")
        claims = reconstruct(made, rng=rng)
        assert (claims.guess[claims.certain] == secrets[claims.certain]).all()
        own.append(float((claims.guess == secrets).mean()))
    assert accept(own, mean, sd, 10) or np.mean(own) > mean


@pytest.mark.parametrize("mechanism", ["suppression:below=10", "suppression:below=5"])
def test_suppression_alone_protects_nobody(people, view, mechanism):
    """Three-way tables, n = 60, d = 16: all secrets are certain, however many cells are hidden."""
    rng = np.random.default_rng(1)
    roster, secrets = people(rng.integers(0, 2, (60, 16))), (rng.random(60) < 0.3).astype(int)
    made = view([tables_of(roster.attributes.columns, 2)], roster, secrets, mechanism)
    claims = reconstruct(made, rng=rng)
    assert claims.certain.all()
    assert (claims.guess == secrets).all()


def test_complementary_suppression_at_ten_leaves_little(people, view):
    """The same tables with nearly everything hidden: near the base rate, and yet some people are certain."""
    right, certain = [], []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        roster, secrets = people(rng.integers(0, 2, (60, 16))), (rng.random(60) < 0.3).astype(int)
        asked = [tables_of(roster.attributes.columns, 2)]
        made = view(asked, roster, secrets, "suppression:below=10,complementary=yes")
        assert np.isnan(made.release.blocks[0].answers).mean() > 0.9
        claims = reconstruct(made, rng=rng)
        assert (claims.guess[claims.certain] == secrets[claims.certain]).all()
        right.append((claims.guess == secrets).mean())
        certain.append(claims.certain.mean())
    assert 0.55 <= np.mean(right) <= 0.90
    assert np.mean(certain) < 0.5


def test_a_contradiction_names_a_smallest_set(linear):
    A = [[1, 1, 0, 0], [0, 0, 1, 1], [1, 1, 1, 1], [1, 0, 0, 1], [0, 1, 1, 0]]
    system = linear(A, [1, 1, 4, 1, 1])
    rows = find_conflict(system)
    assert rows is not None
    assert rows.tolist() in ([0, 1, 2], [2, 3, 4], [0, 2], [1, 2], [2, 3], [2, 4])
    with pytest.raises(InputError, match=r"these \d cannot all hold: .*'2' \(4\)"):
        propagate(system)


def test_what_is_possible_has_no_conflict(linear):
    assert find_conflict(linear([[1, 1], [1, 0]], [1, 1])) is None
