"""What came of a pass that was tried again on other people, and what it shows."""

from __future__ import annotations

from dalenius.findings.measure import Plain
from dalenius.findings.policy import Ruled

RULE = "other samples pass"
"""What every pass needs that no theorem covers, besides the rules of a policy."""

NOT_TRIED = (
    "A release that no theorem covers may pass by luck: which numbers end near a limit is chance. It was not "
    "tried on other people."
)


class Resampled(Plain):
    """What came of a release that passes when random samples of the people were published instead.

    ``broken`` of ``draws`` samples, each with this ``share`` of the people, break the policy; ``reason`` is
    the first of the rules broken.
    """

    draws: int
    share: float
    broken: int
    reason: str | None


def ruled_by_samples(again: Resampled | None) -> list[Ruled]:
    """A pass must not be luck: samples of the people keep to the policy too; nothing if none was tried.

    Examples
    --------
    >>> ruled_by_samples(Resampled(draws=5, share=0.9, broken=0, reason=None))[0].reason
    '5 of 5 random samples of 90% of the people keep to the policy too.'
    """
    if again is None:
        return []
    kept = again.draws - again.broken
    samples = f"{kept} of {again.draws} random samples of {again.share:.0%} of the people"
    if not again.broken:
        return [Ruled("pass", f"{samples} keep to the policy too.", RULE)]
    luck = "Without a promise a release may pass by luck: which numbers end near a limit is chance."
    reason = f"these people keep to the policy, but only {samples} do ({again.reason}) {luck}"
    return [Ruled("undecided", reason, RULE)]
