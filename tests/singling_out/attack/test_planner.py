"""Attacks on released rows: each succeeds as often as it says, and none sees the original."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pytest

from dalenius.conditions.matching import Matcher
from dalenius.conditions.predicate import evaluate
from dalenius.errors import InputError
from dalenius.mechanisms.anonymise.hierarchy import Hierarchy
from dalenius.mechanisms.anonymise.parse import anonymise
from dalenius.people.rows.rows import Rows
from dalenius.release.rows.classes import find_classes
from dalenius.singling_out.attack.candidates import Candidates, alone_given_some, one_of
from dalenius.singling_out.attack.planner import ConditionsPlan, plan
from dalenius.singling_out.attack.rows.interval_ends import tight_columns
from dalenius.singling_out.attack.rows.minimality import below_share, downcode, lonely_child
from dalenius.singling_out.referee.classes import OriginalRows, people_singled_out
from dalenius.theory.singling_out import bit_suppression_success


def rows_of(**columns: object) -> Rows:
    return Rows.of_table(pa.table(columns))


def planned(
    released: Rows,
    quasi: list[str],
    known: Rows | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    tight: tuple[str, ...] | None = None,
    seed: int = 1,
) -> ConditionsPlan:
    classes = find_classes(released, quasi, known=known, hierarchies=hierarchies)
    return plan(classes, known=known, tight=tight, rng=np.random.default_rng(seed))


def of_kind(made: ConditionsPlan, kind: str) -> Candidates:
    return next(attack for attack in made.attacks if attack.kind == kind)


def buckets(n: int, k: int, seed: int = 1) -> tuple[Rows, Rows]:
    """Sort by one number and publish the least and the largest of every k rows."""
    values = np.sort(np.random.default_rng(seed).random(n))
    ends = np.repeat(np.stack([values[::k], values[k - 1 :: k]]), k, axis=1)
    cells = [f"[{a!r}, {b!r}]" for a, b in zip(*ends.tolist(), strict=True)]
    return rows_of(x=values), rows_of(x=cells)


def test_interval_buckets_are_singled_out_at_both_ends():
    original, released = buckets(1000, 5)
    made = planned(released, ["x"])
    assert tight_columns(made.classes) == ("x",)
    truth = OriginalRows(original, made.classes)
    ends = [attack for attack in made.attacks if attack.kind == "interval end"]
    found = [truth.judge(attack, made.key) for attack in ends]
    assert [len(attack) for attack in ends] == [200, 200]
    assert all((one.counts == 1).all() for one in found)
    assert people_singled_out(np.concatenate([one.alone for one in found])) == 400


def test_a_hash_isolates_one_of_k_as_often_as_theory_says():
    """Theorem 6.1 with an ideal hash: B(5, 1/5) = 0.4096."""
    original, released = buckets(20_000, 5)
    made = planned(released, ["x"], tight=())
    hashed = of_kind(made, "hash")
    assert hashed.success == pytest.approx(0.4096)
    found = OriginalRows(original, made.classes).judge(hashed, made.key)
    rate = (found.counts == 1).mean()
    assert abs(rate - 0.4096) < 4 * np.sqrt(0.4096 * 0.5904 / 4000)


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_starred_bits_do_better_than_a_hash(k: int):
    rng = np.random.default_rng(k)
    n, columns = 150 * k, max(64, 16 * 2 ** (k - 1))  # enough bits are kept that classes do not overlap
    bits = rng.integers(0, 2, (n, columns))
    groups = bits.reshape(n // k, k, columns)
    star = np.repeat(groups.min(axis=1) != groups.max(axis=1), k, axis=0)
    names = [f"b{j:03}" for j in range(columns)]
    original = rows_of(**{name: bits[:, j].astype(str).astype(object) for j, name in enumerate(names)})
    cells = np.where(star, "*", bits.astype(str))
    released = rows_of(**{name: cells[:, j].astype(object) for j, name in enumerate(names)})
    made = planned(released, names, known=original.take(np.arange(50)))
    attack = of_kind(made, "starred bits")
    assert attack.success == pytest.approx(bit_suppression_success(k))
    rate = (OriginalRows(original, made.classes).judge(attack, made.key).counts == 1).mean()
    true = bit_suppression_success(k)
    assert abs(rate - true) <= 4 * np.sqrt(true * (1 - true) / (n // k)) + 0.01


def test_mondrian_with_many_attributes():
    """Tight boxes of 1,000 uniform points: every end is somebody's, and a hash leaves one of the 7 or 8."""
    quasi = [f"q{i}" for i in range(12)]
    hits, expected, volumes = [], [], []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        original = rows_of(**{name: rng.random(1000) for name in quasi})
        released = anonymise(original, quasi, "mondrian:k=5", rng).rows
        made = planned(released, quasi, seed=seed)
        truth = OriginalRows(original, made.classes)
        assert set(made.classes.sizes.tolist()) == {7, 8}
        ends = [attack for attack in made.attacks if attack.kind == "interval end"]
        assert all((truth.judge(attack, made.key).counts == 1).all() for attack in ends)
        hashed = of_kind(made, "hash")
        hits += (truth.judge(hashed, made.key).counts == 1).tolist()
        expected += hashed.success.tolist()
        volumes += np.log(made.class_weights).tolist()
    assert len(hits) == 4 * 128
    assert abs(np.mean(hits) - np.mean(expected)) < 4 * np.sqrt(0.24 / len(hits))
    assert np.median(volumes) < -8  # far below ln 7/1000 = -5: the boxes fit these people


