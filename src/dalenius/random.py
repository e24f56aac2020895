"""Named streams of randomness from one seed.

Each purpose (the noise of a release, an attack, the deal of a control group) draws from a stream of its
own, named by words. The streams are separate roots, never children of one generator: a spawned
numpy generator exposes its parent's entropy, and an attack that held such a child could replay the
noise of the release it attacks.
"""

from __future__ import annotations

import hashlib

import numpy as np

from dalenius.errors import InputError


def stream(seed: int, *names: str | int) -> np.random.Generator:
    """Return the generator of one named purpose.

    Parameters
    ----------
    seed
        The plan's seed, a whole number that is not negative.
    names
        What the randomness is for; different names give independent streams.

    Examples
    --------
    >>> a = stream(1, "noise", "exact"); b = stream(1, "attack", "exact")
    >>> a.integers(1000) == stream(1, "noise", "exact").integers(1000)
    np.True_
    >>> a.integers(1000) == b.integers(1000)
    np.False_
    """
    if seed < 0:
        raise InputError("seed", "must be a whole number, 0 or more", str(seed), "Use for example 1.")
    words = "\x1f".join([str(seed), *map(str, names)])
    digest = hashlib.sha256(words.encode()).digest()
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(int.from_bytes(digest))))
