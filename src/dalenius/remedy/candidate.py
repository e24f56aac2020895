"""One change of a plan that is to be tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dalenius.auditing.plan import Plan
from dalenius.findings.ladder import ChangeKind


@dataclass(frozen=True)
class Candidate:
    """A changed plan.

    Parameters
    ----------
    kind
        What sort of change it is.
    said
        The change in words.
    release
        What is changed.
    plan
        The whole plan with the change in it.
    lost, merged
        Tables, columns or questions that are left out, and classes of columns that became one with another.
    draws
        Whether numbers are drawn at random: then it is tried with fresh draws instead of other people.
    note
        What a reader must know besides.
    files
        Files that the changed plan needs and that are made for it, by name.
    """

    kind: ChangeKind
    said: str
    release: str
    plan: Plan
    lost: int = 0
    merged: int = 0
    draws: bool = False
    note: str | None = None
    files: Mapping[str, str] = field(default_factory=dict, repr=False)
