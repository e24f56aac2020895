"""A finding about people who are split into blocks: what it comes to block by block, and if that is kept.

No block is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dalenius.findings.policy import Policy, Ruled, points
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.attack.split.bundles import JOINED, check_splittable, joining_tables
from dalenius.reconstruction.finding import ByBlock, SecretsFinding
from dalenius.reconstruction.referee.by_block import BlockCounts
from dalenius.reconstruction.referee.judge import Judgement, Thresholds
from dalenius.shown import people, several

if TYPE_CHECKING:
    from dalenius.reconstruction.opened import SecretsOpened

MOST_NAMED = 5
"""Tables left out that are named in a sentence."""

ONE_BY_ONE = (
    "Blocks are attacked one by one, by what is published about each; the seconds of the budget are those "
    "of a bundle of them."
)


def check_split(opened: SecretsOpened) -> None:
    """Refuse, before anything is attacked, what cannot be cut by the column that people are split by."""
    split = opened.scenario.split
    if split is None:
        return
    opened.roster.attributes.position(split)
    for release in opened.published.values():
        check_splittable(release)


def counts_by_block(opened: SecretsOpened, claims: Guesses, judgement: Judgement) -> BlockCounts:
    """Have the court count by block."""
    policy = opened.policy
    thresholds = Thresholds(known=policy.known_at, named=policy.sensitive or ())
    return opened.court.by_block(claims, judgement, opened.court.at_risk(claims, thresholds))


def with_blocks(
    opened: SecretsOpened, release: str, finding: SecretsFinding, counts: BlockCounts
) -> SecretsFinding:
    """Return the finding with what it comes to block by block."""
    split = opened.scenario.split
    found = counts.summary(finding.confidence or opened.policy.confidence)
    if split is not None and len(opened.roster) > JOINED:
        left_out = joining_tables(opened.published[release], split)
        found = found.model_copy(update={"left_out": left_out})
    return finding.model_copy(
        update={
            "details": finding.details.model_copy(update={"blocks": found}),
            "facts": (*finding.facts, *said_by_block(found)),
            "assumptions": (*finding.assumptions, ONE_BY_ONE),
        }
    )


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
