"""A release survives its folder, and a folder that is not one is refused."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from dalenius.conditions.parse import parse_condition
from dalenius.errors import InputError
from dalenius.matrices.operators import BitRows
from dalenius.mechanisms.base import Promise
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.release import files
from dalenius.release.files import read_release, write_release
from dalenius.release.release import Block, Release
from dalenius.statistics.counts.queries import ConditionCounts
from dalenius.statistics.counts.subsets import HadamardQueries, Subsets, random_subsets
from dalenius.statistics.statistic import Statistic, counted_values
from dalenius.statistics.tables import tables_of

IDS = np.array([f"p{i}" for i in range(11)])
SECRET = Column("ill", Role.SECRET, Kind.CATEGORICAL, ("no", "mild", "söre"))
BITS = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))


def roster(columns: tuple[Column, ...]) -> Roster:
    rng = np.random.default_rng(5)
    codes = [rng.integers(0, len(c.levels), IDS.size) for c in columns]
    table = np.stack(codes, axis=1).astype(np.int32) if codes else np.zeros((IDS.size, 0), np.int32)
    return Roster("id", IDS, CodedColumns(columns, table))


names = st.text(st.characters(exclude_categories=("C",)), min_size=1, max_size=6)
columns = st.lists(
    st.builds(
        lambda name, levels: Column(name, Role.PUBLIC, Kind.CATEGORICAL, tuple(levels)),
        names,
        st.lists(names, min_size=1, max_size=4, unique=True),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda column: column.name,
)


@st.composite
def statistics(draw: st.DrawFn, asked: tuple[Column, ...]) -> Statistic:
    kind = draw(st.sampled_from(["tables", "conditions", "subsets", "random", "hadamard"]))
    if kind == "tables":
        return tables_of(asked, draw(st.integers(0, len(asked))))
    if kind == "conditions":
        column = draw(st.sampled_from(asked))
        level = "'" + column.levels[0].replace("'", "") + "'"
        if level.strip("'") not in column.levels or '"' in column.name or "'" in column.name:
            return tables_of(asked, 1)
        texts = [f'"{column.name}" = {level}', f'not "{column.name}" in ({level})']
        return ConditionCounts(asked, tuple(map(parse_condition, texts)), ("same", "other"))
    if kind == "subsets":
        rows = draw(st.lists(st.lists(st.booleans(), min_size=11, max_size=11), min_size=1, max_size=5))
        dense = np.array(rows, np.bool_)
        return Subsets(IDS, BitRows.from_dense(dense), tuple(f"q {j}" for j in range(len(rows))))
    if kind == "random":
        return random_subsets(
            IDS, draw(st.integers(1, 9)), rng=np.random.default_rng(draw(st.integers(0, 9)))
        )
    return HadamardQueries(IDS)


@st.composite
def releases(draw: st.DrawFn) -> Release:
    asked = tuple(draw(columns))
    secret = draw(st.sampled_from([SECRET, BITS]))
    blocks = []
    for _ in range(draw(st.integers(1, 3))):
        statistic = draw(statistics(asked))
        values = counted_values(statistic, secret.levels)
        rng = np.random.default_rng(draw(st.integers(0, 99)))
        answers = rng.normal(0, 5, (statistic.rows, len(values)))
        answers[rng.random(answers.shape) < 0.2] = np.nan
        blocks.append(Block(statistic, values, answers))
    promise = draw(st.sampled_from([None, Promise(1.0, None, "pure"), Promise(None, 0.5, "zCDP")]))
    return Release(draw(names), secret, tuple(blocks), "gaussian:sigma=5", promise)


@settings(max_examples=60, deadline=None)
@given(releases())
def test_round_trip(release: Release) -> None:
    with tempfile.TemporaryDirectory() as place:
        write_release(release, f"{place}/out")
        again = read_release(f"{place}/out")
        assert [p.name for p in Path(place).iterdir()] == ["out"]
    assert (again.name, again.secret) == (release.name, release.secret)
    assert (again.mechanism, again.promise) == (release.mechanism, release.promise)
    for ours, theirs in zip(release.blocks, again.blocks, strict=True):
        np.testing.assert_array_equal(ours.answers, theirs.answers)
        assert ours.values == theirs.values
        assert list(ours.statistic.labels()) == list(theirs.statistic.labels())
        people = roster(tuple(getattr(ours.statistic, "columns", ())))
        a, b = ours.statistic.operator(people), theirs.statistic.operator(people)
        x = np.arange(11.0)
        np.testing.assert_allclose(a.apply(x), b.apply(x))


def histogram(answers: list[float]) -> Release:
    return Release("r", BITS, (Block(tables_of((), 0), ("no", "yes"), np.array([answers])),), "exact")


def test_read_without_dalenius(tmp_path: Path) -> None:
    dense = np.random.default_rng(1).random((3, 11)) < 0.5
    subsets = Subsets(IDS, BitRows.from_dense(dense), ("a", "b", "c"))
    block = Block(subsets, ("yes",), np.array([[1.0], [np.nan], [4.0]]))
    write_release(Release("r", BITS, (block,)), tmp_path / "out")
    head = json.loads((tmp_path / "out/release.json").read_text())
    assert head["format"] == "dalenius-release"
    assert head["blocks"][0]["statistic"]["kind"] == "subsets"
    answers = parquet.read_table(tmp_path / "out" / head["blocks"][0]["answers"]).to_pydict()
    assert answers == {"query": ["a", "b", "c"], "yes": [1.0, None, 4.0]}
    people = parquet.read_table(tmp_path / "out/people.parquet").to_pydict()["id"]
    for row, bitmap in zip(
        dense, parquet.read_table(tmp_path / "out/members-0.parquet")["members"], strict=True
    ):
        bits = np.unpackbits(np.frombuffer(bitmap.as_py(), np.uint8))[: len(people)]
        assert [p for p, bit in zip(people, bits, strict=True) if bit] == IDS[row].tolist()


def test_a_release_replaces_a_release_but_nothing_else(tmp_path: Path) -> None:
    write_release(histogram([1, 2]), tmp_path / "out")
    write_release(histogram([3, 4]), tmp_path / "out")
    assert read_release(tmp_path / "out").blocks[0].answers.tolist() == [[3, 4]]
    (tmp_path / "mine").mkdir()
    with pytest.raises(InputError, match="must be a new folder or one that holds a release"):
        write_release(histogram([1, 2]), tmp_path / "mine")


def test_interrupted_writing_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_release(histogram([1, 2]), tmp_path / "old")

    def interrupt(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "_write_answers", interrupt)
    for name in ("old", "new"):
        with pytest.raises(KeyboardInterrupt):
            write_release(histogram([3, 4]), tmp_path / name)
    assert [p.name for p in tmp_path.iterdir()] == ["old"]
    assert read_release(tmp_path / "old").blocks[0].answers.tolist() == [[1, 2]]


def test_broken_folders_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(InputError, match=r"must be a folder with a file release\.json"):
        read_release(out)
    write_release(histogram([1, 2]), out)
    head = json.loads((out / "release.json").read_text())

    def refused(match: str, **changes: object) -> None:
        (out / "release.json").write_text(json.dumps(head | changes))
        with pytest.raises(InputError, match=match):
            read_release(out)

    refused("must be of version 1; got 2", version=2)
    refused("must say that its format", format="zip")
    refused("every part", blocks=[{}])
    refused("must be a file in the folder", blocks=[head["blocks"][0] | {"answers": "../x"}])
    refused("must be a known kind", blocks=[head["blocks"][0] | {"statistic": {"kind": "mean"}}])
    refused("must have the columns query, no", blocks=[head["blocks"][0] | {"values": ["no"]}])
    (out / "release.json").write_text("{")
    with pytest.raises(InputError, match="must be JSON"):
        read_release(out)
    (out / "release.json").write_text(json.dumps(head))
    table = pa.table({"query": ["nobody"], "no": [1.0], "yes": [2.0]})
    parquet.write_table(table, out / "answers-0.parquet")
    with pytest.raises(InputError, match="must name the 1 questions"):
        read_release(out)
    (out / "answers-0.parquet").write_text("no")
    with pytest.raises(InputError, match="must be a whole Parquet file"):
        read_release(out)
    (out / "answers-0.parquet").unlink()
    with pytest.raises(InputError, match="The release is not whole"):
        read_release(out)


@pytest.mark.parametrize("damage", [{"levels": [{"no": 1}, "yes"]}, {"name": 7}, {"edges": ["a"]}])
def test_a_column_of_other_things_than_words_is_refused(tmp_path: Path, damage: dict[str, object]) -> None:
    block = Block(tables_of((), 0), BITS.levels, np.array([[7.0, 3.0]]))
    write_release(Release("histogram", BITS, (block,), "exact"), tmp_path / "out")
    head = json.loads((tmp_path / "out" / files.HEAD).read_text())
    head["secret"] |= damage
    (tmp_path / "out" / files.HEAD).write_text(json.dumps(head))
    with pytest.raises(InputError, match="must have every part"):
        read_release(tmp_path / "out")
