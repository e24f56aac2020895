"""What stands in a released file is released: columns that a plan ignores, names of rows, other spellings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

from dalenius.auditing.decide import decide
from dalenius.auditing.plan import check_plan
from dalenius.auditing.run import run_plan
from dalenius.errors import InputError
from dalenius.findings.policy import Policy
from dalenius.singling_out.referee.columns.recoded import MARKS
from dalenius.singling_out.released.files import TripleRows, read_triple
from dalenius.singling_out.released.to_finding import finding_of_triple
from dalenius.singling_out.released.triple import TripleSettings, run_triple
from dalenius.singling_out.released.why import look_for_causes

N, EVERYBODY = 400, 40_000


def people(n: int, seed: int, first: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {
        "pid": np.arange(first, first + n),
        "mail": [f"m{number}" for number in rng.choice(10**9, n, replace=False)],
        "tax": rng.choice(10**8, n, replace=False) + 10**8,
        "age": rng.integers(18, 90, n),
        "ill": rng.choice(["no", "yes"], n),
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("rows")
    csv.write_csv(pa.table(people(N, 1)), place / "people.csv")
    csv.write_csv(pa.table(people(EVERYBODY, 2)), place / "everybody.csv")
    return place


def audited(folder: Path, released: dict[str, Any], **schema: Any) -> Any:
    """Publish rows without ages, in another order, with the illness and what else is given."""
    order = np.random.default_rng(3).permutation(N)
    cells = {"age": ["18-89"] * N, "ill": people(N, 1)["ill"], **released}
    csv.write_csv(
        pa.table({name: np.asarray(column)[order] for name, column in cells.items()}), folder / "r.csv"
    )
    plan = {
        "data": {"path": "people.csv"},
        "schema": {"id": "pid", "public": ["age", "ill"], **schema},
        "release": [
            {"name": "r", "kind": "anonymised-rows", "path": "r.csv", "quasi": ["age"], "limit": 0.1}
        ],
        "knowledge": {"population": "everybody.csv"},
    }
    return run_plan(check_plan(plan, folder)).report


def test_a_released_column_is_attacked_though_the_plan_ignores_it(folder: Path) -> None:
    ignored = {"ignored": ["mail", "tax"]}
    assert audited(folder, {}, **ignored).verdict == "pass"
    report = audited(folder, {"mail": people(N, 1)["mail"]}, **ignored)
    assert report.verdict == "stop"
    assert "column mail identifies nearly everybody" in " ".join(report.reasons)
    assert "Ignored by the plan, but released" in report.to_json()


@pytest.mark.parametrize(
    ("told", "verdict", "changed"),
    [
        (lambda tax: [f"T-{number:,}" for number in tax], "undecided", True),  # written in another way
        (lambda tax: tax + 1, "undecided", True),  # an attacker who knows that takes one off
        (lambda tax: [str(number)[:2] + "*" for number in tax], "undecided", True),  # coarser, and not named
        (lambda tax: ["*"] * N, "undecided", False),  # one condition is too few to say more
        (lambda tax: np.full(N, tax[0]), "undecided", False),
        (lambda tax: tax, "stop", False),
    ],
)
def test_columns_that_are_not_as_they_were_decide_nothing(
    folder: Path, told: Any, verdict: str, changed: bool
) -> None:
    report = audited(folder, {"tax": told(people(N, 1)["tax"])}, ignored=["mail"])
    assert report.verdict == verdict, report.reasons
    assert ("with values that no original has" in " ".join(report.reasons)) == changed


def test_one_mark_of_suppressed_cells_is_no_change(folder: Path) -> None:
    ill = people(N, 1)["ill"]
    starred = np.where(np.arange(N) < N // 2, "*", ill)
    assert MARKS == 1
    assert audited(folder, {"ill": starred}, ignored=["mail", "tax"]).verdict == "pass"
    words = np.where(np.arange(N) < N // 2, np.where(ill == "no", "healthy", "sick"), ill)
    assert audited(folder, {"ill": words}, ignored=["mail", "tax"]).verdict == "undecided"


def table(seed: int, first: int = 0, **more: Any) -> pa.Table:
    """People, or rows that know nobody, by three columns that say little."""
    rng = np.random.default_rng(seed)
    numbers = {name: rng.integers(0, 6, N) for name in ("a", "b", "c")}
    return pa.table({"nr": np.arange(first, first + N), **numbers, **more})


def triple(
    original: pa.Table, released: pa.Table, control: pa.Table, **how: Any
) -> tuple[str, Any, TripleRows]:
    order = np.random.default_rng(9).permutation(N)
    rows = read_triple(original, released.take(order), control, **how)
    found = run_triple(rows, TripleSettings(attacks=50))
    finding = finding_of_triple(found, "rows")
    return decide([finding], Policy(max_advantage=1.0))[0], finding, rows


def copies(finding: Any) -> dict[str, tuple[int, int]]:
    return {one.reach: (one.original, one.control) for one in finding.details.copies}


@pytest.mark.parametrize("how", [{"ids": ["nr"]}, {"leave_out": ["nr"]}, {"ids": ["nr"], "ignored": ["a"]}])
def test_row_numbers_that_mean_nothing_pass(how: Any) -> None:
    verdict, finding, rows = triple(table(1), table(2), table(3), **how)
    assert verdict == "pass"
    assert copies(finding)["people called as in nr"] == (0, 0), "two people have each number"
    assert rows.synthetic.names == ("a", "b", "c"), "a column that names nobody stays"
    assert any("No condition is about nr" in text for text in finding.assumptions)


def test_rows_that_have_the_names_of_people_never_pass() -> None:
    verdict, finding, rows = triple(table(1), table(2), table(3, first=N), ids=["nr"])
    assert verdict == "stop"
    assert copies(finding)["people called as in nr"] == (N, 0)
    made = run_triple(rows, TripleSettings(attacks=50))
    causes = {one.name: one for one in look_for_causes(rows, made, TripleSettings(attacks=50)).causes}
    assert causes["nr"].without == 0
    assert causes["a"].without == N


def test_rows_of_those_whose_number_they_have_never_pass() -> None:
    """All files number their people from 0; one true column of six values is behind the numbers."""
    true = table(2).set_column(1, "a", table(1).column("a"))
    verdict, finding, _ = triple(table(1), true, table(3), ids=["nr"])
    assert verdict == "stop"
    (same, luck) = copies(finding)["rows called as the people are in nr, by a"]
    assert same == N - 20
    assert luck < N / 3
    shuffled = true.set_column(0, "nr", pa.array(np.random.default_rng(4).permutation(N)))
    assert triple(table(1), shuffled, table(3), ids=["nr"])[0] == "pass"


def test_names_that_are_not_known_of_others_decide_nothing() -> None:
    control = table(3).drop_columns(["nr"])
    verdict, finding, _ = triple(table(1), table(2), control, ids=["nr"])
    assert (verdict, finding.details.unjudged) == ("undecided", ("nr",))
    assert triple(table(1), table(2, first=N), control, ids=["nr"])[0] == "pass", "nobody is called so"


def test_ignored_columns_of_synthetic_rows_are_attacked() -> None:
    """A number that the plan ignores stays in conditions; a name does not, and is looked at apart."""
    size = np.random.default_rng(5).normal(size=N)
    mails = {name: [f"{name}{j}" for j in range(N)] for name in "osc"}
    files = [
        table(seed, size=size + 1e-4 if name == "s" else size[::-1] * seed, mail=mails[name])
        for name, seed in (("o", 1), ("s", 2), ("c", 3))
    ]
    files[0] = files[0].set_column(4, "size", pa.array(size))
    verdict, finding, rows = triple(*files, ids=["nr"], ignored=["size", "mail"])
    assert rows.synthetic.names == ("a", "b", "c", "size")
    assert verdict == "stop"
    assert copies(finding)["people called as in mail"] == (0, 0)
    with pytest.raises(InputError, match="column 'size' must be in the control"):
        triple(files[0], files[1], files[2].drop_columns(["size"]), ids=["nr"], ignored=["size"])
