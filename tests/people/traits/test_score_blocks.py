"""Blocks of a pass: the same bits whoever does them, and only where values are travels."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from distributed import LocalCluster

from dalenius.people.traits import score_blocks
from dalenius.people.traits.packed_files import CHUNK, PackedFile, PackedFiles
from dalenius.people.traits.score_blocks import ScoreBlock, cut
from dalenius.people.traits.traits import CodedTraits
from dalenius.people.traits.two_bits import pack
from dalenius.spread import places
from dalenius.spread.parts import keeping
from dalenius.spread.places import working

PEOPLE, ATTRIBUTES = 40, 10_000


@pytest.fixture
def traits(tmp_path: Path) -> CodedTraits:
    """Two files, of which every column but one is used, two in another order."""
    rng = np.random.default_rng(1)
    files = []
    for name, size in (("a", 7_000), ("b", ATTRIBUTES - 7_000)):
        packed = pack(rng.integers(0, 4, (size, PEOPLE)).astype(np.uint8))
        (tmp_path / name).write_bytes(packed.tobytes())
        files.append(PackedFile(str(tmp_path / name), 0, size, packed.shape[1]))
    ids, names = np.arange(PEOPLE).astype(str), np.arange(ATTRIBUTES).astype(str)
    whole = CodedTraits("id", ids, names, "genotype", PackedFiles(tuple(files)))
    columns = np.arange(1, ATTRIBUTES)
    columns[[3, 9_000]] = columns[[9_000, 3]]
    return whole.select(columns, np.arange(columns.size) % 5 == 0)


@pytest.fixture
def tables(traits: CodedTraits) -> np.ndarray:
    return np.random.default_rng(2).normal(size=(2, traits.d, 4))


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FEW", "SHARED", "LOOKUPS"):
        monkeypatch.setattr(score_blocks, name, 1)


def brute_force(traits: CodedTraits, tables: np.ndarray) -> np.ndarray:
    codes = traits.codes(slice(None))
    return np.stack([table[np.arange(traits.d)[:, None], codes].sum(axis=0) for table in tables], axis=1)


@pytest.mark.usefixtures("shared")
def test_a_cluster_gives_the_same_bits(traits: CodedTraits, tables: np.ndarray) -> None:
    here, counts = traits.lookup(tables), traits.counts()
    assert np.allclose(here, brute_force(traits, tables))
    kept = []
    for workers in (1, 2, 3):
        size: dict[str, Any] = {"n_workers": workers, "threads_per_worker": 1, "processes": False}
        quiet: dict[str, Any] = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "silence_logs": 50}
        with (
            LocalCluster(protocol="tcp", **size, **quiet) as cluster,
            working(cluster=cluster.scheduler_address),
        ):
            assert len(cluster.workers) == workers
            kept.append(traits.lookup(tables).tobytes())
            assert np.array_equal(traits.counts(), counts)
    assert set(kept) == {here.tobytes()}


def spread_by(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Do blocks as others would get them: sent, and in another order; how large they are."""
    sent: list[int] = []

    def spread(task: Callable[[Any], Any], blocks: Any, *, workers: int) -> Any:
        done = {}
        for at in reversed(range(len(blocks))):
            told = pickle.dumps(blocks[at])
            sent.append(len(told))
            done[at] = task(pickle.loads(told))  # noqa: S301
        yield from (done[at] for at in range(len(blocks)))

    monkeypatch.setattr(score_blocks, "spread_out", spread)
    monkeypatch.setattr(places, "spread_out", spread)
    return sent


@pytest.mark.usefixtures("shared")
def test_only_where_values_are_travels(
    traits: CodedTraits, tables: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, counts = traits.lookup(tables), traits.counts()
    sent = spread_by(monkeypatch)
    with working(workers=2):
        assert traits.lookup(tables).tobytes() == here.tobytes()
        assert np.array_equal(traits.counts(), counts)
    numbers = 2 * 4096 * 4 * 8
    assert len(sent) == 6  # three blocks each
    assert max(sent) < numbers + 8 * 4096 + 4096 + 2_000  # rows of a block, turned or not, and addresses
    plain = CodedTraits("id", traits.ids, np.arange(ATTRIBUTES).astype(str), "genotype", traits.packed)
    sent.clear()
    with working(workers=2):
        plain.counts()
        two = plain.take(np.array([3, 9]))
        two.counts()
    assert max(sent) < 1_200  # (addresses, first, how many, people): not one genotype


def test_few_people_are_scored_here(
    traits: CodedTraits, tables: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = spread_by(monkeypatch)
    with working(workers=2):
        traits.lookup(tables)
        traits.counts()
    assert sent == []


@pytest.mark.usefixtures("shared")
def test_a_long_pass_goes_on_where_it_was(
    traits: CodedTraits, tables: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(score_blocks, "LONG", 1)
    here, done = traits.lookup(tables), []
    whole = score_blocks.do_block

    def counted(block: ScoreBlock) -> Any:
        done.append(block.rows.first)
        if len(done) == 3:
            raise KeyboardInterrupt
        return whole(block)

    monkeypatch.setattr(score_blocks, "do_block", counted)
    with pytest.raises(KeyboardInterrupt), keeping(tmp_path / "out", {"a": "1"}):
        traits.lookup(tables)
    with keeping(tmp_path / "out", {"a": "1"}):
        assert traits.lookup(tables).tobytes() == here.tobytes()
        assert len(done) == 4  # the third again, and nothing else
        other = traits.lookup(2 * tables)
    assert np.allclose(other, 2 * here)
    assert len(done) == 7  # other numbers are other work
    assert not list((tmp_path / "out").iterdir())


def test_blocks_depend_on_sizes_alone() -> None:
    assert [part.stop for part in cut(300_000, 1)] == [131_072, 262_144, 300_000]
    assert len(list(cut(1_000_000, 20_480 * 2))) == 8
    assert len(list(cut(10_000_000, 500_000 * 8))) == 272  # not thousands of results of half a million people
    with working(workers=3):
        assert len(list(cut(1_000_000, 20_480 * 2))) == 8


def test_files_give_the_bits_of_memory_and_are_not_copied_where_one_ends(
    traits: CodedTraits, tables: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A strip that lies in two files is cut between sums: only those in which a file ends are copied."""
    assert isinstance(traits.packed, PackedFiles)
    packed = np.concatenate([part.map() for part in traits.packed.parts])
    held, copied = PackedFiles.held, []

    def seen(self: PackedFiles, rows: np.ndarray) -> Any:
        found, places = held(self, rows)
        copied.append(len(found) if found.base is None else 0)
        return found, places

    monkeypatch.setattr(PackedFiles, "held", seen)
    for precision in (np.float64, np.float32):
        numbers = tables.astype(precision)
        assert traits.lookup(numbers).tobytes() == replace(traits, packed=packed).lookup(numbers).tobytes()
    assert 0 < max(copied) <= CHUNK
