"""Damaged files are read or refused by every command; and what looks for the others sees planted ones."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
COMMANDS = {
    *("audit", "init", "remedy", "report", "decide", "compare", "theorem"),
    *("trace targets", "trace members", "trace plan"),
    *(f"reconstruct {what}" for what in ("counts", "tables", "regression", "scores", "joint", "desk")),
    *("reconstruct records", "reconstruct amounts"),
    *(f"single-out {what}" for what in ("rows", "game", "counts", "triple")),
    *(f"infer {what}" for what in ("network", "pedigree", "joint", "degree", "beliefs")),
}
TRIES = {"audit": 14, "init": 10, "reconstruct": 24, "trace": 15, "single-out": 10, "infer": 10}
TRIES |= {"remedy": 4, "report": 8, "decide": 8, "compare": 5}
"""How many damaged files each command gets; the hour of ``validation/damaged_files.py`` gives thousands."""

SOME = 3
"""A part of them every time: each command is a process of its own."""


@pytest.fixture(scope="module")
def modules() -> Iterator[Any]:
    sys.path.insert(0, str(ROOT))
    from validation import damaged_cases, damaged_files, damaged_make, damaged_run

    yield damaged_cases, damaged_files, damaged_make, damaged_run
    sys.path.remove(str(ROOT))


@pytest.fixture(scope="module")
def valid(modules: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("cyvcf2")
    pytest.importorskip("zarr")
    folder = tmp_path_factory.mktemp("damaged") / "valid"
    modules[2].make_files(folder)
    modules[1].load()
    return folder


@pytest.mark.parametrize(
    "each",
    [False, pytest.param(True, marks=pytest.mark.slow(beside="test_every_command_works_on_whole_files"))],
)
def test_every_command_works_on_whole_files(each: bool, modules: Any, valid: Path) -> None:
    """One case of each command; or every case."""
    cases, files, _, _ = modules
    found = cases.cases()
    assert {case.command for case in found} >= COMMANDS
    asked = [case for case in found if case.words[0] in ("reconstruct", "theorem")]
    files.check_valid(asked if each else list({case.command: case for case in asked}.values()), valid)


@pytest.mark.parametrize(
    ("seed", "part"),
    [(5, SOME), pytest.param(6, 1, marks=pytest.mark.slow(beside="test_every_command_reads_or_refuses"))],
    ids=["some", "all"],
)
@pytest.mark.parametrize("command", TRIES)
def test_every_command_reads_or_refuses(
    command: str, seed: int, part: int, modules: Any, valid: Path
) -> None:
    cases, files, _, run = modules
    chosen = [case for case in cases.cases() if case.words[0] == command]
    combinations = files.every(chosen, valid)
    count = -(-TRIES[command] // part)
    tried = list(files.damage_all(combinations, valid, seed=seed, minutes=10, count=count))
    assert len(tried) > count / 2
    assert not [str(each) for each in tried if each.ended.outcome not in run.GOOD]


def _fall() -> None:
    raise ValueError("nobody expected this")


def _crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def _hang() -> None:
    while True:
        time.process_time()


def _name_somebody() -> None:
    sys.stderr.write("error: row must be a number; got 'ZQ017x'.\n")
    sys.exit(2)


def _name_somebody_in_small_letters() -> None:
    sys.stderr.write("error: truth.csv must hold no, yes; got 'zqjob017' and such.\n")
    sys.exit(2)


def _name_somebody_in_findings() -> None:
    Path("out").mkdir()
    Path("out/findings.json").write_text('{"worst": "ZQ017x"}')


def _name_somebody_on_the_page() -> None:
    Path("out").mkdir()
    Path("out/report.html").write_text("<p>ZQ017x</p>")


def _tell_an_amount() -> None:
    Path("out").mkdir()
    Path("out/findings-remedied.json").write_text('{"most": 4231973}')


def _tell_a_sum() -> None:
    Path("out").mkdir()
    Path("out/findings.json").write_text('{"total": 8463946, "share": 0.31973}')


def _write_no_number() -> None:
    Path("out").mkdir()
    Path("out/findings.json").write_text('{"nu": NaN}')


def _leave_scratch() -> None:
    tempfile.mkdtemp(prefix="dalenius-")
    sys.stderr.write("error: refused\n")
    sys.exit(2)


def _write_and_refuse() -> None:
    Path("plan.toml").write_text("half a plan")
    sys.stderr.write("error: refused\n")
    sys.exit(2)


def _warn() -> None:
    warnings.warn("overflow", RuntimeWarning, stacklevel=1)


def _fill_memory() -> None:
    bytearray(64 << 30)


def _end_oddly() -> None:
    sys.exit(9)


def _work() -> None:
    sys.stdout.write("PASS\n")


def _refuse() -> None:
    sys.stderr.write("error: file 'a.csv', line 3, must be UTF-8 text; got bytes that are not.\n")
    sys.exit(2)


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        (_fall, "traceback"),
        (_crash, "crash"),
        (_hang, "hang"),
        (_name_somebody, "leak"),
        (_name_somebody_in_small_letters, "leak"),
        (_name_somebody_in_findings, "leak"),
        (_name_somebody_on_the_page, "leak"),
        (_tell_an_amount, "leak"),
        (_tell_a_sum, "read"),
        (_write_no_number, "leak"),
        (_leave_scratch, "left behind"),
        (_write_and_refuse, "written"),
        (_warn, "noisy"),
        (_fill_memory, "traceback"),
        (_end_oddly, "odd"),
        (_work, "read"),
        (_refuse, "refused"),
    ],
)
def test_planted_faults_are_seen(
    fault: Callable[[], None], outcome: str, modules: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases, _, _, run = modules
    monkeypatch.setattr(run, "SECONDS", 1)
    (tmp_path / "a.csv").write_text("id\n1\n")
    case = cases.Case(("audit",), ("a.csv",))
    ended = run.run_damaged(case, tmp_path, {"a.csv": b""}, fault)
    assert ended.outcome == outcome, (ended.detail, ended.said)


def test_whoever_waits_for_a_core_is_not_stuck_and_a_sleeper_is(modules: Any) -> None:
    run = modules[3]
    started = []
    for work in ("while True: pass", "import time; time.sleep(60)"):
        started.append(subprocess.Popen([sys.executable, "-c", work]))
    try:
        until, still = time.monotonic() + 20, 0
        while time.monotonic() < until and still < 5:  # one that starts waits for the disk now and then
            time.sleep(0.05)
            still = 0 if run._would_work(started[1].pid) else still + 1
        assert still == 5
        assert run._would_work(started[0].pid)
    finally:
        for one in started:
            one.kill()
            one.wait()
