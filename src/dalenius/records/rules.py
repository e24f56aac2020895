"""Whether a finding about records keeps to a policy: certain records stop, and nothing else shows safety."""

from __future__ import annotations

from dalenius.findings.policy import Policy, Ruled
from dalenius.records.finding import RecordsFinding
from dalenius.records.words import if_assumed
from dalenius.shown import people


def rulings(finding: RecordsFinding, policy: Policy) -> list[Ruled]:
    """Hold one finding about records against a policy.

    That nobody's whole record is certain passes nothing: other tables, or a file of named people, may be
    put beside these.
    """
    judged = finding.details.judged
    if judged is not None and (judged.wrong or not judged.kept):
        reason = "what follows by arithmetic is not true: the tables were not made as stated."
        return [Ruled("undecided", reason, "max_certain")]
    certain = finding.certain or 0
    if certain > policy.max_certain:
        verb = "record of 1 person is" if certain == 1 else f"records of {people(certain)} are"
        condition = if_assumed(finding.details)
        reason = (
            f"the whole {verb} certain by arithmetic alone{condition}{';' if condition else ','} "
            f"{policy.max_certain:,} tolerated."
        )
        return [Ruled("stop", reason, "max_certain")]
    return [Ruled("undecided", f"{finding.undecided or 'few records are certain'}.", "max_certain")]
