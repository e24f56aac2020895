"""Relatives of targets among the references: looked for where enough of the genome is there to tell."""

from __future__ import annotations

import numpy as np

from dalenius.genomes.variants import Variants
from dalenius.people.traits.traits import CodedTraits
from dalenius.tracing.attack.genomes.kin import related

MOST_PAIRS = 250_000
"""Pairs of target and reference up to which relatives are looked for."""

FEWEST_VARIANTS = 2000
"""Variants below which chance makes strangers look related."""

LEAST_BASES = 500_000_000
"""Base pairs that variants must span: on less, strangers share by chance as much as cousins do in all."""


def bases_spanned(variants: Variants) -> int:
    """Add up, over chromosomes, the distance between the first and the last variant; 0 without places.

    Examples
    --------
    >>> columns = (["a", "b", "c"], ["1", "1", "2"], [100, 600, 50], ["A"] * 3, ["G"] * 3)
    >>> bases_spanned(Variants(*map(np.array, columns)))
    500
    """
    known = variants.places > 0
    names, where = np.unique(variants.chromosomes[known], return_inverse=True)
    places, total = variants.places[known], 0
    for j in range(names.size):
        here = places[where == j]
        total += int(here.max() - here.min())
    return total


def say_related(targets: CodedTraits, pool: CodedTraits, variants: Variants) -> tuple[str, ...]:
    """Say how many targets have relatives in the reference: those lower their scores."""
    few = targets.d < FEWEST_VARIANTS or bases_spanned(variants) < LEAST_BASES
    if few or targets.n * pool.n > MOST_PAIRS:
        return ()
    people = len({pair.one for pair in related(targets, pool)})
    if not people:
        return ()
    return (
        f"{people:,} targets have a relative of second degree or closer in the reference: they look less "
        "like members than they are. Leave such references out.",
    )
