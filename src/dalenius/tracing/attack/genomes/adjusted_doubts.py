"""What speaks for and against a rank among references: ancestry they lack, members among them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.people.traits.traits import CodedTraits
from dalenius.release.means import MeansRelease
from dalenius.tracing.attack.genomes.ancestry import Axes, Similarities, spread
from dalenius.tracing.attack.tails.remainders import studentised

Values = NDArray[np.float64]

STRANGE = 1.15
"""A release this many times farther from the references than sampling explains holds another ancestry."""

MANY_UNLIKE = 3
"""Targets called unlike from which the whole run is doubted: one or two may be false alarms."""

OUTLYING, FEWEST_INSIDE = 3.5, 4
"""Standard deviations, and references beyond them, from which some of these seem to be members."""


def strangeness(similar: Similarities, release: MeansRelease) -> float:
    """Compare the squared distance of the release from the references' span with what sampling gives.

    The nearest point has weights ``a = A 1`` over their sum, and lies at ``1 / 1'A1``. A release of n people
    of the same ancestries has the variance of one person, unexplained, over n, plus its noise; the point adds
    the same variance times the squared weights.
    """
    if release.n is None:
        return float("nan")
    inverse = similar.inverse
    ones = inverse.sum(axis=1)
    one = float(np.median(1 / np.diag(inverse)))
    # references that lack values are drawn in by as much; the people of the release are not
    whole = one if similar.shares is None else one / float(np.diag(similar.shares[0]).mean())
    variance = rounding_variance(release) if release.sigma is None else release.sigma**2
    noise = variance * float((1 / spread(release)).mean())
    sampling = whole / release.n + one * float((ones**2).sum()) / float(ones.sum()) ** 2 + noise
    return 1 / float(ones.sum()) / sampling


def rounding_variance(release: MeansRelease) -> float:
    """Return the variance that printing so few digits has, where nothing is said about the mechanism.

    Examples
    --------
    >>> names = np.array(["rs1", "rs2"])
    >>> printed = MeansRelease("r", names, 2 * np.array([0.1, 0.4]) - 1, "genotype", 9)
    >>> round(12 * rounding_variance(printed), 6)
    0.04
    """
    for digits in range(1, 6):
        scaled = release.fractions * 10**digits
        if np.abs(scaled - np.round(scaled)).max() < 1e-6:
            return float((2 * 10.0**-digits) ** 2 / 12)
    return 0.0


def describe_adjustment(people: CodedTraits, chosen: Values, ranked: bool, auto: bool) -> tuple[str, ...]:
    """Say what was adjusted for, and what a p-value of it means."""
    m, genotypes = people.n, people.kind == "genotype"
    low, high = int(chosen.min()), int(chosen.max())
    many = f"{low}" if low == high else f"{low} to {high}"
    why = ", chosen by how well each person of a pool is predicted from the others" if auto else ""
    s = "" if high == 1 else "s"
    of = f"relatedness and for {many} principal component{s} of ancestry"
    if not genotypes:
        of = "what people's answers have in common" + (
            f", and for {many} principal component{s}" if high else ""
        )
    notes = [f"Adjusted for {of}{why}."]
    if ranked:
        notes.append(
            f"Ranked among {m:,} references: the level holds if target and references are exchangeable, "
            f"whatever the linkage and structure. No p-value can be below 1/{m + 1:,}; tail=student goes "
            "below, as an approximation."
        )
    else:
        notes.append("The tail is Student's t of the remainder: an approximation.")
    if genotypes:
        notes.append(
            "A small p-value says that the record is not independent of the release: a parent, child or "
            "sibling of a member scores half of what a member does."
        )
    return tuple(notes)


def find_members_inside(at: Axes, most: int) -> tuple[str, ...]:
    """Say how many references score like members: they make every target look less like one."""
    inverse = at.similar.inverse
    scores = inverse.sum(axis=1) / np.sqrt(np.diag(inverse))
    rest, _, _ = studentised(scores[None], at.vectors[None, :, :most], choose=True)
    centred = rest[0] - np.median(rest[0])
    spread = 1.4826 * float(np.median(np.abs(centred)))
    high, low = (int((side * centred > OUTLYING * spread).sum()) for side in (1, -1))
    if high < FEWEST_INSIDE or high <= 3 * low:
        return ()
    return (
        f"{high:,} of {centred.size:,} references score as members of the release or their relatives would: "
        "if they are, the test is too cautious, and misses members. Leave members out of the reference.",
    )


def describe_doubts(unlike: NDArray[np.bool_], strange: float, genotypes: bool = True) -> tuple[str, ...]:
    """Say what in the records speaks against the calibration."""
    doubts, shared = [], "ancestry" if genotypes else "traits"
    if int(unlike.sum()) >= min(MANY_UNLIKE, (unlike.size + 1) // 2):
        doubts.append(
            f"{int(unlike.sum()):,} of {unlike.size:,} targets look unlike the references: a "
            f"small p-value may only say that they share {shared} with people of the release; use references "
            f"of their {'ancestry' if genotypes else 'population'}"
        )
    if strange > STRANGE:
        who = f"its people have {shared} that the references lack, and whoever is like them is accused"
        doubts.append(
            f"the release is {strange:.2f} times farther from the references than sampling explains: {who}, "
            "or something was done to the means that --mechanism does not say"
        )
    return tuple(doubts)
