"""``dalenius reconstruct scores``: files in, claims out, and bad input by name with nothing written."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

N, D, RULES = 30, 12, 60

Run = Callable[..., Any]


@pytest.fixture
def scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Run:
    """People, the predictions of many rules, their error rates to three decimals, and one tree."""
    rng = np.random.default_rng(12)
    bits, ill = rng.integers(0, 2, (N, D)), rng.integers(0, 2, N)
    ids = [f"c{i:02}" for i in range(N)]
    said = (bits @ rng.normal(size=(D, RULES)) + rng.normal(size=RULES) > 0).astype(int)
    errors = [f"r{j},error-rate,{np.mean(said[:, j] != ill):.3f}" for j in range(RULES)]
    tree = (bits[:, 0] & bits[:, 1]).astype(int)
    files = {
        "public.csv": ([f"a{j}" for j in range(D)], bits),
        "many.csv": ([f"r{j}" for j in range(RULES)], said),
        "tree.csv": (["prediction"], tree[:, None]),
        "truth.csv": (["ill"], ill[:, None]),
    }
    for name, (columns, values) in files.items():
        rows = [["client", *columns], *([i, *row] for i, row in zip(ids, values, strict=True))]
        (tmp_path / name).write_text("\n".join(",".join(map(str, row)) for row in rows) + "\n")
    (tmp_path / "scores.csv").write_text("\n".join(["classifier,score,value", *errors]) + "\n")
    (tmp_path / "tree.txt").write_text(
        "|--- a0 <= 0.50\n|   |--- class: 0\n|--- a0 >  0.50\n"
        "|   |--- a1 <= 0.50\n|   |   |--- class: 0\n|   |--- a1 >  0.50\n|   |   |--- class: 1\n"
    )
    rates = (np.mean(tree != ill), tree @ ill / ill.sum(), tree @ (1 - ill) / (1 - ill).sum())
    (tmp_path / "rates.txt").write_text(" ".join(f"{rate:.3f}" for rate in rates) + f" {ill.sum()}")
    monkeypatch.chdir(tmp_path)
    return lambda *more: run("reconstruct", "scores", "--people", "public.csv", "--id", "client", *more)


def claims(folder: str) -> list[dict[str, str]]:
    with Path(folder, "claims.csv").open() as lines:
        return list(csv.DictReader(lines))


def test_many_error_rates_name_everybody(scored: Run) -> None:
    files = ("--predictions", "many.csv", "--scores", "scores.csv", "--truth", "truth.csv")
    result = scored(*files, "--diagnose", "--out", "o")
    assert result.exit_code == 1, result.output
    assert "mechanism stated" in result.output
    assert f"of {N} people (100%)" in result.output
    assert "rank 30 of 30" in result.output
    found = json.loads(Path("o/diagnosis.json").read_text())
    assert found["spectrum"]["rank"] == N
    assert json.loads(Path("o/findings.json").read_text())["findings"][0]["severity"] == "critical"
    rows = claims("o")
    assert list(rows[0]) == ["client", "probability", "guess", "certain"]
    truth = dict(line.split(",") for line in Path("truth.csv").read_text().split()[1:])
    assert all(row["guess"] == truth[row["client"]] for row in rows)


def test_one_error_rate_and_a_printed_tree_say_the_same(scored: Run) -> None:
    rate = Path("rates.txt").read_text().split()[0]
    for predictions, out in (("tree.csv", "a"), ("tree.txt", "b")):
        result = scored("--predictions", predictions, "--error-rate", rate, "--out", out)
        assert result.exit_code == 1, result.output
    assert Path("a/claims.csv").read_text() == Path("b/claims.csv").read_text()


def test_digits_noise_and_other_scores(scored: Run) -> None:
    _, recall, fpr, positives = Path("rates.txt").read_text().split()
    words = ("--predictions", "tree.csv", "--recall", recall, "--fpr", fpr, "--positives", positives)
    coarse = scored(*words, "--digits", "3")
    assert coarse.exit_code == 1, coarse.output
    assert "mechanism rounding:digits=3" in coarse.output
    assert "must be one that rounding:digits=1 can publish" in scored(*words, "--digits", "1").output
    noisy = scored(*words, "--noise", "gaussian:sigma=0.05")
    assert noisy.exit_code == 1, noisy.output


BAD = [
    (("--error-rate", "13.7"), "must lie between 0 and 1; got 13.7. Give a fraction"),
    (("--error-rate", "1.01"), "must lie between 0 and 1; got 1.01"),
    (("--error-rate", "-0.1"), "must lie between 0 and 1; got -0.1"),
    (("--error-rate", "nan"), "must lie between 0 and 1"),
    (("--error-rate", "many"), "must be a number; got text"),
    (("--auc", "0.8"), "must come with 'positives'"),
    (("--log-loss", "0.3"), "must lie strictly between 0 and 1"),
    ((), "scores must have at least one"),
    (("--error-rate", "0.2", "--noise", "gausian:sigma=1"), "Did you mean 'gaussian'"),
    (("--error-rate", "0.2", "--noise", "exact", "--digits", "3"), "must not be given with --noise"),
    (("--error-rate", "0.123"), "must come from a whole number of these people"),
    (("--scores", "missing.csv"), "no such file"),
    (("--scores", "scores.csv"), "the classifier of score 1 must have predictions; got none"),
]


@pytest.mark.parametrize(("words", "message"), BAD)
def test_bad_scores_are_refused_and_nothing_is_written(words, message, scored: Run) -> None:
    result = scored("--predictions", "tree.csv", *words, "--out", "bad")
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output
    assert not Path("bad").exists()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["Ann Lee,Ann Lee,0.2"], "line 2, column 'score' must be a known one; got another word"),
        (["Ann Lee,accuracy,0.2"] * 2, "line 3 must be a score given once"),
        (["Ann Lee,accuracy,Ann Lee"], "accuracy must be a number; got text"),
    ],
)
def test_files_of_scores_are_refused_without_their_words(rows, message, scored: Run) -> None:
    Path("odd.csv").write_text("\n".join(["classifier,score,value", *rows]) + "\n")
    result = scored("--predictions", "tree.csv", "--scores", "odd.csv", "--out", "bad")
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
    assert "Ann" not in result.output


def test_bad_predictions_are_refused_by_person(scored: Run) -> None:
    lines = Path("tree.csv").read_text().split()
    cases = {
        "unknown": ([*lines, "zz,1"], "1 others"),
        "missing": (lines[:-1], "1 missing"),
        "twice": ([*lines, lines[-1]], "1 repeated names"),
        "word": ([*lines[:-1], "c29,maybe"], "must hold numbers"),
        "share": ([*lines[:-1], "c29,0.4"], "must be 0 or 1"),
    }
    for name, (rows, message) in cases.items():
        Path(f"{name}.csv").write_text("\n".join(rows) + "\n")
        result = scored("--predictions", f"{name}.csv", "--error-rate", "0.5", "--out", "bad")
        assert result.exit_code == 2, name
        assert message in result.output
        assert "c29" not in result.output.replace("c29,", "")
        assert not Path("bad").exists()
    result = scored("--predictions", "many.csv", "--error-rate", "0.5", "--out", "bad")
    assert "must be the score of one classifier; got predictions of 60" in result.output


def test_counts_can_be_diagnosed_too(attack: Run, folder: Path) -> None:
    result = attack("--noise", "exact", "--diagnose", "--out", "o")
    assert result.exit_code == 1, result.output
    assert "rank 64 of 64" in result.output
    assert (folder / "o" / "diagnosis.json").is_file()
