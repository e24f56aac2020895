from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.genomes.plink import read_plink, write_plink
from dalenius.genomes.variants import Genotypes, Variants
from dalenius.people.traits.traits import coded_from_values

BIM = "1 rs1 0 100 A G\n1 rs2 0 200 C T\nX . 0 300 G A\n"
FAM = "f1 a 0 0 1 -9\nf1 b 0 0 2 -9\nf2 c 0 0 0 -9\nf2 d 0 0 0 -9\nf3 e 0 0 0 -9\n"
BED = bytes.fromhex("6c1b01 dc0f e701 5502".replace(" ", ""))


def write(folder: Path, bed: bytes = BED, bim: str = BIM, fam: str = FAM) -> Path:
    (folder / "x.bed").write_bytes(bed)
    (folder / "x.bim").write_text(bim)
    (folder / "x.fam").write_text(fam)
    return folder / "x.bed"


def test_bytes_read_as_the_format_says(tmp_path: Path) -> None:
    # 0xdc = 11 01 11 00: two A1, none, missing, none; 0x0f: none (11) in the lowest bits
    # 0xe7 = 11 10 01 11: none, missing, het, none; 0x01: missing.  0x55: all missing; 0x02: het
    found = read_plink(write(tmp_path))
    expected = [[1, -1, np.nan, -1, -1], [-1, np.nan, 0, -1, np.nan], [np.nan] * 4 + [0]]
    assert np.array_equal(found.traits.values(slice(None)).T, np.float32(expected), equal_nan=True)
    assert found.traits.ids.tolist() == list("abcde")
    assert found.traits.names.tolist() == ["rs1", "rs2", "X:300:A:G"]
    assert found.variants.counted.tolist() == ["A", "C", "G"]
    assert found.variants.places.tolist() == [100, 200, 300]
    assert np.array_equal(read_plink(tmp_path / "x").traits.counts(), found.traits.counts())


def test_writing_and_reading_is_a_round_trip(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    values = rng.choice([-1, 0, 1, np.nan], (13, 31))
    names = np.array([f"rs{j}" for j in range(31)])
    traits = coded_from_values("IID", np.array([f"p{i}" for i in range(13)]), names, values, "genotype")
    alleles = np.array(["A", "C", "G", "T"])
    variants = Variants(
        names, np.full(31, "7"), np.arange(31) + 5, alleles[np.arange(31) % 4], np.full(31, "N")
    )
    flip = rng.random(20) < 0.5
    part = Genotypes(traits, variants).take(np.array([12, 3, 5])).select(np.arange(30, 10, -1), flip)
    write_plink(tmp_path / "y.bed", part)
    back = read_plink(tmp_path / "y")
    assert np.array_equal(back.traits.values(slice(None)), part.traits.values(slice(None)), equal_nan=True)
    for name in ("ids", "chromosomes", "places", "counted", "other"):
        assert getattr(back.variants, name).tolist() == getattr(part.variants, name).tolist()
    assert back.variants.counted[flip].tolist() == ["N"] * int(flip.sum())
    assert [path.name for path in tmp_path.glob(".writing*")] == []


@pytest.mark.parametrize(
    "number",
    [2, pytest.param(15, marks=pytest.mark.slow(beside="test_writing_that_is_ended_leaves_nothing")), 9],
)
def test_writing_that_is_ended_leaves_nothing(tmp_path: Path, number: int) -> None:
    """Interrupted or ended it cleans up; killed outright, the next to write does."""
    code = (
        "import os, sys, numpy as np\n"
        "from dalenius.cli import main\n"
        "from dalenius.genomes import plink\n"
        "from dalenius.genomes.variants import Genotypes, Variants\n"
        "from dalenius.people.traits.traits import coded_from_values\n"
        "import signal\n"
        "signal.signal(signal.SIGTERM, main._end)\n"
        "names = np.array(['rs1'])\n"
        "traits = coded_from_values('IID', np.array(['a', 'b']), names, np.array([[1], [0]]), 'genotype')\n"
        "known = Variants(names, names, np.array([7]), np.array(['A']), np.array(['G']))\n"
        "number = int(sys.argv[2])\n"
        "plink.pack = lambda codes: os.kill(os.getpid(), number)\n"
        "plink.write_plink(sys.argv[1] + '/x.bed', Genotypes(traits, known))\n"
    )
    words = [sys.executable, "-c", code, str(tmp_path), str(number)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode in (-number, 143, 130), done.stderr
    assert len(list(tmp_path.iterdir())) == (number == 9)
    write_plink(tmp_path / "y.bed", read_plink(write(tmp_path)))
    assert not list(tmp_path.glob(".writing*"))


def test_ids_that_repeat_take_the_family_with_them(tmp_path: Path) -> None:
    found = read_plink(write(tmp_path, fam=FAM.replace(" c ", " a ")))
    assert found.traits.ids.tolist() == ["f1_a", "f1_b", "f2_a", "f2_d", "f3_e"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"bed": BED[:-1]},
            "must have 9 bytes for 3 variants x 5 people; got 8 bytes. The file is cut short",
        ),
        ({"bed": BED + b"x"}, "got 10 bytes. The file is too long"),
        (
            {"bed": b"\x6c\x1b\x00" + BED[3:]},
            "must be variant-major; got a sample-major file. Convert it with",
        ),
        ({"bed": b"\x6c\x1b\x10" + BED[3:]}, "plink2 .pgen"),
        ({"bed": b"\x1f\x8b\x08" + BED[3:]}, "a gzip file"),
        ({"bed": b"PK\x03" + BED[3:]}, "begins with 50 4b 03"),
        ({"bed": b""}, "an empty file"),
        ({"fam": ""}, "an empty file"),
        ({"bim": ""}, "an empty file"),
        ({"bim": BIM.replace("rs2", "rs1")}, "variant ids that are all different; got 1 of 2 repeated"),
        ({"fam": FAM.replace("f1 b", "f1 a")}, "sample ids that are all different"),
        ({"bim": BIM.replace("0 200 C", "200 C")}, "5 fields in line 2"),
        ({"bim": BIM.replace("200", "far")}, "whole number"),
    ],
)
def test_broken_files_are_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = write(tmp_path, **change)
    with pytest.raises(InputError) as caught:
        read_plink(path)
    assert message in str(caught.value)


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "x.fam").unlink()
    with pytest.raises(InputError, match=r"x\.fam must be a file"):
        read_plink(tmp_path / "x.bed")
