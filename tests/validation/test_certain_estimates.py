"""Regressions, trees and dated tables of other programs, some of each: nobody is called certain wrongly."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def fuzz(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(ROOT)
    from validation import certain_estimates

    return certain_estimates


@pytest.mark.parametrize(
    "cases",
    [
        30,
        pytest.param(
            60, marks=pytest.mark.slow(beside="test_nobody_is_certain_wrongly_under_true_statements")
        ),
    ],
)
def test_nobody_is_certain_wrongly_under_true_statements(fuzz, cases: int):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # other programs warn of what is made on purpose here
        found = fuzz.tally(cases, seed=5, seconds=2.0)
    true = [own for kind, own in found.items() if kind.endswith("true")]
    assert len(true) == 4
    assert sum(own["cases"] for own in true) > cases * 2 / 3
    assert sum(own["wrong"] for own in true) == 0
    assert sum(own["refused"] for own in true) == 0
    assert sum(own["certain"] for own in true) > cases * 5 / 3


def test_a_wrong_claim_would_be_counted(fuzz, tmp_path: Path):
    """Planted fault: the same cases with everybody's secret turned around."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrong = 0
        for case in fuzz.cases(8, 5, tmp_path):
            wrong += fuzz.play(replace(case, secret=1 - case.secret), 2.0)[2]
            fuzz.empty(tmp_path)
    assert wrong > 10
