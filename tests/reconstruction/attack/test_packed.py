"""Decoding from packed bits and from implicit tables: nothing of the matrix's size is written out."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from dalenius.matrices.operators import BitRows, Operator, SingleBitRows
from dalenius.matrices.tables import TableRows
from dalenius.reconstruction.attack.decoders import box, least_squares, lp
from dalenius.reconstruction.attack.system.system import LinearSystem


def forbid_writing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: object) -> None:
        raise AssertionError("the matrix was written out")

    monkeypatch.setattr(least_squares, "DENSE_LIMIT", 0)
    for kind in (BitRows, SingleBitRows, TableRows):
        monkeypatch.setattr(kind, "explicit", refuse)
    monkeypatch.setattr(BitRows, "rows", refuse)


def noisy(A: Operator, noise: float, seed: int) -> tuple[LinearSystem, np.ndarray]:
    answers, people = A.shape
    rng = np.random.default_rng(seed)
    secret = rng.integers(0, 2, people)
    centre = A.apply(secret.astype(np.float64)) + noise * rng.standard_normal(answers)
    ones = np.ones(people, np.int64)
    system = LinearSystem(
        A,
        centre,
        np.full(answers, -np.inf),
        np.full(answers, np.inf),
        np.full(answers, noise),
        "gaussian",
        ones,
        0 * ones,
        ones,
        np.full(people, 0.5),
        np.ones(answers, np.bool_),
    )
    return system, secret


@pytest.fixture
def subsets() -> tuple[LinearSystem, np.ndarray]:
    packed = np.random.default_rng(1).integers(0, 256, (6_404, 201), np.uint8)
    return noisy(BitRows(packed, 1_601), 5.0, 2)


@pytest.fixture
def tables() -> tuple[LinearSystem, np.ndarray]:
    codes = np.random.default_rng(3).integers(0, 2, (600, 60), dtype=np.int32)
    return noisy(TableRows(codes, [2] * 60, list(combinations(range(60), 2))), 3.0, 4)


@pytest.mark.parametrize("decoder", [least_squares, box, lp])
@pytest.mark.parametrize("release", ["subsets", "tables"])
def test_decoders_never_write_the_matrix_out(
    decoder: object, release: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    system, secret = request.getfixturevalue(release)
    forbid_writing_out(monkeypatch)
    found = decoder.decode(system, rng=np.random.default_rng(5))
    assert ((found.share >= 0.5) == secret).mean() > 0.98


def test_memory_stays_near_that_of_the_packed_bits(
    subsets: tuple[LinearSystem, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    system, _ = subsets
    monkeypatch.setattr(least_squares, "DENSE_LIMIT", 0)
    packed = system.A.packed.nbytes
    least_squares.solve(system, np.ones(system.centre.size))  # whatever is loaded once is loaded here
    tracemalloc.start()
    least_squares.solve(system, np.ones(system.centre.size))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (
        peak < 1.6 * packed
    )  # the packed transpose and a few vectors; unpacked it is 8 times, as float64 64


def test_unknown_noise_of_one_size_is_solved_once(subsets, monkeypatch: pytest.MonkeyPatch) -> None:
    system, secret = subsets
    monkeypatch.setattr(least_squares, "DENSE_LIMIT", 0)
    calls = []
    solver = least_squares.cgls
    monkeypatch.setattr(least_squares, "cgls", lambda *a, **k: calls.append(1) or solver(*a, **k))
    unknown = replace(system, sd=np.full_like(system.sd, np.nan), shape="unknown")
    found = least_squares.decode(unknown, rng=np.random.default_rng(1))
    assert len(calls) == 1
    assert ((found.share >= 0.5) == secret).mean() > 0.98
    assert float(found.notes[-1].split()[-1]) == pytest.approx(5.0, rel=0.1)
