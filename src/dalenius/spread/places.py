"""Where blocks of work are done: here, in processes of this machine, on a cluster, or by an executor.

Whoever does them, results come back in the order of the blocks and are the same: how work is cut and what it
draws depends on the blocks alone. At most a few blocks a process are under way, so that a million of them can
be planned. A process that is lost (killed, or out of memory) is replaced, and its blocks are done again.
"""

from __future__ import annotations

import bisect
import contextlib
import functools
import itertools
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextvars import ContextVar
from types import FunctionType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from dalenius.errors import InputError, LostBlockError

if TYPE_CHECKING:
    from dalenius.spread.clusters import Cluster
    from dalenius.spread.shared import Where

B = TypeVar("B")
R = TypeVar("R")

AHEAD = 4
"""Blocks a process that are under way or wait to be taken."""

TRIES = 3
"""How often a block is tried whose process was lost."""

_workers: ContextVar[int] = ContextVar("workers", default=1)
_cluster: ContextVar[Cluster | None] = ContextVar("cluster", default=None)
_executor: ContextVar[Executor | None] = ContextVar("executor", default=None)
_idle: ContextVar[_Idle | None] = ContextVar("idle", default=None)


@contextlib.contextmanager
def working(workers: int = 1, cluster: str | None = None, executor: Executor | None = None) -> Iterator[None]:
    """Let others do within the block what can be cut into independent parts; all results are the same.

    Parameters
    ----------
    workers
        Processes of this machine; with an executor, how many parts it does at once.
    cluster
        Address of a Dask scheduler, ``tls://host:8786``, whose workers do it instead.
    executor
        Whatever has ``submit``, such as that of MPI, whose workers can import the package; it stays open, and
        what it sends is for its owner to protect.

    Raises
    ------
    InputError
        If there is a cluster beside processes or an executor, or it cannot be used.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as mine, working(2, executor=mine):
    ...     list(spread_out(len, ["ab", "c"], workers=2))
    [2, 1]
    """
    if workers < 1:
        raise InputError("workers", "must be one or more", f"{workers}")
    if executor is not None and not callable(getattr(executor, "submit", None)):
        given = type(executor).__name__
        raise InputError("executor", "must have submit, as those of concurrent.futures have", given)
    if cluster is not None and executor is not None:
        raise InputError("executor", "must not be given with a cluster", "both", "Choose one of them.")
    if cluster is not None and workers > 1:
        raise InputError("--workers", "must not be given with --cluster", "both", "A cluster has its own.")
    with contextlib.ExitStack() as stack:
        joined = None
        if cluster is not None:
            from dalenius.spread.connecting import connected

            joined = stack.enter_context(connected(cluster))
        idle = _Idle()
        stack.callback(idle.end)
        before = _workers.set(workers), _cluster.set(joined), _idle.set(idle), _executor.set(executor)
        try:
            yield
        finally:
            _workers.reset(before[0])
            _cluster.reset(before[1])
            _idle.reset(before[2])
            _executor.reset(before[3])
            if workers > 1 or joined is not None:
                from dalenius.spread.shared import DESK

                DESK.forget()


def current_workers() -> int:
    """How many processes do blocks now."""
    return _workers.get()


def side_by_side() -> int:
    """How many blocks are done at once now, here or on a cluster."""
    cluster = _cluster.get()
    return _workers.get() if cluster is None else cluster.workers


def is_shared() -> bool:
    """Whether anybody but this process does blocks now."""
    return _workers.get() > 1 or _cluster.get() is not None or _executor.get() is not None


