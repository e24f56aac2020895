"""Releases about people whose secrets the test knows, made without an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from dalenius.mechanisms.parse import parse_mechanism
from dalenius.records.columns import CodedColumns
from dalenius.records.counts import Counts
from dalenius.records.operators import BitRows
from dalenius.records.roster import Roster
from dalenius.records.schema import Column, Kind, Role
from dalenius.release.release import Block, Release
from dalenius.statistics.subsets import Subsets

ILL = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))


def make_people(codes: Any) -> Roster:
    codes = np.asarray(codes, np.int32)
    columns = tuple(
        Column(f"a{j}", Role.PUBLIC, Kind.CATEGORICAL, ("0", "1", "2")) for j in range(codes.shape[1])
    )
    return Roster("id", np.array([f"p{i:03}" for i in range(len(codes))]), CodedColumns(columns, codes))


def make_subsets(rows: Any) -> Subsets:
    rows = np.asarray(rows, np.bool_)
    ids = np.array([f"p{i:03}" for i in range(rows.shape[1])])
    return Subsets(ids, BitRows.from_dense(rows), tuple(f"q{j}" for j in range(len(rows))))


def make_release(statistic: Any, roster: Roster, secrets: Any, mechanism: str, seed: int = 1) -> Release:
    values = ILL.levels if statistic.counts_all_values else ILL.levels[1:]
    one_hot = np.stack([np.asarray(secrets) == ILL.levels.index(v) for v in values], axis=1)
    counts = (statistic.operator(roster).explicit().toarray() @ one_hot).astype(np.int64)
    held = Counts(counts, statistic.table, statistic.sensitivity(len(values)))
    answers = parse_mechanism(mechanism).protect(held, rng=np.random.default_rng(seed))
    return Release("wall", ILL, (Block(statistic, values, answers),), mechanism)


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="session")
def people() -> Callable[..., Roster]:
    return make_people


@pytest.fixture(scope="session")
def subsets() -> Callable[..., Subsets]:
    return make_subsets


@pytest.fixture(scope="session")
def release() -> Callable[..., Release]:
    return make_release
