"""Deal the people of a tracing audit: whom the attacker may compare with, and who is judged.

Outsiders must be people the attacker does not hold, or the false alarms counted on them mean nothing. So the
reference is cut into parts; in each round one part is judged and the others are the attacker's. Every
reference person is judged once and serves the attacker in all other rounds, and every member is judged
once too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.genomes.duplicates import find_overlap
from dalenius.people.sealed import SealedTraits
from dalenius.people.traits.content_order import order_of_content
from dalenius.people.traits.traits import CodedTraits, Traits
from dalenius.people.truth import open_traits
from dalenius.random import stream

ROUNDS = 5
"""The attacker keeps four fifths of the reference."""

ALIKE_FROM = 64
"""With fewer attributes two people may well agree in all of them by chance."""

Places = NDArray[np.intp]


@dataclass(frozen=True)
class Round:
    """Who is judged in one round, and whom the attacker holds; positions.

    Parameters
    ----------
    members
        Members judged in this round.
    outsiders
        Reference people judged in this round.
    pool
        Reference people the attacker holds: never one of ``outsiders``.
    """

    members: Places
    outsiders: Places
    pool: Places


def deal_rounds(
    members: int, reference: int, rounds: int = ROUNDS, *, rng: np.random.Generator
) -> tuple[Round, ...]:
    """Cut members and reference into parts at random.

    Raises
    ------
    InputError
        If there are fewer than two rounds, fewer people than rounds, or the attacker would hold nobody.

    Examples
    --------
    >>> dealt = deal_rounds(4, 6, 2, rng=np.random.default_rng(1))
    >>> [(r.members.size, r.outsiders.size, r.pool.size) for r in dealt]
    [(2, 3, 3), (2, 3, 3)]
    """
    if rounds < 2:
        raise InputError("rounds", "must be at least 2", str(rounds), "One part is judged, one is held.")
    for name, size in (("members", members), ("reference", reference)):
        if size < rounds:
            raise InputError(
                name,
                f"must be at least {rounds} people, one per round",
                str(size),
                "Give more people, or fewer rounds.",
            )
    ours = np.array_split(rng.permutation(members), rounds)
    theirs = np.array_split(rng.permutation(reference), rounds)
    everybody = np.arange(reference)
    return tuple(
        Round(np.sort(mine), np.sort(judged), np.setdiff1d(everybody, judged))
        for mine, judged in zip(ours, theirs, strict=True)
    )


def find_duplicates(members: Traits, reference: Traits, *, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Say which reference people have exactly the attributes of a member.

    Every record is reduced to its sum with random weights, which differs for different records. With fewer
    than 64 attributes nobody is called a duplicate: people agree by chance.
    """
    if members.d < ALIKE_FROM:
        return np.zeros(reference.n, np.bool_)
    weights = rng.normal(size=members.d)
    ours = np.sort(members.dot(weights))
    theirs = reference.dot(weights)
    at = np.searchsorted(ours, theirs)
    near = np.minimum(
        np.abs(ours[np.minimum(at, ours.size - 1)] - theirs), np.abs(ours[np.maximum(at - 1, 0)] - theirs)
    )
    return np.asarray(near <= 1e-9 * math.sqrt(members.d))


def refuse_members_in(ids: NDArray[np.str_], reference: NDArray[np.str_], id_name: str) -> None:
    """Refuse a reference that holds members by name: the attacker would hold the targets themselves."""
    both = np.intersect1d(ids, reference).size
    if both:
        raise InputError(
            "reference",
            "must hold nobody who is a member",
            f"{both:,} people with the {id_name} of a member",
            "Take them out of the reference, as by plink --bfile reference --remove members.fam --make-bed.",
        )


def targets_of(members: SealedTraits, which: Places) -> Traits:
    """Hand some members to an attack, which is asked about them and not told what they are."""
    return open_traits(members).take(which)


def order_of_members(members: SealedTraits) -> Places:
    """An order of members that does not depend on the order of a file."""
    return order_of_content(open_traits(members))


def reference_apart(members: SealedTraits, reference: Traits, *, seed: int) -> NDArray[np.bool_]:
    """Say which reference people are members: by their record, or typed twice.

    Raises
    ------
    InputError
        If the reference holds members by name.
    """
    known = open_traits(members)
    refuse_members_in(known.ids, reference.ids, known.id_name)
    same = find_duplicates(known, reference, rng=stream(seed, "duplicates"))
    if isinstance(known, CodedTraits) and isinstance(reference, CodedTraits) and known.kind == "genotype":
        # the same person typed twice differs in some values
        found = find_overlap(known, reference, rng=stream(seed, "overlap")).same_genotypes
        same[found[:, 1]] = True
    return same