@overload
def spread_out(
    task: Callable[[B], R],
    blocks: Sequence[B],
    *,
    workers: int,
    spare: Literal[False] = ...,
    shared: Sequence[object] = ...,
) -> Generator[R]: ...
@overload
def spread_out(
    task: Callable[[B], R],
    blocks: Sequence[B],
    *,
    workers: int,
    spare: bool,
    shared: Sequence[object] = ...,
) -> Generator[R | None]: ...
def spread_out(
    task: Callable[[B], R],
    blocks: Sequence[B],
    *,
    workers: int,
    spare: bool = False,
    shared: Sequence[object] = (),
) -> Generator[R | None]:
    """Do every block, and give the results in order.

    Parameters
    ----------
    task
        Sent to every process or worker of a cluster once, if there are several.
    blocks
        Sent one by one.
    workers
        How many processes; one is this one.
    spare
        Give ``None`` for a block that lost its process `TRIES` times, the last time alone, and go on.
    shared
        Things inside of blocks, each as often as it occurs: what occurs twice, or did before, is sent once
        to each process or worker.

    Raises
    ------
    LostBlockError
        If a block lost its process `TRIES` times, as happens when memory runs out.

    Examples
    --------
    >>> list(spread_out(len, ["ab", "c"], workers=1))
    [2, 1]
    """
    cluster, executor = _cluster.get(), _executor.get()
    if len(blocks) <= 1 or (cluster is None and executor is None and workers <= 1):
        yield from (task(block) for block in blocks)
        return
    if executor is not None:
        from dalenius.spread.executors import in_executor

        with contextlib.closing(in_executor(executor, task, blocks, workers=workers)) as given:
            yield from given
        return
    from dalenius.spread.shared import DESK, PackedBlocks

    with contextlib.ExitStack() as stack:
        names: dict[int, str] = {}
        if shared:
            names = stack.enter_context(DESK.holding(shared))
        if cluster is not None:
            results = cluster.run(task, blocks, spare=spare, names=names)
        else:
            packed: Sequence[Any] = PackedBlocks(blocks, names) if names else blocks
            results = _in_processes(task, packed, min(workers, len(blocks)), spare)
        yield from stack.enter_context(contextlib.closing(results))


def spread_sums(
    task: Callable[[B], R], add: Callable[[R, R], R], groups: Sequence[Sequence[B]], *, workers: int
) -> Generator[R]:
    """Do the blocks of every group, and give the sum of each in order, added from left to right.

    On a cluster its workers add up; results of processes come here anyway.

    Examples
    --------
    >>> from operator import add
    >>> list(spread_sums(abs, add, [[1, -2], [3]], workers=1))
    [3, 3]
    """
    cluster = _cluster.get()
    if cluster is not None and sum(len(group) for group in groups) > 1:
        with contextlib.closing(cluster.sums(task, add, groups)) as sums:
            yield from sums
        return
    with contextlib.closing(spread_out(task, Chained(groups), workers=workers)) as results:
        for group in groups:
            yield functools.reduce(add, itertools.islice(results, len(group)))


class Chained(Sequence[B]):
    """The blocks of all groups, each asked for when its turn comes."""

    def __init__(self, groups: Sequence[Sequence[B]]) -> None:
        self.groups = groups
        self.starts = [0, *itertools.accumulate(len(group) for group in groups)]

    def __len__(self) -> int:
        return self.starts[-1]

    @overload
    def __getitem__(self, at: int) -> B: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[B]: ...
    def __getitem__(self, at: int | slice) -> B | Sequence[B]:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(len(self)))]
        group = bisect.bisect_right(self.starts, at) - 1
        return self.groups[group][at - self.starts[group]]


def _in_processes(
    task: Callable[[B], R], blocks: Sequence[B], workers: int, spare: bool
) -> Generator[R | None]:
    """Keep some blocks under way; whoever stops listening, or presses Ctrl-C, ends the processes at once."""
    idle = _idle.get() or _Idle()
    pool, lost, next_, given = idle.take(task, workers), 0, 0, False
    waiting: deque[tuple[B, Future[R]]] = deque()
    try:
        while waiting or next_ < len(blocks):
            while next_ < len(blocks) and len(waiting) < AHEAD * workers:
                waiting.append((blocks[next_], pool.submit(blocks[next_])))
                next_ += 1
            try:
                result = waiting[0][1].result()
            except BrokenProcessPool as broken:
                lost += 1
                if lost >= TRIES - 1:
                    pool.end(wait=False)
                    for each in _one_by_one(task, [block for block, _ in waiting]):
                        if each is None and not spare:
                            raise _no_room(workers) from broken
                        yield each
                    waiting.clear()
                    pool, lost = _Pool(task, workers), 0
                    continue
                pool.end(wait=False)
                pool = _Pool(task, workers)
                waiting = deque((block, pool.submit(block)) for block, _ in waiting)
                continue
            waiting.popleft()
            lost = 0
            if not waiting and next_ == len(blocks):
                given = True  # now: whoever has the last result may not come back for more
                idle.give(pool)
            yield result
    finally:
        if not given:
            pool.end(wait=False)


