"""Classes that overlap: the expected success is the true one, by brute force and by simulation."""

from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from dalenius.people.rows.rows import Rows
from dalenius.release.rows.classes import find_classes
from dalenius.singling_out.attack.candidates import one_of
from dalenius.singling_out.attack.planner import ConditionsPlan, plan
from dalenius.singling_out.attack.rows.overlapping import OwnRows, one_left
from dalenius.singling_out.referee.classes import OriginalRows
from dalenius.theory.isolation import isolation


def rows_of(**columns: object) -> Rows:
    return Rows.of_table(pa.table(columns))


def grouped(values: np.ndarray, k: int) -> list[str]:
    """Every k rows as they come publish the interval of their values: boxes overlap."""
    groups = values.reshape(-1, k)
    ends = zip(groups.min(axis=1).tolist(), groups.max(axis=1).tolist(), strict=True)
    return [f"[{low}, {high}]" for low, high in ends for _ in range(k)]


def planned(released: Rows, quasi: list[str], known: Rows | None) -> ConditionsPlan:
    classes = find_classes(released, quasi, known=known)
    return plan(classes, known=known, tight=(), rng=np.random.default_rng(1))


def test_by_brute_force() -> None:
    """All 256 tables of four values below 4, in two groups of two: the mean over tables and hashes."""
    values, per_value = 4, 40  # many people of each value; every person is told apart by a number
    x = np.repeat(np.arange(values), per_value)
    people = rows_of(x=x, id=np.arange(x.size))
    said, true, naive, naive_true = [], [], [], []
    made: dict[tuple[str, ...], ConditionsPlan] = {}
    for table in product(range(values), repeat=4):
        cells = tuple(grouped(np.array(table), 2))
        if cells not in made:
            made[cells] = planned(rows_of(x=cells, id=["*"] * 4), ["x", "id"], people)
        hashed = next(attack for attack in made[cells].attacks if attack.kind == "hash")
        boxes = [made[cells].classes.cells(i) for i in hashed.of_class.tolist()]
        ends = [[int(end) for end in box.split("[")[1].split("]")[0].split(",")] for box in boxes]
        for i, (low, high) in enumerate(ends):
            matches = sum(low <= value <= high for value in table)
            true.append(isolation(matches, 1 / hashed.one_in[i]))
            naive_true.append(isolation(matches, 1 / made[cells].classes.sizes[hashed.of_class[i]]))
        said += hashed.success.tolist()
        naive += one_of(made[cells].classes.sizes[hashed.of_class]).tolist()
    # rows stand at the ends of a box a little more often than people do
    assert np.mean(said) == pytest.approx(np.mean(true), abs=0.02)
    assert np.mean(naive) > np.mean(naive_true) + 0.04  # planted: other classes are not thought of
    assert np.mean(true) > np.mean(naive_true)


def test_in_a_simulation() -> None:
    """Groups of three as rows come, over two numbers: a hash, a unique value, and what is said of nobody."""
    rng = np.random.default_rng(3)
    n, k = 300, 3
    a, b = rng.integers(0, 40, n), rng.integers(0, 40, n)
    ill = rng.integers(0, 30, n)
    original = rows_of(a=a, b=b, ill=ill, id=np.arange(n))
    size = 60_000
    known = rows_of(
        a=rng.integers(0, 40, size),
        b=rng.integers(0, 40, size),
        ill=rng.integers(0, 30, size),
        id=np.arange(size) + n,
    )
    released = rows_of(a=grouped(a, k), b=grouped(b, k), ill=ill.astype(str).astype(object), id=["*"] * n)
    made = planned(released, ["a", "b", "id"], known)
    truth = OriginalRows(original, made.classes)
    for kind in ("hash", "unique value"):
        attack = next(one for one in made.attacks if one.kind == kind)
        hits = truth.judge(attack, made.key).counts == 1
        error = np.sqrt((attack.success * (1 - attack.success)).sum()) / len(attack)
        assert abs(hits.mean() - attack.success.mean()) < 4 * error
    blind = planned(released, ["a", "b", "id"], None)
    attack = next(one for one in blind.attacks if one.kind == "unique value")
    hits = OriginalRows(original, blind.classes).judge(attack, blind.key).counts == 1
    assert hits.mean() < 0.7 < attack.success.mean()
    assert any("classes do not overlap" in note for note in blind.notes)
    (note,) = made.notes
    assert note.startswith("Cells of classes overlap: 100% of them")


