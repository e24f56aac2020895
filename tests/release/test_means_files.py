"""What is written reads back, and what cannot be a release of means is refused with its line."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.genomes.frequencies import read_frequencies
from dalenius.genomes.variants import Variants
from dalenius.release.means import MeansRelease
from dalenius.release.means_files import means_of_frequencies, read_means, write_means


def test_frequencies_go_through_a_file_unchanged(tmp_path: Path) -> None:
    names = np.array(["rs1", "rs2"])
    release = MeansRelease("cases", names, np.array([-0.5, 0.123456789]), "genotype", 40, "exact", 0.0)
    variants = Variants(
        np.array(["rs2", "rs1"]),
        np.array(["1", "1"]),
        np.array([9, 5]),
        np.array(["A", "C"]),
        np.array(["G", "T"]),
    )
    write_means(tmp_path / "f.tsv", release, variants)
    read = read_frequencies(tmp_path / "f.tsv")
    assert read.variants.counted.tolist() == ["C", "A"]
    again = means_of_frequencies(read, name="cases", mechanism="exact")
    assert again.means == pytest.approx(release.means, abs=1e-15)
    assert (again.n, again.sigma, again.kind) == (40, 0.0, "genotype")
    with pytest.raises(InputError, match="1 missing: 'rs1'"):
        write_means(tmp_path / "g.tsv", release, variants.take(np.array([0])))
    with pytest.raises(InputError, match="must be given"):
        write_means(tmp_path / "g.tsv", release)


@pytest.mark.parametrize("kind", ["binary", "real"])
def test_other_means_go_through_a_file_unchanged(tmp_path: Path, kind: Literal["binary", "real"]) -> None:
    release = MeansRelease("s", np.array(["a=b", "c"]), np.array([-1.25, 0.7]), kind, 9)
    write_means(tmp_path / "m.tsv", release)
    again = read_means(tmp_path / "m.tsv", release.kind, people=9, mechanism="gaussian:sigma=0.1")
    assert again.means == pytest.approx(release.means, abs=1e-15)
    assert again.sigma == pytest.approx(0.1 if kind == "real" else 0.2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty file"),
        ("name\tmean\na\t0.5\n", "must begin"),
        ("attribute\tmean\na\t0.5\nb 0.1\n", "line 3"),
        ("attribute\tmean\na\tx\n", "line 2"),
        ("attribute\tmean\na\tnan\n", "finite"),
        ("attribute\tmean\n", "at least one"),
        ("attribute\tmean\na\t0.5\na\t0.1\n", "'a' twice"),
    ],
)
def test_files_that_are_no_release_are_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "m.tsv").write_text(text)
    with pytest.raises(InputError, match=said):
        read_means(tmp_path / "m.tsv")
