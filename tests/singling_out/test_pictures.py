"""The picture of singling out: what it shows, always in the same bytes."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest

from dalenius.findings.tally import Tally
from dalenius.singling_out.build import Attempts, ControlRun, Shown, make_singling_out_finding
from dalenius.singling_out.finding import ConditionsFinding
from dalenius.singling_out.pictures import success_of_rows
from dalenius.singling_out.words import Subject
from dalenius.theory.isolation import isolation


def found(tally: Tally | None, **more: Any) -> ConditionsFinding:
    subject = Subject("rows", "classes", "unknown", "a population of 30,000 people", 300, "conditions", k=5)
    attempts = [
        Attempts(c / 300, tally, isolation(300, c / 300), 1.0, more.get("at_most")) for c in (0.1, 0.01)
    ]
    control = ControlRun("others", Tally(1, 50), isolation(300, 0.1 / 300))
    return make_singling_out_finding(
        subject, attempts, Shown(0.1 / 300, "demonstrated", more.get("undecided"), control=control)
    )


def words(picture: str) -> list[str]:
    root = ElementTree.fromstring(picture)  # noqa: S314 - our own picture
    return [text for node in root.iter("{http://www.w3.org/2000/svg}text") for text in node.itertext()]


def test_what_the_picture_says() -> None:
    said = words(success_of_rows(found(Tally(47, 50))))
    for text in (
        "300 people; a population of 30,000 people",
        "luck, without the release",
        "Theorem 6.1: a hash alone",
        "in a class of 5",
        "control: other people",
        "1 in 10,000",
        "is about this",
    ):
        assert text in said
    assert "no attack can exceed:" not in said
    assert "no attack can exceed:" in words(success_of_rows(found(Tally(47, 50), at_most=0.5)))


def test_the_same_finding_gives_the_same_bytes_and_another_others() -> None:
    first, again, other = (success_of_rows(found(Tally(hits, 50))) for hits in (47, 47, 3))
    assert first == again
    assert first != other


@pytest.mark.parametrize("tally", [None, Tally(0, 0)])
def test_nothing_to_draw_is_drawn(tally: Tally | None) -> None:
    assert "luck, without the release" in words(
        success_of_rows(found(tally, undecided="nobody to weigh with"))
    )
