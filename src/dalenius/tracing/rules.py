"""Whether findings about tracing keep to a policy: members, targets, and sizes to come."""

from __future__ import annotations

from typing import cast

from dalenius.findings.measure import to_decide
from dalenius.findings.policy import Policy, Ruled, Ruling, from_to, points
from dalenius.tracing.finding import (
    Members,
    MembersFinding,
    PromiseTested,
    SafeReleases,
    Sizes,
    Targets,
    TracingFinding,
)
from dalenius.tracing.referee.outstanding import COMPARED, FAR


def rulings(finding: TracingFinding, policy: Policy) -> list[Ruled]:
    """Hold one finding about tracing against a policy."""
    details, limit = finding.details, policy.max_advantage
    if isinstance(details, Targets):
        return [Ruled(*_targets(details, policy), "max_known")]
    if isinstance(details, Sizes):
        return [Ruled(*_sizes(details, limit), "max_advantage")]
    if isinstance(details, PromiseTested):
        return [Ruled(*_promise(details), "max_advantage")]
    if isinstance(details, SafeReleases):
        return [Ruled(*_safe(details), "max_advantage")]
    members = cast(MembersFinding, finding)
    ruled = [Ruled(*_members(members, limit), "max_advantage")]
    if members.details.standing_out > policy.max_known and not _promised(members, limit):
        ruled.append(Ruled(*_standing_out(members.details, policy), "max_known"))
    return ruled


def _members(finding: MembersFinding, limit: float) -> Ruling:
    """Members may not be recognised more often than tolerated, at any level at which somebody is accused.

    Of a sample, only those in it can be: what is tolerated is about them, and so much less about all.
    """
    rows, details = finding.reachable, finding.details
    tolerated, whole = f"limit {points(limit)} points", limit
    limit *= details.sampled
    if details.sampled < 1:
        among = f"{points(whole)} among the {details.sampled:.1%} in the sample"
        tolerated = f"limit {points(limit)} points, {among}"
    if rows:
        worst = max(rows, key=lambda row: row.advantage.low)
        gain = worst.advantage
        measured = (
            f"members are accused {points(gain.value)} points more often ({from_to(gain.low, gain.high)}) at "
            f"level {worst.at:g}, {tolerated}"
        )
        if gain.low > limit:
            return "stop", f"{measured}: above the limit."
        if details.gap - details.chance > limit and not _broken(finding):
            return "stop", _suspect(details, tolerated)
        if not _hidden(finding, limit) and all(row.advantage.high <= limit for row in rows):
            return "pass", f"{measured}: below the limit, as at every level that can be reached."
    bound = finding.bound
    if bound is not None and _promised(finding, whole):
        most = f"{points(bound.value)} points ({bound.statement})"
        return "pass", f"no attack can gain more than {most}, {tolerated}."
    if not rows:
        few = f"{details.pool:,} references allow no p-value below {details.smallest:.3g}"
        return "undecided", f"{few}: nobody could be accused at any level; more references would decide."
    if why := _broken(finding):
        return "undecided", f"{measured}: {why}; take references of the members' population."
    if details.compared < COMPARED:
        return "undecided", (
            f"{measured}: references lack most of the values that members have ({details.compared:.0%} could "
            "be compared), so the attack saw little; take references with fewer missing values."
        )
    needed = to_decide(worst.advantage, limit, finding.people)
    return "undecided", f"{measured}: an interval holds the limit; {needed}."


def _promised(finding: MembersFinding, limit: float) -> bool:
    """Whether the noise keeps every attack, on anybody, below the limit."""
    return finding.bound is not None and finding.bound.value <= limit


def _hidden(finding: MembersFinding, limit: float) -> bool:
    """Whether levels that look harmless may hide something.

    At some threshold members are accused more often by at least what the area is above one half, whatever
    the levels looked at, or the gap is seen to be larger; and an attack that could compare little has shown
    little.
    """
    details = finding.details
    wide = details.area_high - 0.5 > limit or details.gap - details.chance > limit
    return wide or bool(_broken(finding)) or details.compared < COMPARED


def _suspect(details: Members, tolerated: str) -> str:
    return (
        f"at some threshold members are accused {points(details.gap)} points more often, and chance alone "
        f"makes that {points(details.chance)} in one of 10,000 cases, {tolerated}: above the limit."
    )


