"""A command that was killed goes on where it was, and says the same as one that was not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dalenius.cli.main import app
from dalenius.errors import TooLargeError
from dalenius.records.attack import claims, spans
from dalenius.records.attack.noise import walk
from dalenius.records.attack.wide import anneal
from dalenius.spread.parts import PARTS

FILES = ("certain.csv", "records.csv", "units.csv")


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Options that name tables of eight blocks, of each of which something is open: four parts."""
    monkeypatch.setattr(spans, "MOST_PIECES", 2)
    blocks = [(f"b{at}", 2 + at, 3, 4, 1 + at) for at in range(8)]
    texts = {
        "sex": [f"{name},{sex},{n}" for name, f, m, *_ in blocks for sex, n in (("f", f), ("m", m))],
        "age": [f"{name},{age},{n}" for name, *_, c, a in blocks for age, n in (("child", c), ("adult", a))],
    }
    options = ["--geography", "block"]
    for name, rows in texts.items():
        (tmp_path / f"{name}.csv").write_text(f"block,{name},count\n" + "\n".join(rows) + "\n")
        options += ["--table", str(tmp_path / f"{name}.csv")]
    return options


def command(tables: list[str], out: Path, *more: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["reconstruct", "records", *tables, "--out", str(out), *more])
    return done.exit_code, done.stderr


def stop_after(monkeypatch: pytest.MonkeyPatch, count: int, stop: object) -> None:
    """Stop the attack before one more span, in the way of ``stop``."""
    attack, done = spans.SpanAttack.attack, []

    def attacked(self: spans.SpanAttack, span: object) -> spans.AttackedPieces:
        if len(done) == count:
            stop()  # type: ignore[operator]
        done.append(span)
        return attack(self, span)  # type: ignore[arg-type]

    monkeypatch.setattr(spans.SpanAttack, "attack", attacked)


def read(out: Path) -> list[str]:
    return [(out / name).read_text() for name in FILES]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a process to kill")
def test_a_killed_command_goes_on_and_says_the_same(
    tmp_path: Path, tables: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, resumed = tmp_path / "whole", tmp_path / "resumed"
    assert command(tables, whole)[0] == 1
    child = os.fork()
    if child == 0:
        stop_after(monkeypatch, 2, lambda: os._exit(9))
        command(tables, resumed)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert sorted(path.name for path in resumed.iterdir()) == [PARTS]
    with monkeypatch.context() as patch:
        many: list[object] = []
        attack = spans.SpanAttack.attack
        patch.setattr(spans.SpanAttack, "attack", lambda self, span: many.append(span) or attack(self, span))
        code, said = command(tables, resumed)
    assert code == 1
    assert "Goes on after 2 parts of a run that was stopped." in said
    assert [number for number, _ in many] == list(range(2, 2 + len(many)))  # type: ignore[misc]
    assert read(resumed) == read(whole)
    assert not (resumed / PARTS).exists()


def test_ctrl_c_keeps_parts_and_another_input_is_refused_with_what_differs(
    tmp_path: Path, tables: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        stop_after(patch, 1, interrupt)
        code, said = command(tables, tmp_path / "out")
    assert code == 130
    assert "Kept 1 part in" in said
    assert "the same command goes on" in said
    code, said = command(tables, tmp_path / "out", "--complete", "all")
    assert code == 2
    assert "with another set of options" in said
    first = Path(tables[-1])
    first.write_text(first.read_text() + "\n")
    code, said = command(tables, tmp_path / "out")
    assert code == 2
    assert f"with another table {first.name}" in said


def test_a_plan_without_a_list_of_people_goes_on_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spans, "MOST_PIECES", 1)
    rows = [f"{'abcd'[at % 4]},{at // 4 % 2},{at * at % 11 % 3}" for at in range(40)]
    (tmp_path / "people.csv").write_text("town,sex,age\n" + "\n".join(rows) + "\n")
    plan = """
[data]
path = "people.csv"
[schema]
public = ["town", "sex", "age"]
[knowledge]
roster = false
[[release]]
name = "t"
statistics = ["tables:k=2,attributes=town+sex", "tables:k=2,attributes=town+age"]
mechanism = "exact"
"""
    (tmp_path / "audit.toml").write_text(plan)

    def interrupt() -> None:
        raise KeyboardInterrupt

    asked = ["audit", str(tmp_path / "audit.toml")]
    with monkeypatch.context() as patch:
        stop_after(patch, 1, interrupt)
        stopped = CliRunner().invoke(app, asked)
    assert stopped.exit_code == 130
    assert "the same command goes on" in stopped.stderr
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 1
    assert "Goes on after 1 part of" in done.stderr
    assert not (tmp_path / "dalenius-report" / PARTS).exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a process to kill")
@pytest.mark.parametrize(
    "kind",
    [
        "noise",
        pytest.param("wide", marks=pytest.mark.slow(beside="test_walks_and_searches_go_on_after_a_kill_too")),
    ],
)
def test_walks_and_searches_go_on_after_a_kill_too(
    tmp_path: Path, tables: list[str], monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Four walks under noise, six searches of a domain too wide: what was done is not done again."""
    work: type = walk.NoiseWalk if kind == "noise" else anneal.SwapSearch
    monkeypatch.setattr(walk, "LEAST_STEPS", 2_000)
    monkeypatch.setattr(walk, "STEPS_A_PERSON", 20)
    monkeypatch.setattr(anneal, "STEPS_A_PERSON", 50)
    if kind == "noise":
        tables = [*tables, "--mechanism", "geometric:scale=1"]
    else:
        monkeypatch.setattr(claims, "make_system", too_wide)
    whole, resumed = tmp_path / "whole", tmp_path / "resumed"
    assert command(tables, whole)[0] == 1
    arrays, done = work.arrays, []

    def until_killed(self: object, number: int) -> object:
        if number == 2:
            os._exit(9)
        return arrays(self, number)

    def seen(self: object, number: int) -> object:
        done.append(number)
        return arrays(self, number)

    child = os.fork()
    if child == 0:
        monkeypatch.setattr(work, "arrays", until_killed)
        command(tables, resumed)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    monkeypatch.setattr(work, "arrays", seen)
    code, said = command(tables, resumed)
    assert code == 1
    assert "Goes on after 2 parts of a run that was stopped." in said
    assert done == list(range(2, walk.WALKS if kind == "noise" else anneal.RUNS))
    assert read(resumed) == read(whole)


def too_wide(*_: object, **__: object) -> None:
    raise TooLargeError("tables", "must leave fewer records", "more")


def test_two_processes_say_the_same(tmp_path: Path, tables: list[str]) -> None:
    alone, shared = tmp_path / "alone", tmp_path / "shared"
    assert command(tables, alone)[0] == command(tables, shared, "--workers", "2")[0] == 1
    assert read(alone) == read(shared)
