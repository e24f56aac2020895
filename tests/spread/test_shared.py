"""What many blocks hold travels once to each process or worker, and arrives as it was."""

from __future__ import annotations

import os
from dataclasses import dataclass
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius.spread import shared
from dalenius.spread.places import spread_out, working
from dalenius.spread.shared import DESK, PackedBlock, SharedDesk


@dataclass(frozen=True, eq=False)
class Public:
    """What many hold."""

    x: np.ndarray


@dataclass(frozen=True)
class Asked:
    """Holds what many hold, somewhere inside."""

    people: Public
    times: int


def done(block: Asked) -> tuple[float, int, int]:
    """What comes out, who did it, and which copy it had."""
    return float(block.people.x.sum() * block.times), os.getpid(), id(block.people)


def asked(count: int = 12) -> tuple[Public, list[Asked]]:
    people = Public(np.arange(200_000.0))
    return people, [Asked(people, times) for times in range(count)]


def test_processes_ask_once_and_for_good() -> None:
    people, blocks = asked()
    before = DESK.handed
    with working(2):
        for _ in range(2):  # the second time nobody asks
            found = list(spread_out(done, blocks, workers=2, shared=[people] * len(blocks)))
            assert [value for value, _, _ in found] == [done(block)[0] for block in blocks]
        workers = {who for _, who, _ in found}
    assert len({(who, copy) for _, who, copy in found}) == len(workers)
    assert len(workers) <= DESK.handed - before <= 2


def test_workers_of_a_cluster_hold_one_copy(cluster: Any) -> None:
    people, blocks = asked()
    with working(cluster=cluster.scheduler_address):
        found = list(spread_out(done, blocks, workers=1, shared=[people] * len(blocks)))
    assert [value for value, _, _ in found] == [done(block)[0] for block in blocks]
    assert len({copy for _, _, copy in found}) <= 2


def test_a_block_is_small_without_what_it_shares() -> None:
    people, (block, *_) = asked()
    assert len(PackedBlock(block, {id(people): "n"}).data) < 500
    again = PackedBlock(block, {id(people): "n"}).unpacked({"n": people}.__getitem__)
    assert again.people is people


def test_what_occurs_once_goes_with_its_block_and_what_is_done_is_forgotten() -> None:
    desk, things = SharedDesk(), [{} for _ in range(20)]
    with desk.holding(things) as names:
        assert names == {}
    different = [{"at": at} for at in range(20)]
    with desk.holding(different * 2) as names:
        assert len(set(names.values())) == 20  # all that are under way
    assert len(desk._things) == shared.MOST
    desk.forget()
    assert not desk._things
    assert not desk._names


def test_equal_things_keep_their_names_apart_from_whoever_comes_after() -> None:
    """A name belongs to what is held: its identity cannot be somebody else's."""
    desk = SharedDesk()
    one, same = {"a": 1}, {"a": 1}
    with desk.holding([one, one, same, same]) as names:
        assert names[id(one)] == names[id(same)]
        assert all(id(thing) == at for at, (thing, _) in desk._names.items())


def test_nobody_gets_anything_without_the_key() -> None:
    desk = SharedDesk()
    address, key = desk.where()
    with pytest.raises((AuthenticationError, EOFError, ConnectionError)):
        Client(address, authkey=b"another")
    with desk.holding([people := {"a": 1}, people]) as names:
        assert shared.ask((address, key), names[id(people)]) == people
    assert Path(address).parent.stat().st_mode & 0o077 == 0
