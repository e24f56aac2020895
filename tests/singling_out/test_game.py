"""The game: rounds, statistics, sources, and what it refuses."""

import copy
import math
import multiprocessing
import time
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from dalenius.conditions.predicate import And, Between, Equals, HashBelow, In, Not, Or, evaluate
from dalenius.errors import BudgetError, InputError
from dalenius.findings.policy import Policy, Ruled
from dalenius.mechanisms.anonymise.hierarchy import Hierarchy
from dalenius.mechanisms.anonymise.parse import anonymise, parse_anonymiser
from dalenius.mechanisms.row_by_row import Projection
from dalenius.people.rows.rows import Rows
from dalenius.people.truth import open_rows
from dalenius.release.desk.count_desk import CountDesk, OpenCounts
from dalenius.singling_out.attack.counts.counts import CountsAttack
from dalenius.singling_out.attack.counts.plans import KeyedPlan, NumberPlan
from dalenius.singling_out.attack.isolating import Isolating
from dalenius.singling_out.attack.rows.whole_rows import WholeRows, equal_to
from dalenius.singling_out.game.anonymisers import RowsAttack, single_out_game
from dalenius.singling_out.game.counts import single_out_counts
from dalenius.singling_out.game.game import Attack, Game, play
from dalenius.singling_out.game.models import Product, UniformNumbers
from dalenius.singling_out.game.result import GameResult
from dalenius.singling_out.game.rounds import GameSettings
from dalenius.singling_out.game.to_finding import finding_of_game
from dalenius.singling_out.referee.populations import Everybody, Holdout
from dalenius.singling_out.rules import rulings
from dalenius.spread import blocks
from dalenius.theory.isolation import isolation, weight_upper_limit


def people(size: int) -> Rows:
    rng = np.random.default_rng(3)
    table = {
        "id": np.arange(size),
        "town": rng.choice(["Bern", "Zug", "Genf"], size),
        "pay": rng.integers(0, 300, size),
    }
    return Rows.of_table(pa.table(table))


class FirstRow:
    """Names the first published row."""

    def __init__(self, source: Everybody) -> None:
        self.source = source

    def __call__(self, release: Rows, rng: np.random.Generator) -> tuple[Isolating, ...]:
        predicate = equal_to(release, 0)
        return (Isolating(predicate, self.source.weigh(predicate), "first", 1.0, None, ""),)


def silent_attack(release: object, rng: np.random.Generator) -> tuple[Isolating, ...]:
    return ()


