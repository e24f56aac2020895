"""An attack that wants the noise: it looks for the seed in what it is given, and draws the noise again."""

from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from dalenius.conditions.predicate import And
from dalenius.mechanisms.anonymise.parse import anonymise
from dalenius.mechanisms.row_by_row import OneBitEach, PadAndMasked, Projection
from dalenius.people.dataset import read
from dalenius.people.rows.rows import Rows
from dalenius.people.traits.traits import coded_from_values
from dalenius.people.truth import open_rows
from dalenius.random import attack_stream, sealed, stream
from dalenius.reconstruction.attack import attack as run
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.attack.interactive import attack_desk
from dalenius.reconstruction.audit import audit
from dalenius.reconstruction.desk import fewest
from dalenius.reconstruction.desk.fewest import fewest_queries
from dalenius.reconstruction.opened import Planned, Scenario
from dalenius.records.cells.columns import RecordColumns
from dalenius.records.referee.publish import publish_tables
from dalenius.release.desk.count_desk import CountDesk, OpenCounts
from dalenius.release.desk.open_desk import open_desk
from dalenius.release.means_publish import publish_means
from dalenius.release.publish import publish
from dalenius.singling_out.game.game import Game, play
from dalenius.singling_out.game.rounds import GameSettings
from dalenius.singling_out.referee.populations import Everybody
from dalenius.tracing.attack.attack import trace
from dalenius.tracing.case import MembersSettings
from dalenius.tracing.questions.members import trace_members

SEED = 4711
WORDS = (
    "attack",
    "noise",
    "game",
    "desk",
    "release",
    "attacking",
    "checking",
    "control",
    "mechanism",
    "data",
)
NAMES = [names for size in (0, 1, 2, 3) for names in product((*WORDS, 0, 1), repeat=size)]


def entropy(rng: np.random.Generator) -> int:
    return rng.bit_generator.seed_seq.entropy


ROOTS = {entropy(stream(seed, *names)): seed for seed in (1, SEED) for names in NAMES}


def seeds_in(rng: np.random.Generator) -> list[int]:
    """The seeds that give this generator under some names."""
    return [ROOTS[entropy(rng)]] if entropy(rng) in ROOTS else []


def test_the_search_finds_a_seed_where_there_is_one():
    """Planted fault: the generator that an attack used to get."""
    assert seeds_in(stream(SEED, "attack", "release", "attacking")) == [SEED]


def people(n: int = 66, *, ids: bool = True) -> pa.Table:
    rng = np.random.default_rng(4)
    columns = {
        "id": [f"p{i:02d}" for i in range(n)],
        "sex": [str(x) for x in rng.choice(["f", "m"], n)],
        "town": [str(x) for x in rng.choice(["a", "b", "c"], n)],
        "ill": [str(x) for x in rng.choice(["no", "yes"], n)],
    }
    return pa.table(columns if ids else {name: columns[name] for name in ("sex", "town", "ill")})


def tries(seed: int) -> list[np.random.Generator]:
    """Everything that names alone can give from a seed."""
    return [stream(seed, *names) for names in NAMES if len(names) < 3]


def nearest_noise(seen: np.ndarray, exact: np.ndarray, sigma: float) -> float:
    """How near the noise of a release comes to one drawn again: the largest difference, at best."""
    noise = (seen - exact).ravel()
    return min(np.abs(rng.normal(0.0, sigma, noise.size) - noise).max() for rng in tries(SEED))


@pytest.fixture
def given(monkeypatch) -> list[tuple[object, np.random.Generator]]:
    """What the attack of an audit was given, each time."""
    caught = []

    def spy(view, *, rng, **options) -> Guesses:
        caught.append((view, rng))
        return reconstruct(view, rng=rng, **options)

    monkeypatch.setattr(run, "reconstruct", spy)
    return caught


@pytest.mark.parametrize("ids", [True, False])
def test_an_audit_gives_its_attack_neither_seed_nor_noise(given, ids):
    with read(people(ids=ids), secret="ill", id="id" if ids else None) as data:
        audit(data, Planned("tables:k=2", "gaussian:sigma=3"), Scenario(seed=SEED))
        exact = publish(data, "tables:k=2", "exact", rng=np.random.default_rng(1))
    assert len(given) == 2  # the release and its control
    for view, rng in given:
        assert seeds_in(rng) == []
        seen = view.release.blocks[0].answers
        assert nearest_noise(seen, exact.blocks[0].answers, 3.0) > 1
    assert np.abs(given[0][0].release.blocks[0].answers - exact.blocks[0].answers).max() < 15


