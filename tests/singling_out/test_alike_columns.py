"""Released rows that are somebody's in a few columns only: age, sex, region and illness; all else is not."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any

import numpy as np
import pytest
from scipy.stats import hypergeom

from dalenius.findings.policy import Policy
from dalenius.people.rows.columns import NumberColumn, TextColumn
from dalenius.people.rows.rows import Rows
from dalenius.singling_out.finding import CopiesSeen
from dalenius.singling_out.referee.columns.alike import (
    AlikeInColumns,
    FoundInColumns,
    SecretAsked,
    alike_in_columns,
    chance_of,
)
from dalenius.singling_out.referee.columns.cells import CellTally, coded_columns, coded_secret
from dalenius.singling_out.referee.columns.choices import possible, wider
from dalenius.singling_out.referee.file_order import in_file_order
from dalenius.singling_out.referee.pooled import PooledRows
from dalenius.singling_out.released.rules import verdict_on_copies

N = 1200
People = dict[str, np.ndarray]
QUASI = ("age", "sex", "region", "ill")


def patients(rng: np.random.Generator, n: int = N) -> People:
    """Numbers and labels that depend on age, and a number of their own."""
    age = rng.integers(0, 95, n).astype(float)
    return {
        "age": age,
        "sex": rng.integers(0, 2, n),
        "region": np.minimum(rng.geometric(0.12, n) - 1, 24),
        "ill": np.minimum(rng.geometric(0.35 - 0.002 * age, n) - 1, 7),
        "weight": np.round(rng.normal(60 + age / 4, 12, n)),
        "pressure": np.round(rng.normal(120 + age / 5, 12, n)),
        "pay": np.round(rng.lognormal(10, 0.6, n)),
        "number": rng.choice(np.arange(10**8, 10**9, 7919), n, replace=False).astype(float),
        "school": rng.integers(0, 6, n),
    }


def shops(rng: np.random.Generator, n: int = N) -> People:
    """Labels alone, which lean on two hidden traits."""
    traits = rng.normal(size=(n, 2))
    sizes = {"age": 60, "sex": 2, "region": 30, "ill": 6, "brand": 12, "till": 9, "day": 7, "card": 4}
    return {
        name: np.clip(
            (levels / 2 + levels / 5 * (traits[:, j % 2] + rng.normal(size=n))), 0, levels - 1
        ).astype(int)
        for j, (name, levels) in enumerate(sizes.items())
    }


KINDS = [patients, shops]


def rows(people: People) -> Rows:
    return Rows(
        tuple(
            NumberColumn(name, own.astype(float), "float")
            if own.dtype.kind == "f"
            else TextColumn(name, own.astype(np.int32), tuple(f"{name} {j}" for j in range(60)))
            for name, own in people.items()
        )
    )


def three(kind: Callable[..., People], seed: int = 1) -> tuple[People, People, People]:
    rng = np.random.default_rng(seed)
    own, other, control = (kind(rng) for _ in range(3))
    return own, other, control


def partly(own: People, other: People, columns: tuple[str, ...], which: np.ndarray) -> People:
    """Other people's rows, some of which have these columns of somebody."""
    return {name: np.where(which & (name in columns), own[name], other[name]) for name in own}


def looked(own: People, released: People, control: People, **asked: Any) -> FoundInColumns:
    pool = PooledRows(rows(own), rows(control))
    return alike_in_columns(pool, rows(released), np.random.default_rng(1), **asked)


def verdict(seen: AlikeInColumns | None) -> str:
    assert seen is not None
    from dalenius.singling_out.released.result import Copies
    from dalenius.singling_out.released.to_finding import _copies

    one: CopiesSeen = _copies(Copies.of_columns(seen, N, N))
    return verdict_on_copies(one, N, 15, Policy().max_copies)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 1.0])
def test_real_columns_among_other_people_s_never_pass(kind: Callable[..., People], share: float) -> None:
    """No such row is near anybody as a whole: all of these passed."""
    own, other, control = three(kind)
    found = looked(own, partly(own, other, QUASI, np.random.default_rng(2).random(N) < share), control)
    assert verdict(found.alike) in ({"stop"} if share > 0.1 else {"stop", "undecided"})
    assert {*found.alike.columns} <= {*QUASI}
    low, high = found.alike.beyond[1:]
    assert low < share < high + 0.05


