"""One change of a plan that is to be tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dalenius.auditing.plan import Plan
from dalenius.findings.report import ChangeKind, Price


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
        Files that the changed plan needs and that were made for it, by the name they are to have.
    price
        What it costs, where a family knows that itself; by default the published numbers say it.
    again
        Returns the plan of the same change on other people, by the number of the trial; by default the plan
        with another seed.
    world
        Makes the files once more with noise that nobody can draw again, by name; by default they go out as
        they were tried.
    """

    kind: ChangeKind
    said: str
    release: str
    plan: Plan
    lost: int = 0
    merged: int = 0
    draws: bool = False
    note: str | None = None
    files: Mapping[str, Path] = field(default_factory=dict, repr=False)
    price: Price | None = None
    again: Callable[[int], Plan] | None = field(default=None, repr=False)
    world: Callable[[], Mapping[str, bytes]] | None = field(default=None, repr=False)
