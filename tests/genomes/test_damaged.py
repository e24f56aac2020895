"""Damaged and hostile files of genomes: one sentence, nobody named, nothing left behind."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from dalenius.errors import InputError, TooLargeError
from dalenius.genomes.frequencies import read_frequencies
from dalenius.genomes.plink import read_plink, write_plink
from dalenius.genomes.plink_text import read_fields
from dalenius.genomes.printed_columns import header_of
from dalenius.genomes.read import read_genotypes
from dalenius.genomes.variants import Genotypes, Variants
from dalenius.people.traits.traits import coded_from_values

CANARY = "ZQ999"
HEAD = (
    '##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n##contig=<ID=1>\n'
    f"#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t{CANARY}a\t{CANARY}b\n"
)
SITES = "".join(f"1\t{100 + j}\trs{j}\tG\tA\t.\t.\t.\tGT\t0/1\t1/1\n" for j in range(40))


BESIDE = pytest.mark.slow(beside="test_zarr_with_broken_metadata")


def refused(path: Path, *left: str) -> str:
    """The message; only what was there before is there afterwards."""
    with pytest.raises(InputError) as caught:
        read_genotypes(path)
    assert sorted(found.name for found in path.parent.iterdir()) == sorted(left or (path.name,))
    message = str(caught.value)
    assert CANARY not in message
    assert "\n" not in message
    return message


def binary(folder: Path) -> Path:
    cyvcf2 = pytest.importorskip("cyvcf2")
    (folder / "s.vcf").write_text(HEAD + SITES)
    source = cyvcf2.VCF(str(folder / "s.vcf"))
    writer = cyvcf2.Writer(str(folder / "x.bcf"), source, "wb")
    for line in source:
        writer.write_record(line)
    writer.close()
    source.close()
    (folder / "s.vcf").unlink()
    return folder / "x.bcf"


def test_bcf_with_a_broken_block_or_header(tmp_path: Path) -> None:
    path = binary(tmp_path)
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + b"\xff" * 8 + whole[middle + 8 :])
    refused(path)
    head = gzip.decompress(whole)
    for broken in (head[:5] + b"\xff\xff\xff\xff" + head[9:], head[:9] + b"\xff" * 40 + head[49:], head[:20]):
        path.write_bytes(broken)
        refused(path)


def test_vcf_with_a_header_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "x.vcf"
    path.write_bytes(HEAD.encode().replace(b"GT", b"\xff\xfe") + b"\0" * 20)
    refused(path)
    path.write_bytes(HEAD.encode().replace(CANARY.encode() + b"b", b"\xff"))
    refused(path)


def test_a_reader_that_dies_takes_nothing_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that reads ends without a word, as after a crash of compiled code."""
    pytest.importorskip("cyvcf2")
    (tmp_path / "v").mkdir()
    path = tmp_path / "v" / "x.vcf"
    path.write_text(HEAD + SITES)
    dying = tmp_path / "dying"
    dying.write_text("#!/bin/sh\nkill -SEGV $$\n")
    dying.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(dying))
    assert "cannot be read to its end" in refused(path)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    zarr = pytest.importorskip("zarr")
    made = zarr.open_group(str(tmp_path / "x.vcz"), mode="w")
    arrays = {
        "call_genotype": np.ones((40, 2, 2), np.int8),
        "contig_id": np.array(["1"]),
        "sample_id": np.array([f"{CANARY}a", f"{CANARY}b"]),
        "variant_allele": np.array([["G", "A"]] * 40),
        "variant_contig": np.zeros(40, np.int8),
        "variant_position": np.arange(1, 41, dtype=np.int32),
    }
    for name, values in arrays.items():
        kept = values.astype(np.dtypes.StringDType()) if values.dtype.kind == "U" else values
        made.create_array(name, data=kept, chunks=kept.shape)
    return tmp_path / "x.vcz"


@pytest.mark.parametrize(
    "broken",
    [
        lambda whole: "{",
        pytest.param(lambda whole: "[" * 5000, marks=BESIDE),
        lambda whole: whole.replace("int8", "int99"),
        pytest.param(lambda whole: whole.replace('"zarr_format":', '"z":'), marks=BESIDE),
    ],
    ids=["cut", "deep", "type", "key"],
)
def test_zarr_with_broken_metadata(broken: Callable[[str], str], store: Path) -> None:
    notes = store / "call_genotype" / "zarr.json"
    notes.write_text(broken(notes.read_text()))
    refused(store)


