"""Released rows in another unit or code meet nobody: that is no pass."""

from __future__ import annotations

import numpy as np
import pytest

from dalenius.findings.policy import Policy
from dalenius.people.rows.columns import NumberColumn, TextColumn
from dalenius.people.rows.rows import Rows
from dalenius.singling_out.referee.columns.recoded import recoded_columns
from dalenius.singling_out.released.rules import released_rulings
from dalenius.singling_out.released.to_finding import finding_of_triple
from dalenius.singling_out.released.triple import TripleSettings, single_out_triple

JOBS = tuple(f"job {i}" for i in range(6))


def drawn(rng: np.random.Generator, n: int) -> dict[str, np.ndarray]:
    return {
        "pay": np.round(rng.lognormal(10, 0.6, n)),
        "height": np.round(rng.normal(170, 10, n), 1),
        "age": rng.integers(18, 90, n).astype(float),
        "job": rng.integers(0, len(JOBS), n),
    }


def rows(values: dict[str, np.ndarray], jobs: tuple[str, ...] = JOBS) -> Rows:
    numbers = [NumberColumn(name, values[name], "number") for name in ("pay", "height", "age")]
    return Rows((*numbers, TextColumn("job", values["job"].astype(np.int32), jobs)))


@pytest.fixture(scope="module")
def people() -> tuple[dict[str, np.ndarray], ...]:
    rng = np.random.default_rng(4)
    return drawn(rng, 400), drawn(rng, 400), drawn(rng, 400)


def test_another_unit_and_another_code_are_named(people):
    original, control, other = people
    moved = {**original, "pay": 2 * original["pay"], "height": original["height"] / 2.54}
    renamed = tuple(f"code {i}" for i in range(6))
    assert recoded_columns(rows(moved, renamed), rows(control)) == ("pay", "height", "job")
    assert recoded_columns(rows(original), rows(control)) == ()
    assert recoded_columns(rows(other), rows(control)) == ()


def test_people_s_own_labels_are_nobody_else_s_and_say_nothing(people):
    own, others = (
        Rows((TextColumn("name", np.arange(50, dtype=np.int32), tuple(f"{who} {i}" for i in range(50))),))
        for who in ("a", "b")
    )
    assert recoded_columns(own, others) == ()


@pytest.mark.parametrize(("factor", "verdicts"), [(2.0, {"undecided", "stop"}), (1.0, set())])
def test_everybody_s_row_in_another_unit_does_not_pass(people, factor, verdicts):
    """Every row is a person's; with all numbers in another unit nothing met anybody, and that passed."""
    original, control, other = people
    source = original if factor != 1.0 else other
    released = {**source, **{name: factor * source[name] for name in ("pay", "height", "age")}}
    how = TripleSettings(attacks=200)
    found = single_out_triple(rows(original), rows(released), rows(control), how=how)
    finding = finding_of_triple(found, "released")
    limit = Policy(max_advantage=0.5)  # so that only what cannot be shown is left
    rulings = released_rulings(finding, finding.details, limit)
    assert {ruled.verdict for ruled in rulings} - {"pass"} == verdicts  # ranks see through a unit
    assert any("pay" in ruled.reason for ruled in rulings) == ("undecided" in verdicts)
