"""Which decoder is taken, what it is said to take, and what it took: counted, not timed."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from dalenius.errors import InputError, TooLargeError
from dalenius.matrices.operators import BitRows, HadamardRows, Operator, SparseRows, Stacked, single
from dalenius.matrices.tables import TableRows
from dalenius.reconstruction.attack import attack as attack_module
from dalenius.reconstruction.attack import cost as budget_module
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.certain.ranges import WORK_LIMIT
from dalenius.reconstruction.attack.choose import DECODERS, choose
from dalenius.reconstruction.attack.cost import ComputeBudget, Cost, machine_memory, predict, programs
from dalenius.reconstruction.attack.system.system import LinearSystem

ROOM = ComputeBudget(120, 8e9)


class Shape:
    """An operator of which only the size is asked."""

    def __init__(self, rows: int, people: int, entries: int | None = None) -> None:
        self.shape = (rows, people)
        self.entries = rows * people // 2 if entries is None else entries


def sized(operator: Any, shape: str, sd: float = 0.0) -> LinearSystem:
    m, n = operator.shape
    rows, ones = np.zeros(m), np.ones(n, np.int64)
    counting = np.ones(m, np.bool_)
    return LinearSystem(
        operator, rows, rows, rows, rows + sd, shape, ones, 0 * ones, ones, ones / 2, counting
    )


def empty_bits(rows: int, people: int) -> BitRows:
    return BitRows(np.zeros((rows, (people + 7) // 8), np.uint8), people)


@pytest.mark.parametrize(
    ("operator", "shape", "name", "why"),
    [
        (HadamardRows(30), "gaussian", "hadamard", "rows of a Hadamard matrix"),
        (HadamardRows(30), "none", "posterior", "each one's probability can be computed"),
        (Shape(50, 18), "gaussian", "exhaustive", "18 open unknowns: every secret vector can be tried"),
        (Shape(50, 19), "gaussian", "posterior", "19 open unknowns: each one's probability"),
        (Shape(1_000, 6_000), "none", "posterior", "6,000 open unknowns"),
        (Shape(1_000, 60_000), "none", "posterior", "60,000 open unknowns"),
        (empty_bits(10_000, 6_001), "none", "box", "6,001 open unknowns, possible secrets only"),
        (Shape(20_000, 6_001), "none", "least-squares", "20,000 x 6,001 answers and unknowns"),
    ],
)
def test_auto_picks_by_size_and_error_and_says_why(operator: Any, shape: str, name: str, why: str) -> None:
    choice = choose([sized(operator, shape)], ROOM)
    assert choice.name == name
    assert why in choice.sentence
    assert f"predicted {choice.cost}" in choice.sentence
    assert choice.cost.seconds <= ROOM.seconds
    assert choice.cost.bytes <= ROOM.bytes


def test_less_time_or_memory_takes_the_next_decoder_and_says_what_was_passed_over() -> None:
    system = sized(Shape(12_000, 3_000), "gaussian", 2.0)
    costs = {name: predict(name, system) for name in ("posterior", "box", "least-squares")}
    assert choose([system], ComputeBudget(1e9, 1e12)).name == "posterior"
    small = choose([system], ComputeBudget(1e9, costs["posterior"].bytes - 1))
    assert small.name == "box"
    assert small.passed[0].startswith("posterior (")
    assert f"passed over: {small.passed[0]}" in small.sentence
    quick = choose([system], ComputeBudget(min(costs["posterior"].seconds, costs["box"].seconds) - 1, 1e12))
    assert quick.name == "least-squares"
    assert [words.split()[0] for words in quick.passed] == ["posterior", "box"]


@pytest.mark.parametrize("room", [ComputeBudget(1, 1e15), ComputeBudget(1e9, 1e6)])
def test_what_fits_in_no_way_is_refused_with_what_it_would_take(room: ComputeBudget) -> None:
    system = sized(Shape(10_000_000, 1_000_000, 10**12), "gaussian", 2.0)
    cheapest = predict("least-squares", system)
    with pytest.raises(TooLargeError) as refused:
        choose([system], room)
    assert str(cheapest) in str(refused.value)
    assert "decoder least-squares" in str(refused.value)


def test_reconstruct_keeps_to_its_budget_and_says_it_first(
    people: Callable[..., Any], subsets: Callable[..., Any], view: Callable[..., Any]
) -> None:
    rng = np.random.default_rng(1)
    seen = view(
        [subsets(rng.integers(0, 2, (200, 60)))], people(np.zeros((60, 0))), rng.integers(0, 2, 60),
        "gaussian:sigma=1",
    )  # fmt: skip
    said: list[str] = []
    full = reconstruct(seen, rng=rng, progress=lambda share, doing: said.append(doing))
    assert full.method == "posterior"
    assert said[0] == full.notes[0]
    assert "predicted" in said[0]
    assert all("predicted" in words for words in said)
    with pytest.raises(TooLargeError, match="for the cheapest decoder"):
        reconstruct(seen, budget=ComputeBudget(1e-12, 1e12), rng=rng)
    by_name = reconstruct(seen, decoder="box", budget=ComputeBudget(1e-12, 1e12), rng=rng)
    assert by_name.method == "box"


@pytest.mark.parametrize(("long", "said"), [(0.0, True), (1e9, False)])
def test_only_what_takes_long_is_announced(
    long: float, said: bool, monkeypatch: pytest.MonkeyPatch,
    people: Callable[..., Any], subsets: Callable[..., Any], view: Callable[..., Any],
) -> None:  # fmt: skip
    rng = np.random.default_rng(2)
    asked, roster = subsets(rng.integers(0, 2, (90, 30))), people(np.zeros((30, 0)))
    heard: list[str] = []
    monkeypatch.setattr(attack_module, "WORTH_SAYING", long)
    seen = view([asked], roster, rng.integers(0, 2, 30), "gaussian:sigma=1")
    got = reconstruct(seen, rng=rng, announce=heard.append)
    assert heard == ([got.notes[0]] if said else [])


@pytest.mark.parametrize("bad", [(0.0, 1.0), (1.0, -1.0), (float("nan"), 1.0)])
def test_a_budget_of_nothing_is_refused(bad: tuple[float, float]) -> None:
    with pytest.raises(InputError, match="must have seconds and bytes above 0"):
        ComputeBudget(*bad)


def test_memory_is_that_of_the_container_where_it_says_so(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(budget_module, "CGROUP", limit)
    physical = machine_memory()
    limit.write_text("max\n", encoding="ascii")
    assert machine_memory() == physical
    limit.write_text("1000000\n", encoding="ascii")
    assert machine_memory() == 1e6
    assert ComputeBudget().bytes == 5e5


# --- predicted and counted --------------------------------------------------------------------------------


class Counted:
    """An operator that counts its products."""

    def __init__(self, operator: Operator, count: list[int]) -> None:
        self.operator, self.count, self.shape = operator, count, operator.shape
        self.entries = operator.entries

    def apply(self, x: Any) -> Any:
        self.count[0] += 1
        return self.operator.apply(x)

    def apply_transpose(self, r: Any) -> Any:
        self.count[0] += 1
        return self.operator.apply_transpose(r)

    def single(self) -> Counted:
        return Counted(single(self.operator), self.count)

    def explicit(self) -> Any:
        return self.operator.explicit()


class CountedTables(Counted):
    """The same with what is known about the spectrum of tables."""

    def preconditioner(self) -> Any:
        return self.operator.preconditioner()


def released(operator: Any, shape: str, sd: float) -> LinearSystem:
    rng = np.random.default_rng(operator.shape[0])
    m, n = operator.shape
    truth = operator.apply(rng.integers(0, 2, n).astype(np.float64))
    ones, inf = np.ones(n, np.int64), np.full(m, np.inf)
    if shape == "none":
        centre, low, high = truth, truth - 2, truth + 2
    else:
        centre, low, high = truth + 2 * rng.standard_normal(m), -inf, inf
    sds = np.full(m, sd)
    return LinearSystem(
        operator, centre, low, high, sds, shape, ones, 0 * ones, ones, ones / 2, np.ones(m, np.bool_)
    )


def random_bits(rows: int, people: int) -> BitRows:
    return BitRows.from_dense(np.random.default_rng(rows).random((rows, people)) < 0.5)


def random_tables(people: int, columns: int, ways: int) -> TableRows:
    codes = np.random.default_rng(people).integers(0, 2, (people, columns), dtype=np.int32)
    return TableRows(codes, [2] * columns, list(combinations(range(columns), ways)))


@pytest.mark.parametrize(
    ("make", "decoder", "shape", "sd"),
    [
        (lambda: random_bits(2_000, 500), "least-squares", "gaussian", 2.0),
        (lambda: random_bits(1_000, 500), "least-squares", "gaussian", 2.0),
        (lambda: random_bits(550, 500), "least-squares", "none", 0.0),
        (lambda: random_bits(600, 1_200), "least-squares", "gaussian", 2.0),
        (lambda: random_tables(600, 60, 2), "least-squares", "gaussian", 2.0),
        pytest.param(
            lambda: random_tables(600, 24, 3),
            "least-squares",
            "gaussian",
            2.0,
            marks=pytest.mark.slow(beside="test_products_are_within_a_factor_of_four_of_those_predicted"),
        ),
        (lambda: random_bits(2_000, 500), "box", "gaussian", 2.0),
        (lambda: random_bits(1_000, 500), "box", "unknown", np.nan),
        (lambda: random_bits(250, 500), "box", "none", 0.0),
        (lambda: random_tables(300, 40, 2), "box", "gaussian", 2.0),
        (lambda: random_bits(1_200, 300), "lp", "gaussian", 2.0),
        (lambda: random_bits(1_200, 300), "lp", "none", 0.0),
    ],
)
def test_products_are_within_a_factor_of_four_of_those_predicted(
    make: Callable[[], Any], decoder: str, shape: str, sd: float
) -> None:
    count, operator = [0], make()
    system = released(operator, shape, sd)
    predicted = predict(decoder, system).products
    kind = CountedTables if isinstance(operator, TableRows) else Counted
    counted = LinearSystem(kind(operator, count), *list(system.__dict__.values())[1:])
    DECODERS[decoder](counted, rng=np.random.default_rng(1))
    assert predicted / 4 <= count[0] <= 4 * predicted


@pytest.mark.parametrize("rows", [300, 1_200])
def test_rounds_of_the_posterior_are_within_a_factor_of_four(rows: int) -> None:
    system = released(random_bits(rows, 400), "gaussian", 2.0)
    notes = DECODERS["posterior"](system, rng=np.random.default_rng(1)).notes
    rounds = int(notes[0].split(", ")[1].split()[0])
    predicted = predict("posterior", system).products
    assert predicted / 4 <= rounds <= 4 * predicted


@pytest.mark.parametrize(
    ("make", "decoder"),
    [
        (lambda: random_bits(3_000, 1_000), "posterior"),
        (lambda: random_bits(300, 3_000), "posterior"),
        (lambda: random_bits(3_000, 1_000), "least-squares"),
        (lambda: random_bits(30_000, 1_000), "least-squares"),
        (lambda: random_tables(20_000, 60, 2), "least-squares"),
        (lambda: random_bits(3_000, 1_000), "box"),
        pytest.param(
            lambda: random_bits(30_000, 1_000),
            "box",
            marks=pytest.mark.slow(beside="test_memory_is_within_a_factor_of_three_of_what_is_allocated"),
        ),
        (lambda: SparseRows(random_tables(400, 40, 2).explicit()), "posterior"),
    ],
)
def test_memory_is_within_a_factor_of_three_of_what_is_allocated(
    make: Callable[[], Any], decoder: str
) -> None:
    system = released(make(), "gaussian", 2.0)
    predicted = predict(decoder, system).bytes
    tracemalloc.start()
    try:
        DECODERS[decoder](system, rng=np.random.default_rng(1))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert predicted / 3 <= peak <= 3 * predicted


def test_more_of_anything_is_never_predicted_to_take_less() -> None:
    for decoder in ("exhaustive", "least-squares", "box", "lp", "posterior"):
        small, large = (
            predict(decoder, sized(Shape(12_000 * k, 3_000 * k), "gaussian", 2.0)) for k in (1, 2)
        )
        assert small.seconds <= large.seconds
        assert small.bytes <= large.bytes


def test_a_stack_takes_what_its_parts_take() -> None:
    A = random_bits(2_000, 500)
    one, two = (predict("box", sized(part, "gaussian", 1.0)) for part in (A, Stacked([A, A])))
    assert two.seconds / two.products == pytest.approx(2 * one.seconds / one.products)


def test_programs_at_their_limit_are_said_to_take_about_a_minute() -> None:
    assert programs(1, WORK_LIMIT).seconds == pytest.approx(60)


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        (Cost(0.99, 1), "under 1 s and 1 MB"),
        (Cost(99, 5e8), "about 99 s and 500 MB"),
        (Cost(7_200, 5e10), "about 2 h and 50.0 GB"),
        (Cost(1e7, 1e13), "about 116 days and 10,000 GB"),
    ],
)
def test_costs_in_words(cost: Cost, words: str) -> None:
    assert str(cost) == words