def test_zarr_with_broken_blocks(store: Path) -> None:
    notes = store / "call_genotype" / "zarr.json"
    whole = notes.read_text()
    claimed = json.loads(whole)
    claimed["shape"][0] = 10**12
    notes.write_text(json.dumps(claimed))
    assert "must have 40 sites; got 1,000,000,000,000" in refused(store)
    notes.write_text(whole)
    block = next(path for path in (store / "call_genotype" / "c").rglob("*") if path.is_file())
    block.write_bytes(b"\x7f" * 30)
    refused(store)


def test_zarr_that_claims_sites_that_are_not_there(store: Path) -> None:
    for name in ("call_genotype", "variant_allele", "variant_contig", "variant_position"):
        notes = store / name / "zarr.json"
        claimed = json.loads(notes.read_text())
        claimed["shape"][0] = 10**12
        notes.write_text(json.dumps(claimed))
    refused(store)
    for name in ("call_genotype", "variant_allele", "variant_contig", "variant_position"):
        notes = store / name / "zarr.json"
        notes.write_text(notes.read_text().replace(str(10**12), "80"))
    assert "must be there for every site" in refused(store)


def test_frequencies_that_unpack_without_end(tmp_path: Path) -> None:
    path = tmp_path / "f.gz"
    with gzip.open(path, "wb", compresslevel=9) as file:
        for _ in range(130):
            file.write(b"0" * (1 << 20))
    with pytest.raises(TooLargeError, match="must unpack to at most"):
        read_frequencies(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"ID\tALT\tFREQ\nrs1\tA\t0.3\nrs\xff\tA\t0.2\n", "must be UTF-8 text"),
        (b"ID\tALT\tFREQ\tPOS\nrs1\tA\t0.3\tinf\n", "whole numbers"),
        (b"ID\tALT\tFREQ\tOBS_CT\nrs1\tA\t0.3\t1e300\n", "whole numbers"),
        (b"ID\tALT\tFREQ\nrs1\tA\t1e400\n", "must have frequencies in 0 .. 1"),
    ],
)
def test_frequencies_that_are_no_text_or_no_numbers(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "f.tsv").write_bytes(content)
    with pytest.raises(InputError, match=words):
        read_frequencies(tmp_path / "f.tsv")


@pytest.mark.parametrize(
    ("end", "old", "new"),
    [
        (".fam", CANARY.encode(), b"\xff\xfe"),
        (".bim", b"A\t", b"\xff\t"),
        (".bim", b"\t7\t", b"\t" + b"9" * 30 + b"\t"),
    ],
)
def test_plink_files_that_are_no_text(tmp_path: Path, end: str, old: bytes, new: bytes) -> None:
    names = np.array(["rs1", "rs2"])
    values = np.array([[1, 0], [-1, 1]])
    traits = coded_from_values("IID", np.array([f"{CANARY}a", f"{CANARY}b"]), names, values, "genotype")
    known = Variants(names, np.full(2, "1"), np.array([7, 9]), np.full(2, "A"), np.full(2, "G"))
    write_plink(tmp_path / "x.bed", Genotypes(traits, known))
    path = tmp_path / f"x{end}"
    path.write_bytes(path.read_bytes().replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        read_plink(tmp_path / "x.bed")
    assert CANARY not in str(caught.value)


def test_a_line_in_another_encoding_is_refused_before_it_is_printed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "x.bim"
    place.write_bytes(b"1 rs1 0 100 A G\n1 \xff\xcc rs2 0 101 A\n")
    with pytest.raises(InputError, match="must be UTF-8 text"):
        read_fields(place, 6, {1: pa.string()}, "6 fields a variant")
    assert capfd.readouterr().err == ""


def test_a_header_behind_a_line_in_another_encoding(tmp_path: Path) -> None:
    place = tmp_path / "freqs.tsv"
    place.write_bytes(b"## caf\xe9\nid\tfrequency\nrs1\t0.5\n")
    with pytest.raises(InputError, match="must be UTF-8 text"):
        header_of(place)
