"""Tracing in words: what members, targets and sizes mean, in sentences without anybody in them."""

from __future__ import annotations

from collections.abc import Iterator

from dalenius.findings.measure import Counted
from dalenius.findings.policy import percent
from dalenius.findings.tally import Tally
from dalenius.theory.tracing.plan import DELTA
from dalenius.tracing.finding import (
    AtLevel,
    MembersFinding,
    PromiseTested,
    SafeReleases,
    Sizes,
    Targets,
    TracingFinding,
)


def tracing_sentence(release: str, rate: AtLevel) -> str:
    """Say in plain words what an attacker gets, beside what happens to people who are not in the data."""
    who = "a person not in the data" if rate.against == "outsiders" else "a person like them, left out of it"
    said = (
        f"From the release {release!r}, {_percent(rate.attack)} of the participants can be recognised by "
        f"somebody who has their record, at {odds(rate.at)}; {who}: {_percent(rate.baseline)}."
    )
    return said if rate.advantage.low > 0 else f"{said} The difference is within chance."


def odds(level: float) -> str:
    """Write a rate of false alarms in words.

    Examples
    --------
    >>> odds(0.001), odds(0.05), odds(0.03)
    ('one false alarm in 1,000', 'one false alarm in 20', '3% false alarms')
    """
    one_in = 1 / level
    if abs(one_in - round(one_in)) < 1e-6 * one_in:
        return f"one false alarm in {round(one_in):,}"
    return f"{100 * level:g}% false alarms"


def _percent(rate: Counted) -> str:
    return percent(Tally(rate.hits, rate.trials))


def _share(rate: Counted) -> str:
    return f"{rate.hits:,} ({rate.rate:.1%})"


def member_facts(finding: MembersFinding) -> Iterator[str]:
    """Say how it was tried, on whom, and what is promised; nobody is named."""
    details = finding.details
    proved = "levels proved under the assumptions" if details.rigorous else "levels approximate"
    yield (
        f"{finding.numbers or 0:,} means published; mechanism {finding.mechanism}; test "
        f"{finding.attack_method} ({proved}); the attacker holds {details.pool:,} reference people."
    )
    beyond = [row.label for row in finding.measures if not row.shown]
    if beyond:
        yield (
            f"Not reachable with {details.pool:,} references: level {', '.join(beyond)}. No p-value can be "
            f"below {details.smallest:.3g}, so nobody is accused there, whoever is in the data."
        )
    outsiders = finding.measures[0].outsiders.trials
    yield (
        f"Judged: {finding.people or 0:,} members and {outsiders:,} people not in the data. A member is more "
        f"suspect than such a person with probability {details.area:.3f}; 0.5 is chance."
    )
    for group in details.groups:
        yield f"{group.name}: " + "; ".join(
            f"{_share(rate)} accused at {odds(at.at)}"
            for rate, at in zip(group.rates, finding.measures, strict=True)
            if at.shown
        )
    over = finding.measures[finding.deciding or 0].over_releases
    if over is not None:
        yield (
            f"Over {over.releases} releases {over.mean:.1%} ({over.low:.1%} to {over.high:.1%}) of the "
            f"members are accused at {odds(finding.headline)}."
        )
    if details.prior is not None:
        right = ", ".join(
            f"{row.ppv:.1%} at level {row.label}" for row in finding.reachable if row.ppv is not None
        )
        yield f"If {details.prior:.3g} of those looked at are members, an accusation is right in {right}."
    if finding.promise is not None:
        yield f"Promised: {finding.promise}."
    if finding.bound is not None:
        yield finding.bound.text


_MEANING = {
    "bh": "of those accused a share of at most {level:g} is expected to be innocent (Benjamini-Hochberg)",
    "by": "of those accused a share of at most {level:g} is expected to be innocent (Benjamini-Yekutieli)",
    "holm": "the chance that anybody is accused wrongly is at most {level:g} (Holm)",
    "bonferroni": "the chance that anybody is accused wrongly is at most {level:g} (Bonferroni)",
}


def targets_sentence(found: Targets) -> str:
    """Say who is accused, or why nobody is."""
    if found.alarms:
        return (
            "Nobody is accused. The level of this test is not known here, so its p-values are no chances; "
            "scores only say who is more like the release than others."
        )
    if found.out_of_reach:
        return "Nobody could be accused, whoever is in the data."
    meaning = _MEANING[found.correction].format(level=found.level)
    return (
        f"{found.accused:,} of {found.targets:,} targets are accused: {meaning}. Taken alone, "
        f"{found.alone:,} have a p-value of {found.level:g} or less; at most {found.expected_alone:.1f} "
        "would on average if nobody were in the data."
    )


def targets_facts(finding: TracingFinding, found: Targets) -> Iterator[str]:
    """Say what was compared with what, and how far the level holds."""
    about = "an unknown number of" if finding.people is None else f"{finding.people:,}"
    yield (
        f"{finding.numbers or 0:,} means of {about} people, mechanism {finding.mechanism}; "
        f"{found.targets:,} targets, {found.held}."
    )
    if found.groups:
        like = (f"{group.accused:,} like the {group.people or 0:,} {group.name}" for group in found.groups)
        yield f"Accused: {', '.join(like)}."
    how = "level proved under what is assumed" if found.rigorous else "level approximate"
    yield f"Test {finding.attack_method}: {'level doubted' if found.alarms else how}."
    if found.unlike:
        yield (
            f"Nothing is said of {found.unlike:,} targets whose records are unlike the references': they are "
            "undecided."
        )
    yield "An accusation says that a record is not independent of the release: a relative is accused too."


