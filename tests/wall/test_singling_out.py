"""Singling out: two originals that are released as the same rows are attacked by the same conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from dalenius.conditions.predicate import to_json
from dalenius.people.rows.rows import Rows
from dalenius.people.sealed import SealedRows
from dalenius.random import stream
from dalenius.release.desk.count_desk import OpenCounts
from dalenius.release.rows.classes import find_classes
from dalenius.singling_out.attack.counts.counts import CountsAttack
from dalenius.singling_out.attack.counts.plans import KeyedPlan
from dalenius.singling_out.attack.near import REACHES, around, different_rows
from dalenius.singling_out.attack.planner import plan
from dalenius.singling_out.attack.released_rows import guess
from dalenius.singling_out.game.counts import play_counts
from dalenius.singling_out.game.game import play
from dalenius.singling_out.game.models import UniformNumbers
from dalenius.singling_out.game.rounds import GameSettings
from dalenius.singling_out.referee.populations import Everybody, Holdout
from dalenius.singling_out.released import triple
from dalenius.singling_out.released.files import TripleRows
from dalenius.singling_out.released.triple import TripleSettings, single_out_triple
from dalenius.testing import check_attack

N = 40
Conditions = list[tuple[str, float, float, Any]]


def two_truths() -> tuple[pa.Table, pa.Table]:
    """Within each decade people have other ages."""
    rng = np.random.default_rng(3)
    decade, ill = rng.integers(2, 6, N) * 10, rng.choice(["no", "yes"], N)
    ages = [decade + rng.integers(0, 10, N) for _ in range(2)]
    assert (ages[0] != ages[1]).any()
    return pa.table({"age": ages[0], "ill": ill}), pa.table({"age": ages[1], "ill": ill})


def released(original: pa.Table) -> Rows:
    decades = [f"{age // 10 * 10}-{age // 10 * 10 + 9}" for age in original["age"].to_pylist()]
    return Rows.of_table(pa.table({"age": decades, "ill": original["ill"]}))


def others() -> Rows:
    rng = np.random.default_rng(9)
    return Rows.of_table(pa.table({"age": rng.integers(20, 60, 300), "ill": rng.choice(["no", "yes"], 300)}))


def conditions(view: Rows, *, known: Rows | None, rng: np.random.Generator) -> Conditions:
    made = plan(find_classes(view, ["age"], known=known), known=known, rng=rng)
    return [
        (attack.kind, float(attack.success[i]), float(weights[i]), to_json(made.predicate(a, i)))
        for a, (attack, weights) in enumerate(zip(made.attacks, made.weights, strict=True))
        for i in range(len(weights))
    ]


@pytest.mark.parametrize("known", [None, others()], ids=["nobody else known", "others known"])
def test_two_originals_with_one_release(known: Rows | None) -> None:
    views = [released(truth) for truth in two_truths()]

    def attack(view: Rows, *, rng: np.random.Generator) -> Conditions:
        return conditions(view, known=known, rng=rng)

    assert attack(views[0], rng=np.random.default_rng(17))
    check_attack(attack, views)


def test_an_attack_that_knows_the_original_is_noticed() -> None:
    """Planted fault: one that finds the original lying about names somebody's own age."""
    truths = two_truths()
    views = [released(truth) for truth in truths]
    ages = {id(view): truth["age"].to_pylist() for view, truth in zip(views, truths, strict=True)}

    def peeks(view: Rows, *, rng: np.random.Generator) -> tuple[Conditions, int]:
        return conditions(view, known=None, rng=rng), sum(ages[id(view)])

    with pytest.raises(AssertionError, match="knows more than its view"):
        check_attack(peeks, views)


def from_released_rows(view: Rows, *, rng: np.random.Generator) -> list[Any]:
    """All that an attack on synthetic or perturbed rows writes down."""
    made = guess(view, "multivariate", 30, rng, columns=2).boxes
    near = [around(different_rows(view, rng), view, reach) for reach in REACHES]
    return [(boxes.columns.tolist(), boxes.low.tolist(), boxes.high.tolist()) for boxes in (made, *near)]


def test_two_originals_behind_the_same_synthetic_rows() -> None:
    views = [others(), others()]
    assert from_released_rows(views[0], rng=np.random.default_rng(3))
    check_attack(from_released_rows, views)


