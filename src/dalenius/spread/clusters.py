"""Blocks of work on a Dask cluster that somebody runs: Slurm, Kubernetes, SSH, or processes of this machine.

Dask sends functions and results as pickles: whoever reaches a scheduler runs code on its workers, and reads
what passes. So a scheduler on another machine must be reached by ``tls://`` with certificates, which are
those of Dask's own configuration (``distributed.comm.tls``). Workers are looked at before anything is sent:
other versions, or another instruction set, may change last digits. Names of tasks are numbers.
"""

from __future__ import annotations

import contextlib
import ipaddress
import platform
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeVar
from urllib.parse import urlsplit

from dalenius.errors import InputError, LostBlockError, LostWorkersError, MissingExtraError
from dalenius.shown import several
from dalenius.spread.shared import DESK, PackedBlock, PackedBlocks
from dalenius.spread.tree import FAN

B = TypeVar("B")
R = TypeVar("R")

AHEAD = 4
"""Blocks a thread of a worker that are under way or wait to be taken."""

SECONDS = 10
"""After which a scheduler that does not answer is not there."""

_CERTIFICATES = "Set distributed.comm.tls in Dask's configuration (ca-file, client.cert, client.key)."


@dataclass(frozen=True)
class ClusterAddress:
    """Where a scheduler listens, looked at before anybody connects.

    Examples
    --------
    >>> ClusterAddress.of("tcp://127.0.0.1:8786")
    ClusterAddress(scheme='tcp', host='127.0.0.1', port=8786)
    """

    scheme: str
    host: str
    port: int

    @staticmethod
    def of(text: str) -> ClusterAddress:
        """Read ``tls://host:8786``; without encryption only on this machine.

        Raises
        ------
        InputError
            For anything else, for a password in it, and for another machine without ``tls``.
        """
        example = "Write tls://scheduler:8786, or tcp://127.0.0.1:8786 on this machine."
        try:
            parts = urlsplit(text)
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port, parts = None, None, urlsplit("")
        if parts.username or parts.password:
            raise InputError("--cluster", "must be an address without a name or password", "one", example)
        if parts.scheme not in ("tls", "tcp") or not host or port is None or parts.path.strip("/"):
            raise InputError("--cluster", "must be the address of a scheduler", "another text", example)
        if parts.scheme == "tcp" and not _here(host):
            raise InputError(
                "--cluster",
                "must be tls:// on another machine",
                "tcp://",
                f"Whoever reaches a scheduler reads and runs what passes. {_CERTIFICATES}",
            )
        return ClusterAddress(parts.scheme, host, port)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


def _here(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def versions() -> dict[str, str]:
    """What results may depend on: versions, and what the processor can do."""
    import numba
    import numpy
    import scipy

    import dalenius
    from dalenius.accelerate import has_avx2

    modules: tuple[Any, ...] = (dalenius, numba, numpy, scipy)
    return {
        "Python": platform.python_version(),
        "instruction set": "AVX2" if has_avx2() else "plain",
        **{module.__name__: module.__version__ for module in modules},
    }


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
        sent = self.client.scatter(task, broadcast=True, hash=False)
        held = self._hold(names or {})
        packed: Sequence[Any] = PackedBlocks(blocks, dict(names)) if names else blocks

        def jobs() -> Iterator[_Job]:
            for at in range(len(blocks)):
                what = (_do_packed, sent, packed[at], held) if names else (do_alone, sent, blocks[at])
                yield _Job(1, self.client.submit(*what, pure=False))

        return self._in_order(jobs(), AHEAD * self.workers, spare)

    def _hold(self, names: Mapping[int, str]) -> dict[str, Any]:
        """Send what has a name to all workers, if it is not there; what nobody names any more goes."""
        self._held = {name: future for name, future in self._held.items() if DESK.holds(name)}
        for name in names.values():
            if name not in self._held:
                self._held[name] = self.client.scatter([DESK.thing(name)], broadcast=True, hash=False)[0]
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
        sent, adding = (self.client.scatter(each, broadcast=True, hash=False) for each in (task, add))

        def jobs() -> Iterator[_Job]:
            for group in groups:
                terms = [self.client.submit(do_alone, sent, block, pure=False) for block in group]
                yield _Job(len(terms), self.client.submit(_add_up, adding, terms, pure=False))

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
                    waiting.extend([] if job is None else [job])
                if not waiting:
                    return
                try:
                    yield waiting[0].future.result()
                except (KilledWorker, FutureCancelledError) as lost:
                    if spare and isinstance(lost, KilledWorker):
                        waiting.popleft()
                        yield None
                        continue
                    rule, fix = "must have workers that last", "Give them more memory."
                    if isinstance(lost, KilledWorker):
                        got = "one that was lost again and again"
                        raise LostBlockError("the cluster", rule, got, fix) from lost
                    fix = "Start it again; what is done so far is kept."
                    raise LostWorkersError("the cluster", rule, "none any more", fix) from lost
                waiting.popleft()
        finally:
            if waiting:
                self.client.cancel([job.future for job in waiting])


@dataclass(frozen=True)
class _Job:
    """Some blocks under way, and the future that has their result."""

    blocks: int
    future: Any


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


@contextlib.contextmanager
def connected(text: str) -> Iterator[Cluster]:
    """Connect to the scheduler at an address, and let it go.

    Raises
    ------
    InputError
        If the address is none that may be used, nobody answers, there are no workers, or they are unlike
        this machine: nothing was sent then.
    """
    address = ClusterAddress.of(text)
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtraError("work on a cluster", "distributed", "cluster") from None
    security = _security(address)
    with contextlib.ExitStack() as stack:
        try:
            client = stack.enter_context(
                Client(str(address), timeout=SECONDS, security=security, set_as_default=False)
            )
        except (OSError, TimeoutError, ValueError, TypeError, RuntimeError) as error:
            raise InputError(
                "--cluster", "must be a scheduler that answers", f"none ({type(error).__name__})", _CHECK
            ) from None
        _check_workers(client)
        yield Cluster(client)


_CHECK = "Is it running, may this machine reach it, and do the certificates belong together?"


def _security(address: ClusterAddress) -> Any:
    from distributed.security import Security

    if address.scheme == "tcp":
        return None
    found = Security(require_encryption=True)
    if not (found.tls_ca_file and found.tls_client_cert and found.tls_client_key):
        raise InputError("--cluster", "must have certificates for tls://", "none", _CERTIFICATES)
    return found


def _check_workers(client: Any) -> None:
    """Refuse a cluster whose results may differ from ours."""
    try:
        told: dict[str, dict[str, str]] = client.run(versions)
    except Exception as error:
        raise InputError(
            "--cluster",
            "must have workers that can import dalenius",
            type(error).__name__,
            "Install the same version there.",
        ) from None
    if not told:
        raise InputError("--cluster", "must have workers", "none", "Start some, then begin again.")
    own = versions()
    odd = sorted({name for one in told.values() for name in own if one.get(name) != own[name]})
    if odd:
        count = sum(any(one.get(name) != own[name] for name in odd) for one in told.values())
        raise InputError(
            "--cluster",
            "must have workers with the versions of this machine",
            f"{several(count, 'worker')} with another {' and another '.join(odd)}",
            "Results may differ in their last digits: use one environment everywhere.",
        )
