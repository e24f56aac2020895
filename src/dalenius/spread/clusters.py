"""Blocks of work on a Dask cluster: kept under way, in order, and done again where a worker was lost.

Names of tasks are numbers, and what a scheduler would open is packed before it is sent.
"""

from __future__ import annotations

import contextlib
import threading
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from multiprocessing.reduction import ForkingPickler
from typing import Any, TypeVar

from dalenius.errors import LostBlockError, LostWorkersError
from dalenius.spread.shared import DESK, PackedBlock, PackedBlocks
from dalenius.spread.tree import FAN

B = TypeVar("B")
R = TypeVar("R")

AHEAD = 4
"""Blocks a thread of a worker that are under way or wait to be taken."""

SECONDS = 10
"""After which it is looked whether there still is a worker."""

BACK = 60
"""Seconds in which a cluster that lost its last worker must have another: they are started again."""

TRIES = 3
"""How often a large block is sent that was lost with its worker, before it is done alone."""

LARGE = 1_000_000
"""Bytes from which a block goes to its worker by itself: a scheduler opens what stands in a task."""


class Cluster:
    """A connection to a scheduler whose workers are like this machine."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._held: dict[str, Any] = {}

    @property
    def workers(self) -> int:
        """How many blocks are done at once: one by each process, whatever threads it has."""
        return max(len(self.client.nthreads()), 1)

    def run(
        self,
        task: Callable[[B], R],
        blocks: Sequence[B],
        *,
        spare: bool = False,
        names: Mapping[int, str] | None = None,
    ) -> Generator[R | None]:
        """Do every block there, and give the results in order; with ``spare`` nothing for one that is lost.

        What has a name, by its identity, is inside of several blocks and goes once to each worker.

        Raises
        ------
        LostBlockError, LostWorkersError
            If a block ended its worker again and again, or all workers are gone.
        """
        sent = self._send(task)
        held = self._hold(names or {})
        packed: Sequence[Any] = PackedBlocks(blocks, dict(names)) if names else blocks

        def begin(at: int) -> Any:
            if names:
                return self.client.submit(_do_packed, sent, packed[at], held, pure=False)
            return self._begin(sent, blocks[at])

        def jobs() -> Iterator[_Job]:
            for at in range(len(blocks)):
                yield _Job(1, partial(begin, at))

        return self._in_order(jobs(), AHEAD * self.workers, spare)

    def _begin(self, sent: Any, block: Any) -> Any:
        """Have a block done: a large one, which says so by its ``nbytes``, goes to its worker by itself."""
        there = self._place(block) if getattr(block, "nbytes", 0) >= LARGE else block
        return self.client.submit(do_alone, sent, there, pure=False)

    def _place(self, block: Any) -> Any:
        """Put a block where it will be done; whoever has it may be lost with it, and it is sent again then.

        Raises
        ------
        LostWorkersError
            If there is nobody to take it, and nobody comes back.
        """
        for _ in range(max(int(BACK / SECONDS), 1)):
            with contextlib.suppress(TimeoutError, OSError):  # nobody there, or lost while it was sent
                return self.client.scatter(block, hash=False, timeout=SECONDS)
        raise _none_any_more()

    def _send(self, thing: Any) -> Any:
        """Send something that blocks need once to each worker that does one of them.

        As the result of a task, which is made again when all who have it are gone: what is scattered is lost
        with the last of them. Packed, since the scheduler opens what tasks are given, and need not know it.
        """
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sending large graph")  # it is sent once
            return self.client.submit(ForkingPickler.loads, bytes(ForkingPickler.dumps(thing)), pure=False)

    def _hold(self, names: Mapping[int, str]) -> dict[str, Any]:
        """Send what has a name to all workers, if it is not there; what nobody names any more goes."""
        self._held = {name: future for name, future in self._held.items() if DESK.holds(name)}
        for name in names.values():
            if name not in self._held:
                self._held[name] = self._send(DESK.thing(name))
        return {name: self._held[name] for name in names.values()}

    def sums(
        self, task: Callable[[B], R], add: Callable[[R, R], R], groups: Sequence[Sequence[B]]
    ) -> Generator[Any]:
        """Do the blocks of every group there, add up each group where its results are, and give the sums.

        Raises
        ------
        LostBlockError, LostWorkersError
            As of `run`.
        """
        sent, adding = self._send(task), self._send(add)

        def begin(group: Sequence[B]) -> Any:
            terms = [self._begin(sent, block) for block in group]
            return self.client.submit(_add_up, adding, terms, pure=False)

        def jobs() -> Iterator[_Job]:
            for group in groups:
                yield _Job(len(group), partial(begin, group))

        # the next group is under way while the last blocks of one are done and added up
        return self._in_order(jobs(), AHEAD * self.workers + FAN, False)

    def _in_order(self, jobs: Iterator[_Job], most: int, spare: bool) -> Generator[Any]:
        """Give the results of jobs in order, while so many blocks are under way."""
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        waiting: deque[_Job] = deque()
        left = True
        try:
            while waiting or left:
                while left and sum(job.blocks for job in waiting) < most:
                    job = next(jobs, None)
                    left = job is not None
                    waiting.extend([] if job is None else [job.begun()])
                if not waiting:
                    return
                first = waiting[0]
                try:
                    result = self._result(first.future)
                except FutureCancelledError:  # a large block was lost with the worker that it was sent to
                    if self.client.status != "running":
                        raise
                    if first.times < TRIES:
                        first.begun()
                        continue
                    result = self._alone(waiting, spare)
                except KilledWorker:
                    result = self._alone(waiting, spare)
                waiting.popleft()
                yield result
        except FutureCancelledError as lost:
            raise _none_any_more() from lost
        finally:
            if waiting:
                self.client.cancel([job.future for job in waiting])

    def _alone(self, waiting: Sequence[_Job], spare: bool) -> Any:
        """Do the first job once more while no other is under way; nothing, or an error, if it is lost again.

        A scheduler blames every block that a worker held when it was lost, not only the one that it did.
        """
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        for job in waiting:
            self._wait_for(job.future)
        first = waiting[0].begun()
        try:
            return self._result(first.future)
        except (KilledWorker, FutureCancelledError) as lost:
            if spare:
                return None
            rule, got = "must have workers that last", "one that was lost again and again"
            raise LostBlockError("the cluster", rule, got, "Give them more memory.") from lost

    def _result(self, future: Any) -> Any:
        self._wait_for(future)
        return future.result()

    def _wait_for(self, future: Any) -> None:
        """Wait until something is done, as long as there is anybody to do it, or may be soon.

        Raises
        ------
        LostWorkersError
            If all workers are gone, and none came back.
        """
        empty = 0
        while not future.done():
            try:
                future.exception(timeout=SECONDS)
            except TimeoutError:
                empty = 0 if self.client.nthreads() else empty + SECONDS
                if empty >= BACK:
                    raise _none_any_more() from None


def _none_any_more() -> LostWorkersError:
    rule, fix = "must have workers that last", "Start it again; what is done so far is kept."
    return LostWorkersError("the cluster", rule, "none any more", fix)


@dataclass
class _Job:
    """Some blocks, how to have them done, the future that has their result, and how often they were begun."""

    blocks: int
    begin: Callable[[], Any]
    future: Any = None
    times: int = 0

    def begun(self) -> _Job:
        """Have them done, once more if they were before."""
        self.future = self.begin()
        self.times += 1
        return self


_ONE_AT_A_TIME = threading.Lock()
"""Of each process: the solvers inside share state between threads, and two at once may end the process."""


def do_alone(task: Callable[[B], R], block: B) -> R:
    """Do a block while no other is done in this process, whatever threads it has."""
    with _ONE_AT_A_TIME:
        return task(block)


def _do_packed(task: Callable[[Any], Any], block: PackedBlock, held: Mapping[str, Any]) -> Any:
    with _ONE_AT_A_TIME:
        return task(block.unpacked(held.__getitem__))


def _add_up(add: Callable[[Any, Any], Any], terms: Sequence[Any]) -> Any:
    return reduce(add, terms)
