"""The face of the package: few names, sorted, typed and loaded only when asked for."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dalenius

SOURCE = Path(dalenius.__file__).parent
FAMILIES = ("inference", "reconstruction", "singling_out", "tracing")
FACES = ("auditing", *FAMILIES)
EVERY = [(face, name) for face in FACES for name in importlib.import_module(f"dalenius.{face}").__all__]


@pytest.mark.parametrize("name", sorted(set(dalenius.__all__) - {*FAMILIES}))
def test_every_name_is_there(name: str) -> None:
    assert callable(getattr(dalenius, name))


@pytest.mark.parametrize(("face", "name"), EVERY)
def test_every_name_of_a_family_is_there(face: str, name: str) -> None:
    assert callable(getattr(importlib.import_module(f"dalenius.{face}"), name))


def test_the_names_are_few_and_sorted() -> None:
    assert list(dalenius.__all__) == sorted(dalenius.__all__)
    assert len(dalenius.__all__) <= 21
    assert set(dalenius.__all__) < set(dir(dalenius))
    assert all(getattr(dalenius, family).__name__ == f"dalenius.{family}" for family in FAMILIES)


@pytest.mark.parametrize("face", ["", *FACES])
def test_the_stub_has_every_name(face: str) -> None:
    module = importlib.import_module(f"dalenius.{face}".rstrip("."))
    tree = ast.parse((SOURCE / face / "__init__.pyi").read_text())
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    stubbed = {alias.asname: f"{node.module}" for node in imports for alias in node.names}
    assert {name: home for name, home in stubbed.items() if home != "dalenius"} == module._HOMES


@pytest.mark.parametrize("face", ["", *FACES])
def test_no_room_shares_a_name_with_a_verb(face: str) -> None:
    module = importlib.import_module(f"dalenius.{face}".rstrip("."))
    rooms = {found.name for found in pkgutil.iter_modules(module.__path__)}
    assert rooms & {*module._HOMES} == set()


@pytest.mark.parametrize("face", ["", *FACES])
def test_an_unknown_name_is_an_attribute_error(face: str) -> None:
    with pytest.raises(AttributeError, match="no attribute 'adit'"):
        _ = importlib.import_module(f"dalenius.{face}".rstrip(".")).adit


def test_importing_the_package_or_a_family_loads_nothing() -> None:
    code = (
        "import sys, dalenius\nfor family in dalenius._FAMILIES: getattr(dalenius, family)\n"
        "print(*sorted(m for m in sys.modules if m.startswith('dalenius.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == sorted(f"dalenius.{name}" for name in (*FAMILIES, "registry"))


def test_the_signature_of_an_audit_is_shown() -> None:
    assert inspect.isfunction(dalenius.audit)
    assert list(inspect.signature(dalenius.audit).parameters)[:4] == ["people", "secret", "id", "statistics"]


def people() -> dict[str, list[object]]:
    return {"who": list("abcd"), "age": [32, 47, 51, 60], "ill": ["no", "yes", "no", "no"]}


def test_every_kind_of_frame_is_audited_alike(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    pd.DataFrame(people()).to_csv(path, index=False)
    asked, made = dalenius.tables(k=1), dalenius.rounding(20)
    with dalenius.read(path, secret="ill", id="who") as held:
        expected = dalenius.audit(held, statistics="tables:k=1", mechanism="rounding:base=20")
        assert held.n == 4  # who opened them closes them
    for frame in (pd.DataFrame(people()), pl.DataFrame(people()), pa.table(people()), path, str(path)):
        found = dalenius.audit(frame, secret="ill", id="who", statistics=asked, mechanism=made)
        assert found.report.findings == expected.report.findings
        assert found.verdict == expected.verdict


def test_releases_are_pairs_or_folders(tmp_path: Path) -> None:
    import numpy as np

    from dalenius.reconstruction import write_release

    frame, pair = pa.table(people()), (dalenius.tables(k=1), dalenius.rounding(20))
    with dalenius.read(frame, secret="ill") as held:
        release = dalenius.publish(held, *pair, rng=np.random.default_rng(1))
    write_release(release, tmp_path / "out")
    found = dalenius.audit(frame, secret="ill", releases={"pair": pair, "folder": tmp_path / "out"})
    assert {finding.release for finding in found.report.findings} >= {"pair", "folder"}


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({}, "secret must be the column"),
        ({"secret": "ill", "statistics": dalenius.means()}, "trace_members"),
        ({"secret": "ill", "statistics": "tables:k=1", "releases": {}}, "releases must not be given with"),
        ({"secret": "ill", "releases": {"a": 3}}, "release 'a' must be"),
        ({"secret": "ill"}, "tables must say what will be published"),
        ({"secret": "ill", "releases": {}}, "tables must say what will be published"),
        ({"secret": ["ill"], "tables": ["age"]}, "secret must be one column, by its name; got list"),
        ({"secret": "ill", "id": 3, "tables": ["age"]}, "id must be one column, by its name; got int"),
        ({"secret": "ill", "tables": ["age"], "bins": [1, 2]}, "bins must be cut points by column"),
        ({"secret": "ill", "tables": ["age"], "seed": "1"}, "seed must be a whole number"),
        ({"secret": "ill", "statistics": 5}, "statistics must be texts such as"),
        ({"secret": "il", "statistics": "tables:k=1"}, "il"),
    ],
)
def test_what_cannot_be_audited_is_refused(given: dict[str, object], rule: str) -> None:
    with pytest.raises(dalenius.InputError, match=rule):
        dalenius.audit(pa.table(people()), **given)


def test_a_secret_is_not_named_twice() -> None:
    with (
        dalenius.read(pa.table(people()), secret="ill") as held,
        pytest.raises(ValueError, match="must not be given again"),
    ):
        dalenius.audit(held, secret="ill", statistics="tables:k=1")


def test_numbers_are_cut_where_an_audit_is_told() -> None:
    """Ages of one's own would give everybody away; two bands of forty give nobody."""
    frame = pa.table({"age": list(range(20, 100)), "ill": ["no", "yes"] * 40})
    whole = dalenius.audit(frame, secret="ill", tables=["age"], bins={"age": list(range(20, 100))})
    coarse = dalenius.audit(frame, secret="ill", tables=["age"], bins={"age": [60]})
    assert (whole.report.findings[0].certain, coarse.report.findings[0].certain) == (80, 0)
    with (
        dalenius.read(frame, secret="ill") as people,
        pytest.raises(dalenius.InputError, match="secret, id and bins must not be given again"),
    ):
        dalenius.audit(people, bins={"age": [60]}, tables=["age"])
