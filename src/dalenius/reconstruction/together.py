"""Several releases of one audit as one: what they give away together can be more than each does alone.

Two tables that differ by one person are harmless one by one, and together give that person's secret away.
Ways to protect the same statistics, of which one will be published, are not put together where a plan says
so of them (``alternative_to``).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from dalenius.auditing.case import TOGETHER
from dalenius.mechanisms.base import Promise
from dalenius.release.release import Block, Release


def said_of_the_same(releases: Sequence[Release]) -> list[str]:
    """What is assumed where all of what one release answers is answered by another one, too."""
    asked = {
        release.name: frozenset((release.date, _questions(block)) for block in release.blocks)
        for release in releases
    }
    groups: dict[str, list[str]] = {}
    for name, own in asked.items():
        first = next((one for one in groups if asked[one] <= own or own <= asked[one]), name)
        groups.setdefault(first, []).append(name)
    return [
        f"{', '.join(names)} answer the same statistics, and all of them are published. If one of them will "
        f'be, say alternative_to = "{first}" of each other one.'
        for first, names in groups.items()
        if len(names) > 1
    ]


def _questions(block: Block) -> str:
    """What a block asks, as text; sets of people by their members, which are not in the plain values."""
    from dalenius.statistics.cells import CellCounts

    members = getattr(block.statistic, "members", None)
    named = "" if members is None else members.packed.tobytes().hex()
    plain = block.statistic.to_json()
    for asked in (plain, plain.get("asked")):
        if isinstance(asked, dict) and asked.get("kind") == CellCounts.kind:
            asked.pop("names")  # the same cells, whatever the files are called
    return json.dumps(plain, sort_keys=True) + named


def join_all(releases: Sequence[Release], name: str = TOGETHER) -> Release:
    """Put releases about the same people together; each keeps what was done to it.

    Between dates secrets may have changed: what older releases count is near what is asked about, and nothing
    follows from it for certain.
    """
    blocks = tuple(block for release in releases for block in blocks_together(release, releases))
    promise = reduce(_both, (release.promise for release in releases))
    seeded = any(release.seeded for release in releases)
    joined = Release(name, releases[0].secret, blocks, promise=promise, seeded=seeded)
    return replace(joined, mechanism=joined.said)


def blocks_together(release: Release, releases: Sequence[Release]) -> list[Block]:
    """Return the blocks of one release as they stand beside those of the others."""
    sure = release.date == last_date(releases)
    found = (_of_date(release, block, sure=sure) for block in release.blocks)
    return [block for block in found if block is not None]


def last_date(releases: Sequence[Release]) -> str:
    """The date that secrets are asked about: that of the data, if one release is of it, else the last."""
    dates = {release.date for release in releases}
    return "" if "" in dates else max(dates)


def said_of_dates(parts: Sequence[Release], releases: Sequence[Release]) -> list[str]:
    """What is assumed where releases of an audit are of several dates; ``parts`` are what is attacked."""
    last = last_date(releases)
    older = sorted({part.date for part in parts} - {last})
    if not older:
        return []
    if len(parts) == 1:
        return [
            f"The release is of {older[0]}: secrets may have changed since, and what follows from it is held "
            "against the data as they are now."
        ]
    return [
        f"Secrets may have changed between the dates of the releases: what is of {', '.join(older)} is read "
        "as near what is asked about, with an error that nobody knows; nothing follows from it for certain."
    ]


def _of_date(release: Release, block: Block, *, sure: bool) -> Block | None:
    """A block with what was done to it; one of another date as `reconstruct joint` reads it."""
    return replace(block, mechanism=release.mechanism_of(block)) if sure else block.of_another_time()


def _both(first: Promise | None, second: Promise | None) -> Promise | None:
    """What two releases promise together: promises of one kind add up, others are lost."""
    if first is None or second is None:
        return None
    from dalenius.theory.privacy import compose_epsilon, compose_rho

    if first.rho is not None and second.rho is not None:
        rho = compose_rho([first.rho, second.rho])
        text = f"zero-concentrated differential privacy with rho = {rho:.4g} together"
        return Promise(None, rho, text).resting_on(*first.given, *second.given)
    if first.epsilon is not None and second.epsilon is not None:
        epsilon = compose_epsilon([first.epsilon, second.epsilon])
        text = f"differential privacy with epsilon = {epsilon:.4g} together"
        return Promise(epsilon, None, text).resting_on(*first.given, *second.given)
    return None
