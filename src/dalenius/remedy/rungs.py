"""From what an audit found about a changed plan to one rung of the ladder."""

from __future__ import annotations

from collections.abc import Sequence

from dalenius.findings.measure import Gain, Verdict
from dalenius.findings.report import ChangeKind, Finding, Price, Rung

PASSES_ONCE = "It passes"
"""How a note begins about a change that one attack lets pass, and that is not shown to pass."""


def rung_of(
    kind: ChangeKind,
    said: str,
    release: str,
    finding: Finding | None,
    price: Price,
    verdict: Verdict,
    confirmed: tuple[int, int] = (0, 0),
) -> Rung:
    """Make a rung; what a finding does not tell stays open.

    Parameters
    ----------
    kind, said, release
        The change.
    finding
        What was found about it, by the finding that decides.
    price
        What it costs.
    verdict
        What the policy says, once it was confirmed.
    confirmed
        On how many groups or draws it was tried again, and on how many of them it passed. All of them
        beside a broken rule would read as a pass: other people are tried for some of the rules alone.
    """
    tried, kept = confirmed if verdict == "pass" or confirmed[1] < confirmed[0] else (0, 0)
    return Rung(
        kind=kind,
        change=said,
        release=release,
        sure=None if finding is None else finding.certain,
        nearly=None if finding is None else finding.known,
        advantage=None if finding is None else gain_of(finding),
        price=price,
        promise=None if finding is None else finding.promise,
        bound=None if finding is None else finding.bound,
        verdict=verdict,
        tried=tried,
        kept=kept,
    )


def gain_of(finding: Finding) -> Gain | None:
    """What the attack gains, as a share of its tries: nothing where it had none, and no ratio of epsilons."""
    if not finding.measures or not finding.decisive.told or finding.decisive.unit != "share":
        return None
    return finding.decisive.advantage


def at_risk(finding: Finding | None) -> tuple[float, float]:
    """Return how many people are certain or as good as known, and what is gained besides."""
    if finding is None:
        return 0.0, 0.0
    gain = gain_of(finding)
    people = (finding.certain or 0) + (finding.known or 0)
    return float(people), 0.0 if gain is None else gain.value


def resampled(findings: Sequence[Finding]) -> tuple[int, int] | None:
    """On how many samples of the people all findings were tried again, and on how many they all passed.

    ``None`` if nothing was tried on other people.
    """
    found = [again for finding in findings if (again := finding.tried_again) is not None]
    if not found:
        return None
    tried = min(again.draws for again in found)
    return tried, min(tried, *(again.draws - again.broken for again in found))
