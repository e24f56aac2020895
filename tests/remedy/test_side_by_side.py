"""Changes that several processes attack: the same ladder, and only views are sent."""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from dalenius.auditing.plan import read_plan
from dalenius.errors import DaleniusError, InputError
from dalenius.people.dataset import Dataset
from dalenius.reconstruction.opened import SecretsOpened
from dalenius.reconstruction.referee.court import Court
from dalenius.remedy import bench as benches
from dalenius.remedy import lockstep
from dalenius.remedy.bench import Seen, Workbench, look_at_each
from dalenius.remedy.lockstep import together

from .people import write
from .test_must_not_pass import with_mechanism

CHANGES = ("rounding:base=3", "suppression:below=5", "gaussian:sigma=40")


class Watched(pickle.Pickler):
    """Refuses to send whoever holds secrets."""

    def reducer_override(self, thing: Any) -> Any:
        assert not isinstance(thing, (Dataset, Court, SecretsOpened))
        return NotImplemented


def told(seen: Seen | DaleniusError) -> Any:
    assert isinstance(seen, Seen)
    return seen.verdict, seen.finding, seen.on_others


def test_changes_are_attacked_together_as_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once: list[int] = []

    def watched(task: Any, blocks: Sequence[Any], *, workers: int, shared: Any) -> Iterator[Any]:
        at_once.append(len(blocks))
        for block in blocks:
            Watched(io.BytesIO()).dump((task, block))
            yield task(block)

    with Workbench(read_plan(write(tmp_path_factory.mktemp("people")))) as bench:
        plans = [with_mechanism(bench.plan, change) for change in CHANGES]
        alone = [told(bench.look(plan)) for plan in plans]
        monkeypatch.setattr(lockstep, "spread_out", watched)
        monkeypatch.setattr(benches, "side_by_side", lambda: 2)
        assert [told(seen) for seen in look_at_each(bench, plans)] == alone
    assert at_once[0] == 2  # two changes at a time, then the one that is left
    assert {verdict for verdict, _, _ in alone} == {"stop", "pass"}


def refused() -> Any:
    raise InputError("a", "must be b", "c")
    yield


def test_a_change_that_is_refused_stands_in_its_place() -> None:
    def ends(value: int) -> Any:
        return value
        yield

    first, second, third = together([ends(1), refused(), ends(3)])
    assert (first, third) == (1, 3)
    assert isinstance(second, InputError)
