from __future__ import annotations

import gzip
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius.errors import InputError, MissingExtraError
from dalenius.genomes.converted import vcf
from dalenius.genomes.read import read_genotypes

HEAD = (
    "##fileformat=VCFv4.2\n##contig=<ID=1>\n##contig=<ID=X>\n"
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
    '##FORMAT=<ID=DP,Number=1,Type=Integer,Description="Depth">\n'
    "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\n"
)
SITES = (
    "1\t100\trs1\tG\tA\t.\t.\t.\tGT:DP\t0/0:3\t0|1:4\t1/1:5\n"
    "1\t200\t.\tC\tT\t.\t.\t.\tGT\t./.\t1|1\t0|0\n"
    "1\t300\trs3\tC\tT,G\t.\t.\t.\tGT\t0/1\t1/2\t2/2\n"
    "1\t400\trs4\tC\t<DEL>\t.\t.\t.\tGT\t0/1\t0/0\t0/0\n"
    "1\t500\trs5\tC\t.\t.\t.\t.\tGT\t0/0\t0/0\t0/0\n"
    "X\t600\trs6\tC\tA\t.\t.\t.\tGT\t1\t0\t./1\n"
)
AGAIN = "X\t700\trs1\tC\tA\t.\t.\t.\tGT\t1\t0\t0/1\n"
EXPECTED = {
    "rs1": [-1, 0, 1],
    "1:200:C:T": [np.nan, 1, -1],
    "rs3_T": [0, 0, -1],
    "rs3_G": [-1, 0, 1],
    "rs6": [1, -1, np.nan],
}


def bgzip(text: str) -> bytes:
    """One block of bgzip and the empty one, from the format's description."""
    data = text.encode()
    squeeze = zlib.compressobj(6, zlib.DEFLATED, -15)
    packed = squeeze.compress(data) + squeeze.flush()
    head = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0" + struct.pack("<H", len(packed) + 25)
    return head + packed + struct.pack("<II", zlib.crc32(data), len(data)) + vcf.END


def check(found: Any) -> None:
    assert found.traits.ids.tolist() == ["a", "b", "c"]
    values = dict(zip(found.traits.names.tolist(), found.traits.values(slice(None)).T, strict=True))
    assert list(values) == list(EXPECTED)
    for name, expected in EXPECTED.items():
        assert np.array_equal(values[name], np.float32(expected), equal_nan=True), name
    assert found.variants.counted.tolist() == ["A", "T", "T", "G", "A"]
    assert found.variants.other.tolist() == ["G", "C", "C", "C", "C"]
    assert found.notes == (
        "1 sites with several alternative alleles were split.",
        "2 sites or alleles that name no sequence were dropped.",
    )


