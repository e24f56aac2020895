"""An audit whose attacks are made by several processes: the same bytes, and only views are sent."""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from distributed import LocalCluster

from dalenius.errors import InputError, MissingExtraError, TooLargeError
from dalenius.people.dataset import Dataset, read
from dalenius.people.sealed import SealedRows, SealedTraits
from dalenius.reconstruction.attack import attack as attempts
from dalenius.reconstruction.audit import audit
from dalenius.reconstruction.opened import Planned, Scenario, SecretsOpened
from dalenius.reconstruction.referee.court import Court
from dalenius.spread import places
from dalenius.spread.places import side_by_side, spread_out, working

RELEASES = {
    "rounded": Planned("tables:k=2", "rounding:base=5"),
    "coarse": Planned("tables:k=1", "rounding:base=50"),
}


@contextmanager
def some_people() -> Iterator[Dataset]:
    rng = np.random.default_rng(4)
    columns = {name: rng.choice(["a", "b", "c"], 90) for name in ("town", "work", "kin")}
    with read(pa.table({**columns, "ill": rng.choice(["no", "yes"], 90)}), secret="ill") as people:
        yield people


def report(**place: Any) -> str:
    with some_people() as people, working(**place):
        return audit(people, RELEASES, Scenario(seed=3, resamples=2)).report.to_json()


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    quiet = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "silence_logs": 50}
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=False, protocol="tcp", **quiet) as found:
        yield found.scheduler_address


@pytest.mark.causes
def test_two_workers_find_the_same_to_the_last_byte(cluster: str) -> None:
    assert report(cluster=cluster) == report()


@pytest.mark.causes
@pytest.mark.slow(beside="test_two_workers_find_the_same_to_the_last_byte")
def test_two_processes_find_the_same_to_the_last_byte() -> None:
    assert report(workers=2) == report(workers=3) == report()


class Watched(pickle.Pickler):
    """Refuses to send whoever holds secrets."""

    def reducer_override(self, thing: Any) -> Any:
        assert not isinstance(thing, (Dataset, Court, SecretsOpened, SealedRows, SealedTraits))
        return NotImplemented


@pytest.mark.causes
def test_what_is_sent_are_views_and_none_is_made_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []

    def watched(task: Any, blocks: Sequence[Any], *, workers: int, **_: Any) -> Iterator[Any]:
        for block in blocks:
            Watched(io.BytesIO()).dump((task, block))
            sent.append(block.view.release.name)
            yield task(block)

    monkeypatch.setattr(attempts, "spread_out", watched)
    monkeypatch.setattr("dalenius.reconstruction.why.leave_one_out.spread_out", watched)
    monkeypatch.setattr("dalenius.reconstruction.case.side_by_side", lambda: 2)
    with some_people() as people:
        audit(people, RELEASES, Scenario(seed=3, resamples=2))
    assert len(sent) > len(RELEASES) * 2


def test_the_watch_sees_whoever_holds_secrets() -> None:
    with some_people() as people, pytest.raises(AssertionError):
        Watched(io.BytesIO()).dump(people)


@pytest.mark.parametrize(
    "error",
    [
        InputError("epsilon", "must be above 0", "0", "Use 1.", value="Ann", hint="Levels: x."),
        TooLargeError("n", "must fit", "many"),
        MissingExtraError("drawing", "opendp", "dp"),
    ],
)
def test_an_error_of_another_process_is_the_error(error: Exception) -> None:
    again = pickle.loads(pickle.dumps(error))  # noqa: S301  (what a pool of processes does)
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)


def doubled(block: int) -> int:
    return 2 * block


def test_processes_wait_for_more_of_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Starting them takes longer than most attacks."""
    started: list[int] = []

    class Pool:
        def __init__(self, task: Any, workers: int) -> None:
            self.task, self.workers = task, workers
            started.append(workers)

        def submit(self, block: int) -> Any:
            done: Any = places.Future()
            done.set_result(self.task(block))
            return done

        def end(self, *, wait: bool) -> None:
            ended.append(wait)

    ended: list[bool] = []
    monkeypatch.setattr(places, "_Pool", Pool)
    with working(2):
        assert side_by_side() == 2
        for _ in range(3):
            assert list(spread_out(doubled, [1, 2, 3], workers=2)) == [2, 4, 6]
        assert started == [2]
        assert not ended
        stopped = spread_out(doubled, [1, 2, 3], workers=2)
        assert next(stopped) == 2
        stopped.close()
        assert ended == [False]
    assert len(ended) == 1
