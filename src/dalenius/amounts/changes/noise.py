"""Noise as a change of tables of amounts: of any size, and of the size whose promise meets the policy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dalenius.amounts.case import AmountsCase
from dalenius.amounts.family import FAMILY
from dalenius.auditing.changes.candidate import Candidate
from dalenius.auditing.changes.planned import size_for
from dalenius.auditing.changes.proposals import ToChange
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_releases import AmountsPlan
from dalenius.findings.policy import Policy
from dalenius.findings.report import Finding
from dalenius.mechanisms.base import plain
from dalenius.progress import silent
from dalenius.theory.privacy import mu_for_closer, rho_from_mu

LARGE = 100
"""Sizes from which on thousands are set apart."""

STAYS = "A promise: other tables of the same amount stay as they are, and no promise is about those."
NO_GAIN = "A promise: the policy tolerates no gain, and with any noise at all there may be some."
NOT_KNOWN = (
    "A promise: none is known here by survey weights that nobody is said to know, for weighted medians and "
    "the like, and for variances where no most = ... says what nobody exceeds."
)


def round_number(number: float) -> float:
    """The nearest of 1, 2 and 5 times a power of ten, which is what tables are rounded to.

    Examples
    --------
    >>> [round_number(x) for x in (0.13, 3.1, 700.0, 24_000.0)]
    [0.1, 2.0, 500.0, 20000.0]
    """
    power = 10.0 ** math.floor(math.log10(number))
    nearest = min((1.0, 2.0, 5.0, 10.0), key=lambda step: abs(math.log(number / power / step)))
    return float(f"{nearest * power:.6g}")


def noisy(asked: ToChange, releases: Sequence[AmountsPlan], size: float) -> Candidate:
    """Noise of one size on all numbers."""
    sizes = dict.fromkeys((release.amount for release in releases), size)
    return _noise(asked, releases, sizes, {})


def promised(
    asked: ToChange, releases: Sequence[AmountsPlan], usual: Mapping[str, float]
) -> tuple[Candidate | None, tuple[str, ...]]:
    """Noise that keeps everybody from coming closer more often than is tolerated, or why there is none.

    What amounts decide, such as which groups break the p% rule, is not hidden then: that would tell of them
    without noise. Where the plan does not say which amount nobody exceeds, the promise is about amounts that
    differ by what a group has a person, by the numbers that would be printed: no amount is looked at for it.
    That is ``usual``, by the names of amounts.
    """
    amounts = {release.amount for release in releases}
    names = {release.name for release in releases}
    planned = [each for each in asked.plan.release if isinstance(each, AmountsPlan)]
    if any(each.amount in amounts and each.name not in names for each in planned):
        return None, (STAYS,)
    gain = tolerated(asked.plan.policy, asked.finding)
    if gain <= 0:
        return None, (NO_GAIN,)
    keys = _promising(releases, {amount: round_number(number) for amount, number in usual.items()})
    found = _at_size_one(_with_noise(asked, releases, dict.fromkeys(amounts, 1.0), keys))
    if any(found.get(amount) is None for amount in amounts):
        return None, (NOT_KNOWN,)
    rho = rho_from_mu(mu_for_closer(gain))
    sizes = {amount: size_for(2 * (found[amount] or 0.0), rho) for amount in sorted(amounts)}
    return _noise(asked, releases, sizes, keys, _limited(sizes, releases, keys)), ()


def tolerated(policy: Policy, finding: Finding | None) -> float:
    """How much more often anybody may come close, by how often they do without the release."""
    known = finding is not None and finding.measures and finding.decisive.baseline is not None
    baseline = finding.decisive.baseline.rate if known and finding and finding.decisive.baseline else 0.0
    return policy.limit(baseline)


def _promising(releases: Sequence[AmountsPlan], usual: Mapping[str, float]) -> dict[str, dict[str, Any]]:
    """What must be changed besides, by the names of releases: no promise rests on what amounts decide."""
    limited = {release.amount for release in releases if release.most is not None}
    stated = {release.amount: release.apart for release in releases if release.apart is not None}
    found: dict[str, dict[str, Any]] = {}
    for release in releases:
        keys: dict[str, Any] = {"hide_p": 0.0} if release.hide_p else {}
        keys |= {"hide_more": False} if release.hide_more else {}
        if release.amount not in limited and release.amount not in stated:
            keys["apart"] = usual[release.amount]
        found[release.name] = keys
    return found


def _at_size_one(plan: Plan) -> dict[str, float | None]:
    """The rho of each amount, all releases of it together, under noise of standard deviation 1."""
    with FAMILY.open(plan, (), progress=silent) as opened:
        cases = [case for case in opened.cases if isinstance(case, AmountsCase)]
    found: dict[str, float | None] = {}
    for case in cases:  # the last of an amount is all its releases together
        made = case.made.promise
        found[case.planned.amount] = None if made is None else made.promise.rho
    return found


def _with_noise(
    asked: ToChange,
    releases: Sequence[AmountsPlan],
    sizes: Mapping[str, float],
    keys: Mapping[str, Mapping[str, Any]],
) -> Plan:
    return asked.with_releases(
        {
            release.name: {"mechanism": f"gaussian:sigma={plain(sizes[release.amount])}"}
            | dict(keys.get(release.name, {}))
            for release in releases
        }
    )


def _noise(
    asked: ToChange,
    releases: Sequence[AmountsPlan],
    sizes: Mapping[str, float],
    keys: Mapping[str, Mapping[str, Any]],
    note: str | None = None,
) -> Candidate:
    told = [f"{_told(size)} on {amount}" for amount, size in sizes.items()]
    size = told[0].partition(" on ")[0] if len({*sizes.values()}) == 1 else " and ".join(told)
    said = f"noise, standard deviation {size}"
    shown = any("hide_p" in each or "hide_more" in each for each in keys.values())
    more = ", hiding nothing by its amounts" * shown
    plan = _with_noise(asked, releases, sizes, keys)
    return Candidate("noise", said + more, asked.called, plan, draws=True, note=note)


def _told(size: float) -> str:
    return f"{size:,.0f}" if size >= LARGE else plain(size)


def _limited(
    sizes: Mapping[str, float],
    releases: Sequence[AmountsPlan],
    keys: Mapping[str, Mapping[str, Any]],
) -> str | None:
    """Say what a promise about a part of the range is worth, and what one against everybody takes."""
    found = []
    for release in releases:
        apart = keys.get(release.name, {}).get("apart", release.apart)
        if apart is not None and release.most is None:
            times = sizes[release.amount] / apart
            less = " less least" if release.least else ""
            found.append(
                f"The promise is about two amounts of {release.amount} up to {_told(apart)} apart. With "
                "most = ..., an amount that nobody exceeds, as everybody knows without these data, it is "
                f"about any two, and takes noise of {times:.2g} times that amount{less}."
            )
    return " ".join(dict.fromkeys(found)) or None
