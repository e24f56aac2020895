"""Decide old findings again, under other rules and without the data.

What a rule needs and the file does not have is never taken for kept: the verdict is then *undecided* at best,
and says what would decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dalenius.auditing.decide import BROKEN, NOT_DECIDED, assemble, needs_again, of_rulings
from dalenius.auditing.families import family_of
from dalenius.errors import InputError, nearest
from dalenius.findings.policy import ROUNDING, Policy, Ruled, worst_of
from dalenius.findings.report import Finding, Report
from dalenius.findings.tally import share_confidence

AGAIN = "run the audit again with these rules"

_ANY = 10**12
"""More people than there are: a limit that nothing breaks."""


def redecide(report: Report, policy: Policy) -> Report:
    """Hold the findings of a report against other rules.

    Parameters
    ----------
    report
        What was found, as it was read from its file.
    policy
        The other rules.

    Returns
    -------
    Report
        The same findings with the new verdict; no ladder, since its changes were held against the old rules.

    Raises
    ------
    InputError
        If the rules are about values that nobody in the findings can have.
    """
    _check_values(report, policy)
    needed = _confidence_needed(report.findings, policy)
    findings = [_graded_alone(one) for one in report.findings]
    each = [of_rulings(one, _rulings(one, report.policy, policy, needed)) for one in findings]
    decided = [one for one in each if one is not None]
    made = assemble(decided, findings, policy, data=report.data, seed=report.seed, not_run=report.not_run)
    return made.model_copy(update={"dalenius_version": report.dalenius_version})


def _rulings(finding: Finding, old: Policy, new: Policy, needed: float) -> list[Ruled]:
    """What the new rules say as far as the file can tell, and what it cannot."""
    family = family_of(finding.goal)
    judged = getattr(finding.details, "judged", None)
    asked, doubts = new, list[Ruled]()
    counted_from = getattr(judged, "known_at", None)
    if counted_from is not None and counted_from != new.known_at:
        asked = asked.model_copy(update={"known_at": counted_from, "max_known": _ANY})
        counted = f"people were counted as known from {counted_from:g} on, these rules count from"
        doubts.append(Ruled("undecided", f"{counted} {new.known_at:g}: {AGAIN}.", "known_at"))
    doubts += _uncounted(judged, new)
    if finding.confidence is not None and finding.confidence < needed - ROUNDING:
        # only what follows by arithmetic or computation stands without its interval
        asked = asked.model_copy(
            update={"max_advantage": 1.0, "max_recovered": 1.0, "max_known": _ANY, "max_copies": 1.0}
        )
        sure = [ruled for ruled in family.rulings(finding, asked) if ruled.verdict == "stop"]
        short = f"intervals hold with {finding.confidence:.6g}, these rules need {needed:.6g}: {AGAIN}."
        return [*sure, *doubts, Ruled("undecided", short, "confidence")]
    rulings = [*family.rulings(finding, asked)]
    if not rulings:
        return []
    rulings += doubts
    if _by_luck(finding, rulings, old, new):
        luck = "whether other people would keep to these rules too was not tried; a pass may be luck"
        rulings.append(Ruled("undecided", f"{luck}: {AGAIN}.", "other samples pass"))
    return rulings


def _uncounted(judged: Any, new: Policy) -> Iterator[Ruled]:
    """Values that the rules are about and the file does not count apart."""
    rows = getattr(judged, "known", None)
    if rows is None or new.sensitive is None:
        return
    missing = [value for value in new.sensitive if value not in {row.value for row in rows}]
    if missing:
        said = f"the findings do not count {', '.join(missing)} apart, since few people have it: {AGAIN}."
        yield Ruled("undecided", said, "sensitive")


def _by_luck(finding: Finding, rulings: Sequence[Ruled], old: Policy, new: Policy) -> bool:
    """Whether a pass would rest on one draw of people: these rules were not tried on samples of them."""
    if not finding.about_these_people or not needs_again(finding, rulings, new):
        return False
    before = worst_of(ruled.verdict for ruled in family_of(finding.goal).rulings(finding, old))
    return before != "pass" or not no_stricter(old, new)


def no_stricter(old: Policy, new: Policy) -> bool:
    """Whether whatever keeps the old rules keeps the new ones.

    Examples
    --------
    >>> no_stricter(Policy(), Policy(max_advantage=0.1)), no_stricter(Policy(), Policy(max_advantage=0.01))
    (True, False)
    """
    limits = ("max_advantage", "max_recovered", "max_certain", "max_known", "max_copies")
    if any(getattr(new, name) < getattr(old, name) for name in limits):
        return False
    if (new.known_at, new.confidence) != (old.known_at, old.confidence):
        return False
    for before, after in ((old.max_nu, new.max_nu), (old.max_related_rho, new.max_related_rho)):
        if after is not None and (before is None or after < before):
            return False
    if new.max_related_rho is None and old.max_related_rho is not None and new.max_nu is not None:
        return False  # then nu decides, which is infinite under Gaussian noise
    return old.sensitive is None or (new.sensitive is not None and {*new.sensitive} <= {*old.sensitive})


def _confidence_needed(findings: Sequence[Finding], policy: Policy) -> float:
    estimated = sum(finding.confidence is not None for finding in findings)
    return share_confidence(policy.confidence, max(estimated, 1))


def _check_values(report: Report, policy: Policy) -> None:
    """Refuse a value that is none of the secret's: a slip of the finger would pass everything."""
    rows = [
        row
        for finding in report.findings
        for row in getattr(getattr(finding.details, "judged", None), "known", ())
    ]
    named = {row.value for row in rows}
    if policy.sensitive is None or not rows or None in named:
        return
    for value in policy.sensitive:
        if value not in named:
            rule = "must be values of the secret"
            raise InputError("sensitive", rule, repr(value), nearest(value, [name for name in named if name]))


def _graded_alone(finding: Finding) -> Finding:
    """The finding as it was graded before any rule was held against it: the old rules say nothing here."""
    reason = finding.severity_reason
    if reason != NOT_DECIDED and not reason.startswith(BROKEN):
        return finding
    said = "no attack was shown to gain" if reason == NOT_DECIDED else reason.removeprefix(BROKEN).strip()
    return finding.model_copy(update={"severity": "none", "severity_reason": said})
