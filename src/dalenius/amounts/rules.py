"""Whether a finding about amounts keeps to a policy."""

from __future__ import annotations

from collections.abc import Iterator

from dalenius.amounts.finding import AmountsFinding
from dalenius.amounts.words import between, close, if_assumed
from dalenius.findings.measure import to_decide
from dalenius.findings.policy import Policy, Ruled, from_to, points, ruled_by_samples
from dalenius.knowledge.weights import KNOWN
from dalenius.shown import people


def rulings(finding: AmountsFinding, policy: Policy) -> list[Ruled]:
    """Hold one finding about amounts against a policy: every broken rule is told.

    Without the true amounts nothing passes. Nor does it where ends were not looked for to the end, or where
    they are refuted by the truth: then the tables were not made as stated.
    """
    details = finding.details
    if details.outside:
        reason = "what follows from the tables is not true: they were not made as stated."
        return [Ruled("undecided", reason, "max_certain")]
    ruled = [_certain(finding, policy)]
    if finding.known is None:
        return [*ruled, Ruled("undecided", f"{finding.undecided}.", "max_known")]
    others = ruled_by_samples(details.resampled)
    return [*ruled, _known(finding, policy), _near(finding, policy), *others, *_weighted(finding)]


def _certain(finding: AmountsFinding, policy: Policy) -> Ruled:
    details, certain = finding.details, finding.certain or 0
    allowed = f"{policy.max_certain:,} tolerated"
    if certain > policy.max_certain:
        of = f"the {details.amount} of {people(certain)} follows {close(details.within)} by arithmetic alone"
        condition = if_assumed(details)
        return Ruled("stop", f"{of}{condition}{';' if condition else ','} {allowed}.", "max_certain")
    if not details.searched:
        reason = "not everybody's ends were looked for, so nobody can say who is known."
        return Ruled("undecided", reason, "max_certain")
    return Ruled(
        "pass", f"nobody's {details.amount} follows by arithmetic beyond what is tolerated.", "max_certain"
    )


def _known(finding: AmountsFinding, policy: Policy) -> Ruled:
    details, known = finding.details, finding.known or 0
    if known > policy.max_known:
        of = f"the {details.amount} of {people(known)} is bounded {close(details.within)} of itself"
        inside = f", {details.inside:,} of them for somebody of their group only" if details.inside else ""
        return Ruled("stop", f"{of}{inside}; {policy.max_known:,} tolerated.", "max_known")
    return Ruled("pass", "nobody's amount is bounded too closely beyond what is tolerated.", "max_known")


def _weighted(finding: AmountsFinding) -> Iterator[Ruled]:
    """Nothing passes by weights that nobody is said to know, nor by numbers that were not attacked."""
    details = finding.details
    if details.weights not in (None, KNOWN):
        reason = f"survey weights are taken for {between(details.weights)}: whoever knows them learns more."
        yield Ruled("undecided", reason, "max_known")
    if details.unread:
        which = ", ".join(details.unread)
        yield Ruled("undecided", f"nothing here attacks {which} by survey weights.", "max_known")


def _near(finding: AmountsFinding, policy: Policy) -> Ruled:
    gain, baseline = finding.advantage, finding.decisive.baseline
    limit = policy.limit(baseline.rate if baseline is not None else 0.0)
    allowed = policy.limit_in_words(baseline.rate if baseline is not None else 0.0)
    said = (
        f"estimates are {close(finding.details.within)} {points(gain.value)} points more often "
        f"({from_to(gain.low, gain.high)}), {allowed}"
    )
    if gain.low > limit:
        return Ruled("stop", f"{said}: above the limit.", "max_advantage")
    if 0 <= gain.high <= limit:
        return Ruled("pass", f"{said}: below the limit.", "max_advantage")
    bound = finding.bound
    if bound is not None and gain.low <= bound.value <= limit:
        most = f"{points(bound.value)} points ({bound.statement})"
        return Ruled("pass", f"no attack can gain more than {most}, {allowed}.", "max_advantage")
    if gain.high < 0:
        reason = "estimates are worse than without the release, so another attack may do better"
        return Ruled("undecided", f"{said}: {reason}.", "max_advantage")
    needed = to_decide(gain, limit, finding.people)
    return Ruled("undecided", f"{said}: the interval holds the limit; {needed}.", "max_advantage")
