"""Several releases of one audit as one, and releases that are there already.

A release of an audit that is there already, and what is known of it besides its numbers.

Several releases of one audit as one: what they give away together can be more than each does alone.

Two tables that differ by one person are harmless one by one, and together give that person's secret away.
Releases that answer the same statistics are another matter: they are ways to protect them, of which one will
be published, and are not put together.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from math import prod

from dalenius.mechanisms.base import Promise
from dalenius.release.release import Block, Release


@dataclass(frozen=True)
class GivenRelease:
    """A release that is there already.

    Parameters
    ----------
    release
        What is published.
    fixed
        Whether it is out, and can be changed no more.
    no_control
        Why it cannot be made again of other secrets; ``None`` if it can.
    assumed
        What was assumed to read it.
    """

    release: Release
    fixed: bool = False
    no_control: str | None = None
    assumed: tuple[str, ...] = ()


TOGETHER = "all together"
"""What the releases of an audit are called when they are attacked as one."""


MOST_CHOICES = 12
"""Ways to choose one of each set of alternatives that are attacked as one, each with all other releases."""


def alternatives(releases: Mapping[str, Release]) -> bool:
    """Whether two of the releases are ways to protect the same statistics, of which one will be published."""
    return any(len(names) > 1 for names in clusters(releases))


def clusters(releases: Mapping[str, Release]) -> list[list[str]]:
    """Put each release with its alternatives: those that answer all that it answers, or a part of it.

    Two that share a table, and each have others of their own, are two releases and not two ways to make one.
    """
    asked = {
        name: frozenset((release.date, _questions(block)) for block in release.blocks)
        for name, release in releases.items()
    }
    found: list[list[str]] = []
    for name, questions in asked.items():
        same = [names for names in found if any(_one_of(questions, asked[other]) for other in names)]
        found = [names for names in found if names not in same]
        found.append([*(other for names in same for other in names), name])
    return found


def _one_of(first: frozenset[tuple[str, str]], second: frozenset[tuple[str, str]]) -> bool:
    return bool(first & second) and (first <= second or second <= first)


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


def joints(releases: Mapping[str, Release], fixed: Collection[str]) -> dict[str, list[str]]:
    """Which releases are attacked as one, by what that is called.

    What is out stays out: it is attacked along with everything that is planned. Of alternatives each is
    attacked in turn with all that is no alternative of it; none if there are `too_many` ways to choose.

    Examples
    --------
    >>> joints({}, ())
    {}
    """
    if len(releases) < 2:  # one alone is not compared: not every statistic can be written down
        return {}
    several, always = _choices(releases, fixed)
    if not several:
        return {TOGETHER: list(releases)}
    if too_many(releases, fixed) or (len(several) == 1 and not always):
        return {}
    said = "with what is out" if len(several) == 1 and set(always) <= set(fixed) else "with all others"
    return {f"{', '.join(chosen)}, {said}": [*always, *chosen] for chosen in product(*several)}


def too_many(releases: Mapping[str, Release], fixed: Collection[str]) -> bool:
    """Whether alternatives of several statistics can be chosen in more ways than are attacked."""
    several = _choices(releases, fixed)[0] if len(releases) > 1 else []
    return len(several) > 1 and prod(map(len, several)) > MOST_CHOICES


def said_of_alternatives(name: str, releases: Mapping[str, Release], fixed: Collection[str]) -> list[str]:
    """What is assumed of a release that has alternatives."""
    several = _choices(releases, fixed)[0] if len(releases) > 1 else []
    others = [other for names in several if name in names for other in names if other != name]
    return [
        f"One of this and {', '.join(others)} is published, since they answer the same statistics: they are "
        "not attacked together. If several are, or will be, say of those that are out fixed = true."
        for _ in others[:1]
    ]


NOT_CHOSEN = (
    "too many ways to choose one of each set of alternatives: none was attacked as one. Put into a plan what "
    "will be published together"
)


def _choices(releases: Mapping[str, Release], fixed: Collection[str]) -> tuple[list[list[str]], list[str]]:
    """The sets of alternatives, and what is published whichever of them are chosen."""
    found = clusters({name: release for name, release in releases.items() if name not in fixed})
    several = [names for names in found if len(names) > 1]
    chosen = {name for names in several for name in names}
    return several, [name for name in releases if name not in chosen]


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
