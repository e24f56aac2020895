"""``dalenius rows`` and ``kind = "released-rows"``: what a person types, what is refused, what is written."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dalenius.findings.explanation import Why
from dalenius.singling_out.attack import secret_guess
from dalenius.singling_out.released import triple, why

from .conftest import Run

N = 300
LINK = "age,town/hours,pay"
ROWS = ("rows", "--original", "ori.csv", "--released", "syn.csv", "--control", "ctl.csv")
ASKED = (*ROWS, "--secret", "ill", "--link", LINK)
PLAN = """\
[data]
path = "ori.csv"
[schema]
secret = "ill"
[knowledge]
holdout = "ctl.csv"
[[release]]
name = "synthetic"
kind = "released-rows"
path = "syn.csv"
link = [["age", "town"], ["hours", "pay"]]
"""


@pytest.fixture(autouse=True)
def less_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """And few conditions: less is known then, of the same things."""
    monkeypatch.setattr(secret_guess, "TREES", 4)
    monkeypatch.setattr(triple, "USUAL", 200)


@pytest.fixture
def files(folder: Path) -> Path:
    for seed, name in enumerate(("ori", "other", "ctl")):
        rng = np.random.default_rng(seed)
        columns = rng.integers(18, 90, N), rng.integers(0, 30, N), rng.integers(5, 60, N), rng.random(N)
        lines = [
            f"{a},t{t},{h},{p:.3f},{'ny'[int(rng.random() < 0.3)]}"
            for a, t, h, p in zip(*columns, strict=True)
        ]
        (folder / f"{name}.csv").write_text("\n".join(["age,town,hours,pay,ill", *lines]) + "\n")
    (folder / "syn.csv").write_text((folder / "other.csv").read_text())
    return folder


@pytest.fixture
def columns_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """What leaving out columns finds, which tests of its own try: here only whether it is asked for."""
    found = Why(counted="people whom rows point at", whole=3.0)
    monkeypatch.setattr(why, "look_for_causes", lambda *_, **__: found)


def whole_of(path: Path) -> float | None:
    (finding,) = json.loads(path.read_text())["findings"]
    behind = finding["explanation"]["why"]
    return None if behind is None else behind["whole"]


@pytest.mark.causes
@pytest.mark.usefixtures("columns_behind")
def test_a_copy_stops_by_every_question(files: Path, run: Run) -> None:
    (files / "syn.csv").write_text((files / "ori.csv").read_text())
    done = run(*ASKED, "--out", "o")
    assert done.exit_code == 1
    said = " ".join(done.output.split())
    assert "STOP" in said
    assert "linkability: nearest row: advantage over other people" in said
    assert "inference of ill: nearest row: advantage over other people" in said
    assert "Distances, which prove nothing" in said
    assert any(way in said for way in ("can be joined, by the", "can be read off the", "match exactly one"))
    written = json.loads((files / "o" / "findings.json").read_text())
    details = written["findings"][0]["details"]
    assert details["linking"]["first"] == ["age", "town"]
    assert details["inferring"]["learnt_from"] == N
    assert details["closest"]["new"] == 0
    assert whole_of(files / "o" / "findings.json") == 3
    assert (files / "o" / "report.html").exists()
    again = run("decide", "o/findings.json", "--max-advantage", "0.9", "--max-copies", "1")
    assert again.exit_code == 1  # other rules, from the file alone
    told = " ".join(again.output.split())
    assert "singling out: equal rows: advantage over luck 100.0 points" in told
    assert "inference of ill: nearest row: advantage over other people" not in told


def test_other_people_pass_where_the_limit_can_be_shown(files: Path, run: Run) -> None:
    done = run(*ASKED, "--out", "o", "--max-advantage", "0.4")
    assert done.exit_code == 0, done.output
    assert "singling out, linking and inferring ill each gain at most 40.0 points" in " ".join(
        done.output.split()
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--secret", "il", "--link", LINK), "secret: column 'il' must be released"),
        (("--secret", "ill", "--link", "age,town"), "--link must be two lists of columns with / between"),
        (("--secret", "ill", "--link", "age/"), "got an empty part"),
        (("--secret", "ill", "--link", "age,tow/pay"), "link: column 'tow' must be released"),
        (("--secret", "ill", "--link", "age,pay/pay"), "link: column 'pay' must be named once"),
        (("--secret", "ill", "--link", LINK, "--within", "-1"), "--within must be 0 or more"),
        (("--secret", "ill", "--link", LINK, "--control", "ori.csv"), "control must be other people"),
        (("--secret", "ill", "--link", LINK, "--released", "bands.csv"), "must hold the same kind of value"),
        (("--secret", "ill", "--link", LINK, "--released", "more.csv"), "must be in the original"),
        (("--secret", "ill", "--link", LINK, "--released", "no.csv"), "no.csv must be a file"),
        (("--secret", "age", "--link", "age/age"), "must be named once"),
        (("--secret", "ill", "--link", LINK, "--leave-out", "ill"), "column 'ill' must number or name"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    files: Path, run: Run, words: tuple[str, ...], message: str
) -> None:
    head, *lines = (files / "other.csv").read_text().splitlines()
    bands = [f"{line.split(',')[0][0]}0-99,{line.split(',', 1)[1]}" for line in lines]
    (files / "bands.csv").write_text("\n".join([head, *bands]) + "\n")
    (files / "more.csv").write_text("\n".join([f"{head},height", *(f"{line},1" for line in lines)]) + "\n")
    done = run(*ROWS, *words, "--out", "o")
    assert done.exit_code == 2, done.output
    said = [line for line in done.output.splitlines() if line.startswith("error: ")]
    assert len(said) == 1
    assert message in said[0]
    assert not (files / "o").exists()


@pytest.mark.causes
@pytest.mark.usefixtures("columns_behind")
@pytest.mark.parametrize(("budget", "whole"), [("", 3), ("[budget]\nwhy = false\n", None)])
def test_in_a_plan(files: Path, run: Run, budget: str, whole: float | None) -> None:
    (files / "syn.csv").write_text((files / "ori.csv").read_text())
    (files / "audit.toml").write_text(PLAN + budget)
    done = run("audit", "audit.toml", "--out", "o")
    assert whole_of(files / "o" / "findings.json") == whole
    assert done.exit_code == 1
    assert "linkability: nearest row: advantage" in " ".join(done.output.split())
    finding = json.loads((files / "o" / "findings.json").read_text())["findings"][0]
    assert finding["release"] == "synthetic"
    assert finding["details"]["files"]["control"] == "ctl.csv"


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('holdout = "ctl.csv"', "", "knowledge.holdout: must name other people"),
        ('secret = "ill"', "", "schema.secret: must name the column"),
        (', ["hours", "pay"]]', "]", "release[0].link: list should have at least 2 items"),
        ('"hours", "pay"]', '"hours", "age"]', "link: column 'age' must be named once"),
        ('"hours", "pay"]', '"hours", "pai"]', "link: column 'pai' must be released"),
        ('"syn.csv"', '"sin.csv"', "sin.csv must be a file"),
    ],
)
def test_bad_plans_are_refused(files: Path, run: Run, before: str, after: str, message: str) -> None:
    (files / "audit.toml").write_text(PLAN.replace(before, after))
    done = run("audit", "audit.toml", "--out", "o")
    assert done.exit_code == 2, done.output
    assert message in done.output
    assert not (files / "o").exists()
