"""Several files of genotypes as one, on this machine and by address."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pytest

from dalenius.errors import InputError, MissingExtraError
from dalenius.genomes.plink import read_plink, write_plink
from dalenius.genomes.read import holds_genotypes, read_genotypes
from dalenius.genomes.variants import Genotypes, Variants
from dalenius.people.files import addresses
from dalenius.people.traits import packed_files
from dalenius.people.traits.traits import coded_from_values

PEOPLE, EACH = 50, 300
CHROMOSOMES = ("1", "2", "10", "X")


def values_of(chromosome: str) -> np.ndarray:
    rng = np.random.default_rng(CHROMOSOMES.index(chromosome))
    return rng.choice([-1, 0, 1, np.nan], (PEOPLE, EACH))


def write(folder: Path, chromosome: str, stem: str = "", **other: Any) -> Path:
    ids = other.get("ids", np.array([f"p{i}" for i in range(PEOPLE)]))
    places = np.arange(EACH) + other.get("first", 5)
    names = np.array([f"rs{chromosome}_{place}" for place in places])
    traits = coded_from_values("IID", ids, names, values_of(chromosome)[: ids.size], "genotype")
    variants = Variants(
        other.get("names", names), np.full(EACH, chromosome), places, np.full(EACH, "A"), np.full(EACH, "G")
    )
    path = folder / f"{stem or 'chr' + chromosome}.bed"
    write_plink(path, Genotypes(traits, variants))
    return path


@pytest.fixture
def genome(tmp_path: Path) -> Path:
    for chromosome in CHROMOSOMES:
        write(tmp_path, chromosome)
    return tmp_path


@pytest.fixture
def store(genome: Path) -> str:
    memory = fsspec.filesystem("memory")
    for path in genome.iterdir():
        memory.pipe_file(f"/{genome.name}/{path.name}", path.read_bytes())
    return f"memory://{genome.name}"


def test_files_are_one_in_the_order_of_chromosomes(genome: Path, store: str) -> None:
    everything = np.hstack([values_of(each) for each in CHROMOSOMES])
    tables = np.random.default_rng(7).normal(size=(2, everything.shape[1], 4))
    scores = read_genotypes(genome / "chr*.bed").traits.lookup(tables)
    listed = [str(genome / f"chr{each}.bed") for each in ("X", "10", "1", "2")]
    for place in (genome, f"file://{genome}/chr*.bed", f"{store}/chr*.bed", f"{store}/", listed):
        found = read_genotypes(place)
        assert holds_genotypes(place)
        assert found.notes == ("4 files were read as one.",)
        assert list(dict.fromkeys(found.variants.chromosomes.tolist())) == list(CHROMOSOMES)
        seen = found.traits.values(slice(None))
        assert np.array_equal(seen, everything.astype(np.float32), equal_nan=True)
        assert found.traits.lookup(tables).tobytes() == scores.tobytes()
        counted = found.traits.counts()
        assert np.array_equal(counted[:, 1], (everything == 0).sum(axis=0))


def test_columns_of_all_files_in_any_order(genome: Path, store: str) -> None:
    everything = np.hstack([values_of(each) for each in CHROMOSOMES])
    people, columns = np.array([7, 3]), np.array([900, 3, 1199, 2, 301])
    turned = np.array([True, False, True, False, False])
    expected = np.where(turned, -1, 1) * everything[people][:, columns]
    for place in (genome, f"{store}/chr*.bed"):
        found = read_genotypes(place).take(people).select(columns, turned).traits
        assert np.array_equal(found.values(slice(None)), expected.astype(np.float32), equal_nan=True)


def test_strips_by_address_have_the_same_bits(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = read_genotypes(f"{store}/chr*.bed").traits
    tables = np.random.default_rng(7).normal(size=(2, whole.d, 4)).astype(np.float32)
    before = whole.lookup(tables).tobytes()
    monkeypatch.setattr(packed_files, "STEP_BYTES", 300 * whole.packed.shape[1])
    monkeypatch.setattr(packed_files, "GAP_BYTES", 20)
    assert whole.packed.step(4096) == 256
    assert whole.lookup(tables).tobytes() == before
    some = np.array([0, 1, 40, 41, 900])
    assert np.array_equal(whole.codes(some), whole.codes(slice(None))[some])


def test_a_file_does_not_travel(tmp_path: Path) -> None:
    """Two people of a file, and all of them, are sent as where the file is."""
    people, variants = 4000, 500
    values = np.random.default_rng(1).integers(-1, 2, (people, variants))
    names = np.array([f"rs{j}" for j in range(variants)])
    traits = coded_from_values("IID", np.arange(people).astype(str), names, values, "genotype")
    known = Variants(
        names, np.full(variants, "1"), np.arange(variants) + 1, np.full(variants, "A"), np.full(variants, "G")
    )
    write_plink(tmp_path / "x.bed", Genotypes(traits, known))
    found = read_plink(tmp_path / "x.bed").traits
    found.counts()  # mapped by now
    assert (tmp_path / "x.bed").stat().st_size == 500_003
    assert len(pickle.dumps(found.packed)) < 500
    assert len(pickle.dumps(found.take(np.array([3, 9])))) < 8_000  # names of 500 variants
    back = pickle.loads(pickle.dumps(found.take(np.array([3, 9]))))  # noqa: S301
    assert np.array_equal(back.values(slice(None)), values[[3, 9]])
    (tmp_path / "x.bed").write_bytes(b"another")
    with pytest.raises(InputError, match="wherever work is done; got 7 bytes"):
        pickle.loads(pickle.dumps(found)).counts()  # noqa: S301


def test_parts_of_a_chromosome_are_read_one_after_the_other(tmp_path: Path) -> None:
    write(tmp_path, "2", "b", first=5)
    write(tmp_path, "2", "a", first=1000)
    assert read_genotypes(tmp_path / "*.bed").variants.places[[0, EACH]].tolist() == [5, 1000]


@pytest.mark.parametrize(
    ("chromosome", "change", "message"),
    [
        (
            "2",
            {"ids": np.array([f"q{i}" for i in range(PEOPLE)])},
            "chr2.bed must hold the people of chr1.bed",
        ),
        ("2", {"ids": np.array([f"p{i}" for i in range(PEOPLE - 1)])}, "got 49 people, 0 of them others"),
        ("2", {"ids": np.array([f"p{i}" for i in range(PEOPLE)][::-1])}, "the same people in another order"),
        ("1", {"stem": "copy", "first": 200}, "chr1.bed and copy.bed must not hold the same part"),
        ("2", {"names": np.array([f"rs1_{j + 5}" for j in range(EACH)])}, "got 300 of 300 repeated"),
    ],
)
def test_files_that_are_not_one_are_refused(
    tmp_path: Path, chromosome: str, change: dict[str, Any], message: str
) -> None:
    write(tmp_path, "1")
    write(tmp_path, chromosome, **change)
    with pytest.raises(InputError) as caught:
        read_genotypes(tmp_path / "*.bed")
    assert message in str(caught.value)
    assert "p1" not in str(caught.value)


def test_two_builds_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "1", first=249_000_000)  # beyond chromosome 1 of GRCh38
    write(tmp_path, "10", first=133_700_000)
    assert read_genotypes(tmp_path / "*.bed").traits.d == 2 * EACH
    write(tmp_path, "X", first=155_900_000)  # beyond chromosome X of GRCh37
    with pytest.raises(InputError, match=r"one genome build; got chr1.bed, which fits GRCh37 alone and chrX"):
        read_genotypes(tmp_path / "*.bed")


@pytest.mark.parametrize("end", ["bim", "fam"])
def test_a_missing_file_is_named(genome: Path, store: str, end: str) -> None:
    (genome / f"chr2.{end}").unlink()
    fsspec.filesystem("memory").rm(f"/{genome.name}/chr2.{end}")
    for place in (genome / "chr*.bed", f"{store}/chr*.bed"):
        with pytest.raises(InputError, match=rf"chr2\.{end} must be a file; got no such file"):
            read_genotypes(place)


def test_places_that_hold_nothing_are_refused(tmp_path: Path) -> None:
    for place in (tmp_path / "chr*.bed", "memory://nowhere/chr*.bed"):
        with pytest.raises(InputError, match=r"must stand for files of genotypes; got none"):
            read_genotypes(place)
    with pytest.raises(InputError, match="an empty list"):
        read_genotypes([])
    with pytest.raises(InputError, match="must be PLINK 1 files, to be read by address"):
        read_genotypes("memory://nowhere/x.vcf")


def refuse(*words: object, **named: object) -> None:
    raise PermissionError("key SECRET is not allowed")


def missing(*words: object, **named: object) -> None:
    raise ImportError("no fsspec", name="fsspec")


def test_addresses_that_cannot_be_read(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for place, message in (
        ("s3://bucket/chr*.bed", "whose package is installed; got s3:// without it"),
        ("nowhere://bucket/chr1.bed", "a store that fsspec speaks"),
        ("https://anna:word@host/chr1.bed", "https://host/chr1.bed must hold no name or password"),
    ):
        with pytest.raises(InputError) as caught:
            read_genotypes(place)
        assert message in str(caught.value)
        assert "word@" not in str(caught.value)
    monkeypatch.setattr(fsspec.implementations.memory.MemoryFileSystem, "glob", refuse)
    with pytest.raises(InputError, match=r"must let us read it; got PermissionError") as caught:
        read_genotypes(f"{store}/chr*.bed")
    assert "SECRET" not in str(caught.value)
    monkeypatch.setattr(addresses, "store_of", missing)
    with pytest.raises(MissingExtraError, match=r"dalenius\[remote\]"):
        read_genotypes(f"{store}/chr1.bed")


@pytest.mark.parametrize("broken", ["info", "read"])
def test_a_store_that_fails_in_the_middle_is_no_missing_and_no_damaged_file(
    store: str, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    module = fsspec.implementations.memory
    of = module.MemoryFileSystem if broken == "info" else module.MemoryFile
    monkeypatch.setattr(of, broken, refuse)
    # as stores have it that have none of their own: whatever goes wrong is a no
    monkeypatch.setattr(module.MemoryFileSystem, "isfile", fsspec.AbstractFileSystem.isfile)
    with pytest.raises(InputError, match=r"chr1\.\w+ must let us read it; got PermissionError") as caught:
        read_genotypes(f"{store}/chr1.bed")
    assert "SECRET" not in str(caught.value)


def test_vcf_files_are_one(tmp_path: Path) -> None:
    head = '##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n'
    head += "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n"
    for chromosome, call in (("2", "0/1"), ("1", "1/1")):
        site = f"{chromosome}\t7\trs{chromosome}\tG\tA\t.\t.\t.\tGT\t{call}\t0/0\n"
        (tmp_path / f"c{chromosome}.vcf").write_text(head + site)
    found = read_genotypes(tmp_path / "*.vcf")
    assert found.traits.names.tolist() == ["rs1", "rs2"]
    assert found.traits.values(slice(None)).tolist() == [[1, 0], [-1, -1]]
    assert np.array_equal(read_genotypes(tmp_path).traits.counts(), found.traits.counts())