@pytest.mark.parametrize("kind", KINDS)
def test_other_people_s_rows_pass(kind: Callable[..., People]) -> None:
    for seed in range(2):
        own, other, control = three(kind, seed)
        found = looked(own, other, control, secret=SecretAsked("ill", 0.0, 0.95))
        assert verdict(found.alike) == "pass"
        assert found.told.success.advantage.low <= 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_that_knows_how_often_originals_have_each_value_passes(kind: Callable[..., People]) -> None:
    """Every column is resampled from the original: frequencies are no person, and are taken out."""
    own, _, control = three(kind)
    rng = np.random.default_rng(3)
    coarse = [name for name in own if name not in ("number", "pay")]
    released = {name: rng.choice(own[name], N) for name in coarse}
    found = looked({n: own[n] for n in coarse}, released, {n: control[n] for n in coarse})
    assert verdict(found.alike) == "pass"


def test_what_most_people_have_in_one_column_hides_nothing_of_another() -> None:
    """Nine of ten have no gains; how often originals among them have each age is no leak either."""
    chances = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        own, control = (
            {"age": rng.integers(0, 60, N).astype(float), "gains": np.where(rng.random(N) < 0.1, 1.0, 0.0)}
            for _ in range(2)
        )
        released = {name: rng.choice(values, 4 * N) for name, values in own.items()}
        chances.append(looked(own, released, control).alike.chance)
    assert min(chances) > 0.05


def only_region(own: People) -> np.ndarray:
    return own["region"] == 2


def at_end(name: str, many: int) -> Callable[[People, People], People]:
    """Four real columns of the people with the largest values of one; the least if the number is negative."""

    def release(own: People, other: People) -> People:
        these = np.zeros(N, np.bool_)
        order = np.argsort(own[name], kind="stable")
        these[order[-many:] if many > 0 else order[:-many]] = True
        return partly(own, other, QUASI, these)

    return release


def changed(name: str, how: Callable[[np.ndarray], np.ndarray]) -> Callable[[People, People], People]:
    return lambda own, other: other | {name: how(own[name])}


def digits_moved(numbers: np.ndarray) -> np.ndarray:
    order = np.random.default_rng(4).permutation(9)
    return np.array([float("".join(f"{x:.0f}"[i] for i in order)) for x in numbers])