def counts_game(**options: object) -> GameResult:
    source = UniformNumbers(2**20, 20)
    attack = CountsAttack(NumberPlan(20, 2**20 // 50), source.weigh)
    return play(source, OpenCounts(), attack, n=50, how=GameSettings(**options))


def test_tiny_game() -> None:
    """Eight different rows, three drawn with replacement, published as they are."""
    source = Everybody(people(8).select(["id"]), replace=True)
    game = Game(source, Projection(), FirstRow(source), 3, seed=2, name="tiny")
    trials = 2000
    rate = sum(game.trial(j).matches == 1 for j in range(trials)) / trials
    assert rate == pytest.approx(0.765625, abs=4 * math.sqrt(0.765625 * 0.234375 / trials))
    assert source.baseline(3, 1 / 8) == pytest.approx(0.287109375)


def test_a_game_does_not_call_nearly_everybody_safe() -> None:
    """A condition a round points at one person at most, of however many: that is no share of the people."""
    finding = finding_of_game(counts_game(trials=40), "counts")
    assert finding.decisive.attack is not None
    assert finding.decisive.attack.hits
    assert finding.explanation.learned == ()


def test_statistics_are_those_of_the_definition() -> None:
    result = counts_game(trials=200, weight=2e-4)
    row = result.at(2e-4)
    hits = row.success.hits
    assert row.baseline == pytest.approx(isolation(50, 2e-4))
    assert row.advantage == pytest.approx(hits / 200 - row.baseline)
    assert row.advantage_low == pytest.approx(row.success.low - row.baseline)
    assert row.epsilon == pytest.approx(math.log(row.success.low / (50 * 2e-4)))
    assert row.p_value < 1e-20
    assert result.demonstrated
    assert result.abstained + result.isolated <= 200
    assert result.control.kept
    assert result.model_dump()["rows"][0]["success"]["trials"] == 200


def test_without_a_chosen_weight_the_grid_pays_for_all_looks() -> None:
    one, many = counts_game(trials=100, weight=2e-4), counts_game(trials=100)
    assert many.rows[1].success.confidence == pytest.approx(1 - 0.05 / 4)
    assert many.at(2e-4).success.low < one.at(2e-4).success.low


def test_an_attack_that_never_claims_fails_and_is_not_left_out() -> None:
    result = play(UniformNumbers(1000), Projection(), silent_attack, n=10, how=GameSettings(trials=50))
    assert (result.abstained, result.trials, result.demonstrated) == (50, 50, False)
    assert result.rows[0].p_value == 1.0


def test_a_heavy_condition_is_no_success() -> None:
    """Isolation at weight 1/n is luck's: below the limit it does not count."""

    def heavy(release: object, rng: np.random.Generator) -> tuple[Isolating, ...]:
        predicate = Between("number", 0, 50)
        return (Isolating(predicate, UniformNumbers(1000).weigh(predicate), "heavy", 0.4, None, ""),)

    result = play(UniformNumbers(1000), Projection(), heavy, n=20, how=GameSettings(trials=300, weight=0.001))
    assert 0.28 < result.isolated / 300 < 0.48
    assert result.at(0.001).success.hits == 0


def test_an_attack_can_process_a_release_itself() -> None:
    """Lemma 4.1: what comes after the release cannot make an attack better than its best."""
    source = Everybody(people(500))

    def afterwards(release: Rows) -> Rows:
        return release.select(["town", "pay"])

    def published(rows: Rows, rng: np.random.Generator) -> Rows:
        return afterwards(rows)

    attack = WholeRows(source.weigh, 3)

    def itself(release: Rows, rng: np.random.Generator) -> tuple[Isolating, ...]:
        return attack(afterwards(release), rng)

    fewer = Game(source, published, attack, 40, seed=1, name="same")
    whole = Game(source, Projection(), itself, 40, seed=1, name="same")
    np.testing.assert_equal(fewer.trials(0, 30), whole.trials(0, 30))


def test_workers_play_the_same_rounds_and_say_where_they_are() -> None:
    source = Everybody(people(2000))
    attack = CountsAttack(KeyedPlan(source.names, Fraction(1, 20), 8), source.weigh)

    def result(workers: int) -> tuple[str, list[float]]:
        told: list[float] = []
        made = play(
            source,
            OpenCounts(),
            attack,
            n=20,
            progress=lambda share, doing: told.append(share),
            how=GameSettings(trials=150, weight=0.001, workers=workers),
        )
        return made.model_dump_json(), told

    alone, told = result(1)
    assert len(told) >= 200  # control and game, a hundred reports each
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert result(2) == (alone, told)


def test_lost_rounds_are_no_successes_and_nothing_passes_by_them(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Everybody(people(2000))
    found = CountsAttack(KeyedPlan(source.names, Fraction(1, 20), 8), source.weigh)
    how = GameSettings(trials=400, weight=0.001)

    def judged(attack: Attack) -> tuple[GameResult, Ruled]:
        result = play(source, OpenCounts(), attack, n=20, how=how)
        (ruled,) = rulings(finding_of_game(result, "counts"), Policy())
        return result, ruled

    whole, stopped = judged(found)
    assert (whole.lost, stopped.verdict, judged(silent_attack)[1].verdict) == (0, "stop", "pass")

    def lose_one(task: Any, spans: Any, *, workers: int, spare: bool) -> Any:
        assert spare
        yield from (None if at == 1 else task(span) for at, span in enumerate(spans))

    monkeypatch.setattr(blocks, "spread_out", lose_one)
    some, stopped = judged(found)
    assert (some.lost, some.trials, stopped.verdict) == (4, 400, "stop")
    assert some.control.success.trials == 396
    assert whole.isolated - 4 <= some.isolated < whole.isolated
    open_ = judged(silent_attack)[1]
    assert open_.verdict == "undecided"
    assert "4 rounds could not be played: whoever did was lost again and again" in open_.reason


def test_whoever_stops_listening_ends_the_workers() -> None:
    """Ctrl-C arrives somewhere in the middle: nobody goes on playing."""
    source = Everybody(people(2000))
    attack = CountsAttack(KeyedPlan(source.names, Fraction(1, 20), 8), source.weigh)

    def interrupt(share: float, doing: str) -> None:
        raise KeyboardInterrupt

    before = set(multiprocessing.active_children())
    with pytest.raises(KeyboardInterrupt) as held:  # with its traceback, as a debugger would
        play(source, OpenCounts(), attack, n=20, progress=interrupt, how=GameSettings(trials=5000, workers=2))
    assert held.tb is not None
    patience = time.monotonic() + 30  # the pool's own thread waits for them too, and may be told first
    while set(multiprocessing.active_children()) != before and time.monotonic() < patience:
        time.sleep(0.05)
    assert set(multiprocessing.active_children()) == before


def test_a_small_population_is_warned_about() -> None:
    source = Everybody(people(100))
    result = play(source, Projection(), WholeRows(source.weigh, 1), n=20, how=GameSettings(trials=20))
    (warning,) = result.warnings
    assert "only 100 people for data of 20" in warning
    assert "luck already isolates somebody with chance 0.2" in warning


def test_a_holdout_bounds_weights_by_rows_never_drawn() -> None:
    sample = people(6000)
    source = Holdout(sample, rng=np.random.default_rng(1), error=0.01)
    result = play(
        source, Projection(), WholeRows(source.weigh, 1), n=20, how=GameSettings(trials=60, weight=0.002)
    )
    row = result.at(0.002)
    assert row.success.rate == 1.0
    assert row.advantage_low == pytest.approx(row.success.low - row.baseline - 0.01)
    drawn = open_rows(source.draw(3000, np.random.default_rng(2))).column("id").values
    held = open_rows(source.held).column("id").values
    assert not set(drawn) & set(held)


def test_an_attack_knows_neither_the_drawn_nor_those_who_weigh() -> None:
    source = Holdout(people(1000), rng=np.random.default_rng(1), share=0.25, known=0.25)
    drawn = source.draw(250, np.random.default_rng(2))
    parts = [set(open_rows(rows).column("id").values) for rows in (drawn, source.known, source.held)]
    assert [len(part) for part in parts] == [250, 250, 500]
    assert len(set.union(*parts)) == 1000
    assert "500 are held out for weights and 250 known to the attack" in source.text
    assert source.spared(source.least) == 0
    assert source.spared(weight_upper_limit(3, 500, source.error)) == 3
    assert "drawn from only 250 people" in source.warnings(26)[0]
    assert source.warnings(25) == ()


@pytest.mark.parametrize(("share", "known"), [(0.0, 0.5), (0.5, 0.5), (0.5, -0.1), (1.0, 0.0)])
def test_bad_parts_of_a_sample(share: float, known: float) -> None:
    with pytest.raises(InputError, match="must leave rows to draw from and rows to weigh with"):
        Holdout(people(100), rng=np.random.default_rng(1), share=share, known=known)


def test_an_anonymiser_is_attacked_with_a_sample_only() -> None:
    """The same people behind the sample: coarse cells hide them, rows released as they are do not."""
    rows = people(40_000)
    found = single_out_game(
        rows, 100, "mondrian:k=5", ("town", "pay"), sample=True, how=GameSettings(trials=40)
    )
    assert found.weight_error == 1e-3
    assert found.demonstrated  # the id is released as it is
    assert "20,000 are held out for weights and 10,000 known to the attack" in found.source
    hidden = single_out_game(
        rows.select(["town"]), 100, "mondrian:k=5", sample=True, how=GameSettings(trials=40)
    )  # three towns: nothing to be singled out by
    assert not hidden.demonstrated
    with pytest.raises(InputError, match="sample must be large enough to show a weight of 1/n"):
        single_out_game(rows.take(np.arange(400)), 100, "mondrian:k=5", sample=True)


def test_weights_of_a_product() -> None:
    source = Product({"sex": (("f", "m"), (0.4, 0.6)), "town": (("Bern", "Zug", "Genf"), (0.5, 0.3, 0.2))})
    predicate = And((Equals("sex", "f"), In("town", ("Zug", "Genf")), Not(Equals("town", "Genf"))))
    assert source.weigh(predicate).value == pytest.approx(0.12)
    rows = open_rows(source.draw(40_000, np.random.default_rng(1)))
    assert evaluate(predicate, rows).mean() == pytest.approx(0.12, abs=0.008)
    left_out = And((predicate, HashBelow(("sex",), "ms32", "s", 5)))
    assert (source.weigh(left_out).value, source.weigh(left_out).tag) == (pytest.approx(0.12), "frechet")


@pytest.mark.parametrize(
    "predicate",
    [
        And((Between("number", 3, 40), Equals("bit 0", "true"))),
        And((Equals("bit 0", "true"), Not(Equals("bit 2", "true")))),
        Equals("number", "7"),
        Or((Equals("number", "7"), Equals("number", "8"))),
    ],
)
@pytest.mark.parametrize("source", [UniformNumbers(64, 6), UniformNumbers(100, 3)])
def test_weights_of_numbers_are_never_too_small(predicate: And, source: UniformNumbers) -> None:
    numbers = np.arange(source.size)
    table = {"number": numbers} | {f"bit {i}": (numbers >> i) & 1 == 1 for i in range(source.bits)}
    true = evaluate(predicate, Rows.of_table(pa.table(table))).mean()
    assert true <= source.weigh(predicate).value + 1e-12


def test_a_promise_is_spent_once() -> None:
    desk = CountDesk(people(10), "laplace:epsilon=1", rng=np.random.default_rng(1))
    desk.ask([Equals("town", "Zug")])
    with pytest.raises(BudgetError, match="a second batch"):
        desk.ask([Equals("town", "Zug")])


def test_noise_of_a_promise_grows_with_the_batch() -> None:
    rng = np.random.default_rng(1)
    asked = [Equals("town", "Zug")] * 400
    spread = np.std(CountDesk(people(10), "laplace:epsilon=100", rng=rng).ask(asked))
    assert spread == pytest.approx(math.sqrt(2) * 4, rel=0.3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 50, "weight": 0.03}, "weight limit must be above 0 and at most 1/n = 0.02; got 0.03"),
        ({"n": 50, "weight": 1e-9}, r"weight limit must be at least 0.0005: no smaller weight can be shown"),
        ({"n": 50, "trials": 0}, "trials must be at least 1"),
        ({"n": 1}, "n must be at least 2"),
        ({"n": 5000}, "n must be from 1 to the population's 2,000 rows; got 5000"),
    ],
)
def test_bad_input(options: dict[str, float], message: str) -> None:
    source = Everybody(people(2000))
    how = {name: value for name, value in options.items() if name != "n"}
    with pytest.raises(InputError, match=message):
        play(source, Projection(), WholeRows(source.weigh, 1), n=options["n"], how=GameSettings(**how))