def test_sampled_people_cannot_be_drawn_again_either():
    table = people(200)
    with read(table, secret="ill", id="id") as data:
        sampled = publish(data, "tables:k=2", "subsample:rate=0.5", rng=stream(SEED, "noise", "release"))
        exact = publish(data, "tables:k=2", "exact", rng=np.random.default_rng(1))
    mask = stream(SEED, "noise", "release").random(200) < 0.5
    with read(table.filter(pa.array(mask)), secret="ill", id="id") as half:
        guessed = publish(half, "tables:k=2", "exact", rng=np.random.default_rng(1))
    assert sampled.blocks[0].answers.shape == exact.blocks[0].answers.shape == guessed.blocks[0].answers.shape
    assert not np.array_equal(sampled.blocks[0].answers, 2 * guessed.blocks[0].answers)


def test_a_desk_gives_its_attack_neither_seed_nor_noise(monkeypatch):
    caught = []

    def spy(desk, terms, knowledge, *, rng, **options):
        caught.append(rng)
        return attack_desk(desk, terms, knowledge, rng=rng, **options)

    monkeypatch.setattr(fewest, "attack_desk", spy)
    with read(people(), secret="ill", id="id") as data:
        fewest_queries(data, "gaussian:sigma=1", accuracy=0.99, most=16, runs=2, seed=SEED)
        for sticky in (False, True):
            desk = open_desk(data, "gaussian:sigma=1", rng=stream(SEED, "noise", 0), sticky=sticky)
            told = desk.ask([And(())])
            total = publish(data, "histogram", "exact", rng=np.random.default_rng(1)).blocks[0].answers[0, 1]
            assert nearest_noise(told, np.array([[total]]), 1.0) > 1e-9
    assert len(caught) >= 4
    assert not any(seeds_in(rng) for rng in caught)


def traits(n: int, seed: int = 1):
    values = np.random.default_rng(seed).choice([-1, 1], (n, 30))
    ids = np.array([f"{seed}-{i}" for i in range(n)])
    return coded_from_values("id", ids, np.array([f"c{j}" for j in range(30)]), values, "binary")


def test_tracing_gives_its_attack_neither_seed_nor_noise():
    members, others = traits(40), traits(120, 2)
    caught = []

    def spy(view, rng):
        caught.append((view.release, rng))
        return trace(view, rng=rng)

    trace_members(members, others, "gaussian:sigma=0.1", how=MembersSettings(attack=spy, seed=SEED, rounds=2))
    exact = publish_means(members, "exact", rng=np.random.default_rng(1)).fractions
    assert caught
    for release, rng in caught:
        assert seeds_in(rng) == []
        assert nearest_noise(release.fractions, exact, 0.1) > 0.01


def test_a_game_gives_its_attack_neither_seed_nor_noise():
    rng = np.random.default_rng(1)
    rows = Rows.of_table(pa.table({"age": rng.integers(0, 90, 400), "zip": rng.integers(0, 1000, 400)}))
    source, caught = Everybody(rows), []

    def attack(desk, rng):
        caught.append((desk.ask([And(())])[0, 0], rng))
        return ()

    play(
        source,
        OpenCounts("laplace:scale=3"),
        attack,
        n=50,
        how=GameSettings(trials=5, weight=0.0025, seed=SEED),
    )
    assert len(caught) == 5
    for j, (told, rng) in enumerate(caught):
        assert seeds_in(rng) == []
        again = stream(SEED, "game", "game", j, "mechanism").laplace(0.0, 3.0)
        assert abs(told - 50 - again) > 1e-9


def test_what_a_game_shuffles_stays_shuffled():
    rows = Rows.of_table(pa.table({"age": np.arange(400)}))
    seen = []
    attack = lambda released, rng: seen.append(released) or ()  # noqa: E731

    def shuffle(rows, rng):
        return rows.take(rng.permutation(len(rows)))

    Game(Everybody(rows), shuffle, attack, 50, SEED, "game").trial(0)
    drawn = open_rows(Everybody(rows).draw(50, stream(SEED, "game", "game", 0, "data")))
    order = stream(SEED, "game", "game", 0, "mechanism").permutation(50)
    assert sorted(seen[0].columns[0].codes) == sorted(drawn.columns[0].codes)
    assert not np.array_equal(seen[0].columns[0].codes, drawn.take(order).columns[0].codes)


