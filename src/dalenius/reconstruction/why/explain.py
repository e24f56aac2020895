"""What makes a finding about secrets readable: about whom it is, and which tables are behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalenius.findings.explanation import said_of_causes
from dalenius.progress import Progress
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.finding import SecretsFinding
from dalenius.reconstruction.referee.judge import Thresholds

if TYPE_CHECKING:
    from dalenius.reconstruction.case import SecretsOpened


def explain(
    opened: SecretsOpened, release: str, claims: Guesses, finding: SecretsFinding, *, progress: Progress
) -> SecretsFinding:
    """Return the finding with whom it hits, and where somebody is at risk or a gain is shown, with why."""
    policy = opened.policy
    thresholds = Thresholds(known=policy.known_at, named=policy.sensitive or ())
    at_risk = opened.court.at_risk(claims, thresholds)
    shown = at_risk.count > 0 or finding.advantage.low > 0
    why = None
    if opened.scenario.why and shown:
        from dalenius.reconstruction.why.leave_one_out import look_for_causes  # a pass needs none of it

        why = look_for_causes(opened, release, claims, progress=progress)
    explanation = finding.explanation.model_copy(
        update={"groups": at_risk.groups(opened.roster.attributes), "why": why}
    )
    return finding.model_copy(
        update={"explanation": explanation, "facts": (*finding.facts, *said_of_causes(why))}
    )
