"""Statements on singling out: kept as they are, and broken as soon as a constant or a mechanism is wrong."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from dalenius.errors import InputError, TooLargeError
from dalenius.mechanisms.stages.noise import Laplace
from dalenius.papers.experiment import MeasuredShare, PromisedShare, StatementOutcome
from dalenius.papers.run import run
from dalenius.papers.settings import Settings
from dalenius.papers.singling_out import isolation_rows, proposition_4_5_order, theorem_6_1_k_anonymity
from dalenius.papers.singling_out.composition import theorem_4_6_counts
from dalenius.papers.text import promise_in_words
from dalenius.release.desk import count_desk
from dalenius.singling_out.attack.counts.bisection import BestNumber
from dalenius.singling_out.game.models import UniformNumbers
from dalenius.singling_out.game.rounds import GameRound
from dalenius.theory import isolation as luck
from dalenius.theory import singling_out as theory
from dalenius.theory.singling_out import bit_suppression_success

from .conftest import Spoil

SMALL: dict[str, tuple[dict[str, float], int]] = {
    "pso-3.1": ({"n": 20, "m": 200}, 400),
    "pso-3.3": ({"n": 20, "m": 50}, 400),
    "pso-4.1": ({"n": 16, "m": 64, "part": 8}, 1000),
    "pso-4.2": ({"n": 16, "m": 64, "part": 8}, 800),
    "pso-4.5": ({"n": 16, "m": 64, "part": 8}, 800),
    "pso-4.6": ({"n": 20, "m": 12, "regions": 2}, 150),
    "pso-4.7": ({"n": 30, "m": 10, "below": 4}, 200),
    "pso-4.8": ({"n": 10, "m": 8}, 150),
    "pso-4.9": ({"n": 64, "m": 8}, 200),
    "pso-5.4": ({"n": 20, "m": 9, "epsilon": 0.5}, 100),
    "pso-5.6": ({"n": 2000}, 50),
    "pso-6.1": ({"n": 20, "k": 3, "m": 256}, 250),
}


def row(outcome: StatementOutcome, start: str) -> MeasuredShare:
    (found,) = [entry for entry in outcome.measured if entry.what.startswith(start)]
    return found


def result(id: str) -> StatementOutcome:
    given, runs = SMALL[id]
    return run(id, given, runs=runs)


@cache
def true_result(id: str) -> StatementOutcome:
    return result(id)


@pytest.fixture(scope="module")
def played() -> dict[tuple[Any, ...], list[GameRound]]:
    return {}


@pytest.fixture
def rounds_once(played: dict[tuple[Any, ...], list[GameRound]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds are played once for all constants: what is spoilt is the promise they are held against."""
    play = isolation_rows.each_run

    def remembered(settings: Settings, name: str, one: Any, done: Any) -> list[GameRound]:
        key = (settings.id, name, *settings.values.items(), settings.runs, settings.seed)
        if key not in played:
            played[key] = list(play(settings, name, one, done))
        return list(played[key])

    monkeypatch.setattr(isolation_rows, "each_run", remembered)


@pytest.mark.usefixtures("rounds_once")
@pytest.mark.parametrize(
    ("id", "module", "name", "factor"),
    [
        ("pso-3.1", luck, "best_luck", 1.4),
        ("pso-3.1", luck, "best_luck", 0.6),
        ("pso-3.1", luck, "isolation_without_replacement", 1.4),
        ("pso-3.1", luck, "isolation_without_replacement", 0.6),
        ("pso-3.3", luck, "isolation", 2.5),
        ("pso-3.3", luck, "keyed_luck", 1.4),
        ("pso-4.1", BestNumber, "optimum", 1.4),
        ("pso-4.1", BestNumber, "optimum", 0.6),
        ("pso-4.2", theory, "additive_limit", 0.3),
        ("pso-4.2", BestNumber, "optimum", 1.4),
        ("pso-4.5", proposition_4_5_order, "_all_differ", 1.5),
        ("pso-4.6", theory, "counts_success", 1.6),
        ("pso-4.6", theory, "disjoint_success", 1.3),
        ("pso-4.7", theory, "suppressed_counts_success", 1.6),
        ("pso-4.8", luck, "all_distinct", 1.3),
        ("pso-6.1", theory, "k_anonymity_success", 1.5),
        ("pso-6.1", theory, "bit_suppression_success", 1.3),
    ],
)
def test_a_wrong_constant_is_seen(id: str, module: Any, name: str, factor: float, spoil: Spoil) -> None:
    assert true_result(id).kept
    spoil(module, name, factor)
    assert not result(id).kept


def test_the_extractor_fails_half_the_time_at_the_printed_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """m = n/8: the print promises nearly always."""
    outcome = run("pso-4.9", {"n": 128, "m": 16}, runs=100)
    assert outcome.kept
    assert 0.4 < row(outcome, "extracted bits and").rate < 0.8
    monkeypatch.setattr(theory, "extractor_success", lambda n, m: 1 - np.exp(-n / 16))
    assert not run("pso-4.9", {"n": 128, "m": 16}, runs=100).kept


def test_a_pad_that_is_the_row_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    from dalenius.mechanisms import row_by_row

    monkeypatch.setattr(row_by_row, "extract", lambda bits: bits[-1])
    assert row(run("pso-4.9", {"n": 16, "m": 12}, runs=50), "extracted bits alone").kept is False


