"""What comparing everybody with everybody costs, and fewer variants where all would take too long.

Products of records grow with pairs of people times variants. Pairs have a limit of their own (memory); beyond
a limit of products some variants are left out. Which depends on sizes alone: those that stay are spread
evenly, since neighbours say much the same. Target and references stay exchangeable, whatever is left out.
"""

from __future__ import annotations

import numpy as np

from dalenius.knowledge.tracing import TracingView
from dalenius.people.traits.traits import CodedTraits
from dalenius.shown import several

PER_SECOND = 40_000_000_000
"""Products of a core in a second: 2,000 references, 1,000 targets and a million variants took 150 seconds."""

MOST_PRODUCTS = 1000 * PER_SECOND
"""Products that are made at most: a quarter of an hour of a core."""


def in_time(seconds: float) -> str:
    """Say how long something takes, roughly.

    Examples
    --------
    >>> in_time(0.2), in_time(150), in_time(9000)
    ('some seconds', 'about 2 minutes', 'about 2.5 hours')
    """
    if seconds < 60:
        return "some seconds"
    told = several(round(seconds / 60), "minute") if seconds < 5400 else f"{seconds / 3600:.3g} hours"
    return f"about {told}"


def said_cost(pairs: int, variants: int) -> str:
    """Say what comparing people takes.

    Examples
    --------
    >>> said_cost(6_000_000, 1_000_000)
    '6,000,000 pairs of people on 1,000,000 variants: about 2 minutes of a core'
    """
    used = kept_variants(pairs, variants)
    words = f"{pairs:,} pairs of people on {used:,} variants: {in_time(pairs * used / PER_SECOND)}"
    return f"{words} of a core"


def kept_variants(pairs: int, variants: int) -> int:
    """How many variants so many pairs of people can be compared on.

    Examples
    --------
    >>> kept_variants(6_000_000, 1_000_000), kept_variants(200_000_000, 10_000_000)
    (1000000, 200000)
    """
    return min(variants, max(1, MOST_PRODUCTS // max(pairs, 1)))


def pruned(view: TracingView, pairs: int) -> tuple[TracingView, tuple[str, ...]]:
    """Keep as many variants as people can be compared on, spread evenly, and say so."""
    d, most = view.release.size, kept_variants(pairs, view.release.size)
    if most >= d or not isinstance(view.reference, CodedTraits):
        return view, ()
    columns = np.linspace(0, d - 1, most).round().astype(np.intp)
    kept = TracingView(
        view.release.select(columns), view.targets.select(columns), view.reference.select(columns)
    )
    note = (
        f"Relatedness and ancestry by {most:,} of {d:,} variants, spread evenly: all would take "
        f"{in_time(pairs * d / PER_SECOND)} of a core."
    )
    return kept, (note,)