def test_ends_of_intervals_that_overlap() -> None:
    """Groups of four as rows come: the least value of a group is often somebody else's too."""
    rng = np.random.default_rng(7)
    n, k, size = 400, 4, 40_000
    a, b = rng.integers(0, 60, n), rng.integers(0, 60, n)
    known = rows_of(a=rng.integers(0, 60, size), b=rng.integers(0, 60, size))
    classes = find_classes(rows_of(a=grouped(a, k), b=grouped(b, k)), ["a", "b"], known=known)
    made = plan(classes, known=known, tight=("a", "b"), rng=rng)
    truth = OriginalRows(rows_of(a=a, b=b), classes)
    ends = [attack for attack in made.attacks if attack.kind == "interval end"]
    hits = np.concatenate([truth.judge(attack, made.key).counts == 1 for attack in ends])
    expected = np.concatenate([attack.success for attack in ends])
    assert abs(hits.mean() - expected.mean()) < 4 * np.sqrt(0.25 / hits.size)
    assert hits.mean() < 0.6  # it would be nearly always if classes were apart


def test_nothing_changes_where_classes_are_apart() -> None:
    rng = np.random.default_rng(5)
    known = rows_of(x=rng.random(5000))
    x = np.sort(rng.random(40))
    made = planned(rows_of(x=grouped(x, 4)), ["x"], known)
    (hashed,) = made.attacks
    assert hashed.one_in.tolist() == [4] * 10
    assert hashed.success == pytest.approx(one_of(np.array([4] * 10)))
    assert made.notes == ()


def test_one_of_rows_and_strangers() -> None:
    """The formula against the sum over how many strangers there are."""
    from scipy.stats import binom, poisson

    for rows, strangers, one_in in ((1, 0.7, 2), (3, 2.5, 5), (5, 0.1, 5), (2, 0.0, 2)):
        true = sum(poisson.pmf(s, strangers) * binom.pmf(1, rows + s, 1 / one_in) for s in range(60))
        own = OwnRows.all_different(np.array([rows]))
        found = one_left(own, np.array([strangers]), np.array([one_in]))
        assert found == pytest.approx([true])


def test_a_column_that_names_rows_is_pointed_out() -> None:
    n = 200
    ages = np.arange(n) // 10 % 10
    released = rows_of(
        age=ages.astype(str).astype(object), email=[f"p{i}" for i in range(n)], ill=["x", "y"] * 100
    )
    (first, _) = planned(released, ["age"], None).notes
    assert first.startswith("Column 'email' is released as it is, and nearly every value occurs once")


def test_rows_that_are_the_same_by_brute_force() -> None:
    """Classes of three rows, each of four equally common values: all 64 tables and the planner's hash."""
    people = rows_of(x=np.repeat(np.arange(8), 60))
    made = planned(rows_of(x=["0-3"] * 3 + ["4-7"] * 3), ["x"], people)
    (hashed,) = made.attacks
    tables = [np.unique(table, return_counts=True)[1] for table in product(range(4), repeat=3)]
    for i in range(2):
        q = 1 / hashed.one_in[i]
        true = np.mean([(counts == 1).sum() * q * (1 - q) ** (counts.size - 1) for counts in tables])
        assert hashed.success[i] == pytest.approx(true, abs=0.01)
        assert one_of(np.array([3]))[0] > true + 0.05  # planted: rows are taken as different
    mixed = find_classes(rows_of(x=["0-3"] * 3), ["x"], known=people)
    blind = plan(mixed, known=None, rng=np.random.default_rng(1))
    assert blind.attacks[0].success[0] == pytest.approx(4 / 9)
    assert "rows of a class are distinct" in blind.notes[0]


def test_a_class_with_equal_rows_in_a_simulation() -> None:
    """Ages and sex alone: many of the five in a class are twins, and the success is as expected."""
    rng = np.random.default_rng(8)
    age, size = np.sort(rng.integers(0, 60, 3000)), 40_000
    sex = rng.integers(0, 2, 3000)
    decade = age // 10
    order = np.lexsort((rng.random(3000), decade))
    original = rows_of(age=age[order], sex=sex[order], room=np.arange(3000) // 5)
    bands = [f"{10 * d}-{10 * d + 9}" for d in decade[order].tolist()]
    room = (np.arange(3000) // 5).astype(str).astype(object)
    known = rows_of(
        age=rng.integers(0, 60, size), sex=rng.integers(0, 2, size), room=rng.integers(0, 600, size)
    )
    made = planned(rows_of(age=bands, sex=["*"] * 3000, room=room), ["age", "sex", "room"], known)
    hashed = next(attack for attack in made.attacks if attack.kind == "hash")
    hits = OriginalRows(original, made.classes).judge(hashed, made.key).counts == 1
    assert abs(hits.mean() - hashed.success.mean()) < 4 * np.sqrt(0.24 / len(hashed))
    assert hashed.success.mean() < 0.4
