"""One statement of a paper: what it assumes and says, in plain words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Statement:
    """One theorem, claim or definition.

    Attributes
    ----------
    id
        Short name, for example ``exposed-7``.
    paper
        Authors, year and title.
    number
        What the paper calls it, for example ``Theorem 7``.
    title
        A few words.
    assumptions
        What must hold, one sentence each.
    says
        What then follows, with the constants this library uses.
    """

    id: str
    paper: str
    number: str
    title: str
    assumptions: tuple[str, ...]
    says: str
