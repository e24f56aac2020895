"""Statements on tracing: kept as they are, and broken as soon as a constant is wrong."""

from collections.abc import Callable

import numpy as np
import pytest

from dalenius.errors import InputError, TooLargeError
from dalenius.papers.experiment import MeasuredShare, StatementOutcome
from dalenius.papers.exposed.tracing import theorem_10_likelihood_ratio
from dalenius.papers.run import run
from dalenius.papers.simulated import crowd, reference_pool
from dalenius.papers.traceability.proposition_26_reference_pool import column_moments
from dalenius.theory.tracing import traceability
from dalenius.theory.tracing.count_mechanisms import effective_gamma, effective_omega, sample_means

SMALL: dict[str, tuple[dict[str, float], int]] = {
    "trace-12": ({"n": 3, "alpha": 0.05, "delta": 0.1}, 100),
    "trace-13": ({"n": 3, "alpha": 0.05, "delta": 0.1}, 100),
    "trace-26": ({"n": 200, "d": 300}, 60),
    "trace-28": ({"n": 8, "alpha": 0.25, "delta": 0.3}, 20),
    "trace-31": ({"n": 3, "delta": 0.1}, 60),
    "exposed-10": ({"n": 20, "delta": 0.1}, 30),
    "exposed-14": ({"n": 10, "alpha": 0.32, "delta": 0.3}, 20),
    "exposed-15": ({"n": 20, "d": 500, "m": 20}, 100),
    "exposed-16": ({"n": 8, "alpha": 0.25, "delta": 0.3}, 20),
}


def row(outcome: StatementOutcome, start: str) -> MeasuredShare:
    (found,) = [entry for entry in outcome.measured if entry.what.startswith(start)]
    return found


def scaled(name: str, factor: float) -> Callable[..., float]:
    true: Callable[..., float] = getattr(traceability, name)
    return lambda *arguments, **named: factor * true(*arguments, **named)


