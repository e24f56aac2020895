from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from dalenius.errors import InputError
from dalenius.records.trait_tables import read_traits
from dalenius.records.traits import CodedTraits, RealTraits


def write(folder: Path, text: str) -> Path:
    (folder / "x.csv").write_text(text)
    return folder / "x.csv"


def test_columns_are_what_their_values_say(tmp_path: Path) -> None:
    found = read_traits(write(tmp_path, "id,smokes,ill,eyes\na,Yes,1,blue\nb,no,0,brown\nc,,1, green \n"))
    assert isinstance(found, CodedTraits)
    assert found.ids.tolist() == ["a", "b", "c"]
    assert found.names.tolist() == ["smokes", "ill", "eyes=blue", "eyes=brown", "eyes=green"]
    expected = [[1, 1, 1, -1, -1], [-1, -1, -1, 1, -1], [np.nan, 1, -1, -1, 1]]
    assert np.array_equal(found.values(slice(None)), np.float32(expected), equal_nan=True)


def test_numbers_make_all_of_it_real(tmp_path: Path) -> None:
    table = pa.table({"x": [0.5, None, -2.0], "who": ["a", "b", "c"], "ill": [True, False, None]})
    parquet.write_table(table, tmp_path / "x.parquet")
    found = read_traits(tmp_path / "x.parquet", id_name="who")
    assert isinstance(found, RealTraits)
    assert found.names.tolist() == ["ill", "x"]
    assert np.array_equal(found.table, [[1, 0.5], [-1, np.nan], [np.nan, -2]], equal_nan=True)


def test_copies_of_alleles(tmp_path: Path) -> None:
    found = read_traits(write(tmp_path, "id,rs1,rs2\na,0,2\nb,1,\n"), kind="genotype")
    assert found.kind == "genotype"
    assert np.array_equal(found.values(slice(None)), np.float32([[-1, 1], [0, np.nan]]), equal_nan=True)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("id,x\na,1\na,0\n", "auto", "must name every person once; got 1 repeated"),
        ("id\na\n", "auto", "a column besides the names"),
        ("id,x\na,\nb,\n", "auto", "nothing but empty cells"),
        ("id,x\na,3\n", "genotype", "must hold 0, 1 or 2 copies; got 1 other"),
        (
            "id,x\n" + "".join(f"{i},v{i}\n" for i in range(101)),
            "auto",
            "at most 100 different values; got 101",
        ),
    ],
)
def test_broken_tables_are_refused(tmp_path: Path, text: str, kind: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_traits(write(tmp_path, text), kind=kind)
    assert message in str(caught.value)