def test_bits_below_a_share():
    """Brute force: the first four binary digits of 1/5 are 0011, so the numbers below are 0, 1, 2."""
    names = ["a", "b", "c", "d"]
    grid = [[str(i >> 3 - j & 1) for i in range(16)] for j in range(4)]
    condition = below_share([(name, ("0", "1")) for name in names], 5)
    matched = evaluate(condition, rows_of(**dict(zip(names, grid, strict=True))))
    assert np.flatnonzero(matched).tolist() == [0, 1, 2]


def test_unique_and_rare_values():
    original = rows_of(
        age=[21, 22, 23, 31, 32, 33, 34, 35, 36],
        ill=["flu", "flu", "gout", "flu", "flu", "gout", "gout", "flu", None],
    )
    ages = ["20-29"] * 3 + ["30-39"] * 6
    texts = [original.column("ill").text(i) for i in range(8)]
    made = planned(rows_of(age=ages, ill=[*texts, None]), ["age"])
    alone = of_kind(made, "unique value")
    assert alone.of_class.tolist() == [0, 1]
    words = [made.predicate(made.attacks.index(alone), i) for i in range(2)]
    assert [Matcher(original).which(word).tolist() for word in words] == [[2], [8]]
    made = planned(rows_of(age=ages[3:8], ill=texts[3:]), ["age"])
    rare = of_kind(made, "rare value")
    assert (rare.one_in.tolist(), rare.success.tolist()) == ([2], [0.5])


def test_values_of_all_columns_together():
    released = rows_of(age=["*5"] * 4, a=["x", "x", "y", "y"], b=["p", "q", "p", "q"])
    made = planned(released, ["age"])
    assert of_kind(made, "unique value").boxes.columns == ("age", "a", "b")
    assert of_kind(made, "rare value").success.tolist() == [0.5]


def test_a_set_with_as_many_values_as_rows():
    released = rows_of(town=["{Bern, Zug}"] * 2 + ["{Bern, Chur}"] * 3)
    made = planned(released, ["town"])
    full = of_kind(made, "full set")
    assert full.of_class.tolist() == [0]
    original = rows_of(town=["Zug", "Bern", "Bern", "Chur", "Chur"])
    assert OriginalRows(original, made.classes).judge(full, made.key).counts.tolist() == [
        2
    ]  # classes overlap
    assert OriginalRows(original.take(np.arange(2)), made.classes).judge(full, made.key).counts.tolist() == [
        1
    ]


TREE = Hierarchy({v: (v, v[:2] + "x", v[:1] + "xx", "any") for v in (f"{i:03b}" for i in range(8))})


