"""Which releases of a plan are ways to protect the same numbers, and which will be out together.

Two releases that differ by one person are harmless one by one, and together give that person away. So all
that will be published is attacked as one. Of alternatives, one of which answers all that the other does, one
will be published: each is attacked in turn with all that is no alternative of it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import product
from math import prod
from typing import Any

Asked = Mapping[str, frozenset[Any]]
"""What each release answers, by its name: whatever is the same for the same questions."""

MOST_CHOICES = 12
"""Ways to choose one each of several sets of alternatives that are attacked."""

NOT_CHOSEN = (
    "too many ways to choose one of each set of alternatives: none was attacked as one. Put into a plan what "
    "will be published together"
)


def clusters(asked: Asked) -> list[list[str]]:
    """Put each release with its alternatives: those that answer all that it answers, or a part of it.

    Two that share a table, and each have others of their own, are two releases and not two ways to make one.

    Examples
    --------
    >>> clusters({"exact": frozenset("ab"), "coarse": frozenset("ab"), "other": frozenset("bc")})
    [['exact', 'coarse'], ['other']]
    """
    found: list[list[str]] = []
    for name, questions in asked.items():
        same = [names for names in found if any(_one_of(questions, asked[other]) for other in names)]
        found = [names for names in found if names not in same]
        found.append([*(other for names in same for other in names), name])
    return found


def _one_of(first: frozenset[Any], second: frozenset[Any]) -> bool:
    return bool(first & second) and (first <= second or second <= first)


def choices(asked: Asked, fixed: Collection[str] = ()) -> tuple[list[list[str]], list[str]]:
    """The sets of alternatives, and what is published whichever of them are chosen.

    What is ``fixed`` is out, and no alternative of anything.
    """
    several = [
        names for names in clusters({n: q for n, q in asked.items() if n not in fixed}) if len(names) > 1
    ]
    chosen = {name for names in several for name in names}
    return several, [name for name in asked if name not in chosen]


def too_many(asked: Asked, fixed: Collection[str] = ()) -> bool:
    """Whether alternatives of several questions can be chosen in more ways than are attacked."""
    several = choices(asked, fixed)[0]
    return len(several) > 1 and prod(map(len, several)) > MOST_CHOICES


def joints(asked: Asked, fixed: Collection[str], together: str) -> dict[str, list[str]]:
    """Which releases are attacked as one, by what that is called: ``together`` if there is nothing to choose.

    Examples
    --------
    >>> asked = {"exact": frozenset("a"), "coarse": frozenset("a"), "other": frozenset("b")}
    >>> joints(asked, (), "all together")
    {'exact, with all others': ['other', 'exact'], 'coarse, with all others': ['other', 'coarse']}
    """
    several, always = choices(asked, fixed)
    if not several:
        return {together: list(asked)} if len(asked) > 1 else {}
    if too_many(asked, fixed) or (len(several) == 1 and not always):
        return {}
    said = "with what is out" if len(several) == 1 and set(always) <= set(fixed) else "with all others"
    return {f"{', '.join(chosen)}, {said}": [*always, *chosen] for chosen in product(*several)}


def said_of_alternatives(name: str, asked: Asked, fixed: Collection[str] = ()) -> list[str]:
    """What is assumed of a release that has alternatives."""
    others = [
        other for names in choices(asked, fixed)[0] if name in names for other in names if other != name
    ]
    if not others:
        return []
    return [
        f"One of this and {', '.join(others)} is published, since they answer the same statistics: they are "
        "not attacked together. If several are, or will be, say of those that are out fixed = true."
    ]
