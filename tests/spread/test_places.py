"""Blocks done by several processes: the same results in order, also when a process is lost."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from dalenius.errors import LostBlockError, TooLargeError
from dalenius.spread import places
from dalenius.spread.blocks import fold_blocks, map_blocks
from dalenius.spread.parts import Arrays, keeping
from dalenius.spread.places import AHEAD, spread_out, working


def drawn(block: int) -> Arrays:
    return {"sum": np.random.default_rng(block).standard_normal(1000).cumsum()}


def lost_once(mark: Path, block: int) -> int:
    """End the process on the third block, unless that was done before."""
    if block == 2 and not mark.exists():
        mark.touch()
        os._exit(1)
    return block * block


def lost_always(block: int) -> int:
    os._exit(1)


def bits(workers: int) -> list[bytes]:
    with working(workers):
        return [each["sum"].tobytes() for each in map_blocks(drawn, range(7), work="w")]


def test_any_number_of_processes_gives_the_same_bits() -> None:
    assert bits(1) == bits(2) == bits(3)


def test_a_lost_process_is_replaced_and_its_blocks_are_done_again(tmp_path: Path) -> None:
    task = partial(lost_once, tmp_path / "mark")
    assert list(spread_out(task, range(20), workers=2)) == [n * n for n in range(20)]
    assert (tmp_path / "mark").exists()


def test_a_block_that_loses_every_process_is_an_error_in_words() -> None:
    with pytest.raises(TooLargeError, match="got 2, of which one was ended 3 times"):
        list(spread_out(lost_always, range(3), workers=2))


DRIVER = """
import os, sys
from pathlib import Path
from dalenius.spread.places import spread_out
from test_places import waits
if __name__ == "__main__":
    list(spread_out(waits, [sys.argv[1]] * 2, workers=2))
"""


def waits(mark: str) -> None:
    Path(mark, str(os.getpid())).touch()
    time.sleep(60)


def test_processes_end_when_their_driver_is_killed(tmp_path: Path) -> None:
    """Else they would stay for good: nobody else knows of them."""
    script, marks = tmp_path / "driver.py", tmp_path / "marks"
    script.write_text(DRIVER)
    marks.mkdir()
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    driver = subprocess.Popen(
        [sys.executable, str(script), str(marks)], env={**os.environ, "PYTHONPATH": path}
    )
    try:
        until(lambda: len(list(marks.iterdir())) == 2)
    finally:
        driver.kill()
        driver.wait()
    until(lambda: not any(alive(int(mark.name)) for mark in marks.iterdir()))


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def until(so: Callable[[], bool]) -> None:
    for _ in range(600):
        if so():
            return
        time.sleep(0.1)
    raise AssertionError


def test_processes_wait_for_the_next_blocks_of_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Starting them takes seconds; nobody asks for more than the results that there are."""
    made: list[object] = []

    class Pool:
        def __init__(self, task: Callable[[int], Arrays], workers: int) -> None:
            self.task, self.workers, self.ended = task, workers, False
            made.append(self)

        def submit(self, block: int) -> Future[Arrays]:
            assert not self.ended
            done: Future[Arrays] = Future()
            done.set_result(self.task(block))
            return done

        def end(self, *, wait: bool) -> None:
            self.ended = True

    monkeypatch.setattr(places, "_Pool", Pool)
    with working(2):
        for _ in range(3):
            list(map_blocks(drawn, range(5), work="w"))
            fold_blocks(drawn, lambda a, b: {"sum": a["sum"] + b["sum"]}, range(20))
        (pool,) = made
        assert not pool.ended
    assert pool.ended


def test_few_blocks_are_under_way() -> None:
    """A million may be planned: what is sent is what is nearly needed."""
    asked: list[int] = []

    class Counted(list[int]):
        def __getitem__(self, at: object) -> int:  # type: ignore[override]
            asked.append(1)
            return super().__getitem__(at)  # type: ignore[index,return-value]

    results = spread_out(abs, Counted(range(1000)), workers=2)
    assert next(results) == 0
    results.close()
    assert len(asked) <= 2 * (2 * AHEAD + 2)


def stopped_after_all_blocks(out: Path) -> None:
    with keeping(out, {"a": "1"}):
        bits(2)
        raise KeyboardInterrupt


def test_what_was_kept_is_not_sent_and_a_damaged_part_is_done_again(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        stopped_after_all_blocks(tmp_path)
    parts = tmp_path / ".dalenius-parts/w"
    (parts / "part-000001.npz").write_bytes(b"half")
    (parts / "part-000003.npz").unlink()
    with keeping(tmp_path, {"a": "1"}) as kept:
        assert kept.found == 6
        assert bits(2) == bits(1)


def test_a_block_that_is_lost_again_and_again_is_spared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is lost alone is the one to blame; the others, who were under way beside it, are done."""

    class Pool:
        def __init__(self, task: object, workers: int) -> None:
            self.task, self.workers, self.broken = task, workers, False

        def submit(self, block: int) -> Future[int]:
            done: Future[int] = Future()
            self.broken = self.broken or block == 3
            if self.broken:
                done.set_exception(BrokenProcessPool())
            else:
                done.set_result(drawn(block) if self.task is drawn else block * 10)
            return done

        def end(self, *, wait: bool) -> None:
            pass

    monkeypatch.setattr(places, "_Pool", Pool)
    results = spread_out(str, range(7), workers=2, spare=True)
    assert list(results) == [0, 10, 20, None, 40, 50, 60]
    with pytest.raises(LostBlockError), keeping(tmp_path, {"a": "1"}), working(2):
        list(map_blocks(drawn, range(7), work="w"))
    assert len(list(tmp_path.rglob("*.npz"))) == 3  # what was done before it stays: the same command goes on
    with keeping(tmp_path, {"a": "1"}, announce=(said := []).append), working(2):
        found = list(map_blocks(drawn, range(7), work="w", spare=True))
    assert [each is None for each in found] == [at == 3 for at in range(7)]
    assert len(list(tmp_path.rglob("*.npz"))) == 6  # those that others did stay, too
    assert "the same command tries only those again" in said[-1]
    with keeping(tmp_path, {"a": "1"}):
        assert all(each is not None for each in map_blocks(drawn, range(7), work="w", spare=True))
    assert not list(tmp_path.rglob("*.npz"))
