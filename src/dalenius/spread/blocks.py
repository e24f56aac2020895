"""One way for repeated work: the same function on block after block, each result kept once it is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import TypeVar

from dalenius.progress import Progress, silent
from dalenius.spread.parts import Arrays, current_parts
from dalenius.spread.places import current_workers, spread_out

B = TypeVar("B")


def map_blocks(
    function: Callable[[B], Arrays],
    blocks: Sequence[B],
    *,
    work: str,
    progress: Progress = silent,
    doing: str = "",
) -> Iterator[Arrays]:
    """Give the result of each block in order, as arrays by name.

    Parameters
    ----------
    function
        Depends on its block alone: whatever it draws comes from a generator that the block names. Where
        several processes work it is sent to them: a function of a module, or a method of a plain object.
    blocks
        How work is cut must depend on sizes, never on who does it.
    work
        A name that is the same only for the same work on the same inputs, such as a digest of both.
    progress, doing
        Told before each block.

    Examples
    --------
    >>> import numpy as np
    >>> squares = map_blocks(lambda n: {"square": np.array(n * n)}, [1, 2, 3], work="squares")
    >>> [int(each["square"]) for each in squares]
    [1, 4, 9]
    """
    parts = current_parts() if len(blocks) > 1 else None  # there is no half of one block
    there = [parts is not None and parts.has(work, at) for at in range(len(blocks))]
    todo = [block for block, kept in zip(blocks, there, strict=True) if not kept]
    results = spread_out(function, todo, workers=current_workers())
    with closing(results):  # not when the traceback of an interruption happens to be forgotten
        for at, block in enumerate(blocks):
            progress(at / len(blocks), doing)
            kept = parts.read(work, at) if parts is not None and there[at] else None
            if kept is not None:
                yield kept
                continue
            # a part that turns out to be damaged is nobody's work yet
            found = function(block) if there[at] else next(results)
            if parts is not None:
                parts.keep(work, at, found)
            yield found
