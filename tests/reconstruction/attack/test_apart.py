"""Blocks that no question joins: attacked together, as much is certain as one by one."""

from __future__ import annotations

import numpy as np
import pytest

from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.statistics.tables import tables_of

BLOCKS = 8


def town() -> tuple[np.ndarray, np.ndarray]:
    """Block, sex and age of people, and who has the secret."""
    rng = np.random.default_rng(5)
    block = np.repeat(np.arange(BLOCKS), rng.integers(15, 45, BLOCKS))
    codes = np.stack([block, rng.integers(0, 2, block.size), rng.integers(0, 12, block.size)], axis=1)
    return codes, (rng.random(block.size) < 0.2).astype(np.int64)


@pytest.mark.parametrize("mechanism", ["exact", "rounding:base=3", "suppression:below=5"])
def test_joined_finds_what_apart_finds(mechanism, people, view):
    codes, secrets = town()

    def certain(which: np.ndarray) -> int:
        roster = people(codes[which], [BLOCKS, 2, 12])
        asked = [tables_of(roster.attributes.columns, 2), tables_of(roster.attributes.columns, 3)]
        seen = view(asked, roster, secrets[which], mechanism)
        guesses = reconstruct(seen, rng=np.random.default_rng(1), calibrated=False)
        right = guesses.probability.argmax(axis=1) == secrets[which]
        assert right[guesses.certain].all()
        return int(guesses.certain.sum())

    everybody = np.ones(len(codes), np.bool_)
    apart = sum(certain(codes[:, 0] == block) for block in range(BLOCKS))
    assert certain(everybody) >= apart > 0
