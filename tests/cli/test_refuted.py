"""When the truth refutes what follows by arithmetic, that is said first, and the command does not succeed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

HEADLINE = "4 of 4 claims said to follow by arithmetic are wrong: the release was not made as stated."

FILES = {
    "people.csv": "id,sex\n1,f\n2,f\n3,m\n4,m\n",
    "truth.csv": "id,ill\n1,no\n2,no\n3,yes\n4,yes\n",
    "right.csv": "id,ill\n1,yes\n2,yes\n3,no\n4,no\n",
    "folder/t.csv": "sex,no,yes\nf,0,2\nm,2,0\n",
    "folder/people.csv": "id,sex\n1,f\n2,f\n3,m\n4,m\n",
    "queries.csv": "query,condition\nf,sex = f\nm,sex = m\n",
    "answers.csv": "query,answer\nf,2\nm,0\n",
    "predictions.csv": "id,rule\n1,1\n2,1\n3,0\n4,0\n",
    "scores.csv": "classifier,score,value\nrule,error-rate,0.000\n",
    "coefficients.csv": "term,estimate\nconst,1.0000\nsex[m],-1.0000\n",
}
PEOPLE = ("--people", "people.csv", "--id", "id")
COMMANDS = {
    "tables": ("tables", *PEOPLE, "--table", "folder/t.csv"),
    "joint": ("joint", "folder", "--id", "id"),
    "counts": ("counts", *PEOPLE, "--queries", "queries.csv", "--answers", "answers.csv", "--noise", "exact"),
    "scores": ("scores", *PEOPLE, "--predictions", "predictions.csv", "--scores", "scores.csv"),
    "regression": (
        "regression",
        *PEOPLE,
        "--coefficients",
        "coefficients.csv",
        "--model",
        "linear",
        "--digits",
        "4",
    ),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_refuted_claim_is_the_headline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    result = run("reconstruct", *COMMANDS[command], "--truth", "truth.csv")
    assert result.exit_code == 1, result.output
    assert result.stdout.splitlines()[0] == HEADLINE
    for word in ("people are certain", "given away by arithmetic", "severity critical"):
        assert word not in result.output
    report = json.loads(Path("dalenius-report/findings.json").read_text())
    found = report["findings"][0]
    assert found["sentence"].startswith(HEADLINE)
    # that people's secrets follow was a reason to stop, and the page said so first
    assert (report["verdict"], found["severity"], found["certain"]) == ("undecided", "undecided", 0)
    assert "follow by arithmetic alone" not in result.output
    page = Path("dalenius-report/report.md").read_text()
    assert HEADLINE in page.split("## 1")[0]
    assert "plain arithmetic" not in page.split("## 6")[0]
    right = run("reconstruct", *COMMANDS[command], "--truth", "right.csv")
    assert right.exit_code == 1, right.output
    assert "wrong" not in right.output
    told = " ".join(right.output.split())
    assert "4 people are certain all the same: arithmetic alone, no probability." in told


def test_one_wrong_claim_of_four_leaves_nothing_certain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("people.csv", "folder/t.csv"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(FILES[name])
    Path("truth.csv").write_text("id,ill\n1,no\n2,yes\n3,no\n4,no\n")
    done = run("reconstruct", *COMMANDS["tables"], "--truth", "truth.csv")
    assert done.exit_code == 1, done.output
    assert "1 of 4 claims said to follow by arithmetic is wrong" in done.stdout.splitlines()[0]
    assert "UNDECIDED" in done.output
    for said in ("follow by arithmetic alone", "(4 by", "known to have"):
        assert said not in " ".join(done.output.split())
