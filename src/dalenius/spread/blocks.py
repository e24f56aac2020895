"""One way for repeated work: the same function on block after block, each result kept once it is there."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from typing import Literal, TypeVar, overload

from dalenius.errors import InputError, LostBlockError
from dalenius.progress import Progress, silent
from dalenius.spread.parts import Arrays, current_parts
from dalenius.spread.places import current_workers, spread_out, spread_sums
from dalenius.spread.tree import FAN, SumOfTree

B = TypeVar("B")


@overload
def map_blocks(
    function: Callable[[B], Arrays],
    blocks: Sequence[B],
    *,
    work: str | None,
    progress: Progress = ...,
    doing: str = ...,
    spare: Literal[False] = ...,
    workers: int = ...,
) -> Generator[Arrays]: ...
@overload
def map_blocks(
    function: Callable[[B], Arrays],
    blocks: Sequence[B],
    *,
    work: str | None,
    progress: Progress = ...,
    doing: str = ...,
    spare: Literal[True],
    workers: int = ...,
) -> Generator[Arrays | None]: ...
def map_blocks(
    function: Callable[[B], Arrays],
    blocks: Sequence[B],
    *,
    work: str | None,
    progress: Progress = silent,
    doing: str = "",
    spare: bool = False,
    workers: int = 1,
) -> Generator[Arrays | None]:
    """Give the result of each block in order, as arrays by name.

    Parameters
    ----------
    function
        Depends on its block alone: whatever it draws comes from a generator that the block names. Where
        several processes work it is sent to them: a function of a module, or a method of a plain object.
    blocks
        How work is cut must depend on sizes, never on who does it. Each is asked for when its turn comes.
    work
        A name that is the same only for the same work on the same inputs, such as a digest of both; nothing
        is kept without.
    progress, doing
        Told before each block.
    spare
        Give ``None`` for a block whose process is lost again and again, instead of ending with an error; what
        is kept of the others stays then.
    workers
        How many processes, if it was not said around it that there are more.

    Examples
    --------
    >>> import numpy as np
    >>> squares = map_blocks(lambda n: {"square": np.array(n * n)}, [1, 2, 3], work="squares")
    >>> [int(each["square"]) for each in squares]
    [1, 4, 9]
    """
    # there is no half of one block
    parts = current_parts() if work is not None and len(blocks) > 1 else None
    name = work or ""
    there = [parts is not None and parts.has(name, at) for at in range(len(blocks))]
    todo = _Some(blocks, [at for at, kept in enumerate(there) if not kept])
    results = spread_out(function, todo, workers=max(workers, current_workers()), spare=spare)
    with closing(results):  # not when the traceback of an interruption happens to be forgotten
        for at in range(len(blocks)):
            progress(at / len(blocks), doing)
            kept = parts.read(name, at) if parts is not None and there[at] else None
            if kept is not None:
                yield kept
                continue
            # a part that turns out to be damaged is nobody's work yet
            found = function(blocks[at]) if there[at] else next(results)
            if parts is not None and found is None:
                parts.lose()
            elif parts is not None and found is not None:
                parts.keep(name, at, found)
            yield found


def those_done(results: Iterable[Arrays | None]) -> tuple[list[Arrays], int]:
    """What was done of blocks of which any will do, such as walks, and how many were lost.

    Raises
    ------
    LostBlockError
        If all were lost.

    Examples
    --------
    >>> those_done([{}, None, {}])
    ([{}, {}], 1)
    """
    found = list(results)
    done = [each for each in found if each is not None]
    refuse_all_lost(len(found), len(found) - len(done))
    return done, len(found) - len(done)


def refuse_all_lost(blocks: int, lost: int) -> None:
    """Refuse to go on where every block was lost: nothing is known then.

    Raises
    ------
    LostBlockError
        If that is so.
    """
    if blocks and lost == blocks:
        got = f"none of {blocks:,} blocks was done before its process was lost, again and again"
        raise LostBlockError("workers", "must have room in memory", got, "Use fewer; each holds the work.")


def fold_blocks(
    function: Callable[[B], Arrays],
    add: Callable[[Arrays, Arrays], Arrays],
    blocks: Sequence[B],
    *,
    work: str | None = None,
    progress: Progress = silent,
    doing: str = "",
) -> Arrays:
    """Give the sum of the results of all blocks, added up where they are made.

    Neighbours are added first, a few at a time and from left to right, then their sums: a tree whose shape
    depends on the number of blocks alone, so that the bits of the sum do too. On a cluster the workers add
    up neighbours, and only their sums travel here.

    Parameters
    ----------
    function, blocks, progress, doing
        As of `map_blocks`.
    add
        Gives the sum of two results, which it leaves as they are. Sent as the function is.
    work
        As of `map_blocks`, if the results of blocks are to be kept until all is done; they come here then.

    Raises
    ------
    InputError
        If there is no block.

    Examples
    --------
    >>> import numpy as np
    >>> one = lambda n: {"sum": np.array([n])}
    >>> fold_blocks(one, lambda a, b: {"sum": a["sum"] + b["sum"]}, range(100))["sum"].tolist()
    [4950]
    """
    if not len(blocks):
        raise InputError("blocks", "must be some", "none", "There is nothing to add up.")
    total = SumOfTree(add)
    if work is not None and current_parts() is not None:
        for each in map_blocks(function, blocks, work=work, progress=progress, doing=doing):
            total.take(each)
        return total.whole()
    groups = [_Some(blocks, range(at, min(at + FAN, len(blocks)))) for at in range(0, len(blocks), FAN)]
    with closing(spread_sums(function, add, groups, workers=current_workers())) as sums:
        for at in range(len(groups)):
            progress(at / len(groups), doing)
            total.take(next(sums), of_neighbours=True)
    return total.whole()


class _Some(Sequence[B]):
    """Some blocks of a sequence, each asked for when its turn comes: all at once may not fit into memory."""

    def __init__(self, blocks: Sequence[B], which: Sequence[int]) -> None:
        self.blocks, self.which = blocks, which

    def __len__(self) -> int:
        return len(self.which)

    @overload
    def __getitem__(self, at: int) -> B: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[B]: ...
    def __getitem__(self, at: int | slice) -> B | Sequence[B]:
        if isinstance(at, slice):
            return _Some(self.blocks, self.which[at])
        return self.blocks[self.which[at]]
