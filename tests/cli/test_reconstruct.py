"""``dalenius reconstruct counts``: answers that somebody else published."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

Run = Callable[..., Any]


def test_exact_counts_give_everybody_away(folder: Path, attack: Run) -> None:
    result = attack("--noise", "exact", "--truth", "truth.csv", "--out", "out")
    assert result.exit_code == 1, result.output
    claims = [line.split(",") for line in (folder / "out/claims.csv").read_text().splitlines()]
    truth = [line.split(",") for line in (folder / "truth.csv").read_text().splitlines()]
    assert claims[0] == ["client", "probability", "guess", "certain"]
    assert [(row[0], row[2]) for row in claims[1:]] == [(row[0], row[1]) for row in truth[1:]]
    findings = json.loads((folder / "out/findings.json").read_text())
    assert findings["findings"][0]["measures"][0]["attack"]["hits"] == 64
    assert findings["findings"][0]["details"]["secret"] == "ill"  # noqa: S105
    assert "names the secret of 64 of 64 people (100%)" in result.output


def test_without_truth_nothing_is_judged(folder: Path, attack: Run) -> None:
    result = attack()
    assert result.exit_code == 1, result.output
    findings = json.loads((folder / "dalenius-report/findings.json").read_text())
    (finding,) = findings["findings"]
    assert finding["details"]["judged"] is None
    assert finding["measures"] == []
    assert finding["mechanism"] == "unknown"
    assert findings["verdict"] == "undecided"
    assert "the truth was not given" in " ".join(result.output.split())
    assert "expects" in result.output


def test_the_truth_does_not_change_the_claims(folder: Path, attack: Run) -> None:
    (folder / "turned.csv").write_text(
        (folder / "truth.csv")
        .read_text()
        .replace(",1\n", ",x\n")
        .replace(",0\n", ",1\n")
        .replace(",x\n", ",0\n")
    )
    texts = []
    for truth in ("truth.csv", "turned.csv"):
        attack("--noise", "gaussian:sigma=1", "--truth", truth, "--out", "o")
        texts.append((folder / "o/claims.csv").read_bytes())
    assert texts[0] == texts[1]


def test_conditions_parquet_and_a_promise(folder: Path, attack: Run) -> None:
    people = [line.split(",") for line in (folder / "people.csv").read_text().splitlines()[1:]]
    header = ["client,age,sex,town", *(",".join(row[:4]) for row in people)]
    (folder / "list.csv").write_text("\n".join(header) + "\n")
    conditions = [
        f"age >= {a} and town = {t} and sex = {s}" for a in range(20, 26) for t in "abc" for s in "fm"
    ]
    names = [f"q{j}" for j in range(len(conditions))]
    parquet.write_table(pa.table({"query": names, "condition": conditions}), folder / "queries.parquet")
    counts = [
        sum(r[4] == "yes" and int(r[1]) >= a and r[3] == t and r[2] == s for r in people)
        for a in range(20, 26)
        for t in "abc"
        for s in "fm"
    ]
    (folder / "answers.csv").write_text(
        "query,answer\n" + "".join(f"q{j},{c}\n" for j, c in reversed(list(enumerate(counts))))
    )
    asked = ("--queries", "queries.parquet")
    result = attack(*asked, "--noise", "exact", "--truth", "truth.csv")
    assert result.exit_code == 1, result.output
    finding = json.loads((folder / "dalenius-report/findings.json").read_text())["findings"][0]
    assert finding["measures"][0]["attack"]["rate"] > 0.7
    assert finding["details"]["judged"]["population_source"] == "k-fold"
    promised = attack(*asked, "--noise", "gaussian:rho=18")
    assert "mechanism gaussian:sigma=1;" in promised.output


def test_ids_keep_their_zeros(folder: Path, attack: Run) -> None:
    """007 is not 7, in whichever files it stands beside other names."""
    (folder / "list.csv").write_text("client\n007\n7\na1\n")
    (folder / "queries.csv").write_text("query,client\n1,007\n2,7\n3,a1\n")
    (folder / "answers.csv").write_text("query,answer\n1,1\n2,0\n3,1\n")
    assert attack("--noise", "exact").exit_code == 1
    claims = (folder / "dalenius-report/claims.csv").read_text()
    assert claims == "client,probability,guess,certain\n007,1,1,true\n7,1,0,true\na1,1,1,true\n"


@pytest.mark.parametrize("decoder", ["least-squares", "box", "lp", "posterior"])
def test_every_decoder_is_reachable(folder: Path, attack: Run, decoder: str) -> None:
    words = ("--noise", "gaussian:sigma=0.5", "--decoder", decoder)
    result = attack(*words, "--truth", "truth.csv")
    assert result.exit_code == 1, result.output
    finding = json.loads((folder / "dalenius-report/findings.json").read_text())["findings"][0]
    assert finding["measures"][0]["attack"]["rate"] > 0.95
    assert decoder in finding["attack_method"]
