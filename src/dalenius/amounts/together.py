"""Several releases of one amount as one: two tables that differ by one person give that person away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dalenius.auditing.alternatives import joints, too_many
from dalenius.auditing.case import TOGETHER
from dalenius.auditing.plan_releases import AmountsPlan
from dalenius.mechanisms.amounts import promised_by_all
from dalenius.release.amounts import AmountGroup, AmountRelease, PrintedAmount


def joined_plans(plans: Sequence[AmountsPlan]) -> dict[str, list[AmountsPlan]]:
    """The releases of one amount that are attacked as one, by what that is called."""
    found: dict[str, list[AmountsPlan]] = {}
    for amount, own in _by_amount(plans).items():
        named = {plan.name: plan for plan in own}
        for name, parts in joints(_stated(own), (), f"{TOGETHER}, {amount}").items():
            found[name] = [named[part] for part in parts]
    return found


def unchosen(plans: Sequence[AmountsPlan]) -> bool:
    """Whether there are too many ways to choose one of each set of alternatives."""
    return any(too_many(_stated(own)) for own in _by_amount(plans).values())


def _by_amount(plans: Sequence[AmountsPlan]) -> dict[str, list[AmountsPlan]]:
    found: dict[str, list[AmountsPlan]] = {}
    for plan in plans:
        found.setdefault(plan.amount, []).append(plan)
    return found


def _stated(plans: Sequence[AmountsPlan]) -> dict[str, str | None]:
    return {plan.name: plan.alternative_to for plan in plans}


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
        promise=promised_by_all([release.promise for release in releases]),
    )
