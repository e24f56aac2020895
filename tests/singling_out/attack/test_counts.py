"""How often counts single somebody out: measured beside the exact probabilities."""

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from dalenius.conditions.predicate import And, Equals, HashBelow, Not, evaluate
from dalenius.errors import InputError
from dalenius.mechanisms.row_by_row import PadAndMasked, Projection
from dalenius.people.rows.columns import NumberColumn
from dalenius.people.rows.keyed_hash import threshold
from dalenius.people.rows.rows import Rows
from dalenius.people.schema import Column, Kind, Role
from dalenius.release.desk.count_desk import CountDesk, OpenCounts
from dalenius.release.desk.desk import OpenDesk
from dalenius.release.desk.terms import Terms
from dalenius.singling_out.attack.counts.bisection import Bisection, BitHalves, KeyedHalves, bisect
from dalenius.singling_out.attack.counts.counts import CountQuestions, CountsAttack
from dalenius.singling_out.attack.counts.plans import KeyedPlan, NumberPlan, WordsPlan, cases_of, keyed
from dalenius.singling_out.attack.isolating import Isolating, WeightBound
from dalenius.singling_out.attack.rows.whole_rows import UnmaskedRow, WholeRows
from dalenius.singling_out.game.game import Attack, Game, Mechanism, Trivial, Unweighed, nothing
from dalenius.singling_out.game.models import UniformNumbers
from dalenius.singling_out.game.rounds import DataSource
from dalenius.singling_out.referee.populations import Everybody
from dalenius.theory.isolation import all_distinct
from dalenius.theory.singling_out import counts_success, disjoint_success


def wins(source: DataSource, mechanism: Mechanism, attack: Attack, n: int, trials: int) -> float:
    game = Game(source, mechanism, attack, n, seed=7, name="test")
    return sum(game.trial(j).matches == 1 for j in range(trials)) / trials


def agrees(rate: float, exact: float, trials: int, other: float = 0.0) -> bool:
    """Within four combined standard errors."""
    return abs(rate - exact) <= 4 * math.hypot(math.sqrt(exact * (1 - exact) / trials), other)


def again(beside: str) -> pytest.MarkDecorator:
    """The same at another size or noise; a mistake shows at either."""
    return pytest.mark.slow(beside=beside)


def strings(bits: int) -> UniformNumbers:
    return UniformNumbers(2**bits, bits)


