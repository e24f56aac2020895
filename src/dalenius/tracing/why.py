"""Which of the published means make members recognisable: traced again with each set of them left out.

Every time only members are judged, with the same people held by the attacker and the same randomness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import DaleniusError
from dalenius.findings.explanation import AtSize, Cause, PartKind, Why
from dalenius.progress import Progress, silent
from dalenius.release.means import MeansRelease
from dalenius.shown import several
from dalenius.tracing.attack.accusations import Accusations
from dalenius.tracing.referee.bench import tally

Places = NDArray[np.intp]

MOST_COLUMNS = 24
"""Means up to which each is left out by itself."""

BLOCKS = 5
"""Sets into which more means are cut, in the order in which they are published."""

MOST_CHROMOSOMES = 30
"""Chromosomes up to which each is a set of its own."""

MOST_WORK = 4_000_000_000
"""People judged and held, times means, times attacks: beyond, nothing is tried."""


SHARES = (64, 32, 16, 8, 4, 2)
"""One of so many means, for the curve of how many are recognised from how many."""

FEWEST = 2


@dataclass(frozen=True)
class MeansPart:
    """Some of the published means: what they are called, and where they stand."""

    kind: PartKind
    name: str
    places: Places


def parts_of(release: MeansRelease) -> tuple[MeansPart, ...]:
    """Cut the means of a release into sets: columns, chromosomes, or blocks in their order.

    Examples
    --------
    >>> names = np.array(["1:100", "1:250", "2:70"])
    >>> [part.name for part in parts_of(MeansRelease("r", names, np.zeros(3), "genotype"))]
    ['chromosome 1', 'chromosome 2']
    """
    genome, size = release.kind == "genotype", release.size
    every = np.arange(size)
    if genome and (chromosomes := _chromosomes(release.names)) is not None:
        known = list(dict.fromkeys(chromosomes.tolist()))
        if 1 < len(known) <= MOST_CHROMOSOMES:
            return tuple(
                MeansPart("variants", f"chromosome {one}", every[chromosomes == one]) for one in known
            )
    if not genome and size <= MOST_COLUMNS:
        return tuple(MeansPart("column", str(name), every[j : j + 1]) for j, name in enumerate(release.names))
    words = "variants" if genome else "columns"
    cut = [block for block in np.array_split(every, BLOCKS) if block.size]
    return tuple(MeansPart("variants", f"{words} {b[0] + 1:,} to {b[-1] + 1:,}", b) for b in cut)


def _chromosomes(names: NDArray[np.str_]) -> NDArray[np.str_] | None:
    """What stands before the place of each variant, where all are named by place."""
    colon = np.array(":", names.dtype)  # strings of any length are cut only by their own kind
    chromosome, _, rest = np.strings.partition(names, colon)
    placed = np.strings.isdigit(np.strings.partition(rest, colon)[0])
    return chromosome if bool(placed.all()) else None


def look_for_causes(
    release: MeansRelease,
    trace: Callable[[Places], Sequence[Accusations]],
    level: float,
    people: int,
    *,
    progress: Progress = silent,
) -> Why:
    """Count the members recognised without each set of means, and from it alone.

    Parameters
    ----------
    release
        The published means.
    trace
        Traces all members from some of the means.
    level
        The rate of false alarms at which members are counted.
    people
        How many are judged and held, all rounds together: what an attack costs.
    """
    parts = parts_of(release)
    counted = f"members recognised at a false-alarm rate of {level:g}"
    whole = _recognised(trace, np.arange(release.size), level)
    too_much = 2 * people * release.size * len(parts) > MOST_WORK
    if whole is None or len(parts) < 2 or too_much:
        left_out = f"{several(len(parts), 'set')} of means: they would take too long" if too_much else None
        return Why(counted=counted, whole=whole or 0.0, left_out=left_out)
    causes = []
    for done, part in enumerate(parts):
        progress(done / len(parts), f"without {part.name}")
        rest = np.setdiff1d(np.arange(release.size), part.places)
        without, alone = (_recognised(trace, places, level) for places in (rest, part.places))
        causes.append(Cause(kind=part.kind, name=part.name, alone=alone, without=without))
    causes.sort(key=lambda one: (np.inf if one.without is None else one.without, -(one.alone or 0.0)))
    curve = tuple(_curve(release, trace, level, whole, progress))
    return Why(counted=counted, whole=whole, causes=tuple(causes), curve=curve)


def _curve(
    release: MeansRelease,
    trace: Callable[[Places], Sequence[Accusations]],
    level: float,
    whole: float,
    progress: Progress,
) -> Iterator[AtSize]:
    """Members recognised from ever more of the means, spread evenly: all together as dear as one attack."""
    for share in SHARES:
        number = release.size // share
        if number < FEWEST:
            continue
        progress(1.0, f"from {number:,} of the means")
        found = _recognised(trace, np.arange(release.size)[::share][:number], level)
        if found is not None:
            yield AtSize(numbers=number, at_risk=found)
    yield AtSize(numbers=release.size, at_risk=whole)


def _recognised(
    trace: Callable[[Places], Sequence[Accusations]], places: Places, level: float
) -> float | None:
    try:
        return float(tally(trace(places), (level,))[0].hits)
    except DaleniusError:  # too few means for this test
        return None
