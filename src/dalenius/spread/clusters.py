"""Blocks of work on a Dask cluster that somebody runs: Slurm, Kubernetes, SSH, or processes of this machine.

Dask sends functions and results as pickles: whoever reaches a scheduler runs code on its workers, and reads
what passes. So a scheduler on another machine must be reached by ``tls://`` with certificates, which are
those of Dask's own configuration (``distributed.comm.tls``). Workers are looked at before anything is sent:
other versions, or another instruction set, may change last digits. Names of tasks are numbers.
"""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import platform
import threading
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from multiprocessing.reduction import ForkingPickler
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

BACK = 60
"""Seconds in which a cluster that lost its last worker must have another: they are started again."""

INSTRUCTIONS = "instruction set"

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
        INSTRUCTIONS: "AVX2" if has_avx2() else "plain",
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
        sent = self._send(task)
        held = self._hold(names or {})
        packed: Sequence[Any] = PackedBlocks(blocks, dict(names)) if names else blocks

        def jobs() -> Iterator[_Job]:
            for at in range(len(blocks)):
                what = (_do_packed, sent, packed[at], held) if names else (do_alone, sent, blocks[at])
                yield _Job(1, partial(self.client.submit, *what, pure=False))

        return self._in_order(jobs(), AHEAD * self.workers, spare)

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
            terms = [self.client.submit(do_alone, sent, block, pure=False) for block in group]
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
                try:
                    result = self._result(waiting[0].future)
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

        for job in waiting:
            self._wait_for(job.future)
        first = waiting[0].begun()
        try:
            return self._result(first.future)
        except KilledWorker as lost:
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
    """Some blocks, how to have them done, and the future that has their result."""

    blocks: int
    begin: Callable[[], Any]
    future: Any = None

    def begun(self) -> _Job:
        """Have them done, once more if they were before."""
        self.future = self.begin()
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
        stack.enter_context(_unsaid())
        try:
            client = stack.enter_context(
                Client(str(address), timeout=SECONDS, security=security, set_as_default=False)
            )
        except (OSError, TimeoutError, ValueError, TypeError, RuntimeError) as error:
            raise InputError(
                "--cluster", "must be a scheduler that answers", f"none ({type(error).__name__})", _CHECK
            ) from None
        _check_scheduler(client)
        _check_workers(client)
        yield Cluster(client)


@contextlib.contextmanager
def _unsaid() -> Iterator[None]:
    """Keep Dask from writing on the screen whom it lost, or who is unlike: that is said in our words."""
    logger = logging.getLogger("distributed.client")
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            for message in ("Mismatched versions", "Sending large graph"):
                warnings.filterwarnings("ignore", message=message)
            yield
    finally:
        logger.setLevel(before)


_CHECK = "Is it running, may this machine reach it, and do the certificates belong together?"


def _security(address: ClusterAddress) -> Any:
    from distributed.security import Security

    if address.scheme == "tcp":
        return None
    found = Security(require_encryption=True)
    if not (found.tls_ca_file and found.tls_client_cert and found.tls_client_key):
        raise InputError("--cluster", "must have certificates for tls://", "none", _CERTIFICATES)
    return found


def _check_scheduler(client: Any) -> None:
    """Refuse a scheduler that cannot open what it hands on; its processor does not matter."""
    try:
        told: dict[str, str] = client.run_on_scheduler(versions)
    except Exception as error:
        raise _not_installed("a scheduler", error) from None
    own = versions()
    odd = [name for name in own if name != INSTRUCTIONS and told.get(name) != own[name]]
    if odd:
        raise _unlike("a scheduler", f"one with another {' and another '.join(sorted(odd))}")


def _check_workers(client: Any) -> None:
    """Refuse a cluster whose results may differ from ours."""
    try:
        told: dict[str, dict[str, str]] = client.run(versions)
    except Exception as error:
        raise _not_installed("workers", error) from None
    if not told:
        raise InputError("--cluster", "must have workers", "none", "Start some, then begin again.")
    own = versions()
    odd = sorted({name for one in told.values() for name in own if one.get(name) != own[name]})
    if odd:
        count = sum(any(one.get(name) != own[name] for name in odd) for one in told.values())
        raise _unlike("workers", f"{several(count, 'worker')} with another {' and another '.join(odd)}")


def _not_installed(who: str, error: Exception) -> InputError:
    fix = "Install the same version there."
    return InputError("--cluster", f"must have {who} that can import dalenius", type(error).__name__, fix)


def _unlike(who: str, got: str) -> InputError:
    fix = "Results may differ in their last digits: use one environment everywhere."
    return InputError("--cluster", f"must have {who} with the versions of this machine", got, fix)
