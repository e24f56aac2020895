"""Small real findings of every family, and the same with every section of a page filled."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pyarrow as pa
import pytest

from dalenius.auditing.schemas import read_findings
from dalenius.findings.report import Report
from dalenius.people.dataset import read
from dalenius.reconstruction.audit import audit
from dalenius.reconstruction.opened import Planned, Scenario
from helpers.page_samples import filled

GOALS = ("reconstruction", "tracing", "singling-out", "inference", "records")


def secrets() -> Report:
    """Forty people of two towns, of whom exact tables say everything; and the same with noise."""
    rng = np.random.default_rng(4)
    table = pa.table(
        {
            "who": [f"canaryperson{i}" for i in range(40)],
            "age": rng.integers(20, 40, 40),
            "<script>alert(1)</script>": rng.choice(["a", "b"], 40),
            "ill": rng.choice(["no", "yes"], 40),
        }
    )
    planned = {
        "as <planned>": Planned("tables:k=2", "exact"),
        "with noise": Planned("tables:k=2", "gaussian:rho=0.001", alternative_to="as <planned>"),
    }
    with read(table, secret="ill", id="who") as people:
        return audit(people, planned, Scenario(resamples=0)).report


def stories() -> ModuleType:
    """What the gallery of the documentation tells, loaded from where it stands."""
    place = Path(__file__).parents[2] / "docs/_ext/stories.py"
    spec = importlib.util.spec_from_file_location("stories", place)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules.setdefault("stories", importlib.util.module_from_spec(spec))
    spec.loader.exec_module(module)
    return module


TOLD = {"tracing": "genomes", "singling-out": "anonymised", "inference": "family", "records": "census"}
"""The story of each family; that of tables is told here, with names that must be escaped."""


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The findings of every family, as files."""
    told, made = stories(), {}
    for goal, name in TOLD.items():
        out = told.tell(told.STORIES[name], tmp_path_factory.mktemp(name))
        made[goal] = out / "findings.json"
        for page in ("report.html", "report-external.html"):
            assert 10_000 < (out / page).stat().st_size < 500_000
    made["reconstruction"] = tmp_path_factory.mktemp("reconstruction") / "findings.json"
    made["reconstruction"].write_text(secrets().to_json())
    return made


@pytest.fixture(scope="session")
def reports(files: dict[str, Path]) -> dict[str, Report]:
    """The same, read again."""
    found = {goal: read_findings(path) for goal, path in files.items()}
    assert all(report.findings[0].goal == goal for goal, report in found.items())
    return found


@pytest.fixture(scope="session")
def whole(reports: dict[str, Report]) -> Report:
    """A report with every section filled."""
    report = filled(reports["reconstruction"])
    json.loads(report.to_json())
    return report
