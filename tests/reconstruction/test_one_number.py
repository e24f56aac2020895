"""One release has one number of certain people, whichever command asks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dalenius.cli.main import app
from dalenius.people.dataset import read
from dalenius.reconstruction.audit import audit
from dalenius.reconstruction.opened import Planned, Scenario


@pytest.fixture
def town():
    """A hundred people, eight columns, a secret that hangs together with some of them."""
    import pyarrow as pa

    rng = np.random.default_rng(4)
    common = rng.standard_normal(100)
    columns = {"id": [f"p{i}" for i in range(100)]}
    for j, levels in enumerate((2, 3, 4, 5, 7, 2, 3, 9)):
        score = common + rng.standard_normal(100)
        codes = np.searchsorted(np.quantile(score, np.arange(1, levels) / levels), score)
        columns[f"a{j}"] = [f"l{code}" for code in codes]
    columns["ill"] = np.where(common + rng.standard_normal(100) > 0.5, "yes", "no").tolist()
    return pa.table(columns)


def test_audit_and_reconstruct_tables_find_the_same_people(town, tmp_path: Path):
    import itertools
    import json

    frame = town.to_pandas()
    frame.drop(columns="ill").to_csv(tmp_path / "people.csv", index=False)
    names = [f"a{j}" for j in range(8)]
    options = []
    for a, b in itertools.combinations(names, 2):
        counts = frame.groupby([a, b, "ill"]).size().unstack(fill_value=0)
        (5 * np.floor(counts / 5 + 0.5)).astype(int).to_csv(tmp_path / f"{a}{b}.csv")
        options += ["--table", str(tmp_path / f"{a}{b}.csv")]
    with read(town, secret="ill", id="id") as people:
        done = audit(people, {"r": Planned("tables:k=2", "rounding:base=5")}, Scenario(seed=1))
    found = done.report.findings[0]
    said = CliRunner().invoke(
        app,
        ["reconstruct", "tables", "--people", str(tmp_path / "people.csv"), "--id", "id", *options,
         "--mechanism", "rounding:base=5", "--secret", "ill", "--out", str(tmp_path / "out")],
    )  # fmt: skip
    assert said.exit_code == 1, said.output
    written = json.loads((tmp_path / "out" / "findings.json").read_text())
    assert written["findings"][0]["certain"] == found.certain > 20
    assert found.details.judged.certain_right == found.certain