def test_noise_too_small_for_its_promise_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert true_result("pso-5.4").kept
    assert true_result("pso-5.6").kept
    monkeypatch.setattr(Laplace, "convert", lambda self, sensitivity, value: 0.05)
    private, heavy = result("pso-5.4"), result("pso-5.6")
    assert row(private, "counts with Laplace").kept is False
    assert row(private, "counts with geometric").kept is False
    assert row(heavy, "histogram with").kept is False


def test_counts_with_noise_do_not_keep_the_attack_s_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(theorem_4_6_counts, "OpenCounts", lambda: count_desk.OpenCounts("geometric:scale=1"))
    assert not result("pso-4.6").kept


def test_luck_needs_rows_that_differ() -> None:
    """With two different rows half of the data are the same row, and no hash isolates any."""
    assert row(true_result("pso-3.3"), "hash of weight 1/n where there are only two").rate < 0.05


def test_the_high_side_and_a_limit_on_the_wrong_side() -> None:
    assert luck.best_luck(5, [4, 3, 1, 1, 1], 0.25, at_least=True) == pytest.approx(0.36015)
    with pytest.raises(InputError, match=r"limit must be at most 1/n = 0\.2 on this side"):
        luck.best_luck(5, [1] * 10, 0.3)
    with pytest.raises(InputError, match=r"limit must be at least 1/n = 0\.2 on this side"):
        luck.best_luck(5, [1] * 10, 0.1, at_least=True)


def test_hidden_small_counts_stop_the_plain_attack_alone() -> None:
    assert row(true_result("pso-4.7"), "the counts of Theorem 4.6").hits == 0


def test_an_order_that_looks_at_the_rows_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The attack reads the order, so that a release whose order gives numbers away breaks the promise."""
    kept = true_result("pso-4.5")
    names = ("rows as drawn: not less", "rows shuffled: not less", "rows at")
    drawn, mixed, placed = (row(kept, what) for what in names)
    assert drawn.hits != mixed.hits, "two games, not one"
    assert placed.rate > 0.5 > drawn.rate
    given, runs = SMALL["pso-4.5"]
    planted = proposition_4_5_order.PlacedByNumber(int(given["part"]))
    monkeypatch.setattr(proposition_4_5_order, "OneBitEach", lambda condition, shuffled=False: planted)
    assert not run("pso-4.5", given, runs=runs).kept


def test_nearly_all_is_not_called_all() -> None:
    promise = PromisedShare("somebody is singled out", 0.999906, "succeed", "at least", "on average")
    assert "at least 99.99%" in promise_in_words(promise)


def test_the_best_attack_on_one_count() -> None:
    golden = {(64, 8, 16): 0.245580841398, (10_000, 1, 100): 0.019705888769, (6, 2, 3): 0.472222222222}
    for (size, part, n), value in golden.items():
        assert BestNumber(n, size, part, UniformNumbers(size).weigh).optimum() == pytest.approx(value)
        assert value <= theory.additive_limit(n, 2, 1 / size)


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_bit_suppression_row_by_row(k: int) -> None:
    """768 columns: exact probabilities 1, 0.6, 0.51 and 0.45."""
    rng = np.random.default_rng(k)
    trials = 400
    found = [
        theorem_6_1_k_anonymity.suppressed_bits(rng.integers(0, 2, (k, 768)).astype(bool), k)
        for _ in range(trials)
    ]
    exact = bit_suppression_success(k)
    rate = sum(matches == 1 for matches, _, _ in found) / trials
    assert rate == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / trials) + 1e-9)
    kept = 768 - np.mean([starred for _, starred, _ in found])
    assert kept == pytest.approx(768 / 2 ** (k - 1), rel=0.05)


def test_the_share_below_a_fraction() -> None:
    bits = ((np.arange(2**10)[:, None] >> np.arange(10)[::-1]) & 1).astype(bool)
    for k in (2, 3, 5, 7):
        assert theorem_6_1_k_anonymity.below_share(bits, k).sum() == 2**10 // k


@pytest.mark.parametrize(
    ("id", "given", "message"),
    [
        ("pso-3.1", {"n": 50, "m": 60, "c": 0.5}, "c must be at least n/m"),
        ("pso-3.1", {"n": 50, "m": 40, "c": 1.0}, "n must be at most m = 40"),
        ("pso-4.1", {"m": 10, "part": 10}, "part must be below m = 10"),
        ("pso-4.2", {"m": 10, "part": 10}, "part must be below m = 10"),
        ("pso-4.5", {"m": 10, "part": 10}, "part must be below m = 10"),
        ("pso-4.5", {"n": 10, "m": 50, "part": 20}, "part must be at most n = 10"),
        ("pso-4.6", {"n": 100, "m": 7}, "m must be at least log2 of 2 n = 200"),
        ("pso-4.6", {"n": 10, "regions": 20}, "regions must be at most n = 10"),
        ("pso-4.9", {"n": 10}, "n must be divisible by 4"),
        ("pso-6.1", {"n": 3, "k": 4}, "n must be at least k = 4"),
    ],
)
def test_bad_values_are_refused(id: str, given: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        run(id, given, runs=2)


def test_too_much_work_is_refused() -> None:
    for id, given in (("pso-4.6", {"n": 5000}), ("pso-4.8", {"n": 1000}), ("pso-6.1", {"n": 2000})):
        with pytest.raises(TooLargeError):
            run(id, given, runs=10_000)
