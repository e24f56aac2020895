"""Which relations are behind nu: the kind that is by construction is named; people are counted in groups."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dalenius.findings.explanation import SMALL
from dalenius.inference.answers.measure import Measured, measure
from dalenius.inference.answers.privacy_loss import Spent
from dalenius.inference.answers.why import by_links
from dalenius.inference.priors.prior import read_network


def measured(folder: Path, lines: list[str], **options: object) -> Measured:
    path = folder / "edges.csv"
    path.write_text("a,b,agreement,type\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return measure(read_network(path), Spent(0.5, None, None, 1), source="edges.csv", **options)  # type: ignore[arg-type]


PAIRS = [f"t{i},u{i},0.99,twin" for i in range(12)]
FRIENDS = [f"t{i},t{i + 1},0.55,friend" for i in range(11)]


def test_the_relation_that_matters_is_named_and_the_weak_one_is_not(tmp_path: Path) -> None:
    finding = measured(tmp_path, [*PAIRS, *FRIENDS]).finding
    why = finding.explanation.why
    assert why is not None
    assert why.whole == pytest.approx(finding.details.nu.worst)
    assert [cause.name for cause in why.causes] == ["twin", "friend"]
    twin, friend = why.causes
    assert 0.5 <= twin.without < 0.7 < 0.9 < friend.without <= why.whole
    assert twin.alone == pytest.approx(friend.without)
    assert any(fact.startswith("Without the relation twin") for fact in finding.facts)


def test_a_kind_of_few_links_is_not_named(tmp_path: Path) -> None:
    why = measured(tmp_path, [*PAIRS, "t0,t5,0.8,canary"]).finding.explanation.why
    assert why is not None
    assert {cause.name for cause in why.causes} == {"twin", "other relations"}


def test_without_kinds_all_links_are_one_part_and_it_can_be_switched_off(tmp_path: Path) -> None:
    path = tmp_path / "edges.csv"
    path.write_text("a,b,agreement\nA,B,0.9\nB,C,0.9\n", encoding="utf-8")
    spent = Spent(0.5, None, None, 1)
    why = measure(read_network(path), spent, source="e").finding.explanation.why
    assert why is not None
    assert [(cause.name, cause.without) for cause in why.causes] == [("all links", 0.5)]
    assert measure(read_network(path), spent, source="e", why=False).finding.explanation.why is None


def test_people_are_grouped_by_links_and_never_in_small_groups() -> None:
    degrees = np.repeat([0, 1, 2, 7], [50, 40, 30, 5]).astype(np.int64)
    epsilon = np.full(125, 0.1)
    groups = by_links(degrees, epsilon, np.where(degrees >= 2, 2.0, 0.1))
    shown = [(group.value, group.people, group.at_risk) for group in groups]
    assert shown == [("0", 50, 0), (None, 75, 35)], "all 35 of a small group are at risk: it is merged"
    assert all(group.people >= SMALL for group in groups)
