"""What a rung tells of a finding, and what it leaves open."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dalenius.findings.measure import KNOWN, Gain, Measure, Rate, Verdict
from dalenius.findings.report import Price
from dalenius.findings.tally import Tally
from dalenius.remedy.rungs import gain_of, rung_of

GAIN = Gain(value=0.64, low=0.5, high=0.7, confidence=0.95, method=KNOWN)


def told(**more: Any) -> Any:
    """Of a finding what a rung reads for its gain."""
    measure = Measure(label="one", advantage=GAIN, **more)
    return SimpleNamespace(measures=(measure,), decisive=measure)


def test_a_gain_is_a_share_of_tries() -> None:
    assert gain_of(told(attack=Rate.of(Tally(7, 10), 0.95))) == GAIN
    assert gain_of(told(attack=Rate.of(Tally(0, 0), 0.95))) is None, "less luck than nothing is no gain"
    assert gain_of(told(attack=Rate.known(1.0), unit="nu")) is None, "nu beside epsilon is not in points"


@pytest.mark.parametrize(
    ("verdict", "confirmed", "written"),
    [("pass", (20, 20), (20, 20)), ("stop", (5, 5), (0, 0)), ("stop", (5, 3), (5, 3))],
)
def test_tries_that_all_pass_never_stand_beside_a_broken_rule(
    verdict: Verdict, confirmed: tuple[int, int], written: tuple[int, int]
) -> None:
    rung = rung_of("as planned", "as planned: exact", "tables", None, Price(), verdict, confirmed)
    assert (rung.tried, rung.kept) == written
