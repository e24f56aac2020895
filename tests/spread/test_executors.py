"""Blocks by an executor of somebody else: the same results, sent as to another machine, and left open."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from distributed import KilledWorker

import dalenius
from dalenius.auditing import working
from dalenius.errors import InputError, TooLargeError
from dalenius.spread.blocks import fold_blocks, map_blocks
from dalenius.spread.clusters import AHEAD
from dalenius.spread.parts import Arrays
from dalenius.spread.places import spread_out


class Elsewhere(Executor):
    """Does what it is given on arrival, after all of it has travelled; breaks after so many."""

    def __init__(self, breaks: int = 10**9, by: Exception | None = None) -> None:
        self.by = by or BrokenExecutor("gone")
        self.sent, self.breaks, self.cancelled, self.closed = 0, breaks, 0, False

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.sent += 1
        done = Counted(self)
        if self.sent > self.breaks:
            done.set_exception(self.by)
            return done
        called, given = pickle.loads(pickle.dumps((function, args)))  # noqa: S301
        try:
            done.set_result(pickle.loads(pickle.dumps(called(*given, **kwargs))))  # noqa: S301
        except Exception as error:
            done.set_exception(pickle.loads(pickle.dumps(error)))  # noqa: S301
        return done

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.closed = True


class Counted(Future[Any]):
    def __init__(self, owner: Elsewhere) -> None:
        super().__init__()
        self.owner = owner

    def cancel(self) -> bool:
        self.owner.cancelled += 1
        return super().cancel()


def drawn(block: int) -> Arrays:
    return {"sum": np.random.default_rng(block).standard_normal(1000).cumsum()}


def added(some: Arrays, more: Arrays) -> Arrays:
    return {"sum": some["sum"] + more["sum"]}


def refused(block: int) -> int:
    raise InputError("block", "must be another", f"{block}")


def bits() -> list[bytes]:
    folded = fold_blocks(drawn, added, range(20))["sum"].tobytes()
    return [folded, *(each["sum"].tobytes() for each in map_blocks(drawn, range(20), work="w"))]


def test_any_executor_gives_the_same_bits_and_stays_open() -> None:
    mine = Elsewhere()
    with working(2, executor=mine):
        there = bits()
    assert there == bits()
    assert mine.sent == 40
    assert not mine.closed


def test_few_blocks_are_under_way_and_the_rest_is_cancelled() -> None:
    mine = Elsewhere()
    with working(2, executor=mine):
        results = spread_out(abs, range(1000), workers=2)
        assert [next(results), next(results)] == [0, 1]
        results.close()
    assert mine.sent == 2 * AHEAD + 1
    assert mine.cancelled == 2 * AHEAD


def test_an_audit_in_python_is_the_same_to_the_last_byte() -> None:
    rng = np.random.default_rng(1)
    people = pa.table({name: rng.choice(["a", "b"], 40) for name in ("sex", "age", "ill")})

    def found() -> str:
        return dalenius.audit(people, secret="ill", statistics="tables:k=2").report.to_json()

    mine = Elsewhere()
    with working(2, executor=mine):
        there = found()
    assert mine.sent > 1
    assert there == found()


def test_an_error_of_a_block_is_the_error() -> None:
    with working(2, executor=Elsewhere()), pytest.raises(InputError, match="block must be another; got 0"):
        list(spread_out(refused, range(3), workers=2))


@pytest.mark.parametrize("by", [BrokenExecutor("gone"), KilledWorker("abs-1", None, 3)])
def test_an_executor_that_lost_a_worker_is_an_error_in_words(by: Exception) -> None:
    with (
        working(2, executor=Elsewhere(breaks=5, by=by)),
        pytest.raises(TooLargeError, match="the executor must have"),
    ):
        list(spread_out(abs, range(20), workers=2))


def test_what_is_no_place_is_refused() -> None:
    with pytest.raises(InputError, match="executor must have submit"), working(executor=7):  # type: ignore[arg-type]
        pass
    with (
        pytest.raises(InputError, match="must not be given with a cluster"),
        working(cluster="tcp://127.0.0.1:1", executor=Elsewhere()),
    ):
        pass
    with pytest.raises(InputError, match="workers must be one or more; got 0"), working(0):
        pass
