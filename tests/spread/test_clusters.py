"""Blocks on a Dask cluster: the same bits; what was lost with a worker is done again, or is lost alone."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster

from dalenius.errors import LostWorkersError
from dalenius.spread import clusters
from dalenius.spread.blocks import map_blocks
from dalenius.spread.clusters import Cluster
from dalenius.spread.parts import Arrays, keeping
from dalenius.spread.places import spread_out, working

QUIET = {
    "threads_per_worker": 1,
    "processes": False,
    "host": "127.0.0.1",
    "dashboard_address": "127.0.0.1:0",
    "silence_logs": 50,
}
"""Workers in threads of this process, reached over the loopback."""


PATIENT = {"distributed.deploy.lost-worker-timeout": "10m"}
"""Where the machine is busy a new worker takes longer than the 15 s after which its place is given up."""


def drawn(block: int) -> Arrays:
    return {"sum": np.random.default_rng(block).standard_normal(1000).cumsum()}


def test_a_process_does_one_block_at_a_time_whatever_threads_it_has() -> None:
    under_way: list[int] = []
    most: list[int] = []

    def task(block: int) -> int:
        under_way.append(block)
        most.append(len(under_way))
        time.sleep(0.01)
        under_way.remove(block)
        return block

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(partial(clusters.do_alone, task), range(8))) == list(range(8))
    assert max(most) == 1


def total(block: np.ndarray) -> Arrays:
    return {"sum": block.sum()}


def test_large_blocks_are_sent_without_a_word_of_dask(cluster: Any) -> None:
    """A warning is an error in these tests: of more than 10 MB Dask says that work may be slow."""
    blocks = [np.full(2_000_000, float(at)) for at in range(2)]
    with working(cluster=cluster.scheduler_address):
        assert [float(each["sum"]) for each in map_blocks(total, blocks, work="large")] == [0.0, 2_000_000.0]


def fails(block: int) -> Arrays:
    raise ValueError("no block")


def bits(**place: Any) -> list[bytes]:
    with working(**place):
        return [each["sum"].tobytes() for each in map_blocks(drawn, range(7), work="w")]


def test_a_cluster_gives_the_same_bits_and_names_no_block(cluster: Any) -> None:
    assert bits(cluster=cluster.scheduler_address) == bits()
    assert not [name for name in cluster.scheduler.task_prefixes if "drawn" in str(name)]


def stopped_after_all_blocks(out: Path, place: str) -> None:
    with keeping(out, {"a": "1"}):
        bits(cluster=place)
        raise KeyboardInterrupt


def test_what_was_kept_is_not_sent_again(cluster: Any, tmp_path: Path) -> None:
    place = cluster.scheduler_address
    with pytest.raises(KeyboardInterrupt):
        stopped_after_all_blocks(tmp_path, place)
    assert len(list(tmp_path.rglob("*.npz"))) == 7
    with keeping(tmp_path, {"a": "1"}), working(cluster=place):
        kept = [each["sum"].tobytes() for each in map_blocks(fails, range(7), work="w")]
    assert kept == bits()


def test_an_error_of_a_block_is_the_error(cluster: Any) -> None:
    with working(cluster=cluster.scheduler_address), pytest.raises(ValueError, match="no block"):
        list(spread_out(fails, range(3), workers=1))


def ends_its_process(block: int) -> Arrays:
    if block == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return drawn(block)


def test_a_block_that_ends_its_worker_is_lost_and_those_beside_it_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of one worker all blocks that wait there are blamed by the scheduler, and what it was sent is gone."""
    monkeypatch.setattr(clusters, "BACK", 600)
    processes = QUIET | {"processes": True}
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0} | PATIENT),
        LocalCluster(n_workers=1, **processes) as found,
        working(cluster=found.scheduler_address),
    ):
        results = map_blocks(ends_its_process, range(4), work="w", spare=True)
        done = [None if each is None else each["sum"].tobytes() for each in results]
    assert done == [None if at == 1 else drawn(at)["sum"].tobytes() for at in range(4)]


def ends_with_a_large_block(block: np.ndarray) -> Arrays:
    return ends_its_process(int(block[0]))


def test_a_large_block_that_ends_its_worker_is_lost_and_others_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Large blocks are held by the worker that is to do them, and are gone with it: they are sent again."""
    monkeypatch.setattr(clusters, "TRIES", 2)  # each takes a new worker, and that a second
    monkeypatch.setattr(clusters, "BACK", 600)
    blocks = [np.full(clusters.LARGE // 8 + 1, at) for at in range(4)]
    with (
        dask.config.set(PATIENT),
        LocalCluster(n_workers=1, **(QUIET | {"processes": True})) as found,
        working(cluster=found.scheduler_address),
    ):
        results = map_blocks(ends_with_a_large_block, blocks, work="w", spare=True)
        done = [None if each is None else each["sum"].tobytes() for each in results]
    assert done == [None if at == 1 else drawn(at)["sum"].tobytes() for at in range(4)]


def test_a_cluster_that_loses_its_last_worker_is_waited_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "SECONDS", 0.2)
    monkeypatch.setattr(clusters, "BACK", 0.3)
    with LocalCluster(n_workers=1, protocol="tcp", **QUIET) as found, Client(found) as client:
        found.scale(0)
        while client.nthreads():
            time.sleep(0.01)
        with pytest.raises(LostWorkersError, match="must have workers that last; got none any more"):
            list(Cluster(client).run(abs, [-1, -2]))
        with pytest.raises(LostWorkersError, match="must have workers that last; got none any more"):
            list(Cluster(client).run(total, [np.zeros(clusters.LARGE)] * 2))


def test_few_blocks_are_under_way(cluster: Any) -> None:
    asked: list[int] = []

    class Counted(list[int]):
        def __getitem__(self, at: object) -> int:  # type: ignore[override]
            asked.append(1)
            return super().__getitem__(at)  # type: ignore[index,return-value]

    with working(cluster=cluster.scheduler_address):
        results = spread_out(abs, Counted(range(1000)), workers=1)
        assert next(results) == 0
        results.close()
    assert len(asked) <= 2 * clusters.AHEAD + 2
