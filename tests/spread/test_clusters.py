"""Blocks on a Dask cluster: the same bits, nothing sent where it must not go, everything refused in words."""

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
from distributed.security import Security
from typer.testing import CliRunner

from dalenius.cli.main import app
from dalenius.errors import InputError, LostWorkersError
from dalenius.spread import clusters
from dalenius.spread.blocks import map_blocks
from dalenius.spread.clusters import Cluster, ClusterAddress, connected
from dalenius.spread.parts import Arrays, keeping
from dalenius.spread.places import spread_out, working

CERTIFICATES = {"tls_ca_file": "ca-file", "tls_client_cert": "client.cert", "tls_client_key": "client.key"}
QUIET = {
    "threads_per_worker": 1,
    "processes": False,
    "host": "127.0.0.1",
    "dashboard_address": "127.0.0.1:0",
    "silence_logs": 50,
}
"""Workers in threads of this process, reached over the loopback."""


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


def test_a_block_that_ends_its_worker_is_lost_and_those_beside_it_are_not() -> None:
    """Of one worker all blocks that wait there are blamed by the scheduler, and what it was sent is gone."""
    processes = QUIET | {"processes": True}
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        LocalCluster(n_workers=1, **processes) as found,
        working(cluster=found.scheduler_address),
    ):
        results = map_blocks(ends_its_process, range(4), work="w", spare=True)
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tcp://10.0.0.7:8786", "must be tls:// on another machine"),
        ("tcp://scheduler:8786", "must be tls:// on another machine"),
        ("tls://me:word@scheduler:8786", "must be an address without a name or password"),
        ("scheduler:8786", "must be the address of a scheduler"),
        ("http://127.0.0.1:8786", "must be the address of a scheduler"),
        ("tls://scheduler", "must be the address of a scheduler"),
        ("tls://scheduler:port", "must be the address of a scheduler"),
        ("tls://[::1", "must be the address of a scheduler"),
    ],
)
def test_addresses_are_looked_at_before_anybody_connects(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        ClusterAddress.of(text)
    assert "me:word" not in str(refused.value)


def test_without_certificates_nothing_is_sent() -> None:
    with pytest.raises(InputError, match="must have certificates"), connected("tls://scheduler:8786"):
        pass


def written(secured: Security, folder: Path) -> dict[str, str]:
    """Dask's configuration for some certificates."""
    settings = {}
    for name, key in CERTIFICATES.items():
        (folder / name).write_text(getattr(secured, name))
        settings[f"distributed.comm.tls.{key}"] = str(folder / name)
    return settings


def test_certificates_are_those_of_dask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secured, strange = Security.temporary(), tmp_path / "strange"
    strange.mkdir()
    settings, others = written(secured, tmp_path), written(Security.temporary(), strange)
    with LocalCluster(n_workers=1, protocol="tls", security=secured, **QUIET) as found:
        assert found.scheduler_address.startswith("tls://")
        with pytest.raises(InputError, match="must have certificates"):
            bits(cluster=found.scheduler_address)
        with dask.config.set(settings):
            assert bits(cluster=found.scheduler_address) == bits()
        monkeypatch.setattr(clusters, "SECONDS", 1)
        with dask.config.set(others), pytest.raises(InputError, match="must be a scheduler that answers"):
            bits(cluster=found.scheduler_address)  # certificates of somebody else


def test_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "SECONDS", 0.5)
    with pytest.raises(InputError, match="must be a scheduler that answers"), connected("tcp://127.0.0.1:9"):
        pass


class Told:
    """A client whose workers say this of themselves."""

    def __init__(self, told: dict[str, dict[str, str]]) -> None:
        self.told = told

    def run(self, _: object) -> dict[str, dict[str, str]]:
        return self.told


def test_workers_with_other_versions_or_none_are_refused() -> None:
    own = clusters.versions()
    other = own | {"numpy": "1.0", "instruction set": "another"}
    with pytest.raises(InputError, match="1 worker with another instruction set and another numpy"):
        clusters._check_workers(Told({"a": own, "b": other}))
    with pytest.raises(InputError, match="must have workers; got none"):
        clusters._check_workers(Told({}))


class ToldByScheduler:
    """A client whose scheduler says this of itself, or has no dalenius."""

    def __init__(self, told: dict[str, str] | None) -> None:
        self.told = told

    def run_on_scheduler(self, _: object) -> dict[str, str]:
        if self.told is None:
            raise ModuleNotFoundError("No module named 'dalenius'")
        return self.told


def test_a_scheduler_must_be_able_to_open_what_it_hands_on() -> None:
    own = clusters.versions()
    clusters._check_scheduler(ToldByScheduler(own | {"instruction set": "another"}))
    with pytest.raises(InputError, match="must have a scheduler with the versions of this"):
        clusters._check_scheduler(ToldByScheduler(own | {"numpy": "1.0"}))
    with pytest.raises(InputError, match="a scheduler that can import dalenius; got ModuleNotFoundError"):
        clusters._check_scheduler(ToldByScheduler(None))


def test_processes_and_a_cluster_are_one_too_many() -> None:
    with pytest.raises(InputError, match="must not be given with --cluster"), working(2, "tcp://127.0.0.1:1"):
        pass


def test_the_command_says_what_is_wrong_and_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("block,sex,count\nA,f,2\nA,m,1\n")
    words = ["reconstruct", "records", "--table", str(tmp_path / "t.csv"), "--out", str(tmp_path / "o")]
    done = CliRunner().invoke(app, words, env={"DALENIUS_CLUSTER": "tcp://10.0.0.7:8786"})
    assert done.exit_code == 2
    assert "must be tls:// on another machine" in " ".join(done.output.split())
    assert not (tmp_path / "o").exists()