@pytest.mark.parametrize(
    ("n", "bits", "exact"),
    [
        pytest.param(100, 20, 0.369764896028, marks=again("test_one_more_count_than_bits")),
        (50, 10, 0.389185555409),
    ],
)
def test_one_more_count_than_bits(n: int, bits: int, exact: float) -> None:
    source, below = strings(bits), -(-(2**bits) // n)
    assert counts_success(n, bits, below / 2**bits) == pytest.approx(exact)
    rate = wins(source, OpenCounts(), CountsAttack(NumberPlan(bits, below), source.weigh), n, 800)
    assert agrees(rate, exact, 800)


@pytest.mark.parametrize(
    ("factor", "exact"),
    [(1, 0.304411), pytest.param(2, 0.369730, marks=again("test_no_count_is_small"))],
)
def test_no_count_is_small(factor: int, exact: float) -> None:
    n, bits = 100, 20
    source, below = strings(bits), 2 * round(factor * 2**bits / n / 2)
    hidden = OpenCounts("suppression:below=10")
    attack = CountsAttack(NumberPlan(bits, below, half=True), source.weigh)
    assert agrees(wins(source, hidden, attack, n, 700), exact, 700)
    small = CountsAttack(NumberPlan(bits, below), source.weigh)
    assert wins(source, hidden, small, n, 50) == 0


@pytest.mark.parametrize("regions", [2, pytest.param(5, marks=again("test_more_regions_make_it_surer"))])
def test_more_regions_make_it_surer(regions: int) -> None:
    n, bits, below = 100, 20, 10485
    source = strings(bits)
    attack = CountsAttack(NumberPlan(bits, below, regions), source.weigh)
    exact = disjoint_success(n, below / 2**bits, regions)
    assert agrees(wins(source, OpenCounts(), attack, n, 300), exact, 300)


def test_keyed_regions_of_any_rows() -> None:
    rng = np.random.default_rng(2)
    table = pa.table(
        {
            "id": np.arange(20_000) * 7,
            "town": rng.choice(["Bern", "Zug", "Genf"], 20_000),
            "pay": rng.normal(size=20_000),
        }
    )
    source, n = Everybody(Rows.of_table(table), replace=True), 100
    plan = KeyedPlan(source.names, Fraction(1, n), bits=12, regions=2, family="ms32")
    rate = wins(source, OpenCounts(), CountsAttack(plan, source.weigh), n, 300)
    assert agrees(rate, 1 - (1 - 0.3697) ** 2, 300, 0.01)


@pytest.mark.parametrize(
    ("scale", "exact", "other"),
    [(0.25, 0.0946, 0.0015), pytest.param(1.0, 0.0005, 0.0001, marks=again("test_noise_makes_bits_wrong"))],
)
def test_noise_makes_bits_wrong(scale: float, exact: float, other: float) -> None:
    n, bits, trials = 100, 20, 400 if scale < 1 else 800
    source = strings(bits)
    attack = CountsAttack(NumberPlan(bits, -(-(2**bits) // n), noisy=True), source.weigh)
    rate = wins(source, OpenCounts(f"laplace:scale={scale}"), attack, n, trials)
    assert agrees(rate, exact, trials, other)


def test_the_trivial_attack_reaches_luck() -> None:
    source, n = UniformNumbers(2**40), 365
    assert agrees(wins(Unweighed(source), nothing, Trivial(source.names, n), n, 1000), 0.368384, 1000)


def test_the_trivial_attack_on_a_table_with_a_pairwise_family() -> None:
    """A mixed table of 20,000 different rows; the mean of B(n, realised weight) is 0.36696."""
    rng = np.random.default_rng(8)
    size, n, trials = 20_000, 200, 800
    table = {"id": np.arange(size), "town": rng.choice(["Bern", "Zug"], size), "pay": rng.normal(size=size)}
    source = Everybody(Rows.of_table(pa.table(table)), replace=True)

    def hashed(release: None, rng: np.random.Generator) -> tuple[Isolating, ...]:
        predicate = keyed(source.names, Fraction(1, n), rng, "ms32")
        return (Isolating(predicate, WeightBound(1 / n, "hash", ""), "luck", 0.37, None, ""),)

    assert agrees(wins(Unweighed(source), nothing, hashed, n, trials), 0.36696, trials)


@pytest.mark.parametrize("reused", [False, True])
def test_a_key_reused_makes_rounds_depend_on_each_other(reused: bool) -> None:
    """Forty groups of rounds on one small table: with a key for each group, groups differ beyond chance."""
    size, n, groups, rounds = 300, 100, 40, 100
    rows = Rows.of_table(pa.table({"id": np.arange(size)}))
    rng = np.random.default_rng(1)
    hits = np.zeros(groups)
    for group in range(groups):
        key = f"{group}"
        for j in range(rounds):
            below = threshold(Fraction(1, n), "ms32")
            met = evaluate(HashBelow(("id",), "ms32", key if reused else f"{key} {j}", below), rows)
            hits[group] += met[rng.integers(size, size=n)].sum() == 1
    share = hits.mean() / rounds
    spread = ((hits - hits.mean()) ** 2).sum() / (rounds * share * (1 - share))
    assert (spread > 80) == reused  # chi-square with 39 degrees of freedom: above 80 once in 10,000


def test_bisection_needs_no_luck() -> None:
    source = strings(30)
    attack = Bisection(1000, BitHalves(30), source.weigh)
    assert wins(source, OpenCounts(), attack, 1000, 25) == 1.0


def test_bisection_by_hashes_and_where_rows_are_the_same() -> None:
    rows = Rows.of_table(pa.table({"age": list(range(40))}))
    source = Everybody(rows)
    attack = Bisection(20, KeyedHalves(("age",), 12), source.weigh)
    assert wins(source, OpenCounts(), attack, 20, 10) >= 0.8
    same = Rows.of_table(pa.table({"age": [1, 1]}))
    twins = Everybody(same)
    twin = Bisection(2, KeyedHalves(("age",), 4), twins.weigh)
    assert twin(CountDesk(same, "exact", rng=np.random.default_rng(1)), np.random.default_rng(2)) == ()


def test_bisection_on_a_desk_of_coded_columns() -> None:
    """The interactive desk of the product answers the same questions, about those who have the secret."""
    town = Column("town", Role.PUBLIC, Kind.CATEGORICAL, ("Bern", "Genf", "Zug"))
    ill = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))
    counted = {Equals("town", "Bern"): 3, Equals("town", "Zug"): 1}

    def source(predicates: tuple[object, ...]) -> list[int]:
        return [counted[p.parts[-1]] for p in predicates]

    desk = OpenDesk(source, Terms(ill, (town,), "exact"))
    predicate, left = bisect(desk, 4, [Equals("town", "Bern")])
    assert (predicate, left) == (And((Not(Equals("town", "Bern")),)), 1)


def test_a_hidden_answer_ends_the_walk() -> None:
    rows = Rows.of_table(pa.table({"bit 1": [True, False, False], "bit 0": [True, True, False]}))
    desk = CountDesk(rows, "suppression:below=2", rng=np.random.default_rng(1))
    assert bisect(desk, 3, BitHalves(2)(np.random.default_rng(1))) == (And(()), 3)


@pytest.mark.parametrize(("bits", "exact"), [(16, 0.99610), (32, 0.54967)])
def test_a_row_behind_a_pad_that_is_published(bits: int, exact: float) -> None:
    source, n, trials = strings(bits), 256, 400
    attack = UnmaskedRow(source.weigh)
    assert agrees(wins(source, PadAndMasked(), attack, n, trials), exact, trials)
    for alone in (PadAndMasked(masked=False), PadAndMasked(pad=False)):
        assert wins(source, alone, attack, n, 5) == 0


def test_all_bits_of_all_rows() -> None:
    source, n, trials = strings(9), 23, 300
    game = Game(source, Projection(), WholeRows(source.weigh), n, seed=3, name="test")
    full = sum(game.trial(j).singled_out == n for j in range(trials)) / trials
    assert agrees(full, all_distinct(n, 9), trials)


def test_the_rarest_published_row_comes_first() -> None:
    rows = Rows.of_table(pa.table({"town": ["Bern"] * 5 + ["Zug", "Genf", "Genf"]}))
    source = Everybody(rows)
    data = rows.take(np.array([0, 5, 6, 7]))
    rng = np.random.default_rng(1)
    claims = WholeRows(source.weigh)(Projection(("town",))(data, rng), rng)
    assert [claim.predicate for claim in claims] == [
        And((Equals("town", "Zug"),)),
        And((Equals("town", "Bern"),)),
    ]


def test_a_plan_in_words_spells_a_person() -> None:
    rng = np.random.default_rng(5)
    size = 4000
    table = pa.table(
        {
            "age": rng.integers(18, 90, size),
            "sex": rng.choice(["f", "m"], size),
            "town": rng.choice([f"town {i}" for i in range(15)], size),
            "pay": rng.integers(0, 500, size),
        }
    )
    rows = Rows.of_table(table)
    source = Everybody(rows)
    attack = CountsAttack(WordsPlan(rows, 100), source.weigh)
    game = Game(source, OpenCounts(), attack, 100, seed=3, name="test")
    played = [game.trial(j) for j in range(60)]
    assert sum(trial.matches == 1 for trial in played) >= 10
    assert min(trial.weight for trial in played if trial.matches == 1) <= 2 / size


def test_ranges_cover_everybody_once() -> None:
    from dalenius.conditions.row_match import match_values

    column = NumberColumn("pay", np.random.default_rng(1).normal(size=1000), "float")
    masks = np.array([match_values(case, column) for case in cases_of(column)])
    assert (masks.sum(axis=0) == 1).all()
    assert masks.sum(axis=1).min() > 50


def test_two_truths_with_the_same_counts_give_the_same_claims() -> None:
    source = strings(10)
    attack = CountsAttack(NumberPlan(10, 20), source.weigh)

    def claims(numbers: list[int]) -> object:
        columns = {"number": numbers} | {f"bit {i}": [x >> i & 1 == 1 for x in numbers] for i in range(10)}
        rows = Rows.of_table(pa.table(columns))
        return attack(CountDesk(rows, "exact", rng=np.random.default_rng(1)), np.random.default_rng(2))

    assert claims([5, 700, 800]) == claims([999, 5, 21])
    assert claims([5, 700, 800]) != claims([7, 700, 800])


def test_a_region_with_several_people_is_not_read() -> None:
    plan = CountQuestions((Equals("town", "Bern"),), ((Equals("sex", "f"), Equals("sex", "m")),))
    assert plan.read(np.array([2.0, 1.0, 1.0])) is None
    assert plan.read(np.array([np.nan, np.nan, np.nan])) is None
    predicate, sure = plan.read(np.array([1.0, 0.0, 1.0])) or (None, False)
    assert (predicate, sure) == (And((Equals("town", "Bern"), Equals("sex", "m"))), True)


def test_bad_plans_are_refused() -> None:
    with pytest.raises(InputError, match="end of a region must be even"):
        NumberPlan(4, 3, half=True)
    with pytest.raises(InputError, match="regions must fit into the 16 numbers"):
        NumberPlan(4, 3, regions=6)
    with pytest.raises(InputError, match="weight must be at least"):
        keyed(("age",), Fraction(1, 2**40), np.random.default_rng(1), "ms32")
