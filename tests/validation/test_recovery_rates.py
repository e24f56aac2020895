"""A few rows of the recovery rates, and noise of the wrong size that they must not accept."""

from __future__ import annotations

from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

ROOT = Path(__file__).parents[2]
CASE = "random subsets, n=128, m=512"


@pytest.fixture
def rates(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(ROOT)
    from validation import recovery_cases, recovery_rates

    return recovery_cases, recovery_rates


def verdicts(rates, factor: float = 1.0):
    """Judge two noise levels by least squares and LMMSE, the noise really being ``factor`` times as large."""
    cases, judged = rates
    levels = (0.3, 0.5)
    run = cases.subsets(128, 512, [factor * c for c in levels], (cases.LS, cases.LMMSE))
    names = {f"{factor * c:g}": f"{c:g}" for c in levels}
    with threadpool_limits(1):
        own = judged.measure(cases.Case(CASE, 12, run), 12)
    own = {(names[setting], decoder): shares for (setting, decoder), shares in own.items()}
    expected = {key: row for key, row in judged.read_reference()[CASE].items() if key in own}
    return judged.judge(CASE, own, expected)


def test_the_reference_is_met(rates):
    found = verdicts(rates)
    assert len(found) == 12
    assert all(v.agrees for v in found), [v for v in found if not v.agrees]


def test_noise_of_the_wrong_size_is_off(rates):
    found = [v for v in verdicts(rates, 1.3) if v.decoder in ("least squares", "LMMSE")]
    assert len(found) == 4
    assert not any(v.agrees for v in found)


def test_every_case_has_a_reference_and_rows_of_other_cases_stay(rates, tmp_path: Path):
    cases, judged = rates
    assert {case.name for case in cases.CASES} == set(judged.read_reference())
    path = tmp_path / "rates.csv"
    first = judged.Verdict(CASE, "1", "box", 2, 0.6, 0.1, 0.6, 0.1, 3, 0.2, True)
    other = judged.Verdict(cases.CASES[1].name, "1", "box", 2, 0.6, 0.1, 0.6, 0.1, 3, 0.2, False)
    judged.write([other], path)
    judged.write([first], path)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line.rsplit(",", 1)[1] for line in lines] == ["agrees", "yes", "NO"]
