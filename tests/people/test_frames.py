"""Whoever audits from Python may hand over frames, wherever people are asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import dalenius
from dalenius.errors import InputError
from dalenius.people.opening import read_rows
from dalenius.singling_out.game.rounds import GameSettings
from dalenius.singling_out.released.triple import TripleSettings
from dalenius.tracing.case import MembersSettings


def people(n: int, seed: int, d: int = 70) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    answers = {f"x{j}": rng.choice(["no", "yes"], n) for j in range(d)}
    return pd.DataFrame({"key": [f"{seed}-{i}" for i in range(n)], **answers})


def test_members_and_reference_as_frames(tmp_path: Path) -> None:
    members, others = people(40, 1), people(60, 2)
    opened = dalenius.tracing.open_groups(members, others, dalenius.tracing.Opening("key"))
    expected = dalenius.tracing.trace_members(opened.members, opened.reference, how=MembersSettings(rounds=2))
    members.to_csv(tmp_path / "members.csv", index=False)
    for one, two in (
        (members, others),
        (pl.from_pandas(members), others),
        (tmp_path / "members.csv", others),
    ):
        found = dalenius.tracing.trace_members(one, two, id="key", how=MembersSettings(rounds=2))
        assert found.finding == expected.finding
    with pytest.raises(InputError, match="must be a path, a database address, an Arrow table or a frame"):
        dalenius.tracing.trace_members(3, others, id="key")
    with pytest.raises(InputError, match="must have columns in common"):
        dalenius.tracing.trace_members(members, pd.DataFrame({"y": [1, 2]}))


def test_rows_as_frames(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    everybody = pd.DataFrame({"age": rng.integers(20, 60, 900), "zip": rng.choice(["01234", "5678"], 900)})
    original = everybody[:60]
    decade = [f"{age // 10 * 10}-{age // 10 * 10 + 9}" for age in original["age"]]
    released = pd.DataFrame({"age": decade, "zip": original["zip"]})
    expected = dalenius.singling_out.single_out_rows(
        read_rows(released), ["age"], original=read_rows(original), population=read_rows(everybody)
    )
    original.to_csv(tmp_path / "original.csv", index=False)
    for one in (original, pl.from_pandas(original), tmp_path / "original.csv"):
        found = dalenius.singling_out.single_out_rows(released, ["age"], original=one, population=everybody)
        assert found.to_json() == expected.to_json()
    counts = [
        dalenius.singling_out.single_out_counts(source, 20, 4, how=GameSettings(trials=3))
        for source in (everybody, read_rows(everybody))
    ]
    assert counts[0] == counts[1]
    games = [
        dalenius.singling_out.single_out_game(source, 20, "mondrian:k=3", how=GameSettings(trials=3))
        for source in (everybody, read_rows(everybody))
    ]
    assert games[0] == games[1]


def test_three_files_as_frames() -> None:
    rng = np.random.default_rng(6)
    frames = [pd.DataFrame({"a": rng.integers(0, 50, 120), "b": rng.integers(0, 50, 120)}) for _ in range(3)]
    found = dalenius.singling_out.single_out_triple(*frames, how=TripleSettings(attacks=50))
    again = dalenius.singling_out.single_out_triple(*map(read_rows, frames), how=TripleSettings(attacks=50))
    assert found.isolating_json() == again.isolating_json()