def sizes_sentence(found: Sizes) -> str:
    """Say how many means are safe, and from how many on people are traced."""
    share = f"{found.recognised:.0%}"
    if found.safe:
        safe = f"Safe: up to {found.safe:,} means no attack whatever recognises {share} of the members."
    elif found.sigma:
        safe = f"Safe: not even one mean. With so little noise it may give {share} of the members away."
    else:
        safe = "Safe: no number of means. Without noise nothing limits every attack."
    first = min(found.attacks, key=lambda attack: attack.means)
    return f"{safe} From {first.means:,} means on {first.name} recognises as many."


def sizes_facts(finding: TracingFinding, found: Sizes) -> Iterator[str]:
    """Say what attackers need, what is guaranteed, and what is true of the number that is wanted."""
    known = found.reference is None
    held = "the population's own means" if known else f"{found.reference:,} reference people"
    share = f"{found.recognised:.0%}"
    yield (
        f"Means of {finding.people or 0:,} people, noise {found.sigma:g} on each fraction; the attacker has "
        f"a person's record and {held}, and allows {found.false_alarms:g} false alarms."
    )
    yield f"Law of the population's means: {found.law}."
    yield f"Means from which an attack recognises {share} of the members:"
    for attack in found.attacks:
        kind = "level holds for independent attributes" if attack.proven else "level approximate"
        yield f"  {attack.means:>13,}  {attack.name} ({attack.holds}; {kind})"
    if found.guaranteed is not None:
        yield (
            f"  {found.guaranteed:>13,}  guaranteed against every symmetric mechanism that is accurate on "
            "average (Robust Traceability, Proposition 13)"
        )
    else:
        yield (
            "No number of means is guaranteed to trace people against every mechanism: with this bias means "
            "may say too little (Robust Traceability, Proposition 13)."
        )
    if found.means is not None:
        best = max(found.attacks, key=lambda attack: attack.recognised or 0.0)
        yield f"With {found.means:,} means: {best.name} recognises {best.recognised or 0:.1%} of the members."
    if found.limit is not None:
        yield (
            f"No attack recognises more than {found.limit:.1%}: rho = {found.rho:.4g}, epsilon = "
            f"{found.epsilon:.4g} at delta {DELTA:g}."
        )


WAYS = {
    "all": "as they are",
    "fewer": "fewer variants, spread evenly",
    "common": "common variants alone",
    "digits": "digits after the point",
    "noise": "normal noise",
}
"""What the ways to publish are called."""


def safe_sentence(found: SafeReleases) -> str:
    """Say what can be published, way by way."""
    if found.ways[0].setting is not None:
        return f"Safe as they are: exact frequencies of all {found.variants:,} variants."
    safe = [f"{WAYS[way.way]}: {way.setting}" for way in found.ways[1:] if way.setting is not None]
    if not safe:
        return (
            f"Exact frequencies of {found.variants:,} variants are not safe, nor is anything that was tried."
        )
    most = "; ".join(safe)
    return f"Exact frequencies of {found.variants:,} variants are not safe. The most that is: {most}."


def safe_facts(found: SafeReleases) -> Iterator[str]:
    """Say what was tried, and what each gave away."""
    yield (
        f"Tried on your own people, with {found.reference:,} reference people, at false alarms down to "
        f"{found.false_alarms:g}; what is called safe was so on {found.confirmed} more draws."
    )
    for way in found.ways:
        tried = "; ".join(
            f"{each.setting} {each.recognised:.1%} ({each.others:.1%}) {each.verdict}"
            for each in way.tried
            if each.draw == 0
        )
        yield f"{WAYS[way.way].capitalize()}, members (others): {tried}."
        failed = sum(each.draw > 0 and each.verdict != "pass" for each in way.tried)
        if failed:
            yield f"  Of what passed first, {failed:,} failed on fresh draws and gave way to more protection."


def promise_sentence(found: PromiseTested, promise: str) -> str:
    """Say whether a promise is refuted."""
    if found.low > found.claimed:
        return f"The promise, {promise}, is not kept: {found.measured} is at least {found.low:.3g}."
    return (
        f"The promise, {promise}, is not refuted: {found.measured} is shown to be at least {found.low:.3g}."
    )


def promise_facts(found: PromiseTested) -> Iterator[str]:
    """Say how well each pair of worlds was told apart."""
    for pair in found.pairs:
        yield (
            f"Worlds that differ in {pair.pair} of one record: told in {pair.told:,} of {pair.trials:,} "
            f"releases, mistaken in {pair.mistaken:,} of {pair.trials:,}; {found.measured} at least "
            f"{pair.low:.3g}."
        )
    yield (
        f"Releases without a mistake would have shown {found.measured} {found.ceiling:.3g} at most. "
        f"Promised is epsilon {found.epsilon_claimed:.3g} at delta {found.delta:g}."
    )
