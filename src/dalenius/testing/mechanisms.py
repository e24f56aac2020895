"""The contract of a mechanism: it reads backwards what it publishes, and the truth is in what it reads."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.matrices.answers import Counts, Sensitivity
from dalenius.mechanisms.base import Stage
from dalenius.mechanisms.chain import Mechanism
from dalenius.testing.values import require

Floats = NDArray[np.float64]

DRAWS = 4000
"""Numbers from which the size of noise is measured: its standard deviation is then known to about 1%."""

OFF = 0.1
"""By how much the stated standard deviation of noise may differ from the measured one."""


def check_mechanism(mechanism: Mechanism | Stage, *, seed: int = 17, most: int = 60) -> None:
    """Run every check of a mechanism, or of one stage of your own, on tables of counts up to ``most``.

    What is published has the shape of what was counted, and leaves the counts alone; the same seed gives the
    same numbers, and where ``draws`` says that nothing is drawn so does every other; no number goes further
    than ``moves``; every true count lies in the interval that is read out of the published ones; and where
    noise is stated, its standard deviation is the stated one within a tenth.

    Raises
    ------
    AssertionError
        If the mechanism breaks its contract, with the reason.
    """
    chain = mechanism if isinstance(mechanism, Mechanism) else Mechanism((mechanism,))
    rng = np.random.default_rng(seed)
    for rows, values, tables in ((1, 1, 1), (6, 2, 2), (12, 3, 4)):
        counts = rng.integers(0, most + 1, (rows, values))
        counts[rng.random(counts.shape) < 0.3] //= 10  # small ones too: that is where suppression is
        held = Counts(counts, np.arange(rows) % tables, Sensitivity(2, 2))
        _check_publishing(chain, held, seed)
        _check_reading(chain, held, seed)
    _check_noise(chain, seed, most)


def _check_publishing(chain: Mechanism, held: Counts, seed: int) -> None:
    before = held.values.copy()
    published = chain.protect(held, rng=np.random.default_rng(seed))
    require(published.shape == before.shape, f"{chain}: shape {before.shape} became {published.shape}")
    require(np.array_equal(held.values, before), f"{chain}: the true counts were changed in place")
    again = chain.protect(held, rng=np.random.default_rng(seed))
    require(np.array_equal(published, again, equal_nan=True), f"{chain}: the same seed gave other numbers")
    if not chain.draws:
        other = chain.protect(held, rng=np.random.default_rng(seed + 1))
        require(
            np.array_equal(published, other, equal_nan=True),
            f"{chain}: says that it does not draw, and draws",
        )
    if chain.whole:
        seen = published[~np.isnan(published)]
        require(
            np.array_equal(seen, np.rint(seen)),
            f"{chain}: says that counts stay counts, and publishes others",
        )


def _check_reading(chain: Mechanism, held: Counts, seed: int) -> None:
    published = chain.protect(held, rng=np.random.default_rng(seed))
    read = chain.error(published, held.values.sum(axis=1).astype(np.float64))
    true = held.values
    inside = (read.low <= true) & (true <= read.high)
    require(
        inside.all(),
        f"{chain}: {(~inside).sum()} of {true.size} true counts are outside what is read backwards",
    )
    if read.shape == "none":
        down, up = chain.moves
        gone = published - true
        far = (gone < -down - 1e-9) | (gone > up + 1e-9)
        require(
            not far.any(), f"{chain}: a number went further than its moves ({down:g} down, {up:g} up) say"
        )


def _check_noise(chain: Mechanism, seed: int, most: int) -> None:
    shape, sd = chain.noise
    if shape in ("none", "unknown") or chain.hides:
        return
    true = most + np.arange(DRAWS)[:, None] % most  # all remainders, for what is rounded after
    held = Counts(true, np.arange(DRAWS), Sensitivity(2, 2))
    gone = chain.protect(held, rng=np.random.default_rng(seed)) - true
    measured = float(gone.std())
    require(abs(measured - sd) <= OFF * sd, f"{chain}: noise of {measured:.3g} is drawn, and {sd:.3g} stated")
