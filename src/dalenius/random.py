"""Named streams of randomness, and what keeps an attack from drawing somebody else's again.

Each purpose (the noise of a release, the deal of a control group) draws from a stream of its own, named by
words and made of the plan's seed. Seeds are small and often public, so whoever guesses one has all its
streams. Two things keep that from an attack. Its own generator comes from `attack_stream`, which knows no
seed: there is nothing in it to find. And whatever protects people is drawn from a generator that was
`sealed` with a digest of their data: the seed alone does not give it.
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
    >>> a = stream(1, "noise", "exact"); b = stream(1, "deal", "exact")
    >>> a.integers(1000) == stream(1, "noise", "exact").integers(1000)
    np.True_
    >>> a.integers(1000) == b.integers(1000)
    np.False_
    """
    if seed < 0:
        raise InputError("seed", "must be a whole number, 0 or more", str(seed), "Use for example 1.")
    return _generator("\x1f".join([str(seed), *map(str, names)]).encode())


def attack_stream(*names: str | int) -> np.random.Generator:
    """Return the generator of an attack: the same for everybody, whatever the seed of the plan.

    An attack that held a generator made of the seed could try seeds until one gives its generator, and then
    draw everything else that the seed gives.

    Examples
    --------
    >>> attack_stream("exact").integers(1000) == attack_stream("exact").integers(1000)
    np.True_
    """
    return _generator("\x1f".join(["an attack", *map(str, names)]).encode())


def sealed(rng: np.random.Generator, truth: bytes) -> np.random.Generator:
    """Return a generator that only somebody with both ``rng`` and the truth can make again.

    Parameters
    ----------
    rng
        Draws the key; it moves on.
    truth
        The data that are to be protected, or a digest of them.

    Examples
    --------
    >>> one, other = (sealed(stream(1, "noise"), truth).integers(1 << 60) for truth in (b"yes", b"no"))
    >>> one == sealed(stream(1, "noise"), b"yes").integers(1 << 60), one == other
    (np.True_, np.False_)
    """
    return _generator(rng.bytes(32) + hashlib.sha256(truth).digest())


def _generator(words: bytes) -> np.random.Generator:
    digest = hashlib.sha256(words).digest()
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(int.from_bytes(digest))))
