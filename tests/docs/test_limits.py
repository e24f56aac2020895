"""Numbers on the page of limits are those of the code."""

from __future__ import annotations

from pathlib import Path

import pytest

from dalenius.inference.attack.bounds import cutset
from dalenius.inference.attack.inheritance import peel
from dalenius.inference.attack.solvers import junction
from dalenius.tracing.attack.genomes import ancestry

PAGE = " ".join((Path(__file__).parents[2] / "docs/explanation/limits.md").read_text().split())


@pytest.mark.parametrize(
    "said",
    [
        f"Beyond {cutset.MOST_PEOPLE:,} people in all such groups together",
        f"loops of width above {junction.WIDEST} nu is bounded",
        f"A group of width above {junction.WIDEST} cannot be fitted",
        f"or are more than {peel.MOST_PEOPLE:,} kin",
        f"At most {ancestry.MOST_PAIRS // 10**6} million pairs",
    ],
)
def test_limits_are_those_of_the_code(said: str) -> None:
    """The page said 100,000 people where the code had 50,000."""
    assert said in PAGE


def test_what_is_there_is_not_called_missing() -> None:
    """Long after absent alleles, beacons and odds ratios were attacked the page said that they were not."""
    for words in ("is not there yet", "Nor are beacons", "nothing is whitened yet"):
        assert words not in PAGE
