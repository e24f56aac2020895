"""Copies in disguise: numbers moved, turned round or in other columns, some columns drawn anew."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from dalenius.findings.policy import Policy
from dalenius.people.rows.columns import NumberColumn, TextColumn
from dalenius.people.rows.rows import Rows
from dalenius.singling_out.attack.disguised import in_order, on_scale_of
from dalenius.singling_out.referee.disguised import disguised_copies
from dalenius.singling_out.referee.partial import alike_in_most
from dalenius.singling_out.referee.pooled import PooledRows
from dalenius.singling_out.released.rules import released_rulings
from dalenius.singling_out.released.to_finding import finding_of_triple
from dalenius.singling_out.released.triple import TripleSettings, single_out_triple

N, NUMBERS = 300, 6
TOWNS = ("north", "south", "west")
Values = np.ndarray


def people(seed: int) -> Values:
    """Six numbers that depend on each other, and a town."""
    rng = np.random.default_rng(seed)
    common = np.random.default_rng(0).normal(size=(2, NUMBERS))
    numbers = rng.normal(size=(N, 2)) @ common + rng.normal(size=(N, NUMBERS))
    return np.column_stack([numbers.round(3), rng.integers(0, 3, N)])


def rows(values: Values) -> Rows:
    numbers = [NumberColumn(f"n{j}", values[:, j].copy(), "float") for j in range(NUMBERS)]
    return Rows((*numbers, TextColumn("town", values[:, NUMBERS].astype(np.int32), TOWNS)))


def moved(own: Values, other: Values, rng: np.random.Generator) -> Values:
    changed = own.copy()
    changed[:, :NUMBERS] += 0.52 * own[:, :NUMBERS].std(axis=0)
    return changed


def turned(own: Values, other: Values, rng: np.random.Generator) -> Values:
    changed = own.copy()
    changed[:, :NUMBERS] *= -1
    return changed


def reordered(own: Values, other: Values, rng: np.random.Generator) -> Values:
    changed = own.copy()
    changed[:, :NUMBERS] = rng.permuted(own[:, :NUMBERS], axis=1)
    return changed


def partly(own: Values, other: Values, rng: np.random.Generator) -> Values:
    """Every fifth row is somebody's, but two numbers of it are other people's; the rest are other people."""
    changed = other.copy()
    changed[::5] = own[::5]
    for i in range(0, N, 5):
        new = rng.permutation(NUMBERS)[:2]
        changed[i, new] = other[i, new]
    return changed


def untouched(own: Values, other: Values, rng: np.random.Generator) -> Values:
    return own


def verdicts(released: Values, own: Values, control: Values) -> dict[str, str]:
    found = single_out_triple(
        rows(own), rows(released), rows(control), how=TripleSettings(attacks=100, columns=4)
    )
    finding = finding_of_triple(found, "released")
    loose = Policy(max_advantage=0.9)  # so that copies alone decide
    return {ruled.rule: ruled.verdict for ruled in released_rulings(finding, finding.details, loose)}


@pytest.mark.parametrize(
    ("disguise", "seen_by"),
    [
        (moved, "numbers with the same rank, within 15% of the ranks"),
        (turned, "numbers turned round, within 15% of the ranks"),
        (reordered, "equal rows, values in another order"),
        (partly, "rows that agree in most columns"),
    ],
)
def test_copies_in_disguise_stop(disguise: Callable[..., Values], seen_by: str) -> None:
    """All of them passed when rows were only asked for as they stand."""
    own, other, control = (people(seed) for seed in (1, 2, 3))
    said = verdicts(disguise(own, other, np.random.default_rng(4)), own, control)
    assert said[f"max_copies, {seen_by}"] == "stop"


@pytest.mark.parametrize("disguise", [moved, turned, reordered, untouched])
def test_other_people_in_the_same_disguise_do_not(disguise: Callable[..., Values]) -> None:
    own, other, control = (people(seed) for seed in (1, 2, 3))
    looks = disguised_copies(
        PooledRows(rows(own), rows(control)),
        rows(disguise(other, own, np.random.default_rng(4))),
        np.random.default_rng(1),
    )
    assert min(seen.chance for _, seen in looks) > 0.01


def test_luck_is_told_as_luck() -> None:
    """Of 40 releases that are other people few have a chance of 0.05 or less, shared among all looks."""
    seen = []
    for seed in range(40):
        own, other, control = (rows(people(3 * seed + j)[:80]) for j in range(3))
        looks = disguised_copies(PooledRows(own, control), other, np.random.default_rng(seed))
        seen.append(min(one.chance for _, one in looks))
    assert sum(chance <= 0.05 for chance in seen) <= 6  # 2 are expected at the most; 6 or fewer in 99 of 100
    assert min(seen) > 1e-4


def test_order_of_rows_and_columns_moves_nothing() -> None:
    own, other, control = (people(seed) for seed in (1, 2, 3))
    released = partly(own, other, np.random.default_rng(4))
    rng = np.random.default_rng(5)
    names = list(rows(own).names[::-1])
    first, second = (
        dict(disguised_copies(PooledRows(a, c), b, np.random.default_rng(1)))
        for a, b, c in (
            (rows(own), rows(released), rows(control)),
            tuple(rows(x[rng.permutation(N)]).select(names) for x in (own, released, control)),
        )
    )
    assert first == second


def test_ranks_and_order_by_hand() -> None:
    column = NumberColumn("pay", np.array([3.0, np.nan, 1.0, 1.0]), "float")
    others = NumberColumn("pay", np.array([10.0, 20.0, 30.0, np.nan]), "float")
    sent = on_scale_of(Rows((others,)), Rows((column,))).column("pay")
    assert isinstance(sent, NumberColumn)
    np.testing.assert_allclose(sent.values, [30.0, np.nan, 15.0, 15.0])  # ranks 5/6, and 1/3 for the two
    assert in_order(Rows((column, TextColumn("town", np.zeros(4, np.int32), TOWNS)))) is None


def test_most_columns_means_more_than_half() -> None:
    """Two of four columns alike point at nobody, three do; what few released rows have tells more."""

    def four(*lines: list[float]) -> Rows:
        table = np.array(lines, float)
        return Rows(tuple(NumberColumn(f"c{j}", table[:, j], "float") for j in range(4)))

    released = four([1, 2, 3, 4], [50, 60, 70, 80])
    half = PooledRows(four([1, 2, 9, 9]), four([7, 7, 7, 7]))
    most = PooledRows(four([1, 2, 3, 9]), four([7, 7, 7, 7]))
    rng = np.random.default_rng(1)
    assert alike_in_most(half, released, rng)[:2] == (0, 0)
    assert alike_in_most(most, released, rng)[:2] == (1, 0)