@pytest.mark.parametrize(
    ("id", "threshold"),
    [
        ("trace-12", "proof_threshold"),
        ("trace-13", "proof_threshold"),
        ("trace-26", "norm_threshold"),
        ("trace-31", "real_threshold"),
        ("exposed-15", "norm_threshold"),
    ],
)
def test_a_threshold_too_low_accuses_outsiders(
    id: str, threshold: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, runs = SMALL[id]
    assert run(id, given, runs=runs).kept
    monkeypatch.setattr(traceability, threshold, scaled(threshold, 0.05))
    outcome = run(id, given, runs=runs)
    assert row(outcome, "people who are not").kept is False
    assert not outcome.kept


@pytest.mark.parametrize(
    ("id", "sizes"),
    [
        ("trace-12", "columns_to_trace"),
        ("trace-13", "columns_to_trace"),
        ("trace-26", "columns_with_pool"),
        ("trace-28", "columns_to_trace_l1"),
        ("trace-31", "columns_for_real"),
        ("exposed-14", "columns_to_trace_l1"),
        ("exposed-16", "columns_to_trace"),
    ],
)
def test_far_fewer_columns_do_not_trace(id: str, sizes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The constants are generous, those with a sum of several bounds most; what is far too few is seen."""
    given, runs = SMALL[id]
    factor = {"trace-26": 1e-4, "trace-28": 1e-3, "exposed-14": 1e-4}.get(id, 1e-2)
    monkeypatch.setattr(traceability, sizes, scaled(sizes, factor))
    outcome = run(id, given, runs=runs)
    assert not outcome.kept
    assert row(outcome, "people who are not").kept


def test_a_likelihood_test_without_its_level_accuses_outsiders(monkeypatch: pytest.MonkeyPatch) -> None:
    given, runs = SMALL["exposed-10"]
    true = theorem_10_likelihood_ratio._accused
    assert run("exposed-10", given, runs=runs).kept
    monkeypatch.setattr(
        theorem_10_likelihood_ratio,
        "_accused",
        lambda targets, q, references, n, delta: true(targets, q, references, n, 0.99),
    )
    assert row(run("exposed-10", given, runs=runs), "people who are not").kept is False


def test_only_the_published_half_is_traced() -> None:
    outcome = run("trace-12", {"n": 4, "alpha": 0.05, "delta": 0.1}, runs=40)
    assert row(outcome, "means of one random half: each").rate == pytest.approx(0.5, abs=0.02)


def test_misleading_answers_trace_nobody_and_say_so() -> None:
    outcome = run("trace-28", SMALL["trace-28"][0], runs=5)
    flipped = row(outcome, "extreme flip")
    assert (flipped.hits, flipped.promise) == (0, None)
    facts = " ".join(run("exposed-14", SMALL["exposed-14"][0], runs=2).facts)
    assert "average error is 0.447" in facts
    assert "publish 0 everywhere" in facts


def test_a_release_less_accurate_than_assumed_is_excused() -> None:
    """Means of 4 people are off by about 0.3, for which nothing is promised."""
    outcome = run("trace-28", {"n": 4, "alpha": 0.05, "delta": 0.3}, runs=3)
    assert outcome.kept
    far = run("exposed-16", {"n": 4, "alpha": 0.05, "delta": 0.3}, runs=3)
    assert row(far, "exact means").promise is None


def test_means_too_inaccurate_for_a_pool_get_no_promise() -> None:
    outcome = run("trace-26", {"n": 30, "d": 200, "alpha": 0.2}, runs=3)
    assert [promise.what for promise in outcome.promised] == ["an outsider, any mechanism"]
    assert any("not that accurate" in fact for fact in outcome.facts)


def test_normal_sums_have_the_moments_of_written_out_ones() -> None:
    """The row at full size rests on these three numbers: compare with simulated columns."""
    n, m, limit, d = 6, 9, 0.5, 400_000
    rng = np.random.default_rng(8)
    p = rng.uniform(-1, 1, d)
    x, (z,) = crowd.draw(p, n, rng), crowd.draw(p, 1, rng)
    w = reference_pool.pool_means(p, m, rng)
    terms = (x - z) * np.clip(crowd.exact(x, rng) - w, -limit, limit)
    mean, variance, shared = column_moments(n, m, limit)
    assert terms.mean() == pytest.approx(mean, abs=5 * np.sqrt(variance / d))
    covariance = np.cov(terms)
    assert np.diag(covariance).mean() == pytest.approx(variance, rel=0.02)
    assert covariance[~np.eye(n, dtype=bool)].mean() == pytest.approx(shared, rel=0.03)


@pytest.mark.parametrize("mechanism", ["exact", "flip"])
def test_scores_are_as_large_as_theory_says(mechanism: str) -> None:
    n, d = 20, 60_000
    rng = np.random.default_rng(9)
    outputs = sample_means(n) if mechanism == "exact" else crowd.extreme_flip(n, 0.77)
    p = rng.uniform(-1, 1, d)
    x, others = crowd.draw(p, n, rng), crowd.draw(p, 200, rng)
    q = crowd.table(outputs)(x, rng)
    members, outsiders = x @ q - p @ q, others @ q - p @ q
    omega = effective_omega(outputs)
    assert members.mean() == pytest.approx(effective_gamma(outputs) * d / n, abs=5 * np.sqrt(d * omega / n))
    assert outsiders.std() == pytest.approx(np.sqrt(d * omega), rel=0.2)


def test_too_large_and_bad_values_are_refused() -> None:
    with pytest.raises(TooLargeError, match="people x columns x runs must be at most"):
        run("trace-12", {"n": 100})
    with pytest.raises(TooLargeError, match="people x columns x runs must be at most"):
        run("trace-26", {"n": 2000, "d": 10**6})
    with pytest.raises(InputError, match=r"alpha must lie between 0 and 0\.368"):
        run("trace-28", {"alpha": 0.4})
    with pytest.raises(InputError, match=r"delta must lie between 1e-09 and 0\.5"):
        run("exposed-10", {"delta": 0.0})