def test_conditions_about_synthetic_rows_that_know_the_original_are_noticed() -> None:
    """Planted fault: one that finds the original lying about draws as many conditions as its ages say."""
    truths = two_truths()
    views = [others(), others()]
    ages = {id(view): truth["age"].to_pylist() for view, truth in zip(views, truths, strict=True)}

    def peeks(view: Rows, *, rng: np.random.Generator) -> tuple[list[Any], int]:
        return from_released_rows(view, rng=rng), sum(ages[id(view)])

    with pytest.raises(AssertionError, match="knows more than its view"):
        check_attack(peeks, views)


def test_the_original_of_a_triple_is_sealed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What makes conditions is given the released rows; a planted attack that is given the original fails."""
    seen: list[object] = []
    original, released, control = (
        Rows.of_table(pa.table({"age": rng.integers(20, 60, 60), "pay": rng.integers(0, 999, 60)}))
        for rng in (np.random.default_rng(seed) for seed in (1, 2, 3))
    )

    def spy(rows: Rows, *more: Any, **options: Any) -> Any:
        seen.append(rows)
        return guess(rows, *more, **options)

    monkeypatch.setattr(triple, "guess", spy)
    how = TripleSettings(attacks=20)
    plain = single_out_triple(original, released, control, how=how)
    sealed = single_out_triple(SealedRows(original), released, control, how=how)
    assert plain.asked.advantage == sealed.asked.advantage
    assert all(rows.names == released.names and len(rows) == 60 for rows in seen)
    assert all(rows.row_text(0) == released.row_text(0) for rows in seen)

    def peeks(rows: Rows, *more: Any, **options: Any) -> Any:
        return guess(triples[0].original, *more, **options)

    triples = [TripleRows(SealedRows(original), released, control)]
    monkeypatch.setattr(triple, "guess", peeks)
    with pytest.raises(AttributeError):
        triple.run_triple(triples[0], how)


def everybody(n: int = 400) -> Rows:
    rng = np.random.default_rng(5)
    return Rows.of_table(pa.table({"age": rng.integers(0, 90, n), "zip": rng.integers(0, 1000, n)}))


@pytest.mark.parametrize(
    "source",
    [
        Everybody(everybody()),
        Everybody(SealedRows(everybody()), replace=True),
        Holdout(everybody(), rng=np.random.default_rng(1)),
        UniformNumbers(2**20),
    ],
    ids=lambda source: type(source).__name__,
)
def test_whom_a_game_draws_is_sealed(source: Any) -> None:
    """Planted fault: an attack that holds the source draws the people of a round again, and sees nothing."""
    drawn: list[object] = []

    def attack(desk: Any, rng: np.random.Generator) -> tuple[()]:
        people = source.draw(20, stream(7, "game", "attack", len(drawn), "data"))
        drawn.append(people)
        people.column(source.names[0])
        return ()

    with pytest.raises(AttributeError):
        play(source, OpenCounts(), attack, n=20, how=GameSettings(trials=2, seed=7))
    assert [type(people) for people in drawn] == [SealedRows]
    held = [value for value in vars(source).values() if isinstance(value, Rows)] if vars(source) else []
    assert held in ([], [getattr(source, "known", None)])  # of a sample, what an attack is to know


def test_counts_of_a_sealed_population_are_the_same() -> None:
    how = GameSettings(trials=10)
    plain, sealed = (play_counts(rows, 20, 12, how=how) for rows in (everybody(), SealedRows(everybody())))
    assert plain == sealed


@dataclass(frozen=True)
class Told:
    """A desk that answers alike, whoever stands behind it."""

    people: Rows

    def ask(self, predicates: Sequence[Any]) -> np.ndarray:
        return np.ones((len(predicates), 1))


def test_two_draws_behind_the_same_counts() -> None:
    """Planted fault: an attack that looks behind the desk."""
    source = Everybody(everybody())
    desks = [Told(everybody().take(np.random.default_rng(seed).permutation(400)[:20])) for seed in (1, 2)]
    reads = CountsAttack(KeyedPlan(source.names, Fraction(1, 20), 6, 1, False, "ms32", False), source.weigh)

    def attack(view: Told, *, rng: np.random.Generator) -> list[Any]:
        return [to_json(claim.predicate) for claim in reads(view, rng)]

    def peeks(view: Told, *, rng: np.random.Generator) -> tuple[list[Any], str]:
        return attack(view, rng=rng), view.people.row_text(0)

    assert attack(desks[0], rng=np.random.default_rng(3))
    check_attack(attack, desks)
    with pytest.raises(AssertionError, match="knows more than its view"):
        check_attack(peeks, desks)
