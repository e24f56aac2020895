"""Reaching a Dask scheduler that somebody runs: Slurm, Kubernetes, SSH, or processes of this machine.

Dask sends functions and results as pickles: whoever reaches a scheduler runs code on its workers, and reads
what passes. So a scheduler on another machine must be reached by ``tls://`` with certificates, which are
those of Dask's own configuration (``distributed.comm.tls``). Workers are looked at before anything is sent:
other versions, or another instruction set, may change last digits.
"""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import platform
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from dalenius.errors import InputError, MissingExtraError
from dalenius.shown import several
from dalenius.spread.clusters import Cluster

SECONDS = 10
"""After which a scheduler that does not answer is not there."""

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
