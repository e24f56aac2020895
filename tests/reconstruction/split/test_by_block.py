"""What is counted by block: a gain in one of a thousand is seen, luck is not; and what is usual there."""

from __future__ import annotations

import numpy as np

from dalenius.findings.policy import Policy
from dalenius.knowledge.view import Reference
from dalenius.people.schema import CodedColumns, Column, Kind, Role
from dalenius.reconstruction.blocks import ruled_by_block
from dalenius.reconstruction.referee.baseline import fold_population
from dalenius.reconstruction.referee.by_block import count_by_block
from dalenius.reconstruction.referee.usual_by_block import fold_by_block, predict_by_block


def rulings(gain: float, seed: int) -> list[str]:
    """A thousand blocks of 100 people in which attack and guess are alike, but for one."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(1_000, dtype=np.int32), 100)
    usual = rng.random(codes.size) < 0.6
    attack = rng.random(codes.size) < 0.6
    attack[codes == 400] = rng.random(100) < 0.6 + gain
    usual[codes == 400] = rng.random(100) < 0.6
    nobody = np.zeros(codes.size, np.bool_)
    counts = count_by_block("block", tuple(map(str, range(1_000))), codes, (attack, usual), (nobody,) * 3)
    return [ruled.verdict for ruled in ruled_by_block(counts.summary(0.95), Policy())]


def test_one_block_of_a_thousand_that_gains_is_seen_and_luck_is_not() -> None:
    assert [rulings(0.4, seed) for seed in range(5)] == [["stop"]] * 5
    assert [rulings(0.0, seed) for seed in range(5)] == [[]] * 5


def columns(blocks: int) -> tuple[Column, ...]:
    return (
        Column("sex", Role.PUBLIC, Kind.BINARY, ("f", "m")),
        Column("block", Role.PUBLIC, Kind.CATEGORICAL, tuple(map(str, range(blocks)))),
    )


def loss(table: np.ndarray, truth: np.ndarray) -> float:
    return float(-np.log(table[np.arange(truth.size), truth]).mean())


def test_blocks_that_differ_are_learnt_and_alike_ones_cost_nothing() -> None:
    """Beside a model without blocks; the best possible is known, since rates are drawn here."""
    rng = np.random.default_rng(2)
    block = np.repeat(np.arange(40), 30)
    sex = rng.integers(0, 2, block.size)
    attributes = CodedColumns(columns(40), np.stack([sex, block], axis=1).astype(np.int32))
    for spread, gains in ((1.5, True), (0.0, False)):
        rate = 1 / (1 + np.exp(-(spread * rng.normal(size=40)[block] + 0.8 * sex - 0.4)))
        truth = (rng.random(block.size) < rate).astype(np.int32)
        found = fold_by_block(attributes, "block", truth, ("no", "yes"), rng=np.random.default_rng(1))
        without = fold_population(
            attributes.select(("sex",)), truth, ("no", "yes"), rng=np.random.default_rng(1)
        )
        plain, moved = loss(without, truth), loss(found, truth)
        possible = plain - loss(np.stack([1 - rate, rate], axis=1), truth)
        assert np.allclose(found.sum(axis=1), 1)
        assert (plain - moved > 0.6 * possible > 0.03) == gains
        assert moved <= plain + 0.001


def test_nobody_is_predicted_by_their_own_secret() -> None:
    """Two people a block: whoever is alone in a fold would be told by a sum that holds themselves."""
    block = np.repeat(np.arange(300, dtype=np.int32), 2)
    truth = np.random.default_rng(3).integers(0, 2, 600).astype(np.int32)
    attributes = CodedColumns(columns(300)[1:], block[:, None])
    found = fold_by_block(attributes, "block", truth, ("no", "yes"), rng=np.random.default_rng(1))
    assert abs((found.argmax(axis=1) == truth).mean() - 0.5) < 0.08


def test_other_people_teach_what_is_usual_in_a_block() -> None:
    rng = np.random.default_rng(4)
    block = np.repeat(np.arange(40, dtype=np.int32), 50)
    rate = np.where(block % 2, 0.9, 0.1)
    truth, theirs = ((rng.random(block.size) < rate).astype(np.int32) for _ in range(2))
    attributes = CodedColumns(columns(40)[1:], block[:, None])
    found = predict_by_block(
        Reference(attributes, theirs), attributes, "block", truth, ("no", "yes"), rng=np.random.default_rng(1)
    )
    assert (found.argmax(axis=1) == truth).mean() > 0.85
