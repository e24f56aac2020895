"""What the noise of printed tables promises, and when it promises nothing although a plan says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius.auditing.plan import check_plan
from dalenius.findings.report import NotRun
from dalenius.mechanisms.base import Promise
from dalenius.reconstruction.family import open_people
from dalenius.reconstruction.of_plan.tables import open_tables
from dalenius.reconstruction.opened import GivenRelease, known_roster
from dalenius.reconstruction.words import bound_of
from dalenius.theory.privacy import advantage_from_rho

SIGMA = 6.0
NOISE = f"gaussian:sigma={SIGMA:g} | rounding:digits=0"
TOWNS, JOBS = [f"t{j:02}" for j in range(12)], ["x", "y"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place, rng = tmp_path_factory.mktemp("noise"), np.random.default_rng(3)
    n = 600
    columns = rng.choice(TOWNS, n), rng.choice(JOBS, n), rng.choice(["no", "yes"], n)
    lines = [",".join(map(str, row)) for row in zip(*columns, strict=True)]
    (place / "people.csv").write_text("\n".join(["town,job,ill", *lines]) + "\n")
    return place


def printed(folder: Path, name: str, sigma: float = SIGMA, *, totals: str = "sums", seed: int = 1) -> str:
    """A table of towns with noise, whose totals are sums, exact, or have noise of their own."""
    rng = np.random.default_rng(seed)
    people = [line.split(",") for line in (folder / "people.csv").read_text().split()[1:]]
    rows, whole = [], np.zeros(2, int)
    for town in TOWNS:
        exact = np.array([sum(p[0] == town and p[2] == value for p in people) for value in ("no", "yes")])
        noisy = np.rint(exact + rng.normal(0, sigma, 2)).astype(int)
        total = {"sums": noisy.sum(), "exact": exact.sum()}.get(totals, exact.sum())
        if totals == "own":
            total = int(np.rint(exact.sum() + rng.normal(0, sigma)))
        rows.append(f"{town},{noisy[0]},{noisy[1]},{total}")
        whole += noisy
    if totals in ("sums", "exact margin"):
        last = whole if totals == "sums" else [sum(p[2] == v for p in people) for v in ("no", "yes")]
        rows = [f"{','.join(row.split(',')[:3])},{sum(map(int, row.split(',')[1:3]))}" for row in rows]
        rows.append(f"Total,{last[0]},{last[1]},{sum(last)}")
    (folder / name).write_text("\n".join(["town,no,yes,Total", *rows]) + "\n")
    return name


def opened(folder: Path, tables: list[str], **more: Any) -> GivenRelease | NotRun:
    release = {"name": "r", "tables": tables, "mechanism": NOISE, **more}
    plan = check_plan(
        {"data": {"path": "people.csv"}, "schema": {"secret": "ill"}, "release": [release]}, folder
    )
    with open_people(plan) as people:
        roster = known_roster(people, None)
        planned: Any = plan.release[0]
        return open_tables(planned, people, roster, rng=np.random.default_rng(9))


def promise_in(folder: Path, tables: list[str], **more: Any) -> Promise | None:
    found = opened(folder, tables, **more)
    assert isinstance(found, GivenRelease)
    return found.release.promise


def test_one_table_moves_two_numbers(folder: Path) -> None:
    """rho = 2 / (2 sigma^2): one record that is replaced leaves a cell and enters another."""
    promise = promise_in(folder, [printed(folder, "a.csv")], margins="none")
    assert promise is not None
    assert promise.rho == pytest.approx(1 / SIGMA**2)
    assert "each is counted in 1 number with noise of its own, of 1 table" in promise.said
    found = opened(folder, ["a.csv"], margins="none")
    assert isinstance(found, GivenRelease)
    bound = bound_of(found.release)
    assert bound is not None
    assert bound.value == pytest.approx(advantage_from_rho(1 / SIGMA**2))


def test_a_table_that_is_printed_twice_counts_twice(folder: Path) -> None:
    tables = [printed(folder, "a.csv", seed=1), printed(folder, "b.csv", seed=2)]
    twice = promise_in(folder, tables, margins="none")
    assert twice is not None
    assert twice.rho == pytest.approx(2 / SIGMA**2)


def test_sums_cost_nothing_whether_or_not_they_are_said_to_be_sums(folder: Path) -> None:
    free = promise_in(folder, [printed(folder, "a.csv")])
    assert free is not None
    assert free.rho == pytest.approx(1 / SIGMA**2)


@pytest.mark.parametrize(("sigma", "numbers"), [(SIGMA, 2), (0.0, None)])
def test_totals_beside_one_value_are_paid_for_and_looked_at(
    folder: Path, sigma: float, numbers: int | None
) -> None:
    """No attack reads them; exact ones promise nothing, whatever the plan says of them."""
    rng = np.random.default_rng(8)
    lines = [line.split(",") for line in (folder / printed(folder, "a.csv")).read_text().split()[1:-1]]
    people = [line.split(",")[0] for line in (folder / "people.csv").read_text().split()[1:]]
    rows = [
        f"{town},{yes},{people.count(town) + round(rng.normal(0, sigma)) if sigma else people.count(town)}"
        for town, _, yes, _ in lines
    ]
    (folder / "v.csv").write_text("\n".join(["town,yes,Total", *rows]) + "\n")
    promise = promise_in(folder, ["v.csv"])
    assert (promise and promise.rho) == (numbers and pytest.approx(numbers / SIGMA**2))


def test_margins_with_noise_of_their_own_are_paid_for(folder: Path) -> None:
    promise = promise_in(folder, [printed(folder, "a.csv")], margins=NOISE)
    assert promise is not None
    assert promise.rho == pytest.approx(2 / SIGMA**2)


@pytest.mark.parametrize("totals", ["exact", "exact margin"])
@pytest.mark.parametrize("margins", [None, "none"])
def test_exact_totals_beside_noisy_cells_promise_nothing(
    folder: Path, totals: str, margins: str | None
) -> None:
    """The plan says that margins are sums; what is printed says otherwise."""
    said = {} if margins is None else {"margins": margins}
    found = opened(folder, [printed(folder, "e.csv", totals=totals)], **said)
    if isinstance(found, GivenRelease):
        assert found.release.promise is None
        assert any("No promise is taken from its noise" in text for text in found.assumed)
    else:  # margins are questions of their own, and have no such noise
        assert "are not what [data] gives" in found.reason


def test_a_rho_that_is_that_of_one_table_is_not_promised_by_five(folder: Path) -> None:
    """Each table got the noise that rho asks of it alone; all together they would need more."""
    rho = 1 / SIGMA**2
    tables = [printed(folder, f"five{j}.csv", seed=10 + j) for j in range(5)]
    said = f"gaussian:rho={rho:.6f} | rounding:digits=0"
    alone = promise_in(folder, tables[:1], mechanism=said, margins="none")
    assert alone is not None
    assert alone.rho == pytest.approx(rho, abs=1e-6)
    found = opened(folder, tables, mechanism=said, margins="none")
    assert isinstance(found, NotRun)
    assert "are not what [data] gives" in found.reason


def test_less_noise_than_stated_promises_nothing(folder: Path) -> None:
    found = opened(folder, [printed(folder, "less.csv", sigma=1.0)], margins="none")
    assert isinstance(found, NotRun)


@pytest.mark.parametrize("more", [{"fixed": True}, {"date": "2019-01"}])
def test_what_is_out_or_of_another_date_promises_nothing(folder: Path, more: dict[str, Any]) -> None:
    assert promise_in(folder, [printed(folder, "a.csv")], margins="none", **more) is None


def test_a_number_outside_the_table_promises_nothing(folder: Path) -> None:
    """Above the noisy table stands how many people there are, exactly, and is no label of it."""
    text = (folder / printed(folder, "a.csv")).read_text()
    (folder / "title.csv").write_text(f"412,,,\n{text}")
    found = opened(folder, ["title.csv"], margins="none")
    assert isinstance(found, GivenRelease)
    assert found.release.promise is None
    assert any("row 1, column 1 has a number that stands outside" in text for text in found.assumed)
