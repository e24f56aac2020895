"""Which allele published frequencies count, asked of a reference variant by variant.

Files that name no allele may count the rarer one of each variant, and files that do are not always right.
Both look like power that is gone, not like an error. A reference tells: where its frequency is f, that of the
other allele is 1 - f, and but for variants near one half the two are far apart. How far published
frequencies lie from the reference's anyway (sampling, noise, digits, ancestry) is read off the variants
themselves, so nothing has to be known about the mechanism.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.matrices.answers import Vector

ENOUGH = 30
"""Variants needed before anything is concluded from their spread."""

NEAR, FAR = 4.0, 6.0
"""Standard deviations within which a frequency fits, and beyond which it does not."""

CLEAR = 0.15
"""Distance from one half from which the two alleles of a variant are told apart by any study of some size."""

OFTEN = 0.002
"""Share of the clear variants that count the other allele, above which unclear ones are asked about too."""

HALF = 0.5 + 1e-9
"""Published frequencies that are nowhere above are those of the rarer allele."""

LEAST_SPREAD = 1e-3


@dataclass(frozen=True, eq=False)
class Orientation:
    """What to do with published frequencies.

    Parameters
    ----------
    keep
        Whether a variant can be used.
    turn
        Whether its frequency is that of the other allele.
    notes
        What was found, as sentences.
    """

    keep: NDArray[np.bool_]
    turn: NDArray[np.bool_]
    notes: tuple[str, ...] = ()


def orient(published: Vector, reference: Vector, named: NDArray[np.bool_]) -> Orientation:
    """Compare frequencies that should be of the same alleles.

    Parameters
    ----------
    published, reference
        Frequencies of the same variants; not a number where not known, then nothing is said.
    named
        Whether both files name the allele that they count.

    Examples
    --------
    >>> theirs = np.linspace(0.05, 0.95, 91)
    >>> ours = np.minimum(theirs, 1 - theirs) + np.tile([0.005, -0.005], 46)[:91]
    >>> found = orient(ours, theirs, np.zeros(91, np.bool_))
    >>> bool(found.turn[theirs > 0.6].all()), bool(found.turn[theirs < 0.4].any())
    (True, False)
    """
    known = np.isfinite(published) & np.isfinite(reference)
    keep, turn = np.ones(published.shape, np.bool_), np.zeros(published.shape, np.bool_)
    if known.sum() < ENOUGH:
        return Orientation(keep, turn)
    straight, other = _distances(published, reference), _distances(1 - published, reference)
    best = np.minimum(straight, other)[known & (np.abs(reference - 0.5) > CLEAR)]
    if best.size < ENOUGH:
        return Orientation(keep, turn)
    spread = max(1.4826 * float(np.median(best)), LEAST_SPREAD)
    fits, fits_other = straight <= NEAR * spread, other <= NEAR * spread
    wrong, wrong_other = straight > FAR * spread, other > FAR * spread
    turn = known & wrong & fits_other
    strange = known & wrong & ~fits_other
    told = turn | (known & fits & wrong_other)
    open_ = known & ~told & ~strange
    near, drop = np.zeros_like(turn), np.zeros_like(turn)
    for group in (named, ~named):
        wrong_share = (turn & group).sum() / max(int((told & group).sum()), 1)
        if not named[group].any() and np.nanmax(published[group], initial=0.0) <= HALF:
            # the rarer allele of each variant: near one half either may be that, and guessing would draw the
            # release towards the references
            drop |= open_ & group
        elif wrong_share > OFTEN:
            # Bayes' rule: how often the other allele is counted, and how well either frequency fits
            odds = 2 * np.log(1 / min(wrong_share, 0.5) - 1)
            near |= group & open_ & (straight**2 - other**2 > odds * spread**2)
    keep &= ~strange & ~drop
    return Orientation(keep, (turn | near) & keep, _notes(turn | near, named, strange, drop))


def _distances(published: Vector, reference: Vector) -> Vector:
    """Distances in units of the standard deviation of one allele."""
    middle = np.clip((np.clip(published, 0, 1) + reference) / 2, 0.002, 0.998)
    return np.asarray(np.abs(published - reference) / np.sqrt(middle * (1 - middle)))


def _notes(
    turned: NDArray[np.bool_], named: NDArray[np.bool_], strange: NDArray[np.bool_], drop: NDArray[np.bool_]
) -> tuple[str, ...]:
    notes = []
    mistaken, unnamed = int((turned & named).sum()), int((turned & ~named).sum())
    if mistaken:
        notes.append(
            f"{mistaken:,} frequencies are of the other allele than the file names, by the reference: they "
            "were turned."
        )
    if unnamed:
        notes.append(
            f"The release does not name alleles: by the reference {unnamed:,} frequencies are of the other "
            "allele, and were turned."
        )
    elif not named.all():
        notes.append(
            "The release does not name alleles: by the reference it counts what the genotypes count."
        )
    if drop.any():
        notes.append(
            f"All frequencies are those of the rarer allele: {int(drop.sum()):,} variants near one half were "
            "dropped, where nothing tells which allele that is."
        )
    if strange.any():
        notes.append(
            f"{int(strange.sum()):,} variants were dropped, whose frequencies fit neither allele of the "
            "reference."
        )
    return tuple(notes)
