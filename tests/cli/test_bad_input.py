"""What a person gives wrong is said in one line, with exit code 2, and nothing is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
Change = Callable[[Path], object]


def rewrite(name: str, change: Callable[[str], str]) -> Change:
    def apply(folder: Path) -> None:
        text = (folder / name).read_text()
        assert change(text) != text
        (folder / name).write_text(change(text))

    return apply


def plan(old: str, new: str) -> Change:
    return rewrite("audit.toml", lambda text: text.replace(old, new))


def people(change: Callable[[str], str]) -> Change:
    return rewrite("people.csv", change)


def answers(change: Callable[[str], str]) -> Change:
    return rewrite("answers.csv", change)


def wide(folder: Path) -> None:
    """Six columns of fifty levels: a table by five of them has 300 million cells."""
    lines = ["client,a,b,c,d,e,f,ill"]
    lines += [",".join([f"c{i}", *(str((i * 7 + j) % 50) for j in range(6)), str(i % 2)]) for i in range(100)]
    (folder / "people.csv").write_text("\n".join(lines) + "\n")
    plan("k=2", "k=5")(folder)


AUDIT: dict[str, tuple[Change, str]] = {
    "unknown secret": (plan('"ill"', '"il"'), "secret column 'il' must be in the data; got no such column"),
    "unknown public": (
        plan('secret = "ill"', 'secret = "ill"\npublic = ["agee"]'),
        "public column 'agee' must be in the data; got no such column. Did you mean 'age'?",
    ),
    "an address for a path": (
        plan('path = "people.csv"', 'path = "s3://bucket/people.parquet"'),
        "data: must have an address as its url, not as its path",
    ),
    "unknown attribute": (plan("k=2", "k=1,attributes=agee"), "Did you mean 'age'?"),
    "duplicate column": (
        people(lambda t: t.replace("age,sex", "age,age", 1)),
        "column 3 named like column 2",
    ),
    "two secrets": (
        plan('secret = "ill"', 'secret = ["ill", "sex"]'),
        "schema.secret: must be one column: write a plan for each secret; got ['ill', 'sex']",
    ),
    "unknown purpose": (
        rewrite("audit.toml", lambda text: f'{text}[policy]\nrules = "open-dta"\n'),
        "got 'open-dta'. Did you mean 'open-data'?",
    ),
    "secret not named": (plan('secret = "ill"', ""), "schema.secret: must name the column"),
    "secret constant": (people(lambda t: t.replace("yes", "no")), "must take at least two values"),
    "secret also public": (
        plan('secret = "ill"', 'secret = "ill"\npublic = ["ill", "age"]'),
        "column 'ill' must have one role; got secret and public",
    ),
    "missing values": (
        people(lambda t: t.replace(",f,", ",,", 1)),
        "must have no missing values; got 1 in 'sex'",
    ),
    "duplicate ids": (
        people(lambda t: t.replace("c01", "c00", 1)),
        "must name each person once; got 1 repeated",
    ),
    "empty file": (people(lambda t: ""), "must start with a line of column names"),
    "only a header": (people(lambda t: t.split("\n")[0] + "\n"), "must have at least one row"),
    "ragged rows": (people(lambda t: t.replace("c03,", "c03,1,", 1)), "line 5, must have 5 fields"),
    "broken encoding": (
        lambda folder: (folder / "people.csv").write_bytes(
            (folder / "people.csv").read_bytes().replace(b"c07", b"c\xff7", 1)
        ),
        "line 9, must be UTF-8 text",
    ),
    "negative scale": (plan("rounding:base=5", "gaussian:sigma=-4"), "sigma must be above 0; got -4"),
    "scale not a number": (plan("rounding:base=5", "laplace:scale=x"), "scale must be a number; got 'x'"),
    "epsilon 0": (plan("rounding:base=5", "laplace:epsilon=0"), "epsilon must be above 0; got 0"),
    "k too large": (plan("k=2", "k=4"), "must be at most the number of public columns (3); got 4"),
    "tables that do not fit": (wide, "must have at most 50,000,000 cells together; got 1,875,000,000 cells."),
    "queries that do not fit": (
        plan("tables:k=2", "random-subsets:m=10000000000"),
        "got 10,000,000,000 x 64 (80.0 GB). Ask fewer queries.",
    ),
    "unknown key": (
        plan("mechanism =", "mechansim ="),
        "mechansim: is not a known key. Did you mean 'mechanism'?",
    ),
    "no such data": (
        plan("people.csv", "peple.csv"),
        "must be a file; got no such file. Did you mean 'people.csv'?",
    ),
    "no such release": (
        plan('statistics = ["tables:k=2"]\nmechanism = "rounding:base=5"', 'path = "nowhere"'),
        "must be a folder with a file release.json",
    ),
    "unknown known column": (
        plan("seed = 1", 'seed = 1\nknowledge = { public = ["agee"] }'),
        "column 'agee' must be one of the public columns",
    ),
    "memory": (
        plan("seed = 1", 'seed = 1\nbudget = { memory = "lots" }'),
        "memory must be a size with a unit",
    ),
}

RECONSTRUCT: dict[str, tuple[Change, str]] = {
    "NaN": (answers(lambda t: t.replace("q3,", "q3,nan\nx,", 1)), "must hold finite numbers; got 1"),
    "infinity": (answers(lambda t: t.replace("q3,", "q3,inf\nx,", 1)), "must hold finite numbers; got 1"),
    "not a number": (answers(lambda t: t.replace("q3,", "q3,many\nx,", 1)), "must hold numbers"),
    "too few answers": (
        answers(lambda t: "\n".join(t.split("\n")[:-3]) + "\n"),
        "must answer every query; got 2 queries without an answer",
    ),
    "too many answers": (answers(lambda t: t + "extra,3\n"), "got 1 answers without a query"),
    "an answer twice": (answers(lambda t: t + "q0,3\n"), "must name every query once"),
    "unknown people": (
        rewrite("queries.csv", lambda t: t + "q0,stranger\n"),
        "must count only people on the list; got 1 person not on it. Add them",
    ),
    "no query column": (
        lambda folder: (folder / "queries.csv").write_text("question,who\n1,2\n"),
        "must have the columns 'query' and 'client', or 'query' and 'condition'",
    ),
    "duplicate people": (
        rewrite("list.csv", lambda t: t + "c00\n"),
        "must name every person once; got 1 repeated",
    ),
    "no such file": (
        lambda folder: (folder / "list.csv").unlink(),
        "list.csv must be a file; got no such file",
    ),
    "truth of others": (
        lambda folder: (folder / "truth.csv").write_text("client,ill\nc00,1\n"),
        "must have everybody on the list of people; got 63 missing",
    ),
    "ragged truth": (
        rewrite("truth.csv", lambda t: t.replace("c03,", "c03,9,", 1)),
        "truth.csv', line 5, must have 2 fields like the header; got 3.",
    ),
    "truth not 0 or 1": (
        lambda folder: (folder / "truth.csv").write_text("client,ill\nc00,3\n"),
        "must hold 0 or 1; got 1 other values",
    ),
    "secret also public": (
        lambda folder: (folder / "list.csv").write_text("client,ill\nc00,1\n"),
        "column 'ill' must not be both the secret and public",
    ),
}


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def refused(folder: Path, run: Run, message: str, *words: str) -> None:
    before = snapshot(folder)
    result = run(*words)
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("error: ")
    assert message in result.stderr.replace("\n", " ")
    assert result.stdout == ""
    assert snapshot(folder) == before
    assert not (folder / "dalenius-report").exists()


@pytest.mark.parametrize(("change", "message"), AUDIT.values(), ids=AUDIT)
def test_audit(folder: Path, run: Run, change: Change, message: str) -> None:
    change(folder)
    refused(folder, run, message, "audit", "audit.toml")


@pytest.mark.parametrize(("change", "message"), RECONSTRUCT.values(), ids=RECONSTRUCT)
def test_reconstruct(folder: Path, attack: Run, change: Change, message: str) -> None:
    change(folder)
    refused(folder, attack, message, "--truth", "truth.csv")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--noise", "gaussian:sigma=-1"), "gaussian: sigma must be above 0; got -1"),
        (("--noise", "gaussian:sigma=x"), "gaussian: sigma must be a number; got 'x'"),
        (("--noise", "gauss:sigma=1"), "mechanism 'gauss' must be one it knows"),
        (("--decoder", "postrior"), "must be a known one; got postrior. Did you mean 'posterior'?"),
        (("--id", "cleint"), "must have a column 'cleint'; got no such column. Did you mean 'client'?"),
        (("--out", "answers.csv"), "answers.csv must be a folder that can be written"),
    ],
)
def test_reconstruct_options(folder: Path, attack: Run, words: tuple[str, ...], message: str) -> None:
    refused(folder, attack, message, *words)


def test_results_are_written_on_this_machine(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    done = run("audit", "audit.toml", "--out", "s3://bucket/run")
    assert done.exit_code == 2
    assert "must be a folder of this machine; got an address" in " ".join(done.output.split())
    assert not (folder / "s3:").exists()


def test_init(folder: Path, run: Run) -> None:
    out = ("--out", "new.toml")
    refused(
        folder, run, "secret column 'il' must be in the data", "init", "people.csv", "--secret", "il", *out
    )
    refused(folder, run, "id column 'x' must be", "init", "people.csv", "--secret", "ill", "--id", "x", *out)
    refused(folder, run, "Did you mean 'people.csv'?", "init", "poeple.csv", "--secret", "ill", *out)
    people(lambda t: t.replace("yes", "no"))(folder)
    refused(folder, run, "must take at least two values", "init", "people.csv", "--secret", "ill", *out)


def test_no_plan(folder: Path, run: Run) -> None:
    refused(folder, run, "Did you mean 'audit.toml'?", "audit", "adit.toml")
    refused(folder, run, ". must be a file; got a folder", "audit", ".")


def test_no_driver(folder: Path, run: Run) -> None:
    plan('path = "people.csv"', 'url = "mysql://anna:pass4711@127.0.0.1:1/clinic"\ntable = "people"')(folder)
    refused(folder, run, "whose driver is installed; got no ", "audit", "audit.toml")
