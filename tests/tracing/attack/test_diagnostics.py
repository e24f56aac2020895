"""The tool's own questions to the reference: quiet on sound tests, loud on planted faults."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from dalenius.errors import InputError
from dalenius.knowledge.tracing import TracingView
from dalenius.tracing.attack.attack import trace
from dalenius.tracing.attack.diagnostics import diagnose, drift_p
from dalenius.tracing.attack.score_test import ScoreTest


def of(release, calibration, weights="corr"):
    """A test as the tool runs it."""

    def test(targets, reference):
        view = TracingView(release, targets, reference)
        return trace(
            view, rng=np.random.default_rng(3), test=ScoreTest(weights=weights, calibration=calibration)
        ).p_value

    return test


@pytest.mark.parametrize(
    "calibration", ["pooled:tail=normal", "norm", "flip", "conformal", "conformal:how=full"]
)
def test_quiet_when_all_is_well(calibration, world):
    quiet = []
    for seed in range(6):
        w = world(seed, d=300, n=50, m=300, targets=100)
        view = w.view(w.outsiders)
        # one shared reference makes verdicts rise and fall together: ask anew against several
        rounds = 8 if calibration == "flip" else 1
        found = diagnose(
            of(view.release, calibration),
            view.reference,
            view.targets,
            rounds=rounds,
            rng=np.random.default_rng(seed),
        )
        quiet.append(found.sound)
    assert all(quiet)


def same_pool_twice(q):
    """Fault C1: one pool centres the weights and is compared with."""

    def test(targets, reference):
        y, z = (t.values(slice(None)).astype(np.float64) for t in (targets, reference))
        w = z.mean(axis=0)
        v = (q - w) / (1 - w**2 * 0.999)
        return ndtr(-((y - w) @ v) / np.sqrt((v**2 * (1 - w**2)).sum()))

    return test


def ranked_in_sample(q):
    """Fault C2: references are scored against a mean that they are in, the target is not."""

    def test(targets, reference):
        y, z = (t.values(slice(None)).astype(np.float64) for t in (targets, reference))
        w = z.mean(axis=0)
        own, others = (y - w) @ (q - w), (z - w) @ (q - w)
        return (1 + (others >= own[:, None]).sum(axis=1)) / (1 + len(z))

    return test


@pytest.mark.parametrize("fault", [same_pool_twice, ranked_in_sample])
def test_people_used_twice(fault, world):
    w = world(1, d=1000, n=100, m=120)
    view = w.view(w.outsiders)
    found = diagnose(fault(w.q), view.reference, rng=np.random.default_rng(1))
    assert not found.sound
    assert "used twice" in found.alarms[0]


def test_dependent_attributes(world, people):
    """Fault L1: blocks of ten identical columns under a test for independent ones; ranks are not fooled."""
    w = world(2, d=100, n=50, m=400)
    w.q, w.outsiders, w.reference = (np.repeat(x, 10, axis=-1) for x in (w.q, w.outsiders, w.reference))
    view = w.view(w.outsiders)
    wrong = diagnose(of(view.release, "pooled:tail=normal"), view.reference, rng=np.random.default_rng(1))
    assert not wrong.sound
    assert "depend on each other" in wrong.alarms[0]
    assert diagnose(of(view.release, "conformal"), view.reference, rng=np.random.default_rng(1)).sound


@pytest.mark.parametrize(("drift", "seen"), [(0.0, False), (0.1, True)])
def test_drift(drift, seen, world):
    """Fault D1: the targets' (and the data's) means differ from the reference's."""
    rng = np.random.default_rng(4)
    w = world(4, d=2000, n=50, m=200, targets=100)
    moved = np.clip(w.p + drift * rng.standard_normal(2000), -0.99, 0.99)
    w.outsiders = np.where(rng.random((100, 2000)) < (1 + moved) / 2, 1.0, -1.0)
    view = w.view(w.outsiders)
    found = diagnose(of(view.release, "conformal"), view.reference, view.targets, rng=rng)
    assert (found.drift_p <= 1e-3) == seen
    assert found.sound != seen
    assert any("population" in alarm for alarm in found.alarms) == seen


def test_exchanging_people_has_its_level(world):
    p = []
    for seed in range(100):
        w = world(seed, d=20, m=30, targets=20, missing=0.1)
        view = w.view(np.repeat(w.outsiders, 1, axis=0))
        p.append(drift_p(view.targets, view.reference, rng=np.random.default_rng(seed)))
    assert 0 <= np.mean(np.array(p) <= 0.1) <= 0.2
    assert 0.35 <= np.mean(p) <= 0.65


def test_too_few_to_ask(world):
    w = world(1, m=9)
    view = w.view(w.outsiders)
    with pytest.raises(InputError, match="at least 10"):
        diagnose(of(view.release, "conformal"), view.reference, rng=np.random.default_rng(1))
