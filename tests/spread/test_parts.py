"""Work that was stopped goes on where it was, and never mixes in what something else has left."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.spread.blocks import map_blocks
from dalenius.spread.parts import PARTS, Arrays, keeping

PLAN = {"table a.csv": "1", "set of options": "2"}


def doubling(done: list[int], stop: BaseException | None = None) -> Callable[[int], Arrays]:
    def double(block: int) -> Arrays:
        if stop is not None and len(done) == 2:
            raise stop
        done.append(block)
        return {"twice": np.array([2 * block, -1]), "word": np.array(["a", "bc"])}

    return double


def run(out: Path, plan: dict[str, str], stop: BaseException | None = None, work: str = "w") -> list[int]:
    """The blocks that were done, not read."""
    done: list[int] = []
    with keeping(out, plan):
        found = [int(each["twice"][0]) for each in map_blocks(doubling(done, stop), range(5), work=work)]
    assert found == [0, 2, 4, 6, 8]
    return done


def test_what_was_done_is_not_done_again_and_goes_at_the_end(tmp_path: Path) -> None:
    said: list[str] = []
    with (
        pytest.raises(KeyboardInterrupt),
        keeping(tmp_path / "out", PLAN, announce=said.append),
    ):
        list(map_blocks(doubling([], KeyboardInterrupt()), range(5), work="w"))
    folder = tmp_path / "out" / PARTS
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert said == [f"Kept 2 parts in {folder}: the same command goes on from there."]
    for part in folder.glob("*/*.npz"):
        np.load(part, allow_pickle=False)
    assert run(tmp_path / "out", PLAN) == [2, 3, 4]
    assert not folder.exists()


def test_parts_of_something_else_are_refused_with_what_differs_and_stay(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, PLAN, KeyboardInterrupt())
    other = PLAN | {"table a.csv": "changed"}
    with pytest.raises(InputError, match=r"with another table a\.csv\. Finish that run"):
        run(tmp_path, other)
    assert run(tmp_path, PLAN) == [2, 3, 4], "nothing was lost"


def test_the_same_plan_on_other_numbers_reads_nothing(tmp_path: Path) -> None:
    """A database has changed behind the same plan: its name says so."""
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, PLAN, KeyboardInterrupt())
    assert run(tmp_path, PLAN, work="other numbers") == [0, 1, 2, 3, 4]


def test_a_part_cut_off_by_a_failing_disk_is_done_again(tmp_path: Path) -> None:
    with pytest.raises(MemoryError):
        run(tmp_path, PLAN, MemoryError())
    part = tmp_path / PARTS / "w" / "part-000001.npz"
    part.write_bytes(part.read_bytes()[:40])
    assert run(tmp_path, PLAN) == [1, 2, 3, 4]


def test_input_that_is_refused_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must fit"):
        run(tmp_path / "out", PLAN, InputError("tables", "must fit", "nothing"))
    assert not (tmp_path / "out").exists()


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    with keeping(tmp_path, PLAN) as parts:
        parts.keep("w", 0, {"twice": np.zeros(1)})
        with pytest.raises(InputError, match="one run at a time; got another run works there"):
            run(tmp_path, PLAN)
        assert len(parts) == 1


def test_a_full_disk_is_said_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, PLAN, KeyboardInterrupt())

    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(InputError, match=r"no space left on device\. What is done so far is kept"):
            run(tmp_path, PLAN)
    assert run(tmp_path, PLAN) == [2, 3, 4]


def test_a_run_stopped_before_its_first_part_is_no_other_run(tmp_path: Path) -> None:
    (tmp_path / PARTS).mkdir(mode=0o700)
    assert run(tmp_path, PLAN) == [0, 1, 2, 3, 4]
    (tmp_path / PARTS).mkdir(mode=0o700)
    (tmp_path / PARTS / "plan.json").write_text(json.dumps({"table": "of somebody else"}))
    assert run(tmp_path, PLAN) == [0, 1, 2, 3, 4]


def test_nothing_is_written_for_a_single_block_or_without_being_asked(tmp_path: Path) -> None:
    done: list[int] = []
    with keeping(tmp_path / "out", PLAN):
        list(map_blocks(doubling(done), [3], work="w"))
        assert not (tmp_path / "out").exists()
    list(map_blocks(doubling(done), [3, 4], work="w"))
    assert done == [3, 3, 4]
