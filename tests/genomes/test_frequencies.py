from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from dalenius.errors import InputError
from dalenius.genomes.associations.read import read_groups
from dalenius.genomes.associations.sizes import StudySizes
from dalenius.genomes.frequencies import Frequencies, read_frequencies, write_frequencies

FRQ = """ CHR         SNP   A1   A2          MAF  NCHROBS
   1         rs1    A    G         0.25      200
   2         rs2    C    T       0.0125      198
"""
AFREQ = "#CHROM\tID\tREF\tALT\tALT_FREQS\tOBS_CT\n1\trs1\tG\tA\t0.25\t200\n2\trs2\tT\tC\t0.0125\t198\n"
CSV = 'rsid,effect_allele,eaf\n"rs1",a,0.25\n"rs2",c,0.0125\n'
BARE = "rs1\tA\t0.25\nrs2\tC\t0.0125\n"


@pytest.mark.parametrize("text", [FRQ, AFREQ, CSV, BARE])
@pytest.mark.parametrize("packed", [False, True])
def test_the_usual_files_say_the_same(tmp_path: Path, text: str, packed: bool) -> None:
    path = tmp_path / "f"
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    found = read_frequencies(path)
    assert found.variants.ids.tolist() == ["rs1", "rs2"]
    assert found.variants.counted.tolist() == ["A", "C"]
    assert found.frequency.tolist() == [0.25, 0.0125]
    if text in (FRQ, AFREQ):
        assert found.variants.other.tolist() == ["G", "T"]
        assert found.variants.chromosomes.tolist() == ["1", "2"]
        assert found.observations is not None
        assert found.observations.tolist() == [200, 198]


def test_writing_and_reading_is_a_round_trip(tmp_path: Path) -> None:
    (tmp_path / "f").write_text(AFREQ)
    found = read_frequencies(tmp_path / "f").take(np.array([1, 0]), np.array([True, False]))
    write_frequencies(tmp_path / "g.tsv", found)
    back = read_frequencies(tmp_path / "g.tsv")
    assert back.frequency.tolist() == [1 - 0.0125, 0.25]
    assert back.variants.counted.tolist() == ["T", "A"]
    assert back.observations is not None
    assert back.observations.tolist() == [198, 200]
    write_frequencies(tmp_path / "h.tsv", Frequencies(found.variants, found.frequency))
    assert read_frequencies(tmp_path / "h.tsv").observations is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BARE.replace("0.25", "1.5"), "frequencies in 0 .. 1; got 1 outside, such as 1.5."),
        ("rs1 A 25\nrs2 C 50\nrs3 T 2.5\n", "look like percent"),
        ("rs1 A 8\nrs2 C 3\nrs3 T 12\n", "divide counts by how many alleles"),
        (BARE.replace("0.25", "-0.1"), "outside, such as -0.1"),
        (BARE.replace("0.25", "nan"), "a frequency for every variant; got 1 without, first variant 1"),
        (FRQ.replace("0.0125", "NA"), "first variant 2"),
        (BARE.replace("0.25", "x"), "must have numbers in the column of frequencies; got text for variant 1"),
        (BARE.replace("rs2", "rs1"), "variant ids that are all different"),
        (AFREQ.replace("0.25", "0.2,0.05"), "several alleles"),
        ("", "an empty file"),
        ("SNP A1 MAF\n", "at least one variant; got none"),
        ("SNP A1\nrs1 A\n", "must have a column of frequency; got 2 columns of other names. Call it maf."),
        ("rs1 0.5\n", "must have columns of id, counted allele and frequency"),
        ("rs1 A 0.5\nrs2 A\n", "3 fields in every line as in the first; got 2 in line 2"),
        ("SNP BP A1 MAF\nrs1 x A 0.1\n", "whole numbers in the column of place"),
    ],
)
def test_broken_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "f").write_text(text)
    with pytest.raises(InputError) as caught:
        read_frequencies(tmp_path / "f")
    assert message in str(caught.value)


