"""What passes and what does not, one seed of the cheap lines; the whole table is the script's."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LEAKS = (
    "rows, number released, not in the register",
    "rows, number released, 1,000 others",
    "rows, fine bands, two columns as they are",
    "survey, noise of 1% of the deviation",
    "numbers, rank swapping, 5%",
)


@pytest.fixture
def cases(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(ROOT)
    from validation.passes_singling_out import generalised, triples

    return {case.name: case for case in (*triples(), *generalised())}


def test_leaks_stop_and_coarse_rows_do_not(cases):
    for name in LEAKS:
        assert cases[name].leaks
        assert cases[name].verdict(0) == "stop", name
    honest = cases["rows, bands of 60 years, sex"]
    assert not honest.leaks
    assert honest.verdict(0) == "pass"
