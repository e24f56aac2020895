"""The integer solver of SciPy, without the lines that it prints whatever it is told.

HiGHS repairs a point that misses a row by little, and says so on the standard output of the process, past
every option that silences it. What a command prints there is read by programs.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from typing import Any


def solve_whole(*arguments: Any, **options: Any) -> Any:
    """``scipy.optimize.milp``, silent."""
    from scipy.optimize import milp

    with unprinted():
        return milp(*arguments, **options)


@contextlib.contextmanager
def unprinted() -> Iterator[None]:
    """Drop what compiled code prints; nothing is changed where other threads may be printing.

    Examples
    --------
    >>> with unprinted():
    ...     os.write(1, b"a line of compiled code")
    23
    """
    others = sum(not thread.daemon for thread in threading.enumerate()) > 1  # a bar's thread is a daemon
    if others or sys.platform == "win32":
        yield
        return
    try:
        sys.stdout.flush()
        ours, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    except (OSError, ValueError):  # nothing can be printed
        yield
        return
    flush = ctypes.CDLL(None).fflush
    flush(None)  # what was printed before goes where it belongs
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        flush(None)
        os.dup2(ours, 1)
        os.close(ours)
        os.close(nowhere)
