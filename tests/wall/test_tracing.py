"""Tracing: two truths with the same view give the same accusations, to the last byte."""

from __future__ import annotations

import numpy as np
import pytest

from dalenius.knowledge.tracing import TracingView
from dalenius.people.traits.traits import coded_from_values
from dalenius.release.means import MeansRelease
from dalenius.testing import as_bytes, check_attack
from dalenius.tracing.attack.accusations import Accusations
from dalenius.tracing.attack.attack import trace
from dalenius.tracing.attack.score_test import ScoreTest

TESTS = [
    ("auto", "auto"), ("llr", "pooled"), ("corr", "pooled:tail=chernoff"), ("raw", "flip:tail=bd"),
    ("raw", "flip:tail=monte-carlo,draws=99"), ("raw", "norm"), ("opt", "conformal"),
    ("raw", "paper:rule=proof"), ("homer", "paper:rule=homer"),
]  # fmt: skip


def packed(prefix, values):
    ids = np.array([f"{prefix}{i}" for i in range(len(values))])
    names = np.array([f"c{j}" for j in range(values.shape[1])])
    return coded_from_values("id", ids, names, values, "binary")


def published(rows):
    return MeansRelease("r", packed("m", rows).names, rows.mean(axis=0), "binary", len(rows), "exact", 0.0)


def two_truths():
    """Datasets of other people with the same column means: within each column values change places."""
    rng = np.random.default_rng(3)
    rows = rng.choice([-1.0, 1.0], (20, 40))
    other = np.stack([rng.permutation(column) for column in rows.T], axis=1)
    return rows, other, rng.choice([-1.0, 1.0], (30, 40))


@pytest.mark.parametrize(("weights", "calibration"), TESTS)
def test_other_people_with_the_same_means(weights, calibration):
    rows, other, reference = two_truths()
    assert (rows != other).any()
    assert published(rows).means.tobytes() == published(other).means.tobytes()
    targets = packed("t", np.vstack([rows[:5], other[:5]]))

    def attack(view, *, rng):
        return trace(view, rng=rng, test=ScoreTest(weights=weights, calibration=calibration))

    known = packed("z", reference)
    check_attack(attack, [TracingView(published(truth), targets, known) for truth in (rows, other)])


def test_an_attack_that_knows_the_truth_is_noticed():
    """Planted fault: one that looks up who is in the data says different things about the two truths."""
    rows, other, reference = two_truths()
    targets = packed("t", np.vstack([rows[:5], other[:5]]))

    def peeks(truth):
        view = TracingView(published(truth), targets, packed("z", reference))
        said = trace(view, rng=np.random.default_rng(17), test=ScoreTest(weights="raw", calibration="norm"))
        inside = (np.vstack([rows[:5], other[:5]])[:, None] == truth).all(axis=2).any(axis=1)
        p = np.where(inside, 1e-9, said.p_value)
        return as_bytes(
            Accusations(
                said.id_name,
                said.ids,
                said.score,
                p,
                np.log(p),
                "raw",
                "norm",
                True,
                said.reference,
                said.comparators,
            )
        )

    assert peeks(rows) != peeks(other)