def local_recoding(k: int, groups: int, seed: int) -> tuple[Rows, Rows]:
    """Groups of k rows; each publishes the lowest label that all of them have, beside a verbatim number."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 8, (groups, k))
    cells = []
    for group in values:
        texts = [f"{v:03b}" for v in group]
        shared = next(s for s in range(3, -1, -1) if len({t[:s] for t in texts}) == 1)
        cells += [
            texts[0] if shared == 3 else texts[0][:shared] + "x" * (3 - shared) if shared else "any"
        ] * k
    leaves = [f"{v:03b}" for v in values.ravel()]
    room = np.repeat(np.arange(groups), k)
    return rows_of(x=leaves, room=room), rows_of(x=cells, room=room.astype(str).astype(object))


@pytest.mark.parametrize(("k", "success"), [(2, 1.0), (3, 0.5), (4, 2 / 7)])
def test_a_minimal_generaliser_says_how_rows_are_spread(k: int, success: float):
    original, released = local_recoding(k, 800, k)
    made = planned(released, ["x", "room"], hierarchies={"x": TREE})
    truth = OriginalRows(original, made.classes)
    found, expected = [], []
    for attack in made.attacks:
        if attack.kind == "minimality":
            expected += attack.success.tolist()
            found += (truth.judge(attack, made.key).counts == 1).tolist()
    assert expected == pytest.approx([success] * len(expected))
    assert len(found) > 500
    assert abs(np.mean(found) - success) <= 4 * np.sqrt(success * (1 - success) / len(found)) + 1e-9


def test_downcoding_publishes_a_finer_table():
    original, released = local_recoding(2, 300, 7)
    classes = find_classes(released, ["x", "room"], hierarchies={"x": TREE})
    finer = downcode(classes)
    truth, key = OriginalRows(original, classes), planned(released, ["x", "room"]).key
    matched = [truth.judge(one, key) for one in finer]
    assert sum(map(len, finer)) > 400
    assert all((one.counts == 1).all() for one in matched)
    assert people_singled_out(np.concatenate([one.alone for one in matched])) == sum(map(len, finer))


def test_a_column_recoded_as_a_whole_says_nothing_about_minimality():
    released = rows_of(x=["0xx", "0xx", "1xx", "1xx"])
    made = planned(released, ["x"], hierarchies={"x": TREE})
    assert [attack.kind for attack in made.attacks] == ["hash"]
    assert downcode(made.classes) == ()


@pytest.mark.parametrize(
    ("cells", "tight"),
    [
        (["20-29", "30-39", "40-49"], False),  # bands of one width
        (["0-9", "10-19", "0-19"], False),  # a hierarchy
        (["[0, 50]", "[50, 100]", "[0, 30]", "[30, 100]"], False),  # regions that share their ends
        (["[0, 50[", "[50, 80[", "[10, 60["], False),  # an end that does not belong to it is nobody's value
        (["[1.5, 3.25]", "[4.125, 8.5]", "[9.75, 11]"], True),
        (["[1.5, 3.25]", "[2.125, 8.5]"], True),
    ],
)
def test_which_intervals_look_tight(cells: list[str], tight: bool):
    classes = find_classes(rows_of(x=cells), ["x"])
    assert tight_columns(classes) == (("x",) if tight else ())


def test_formulas():
    assert one_of(np.array([1, 2, 5])) == pytest.approx([1, 0.5, 0.4096])
    assert alone_given_some(np.array([5, 5]), np.array([0.0, 1.0])) == pytest.approx([1, 0], abs=1e-9)
    k, q = 4, 0.3  # brute force over who has the value
    ways = [[(i >> j) & 1 for j in range(k)] for i in range(1, 2**k)]
    chance = [q ** sum(way) * (1 - q) ** (k - sum(way)) for way in ways]
    alone = sum(c for c, way in zip(chance, ways, strict=True) if sum(way) == 1) / sum(chance)
    assert alone_given_some(np.array([k]), np.array([q])) == pytest.approx([alone])
    assert lonely_child(np.array([2.0]), np.array([[0.0], [0.0], [0.0]]))[0] == pytest.approx([2 / 3])


def test_ties_are_expected_where_others_have_them():
    """Ages repeat: the attacker knows from other people how often an end is shared, and is right about it."""
    rng = np.random.default_rng(5)
    ages = rng.integers(20, 40, 6000)
    groups = np.sort(ages.reshape(1200, 5), axis=1)
    released = [f"{g[0]}-{g[4]}" for g in groups for _ in range(5)]
    room = np.repeat(np.arange(1200), 5)
    known = rows_of(age=rng.integers(20, 40, 50_000), room=rng.integers(0, 1200, 50_000))
    made = planned(
        rows_of(age=released, room=room.astype(str).astype(object)), ["age", "room"], known, tight=("age",)
    )
    truth = OriginalRows(rows_of(age=groups.ravel(), room=room), made.classes)
    ends = [attack for attack in made.attacks if attack.kind == "interval end"]
    hits = np.concatenate([truth.judge(attack, made.key).counts == 1 for attack in ends])
    expected = np.concatenate([attack.success for attack in ends])
    assert 0.6 < hits.mean() < 0.95
    assert abs(hits.mean() - expected.mean()) < 0.05


def test_the_choice_is_the_best_of_those_light_enough():
    rng = np.random.default_rng(2)
    ill = rng.choice(["flu", "gout", "rare"], 20_000, p=[0.5, 0.45, 0.05])
    known = rows_of(age=rng.integers(20, 60, 20_000), ill=ill)
    released = rows_of(age=["20-39"] * 5 + ["40-59"] * 5, ill=["flu", "flu", "flu", "flu", "rare"] * 2)
    made = planned(released, ["age"], known)
    where = made.choose(0.05)
    assert where is not None
    assert made.attacks[where[0]].kind == "unique value"
    light = made.choose(1e-9)
    assert light is None
    assert sum(which.size for _, which in made.at_once(0.05)) == 2
    assert made.ratios == pytest.approx([1.0, 1.0], rel=0.05)  # coarse: no better than luck
    assert made.at_once(1e-9) == ()


def test_bad_input():
    released = rows_of(age=["20-29", "*"])
    with pytest.raises(InputError, match="tight column 'zip' must be a quasi-identifier"):
        planned(released, ["age"], tight=("zip",))
    with pytest.raises(InputError, match="column 'agee'"):
        find_classes(released, ["agee"])
    with pytest.raises(InputError, match="quasi-identifiers must name at least one"):
        find_classes(released, [])
    with pytest.raises(InputError, match="only suppressed rows"):
        find_classes(rows_of(age=["*", "*"]), ["age"])
