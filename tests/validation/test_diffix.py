"""The Diffix validation on a made-up folder: the files it writes and the claims it makes."""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

SCRIPT = Path(__file__).parents[2] / "validation" / "diffix.py"
CLIENTS, QUERIES = 40, 900


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A range of clients and noisy answers about them, in the shape of the published data."""
    rng = np.random.default_rng(1)
    ids = np.sort(rng.choice(np.arange(2000, 3000), CLIENTS, replace=False))
    secret = rng.integers(0, 2, CLIENTS)
    power = rng.choice([0.3, 0.5, 0.7], QUERIES)
    mult, offset = rng.integers(2, 60, QUERIES), rng.integers(5, 90, QUERIES)
    x = offset[:, None] * (ids[None, :] * mult[:, None]) ** power[:, None]
    counts = (np.floor(x + 0.5) == np.floor(x)) @ secret
    answers = np.round(counts + rng.normal(0, 1.5, QUERIES)).astype(int)
    source = tmp_path / "answers"
    source.mkdir()
    rows = zip(power, mult, offset, answers, strict=True)
    write(source / "queries_2000_3000.csv", "power,mult,offset,answer", rows)
    write(source / "clients_2000_3000.csv", "client_id", ids[:, None])
    write(source / "truth_2000_3000.csv", "client_id,late", zip(ids, secret, strict=True))
    return source


def write(path: Path, header: str, rows) -> None:
    lines = [header, *(",".join(str(value) for value in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@dataclass
class Done:
    """How the script ended, and what it said."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """The script as from a shell, in this process, which has loaded what it needs."""

    def script(*arguments: object) -> Done:
        monkeypatch.setattr(sys, "argv", [str(SCRIPT), *map(str, arguments)])
        try:
            runpy.run_path(str(SCRIPT), run_name="__main__")
            code: object = 0
        except SystemExit as ended:
            code = ended.code
        said = capsys.readouterr()
        if isinstance(code, str):  # as the interpreter does
            return Done(1, said.out, said.err + code)
        return Done(code or 0, said.out, said.err)

    return script


def test_converts_attacks_and_writes(run, folder: Path, tmp_path: Path):
    out = tmp_path / "out"
    done = run(folder, "--draws", 2, "--out", out)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "FAILS" not in done.stdout
    long = pq.read_table(out / "2000_3000" / "queries.parquet")
    assert long.column_names == ["query", "client_id"]
    assert {path.name for path in (out / "2000_3000").iterdir()} >= {"people.csv", "answers.csv", "truth.csv"}
    result = json.loads((out / "validation.json").read_text(encoding="utf-8"))
    assert {line["queries"] for line in result["lines"]} == {200, 400, 800, QUERIES}
    assert all(line["accuracy"] == 1 for line in result["lines"] if line["queries"] == QUERIES)


def test_wrong_answers_fail_the_claims(run, folder: Path):
    path = folder / "truth_2000_3000.csv"
    header, *rows = path.read_text(encoding="utf-8").splitlines()
    flipped = [f"{row.split(',')[0]},{1 - int(row.split(',')[1])}" for row in rows]
    path.write_text("\n".join([header, *flipped]) + "\n", encoding="utf-8")
    done = run(folder, "--draws", 2)
    assert done.returncode == 1
    assert "FAILS: every decoder" in done.stdout


def test_a_folder_without_queries_is_refused(run, tmp_path: Path):
    done = run(tmp_path)
    assert done.returncode == 1
    assert "has no queries_RANGE.csv" in done.stderr