def test_a_frequency_of_zero_is_one(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("rs1 A 0\nrs2 A 1\n")
    assert read_frequencies(tmp_path / "f").frequency.tolist() == [0, 1]


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(gzip.compress(BARE.encode())[:-9])
    with pytest.raises(InputError, match="must be"):
        read_frequencies(tmp_path / "f")


TABLE = {
    "CHROM": pa.array([1, 2], pa.int8()),
    "ID": pa.array(["rs1", "rs2"]).dictionary_encode(),
    "COUNTED": ["a", "C"],
    "OTHER": ["G", None],
    "FREQ": pa.array([0.25, 0.0125]),
    "OBS_CT": [200, 198],
}


def in_parquet(folder: Path, **change: Any) -> Path:
    parquet.write_table(pa.table(TABLE | change), folder / "f.parquet")
    return folder / "f.parquet"


def test_parquet_says_the_same(tmp_path: Path) -> None:
    for change in ({}, {"FREQ": ["0.25", "0.0125"]}, {"CHROM": pa.array([1.0, 2.0])}):
        found = read_groups(in_parquet(tmp_path, **change))["everybody"]
        assert found.variants.ids.tolist() == ["rs1", "rs2"]
        assert found.variants.chromosomes.tolist() == ["1", "2"]
        assert found.variants.counted.tolist() == ["A", "C"]
        assert found.variants.other.tolist() == ["G", ""]
        assert found.frequency.tolist() == [0.25, 0.0125]
        assert found.observations is not None
        assert found.observations.tolist() == [200, 198]


def test_summary_statistics_in_parquet(tmp_path: Path) -> None:
    study = pa.table({"SNP": ["rs1"], "A1": ["A"], "A2": ["G"], "F_A": [0.3], "F_U": [0.2], "OR": [1.714]})
    parquet.write_table(study, tmp_path / "s.parquet")
    groups = read_groups(tmp_path / "s.parquet", StudySizes(cases=100, controls=100))
    assert [float(group.frequency[0]) for group in groups.values()] == [0.3, 0.2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"FREQ": [0.25, None]}, "a frequency for every variant; got 1 without"),
        ({"FREQ": [0.25, 1.5]}, "frequencies in 0 .. 1; got 1 outside"),
        ({"FREQ": ["0.25", "x"]}, "numbers in the column of frequencies; got text for variant 2"),
        ({"ID": ["rs1", "rs1"]}, "variant ids that are all different"),
        ({"OBS_CT": ["many", "2"]}, "whole numbers in the column of observations"),
    ],
)
def test_parquet_that_is_wrong_is_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_frequencies(in_parquet(tmp_path, **change))
    assert message in str(caught.value)


def test_parquet_of_other_columns_or_damaged(tmp_path: Path) -> None:
    path = tmp_path / "f.parquet"
    for table, message in (
        (pa.table({"a": [1], "b": [2], "c": [3]}), "must have columns of id, counted allele and frequency"),
        (pa.table({"ID": ["rs1"], "x": [2]}), "must have a column of frequency"),
        (
            pa.table({"ID": pa.array([], pa.string()), "FREQ": pa.array([], pa.float64())}),
            "at least one variant",
        ),
    ):
        parquet.write_table(table, path)
        with pytest.raises(InputError, match=message):
            read_groups(path)
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(InputError, match="a whole Parquet file"):
        read_groups(path)


@pytest.mark.parametrize("text", ["rs1 A 25\nrs2 C 50\nrs3 T 2.5\n", "rs1 A 12\nrs2 C 0\nrs3 T 31\n"])
def test_counts_and_percentages_are_no_noise(text: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_text(text)
    with pytest.raises(InputError, match="divide"):
        read_frequencies(tmp_path / "f", noisy=True)
    (tmp_path / "f").write_text("rs1 A 1.02\nrs2 C -0.01\nrs3 T 0.4\n")
    assert read_frequencies(tmp_path / "f", noisy=True).frequency.tolist() == [1.02, -0.01, 0.4]
