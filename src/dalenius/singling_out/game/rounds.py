"""Play many rounds, in this process or in several; whoever plays them, the rounds are the same."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from typing import Any, TypeVar

from dalenius.errors import TooLargeError

Round = TypeVar("Round")

REPORTS = 100
"""Times that progress is told, where there are as many rounds."""

MOST_AT_ONCE = 64
"""Rounds between two reports at most."""


def play_rounds(
    play: Callable[[int, int], list[Round]], rounds: int, workers: int, told: Callable[[float], None]
) -> Iterator[Round]:
    """Play in spans, each as soon as a worker is free; they come back in order.

    Parameters
    ----------
    play
        Plays the rounds from one number up to another; sent to the workers if there are several.
    rounds
        How many.
    workers
        Processes that play.
    told
        Told what share is done after each span.

    Raises
    ------
    TooLargeError
        If a worker was ended from outside, as happens when memory runs out.

    Examples
    --------
    >>> list(play_rounds(lambda start, stop: list(range(start, stop)), 5, 1, lambda share: None))
    [0, 1, 2, 3, 4]
    """
    size = max(1, min(MOST_AT_ONCE, rounds // REPORTS))
    spans = [(start, min(start + size, rounds)) for start in range(0, rounds, size)]
    played: Generator[list[Round]] = (play(*span) for span in spans)
    if workers > 1 and len(spans) > 1:
        played = _in_processes(play, spans, min(workers, len(spans)))
    with closing(played):  # not when the traceback of an interruption happens to be forgotten
        for (_, stop), found in zip(spans, played, strict=True):
            yield from found
            told(stop / rounds)


def _in_processes(
    play: Callable[[int, int], list[Round]], spans: list[tuple[int, int]], workers: int
) -> Generator[list[Round]]:
    """Share spans out; whoever stops listening, or presses Ctrl-C, ends the workers at once."""
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, context, initializer=_sit_down, initargs=(play,))
    finished = False
    try:
        # not pool.map, which would cancel what is left: a cancelled future and a worker that was ended make
        # the pool's own thread complain on the screen
        for future in [pool.submit(_play_span, span) for span in spans]:
            yield future.result()
        finished = True
    except BrokenProcessPool as broken:
        rule = "must have room in memory all at once"
        fix = "Use fewer; each holds the population for itself."
        raise TooLargeError("workers", rule, f"{workers}, of which one was ended", fix) from broken
    finally:
        started = set(multiprocessing.active_children()) - others
        pool.shutdown(wait=finished)
        if not finished:
            for worker in started:
                worker.terminate()


_seat: list[Callable[[int, int], list[Any]]] = []
"""What this worker process plays."""


def _sit_down(play: Callable[[int, int], list[Any]]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal tells everybody; who started us ends us
    _seat[:] = [play]


def _play_span(span: tuple[int, int]) -> list[Any]:
    return _seat[0](*span)
