"""The keyed hashes of rows: their names, how many values they take, and the limit for a weight.

============  ===========================================================  ===============  ==================
name          what it is                                                   values           independence
============  ===========================================================  ===============  ==================
``prf64``     BLAKE2b with the seed as its key                             2^64             as if full
``cw61``      k_0 + sum k_i c_i mod 2^61 - 1 over words of 7 bytes         2^61 - 1         exactly pairwise
``ms32``      the upper half of k_0 + sum k_i c_i mod 2^64, 4-byte words   2^32             exactly pairwise
============  ===========================================================  ===============  ==================

The first is the default of all attacks, the second for proofs that need a provable family, the third for
many predicates over many rows.
"""

from __future__ import annotations

from fractions import Fraction

from dalenius.errors import InputError, nearest

MERSENNE = 2**61 - 1
RANGES = {"prf64": 2**64, "cw61": MERSENNE, "ms32": 2**32}
"""How many values each family takes."""

WORD = {"cw61": 7, "ms32": 4}
"""Bytes of a word of the families that work on words."""

LONGEST_SEED = 64
"""Bytes of a key of BLAKE2b."""


def check_family(family: str, seed: str) -> int:
    """Refuse an unknown family and a seed that is too long; return how many values the family takes."""
    if family not in RANGES:
        raise InputError(
            f"hash {family!r}", "must be a known family", "no such family", nearest(family, RANGES)
        )
    if len(seed.encode()) > LONGEST_SEED:
        raise InputError("seed of a hash", f"must have at most {LONGEST_SEED} bytes", str(len(seed.encode())))
    return RANGES[family]


def threshold(weight: Fraction | float, family: str) -> int:
    """The limit below which a share ``weight`` of all hashes lies, rounded down in whole numbers.

    Examples
    --------
    >>> threshold(Fraction(1, 5), "ms32") == 2**32 // 5
    True
    >>> threshold(2.0**-40, "ms32")
    Traceback (most recent call last):
      ...
    dalenius.errors.InputError: weight must be at least 2.3e-10 for the family ms32; got 9.1e-13. Use prf64.
    """
    size = check_family(family, "")
    if not 0 < weight <= 1:
        raise InputError("weight", "must be above 0 and at most 1", f"{float(weight):.2g}")
    below = int(Fraction(weight) * size)
    if below == 0:
        rule = f"must be at least {1 / size:.2g} for the family {family}"
        fix = "Add other conditions to the hash." if family == "prf64" else "Use prf64."
        raise InputError("weight", rule, f"{float(weight):.2g}", fix)
    return below