@pytest.mark.parametrize(
    ("name", "release"),
    [
        ("region", lambda own, other: partly(own, other, QUASI, only_region(own))),
        ("the largest values of age", at_end("age", 30)),
        ("the least values of age", at_end("age", -30)),
        ("age, ill, pay", lambda own, other: other | {n: own[n] for n in ("age", "ill", "pay")}),
        ("pay", changed("pay", lambda pay: pay)),
        ("number (signs in any order)", changed("number", digits_moved)),
        (
            "(about)",
            lambda own, other: (
                other
                | {"pay": own["pay"] * np.random.default_rng(5).uniform(0.99, 1.01, N), "ill": own["ill"]}
            ),
        ),
        (
            "rows alike",
            lambda own, other: {
                n: np.concatenate([own[n] if j < 4 else other[n], other[n] if j < 4 else own[n]])
                for j, n in enumerate(own)
            },
        ),
        (
            "region",
            lambda own, other: other | {n: own[n] for n in QUASI} | {"ill": own["ill"] // 2 * 2},
        ),
    ],
    ids=[
        "people of one region",
        "the oldest thirty",
        "the youngest thirty",
        "two columns and the secret",
        "one exact column",
        "a number with its digits moved",
        "an amount within a hundredth, and the secret",
        "everybody split over two rows",
        "a coarser secret",
    ],
)
def test_further_ways_to_leak_are_seen(name: str, release: Callable[[People, People], People]) -> None:
    own, other, control = three(patients)
    found = looked(own, release(own, other), control)
    assert verdict(found.alike) in {"stop", "undecided"}
    assert found.alike.chance < 0.01
    assert any(part in found.alike.name for part in name.split(", "))


def test_the_secret_is_read_off_rows_alike_in_what_is_known() -> None:
    """Where nothing is alike any row is as good, so that being met tells nothing by itself."""
    own, other, control = three(patients)
    secret = SecretAsked("ill", 0.0, 0.95)
    told = looked(own, other | {n: own[n] for n in QUASI}, control, secret=secret).told
    assert {*told.columns} <= {"age", "region", "sex"}
    assert told.success.advantage.low > 0.2
    alone = looked(own, other | {"pay": own["pay"]}, control, secret=secret).told
    assert alone.success.advantage.low <= 0


def test_luck_is_told_as_luck() -> None:
    """Of 60 releases of other people few have a chance of 0.05 or less, all choices of columns together."""
    chances = []
    for seed in range(60):
        rng = np.random.default_rng([9, seed])
        kind, more = (shops, "till") if seed % 2 else (patients, "weight")
        own, other, control = (
            {name: values for name, values in kind(rng, 150).items() if name in (*QUASI, more)}
            for _ in range(3)
        )
        pool = PooledRows(rows(own), rows(control))
        chances.append(alike_in_columns(pool, rows(other), rng).alike.chance)
    assert sum(chance <= 0.05 for chance in chances) <= 6  # 3 are expected at the most


def test_the_people_at_the_ends_of_a_number() -> None:
    """Those alike belong together, an end is a tenth at most, and what is missing is at none."""
    values = np.concatenate([np.arange(190.0), np.full(10, np.nan)])
    (column, *_) = coded_columns(Rows((NumberColumn("age", values, "float"),)), 200)
    least, largest = column.ends
    assert least.what == "the least values of age"
    assert {*least.people.tolist()} == {*range(least.people.size)}
    assert {*largest.people.tolist()} == {*range(190 - largest.people.size, 190)}
    for end in column.ends:
        assert end.sizes.min() >= 8
        assert end.sizes.max() == end.people.size <= 20
    (flat, *_) = coded_columns(Rows((NumberColumn("pay", np.repeat([0.0, 7.0], [185, 15]), "float"),)), 200)
    assert [end.sizes.tolist() for end in flat.ends] == [[], [15]]


def test_chances_are_those_of_drawing_people() -> None:
    """With scores of 0 and 1 the sum is hypergeometric; the chance is about that, and rarely below it."""
    scores = np.repeat([1.0, 0.0], [80, 320]) - 0.2
    for met in (52, 58, 64):
        exact = float(hypergeom.sf(met - 1, 400, 80, 200))
        said = chance_of(scores, 200, met - 0.2 * 200)
        assert exact / 2 < said < 12 * exact, (met, exact, said)


def test_order_of_rows_and_columns_moves_nothing() -> None:
    own, other, control = three(shops)
    released = partly(own, other, QUASI, np.arange(N) % 3 == 0)
    rng = np.random.default_rng(5)
    mixed = [
        {name: one[name][order] for name in reversed(one)}
        for one, order in ((one, rng.permutation(N)) for one in (own, released, control))
    ]
    secret = SecretAsked("ill", 0.0, 0.95)
    assert looked(own, released, control).alike == looked(*mixed).alike
    first, second = (looked(*them, secret=secret).told for them in ((own, released, control), mixed))
    assert first.columns == second.columns


def test_choices_that_might_have_been_made_are_counted() -> None:
    assert possible([f"c{j}" for j in range(12)], 4) == comb(12, 4)
    assert possible(["a", "a", "b"], 2) == 2
    best = wider({(j,): float(j) for j in range(40)}, [f"c{j}" for j in range(40)], 3)
    assert (38, 39) in best
    assert len(best) == 3


def test_cells_and_shares_by_hand() -> None:
    people = Rows((TextColumn("sex", np.array([0, 0, 1], np.int32), ("f", "m")),))
    (sex,) = coded_columns(people, 2)
    counts = CellTally(3, 2)
    cells = counts.cut(np.zeros(3, np.int32), sex)
    assert cells.tolist() == [0, 0, 1]
    scores, some = np.empty(2), np.empty(2)
    seen = counts.weigh(cells, [sex], 1, scores, some)
    assert seen.met == (0, 0)
    near = coded_secret(NumberColumn("pay", np.array([10.0, 12.0, 19.0, np.nan]), "float"), 5.0, 4)
    assert len({*near.codes[:2].tolist()}) == 1
    assert len({*near.codes.tolist()}) == 3


def test_rows_in_the_order_of_the_people() -> None:
    """Only one column is real, in everybody's place: it passed. Files sorted alike are not in that order."""
    own, other, control = three(patients)
    rng = np.random.default_rng(6)
    noise = {name: rng.permutation(values) for name, values in other.items()}
    pool = PooledRows(rows(own), rows(control))
    placed = in_file_order(pool, rows(noise | {"ill": own["ill"]}))
    assert placed.column == "ill"
    assert placed.chance < 1e-6
    assert placed.same > 2 * placed.luck
    assert in_file_order(pool, rows(noise)).chance > 0.01
    as_sorted = [
        rows({name: values[np.lexsort((one["sex"], one["age"]))] for name, values in one.items()})
        for one in (own, other)
    ]
    assert in_file_order(PooledRows(as_sorted[0], rows(control)), as_sorted[1]).chance > 0.01
    assert (
        in_file_order(PooledRows(rows(own), rows(control)), rows({n: v[:50] for n, v in own.items()})) is None
    )
