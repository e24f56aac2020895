"""The tables of what passes in tracing, in short: one seed of the rows that once went wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def passes():
    patch = pytest.MonkeyPatch()
    patch.syspath_prepend(ROOT)
    from validation import passes_tracing

    with threadpool_limits(1):
        yield passes_tracing
    patch.undo()


@pytest.mark.parametrize(
    "name",
    [
        "exact means",
        "a fifth of the members' values missing",
        "references of another ancestry",
        "23 references",
    ],
)
def test_a_release_that_leaks_does_not_pass(passes, name: str) -> None:
    assert passes.LEAKING[name](passes.Deal(1)) != "pass"


def test_a_promise_that_bounds_every_attack_passes(passes) -> None:
    assert passes.HARMLESS["gaussian:rho=0.0001"](passes.Deal(1)) == "pass"


@pytest.mark.parametrize(
    "name",
    [
        "frequencies of 150 people",
        "frequencies said to be the population's",
        "18 reference people",
        "references of another ancestry",
        "targets lack a fifth of heterozygous calls",
    ],
)
def test_nobody_is_accused_at_a_broken_level(passes, name: str) -> None:
    _, accused, verdict = passes.ASKED[name](passes.Deal(1))
    assert (accused, verdict) == (0, "undecided")


@pytest.mark.parametrize("name", ["targets lack 50%", "references lack 20%"])
def test_missing_values_keep_the_level(passes, name: str) -> None:
    p, accused, verdict = passes.ASKED[name](passes.Deal(1))
    assert verdict == "told"
    assert (p <= 0.05).mean() < 0.12
    assert accused <= 0.05 * p.size
