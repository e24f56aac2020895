"""Runs of a simulation, shared by whoever does blocks of work now: the same outcome whoever does them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import TypeVar

from dalenius.accelerate import one_blas_thread
from dalenius.papers.settings import Settings
from dalenius.spread.by_value import ByValue
from dalenius.spread.places import current_workers, spread_out

T = TypeVar("T")

SPANS = 64
"""Runs are sent in so many pieces at most: some are done in a millisecond."""


def each_run(
    settings: Settings, name: str, one: Callable[[int], T], done: tuple[float, float]
) -> tuple[T, ...]:
    """Do every run of a simulation, as many as are set; in order.

    Parameters
    ----------
    settings
        Says how many, and is told how far the work is.
    name
        What is simulated.
    one
        Does the run with a number, and depends on that alone.
    done
        Share of all work that is done before and after.
    """
    sent, width = ByValue(one), -(-settings.runs // SPANS)
    spans = [range(first, min(first + width, settings.runs)) for first in range(0, settings.runs, width)]
    blocks, found = [(sent, span) for span in spans], list[T]()
    shared = [sent] * len(blocks)
    with closing(spread_out(run_some, blocks, workers=current_workers(), shared=shared)) as results:
        for at in range(len(spans)):
            settings.progress(done[0] + (done[1] - done[0]) * at / len(spans), name)
            found += next(results)
    return tuple(found)


def run_some(block: tuple[ByValue[Callable[[int], T]], range]) -> list[T]:
    """Do some of the runs; matrices are small, and threads would only get in each other's way."""
    sent, numbers = block
    with one_blas_thread():
        return [sent.value(number) for number in numbers]
