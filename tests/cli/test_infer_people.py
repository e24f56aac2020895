"""Nobody is named unless somebody asks: messages, what is printed, and findings, whatever is in the files."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from dalenius.cli.main import app

CANARY = "ZQ999x"
EDGES = "a,b,agreement,type\n{0}1,{0}2,0.7,home\n{0}2,{0}3,0.6,work\n{0}3,{0}1,0.6,work\n"
PEOPLE = "id,bias,epsilon\n{0}1,0.41237,0.5\n{0}2,0.41237,0.25\n{0}3,0.41237,0\n"
FAMILY = "id,father,mother,sex,twin\n{0}1,{0}2,{0}3,m,\n{0}2,,,m,\n{0}3,,,f,\n{0}4,{0}2,{0}3,f,\n"
JOINT = "{0}1,{0}2,probability\n0,0,0.4\n1,1,0.35\n0,1,0.1\n1,0,0.15\n"
COMMANDS = {
    "network": (
        ["infer", "network", "--edges", "edges.csv", "--people", "people.csv", "--epsilon", "1"],
        "edges",
    ),
    "people": (
        ["infer", "network", "--edges", "edges.csv", "--people", "people.csv", "--epsilon", "1"],
        "people",
    ),
    "pedigree": (
        ["infer", "pedigree", "--people", "family.csv", "--agreement", "0.75", "--epsilon", "1"],
        "family",
    ),
    "joint": (["infer", "joint", "--prior", "joint.csv", "--epsilon", "0.5"], "joint"),
    "beliefs": (
        ["infer", "beliefs", "--edges", "edges.csv", "--answers", "said.csv", "--epsilon", "1"],
        "said",
    ),
}
GOOD = {
    "edges": EDGES.format(CANARY),
    "people": PEOPLE.format(CANARY),
    "family": FAMILY.format(CANARY),
    "joint": JOINT.format(CANARY),
    "said": f"id,answer\n{CANARY}1,1\n{CANARY}2,0\n",
}


def run(folder: Path, words: list[str], *more: str) -> tuple[Result, str]:
    """Run a command in a folder of its own; also return its findings."""
    (folder / "o").mkdir(exist_ok=True)
    for old in (folder / "o").iterdir():
        old.unlink()
    for name, text in GOOD.items():
        if not (folder / f"{name}.csv").exists():
            (folder / f"{name}.csv").write_text(text)
    paths = [str(folder / word) if word.endswith(".csv") else word for word in words]
    done = CliRunner().invoke(app, [*paths, *more, "--out", str(folder / "o")])
    found = folder / "o/findings.json"
    return done, found.read_text() if found.exists() else ""


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.pictures
def test_good_files_name_nobody_unless_asked(name: str, tmp_path: Path) -> None:
    done, found = run(tmp_path, COMMANDS[name][0])
    assert done.exit_code == 1, done.output
    assert CANARY not in done.output
    assert CANARY not in found
    assert "0.41237" not in found or name in ("network", "people"), "a prior says its range"
    if name not in ("beliefs",):
        assert CANARY in run(tmp_path, COMMANDS[name][0], "--show-people")[0].output


def damaged(text: str, rng: np.random.Generator) -> bytes:
    """Break a file in one of the ways in which files break."""
    lines = text.splitlines()
    row = int(rng.integers(len(lines)))
    cells = lines[row].split(",")
    cell = int(rng.integers(len(cells)))
    way = int(rng.integers(14))
    value = [
        "",
        "nan",
        "1e308",
        "-1",
        f"{CANARY}x",
        "\x00",
        '"',
        "0",
        "1",
        "x" * 200_000,
        "=1+1",
        "0,5",
        "\ufeff",
    ]
    if way < len(value):
        cells[cell] = value[way]
        lines[row] = ",".join(cells)
    else:
        lines = lines[1:]  # a person where the header was
    broken = "\n".join(lines).encode()
    extra = int(rng.integers(6))
    if extra == 0:
        return broken[: int(rng.integers(1, len(broken) + 1))] if broken else b""
    if extra == 1:
        return broken.decode().encode("utf-16")
    if extra == 2:
        return broken.replace(b"Z", "é".encode("latin-1"), 1)
    return broken + b"\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_damaged_files_name_nobody(name: str, tmp_path: Path) -> None:
    """Refused in one line with nothing written, or read; a traceback, a warning or a name is neither."""
    words, which = COMMANDS[name]
    rng = np.random.default_rng(7)
    for _ in range(15):
        (tmp_path / f"{which}.csv").write_bytes(damaged(GOOD[which], rng))
        done, found = run(tmp_path, words)
        text = (tmp_path / f"{which}.csv").read_bytes()[:300]
        assert done.exit_code in (0, 1, 2), (done.output, text)
        assert "Z" + "Q999" not in done.output, (done.output, text)
        assert "Z" + "Q999" not in found, text
        if done.exit_code == 2:
            assert not list((tmp_path / "o").iterdir())
            assert len(done.output.strip().splitlines()) == 1, done.output


def test_people_without_data_in_a_wide_network(tmp_path: Path) -> None:
    """Nothing is proven from below of somebody whose epsilon is 0: no division, no warning."""
    rng = np.random.default_rng(2)
    pairs = np.array(list(itertools.combinations(range(40), 2)))
    chosen = pairs[np.sort(rng.choice(len(pairs), 500, replace=False))]
    (tmp_path / "edges.csv").write_text("a,b\n" + "".join(f"q{a},q{b}\n" for a, b in chosen))
    (tmp_path / "people.csv").write_text("id,epsilon\n" + "".join(f"q{i},{i % 2}\n" for i in range(40)))
    done, _ = run(
        tmp_path,
        ["infer", "network", "--edges", "edges.csv", "--people", "people.csv", "--agreement", "0.503"],
    )
    assert done.exit_code == 1, done.output
    assert "nan" not in done.output
