"""A plan is checked whole, before any data is opened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dalenius.auditing.plan import Plan, check_plan, read_plan
from dalenius.errors import InputError


def plan(**changes: Any) -> dict[str, Any]:
    planned = {"name": "a", "statistics": ["tables:k=2"], "mechanism": "rounding:base=5"}
    return {"data": {"example": "fair"}, "release": [planned]} | changes


def problems(raw: dict[str, Any], folder: Path = Path()) -> str:
    with pytest.raises(InputError) as caught:
        check_plan(raw, folder, "audit.toml")
    return str(caught.value)


def test_defaults() -> None:
    checked = check_plan(plan(), Path())
    assert (checked.seed, checked.policy.max_certain, checked.budget.memory) == (1, 0, "2GB")


def test_all_problems_at_once_each_with_its_place() -> None:
    raw = plan(
        seed=-1,
        polcy={},
        policy={"max_certain": -3},
        schema={"secrt": "x", "missing": "drop"},
        release=[
            {"name": "a", "statistics": ["tables:k=2", "tabels:k=2"], "mechanism": "exact"},
            {"name": "b", "statistics": ["tables:k=x"], "mechanism": "gaussian:sigma=-4"},
            {"name": "A", "mechanism": "laplace:epsilon=0"},
        ],
    )
    text = problems(raw)
    assert text.startswith("audit.toml must be a plan that can be run; got 10 problems.")
    for line in (
        "seed: input should be greater than or equal to 0; got -1",
        "polcy: is not a known key. Did you mean 'policy'?",
        "policy.max_certain: input should be greater than or equal to 0; got -3",
        "schema.secrt: is not a known key. Did you mean 'secret'?",
        "schema.missing: input should be 'refuse' or 'value'; got 'drop'",
        "release[0].statistics[1]: statistic 'tabels' must be a known kind",
        "release[1].statistics[0]: tables: k must be a number; got 'x'",
        "release[1].mechanism: gaussian: sigma must be above 0; got -4",
        "release[2].mechanism: laplace: epsilon must be above 0; got 0",
        "release[2].name: must differ between releases; got 'A' twice",
    ):
        assert f"\n  {line}" in text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"data": {}}, "data: must have exactly one of path, url and example"),
        (
            {"data": {"url": "sqlite://x"}, "schema": {"secret": "x"}},
            "data: must have a table beside its url",
        ),
        ({"data": {"path": "none.csv"}}, "schema.secret: must name the column"),
        ({"data": {"path": "none.csv"}}, "data.path: none.csv must be a file; got no such file"),
        ({"release": []}, "release: list should have at least 1 item"),
        ({"release": [{"name": "a"}]}, r"release[0]: must have statistics and a mechanism, or the path"),
        ({"release": [{"name": "a", "path": "x", "mechanism": "exact"}]}, "must have either a path or"),
        ({"release": [{"statistics": []}]}, "release[0].name: must be given"),
        ({"knowledge": {"reference": "no.csv"}}, "knowledge.reference: no.csv must be a file"),
    ],
)
def test_what_a_plan_must_have(change: dict[str, Any], message: str) -> None:
    assert message in problems(plan(**change))


def test_a_missing_table_is_named() -> None:
    raw = plan()
    del raw["data"]
    assert "data: must be given" in problems(raw)


def test_paths_are_beside_the_plan(tmp_path: Path) -> None:
    (tmp_path / "people.csv").touch()
    (tmp_path / "q.csv").touch()
    raw = plan(
        data={"path": "people.csv"},
        schema={"secret": "x"},
        release=[
            {"name": "a", "statistics": ["queries:path=q.csv"], "mechanism": "exact"},
            {"name": "b", "path": "old"},
        ],
    )
    checked = check_plan(raw, tmp_path)
    assert checked.data.path == tmp_path / "people.csv"
    assert checked.release[0].statistics == [f"queries:path={tmp_path / 'q.csv'}"]
    assert checked.release[1].path == tmp_path / "old"


def test_not_toml(tmp_path: Path) -> None:
    (tmp_path / "audit.toml").write_text("[data\n")
    with pytest.raises(InputError, match="must be TOML"):
        read_plan(tmp_path / "audit.toml")
    with pytest.raises(InputError, match=r"Did you mean 'audit\.toml'"):
        read_plan(tmp_path / "audti.toml")


def test_the_tables_are_those_of_the_design() -> None:
    names = {field.alias or name for name, field in Plan.model_fields.items()}
    assert names == {"data", "schema", "release", "knowledge", "policy", "budget", "seed"}
