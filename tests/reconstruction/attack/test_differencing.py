"""What two or three published numbers give away, in words: and nothing where nothing does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.knowledge.view import Knowledge, View
from dalenius.people.schema import Column, Kind, Role, Roster
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.certain.differencing import find_disclosures
from dalenius.release.joint import DatedRelease, join
from dalenius.release.release import Block, Release
from dalenius.statistics.cells import CellCounts
from dalenius.statistics.tables import Tables, tables_of

ILL = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))


def texts(view):
    return [found.text for found in find_disclosures(view).found]


def joined(*sources):
    release, roster = join(sources)
    return View(release, Knowledge(roster))


def counted(roster, statistic, secrets):
    matrix = statistic.operator(roster)
    return np.stack([matrix.apply((secrets == code).astype(np.float64)) for code in (0, 1)], axis=1)


def test_two_tables_that_differ_by_one_person(people):
    """Each table alone is large and safe; the second leaves one person out."""
    rng = np.random.default_rng(2)
    everybody, secrets = people(rng.integers(0, 2, (80, 2))), rng.integers(0, 2, 80)
    rest = everybody.take(np.arange(79))
    asked = tables_of(everybody.attributes.columns, 1)
    made = [
        DatedRelease(
            name,
            Release(name, ILL, (Block(asked, ILL.levels, counted(r, asked, secrets[: len(r)])),), "exact"),
            r,
            name,
        )
        for name, r in (("all", everybody), ("without", rest))
    ]
    for alone in made:
        assert find_disclosures(joined(alone)).found == ()
    view = joined(*made)
    found = [d for d in find_disclosures(view).found if d.kind == "difference"]
    assert [d.people for d in found] == [("p0079",)]
    value = ILL.levels[secrets[79]]
    assert found[0].text.endswith(f"so p0079 has ill={value}")
    assert "count the same people but for p0079" in found[0].text
    claims = reconstruct(view, rng=rng)
    assert claims.certain.tolist() == [False] * 79 + [True]
    assert claims.guess[79] == secrets[79]


def test_a_small_group_that_is_all_alike(people, subsets):
    roster = people(np.zeros((8, 1)))
    asked = subsets([[1] * 8, [1] * 6 + [0, 0]])
    release = Release("r", ILL, (Block(asked, ("yes",), np.array([[5.0], [3.0]])),), "exact")
    (found,) = find_disclosures(View(release, Knowledge(roster))).found
    both = "p0006 and p0007"
    said = f"'q0' and 'q1' count the same people but for {both}: 5 - 3 = 2, so {both} all have ill=yes"
    assert found.text == said
    release = Release("r", ILL, (Block(asked, ("yes",), np.array([[5.0], [4.0]])),), "exact")
    assert find_disclosures(View(release, Knowledge(roster))).found == ()


def test_last_years_table_beside_this_years(people):
    """A person who left: found although a public column of somebody else changed in between."""
    now = people([[0], [0], [1], [1], [1]])
    codes = now.attributes.codes.copy()
    ids = np.array([*now.ids[:3], "left", *now.ids[3:]])
    before = Roster(
        "id", ids, type(now.attributes)(now.attributes.columns, np.insert(codes, 3, [[1]], axis=0))
    )
    asked = tables_of(now.attributes.columns, 1)
    this = Release("t", ILL, (Block(asked, ILL.levels, np.array([[1.0, 1], [2, 1]])),), "exact")
    last = Release("l", ILL, (Block(asked, ILL.levels, np.array([[1.0, 1], [2, 2]])),), "exact")
    view = joined(DatedRelease("2024", this, now, "2024"), DatedRelease("2023", last, before, "2023"))
    (text,) = texts(view)
    assert (
        text
        == "'2023: a0=1' and '2024: a0=1' count the same people but for left: 2 - 1 = 1, so left has ill=yes"
    )


def test_a_cell_that_is_published_twice_is_known_from_both(people):
    roster = people([[0]] * 20 + [[1]] * 20)
    asked = tables_of(roster.attributes.columns, 1)
    sources = [
        DatedRelease(n, Release(n, ILL, (Block(asked, ("no", "yes"), np.array(a)),), m), roster, n)
        for n, m, a in (
            ("fives", "rounding:base=5", [[15.0, 5], [10, 10]]),
            ("threes", "rounding:base=3", [[12.0, 6], [9, 12]]),
        )
    ]
    found = [d.text for d in find_disclosures(joined(*sources)).found if d.kind == "published twice"]
    said = (
        "'fives: a0=0' (3 to 7) and 'threes: a0=0' (5 to 7) count the same people: together ill=yes is 5 to 7"
    )
    assert said in found


def test_a_small_cell_from_its_total_and_from_a_percentage(people):
    roster = people([[0]] * 16 + [[1]] * 14)
    columns = roster.attributes.columns
    cells = CellCounts(columns, ((("a0", ("0",)),), (("a0", ("1",)),), ()), ("first", "second", "all"))
    less = np.full((3, 1), np.inf)
    less[0, 0] = 4
    hidden = Block(cells, ("yes",), np.array([[np.nan], [6.0], [9.0]]), None, np.zeros((3, 1)), less)
    release = Release("r", ILL, (hidden,), "exact")
    assert texts(View(release, Knowledge(roster))) == [
        "'first', ill=yes is not printed as it is, but the total 'all' is 9 and the other cells are 6: 3"
    ]
    one = CellCounts(columns, ((("a0", ("0",)),),), ("share",))
    alone = Block(cells, ("yes",), np.array([[np.nan], [np.nan], [np.nan]]), None, np.zeros((3, 1)), less)
    share = Block(one, ("yes",), np.array([[3.0]]), "stated", np.array([[3.0]]), np.array([[3.0]]))
    release = Release("r", ILL, (alone, share), "exact")
    (text,) = texts(View(release, Knowledge(roster)))
    assert text == "'first' (0 to 4) and 'share' (3) count the same people: together ill=yes is 3"


def test_noise_gives_nothing_away_this_way(people, view):
    rng = np.random.default_rng(1)
    roster = people(rng.integers(0, 2, (12, 3)))
    made = view([tables_of(roster.attributes.columns, 2)], roster, rng.integers(0, 2, 12), "gaussian:sigma=1")
    assert find_disclosures(made).found == ()


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32), mechanism=st.sampled_from(["exact", "rounding:base=3", "suppression:below=3"])
)
def test_whoever_is_named_is_named_rightly(people, view, seed, mechanism):
    rng = np.random.default_rng(seed)
    roster = people(rng.integers(0, 3, (int(rng.integers(3, 14)), 2)))
    secrets = rng.integers(0, 2, len(roster))
    asked = [
        tables_of(roster.attributes.columns, 2),
        tables_of(roster.attributes.columns, 1),
        Tables((), ((),)),
    ]
    made = view(asked, roster, secrets, mechanism)
    value = dict(zip(roster.ids.tolist(), secrets, strict=True))
    for found in find_disclosures(made).found:
        for person in found.people:
            assert found.text.endswith(f"ill={('no', 'yes')[value[person]]}")


def test_the_tests_can_fail(people, subsets):
    """A wrong number is told as a wrong fact: the finder trusts what is published."""
    release = Release(
        "r", ILL, (Block(subsets([[1, 1], [1, 0]]), ("yes",), np.array([[1.0], [0.0]])),), "exact"
    )
    first, second = find_disclosures(View(release, Knowledge(people([[0], [1]])))).found
    assert {first.people, second.people} == {("p0000",), ("p0001",)}


@pytest.mark.parametrize("levels", [("no", "yes"), ("a", "b", "c")])
def test_releases_of_another_secret_are_not_joined(people, levels):
    roster = people([[0], [1]])
    asked = Tables((), ((),))
    one = DatedRelease(
        "one", Release("one", ILL, (Block(asked, ILL.levels, np.array([[1.0, 1]])),), "exact"), roster, "one"
    )
    other = Column("x", Role.SECRET, Kind.CATEGORICAL, levels)
    counts = np.array([[1.0, 1, 0][: len(levels)]])
    two = DatedRelease("two", Release("two", other, (Block(asked, levels, counts),), "exact"), roster, "two")
    if levels == ILL.levels:
        assert join([one, two])[0].secret == ILL
    else:
        with pytest.raises(Exception, match="two: secret must have the 2 values of one; got others"):
            join([one, two])


def test_a_search_that_was_not_made_is_said(people, release, monkeypatch):
    """Above a number of entries pairs are not compared: nobody should take the silence for safety."""
    roster = people([[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]])
    made = release([tables_of(roster.attributes.columns, 1)], roster, np.array([1, 0, 0, 1, 0]))
    view = View(made, Knowledge(roster))
    assert find_disclosures(view).notes == ()
    monkeypatch.setattr("dalenius.reconstruction.attack.certain.differencing.ENTRY_LIMIT", 7)
    (note,) = find_disclosures(view).notes
    assert "Pairs of numbers were not compared: 8 entries of people in cells, more than 7" in note
