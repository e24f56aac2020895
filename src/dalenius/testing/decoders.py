"""The contract of a decoder: from a linear system to shares, whatever the noise; the system is left alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.errors import UnsupportedError
from dalenius.matrices.operators import HadamardRows, Operator, SparseRows
from dalenius.reconstruction.attack.system.system import Decoding, LinearSystem
from dalenius.testing.attacks import check_repeats
from dalenius.testing.values import require

PEOPLE = 8
SECRET = np.array([1.0, 0, 1, 1, 0, 0, 1, 0])


class Decoder(Protocol):
    """As ``attacks/reconstruction`` has them."""

    def __call__(self, system: LinearSystem, /, *, rng: np.random.Generator) -> Decoding:
        """Return what was found."""
        ...


def check_decoder(decode: Decoder, *, seed: int = 17) -> None:
    """Run every check of a decoder, on small systems: exact, within intervals, noisy.

    The questions are subsets of eight people, and Hadamard queries. It may refuse a system with
    `UnsupportedError`, but not all of them. What it decodes must be shares between 0 and 1, one for each
    unknown; without noise and with more equations than people it must find everybody.

    Raises
    ------
    AssertionError
        If the decoder breaks its contract, with the reason.
    """
    tried = 0
    for name, system in systems(seed):
        for array in (system.centre, system.low, system.high, system.sd, system.prior):
            array.flags.writeable = False  # who writes into it fails here
        try:
            check_repeats(decode, system, seed=seed)
        except UnsupportedError as refused:
            require(str(refused), f"{name}: a refusal must give its reason")
            continue
        tried += 1
        _check_shares(name, decode(system, rng=np.random.default_rng(seed)), exact=system.sharp)
    require(tried, "every system was refused: there is nothing that this decoder decodes")


def _check_shares(name: str, found: Decoding, *, exact: bool) -> None:
    share = found.share
    require(share.shape == (PEOPLE,), f"{name}: one share for each unknown; got shape {share.shape}")
    require(np.isfinite(share).all(), f"{name}: a share is not a number")
    require(((share >= 0) & (share <= 1)).all(), f"{name}: a share is not between 0 and 1")
    require(all(isinstance(note, str) for note in found.notes), f"{name}: notes are text")
    if exact:
        require(
            np.array_equal(share > 0.5, SECRET == 1),
            f"{name}: exact answers with full rank, and not everybody found",
        )


def systems(seed: int) -> Iterator[tuple[str, LinearSystem]]:
    """The systems that decoders are tried on, by name."""
    rng = np.random.default_rng(seed)
    subsets = SparseRows(sparse.csr_array(rng.integers(0, 2, (40, PEOPLE)).astype(np.float64)))
    for asked, rows in (("subsets", subsets), ("hadamard", HadamardRows(PEOPLE))):
        answers = rows.apply(SECRET)
        yield f"{asked}, exact", _system(rows, answers, 0.0, 0.0, "none")
        yield f"{asked}, within 0.4", _system(rows, answers, 0.4, 0.0, "none")
        for shape in ("gaussian", "laplace"):
            noisy = answers + rng.normal(0, 1.0, answers.shape)
            yield f"{asked}, {shape}", _system(rows, noisy, np.inf, 1.0, shape)


def _system(
    rows: Operator, centre: NDArray[np.float64], within: float, sd: float, shape: str
) -> LinearSystem:
    m, one = len(centre), np.ones(PEOPLE, np.int64)
    return LinearSystem(
        A=rows, centre=centre, low=centre - within, high=centre + within, sd=np.full(m, sd), shape=shape,
        sizes=one, least=np.zeros_like(one), most=one.copy(), prior=np.full(PEOPLE, 0.5),
        counting=np.ones(m, np.bool_),
    )  # fmt: skip
