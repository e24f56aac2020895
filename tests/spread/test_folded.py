"""Sums over blocks: the same bits whoever adds up, and a tree that depends on the number of blocks alone."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.spread.blocks import fold_blocks
from dalenius.spread.parts import Arrays, keeping
from dalenius.spread.places import working
from dalenius.spread.tree import FAN, SumOfTree

BLOCKS = range(3 * FAN + 5)


def drawn(block: int) -> Arrays:
    return {"sum": np.random.default_rng(block).standard_normal(200) * 10.0 ** (block % 7)}


def add(some: Arrays, more: Arrays) -> Arrays:
    return {"sum": some["sum"] + more["sum"]}


def bits(**place: Any) -> bytes:
    with working(**place):
        return fold_blocks(drawn, add, BLOCKS)["sum"].tobytes()


def test_any_number_of_processes_adds_up_to_the_same_bits() -> None:
    assert bits() == bits(workers=2) == bits(workers=3)


def test_workers_of_a_cluster_add_up_neighbours(cluster: Any) -> None:
    before = len(summed(cluster))
    assert bits(cluster=cluster.scheduler_address) == bits()
    assert len(summed(cluster)) - before == -(-len(BLOCKS) // FAN)


def summed(cluster: Any) -> set[str]:
    """Sums that were made on the workers, as the scheduler has it: a worker's own log goes with it."""
    done = (str(key) for key, _, end, *_ in cluster.scheduler.transition_log if end == "memory")
    return {key for key in done if key.startswith("_add_up")}


def test_bits_would_tell_another_order() -> None:
    """Were the order of addition another, the bits would be others."""
    in_line = drawn(0)
    for block in BLOCKS[1:]:
        in_line = add(in_line, drawn(block))
    assert in_line["sum"].tobytes() != bits()


def test_what_was_kept_is_not_done_again(tmp_path: Path) -> None:
    done: list[int] = []

    def counted(stop: int, block: int) -> Arrays:
        if len(done) == stop:
            raise KeyboardInterrupt
        done.append(block)
        return drawn(block)

    with pytest.raises(KeyboardInterrupt), keeping(tmp_path, {"a": "1"}):
        fold_blocks(partial(counted, 11), add, BLOCKS, work="w")
    with keeping(tmp_path, {"a": "1"}):
        found = fold_blocks(partial(counted, 1000), add, BLOCKS, work="w")
    assert found["sum"].tobytes() == bits()
    assert done == list(BLOCKS)


def test_the_tree_depends_on_the_number_of_terms_alone() -> None:
    """Terms one by one, and sums of neighbours."""
    for terms in (1, 7, 8, 9, 64, 65, 600):
        one, of_neighbours = (SumOfTree[str](lambda a, b: f"({a} {b})") for _ in range(2))
        for first in range(0, terms, FAN):
            group = SumOfTree[str](lambda a, b: f"({a} {b})")
            for term in range(first, min(first + FAN, terms)):
                one.take(str(term))
                group.take(str(term))
            of_neighbours.take(group.whole(), of_neighbours=True)
        assert one.whole() == of_neighbours.whole()


def test_nothing_has_no_sum() -> None:
    with pytest.raises(InputError, match="must be some"):
        fold_blocks(drawn, add, [])