def _standing_out(details: Members, policy: Policy) -> Ruling:
    """Somebody far from all others is recognised alone, whatever the share of members is."""
    several = details.standing_out != 1
    who = f"{details.standing_out:,} members stand" if several else "1 member stands"
    return "stop", (
        f"{who} out: {'their records move' if several else 'that record moves'} the means more than "
        f"{FAR:g} times as far as chance, so that whoever knows it sees it in them; {policy.max_known:,} "
        "tolerated. Leave such people or such columns out, or cut values off."
    )


def _broken(finding: MembersFinding) -> str:
    """Say why the attack, as it was run, cannot show that nobody is recognised; nothing if it can.

    Where innocent people are accused too often, members may be accused for the same reason, and being in
    the data makes no difference that could be seen.
    """
    if not finding.details.level_kept:
        return "more people not in the data are accused than the level allows"
    if any(row.left_out is not None and row.left_out.low > row.at for row in finding.reachable):
        return "people like the members are accused from a release made without them"
    return ""


def _targets(found: Targets, policy: Policy) -> Ruling:
    """Nobody may be recognised; that nobody is accused shows no safety."""
    if found.alarms:
        return "undecided", "the level of this test is not known here, so nobody is accused."
    if found.out_of_reach:
        return "undecided", "nobody could be accused, whoever is in the data; more references would decide."
    if found.accused > policy.max_known:
        who = "target is" if found.accused == 1 else "targets are"
        return "stop", (
            f"{found.accused:,} {who} accused of being in the data at level {found.level:g}, "
            f"{policy.max_known:,} tolerated."
        )
    return "undecided", (
        f"{found.accused:,} of {found.targets:,} targets are accused; who is in the data is not known, so "
        "that shows no safety. The custodian of the data can tell: dalenius trace members."
    )


def _sizes(found: Sizes, limit: float) -> Ruling:
    """What is predicted for the number of means that somebody wants to publish."""
    if found.means is None:
        return "undecided", "no number of means to publish was given: --means decides."
    allowed = f"limit {points(limit)} points over {found.false_alarms:g} false alarms"
    if found.limit is not None and found.limit - found.false_alarms <= limit:
        return "pass", f"no attack recognises more than {found.limit:.1%} of the members, {allowed}."
    best = max((attack.recognised or 0.0) for attack in found.attacks)
    if best - found.false_alarms > limit:
        return "stop", f"an attack is predicted to recognise {best:.1%} of the members, {allowed}."
    return "undecided", (
        f"the attacks known here are predicted to recognise at most {best:.1%} of the members, {allowed}; "
        "another one may do better."
    )


def _safe(found: SafeReleases) -> Ruling:
    """Exact frequencies of everything, tried on the custodian's own people."""
    tolerated = f"limit {points(found.limit)} points"
    first, row = found.ways[0], found.ways[0].tried[0]
    rates = f"{row.recognised:.1%} of the members and {row.others:.1%} of others at level {row.level:g}"
    if first.setting is not None:
        return "pass", f"exact frequencies of all variants give away {rates}, {tolerated}, on every draw."
    safe = [f"{way.way}: {way.setting}" for way in found.ways[1:] if way.setting is not None]
    instead = f"safe instead, {'; '.join(safe)}" if safe else "nothing that was tried is safe"
    said = f"exact frequencies of all variants give away {rates}, {tolerated}; {instead}."
    return ("stop", said) if row.verdict == "stop" else ("undecided", said)


def _promise(found: PromiseTested) -> Ruling:
    """A promise that is refuted is broken; one that is not may be: noise a little too small is not seen."""
    name, claimed = found.measured, f"{found.claimed:g}"
    if found.low > found.claimed:
        return "stop", f"{name} is at least {found.low:.3g}, and {claimed} is promised."
    if found.ceiling <= found.claimed:
        return "undecided", (
            f"so few releases cannot refute {name} {claimed}, but {found.ceiling:.3g} at most: more would "
            "decide."
        )
    return "undecided", (
        f"{name} {claimed} is not refuted: at least {found.low:.3g} is shown, and up to {found.ceiling:.3g} "
        "could have been. That is no proof: noise a little too small is not seen."
    )
