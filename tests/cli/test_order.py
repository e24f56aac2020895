"""In which order people and columns stand in a file, as a user sees it: through the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Run = Callable[..., Any]


def write(path: Path, lines: Sequence[Sequence[str]], columns: Sequence[int]) -> None:
    path.write_text("".join(",".join(line[j] for j in columns) + "\n" for line in lines))


def shuffled(lines: list[list[str]]) -> list[list[str]]:
    return [lines[0], *(lines[1 + i] for i in np.random.default_rng(4).permutation(len(lines) - 1))]


@pytest.mark.parametrize(
    "mechanism",
    [
        "exact",
        pytest.param(
            "gaussian:sigma=0.05", marks=pytest.mark.slow(beside="test_members_are_traced_alike_in_any_order")
        ),
    ],
)
def test_members_are_traced_alike_in_any_order(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, mechanism: str
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    rate = rng.uniform(0.2, 0.8, 40)
    header = ["person", *(f"t{j}" for j in range(40))]
    files = {}
    for name, n in (("m", 50), ("r", 90)):
        bits = (rng.random((n, 40)) < rate).astype(int).astype(str)
        files[name] = [header, *([f"{name}{i:02}", *bits[i]] for i in range(n))]
    said = []
    straight, turned = range(41), [0, *(1 + rng.permutation(40))]
    for rows, columns in ((list, straight), (shuffled, straight), (list, turned)):
        for name, lines in files.items():
            write(Path(f"{name}.csv"), rows(lines), columns)
        words = ("--members", "m.csv", "--reference", "r.csv", "--id", "person", "--mechanism", mechanism)
        done = run("trace", "members", *words, "--out", "o")
        assert done.exit_code in (0, 1), done.output
        said.append((done.stdout, json.loads(Path("o/findings.json").read_text())))
    assert said[0] == said[1]
    if not mechanism.startswith("gaussian"):  # noise falls on the columns in their order
        assert said[0] == said[2]


@pytest.mark.parametrize("mechanism", ["exact", "gaussian:rho=0.5"])
def test_an_audit_reads_people_in_any_order(folder: Path, run: Run, mechanism: str) -> None:
    """Columns in another order move no count and no word of the verdict; noise falls in their order."""
    plan = (folder / "audit.toml").read_text().replace("rounding:base=5", mechanism)
    (folder / "audit.toml").write_text(plan + "\n[budget]\nresamples = 0\n")
    lines = [line.split(",") for line in (folder / "people.csv").read_text().splitlines()[:31]]
    said, text = [], []
    orders = [(list, range(5)), (shuffled, range(5)), (list, (4, 2, 0, 3, 1))]
    for rows, columns in orders[: 3 if mechanism == "exact" else 2]:
        write(folder / "people.csv", rows(lines), columns)
        done = run("audit", "audit.toml", "--out", "o")
        assert done.exit_code in (0, 1), done.output
        said.append(json.loads(Path("o/findings.json").read_text()))
        text.append(done.stdout)
    assert text[0] == text[1]
    assert said[0] == said[1]
    assert _verdict(said[0]) == _verdict(said[-1])


def _verdict(report: dict[str, Any]) -> Any:
    keys = ("measures", "certain", "known", "severity", "sentence")
    return report["verdict"], [{key: one[key] for key in keys} for one in report["findings"]]
