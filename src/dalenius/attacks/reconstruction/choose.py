"""Which decoder for which system, and why: the rule behind ``auto``."""

from __future__ import annotations

from collections.abc import Callable

from dalenius.attacks.reconstruction import box, exhaustive, hadamard, least_squares, lp, posterior
from dalenius.attacks.reconstruction.system import Decoding, LinearSystem
from dalenius.errors import InputError, nearest

DECODERS: dict[str, Callable[..., Decoding]] = {
    "exhaustive": exhaustive.decode,
    "hadamard": hadamard.decode,
    "least-squares": least_squares.decode,
    "box": box.decode,
    "lp": lp.decode,
    "posterior": posterior.decode,
}

QUICK_LOG2 = 18.0
"""Secret vectors that are tried without being asked, as a power of two: a second or two."""

QUICK_HADAMARD = 2_000
"""People up to which the intervals of rounded Hadamard answers are used, and not only their middles."""

QUICK_ENTRIES = 100_000_000
"""Matrix entries that are written out without being asked: 1.2 GB."""


def check_decoder(name: str) -> str:
    """Refuse an unknown decoder, naming the nearest known one."""
    known = [*DECODERS, "auto"]
    if name not in known:
        raise InputError(f"decoder {name!r}", "must be a known one", name, nearest(name, known))
    return name


def choose(system: LinearSystem) -> tuple[str, str]:
    """Name the decoder for a system, and the reason in words."""
    n, m = system.unknowns, system.A.shape[0]
    if hadamard.applies(system) and (n > QUICK_HADAMARD or not system.sharp):
        return "hadamard", "the queries are the rows of a Hadamard matrix: one fast transform"
    if exhaustive.log2_vectors(system) <= QUICK_LOG2 and system.shape in {"none", "gaussian"}:
        return "exhaustive", f"{n} open unknowns: every secret vector can be tried"
    if posterior.applies(system) and m * n <= QUICK_ENTRIES:
        return "posterior", f"{n:,} open unknowns: each one's probability can be computed"
    if m * n <= QUICK_ENTRIES:
        return "box", f"{n:,} open unknowns are too many for the posterior; possible secrets only"
    return "least-squares", f"{m:,} x {n:,} answers and unknowns: the matrix is never written out"
