"""Whether what is found block by block keeps to a policy, and how it is said; no block is named."""

from __future__ import annotations

from collections.abc import Iterator

from dalenius.findings.policy import Policy, Ruled, points
from dalenius.reconstruction.finding import ByBlock
from dalenius.shown import people, several

MOST_NAMED = 5
"""Tables left out that are named in a sentence."""


def ruled_by_block(found: ByBlock | None, policy: Policy) -> Iterator[Ruled]:
    """Hold single blocks against the limit of the advantage; a pass needs all blocks and all tables.

    Examples
    --------
    >>> from dalenius.reconstruction.finding import BlockGain
    >>> found = ByBlock(column="block", blocks=1000, empty=0, not_attacked=0, people_not_attacked=0,
    ...                 with_certain=0, with_people_at_risk=0, all_at_risk=0,
    ...                 worst=(BlockGain(baseline=0.6, low=0.2),))
    >>> [(each.verdict, each.rule) for each in ruled_by_block(found, Policy())]
    [('stop', 'max_advantage')]
    """
    if found is None:
        return
    above = [gain for gain in found.worst if gain.low > policy.limit(gain.baseline)]
    if above:
        yield Ruled(
            "stop",
            f"in {several(len(above), 'block')} or more of {found.blocks:,} the advantage alone is above the "
            f"limit: {points(above[0].low)} points or more in one of them, "
            f"{points(policy.limit(above[0].baseline))} tolerated.",
            "max_advantage",
        )
    if found.people_not_attacked:
        yield Ruled(
            "undecided",
            f"the attack could not be run in {several(found.not_attacked, 'block')} of {found.blocks:,}, on "
            f"{people(found.people_not_attacked)}.",
            "all blocks are attacked",
        )
    if found.left_out:
        yield Ruled("undecided", f"{said_of_left_out(found)}.", "all tables are attacked")


def said_of_left_out(found: ByBlock) -> str:
    """Name the tables that join all blocks."""
    named = ", ".join(found.left_out[:MOST_NAMED])
    more = len(found.left_out) - MOST_NAMED
    rest = f" and {more:,} more" if more > 0 else ""
    tables = several(len(found.left_out), "table")
    return f"{tables} not counted by {found.column} ({named}{rest}) join all blocks and were left out"


def said_by_block(found: ByBlock) -> Iterator[str]:
    """Say how many blocks there are and in how many of them somebody is at risk."""
    empty = f", and {found.empty:,} without people" if found.empty else ""
    yield (
        f"{several(found.blocks, 'block')} by {found.column}{empty}: somebody is certain or as good as known "
        f"in {found.with_people_at_risk:,}, everybody in {found.all_at_risk:,}."
    )
    if found.left_out:
        yield f"{said_of_left_out(found)}."
