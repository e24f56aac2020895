"""Nobody is accused without a level, and nothing is called proved that rests on independent variants."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
import pytest

from dalenius.auditing.decide import conclude, decide
from dalenius.findings.policy import Policy
from dalenius.findings.report import Data
from dalenius.knowledge.tracing import KnownMeans, ReferenceMeans, TracingView
from dalenius.people.traits.traits import coded_from_values
from dalenius.release.means import MeansRelease
from dalenius.report.text import summary
from dalenius.tracing.attack.accusations import Accusations
from dalenius.tracing.attack.score_test import ScoreTest
from dalenius.tracing.finding import TracingFinding
from dalenius.tracing.questions.targets import trace_targets

N, M, OUT, D = 40, 120, 60, 1200
NAMES = np.array([f"rs{j}" for j in range(D)])
FREQUENCY = np.random.default_rng(1).uniform(0.2, 0.8, D)


def drawn(count: int, seed: int, prefix: str, frequency: np.ndarray = FREQUENCY):
    values = np.random.default_rng(seed).binomial(2, frequency, (count, D)) - 1.0
    ids = np.array([f"{prefix}{i}" for i in range(count)])
    return coded_from_values("id", ids, NAMES, values, "genotype")


MEMBERS, POOL, OTHERS = drawn(N, 2, "m"), drawn(M, 3, "r"), drawn(OUT, 4, "o")


def view(reference, targets=None) -> TracingView:
    means = MEMBERS.values(slice(None)).mean(axis=0).astype(np.float64)
    both = np.concatenate([MEMBERS.values(slice(None)), OTHERS.values(slice(None))])
    ids = np.concatenate([MEMBERS.ids, OTHERS.ids])
    asked = coded_from_values("id", ids, NAMES, both, "genotype") if targets is None else targets
    return TracingView(MeansRelease("r", NAMES, means, "genotype", N, "exact", 0.0), asked, reference)


def verdict(finding: TracingFinding) -> str:
    return decide([finding], Policy())[0]


def printed(finding: TracingFinding) -> str:
    data = Data(source="t", people=N + OUT, public=(), secret=None)
    return summary(conclude([finding], Policy(), data=data, seed=1))


POOL_MEANS = POOL.values(slice(None)).mean(axis=0).astype(np.float64)


@pytest.mark.parametrize(
    "reference",
    [
        ReferenceMeans(POOL_MEANS, M),
        ReferenceMeans(POOL_MEANS, None),
        KnownMeans(2 * FREQUENCY - 1),
        POOL.take(np.arange(1)),
        POOL.take(np.arange(18)),
    ],
    ids=["frequencies", "frequencies of nobody knows how many", "population", "one person", "18 people"],
)
def test_genomes_are_never_taken_for_independent_columns(reference) -> None:
    finding, said = trace_targets(view(reference))
    found = finding.details
    assert verdict(finding) == "undecided"
    assert not found.rigorous
    assert found.accused == 0
    assert any("variants for independent" in alarm for alarm in found.alarms)
    text = printed(finding)
    assert "proved" not in text
    assert "expected to be innocent" not in text
    assert "Nobody is accused" in text
    assert "UNDECIDED" in text
    rows = list(csv.DictReader(said.to_csv(0.05).splitlines()))
    assert {row["verdict"] for row in rows} == {"undecided"}


@pytest.mark.parametrize("calibration", ["auto", "pooled:tail=chernoff", "flip:tail=bd", "norm"])
def test_saying_that_variants_are_independent_does_not_make_them_so(calibration: str) -> None:
    finding, _ = trace_targets(view(POOL), test=ScoreTest(calibration=calibration, independent=True))
    found = finding.details
    assert (verdict(finding), found.accused, found.rigorous) == ("undecided", 0, False)


def test_with_reference_people_members_are_accused() -> None:
    finding, said = trace_targets(view(POOL))
    found = finding.details
    assert (verdict(finding), found.alarms) == ("stop", ())
    assert found.accused >= N // 2
    assert said.accused(0.05)[N:].mean() <= 0.15
    assert "level proved under what is assumed" in printed(finding)


def test_after_a_warning_nobody_is_accused() -> None:
    """The release and half of the targets are of another population than the references."""
    elsewhere = np.clip(FREQUENCY + np.random.default_rng(9).normal(0, 0.12, D), 0.02, 0.98)
    group, targets = drawn(N, 5, "m", elsewhere), drawn(OUT, 6, "o", elsewhere)
    means = group.values(slice(None)).mean(axis=0).astype(np.float64)
    release = MeansRelease("r", NAMES, means, "genotype", N, "unknown", None)
    finding, said = trace_targets(TracingView(release, targets, POOL))
    found = finding.details
    assert (said.p_value <= 0.05).mean() > 0.5, "innocent, all of them"
    assert verdict(finding) == "undecided"
    assert found.accused == 0
    assert any("farther from the references than sampling explains" in alarm for alarm in found.alarms)
    text = printed(finding)
    assert "Warning:" in text
    assert "expected to be innocent" not in text
    assert "would on average" not in text
    rows = list(csv.DictReader(said.to_csv(0.05).splitlines()))
    assert {row["verdict"] for row in rows} == {"undecided"}
    assert {row["unlike"] for row in rows} <= {"yes", "no"}
    assert all(float(row["relative_odds"]) >= 0 for row in rows)


def test_a_target_unlike_the_references_is_undecided_alone() -> None:
    p = np.array([0.001, 0.001, 0.5])
    said = Accusations(
        "id",
        np.array(["a", "b", "c"]),
        np.array([9.0, 9.0, 1.0]),
        p,
        np.log(p),
        "opt",
        "adjusted",
        True,
        100,
        100,
        unlike=np.array([False, True, False]),
        member_odds=np.log([4.0, 0.5, 1.0]),
    )
    assert said.accused(0.05).tolist() == [True, False, False]
    rows = [line.split(",") for line in said.to_csv(0.05).splitlines()]
    assert rows[0][4:] == ["unlike", "relative_odds", "verdict"]
    assert [row[4:] for row in rows[1:]] == [
        ["no", "0.25", "in"],
        ["yes", "2", "undecided"],
        ["no", "1", "not accused"],
    ]
    doubted = replace(said, doubts=("the level is not known",))
    assert not doubted.accused(0.05).any()
    assert all(line.endswith("undecided") for line in doubted.to_csv(0.05).splitlines()[1:])


def test_the_order_of_rows_changes_nothing() -> None:
    rng = np.random.default_rng(3)
    first = trace_targets(view(POOL), test=ScoreTest(weights="llr", calibration="conformal:how=held-out"))
    asked = view(POOL).targets
    order = rng.permutation(asked.n)
    turned = view(POOL.take(rng.permutation(M)), asked.take(order))
    again = trace_targets(turned, test=ScoreTest(weights="llr", calibration="conformal:how=held-out"))
    np.testing.assert_array_equal(first.accusations.p_value[order], again.accusations.p_value)
    assert first.finding == again.finding
