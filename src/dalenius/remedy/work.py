"""How much work a search may do: predicted from sizes, so that the same question has the same answer."""

from __future__ import annotations

from dataclasses import dataclass

BASE, PER_NUMBER, PER_PERSON = 0.25, 0.0005, 0.000025
"""Seconds of one look on one processor of the year 2024: measured, and rounded up to twice as long."""

CONFIRMING = 20
"""Groups of other people, or fresh draws of the noise, on which a change that passes is tried again."""

FULL = 2
"""Looks that an attack with its calibration takes besides the first one."""

CONFIRMATION = 2 * (CONFIRMING + 3)
"""Looks that a whole audit with its confirmation on other people takes: each of them is learnt anew."""

DRAWN = CONFIRMING + 3
"""The same with fresh draws of noise, for which nothing is learnt anew."""

FEWEST = 2 * CONFIRMATION
"""So much is always done, however short the time."""


def confirmation(releases: int, *, draws: bool) -> int:
    """Return what confirming takes; several releases are attacked one by one and together.

    Examples
    --------
    >>> confirmation(1, draws=False), confirmation(2, draws=True)
    (46, 69)
    """
    return (releases + (releases > 1)) * (DRAWN if draws else CONFIRMATION)


@dataclass
class WorkLeft:
    """What may still be done, in looks at one change: counted, never timed.

    Examples
    --------
    >>> work = WorkLeft(30)
    >>> work.spend(20), work.spend(20), work.left
    (True, False, 10)
    """

    left: int
    reserved: int = 0

    def spend(self, looks: int) -> bool:
        """Take so many looks, if as many are left beyond what is reserved."""
        if looks > self.left - self.reserved:
            return False
        self.left -= looks
        return True


def work_for(minutes: float, people: int, numbers: int) -> WorkLeft:
    """Return how many looks fit into some minutes.

    Examples
    --------
    >>> work_for(5, 7600, 1500).left > work_for(1, 7600, 1500).left
    True
    """
    seconds = BASE + PER_NUMBER * numbers + PER_PERSON * people
    return WorkLeft(max(FEWEST, int(60 * minutes / seconds)))
