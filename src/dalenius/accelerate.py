"""The one door to numba: every compiled kernel of the package is made here, with the same options.

``cache=True`` keeps the machine code between runs; nothing here allows reordering of sums, so a
kernel and its plain twin agree to the last bits that the order of additions leaves. Kernels let go of
the interpreter's lock, so threads of Python share the work: no second thread pool that spins beside BLAS.

In kernels arrays are copied and added number by number: for ``a[:] = b`` and ``a[i] = row`` numba also
compiles the message that shapes differ, three seconds of a core, more than most kernels take themselves.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of numbers and arrays on its first call, and keep the result on disk."""
    import numba

    # nobody calls one from C, so no entry for C is compiled
    options: dict[str, Any] = {"cache": True, "nogil": True, "no_cfunc_wrapper": True}
    compiled: Callable[P, R] = numba.njit(**options)(function)
    return compiled


def intrinsic(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let kernels call a function that is written in LLVM's language."""
    import numba.extending

    wrapped: Callable[..., Any] = numba.extending.intrinsic(function)
    return wrapped


def no_value(*arguments: Any) -> Any:
    """The type of an intrinsic with these types of arguments that returns nothing."""
    import numba

    return numba.types.void(*arguments)


@cache
def has_avx2() -> bool:
    """Whether kernels may use AVX2 instructions: the machine has them, and numba was not told otherwise."""
    import numba
    from llvmlite import binding

    told = getattr(numba.config, "CPU_NAME", None) or getattr(numba.config, "CPU_FEATURES", None)
    return told is None and bool(binding.get_host_cpu_features().get("avx2"))


def share_out(function: Callable[[int, int], object], size: int, *, threads: int) -> None:
    """Call ``function(start, stop)`` on consecutive parts of ``range(size)``, one part a thread.

    Examples
    --------
    >>> share_out(lambda start, stop: print(start, stop), 10, threads=1)
    0 10
    """
    if threads <= 1:
        function(0, size)
        return
    edges = [size * i // threads for i in range(threads + 1)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(function, edges[:-1], edges[1:]))


def in_order(function: Callable[[int, int], R], size: int, *, span: int, threads: int) -> Iterator[R]:
    """Yield ``function(start, stop)`` of consecutive spans of ``range(size)``, in their order.

    The cuts depend on the size alone: whatever is added up over them has the same bits with any number of
    threads. At most two spans a thread are under way or wait to be taken.

    Examples
    --------
    >>> list(in_order(lambda start, stop: stop - start, 10, span=4, threads=2))
    [4, 4, 2]
    """
    spans = [(start, min(start + span, size)) for start in range(0, size, span)]
    if threads <= 1 or len(spans) == 1:
        yield from (function(*each) for each in spans)
        return
    with ThreadPoolExecutor(threads) as pool:
        for first in range(0, len(spans), 2 * threads):
            yield from pool.map(function, *zip(*spans[first : first + 2 * threads], strict=True))


@cache
def _controller() -> Any:
    """What sets the threads of BLAS; finding the libraries takes longer than a small attack."""
    import scipy.linalg  # noqa: F401 - brings a BLAS of its own, which has to be there to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def one_blas_thread() -> AbstractContextManager[Any]:
    """Let products of matrices stay in this thread: of small ones more threads would only spin."""
    limited: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limited


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