def _no_room(workers: int) -> LostBlockError:
    rule, got = "must have room in memory all at once", f"{workers}, of which one was ended {TRIES} times"
    return LostBlockError("workers", rule, got, "Use fewer; each holds the work.")


def _one_by_one(task: Callable[[B], R], blocks: Sequence[B]) -> Generator[R | None]:
    """Do blocks that were under way when processes were lost: whoever is lost alone is the one to blame."""
    pool = _Pool(task, 1)
    try:
        for block in blocks:
            try:
                result: R | None = pool.submit(block).result()
            except BrokenProcessPool:
                result = None
                pool.end(wait=False)
                pool = _Pool(task, 1)
            yield result
    finally:
        pool.end(wait=False)


class _Pool:
    """Processes that do blocks of one task."""

    def __init__(self, task: Callable[[Any], Any], workers: int) -> None:
        from dalenius.spread.shared import DESK

        self.task, self.workers = task, workers
        self.others = set(multiprocessing.active_children())
        context = multiprocessing.get_context("spawn")
        where = DESK.where()
        self.pool = ProcessPoolExecutor(workers, context, initializer=_sit_down, initargs=(task, where))

    def submit(self, block: Any) -> Future[Any]:
        """Have a block done; where a process was lost already, its result says so."""
        try:
            return self.pool.submit(_do, block)
        except BrokenProcessPool as broken:
            failed: Future[Any] = Future()
            failed.set_exception(broken)
            return failed

    def end(self, *, wait: bool) -> None:
        """End the processes, at once or when they are done.

        What is left is not cancelled: a cancelled future and a process that was ended make the pool's own
        thread complain on the screen.
        """
        started = set(multiprocessing.active_children()) - self.others
        self.pool.shutdown(wait=wait)
        for worker in [] if wait else started:
            worker.terminate()


class _Idle:
    """Processes that did their blocks and wait for more of the same: starting them takes seconds.

    Only those of a plain function are kept, which holds nothing: a task that does would stay in memory.
    """

    pool: _Pool | None = None

    def take(self, task: Callable[[Any], Any], workers: int) -> _Pool:
        """Processes for a task: those that wait for it, or new ones; those that wait for another go."""
        pool, self.pool = self.pool, None
        if pool is not None and pool.task is task and pool.workers >= workers:
            return pool
        if pool is not None:
            pool.end(wait=True)
        return _Pool(task, max(workers, current_workers()) if isinstance(task, FunctionType) else workers)

    def give(self, pool: _Pool) -> None:
        """Take processes back that are done."""
        if _idle.get() is self and isinstance(pool.task, FunctionType):
            self.end()
            self.pool = pool
        else:
            pool.end(wait=True)

    def end(self) -> None:
        """Let those go that wait."""
        if self.pool is not None:
            self.pool.end(wait=True)
            self.pool = None


_seat: list[Callable[[Any], Any]] = []
"""What this process does with blocks, and what it was handed that many of them hold."""


def _sit_down(task: Callable[[Any], Any], where: Where) -> None:
    from dalenius.spread.shared import HeldShared, ask

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal tells everybody; who started us ends us
    threading.Thread(target=_leave_with, args=(multiprocessing.parent_process(),), daemon=True).start()
    _seat[:] = [task, HeldShared(functools.partial(ask, where))]


def _leave_with(parent: Any) -> None:
    """End when the process is gone that started this one: if it was killed, nobody else ends us."""
    parent.join()
    os._exit(1)


def _do(block: Any) -> Any:
    from dalenius.spread.shared import PackedBlock

    task, held = _seat
    return task(block.unpacked(held) if isinstance(block, PackedBlock) else block)