def test_counts_of_a_population() -> None:
    rows = people(2000)
    result = single_out_counts(rows, 40, 30, how=GameSettings(trials=40, seed=2))
    names = [game.attack for game in result.games]
    assert names[1] == "22 counts of 2 regions"
    shown = {game.attack: game.demonstrated for game in result.games}
    assert shown["15 counts, one after the other"]
    assert not shown["11 counts of one region, with noise"]
    noisy = result.games[-1].at(result.games[-1].weight or 0)
    assert noisy.limit is not None
    assert noisy.success.low <= noisy.limit
    assert "Counts single people out here" in result.sentence


def test_hiding_small_counts_does_not_help() -> None:
    result = single_out_counts(people(2000), 40, 30, suppress_below=5, how=GameSettings(trials=40))
    one, none_small = result.games[:2]
    assert one.isolated == 0
    assert none_small.demonstrated


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"queries": 1}, "queries must be at least 2"),
        ({"queries": 2, "suppress_below": 5}, "queries must be at least 3 where small counts are hidden"),
        ({"queries": 9, "suppress_below": 1}, "suppress-below must be at least 2"),
        ({"queries": 9, "how": GameSettings(weight=0.5)}, "weight limit must be above 0 and at most 1/n"),
    ],
)
def test_bad_counts(options: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        single_out_counts(people(100), 10, **options)


def test_the_population_is_put_in_order_once_and_in_each_process() -> None:
    rows = people(500)
    attack = RowsAttack(rows, 0.1, ("town", "pay"), {})
    rng = np.random.default_rng(1)
    released = anonymise(rows.take(np.arange(40)), ("town", "pay"), "mondrian:k=2", rng)
    first = attack(released, np.random.default_rng(2))
    ordered = attack._people
    assert attack(released, np.random.default_rng(2)) == first
    assert attack._people is ordered
    sent = copy.copy(attack)  # as it is sent to a worker
    assert "_people" not in vars(sent)
    assert sent(released, np.random.default_rng(2)) == first


def test_an_anonymiser_is_attacked_with_the_hierarchy_it_used() -> None:
    """Two towns a canton and nothing above: recoded as a whole, and the labels are understood."""
    rng = np.random.default_rng(4)
    towns = [f"t{i}" for i in range(8)]
    cantons = Hierarchy({town: (town, f"canton {i // 2}", "*") for i, town in enumerate(towns)})
    table = pa.table({"town": rng.choice(towns, 3000), "id": np.arange(3000)})
    result = single_out_game(
        Rows.of_table(table),
        60,
        parse_anonymiser("datafly:k=3", {"town": cantons}),
        ("town",),
        how=GameSettings(trials=30),
    )
    assert result.mechanism == "datafly:k=3"
    assert result.demonstrated  # the id is released as it is
    assert result.abstained == 0
    with pytest.raises(InputError, match="hierarchies must come with datafly"):
        parse_anonymiser("mondrian:k=3", {"town": cantons})
