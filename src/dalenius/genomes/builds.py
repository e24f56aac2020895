"""Which human genome build places are of, by how far they reach: chromosomes differ in length."""

from __future__ import annotations

from collections.abc import Mapping

LENGTHS = {
    "GRCh37": (
        "249250621 243199373 198022430 191154276 180915260 171115067 159138663 146364022 141213431 135534747 "
        "135006516 133851895 115169878 107349540 102531392 90354753 81195210 78077248 59128983 63025520 "
        "48129895 51304566 155270560 59373566"
    ),
    "GRCh38": (
        "248956422 242193529 198295559 190214555 181538259 170805979 159345973 145138636 138394717 133797422 "
        "135086622 133275309 114364328 107043718 101991189 90338345 83257441 80373285 58617616 64444167 "
        "46709983 50818468 156040895 57227415"
    ),
}
"""Base pairs of the chromosomes 1 to 22, X and Y."""

ORDER = (*map(str, range(1, 23)), "X", "Y", "XY", "MT")
"""Chromosomes as they are listed."""

_BY_NAME = {
    build: dict(zip(ORDER, map(int, lengths.split()), strict=False)) for build, lengths in LENGTHS.items()
}


def possible_builds(last: Mapping[str, int]) -> frozenset[str]:
    """Builds whose chromosomes reach as far as the last places on them.

    Examples
    --------
    >>> sorted(possible_builds({"1": 249_000_000})), sorted(possible_builds({"17": 82_000_000}))
    (['GRCh37'], ['GRCh38'])
    >>> sorted(possible_builds({"1": 1_000_000})), sorted(possible_builds({"1": 300_000_000}))
    (['GRCh37', 'GRCh38'], [])
    """
    return frozenset(
        build
        for build, lengths in _BY_NAME.items()
        if all(place <= lengths.get(name, place) for name, place in last.items())
    )
