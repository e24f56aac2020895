"""Functions of public bits and the secret: golden tables, identities on random data, rank and recovery."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.errors import InputError
from dalenius.knowledge.view import Knowledge, View
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.reconstruction.attack.decoders import least_squares
from dalenius.reconstruction.attack.system.build import build
from dalenius.release.files import read_release, write_release
from dalenius.release.release import Block, Release
from dalenius.statistics.counts.boolean import BooleanFunction, function_of_table, named_function
from dalenius.statistics.counts.boolean_counts import BooleanCounts, counts_of
from dalenius.statistics.parse import ask, check
from dalenius.statistics.statistic import Counting, Estimate
from dalenius.theory.reconstruction.tables import function_rank_bound, nondegenerate_count

SECRET = Column("s", Role.SECRET, Kind.BINARY, ("no", "yes"))


def bits(codes: np.ndarray, *, turned: bool = False) -> Roster:
    codes = np.asarray(codes, np.int32)
    levels = ("1", "0") if turned else ("0", "1")
    columns = tuple(Column(f"a{j}", Role.PUBLIC, Kind.BINARY, levels) for j in range(codes.shape[1]))
    ids = np.array([f"p{i:03}" for i in range(len(codes))])
    return Roster("id", ids, CodedColumns(columns, 1 - codes if turned else codes))


def error_of(rule: tuple[int, ...], name: str = "error") -> BooleanFunction:
    """The function "the rule is wrong": a rule on public bits, compared with the secret."""
    return BooleanFunction(tuple(h ^ s for h in rule for s in (0, 1)), name)


def all_functions(inputs: int) -> list[BooleanFunction]:
    return [BooleanFunction(table) for table in itertools.product((0, 1), repeat=2**inputs)]


GOLDEN = [
    (named_function("and", 1), [0, 0, 0, 1], 2, True, [0, 0], [0, 1]),
    (named_function("or", 1), [0, 1, 1, -1], 2, True, [0, 1], [1, 0]),
    (named_function("xor", 1), [0, 1, 1, -2], 2, True, [0, 1], [1, -1]),
    (named_function("majority", 2), [0, 0, 0, 1, 0, 1, 1, -2], 3, True, [0, 0, 0, 1], [0, 1, 1, 0]),
    (named_function("not-all-equal", 2), [0, 1, 1, -1, 1, -1, -1, 0], 2, False, [0, 1, 1, 1], [1, 0, 0, -1]),
    (function_of_table("01010011", 2), [0, 1, 0, 0, 0, -1, 1, 0], 2, False, [0, 0, 0, 1], [1, 1, 0, 0]),
    (error_of((0, 0, 0, 1)), [0, 1, 0, 0, 0, 0, 1, -2], 3, True, [0, 0, 0, 1], [1, 1, 1, -1]),
    (error_of((0, 0, 1, 1)), [0, 1, 0, 0, 1, -2, 0, 0], 2, False, [0, 0, 1, 1], [1, 1, -1, -1]),
    (named_function("xor", 2), [0, 1, 1, -2, 1, -2, -2, 4], 3, True, [0, 1, 1, 0], [1, -1, -1, 1]),
]


@pytest.mark.parametrize(("f", "coefficients", "degree", "nondegenerate", "f0", "f2"), GOLDEN)
def test_golden_functions(f, coefficients, degree, nondegenerate, f0, f2):
    assert f.coefficients.tolist() == coefficients
    assert (f.degree, f.nondegenerate) == (degree, nondegenerate)
    assert (f.f0.tolist(), f.f2.tolist()) == (f0, f2)


@pytest.mark.parametrize("inputs", [1, 2, 3])
def test_every_test_of_degeneracy_agrees_and_the_number_is_right(inputs):
    functions = all_functions(inputs)
    points = np.array(list(itertools.product((0, 1), repeat=inputs)))
    for f in functions:
        table = np.array(f.truth_table)
        against_parity = int(((-1) ** (table + points.sum(axis=1))).sum())
        assert f.nondegenerate == (f.degree == inputs) == (against_parity != 0)
        assert f.nondegenerate == (f.secret_degree == inputs - 1)
    assert sum(f.nondegenerate for f in functions) == nondegenerate_count(inputs)


def test_polynomial_gives_the_truth_table_back():
    points = list(itertools.product((0, 1), repeat=3))
    subsets = np.array(points, bool)
    for f in all_functions(3):
        products = np.array(
            [[all(x[i] for i in np.flatnonzero(s)) for s in subsets] for x in np.array(points)]
        )
        assert (products @ f.coefficients).tolist() == list(f.truth_table)


def test_the_plus_minus_form_is_the_same_system():
    """All 256 functions of 3 bits: g = 2f - 1 gives the same row, and the same offset up to its own terms."""
    for f in all_functions(3):
        g1, g0 = 2 * np.array(f.truth_table[1::2]) - 1, 2 * np.array(f.truth_table[0::2]) - 1
        g2, g3 = (g1 - g0) / 2, (g1 + g0) / 2
        assert np.array_equal(g2, f.f2)
        assert np.array_equal((g3 - g2 + 1) / 2, f.f0)


@given(st.integers(0, 2**32 - 1), st.integers(0, 255))
def test_identity_on_random_data(seed, number):
    rng = np.random.default_rng(seed)
    f = BooleanFunction(tuple(int(c) for c in f"{number:08b}"))
    codes, secret = rng.integers(0, 2, (9, 4)), rng.integers(0, 2, 9)
    statistic = counts_of(bits(codes).attributes.columns, f)
    brute = []
    for i, j in itertools.combinations(range(4), 2):
        brute.append(sum(f.truth_table[4 * x[i] + 2 * x[j] + s] for x, s in zip(codes, secret, strict=True)))
    for roster in (bits(codes), bits(codes, turned=True)):
        answers = statistic.compute(roster, secret.astype(float))
        assert answers.tolist() == brute
        form = statistic.linear(roster, answers)
        assert form.rows.dtype == np.int8
        assert np.array_equal(form.rows @ secret, form.target)


def test_a_swapped_offset_is_caught():
    """Planted: f0 taken at s = 1 instead of s = 0 breaks the identity."""
    rng = np.random.default_rng(1)
    codes, secret = rng.integers(0, 2, (20, 5)), rng.integers(0, 2, 20)
    roster = bits(codes)
    right = counts_of(roster.attributes.columns, named_function("and", 2))
    turned = BooleanFunction(
        tuple(np.array(right.function.truth_table).reshape(-1, 2)[:, ::-1].ravel().tolist())
    )
    answers = right.compute(roster, secret.astype(float))
    wrong = counts_of(roster.attributes.columns, turned).linear(roster, answers)
    assert not np.allclose(wrong.rows @ secret, wrong.target)


RECOVERY = [
    (named_function("and", 2), 150, 2.25, 1.0, 0.0),
    (named_function("xor", 2), 150, 8.5, 1.0, 0.0),
    (named_function("majority", 2), 150, 4.35, 1.0, 0.0),
    (error_of((0, 0, 0, 1), "error of x1 and x2"), 150, 4.54, 1.0, 0.0),
    (named_function("not-all-equal", 2), 30, 0.0, 0.564, 0.051),
    (error_of((0, 0, 1, 1), "error of x1"), 29, 0.0, 0.557, 0.046),
]


@pytest.mark.parametrize(
    ("f", "rank", "sigma", "recovered", "sd"), RECOVERY, ids=[case[0].name for case in RECOVERY]
)
def test_rank_and_recovery_over_all_pairs(f, rank, sigma, recovered, sd):
    n, d, own, least = 150, 30, [], []
    noise = 0.05 * n**0.5
    for seed in range(3):
        rng = np.random.default_rng(seed)
        roster, secret = bits(rng.integers(0, 2, (n, d))), rng.integers(0, 2, n)
        statistic = counts_of(roster.attributes.columns, f)
        answers = statistic.compute(roster, secret.astype(float)) + rng.normal(0, noise, statistic.rows)
        sizes = np.linalg.svd(statistic.linear(roster, answers).rows.astype(float), compute_uv=False)
        assert (sizes > 1e-9).sum() == rank <= function_rank_bound(d, f.levels)
        least.append(sizes[-1])
        block = Block(statistic, ("estimate",), answers[:, None])
        release = Release("r", SECRET, (block,), f"gaussian:sigma={noise}")
        view = View(release, Knowledge(roster, np.full((n, 2), 0.5)))
        share = least_squares.decode(build(view).systems[0], rng=rng).share
        own.append(float(np.mean((share >= 0.5) == secret)))
    assert np.mean(least) == pytest.approx(sigma, rel=0.06, abs=1e-9)
    assert abs(np.mean(own) - recovered) <= 4 * sd / 3**0.5 + 2 * sd / 12**0.5 + 0.005


def test_levels_limit_the_rank():
    assert named_function("not-all-equal", 2).levels == (1,)
    assert named_function("and", 2).levels == (0, 1, 2)
    assert BooleanFunction((0, 0, 1, 1)).levels == ()
    assert BooleanFunction((0, 0, 1, 1)).secret_degree == -1


@pytest.mark.parametrize("size", [1, 3, 7, 6, 0])
def test_a_truth_table_that_is_not_whole_is_refused(size):
    with pytest.raises(InputError, match=rf"2\^\(k\+1\) entries .* got {size} entries"):
        BooleanFunction((0,) * size)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("boolean:table=0110111,k=2", "must be 8 zeros and ones"),
        ("boolean:table=01,k=1", "must be 4 zeros and ones"),
        ("boolean:table=0120,k=1", "must be 4 zeros and ones"),
        ("boolean:function=majorty,k=2", "Did you mean 'majority'"),
        ("boolean:function=and,table=0001,k=1", "either function or table"),
        ("boolean:k=1", "either function or table"),
        ("boolean:function=and", "k must be given"),
        ("boolean:function=and,k=99", "below 16"),
    ],
)
def test_bad_words_are_refused_before_data_is_read(text, message):
    with pytest.raises(InputError, match=message):
        check(text)


def test_only_bits_may_be_used_and_the_others_are_named():
    town = Column("town", Role.PUBLIC, Kind.CATEGORICAL, ("a", "b", "c"))
    ids = np.array(["p", "q"])
    sex = Column("sex", Role.PUBLIC, Kind.BINARY, ("f", "m"))
    roster = Roster("id", ids, CodedColumns((town, sex), np.array([[0, 0], [2, 1]], np.int32)))
    rng = np.random.default_rng(1)
    assert ask("boolean:function=and,k=1", roster, rng=rng).rows == 1
    with pytest.raises(InputError, match=r"columns 'town' must have two levels .* 3 levels"):
        ask("boolean:function=and,k=1,attributes=town+sex", roster, rng=rng)
    with pytest.raises(InputError, match=r"columns 'town' must have two levels"):
        ask("boolean:function=and,k=2", roster, rng=rng)
    with pytest.raises(InputError, match=r"number of columns of two levels \(1\)"):
        ask("boolean:function=and,k=2,attributes=sex", roster, rng=rng)


def test_a_given_list_of_sets():
    roster = bits(np.random.default_rng(1).integers(0, 2, (6, 4)))
    f = named_function("xor", 2)
    some = BooleanCounts(roster.attributes.columns, f, (("a0", "a2"), ("a3", "a1")))
    assert list(some.labels()) == ["xor of a0, a2 and the secret", "xor of a3, a1 and the secret"]
    for bad in (("a0",), ("a0", "a0"), ("a0", "zz")):
        with pytest.raises(InputError, match="must name 2 different columns"):
            BooleanCounts(roster.attributes.columns, f, (bad,))


def test_it_is_an_estimate_and_survives_a_file(tmp_path):
    roster = bits(np.random.default_rng(1).integers(0, 2, (6, 4)))
    statistic = counts_of(roster.attributes.columns, named_function("majority", 2))
    assert isinstance(statistic, Estimate)
    assert not isinstance(statistic, Counting)
    answers = statistic.compute(roster, np.array([1.0, 0, 0, 1, 1, 0]))
    release = Release("r", SECRET, (Block(statistic, ("estimate",), answers[:, None]),), "exact")
    write_release(release, tmp_path / "out")
    again = read_release(tmp_path / "out")
    assert again.blocks[0].statistic == statistic
    assert np.array_equal(again.blocks[0].answers, release.blocks[0].answers)
