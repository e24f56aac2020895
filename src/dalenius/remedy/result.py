"""What a remedy found: the ladder of changes, the plan that passes, and the reports before and after."""

from __future__ import annotations

from dataclasses import dataclass, field

from dalenius.atomic_write import Scratch
from dalenius.auditing.changes.candidate import Candidate
from dalenius.findings.measure import dump
from dalenius.findings.report import Ladder, Report, Rung


@dataclass(frozen=True)
class Remedy:
    """A search for the least change that makes a plan pass.

    Parameters
    ----------
    before
        The report of the plan as it is, with the ladder in it.
    best
        The changed plan that passes at the least price; ``None`` if none does, or if none is needed.
    after
        The report of that changed plan.
    scratch
        Where the files of the changed plan are until they are written: they go with this object.
    """

    before: Report
    best: Candidate | None
    after: Report | None
    scratch: Scratch | None = field(default=None, repr=False)

    @property
    def ladder(self) -> Ladder:
        """All changes that were tried."""
        if self.before.ladder is None:
            raise AttributeError("ladder: nothing was looked for")
        return self.before.ladder

    @property
    def passes(self) -> bool:
        """Whether the plan passes as it is, or one of the changes makes it pass."""
        return self.ladder.best is not None

    @property
    def rung(self) -> Rung | None:
        """The change that passes at the least price."""
        return None if self.ladder.best is None else self.ladder.rungs[self.ladder.best]

    def summary(self) -> str:
        """Return the ladder as plain text; nobody is in it."""
        from dalenius.remedy.written.text import summary

        return summary(self)

    def _repr_html_(self) -> str:
        from dalenius.report.page.render import LADDER, fragment_html

        return fragment_html(self.before, LADDER)

    def to_json(self) -> str:
        """Return the ladder as ``remedy.json`` has it; nobody is in it."""
        return dump(self.ladder)

    def __repr__(self) -> str:
        return (
            f"Remedy(passes: {'yes' if self.passes else 'no'}; changes tried: {len(self.ladder.rungs) - 1})"
        )
