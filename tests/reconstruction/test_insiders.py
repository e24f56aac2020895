"""Whose secret follows for somebody else in the data, who knows their own."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import dalenius
from dalenius.matrices.operators import SparseRows
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.attack.search.settle import settle, told_to_insiders
from dalenius.reconstruction.attack.system.build import Problem
from dalenius.reconstruction.attack.system.system import LinearSystem
from dalenius.reconstruction.referee.known import count_told

TOWNS = [f"t{i % 10}" for i in range(300)]
ILL = ["yes" if i % 3 == 0 else "no" for i in range(300)]


def people(towns: list[str], ill: list[str]) -> pa.Table:
    return pa.table({"id": [f"p{i}" for i in range(len(towns))], "town": towns, "ill": ill})


def audited(towns: list[str], ill: list[str], mechanism: str = "exact", **policy: object) -> dalenius.Audit:
    table = people([*TOWNS, *towns], [*ILL, *ill])
    return dalenius.audit(
        table,
        secret="ill",
        id="id",
        statistics="tables:k=1",
        mechanism=mechanism,
        seed=1,
        policy=policy or None,
    )


@pytest.mark.parametrize("mechanism", ["exact", "gaussian:sigma=0.01"])
def test_five_of_six_ill_are_told_to_the_sixth(mechanism: str) -> None:
    result = audited(["hill"] * 6, ["yes"] * 5 + ["no"], mechanism)
    assert result.verdict == "stop"
    rows = {row.value: row.to_insiders for row in result.report.findings[0].details.judged.known}
    assert rows == {"yes": 5, "no": 0}
    assert "the secrets of 5 people (yes: 5) follow for somebody else in the data" in result.summary()
    assert result.report.findings[0].sentence.endswith(
        "5 secrets follow for somebody else in the data who knows their own."
    )


def test_towns_of_thirty_with_ten_ill_tell_nobody() -> None:
    result = audited(["hill"] * 30, ["yes"] * 10 + ["no"] * 20)
    assert all(row.to_insiders == 0 for row in result.report.findings[0].details.judged.known)


def test_that_others_lack_it_decides_nothing_where_having_it_is_what_hurts() -> None:
    towns, ill = ["hill"] * 30, ["yes"] + ["no"] * 29
    every, named = audited(towns, ill), audited(towns, ill, sensitive=["yes"])
    told = {row.value: row.to_insiders for row in every.report.findings[0].details.judged.known}
    assert told == {"yes": 0, "no": 29}
    assert (every.verdict, named.verdict) == ("stop", "pass")


def known_to_somebody(rows: np.ndarray, truth: np.ndarray) -> set[int]:
    """By writing down every combination of secrets with the same counts."""
    fitting = [
        np.array(other)
        for other in itertools.product((0, 1), repeat=truth.size)
        if np.array_equal(rows @ np.array(other), rows @ truth)
    ]
    told = set()
    for insider in range(truth.size):
        left = np.array([one for one in fitting if one[insider] == truth[insider]])
        told |= {j for j in np.flatnonzero(left.min(axis=0) == left.max(axis=0)) if j != insider}
    sure = {j for j in range(truth.size) if len({one[j] for one in fitting}) == 1}
    return told - sure


def told(rows: np.ndarray, truth: np.ndarray) -> int:
    """What the attack says, and the referee counts."""
    n, answers = truth.size, (rows @ truth).astype(float)
    sizes, nobody = np.ones(n, np.int64), np.zeros(n, np.int64)
    system = LinearSystem(
        SparseRows(sparse.csr_array(rows.astype(float))),
        answers,
        answers,
        answers,
        np.zeros(answers.size),
        "none",
        sizes,
        nobody,
        sizes,
        np.full(n, 0.5),
        np.ones(answers.size, np.bool_),
    )
    systems = settle(Problem(("no", "yes"), (system,), np.arange(n), (answers.size,)), 1.0).systems
    certain = systems[0].least == systems[0].most
    claims = Guesses("id", np.arange(n).astype(str), ("no", "yes"), np.full((n, 2), 0.5), certain, "lp")
    found = told_to_insiders(systems, np.arange(n))
    return int(count_told(replace(claims, to_insiders=found), truth.astype(np.int32)).sum())


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(3, 8), st.integers(2, 3))
def test_what_is_told_is_so_and_one_table_tells_all(seed: int, n: int, levels: int) -> None:
    rng = np.random.default_rng(seed)
    truth, columns = rng.integers(0, 2, n), [rng.integers(0, levels, n), rng.integers(0, 2, n)]
    one, other = (np.stack([column == level for level in np.unique(column)]) for column in columns)
    both = np.concatenate([one, other])
    assert told(one, truth) == len(known_to_somebody(one, truth))
    assert told(both, truth) <= len(known_to_somebody(both, truth))
