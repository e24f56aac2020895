"""What only a finding about amounts says: who is bounded closely, by whom, and what rules of cells see."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict

from dalenius.findings.measure import Plain
from dalenius.findings.policy import Resampled
from dalenius.findings.report import Details, Finding


class CellsHeld(Plain):
    """Printed cells held one by one against the usual rules.

    ``few`` have fewer than three people; in ``dominated`` two people have more than 85% of the sum; in
    ``p_rule`` the second largest can tell the largest within the tolerated part. ``unseen`` people are
    bounded too closely although no cell of theirs breaks any of them.
    """

    cells: int
    few: int
    dominated: int
    p_rule: int
    unseen: int


class AmountDetails(Details):
    """What only a finding about amounts says.

    Parameters
    ----------
    amount, within
        The column, and which part of an amount is close.
    classes
        Groups of people whom no table tells apart.
    hidden
        Cells that are left out.
    sure
        Whether the ends follow by arithmetic; with noise they hold but for a chance of one in a million.
    pinned, exposed, inside
        People whose amount is known within this part; further people whose ends come as close from above or
        below; further ones for whom only somebody in the data comes as close. The last two None where the
        true amounts are not known.
    outside
        People whose true amount lies outside their ends: then the tables were not made as stated.
    searched
        Whether everybody's ends were looked for.
    cells
        What the rules of cells say; None where the true amounts are not known.
    resampled
        What came of a pass when it was tried on other people; None if it was not.
    weights
        How far survey weights are known to the attacker: ``known``, ``unknown``, or between two ends. None
        where everybody counts once.
    assumed
        What must be so for anything to follow, though nobody said it; empty if all is stated.
    unread
        Statistics that are printed by survey weights and that nothing here attacks.
    """

    model_config = ConfigDict(extra="forbid")

    amount: str
    within: float
    classes: int
    hidden: int
    sure: bool
    pinned: int
    exposed: int | None
    inside: int | None
    outside: int | None
    searched: bool
    cells: CellsHeld | None = None
    resampled: Resampled | None = None
    weights: str | None = None
    unread: tuple[str, ...] = ()
    assumed: str = ""


class AmountsFinding(Finding):
    """How close anybody comes to somebody's amount."""

    goal: Literal["amounts"] = "amounts"
    details: AmountDetails

    @property
    def tried_again(self) -> Resampled | None:
        """What came of a pass when it was tried on other people."""
        return self.details.resampled

    @property
    def about_these_people(self) -> bool:
        """Whether a pass may be luck of these very people."""
        return self.known is not None
