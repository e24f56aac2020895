"""Whether a finding about secrets keeps to a policy: certain people, known people and the advantage.

Each rule gives a verdict and a sentence; the worst verdict is that of the finding, and every rule that leads
to it is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalenius.errors import InputError
from dalenius.findings.finding import Finding, KnownPeople, Verdict
from dalenius.findings.words import from_to, people, points

if TYPE_CHECKING:
    from dalenius.findings.policy import Policy

Ruling = tuple[Verdict, str]

FEWEST_PEOPLE = 20
"""From fewer people what is usual cannot be learnt: only arithmetic stops then."""

RANK: dict[Verdict, int] = {"pass": 0, "undecided": 1, "stop": 2}


def decide_reconstruction(finding: Finding, policy: Policy) -> tuple[Verdict, tuple[str, ...]]:
    """Say whether one finding about secrets keeps to a policy, with every rule that decides it.

    Raises
    ------
    InputError
        If people were counted as known from another probability on than the policy's.
    """
    rulings = [
        _certain(finding, policy),
        *_refuted(finding),
        _known(finding, policy),
        _advantage(finding, policy),
        *_resampled(finding),
        *_untold(finding),
    ]
    if finding.population_source != "reference" and finding.people < FEWEST_PEOPLE:
        rulings = [_too_few(*ruling) if ruling is not rulings[0] else ruling for ruling in rulings]
    verdict = max((verdict for verdict, _ in rulings), key=RANK.__getitem__)
    told = tuple(reason for each, reason in rulings if each == verdict and reason)
    return verdict, told


def _certain(finding: Finding, policy: Policy) -> Ruling:
    """No more people than tolerated may follow by arithmetic."""
    rows = finding.about(policy.sensitive)
    counted = finding.certain.hits if policy.sensitive is None else sum(row.certain for row in rows)
    if counted <= policy.max_certain:
        return "pass", ""
    secret, verb = ("secret", "follows") if counted == 1 else ("secrets", "follow")
    which = _by_value(rows, [row.certain for row in rows])
    whose = people(counted)
    return (
        "stop",
        f"the {secret} of {whose}{which} {verb} by arithmetic alone, {policy.max_certain:,} tolerated.",
    )


def _refuted(finding: Finding) -> list[Ruling]:
    """What followed by arithmetic and is wrong: the release is not what it says, and nothing is shown."""
    if finding.certain_right >= finding.certain.hits:
        return []
    return [("undecided", "what follows by arithmetic is not true: the release was not made as stated.")]


def _known(finding: Finding, policy: Policy) -> Ruling:
    """No more people than tolerated may be known beyond what guessing knows, and beyond luck."""
    if finding.known and finding.known_at != policy.known_at:
        rule = f"must count people as known from {policy.known_at:g} on, as the policy does"
        raise InputError("findings", rule, f"{finding.known_at:g}", "Run the audit again.")
    rows = finding.about(policy.sensitive)
    counts = [row.right for row in rows]
    found, held, tolerated = sum(counts), sum(row.held for row in rows), f"{policy.max_known:,} tolerated"
    if found <= policy.max_known:
        return "pass", ""
    verb, secret = ("is", "secret") if found == 1 else ("are", "secrets")
    told = (
        f"the {secret} of {people(found)}{_by_value(rows, counts)} {verb} as good as known: held at "
        f"{policy.known_at:g} or more because of the release, {found:,} of {held:,} rightly; {tolerated}"
    )
    if finding.control_gains:
        return "undecided", f"{told}; but the control gains too: correlation, not leak."
    if finding.established(policy.sensitive) > policy.max_known:
        return "stop", f"{told}."
    if not all(row.calibrated for row in rows):
        return "undecided", f"{told}; but too many of these claims are wrong to count."
    return "undecided", f"{told}; that many may be right by luck."


def _resampled(finding: Finding) -> list[Ruling]:
    """A pass must not be luck: samples of the people keep to the policy too."""
    again = finding.resampled
    if again is None:
        return []
    samples = (
        f"{again.draws - again.broken} of {again.draws} random samples of {again.share:.0%} of the people"
    )
    if not again.broken:
        return [("pass", f"{samples} keep to the policy too.")]
    return [
        (
            "undecided",
            f"these people keep to the policy, but only {samples} do ({again.reason}) Without a promise a "
            "release may pass by luck: which counts end near a limit is chance.",
        )
    ]


def _untold(finding: Finding) -> list[Ruling]:
    """How a release was made does not stay unknown for ever: an attack that was not told shows no safety."""
    if "unknown" not in finding.mechanism.split(" or "):
        return []
    return [
        (
            "undecided",
            "the attack was told nothing about the mechanism: whoever knows how it was made may learn more.",
        )
    ]


def _too_few(verdict: Verdict, reason: str) -> Ruling:
    if verdict != "stop":
        return verdict, reason
    few = f"fewer than {FEWEST_PEOPLE} people do not tell what could be guessed without the release"
    return "undecided", f"{reason[:-1]}; but {few}."


def _advantage(finding: Finding, policy: Policy) -> Ruling:
    """The attack may not be right more often than tolerated, by its interval or by a theorem."""
    limit, why = (
        policy.limit(finding.better_baseline.rate),
        policy.limit_in_words(finding.better_baseline.rate),
    )
    low, high = finding.advantage.low, finding.advantage.high
    measured = f"advantage {points(finding.advantage.value)} points ({from_to(low, high)}), {why}"
    if low > limit:
        if finding.control_gains:
            return "undecided", f"{measured}; but the control gains too: correlation, not leak."
        return "stop", f"{measured}: above the limit{_broken(finding)}."
    if _broken(finding):
        return "undecided", f"{measured}{_broken(finding)}."
    if high <= limit:
        return "pass", f"{measured}: below the limit."
    bound = finding.bound
    if bound is not None and bound.kind == "advantage-at-most" and bound.value <= limit:
        return (
            "pass",
            f"no attack can gain more than {points(bound.value)} points ({bound.statement}), {why}.",
        )
    return "undecided", f"{measured}: the interval holds the limit; more people would decide."


def _broken(finding: Finding) -> str:
    """What to say when the attack does better than a theorem allows."""
    bound = finding.bound
    if bound is None or bound.kind != "advantage-at-most" or finding.advantage.low <= bound.value:
        return ""
    allowed = f"{points(bound.value)} points that {bound.statement} allows"
    return f", and above the {allowed}: the promise is not kept"


def _by_value(rows: Sequence[KnownPeople], counts: Sequence[int]) -> str:
    """How many of each value, where there is more than one to tell apart."""
    named = [
        f"{row.value or 'rare values'}: {count:,}" for row, count in zip(rows, counts, strict=True) if count
    ]
    return f" ({', '.join(named)})" if named and len(rows) > 1 else ""
