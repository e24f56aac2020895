"""Which releases of a plan will be out together, and which are alternatives, of which one will be.

Two releases that differ by one person are harmless one by one, and together give that person away; so do
twelve noisy answers to one question. So all that a plan names is attacked as one, unless it says of releases
that they are alternatives: each of these is attacked in turn with all that is no alternative of it. Nothing
is taken for an alternative because of what it answers: a plan that forgets to say so is judged too strictly.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import product
from math import prod

from dalenius.findings.report import SAID_OF_ALTERNATIVES

Stated = Mapping[str, str | None]
"""Of each release by its name, of which other one it is said to be an alternative."""

MOST_CHOICES = 12
"""Ways to choose one each of several sets of alternatives that are attacked."""

NOT_CHOSEN = (
    "too many ways to choose one of each set of alternatives: none was attacked as one. Put into a plan what "
    "will be published together"
)


def clusters(stated: Stated) -> list[list[str]]:
    """Put each release with its alternatives; those of one release are alternatives of each other.

    Examples
    --------
    >>> clusters({"exact": None, "other": None, "coarse": "exact", "noisy": "exact"})
    [['exact', 'coarse', 'noisy'], ['other']]
    """
    found: list[set[str]] = []
    for name, other in stated.items():
        own = {name} if other is None else {name, other}
        found = [*(names for names in found if not names & own), own.union(*(n for n in found if n & own))]
    listed = [[name for name in stated if name in names] for names in found]
    return sorted(listed, key=lambda names: list(stated).index(names[0]))


def choices(stated: Stated) -> tuple[list[list[str]], list[str]]:
    """The sets of alternatives, and what is published whichever of them are chosen."""
    several = [names for names in clusters(stated) if len(names) > 1]
    chosen = {name for names in several for name in names}
    return several, [name for name in stated if name not in chosen]


def too_many(stated: Stated) -> bool:
    """Whether there are more ways to choose one of each of several sets than are attacked."""
    several = choices(stated)[0]
    return len(several) > 1 and prod(map(len, several)) > MOST_CHOICES


def joints(stated: Stated, fixed: Collection[str], together: str) -> dict[str, list[str]]:
    """Which releases are attacked as one, by what that is called: ``together`` if there is nothing to choose.

    Examples
    --------
    >>> joints({"exact": None, "coarse": "exact", "other": None}, (), "all together")
    {'exact, with all others': ['other', 'exact'], 'coarse, with all others': ['other', 'coarse']}
    """
    several, always = choices(stated)
    if not several:
        return {together: list(stated)} if len(stated) > 1 else {}
    if too_many(stated) or (len(several) == 1 and not always):
        return {}
    said = "with what is out" if len(several) == 1 and set(always) <= set(fixed) else "with all others"
    return {f"{', '.join(chosen)}, {said}": [*always, *chosen] for chosen in product(*several)}


def said_of_alternatives(name: str, stated: Stated) -> list[str]:
    """What is assumed of a release that has alternatives."""
    return [
        f"One of {', '.join(names)} {SAID_OF_ALTERNATIVES}" for names in choices(stated)[0] if name in names
    ]
