"""Several releases of one amount as one: two tables that differ by one person give that person away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dalenius.auditing.plan_releases import AmountsPlan
from dalenius.release.amounts import AmountGroup, AmountRelease, PrintedAmount

TOGETHER = "all together"
"""What the releases of one amount are called when they are attacked as one."""


def joined_plans(plans: Sequence[AmountsPlan]) -> dict[str, list[AmountsPlan]]:
    """The releases of one amount that are attacked as one, by what that is called.

    Two that ask for the same statistic of the same groups are ways to protect it, of which one will be
    published: they are not put together.
    """
    by_amount: dict[str, list[AmountsPlan]] = {}
    for plan in plans:
        by_amount.setdefault(plan.amount, []).append(plan)
    return {
        f"{TOGETHER}, {amount}": own
        for amount, own in by_amount.items()
        if len(own) > 1 and not _alternatives(own)
    }


def _alternatives(plans: Sequence[AmountsPlan]) -> bool:
    asked = [
        (frozenset(table.split("*")), statistic, plan.weighted)
        for plan in plans
        for table in plan.groups
        for statistic in plan.statistics
        if statistic != "count"
    ]
    return len(set(asked)) < len(asked)


def join(releases: Sequence[AmountRelease], name: str) -> AmountRelease:
    """Put releases about the same people together; each number keeps what was done to it."""
    if len(releases) == 1:
        return releases[0]
    groups: dict[bytes, int] = {}
    kept: list[AmountGroup] = []
    said: list[PrintedAmount] = []
    for release in releases:
        places = []
        for group in release.groups:
            key = group.members.tobytes()
            if key not in groups:
                groups[key] = len(kept)
                kept.append(group)
            places.append(groups[key])
        said += [replace(one, group=places[one.group]) for one in release.said]
    mechanisms = dict.fromkeys(release.mechanism for release in releases)
    return replace(
        releases[0],
        name=name,
        groups=tuple(kept),
        said=tuple(said),
        mechanism=", ".join(mechanisms),
        hidden=sum(release.hidden for release in releases),
        notes=tuple(note for release in releases for note in release.notes),
        unread=tuple(dict.fromkeys(name for release in releases for name in release.unread)),
    )
