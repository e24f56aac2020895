"""PLINK 2 files, where pgenlib is installed; and what is said where it is not."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from dalenius.errors import InputError, MissingExtraError
from dalenius.genomes.read import holds_genotypes, read_genotypes

PVAR = "##source=x\n#CHROM\tPOS\tID\tREF\tALT\tINFO\n"
PVAR += "1\t5\trs1\tG\tA\ta b\n1\t9\trs2\tC\tT,G\t.\nX\t7\t.\tG\tA\t.\n"
PSAM = "#FID\tIID\tSEX\nf\ta\t1\nf\tb\t2\ng\tc\t0\n"
ALLELES = [[0, 1, 1, 1, -9, -9], [0, 1, 1, 2, 2, 2], [0, 0, 0, 1, 1, 1]]


def write(folder: Path) -> Path:
    pgenlib = pytest.importorskip("pgenlib")
    path = folder / "x.pgen"
    with pgenlib.PgenWriter(bytes(path), 3, variant_ct=3, nonref_flags=False, allele_ct_limit=3) as out:
        for alleles in ALLELES:
            out.append_alleles(np.array(alleles, np.int32), allele_ct=3 if max(alleles) == 2 else 2)
    path.with_suffix(".pvar").write_text(PVAR)
    path.with_suffix(".psam").write_text(PSAM)
    return path


def test_genotypes_are_those_of_the_file(tmp_path: Path) -> None:
    found = read_genotypes(write(tmp_path))
    assert found.traits.ids.tolist() == ["a", "b", "c"]
    assert found.traits.names.tolist() == ["rs1", "rs2_T", "rs2_G", "X:7:G:A"]
    expected = [[0, 0, -1, -1], [1, 0, 0, 0], [np.nan, -1, 1, 1]]
    assert np.array_equal(found.traits.values(slice(None)), np.float32(expected), equal_nan=True)
    assert found.variants.counted.tolist() == ["A", "T", "G", "A"]
    assert found.notes == ("1 sites with several alternative alleles were split.",)
    (tmp_path / "x.psam").write_text(PSAM.replace("\tc\t", "\td\t"))
    assert read_genotypes(tmp_path / "*.pgen").traits.ids.tolist() == ["a", "b", "d"]


@pytest.mark.parametrize(
    ("end", "text", "message"),
    [
        (".pvar", PVAR.replace("POS", "PLACE"), "must have a column POS"),
        (".pvar", PVAR.replace("\t5\t", "\tfar\t"), "whole number"),
        (".pvar", PVAR.replace("X\t7\t.\tG\tA\t.\n", ""), "a whole PLINK 2 .pgen file"),
        (".psam", PSAM.replace("IID", "ID"), "must have a column IID"),
        (".psam", PSAM.replace("\tb\t", "\ta\t"), "sample ids that are all different"),
        (".psam", PSAM.replace("g\tc\t0\n", ""), "a whole PLINK 2 .pgen file"),
        (".pgen", "something else", "must be a PLINK 2 .pgen file"),
        (".pgen", "l\x1b\x10 cut", "a whole PLINK 2 .pgen file"),
    ],
)
def test_broken_files_are_refused(tmp_path: Path, end: str, text: str, message: str) -> None:
    path = write(tmp_path)
    path.with_suffix(end).write_text(text)
    with pytest.raises(InputError) as caught:
        read_genotypes(path)
    assert message in str(caught.value)
    assert not (tmp_path / "x.pgen.packed").exists()


def test_without_the_library_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pgenlib", None)
    (tmp_path / "x.pgen").write_bytes(b"l\x1b\x10")
    assert holds_genotypes(tmp_path / "x.pgen")
    with pytest.raises(MissingExtraError, match=r"dalenius\[plink2\]"):
        read_genotypes(tmp_path / "x.pgen")
