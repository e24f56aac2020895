"""Blocks of work by an executor of somebody else: MPI, Ray, or the processes that a program has already."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import TypeVar

from dalenius.errors import LostWorkersError
from dalenius.spread.clusters import AHEAD, do_alone

B = TypeVar("B")
R = TypeVar("R")


def in_executor(
    executor: Executor, task: Callable[[B], R], blocks: Sequence[B], *, workers: int
) -> Generator[R]:
    """Have every block done, and give the results in order; the executor is never shut down here.

    Parameters
    ----------
    executor
        Its workers can import the package.
    task, blocks
        Both sent with every block: an executor has no way to hold what they share.
    workers
        How many blocks are done at once: executors do not say.

    Raises
    ------
    LostWorkersError
        If the executor lost a worker: it takes no block any more.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as threads:
    ...     list(in_executor(threads, abs, [-1, 2, -3], workers=2))
    [1, 2, 3]
    """
    waiting: deque[Future[R]] = deque()
    left = iter(range(len(blocks)))
    try:
        while True:
            while len(waiting) < AHEAD * workers and (at := next(left, None)) is not None:
                waiting.append(executor.submit(do_alone, task, blocks[at]))
            if not waiting:
                return
            yield waiting[0].result()
            waiting.popleft()
    except Exception as lost:
        if not _is_loss(lost):
            raise
        rule, fix = "must have workers that last", "Give them more memory; what is done so far is kept."
        raise LostWorkersError("the executor", rule, "one that lost some", fix) from lost
    finally:
        for each in waiting:
            each.cancel()


def _is_loss(error: Exception) -> bool:
    """Whether an executor says that workers are gone, Dask in words of its own."""
    if isinstance(error, BrokenExecutor):
        return True
    if type(error).__module__.partition(".")[0] != "distributed":
        return False  # which is not loaded for others
    from distributed import KilledWorker

    return isinstance(error, KilledWorker)