@pytest.fixture(params=[True, False], ids=["cyvcf2", "text"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param:
        pytest.importorskip("cyvcf2")
    else:
        monkeypatch.setitem(sys.modules, "cyvcf2", None)


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("x.vcf", marks=pytest.mark.slow(beside="test_vcf_is_read_alike_by_both_readers")),
        "x.vcf.gz",
    ],
)
def test_vcf_is_read_alike_by_both_readers(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(bgzip(HEAD + SITES) if name.endswith("gz") else (HEAD + SITES).encode())
    check(read_genotypes(path))
    check(read_genotypes(path))
    dropped = read_genotypes(path, several="drop", cache=tmp_path / "elsewhere")
    assert dropped.traits.names.tolist() == ["rs1", "1:200:C:T", "rs6"]
    assert "1 sites with several alternative alleles were dropped." in dropped.notes


@pytest.mark.usefixtures("reader")
def test_an_id_that_stands_twice_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    path = tmp_path / "x.vcf"
    path.write_text(HEAD + SITES + AGAIN)
    with pytest.raises(
        InputError, match=r"x.vcf must have variant ids that are all different; got 1 of 5 repeated. Rename"
    ):
        read_genotypes(path)
    assert [found.name for found in tmp_path.iterdir()] == ["x.vcf"]


def test_a_conversion_is_made_once_and_again_when_the_source_changes(tmp_path: Path) -> None:
    path = tmp_path / "x.vcf"
    path.write_text(HEAD + SITES)
    read_genotypes(path)
    bed = tmp_path / "x.vcf.packed" / "genotypes.bed"
    made = bed.stat().st_mtime_ns
    assert read_genotypes(path).traits.d == 5
    assert bed.stat().st_mtime_ns == made
    path.write_text(HEAD + SITES.splitlines()[0] + "\n")
    assert read_genotypes(path).traits.d == 1


def test_bcf_is_read_with_cyvcf2_and_refused_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cyvcf2 = pytest.importorskip("cyvcf2")
    (tmp_path / "x.vcf").write_text(HEAD + SITES)
    source = cyvcf2.VCF(str(tmp_path / "x.vcf"))
    writer = cyvcf2.Writer(str(tmp_path / "x.bcf"), source, "wb")
    for line in source:
        writer.write_record(line)
    writer.close()
    check(read_genotypes(tmp_path / "x.bcf"))
    monkeypatch.setitem(sys.modules, "cyvcf2", None)
    with pytest.raises(MissingExtraError, match="reading BCF needs the package cyvcf2"):
        read_genotypes(tmp_path / "x.bcf", cache=tmp_path / "new")


def test_zarr_says_the_same_as_vcf(tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    store = zarr.open_group(str(tmp_path / "x.vcz"), mode="w")
    calls = np.array(
        [
            [[0, 0], [0, 1], [1, 1]],
            [[-1, -1], [1, 1], [0, 0]],
            [[0, 1], [1, 2], [2, 2]],
            [[0, 1], [0, 0], [0, 0]],
            [[0, 0], [0, 0], [0, 0]],
            [[1, -2], [0, -2], [-1, 1]],
        ],
        np.int8,
    )
    alleles = ["G A ", "C T ", "C T G", "C <DEL> ", "C  ", "C A "]
    arrays = {
        "call_genotype": calls,
        "contig_id": np.array(["1", "X"]),
        "sample_id": np.array(["a", "b", "c"]),
        "variant_allele": np.array([each.split(" ") for each in alleles]),
        "variant_contig": np.array([0, 0, 0, 0, 0, 1], np.int8),
        "variant_position": np.arange(100, 700, 100, dtype=np.int32),
        "variant_id": np.array(["rs1", ".", "rs3", "rs4", "rs5", "rs6"]),
    }
    for name, values in arrays.items():
        chunks = (3, *values.shape[1:]) if name == "call_genotype" else values.shape
        if values.dtype.kind == "U":
            values = values.astype(np.dtypes.StringDType())
        store.create_array(name, data=values, chunks=chunks)
    check(read_genotypes(tmp_path / "x.vcz"))


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.vcf.gz", gzip.compress((HEAD + SITES).encode()), "must be compressed with bgzip; got plain gzip"),
        ("x.vcf.gz", bgzip(HEAD + SITES)[:-28], "cut short"),
        ("x.vcf", HEAD.replace("\tFORMAT\ta\tb\tc", "").encode(), "must hold genotypes of people"),
        ("x.vcf", HEAD.encode(), "must have at least one variant with two alleles; got 0 sites"),
        ("x.vcf", HEAD.replace("\tb\t", "\ta\t").encode(), "sample ids that are all different"),
        ("x.vcf", b"id,sex\n1,2\n", "must be a VCF or BCF file"),
        ("x.txt", b"id,sex\n1,2\n", "must be a file of genotypes; got the ending '.txt'"),
    ],
)
def test_broken_files_are_refused(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_genotypes(tmp_path / name)
    assert message in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("site", "message"),
    [
        ("1\t100\trs1\tG\tA\t.\t.\t.\tGT\t0/0\t0/1\n", "12 fields a site; got 11 fields in site 1"),
        ("1\t100\trs1\tG\tA\t.\t.\t.\tDP\t3\t4\t5\n", "first, genotypes (GT)"),
        ("1\t100\trs1\tG\tA\t.\t.\t.\tGT\t0/0/1\t0/0/0\t0/0/0\n", "one or two alleles"),
    ],
)
def test_broken_sites_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, site: str, message: str
) -> None:
    monkeypatch.setitem(sys.modules, "cyvcf2", None)
    (tmp_path / "x.vcf").write_text(HEAD + site)
    with pytest.raises(InputError) as caught:
        read_genotypes(tmp_path / "x.vcf")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "site",
    [
        "1\t300\trs9\tG\tA\t.\t.\t.\tGT\t0/0\t0/1\n",
        "1\t300\trs9\tG\tA\t.\t.\t.\tGT\tx/y\t0/1\t0/1\n",
        "1\t300\trs9\tG\tA\t.\t.\t.\tDP\t3\t4\t5\n",
    ],
    ids=["a person too few", "no numbers", "no genotypes"],
)
def test_what_the_other_reader_gives_up_on_is_said_in_words(tmp_path: Path, site: str) -> None:
    pytest.importorskip("cyvcf2")
    fields = [f'##FORMAT=<ID={name},Number=1,Type=String,Description="x">' for name in ("GT", "DP")]
    first, _, rest = HEAD.partition("\n")
    head = "\n".join([first, "##contig=<ID=1>", *fields, rest])
    (tmp_path / "x.vcf").write_text(head + site)
    with pytest.raises(InputError, match=r"genotype \(GT\) of everybody in each site; got .* in site 1"):
        read_genotypes(tmp_path / "x.vcf")
    assert [path.name for path in tmp_path.iterdir()] == ["x.vcf"], "nothing half converted stays"


def test_a_folder_that_is_no_store_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    with pytest.raises(InputError, match="no such folder"):
        read_genotypes(tmp_path / "x.zarr")
    (tmp_path / "x.zarr").mkdir()
    with pytest.raises(InputError, match="must be a Zarr store"):
        read_genotypes(tmp_path / "x.zarr")
