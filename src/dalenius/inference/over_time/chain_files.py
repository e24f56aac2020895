"""The chain that people hand over: transitions, series to estimate them from, or one agreement."""

from __future__ import annotations

from dataclasses import dataclass

from dalenius.errors import InputError
from dalenius.knowledge.correlation.chain import (
    MarkovChain,
    agreeing_chain,
    read_states,
    read_transitions,
    with_start,
)
from dalenius.people.files.read_file import Source
from dalenius.people.opening import open_sheet, place_name
from dalenius.shown import hides_people


@hides_people()
@dataclass(frozen=True)
class ChainFiles:
    """Where a person's transitions come from, exactly one of three, and how the series begins.

    Parameters
    ----------
    transitions
        ``from,VALUE,VALUE,...``.
    states
        ``id,time,state``, to estimate them from.
    agreement
        How likely a value of two is kept.
    start
        ``VALUE=0.3,VALUE=0.7``; without, every moment is like the first.
    """

    transitions: Source | None = None
    states: Source | None = None
    agreement: float | None = None
    start: str | None = None

    @property
    def source(self) -> str:
        """What the chain is called."""
        files = [place_name(each) for each in (self.transitions, self.states) if each is not None]
        return " and ".join(files) or f"a chain of agreement {self.agreement:g}"


def open_chain(files: ChainFiles) -> MarkovChain:
    """Read the chain.

    Raises
    ------
    InputError
        If there is not exactly one place that it comes from; for what the readers refuse.
    """
    given = [each for each in (files.transitions, files.states, files.agreement) if each is not None]
    if len(given) != 1:
        rule, fix = "must be exactly one", "Try --agreement 0.9."
        raise InputError("--transitions, --states, --agreement", rule, f"{len(given)}", fix)
    if files.agreement is not None:
        chain = agreeing_chain(files.agreement)
        return chain if files.start is None else with_start(chain, files.start)
    if files.states is not None:
        return read_states(open_sheet(files.states), files.start)
    assert files.transitions is not None  # noqa: S101 -- one of the three is there
    return read_transitions(open_sheet(files.transitions), files.start)
