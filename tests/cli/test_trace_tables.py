"""Tracing in tables of answers and means: columns, rows without names, and attributes that lack."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from .conftest import Run


def test_tables(folder: Path, run: Run) -> None:
    rng = np.random.default_rng(6)
    share = rng.uniform(0.2, 0.8, 300)
    columns = [f"q{j}" for j in range(300)]

    def write(name: str, answers: np.ndarray, prefix: str) -> None:
        lines = [",".join(["who", *columns])]
        words = np.where(answers, "yes", "no")
        lines += [",".join([f"{prefix}{i}", *row]) for i, row in enumerate(words)]
        (folder / name).write_text("\n".join(lines) + "\n")

    inside, others = rng.random((25, 300)) < share, rng.random((120, 300)) < share
    write("in.csv", inside, "m")
    write("others.csv", others, "o")
    lines = [f"{c}=yes,{x:.4f}" for c, x in zip(columns, inside.mean(axis=0), strict=True)]
    (folder / "means.csv").write_text("\n".join(["attribute,mean", *lines]) + "\n")
    files = ("--release", "means.csv", "--reference", "others.csv", "--targets", "in.csv", "--id", "who")
    told = ("--n", "25", "--mechanism", "exact", "--independent")
    done = run("trace", "targets", *files, *told, "--out", "o")
    assert done.exit_code == 1, done.output
    assert json.loads((folder / "o/findings.json").read_text())["findings"][0]["details"]["accused"] >= 15
    done = run(
        "trace", "members", "--members", "in.csv", "--reference", "others.csv", "--id", "who", "--out", "o2"
    )
    assert done.exit_code == 1, done.output


def write_answers(path: Path, rows: np.ndarray, prefix: str, words: dict[str, str] | None = None) -> None:
    extra = words or {}
    head = ["person", *(f"q{j}" for j in range(rows.shape[1])), *extra]
    lines = [
        ",".join([f"{prefix}{i}", *(str(int(x)) for x in row), *extra.values()]) for i, row in enumerate(rows)
    ]
    path.write_text("\n".join([",".join(head), *lines]) + "\n")


def test_columns_that_do_not_vary(folder: Path, run: Run) -> None:
    rng = np.random.default_rng(3)
    ours, others = (rng.random((n, 40)) < 0.5 for n in (20, 60))
    ours[:, 7] = False  # all members have it, others do not: a mean as good as any
    ours[:, 9] = others[:, 9] = True
    write_answers(folder / "ours.csv", ours, "m", {"here": "yes"})
    write_answers(folder / "others.csv", others, "o")
    files = ("--members", "ours.csv", "--reference", "others.csv", "--out", "o")
    done = run("trace", "members", *files, "--id", "person")
    assert done.exit_code in (0, 1), done.output
    assert "Columns that not all files have were left out: here." in done.output
    assert "Columns with the same value for everybody were left out: q9." in done.output
    assert json.loads((folder / "o/findings.json").read_text())["findings"][0]["numbers"] == 39
    done = run("trace", "members", *files)
    assert done.exit_code == 2
    assert "'person' must have a value that two people share" in done.output
    done = run("trace", "members", *files, "--id", "persn")
    assert "--id must name a column that all files have; got persn" in done.output


def test_rows_without_names_are_different_people(folder: Path, run: Run) -> None:
    rng = np.random.default_rng(4)
    ours, others = (rng.random((n, 80)) < 0.5 for n in (20, 60))
    write_answers(folder / "ours.csv", ours, "m")
    write_answers(folder / "others.csv", others, "o")
    lines = [f"q{j}=1,{ours[:, j].mean()}" for j in range(80)]
    (folder / "means.csv").write_text("\n".join(["attribute,mean", *lines]) + "\n")
    files = ("--release", "means.csv", "--reference", "others.csv", "--targets", "ours.csv", "--out", "o")
    done = run("trace", "targets", *files)
    assert done.exit_code == 1, done.output
    assert (folder / "o/accusations.csv").read_text().startswith("row,score")
    done = run("trace", "targets", *files, "--reference", "ours.csv", "--out", "p")
    assert done.exit_code == 2
    assert (
        "reference must not hold a target; got 20 people with exactly the record of a target" in done.output
    )
    assert not (folder / "p").exists()


def test_answers_that_nearly_everybody_gives_are_nobodys_own(folder: Path, run: Run) -> None:
    rng = np.random.default_rng(4)
    ours, others = (rng.random((n, 80)) < 0.01 for n in (20, 60))
    ours[0] = others[0] = False
    write_answers(folder / "ours.csv", ours, "m")
    write_answers(folder / "others.csv", others, "o")
    lines = [f"q{j}=1,{ours[:, j].mean()}" for j in range(80)]
    (folder / "means.csv").write_text("\n".join(["attribute,mean", *lines]) + "\n")
    files = ("--release", "means.csv", "--reference", "others.csv", "--targets", "ours.csv")
    done = run("trace", "targets", *files, "--id", "person", "--out", "o")
    assert done.exit_code == 1, done.output


def test_attributes_that_a_file_of_people_lacks_are_said_by_number(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of people taken for the release has their names where attributes should be."""
    monkeypatch.chdir(tmp_path)
    Path("means.csv").write_text("attribute,mean\nb1,0.4\nZQ999x,0.3\n")
    Path("people.csv").write_text("id,b1,b2\n" + "".join(f"{i},{i % 2},{i % 3 % 2}\n" for i in range(9)))
    files = ("--release", "means.csv", "--targets", "people.csv", "--reference", "people.csv", "--id", "id")
    done = run("trace", "targets", *files)
    assert done.exit_code == 2
    assert "none for 1 of 2, the first of them number 2" in " ".join(done.output.split())
    assert "ZQ999x" not in done.output
