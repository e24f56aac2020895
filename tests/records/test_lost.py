"""Spans, walks and searches whose process is lost three times: not run, and nothing is guessed of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dalenius.cli.main import app
from dalenius.records.attack import spans
from dalenius.records.attack.noise import walk
from dalenius.spread import places
from dalenius.spread.parts import PARTS

FILES = ("certain.csv", "records.csv", "units.csv", "findings.json")
LOST = 1
"""The number of the span or walk that ends whoever does it."""


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Options that name tables of eight blocks, of each of which something is open: four spans."""
    monkeypatch.setattr(spans, "MOST_PIECES", 2)
    blocks = [(f"b{at}", 2 + at, 3, 4, 1 + at) for at in range(8)]
    sexes = [f"{name},{sex},{n}" for name, f, m, *_ in blocks for sex, n in (("f", f), ("m", m))]
    ages = [f"{name},{age},{n}" for name, *_, c, a in blocks for age, n in (("child", c), ("adult", a))]
    (tmp_path / "sex.csv").write_text("block,sex,count\n" + "\n".join(sexes) + "\n")
    (tmp_path / "age.csv").write_text("block,age,count\n" + "\n".join(ages) + "\n")
    both = [text for name in ("sex", "age") for text in ("--table", str(tmp_path / f"{name}.csv"))]
    return ["--geography", "block", *both]


def lose(monkeypatch: pytest.MonkeyPatch, ends: Callable[[Any], bool]) -> None:
    """Have every process end that does such a block, and with it all that wait for it."""

    class Pool:
        def __init__(self, task: Any, workers: int) -> None:
            self.task, self.broken = task, False

        def submit(self, block: Any) -> Future[Any]:
            done: Future[Any] = Future()
            self.broken = self.broken or ends(block)
            if self.broken:
                done.set_exception(BrokenProcessPool())
            else:
                done.set_result(self.task(block))
            return done

        def end(self, *, wait: bool) -> None:
            pass

    monkeypatch.setattr(places, "_Pool", Pool)


def command(tables: list[str], out: Path, *more: str) -> tuple[int, str]:
    asked = ["reconstruct", "records", *tables, "--out", str(out), "--workers", "2", *more]
    done = CliRunner().invoke(app, asked)
    return done.exit_code, " ".join(done.stderr.split())


def read(out: Path) -> list[str]:
    return [(out / name).read_text() for name in FILES]


def test_a_lost_span_is_not_run_and_the_same_command_tries_it_again(
    tmp_path: Path, tables: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, out = tmp_path / "whole", tmp_path / "out"
    with monkeypatch.context() as patch:
        lose(patch, lambda span: False)
        assert command(tables, whole)[0] == 1
    with monkeypatch.context() as patch:
        lose(patch, lambda span: span[0] == LOST)
        code, said = command(tables, out)
    assert code == 1
    assert "Kept 3 parts in" in said
    assert "the same command tries only those again" in said
    assert len(list((out / PARTS).glob("*/*.npz"))) == 3
    (finding,) = json.loads((out / "findings.json").read_text())["findings"]
    lost = finding["details"]["lost"]
    assert lost == 8  # two blocks of four records
    assert finding["facts"][0].startswith("8 open records were not attacked: whoever did it was lost")
    known, found = ((place / "records.csv").read_text().splitlines() for place in (whole, out))
    certain = [line for line in known if line.endswith(",1.000000")]
    kept = [line for line in known if not line.startswith(("b2,", "b3,"))]
    # of the lost blocks only what the tables say without it, with certainty; the others as they were
    assert sorted(line for line in found if not line.startswith(("b2,", "b3,"))) == sorted(kept)
    assert {line for line in found if line.startswith(("b2,", "b3,"))} <= set(certain)
    units = {line.split(",")[0]: line.split(",") for line in (out / "units.csv").read_text().splitlines()}
    assert units["b2"][2] == units["b3"][2] == "open"
    done: list[int] = []
    with monkeypatch.context() as patch:
        lose(patch, lambda span: bool(done.append(span[0])))
        code, said = command(tables, out)
    assert code == 1
    assert done in ([LOST], [])  # one block that is left is done here
    assert "Goes on after 3 parts" in said
    assert read(out) == read(whole)
    assert not (out / PARTS).exists()


def test_what_was_lost_is_why_nothing_is_decided_and_the_truth_stays_within_the_radius(
    tmp_path: Path, tables: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    people = ["block,sex,age"]
    for at in range(8):
        ages = ["child"] * 4 + ["adult"] * (1 + at)
        sexes = ["f"] * (2 + at) + ["m"] * 3
        people += [f"b{at},{sex},{age}" for sex, age in zip(sexes, ages, strict=True)]
    (tmp_path / "truth.csv").write_text("\n".join(people) + "\n")
    lose(monkeypatch, lambda span: span[0] == LOST)
    more = "--truth", str(tmp_path / "truth.csv"), "--max-certain", "1000"
    assert command(tables, tmp_path / "out", *more)[0] == 1
    report = json.loads((tmp_path / "out/findings.json").read_text())
    assert report["verdict"] == "undecided"
    assert "nobody knows which of them are certain" in report["reasons"][0]
    judged = report["findings"][0]["details"]["judged"]
    assert judged["wrong"] == 0
    assert judged["kept"]
    assert report["findings"][0]["details"]["control"] is None  # it lost the same span


def test_lost_walks_are_told_and_all_of_anything_is_an_error(
    tmp_path: Path, tables: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "LEAST_STEPS", 2_000)
    monkeypatch.setattr(walk, "STEPS_A_PERSON", 20)
    noisy = [*tables, "--mechanism", "geometric:scale=1"]
    with monkeypatch.context() as patch:
        lose(patch, lambda number: number == LOST)
        assert command(noisy, tmp_path / "one")[0] == 1
    finding = json.loads((tmp_path / "one/findings.json").read_text())["findings"][0]
    assert finding["details"]["lost_walks"] == 1
    assert finding["facts"][0].startswith("1 walk or search was not made")
    lose(monkeypatch, lambda number: True)
    code, said = command(noisy, tmp_path / "all")
    assert code == 2
    assert "none of 4 blocks was done before its process was lost" in said
    code, said = command(tables, tmp_path / "spans")
    assert code == 2
    assert "none of 4 blocks" in said
    assert not (tmp_path / "spans").exists()
