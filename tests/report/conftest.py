"""Small real findings of every family, and the same with every section of a page filled."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from dalenius.auditing.read import read_findings
from dalenius.cli.main import app
from dalenius.findings.report import Report
from dalenius.people.dataset import read
from dalenius.people.traits.traits import CodedTraits, coded_from_values
from dalenius.reconstruction.audit import audit
from dalenius.reconstruction.case import Planned, Scenario
from helpers.page_samples import filled

GOALS = ("reconstruction", "tracing", "singling-out", "inference")


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
        "with noise": Planned("tables:k=2", "gaussian:rho=0.001"),
    }
    with read(table, secret="ill", id="who") as people:
        return audit(people, planned, Scenario(resamples=0)).report


def traced(folder: Path) -> Path:
    """Members and references drawn alike, averaged exactly."""
    from dalenius.genomes.plink import write_plink
    from dalenius.genomes.variants import Genotypes, Variants

    rng = np.random.default_rng(5)
    frequency = rng.uniform(0.1, 0.9, 200)
    names = np.array([f"rs{j}" for j in range(200)])
    size = names.size
    variants = Variants(
        names, np.full(size, "1"), np.arange(size) + 1, np.full(size, "A"), np.full(size, "G")
    )
    for name, n in (("cases", 40), ("others", 80)):
        values = rng.binomial(2, frequency, (n, size)) - 1.0
        traits: CodedTraits = coded_from_values(
            "IID", np.array([f"{name}{i}" for i in range(n)]), names, values, "genotype"
        )
        write_plink(folder / f"{name}.bed", Genotypes(traits, variants))
    files = ("--members", str(folder / "cases.bed"), "--reference", str(folder / "others.bed"))
    return command(folder, "trace", "members", *files, "--mechanism", "exact")


def pointed_at(folder: Path) -> Path:
    """Rows released nearly as they are."""
    rng = np.random.default_rng(6)
    for name, n in (("all", 400), ("people", 60)):
        ages, zips = rng.integers(18, 90, n), rng.integers(100, 140, n)
        lines = [f"{a},{z}" for a, z in zip(ages, zips, strict=True)]
        (folder / f"{name}.csv").write_text("\n".join(["age,zip", *lines]) + "\n")
    original, everybody = str(folder / "people.csv"), str(folder / "all.csv")
    rows = ("--original", original, "--anonymised", original, "--quasi", "age,zip", "--population", everybody)
    return command(folder, "single-out", "rows", *rows)


def related(folder: Path) -> Path:
    """A chain of six people."""
    (folder / "edges.csv").write_text("a,b\n" + "".join(f"p{i},p{i + 1}\n" for i in range(5)))
    return command(
        folder,
        "infer",
        "network",
        "--edges",
        str(folder / "edges.csv"),
        "--agreement",
        "0.8",
        "--epsilon",
        "0.5",
    )


def command(folder: Path, *words: str) -> Path:
    """Run a command and return its findings; it has written a page too."""
    done = CliRunner().invoke(app, [*words, "--out", str(folder / "o")])
    assert done.exit_code in (0, 1), done.output
    assert (folder / "o/report.html").stat().st_size < 500_000
    assert (folder / "o/report.md").read_text().startswith("# ")
    return folder / "o/findings.json"


MADE: dict[str, Callable[[Path], Path]] = {
    "tracing": traced,
    "singling-out": pointed_at,
    "inference": related,
}


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The findings of every family, as files."""
    made = {goal: make(tmp_path_factory.mktemp(goal)) for goal, make in MADE.items()}
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
