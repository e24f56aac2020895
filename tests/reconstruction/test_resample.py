"""A release that passes by luck does not pass."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest

from dalenius.errors import InputError, LostBlockError
from dalenius.people.dataset import Dataset, read
from dalenius.reconstruction import rules
from dalenius.reconstruction.audit import audit
from dalenius.reconstruction.opened import Planned, Scenario
from dalenius.report.text import summary


@pytest.fixture
def towns() -> Iterator[Dataset]:
    """Two of ten are ill in each of thirty towns: if one leaves, the other knows that nobody else is."""
    town = np.repeat(np.arange(30), 10)
    rows = pa.table({"town": [f"t{t:02}" for t in town], "ill": ["yes", "yes", *["no"] * 8] * 30})
    with read(rows, secret="ill") as people:
        yield people


def test_an_exact_release_that_happens_to_expose_nobody_is_undecided(towns: Dataset) -> None:
    told: list[str] = []
    result = audit(towns, Planned("tables:k=1"), progress=lambda done, doing: told.append(doing))
    finding = result.report.findings[0]
    assert finding.certain == 0
    assert finding.details.judged.resampled is not None
    assert finding.details.judged.resampled.broken >= 4
    assert result.verdict == "undecided"
    assert "may pass by luck" in result.report.reasons[0]
    assert "follow for somebody else in the data" in result.report.reasons[0]
    assert any("on other people, 5 of 5" in doing for doing in told)


def test_without_samples_a_pass_says_that_it_may_be_luck(towns: Dataset) -> None:
    result = audit(towns, Planned("tables:k=1"), Scenario(resamples=0))
    assert result.verdict == "pass"
    assert any("may pass by luck" in said for said in result.report.findings[0].assumptions)


def test_a_release_that_a_sample_cannot_make_is_said_not_to_be_tried(
    towns: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: object, **options: object) -> None:
        raise InputError("terms", "must be independent", "columns that are not")

    monkeypatch.setattr(rules, "publish_some", refuse)
    result = audit(towns, Planned("tables:k=1"))
    assert result.verdict == "pass"
    assert any("not tried on other people" in said for said in result.report.findings[0].assumptions)


def test_samples_whose_processes_were_lost_are_no_pass(
    towns: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(attempts: object) -> None:
        raise LostBlockError("workers", "must have room in memory all at once", "2, of which one was ended")

    monkeypatch.setattr(rules, "attempt_all", lost)
    result = audit(towns, Planned("tables:k=1"))
    assert result.verdict == "undecided"
    assert result.report.not_run[0].reason.startswith("workers must have room in memory")


def test_a_promise_that_bounds_every_attack_needs_no_samples(towns: Dataset) -> None:
    planned = {
        "a": Planned("tables:k=1", "gaussian:rho=0.002"),
        "b": Planned("tables:k=1", "rounding:base=50", alternative_to="a"),
    }
    private, coarse = audit(towns, planned).report.findings
    assert private.details.judged.resampled is None
    assert coarse.details.judged.resampled is None or coarse.details.judged.resampled.broken == 0


def test_that_coarser_rounding_gives_more_away_is_said() -> None:
    """It never was: an audit writes base 10 with where its halves go, and was taken for something else."""
    town = np.repeat([f"t{t}" for t in range(8)], [5, *[14] * 7])
    ill = ["yes"] * 5 + ["yes", "no"] * 49
    ways = {
        "fine": Planned("tables:k=1", "rounding:base=5"),
        "coarse": Planned("tables:k=1", "rounding:base=10", alternative_to="fine"),
    }
    with read(pa.table({"town": town, "ill": ill}), secret="ill") as people:
        done = audit(people, ways, Scenario(resamples=0, why=False))
    assert [each.certain for each in done.report.findings] == [0, 5]
    said = " ".join(summary(done.report).split())
    assert "rounded to 5 it gives 0 away by arithmetic, rounded to 10 5" in said
    assert "such as 10 of 5 people" in said
