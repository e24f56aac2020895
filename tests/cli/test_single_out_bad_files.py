"""Files of single-out that are damaged, hostile, or not what they are called: one line, nobody named."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from .conftest import Run

CANARY = "ZQ999x"
PEOPLE = "".join(f"{20 + i % 60},{CANARY}{i},{'fm'[i % 2]}\n" for i in range(50))
ROWS = ("single-out", "rows", "--anonymised", "released.csv", "--quasi", "age", "--original", "people.csv")


@pytest.fixture
def files(folder: Path) -> Path:
    (folder / "people.csv").write_text("age,name,sex\n" + PEOPLE)
    (folder / "released.csv").write_text("age,sex\n" + "".join(f"20-79,{'fm'[i % 2]}\n" for i in range(50)))
    (folder / "others.csv").write_text("age,name,sex\n" + PEOPLE.replace(CANARY, "other"))
    return folder


def latin(path: Path) -> None:
    path.write_bytes(b"age,name,sex\n" + PEOPLE.encode().replace(b"ZQ", b"\xe9Z"))


def latin_header(path: Path) -> None:
    path.write_bytes(b"age,n\xe9me,sex\n" + PEOPLE.encode())


def nul(path: Path) -> None:
    path.write_bytes(b"age,name,sex\n" + PEOPLE.encode().replace(b"ZQ", b"Z\0Q", 1))


def long_cell(path: Path) -> None:
    path.write_text("age,name,sex\n" + PEOPLE + f"30,{CANARY * 30_000},f\n")


def open_quote(path: Path) -> None:
    path.write_text("age,name,sex\n" + PEOPLE.replace(CANARY, f'"{CANARY}', 1))


def ragged(path: Path) -> None:
    path.write_text("age,name,sex\n" + PEOPLE + f"30,{CANARY}\n")


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("damage", [latin, latin_header, nul, long_cell, open_quote, ragged, empty])
@pytest.mark.parametrize("name", ["people.csv", "others.csv"])
def test_damaged_csv(files: Path, run: Run, damage: Callable[[Path], None], name: str) -> None:
    damage(files / name)
    refused(files, run(*ROWS, "--holdout", "others.csv"))
    refused(
        files,
        run(
            "single-out", "triple", "--original", "people.csv", "--synthetic", "people.csv",
            "--control", "others.csv",
        ),
    )  # fmt: skip


def refused(folder: Path, done: object) -> None:
    assert getattr(done, "exit_code", None) == 2, getattr(done, "output", "")
    said = str(getattr(done, "output", ""))
    assert "Traceback" not in said
    assert CANARY not in said
    assert "error: " in said
    assert not (folder / "dalenius-report").exists()


@pytest.mark.parametrize("cut", [10, 60, 90])
def test_containers_cut_short(files: Path, run: Run, cut: int) -> None:
    table = pa.table({"age": np.arange(2000) % 60 + 20, "name": [f"{CANARY}{i}" for i in range(2000)]})
    parquet.write_table(table, files / "all.parquet")
    raw = (files / "all.parquet").read_bytes()
    (files / "all.parquet").write_bytes(raw[: len(raw) * cut // 100])
    refused(files, run(*ROWS, "--population", "all.parquet"))
    packed = gzip.compress(("age,name,sex\n" + PEOPLE * 20).encode())
    (files / "all.csv.gz").write_bytes(packed[: len(packed) * cut // 100])
    refused(files, run(*ROWS, "--population", "all.csv.gz"))


@pytest.mark.parametrize("at", [4, 200, 700, -60, -9])
def test_containers_with_other_bytes(files: Path, run: Run, at: int) -> None:
    table = pa.table({"age": np.arange(500) % 60 + 20, "sex": [CANARY] * 500})
    parquet.write_table(table, files / "all.parquet", compression="none")
    raw = bytearray((files / "all.parquet").read_bytes())
    raw[at : at + 6] = b"\xff\x00\xfe\x80\x7f\xff"
    (files / "all.parquet").write_bytes(bytes(raw))
    done = run(*ROWS, "--population", "all.parquet")
    assert done.exit_code in (0, 1, 2), done.output
    assert "Traceback" not in done.output
    assert CANARY not in done.output


@pytest.mark.parametrize(
    "content", [b"\xe9;*\n", b"20;\0*\n", b"20;" + b"x" * 200_000 + b"\n", b'20;"*\n', b""]
)
def test_damaged_hierarchies(files: Path, run: Run, content: bytes) -> None:
    (files / "age.csv").write_bytes(content)
    refused(files, run(*ROWS, "--hierarchy", "age=age.csv"))


def test_labels_and_values_stay_out_of_messages(files: Path, run: Run) -> None:
    (files / "age.csv").write_text(f"20;{CANARY}a;*\n21;{CANARY}a;{CANARY}b\n")
    refused(files, run(*ROWS, "--hierarchy", "age=age.csv"))
    game = ("single-out", "game", "--population", "people.csv", "--n", "20", "--mechanism", "datafly:k=5")
    (files / "name.csv").write_text("someone;*\n")
    refused(files, run(*game, "--quasi", "name", "--hierarchy", "name=name.csv"))
    (files / "released.csv").write_text("age,sex\n" + f"[[{CANARY},f\n" * 50)
    refused(files, run(*ROWS))
    (files / "released.csv").write_text("age,sex\n" + f"{CANARY},f\n" * 50)
    refused(files, run(*ROWS))


def test_rows_that_stand_for_several_people_are_expanded(files: Path, run: Run) -> None:
    (files / "released.csv").write_text("age,sex,count\n20-79,f,25\n20-79,m,25\n")
    words = (*ROWS, "--population", "others.csv", "--limit", "1", "--out", "o")
    done = run(*words)
    said = " ".join(done.output.split())
    assert "Column 'count' says for how many people a released row stands: 50 in all." in said
    assert "2 classes" not in said
    assert "not k-anonymous" not in said
    (files / "released.csv").write_text("age,sex,people\n20-79,f,25\n20-79,m,25\n")
    hinted = run(*ROWS, "--population", "others.csv")
    assert hinted.exit_code == 2
    assert "if column 'people' counts people, say so (--count people)" in " ".join(hinted.output.split())
    assert "--dropped" not in hinted.output
    assert run(*words, "--count", "people").exit_code == done.exit_code
    (files / "released.csv").write_text("age,sex,people\n20-79,f,0\n20-79,m,x\n")
    refused(files, run(*ROWS, "--count", "people"))


def test_an_id_is_not_asked_about_unless_it_is_released(files: Path, run: Run) -> None:
    words = (*ROWS, "--population", "others.csv", "--limit", "1", "--out", "o", "--id", "name")
    plain = run(*words)
    assert "name" not in (files / "o/predicates.json").read_text()
    assert plain.exit_code in (0, 1), plain.output
    names = [line.split(",")[1] for line in PEOPLE.splitlines()]
    with_ids = "".join(f"20-79,{name},{'fm'[i % 2]}\n" for i, name in enumerate(names))
    (files / "released.csv").write_text("age,name,sex\n" + with_ids)
    leak = run(*words)
    assert leak.exit_code == 1
    assert "STOP" in leak.output
    assert "name identifies nearly everybody" in " ".join(leak.output.split())
    assert CANARY not in leak.output + (files / "o/findings.json").read_text()
    (files / "people.csv").write_text("age,name,sex\n" + PEOPLE.replace(f"{CANARY}1,", f"{CANARY}0,"))
    twice = run(*words)
    assert "50 rows of 49 people" in " ".join(twice.output.split())
