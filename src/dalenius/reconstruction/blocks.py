"""A finding about people who are split into blocks: what it comes to block by block, and the file of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.attack.split.bundles import JOINED, check_splittable, joining_tables
from dalenius.reconstruction.block_rules import said_by_block
from dalenius.reconstruction.finding import SecretsFinding
from dalenius.reconstruction.referee.by_block import BlockCounts
from dalenius.reconstruction.referee.judge import Judgement, Thresholds

if TYPE_CHECKING:
    from dalenius.reconstruction.case import SecretsOpened

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