def test_the_order_of_anonymised_rows_cannot_be_undone():
    rows = Rows.of_table(pa.table({"age": np.arange(60) // 2, "place": np.arange(60)}))
    released = anonymise(rows, ["age"], "mondrian:k=2", stream(SEED, "order")).rows
    undone = released.take(np.argsort(stream(SEED, "order").permutation(60))).column("place").codes
    assert sorted(undone) == list(range(60))
    assert not np.array_equal(undone, np.arange(60))


def answers(table: pa.Table, seed: int) -> np.ndarray:
    with read(table, secret="ill", id="id") as data:
        return publish(data, "tables:k=2", "gaussian:sigma=3", rng=stream(seed, "noise")).blocks[0].answers


def test_the_same_seed_and_data_give_the_same_noise_in_any_order():
    table = people()
    first = answers(table, 1)
    assert np.array_equal(first, answers(table, 1))
    assert np.array_equal(first, answers(table.take(np.random.default_rng(2).permutation(66)), 1))
    assert not np.array_equal(first, answers(table, 2))


def test_one_other_secret_is_other_noise():
    table = people()
    ill = table["ill"].to_pylist()
    ill[0] = {"no": "yes", "yes": "no"}[ill[0]]
    other = table.set_column(table.schema.get_field_index("ill"), "ill", pa.array(ill))
    moved = answers(other, 1) - answers(table, 1)
    assert (np.abs(moved - np.rint(moved)) > 1e-6).all()  # everywhere, not only in the cells that changed


def records_with_noise(people: np.ndarray) -> np.ndarray:
    columns = RecordColumns.of({"a": ["0", "1"], "b": ["0", "1", "2"]})
    rng = stream(SEED, "noise", "release")
    made = publish_tables("release", columns, people, ["tables:k=1"], "gaussian:sigma=3", rng=rng)
    return np.concatenate([each.says[:, 0] for each in made.noisy])


def test_tables_without_a_list_of_people_have_noise_that_a_seed_does_not_give():
    people = np.array([[0, 0], [0, 1], [1, 2], [1, 2], [0, 0]], np.int32)
    seen = records_with_noise(people)
    assert nearest_noise(seen, np.array([3, 2, 2, 1, 2]), 3.0) > 1
    assert np.array_equal(seen, records_with_noise(people[::-1]))
    moved = records_with_noise(np.array([[0, 0], [0, 1], [1, 2], [1, 2], [0, 1]], np.int32)) - seen
    assert (np.abs(moved - np.rint(moved)) > 1e-6).all()  # also in the cells that did not change


def test_means_of_the_same_people_in_any_order_have_the_same_noise():
    members = traits(40)
    again = members.take(np.random.default_rng(2).permutation(40))
    one, two, three = (
        publish_means(who, "gaussian:sigma=0.1", rng=stream(1, "noise")).means
        for who in (members, again, traits(40, 3))
    )
    assert np.array_equal(one, two)
    assert np.abs((one - three) - np.rint(20 * (one - three)) / 20).max() > 1e-6


def test_findings_are_the_same_with_the_same_seed():
    planned = {"noisy": Planned("tables:k=1", "gaussian:sigma=1")}
    with read(people(), secret="ill", id="id") as data:
        reports = [audit(data, planned, Scenario(seed=seed)).report.to_json() for seed in (7, 7, 8)]
    assert reports[0] == reports[1] != reports[2]


def test_sealed_generators_take_both():
    draw = lambda rng: rng.integers(1 << 60)  # noqa: E731
    assert draw(sealed(stream(1, "a"), b"x")) == draw(sealed(stream(1, "a"), b"x"))
    others = {draw(sealed(stream(seed, "a"), truth)) for seed, truth in product((1, 2), (b"x", b"y"))}
    assert len(others) == 4
    assert draw(attack_stream("a")) == draw(attack_stream("a")) != draw(attack_stream("b"))
    rng = stream(1, "a")
    assert draw(sealed(rng, b"x")) != draw(sealed(rng, b"x"))  # the key moves on


def test_a_count_desk_draws_with_its_rows():
    asked = [And(())]
    told = [
        CountDesk(Rows.of_table(pa.table({"age": ages})), "laplace:scale=3", rng=stream(1, "noise")).ask(
            asked
        )
        for ages in ([1, 2], [1, 3], [1, 2])
    ]
    assert told[0] == told[2] != told[1]


@pytest.mark.parametrize(
    "mechanism",
    [
        OpenCounts(),
        OpenCounts("suppression:below=3 | rounding:base=5"),
        OpenCounts("laplace:scale=1"),
        Projection(),
        PadAndMasked(),
        OneBitEach(And(())),
        OneBitEach(And(()), shuffled=True),
    ],
    ids=str,
)
def test_who_says_that_nothing_is_drawn_draws_nothing(mechanism):
    """Those get a generator that is not sealed: what was drawn from it after all could be drawn again."""
    rows = Rows.of_table(pa.table({"age": np.arange(8), "bit 0": [True, False] * 4}))
    rng = np.random.default_rng(3)
    before = rng.bit_generator.state
    released = mechanism(rows, rng)
    if isinstance(mechanism, OpenCounts):
        released.ask([And(())])
    drew = rng.bit_generator.state != before
    assert drew == mechanism.draws
