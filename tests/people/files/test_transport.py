"""Transport files of SAS: the same people as in CSV; what is cut short or of several tables is refused."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from dalenius.errors import InputError
from dalenius.people.dataset import read
from dalenius.people.files.statistical_child import read_here
from dalenius.people.files.transport import RECORD

CANARY = "ZQ7x"
N = 23
FIRST = datetime.date(1960, 1, 1)
FORMATS = {"born": "DATE9", "seen": "MONYY7", "asked": "MONNAME3"}


def people() -> dict[str, list[Any]]:
    days = [4_000 + 31 * j for j in range(N)]
    return {
        "who": [f"{CANARY}{j}" for j in range(N)],
        "age": [None if j == 3 else 20 + j % 5 for j in range(N)],
        "size": [0.1 + j / 3 for j in range(N)],
        "born": [FIRST + datetime.timedelta(days=day) for day in days],
        "seen": [float(day) for day in days],
        "asked": [float(day) for day in days],
        "ill": ["no" if j % 3 else "yes" for j in range(N)],
    }


def make(path: Path, version: int = 8) -> Path:
    frame = pd.DataFrame(people())
    pyreadstat.write_xport(frame, path, file_format_version=version, variable_format=FORMATS)
    return path


@pytest.mark.parametrize("version", [5, 8])
def test_every_value_is_what_was_written(version: int, tmp_path: Path) -> None:
    got, want = read_here(make(tmp_path / "people.xpt", version)).to_pydict(), people()
    for name in ("seen", "asked"):  # days since 1960 by their format, which SAS shows as a month
        want[name] = want["born"]
    assert got.pop("size") == pytest.approx(want.pop("size"), rel=1e-14)
    assert got == want


def test_the_same_people_as_in_csv(tmp_path: Path) -> None:
    frame = pd.DataFrame(people()).drop(columns=["seen", "asked"]).fillna({"age": 21})
    frame["age"] = frame["age"].astype(int)
    frame.to_csv(tmp_path / "people.csv", index=False)
    pyreadstat.write_xport(frame, tmp_path / "people.xpt", variable_format={"born": "DATE9"})
    opened = [
        read(
            tmp_path / f"people{ending}", secret="ill", id="who", ignored=["size"], how={"by_year": ["born"]}
        )
        for ending in (".xpt", ".csv")
    ]
    got, want = opened
    assert got.schema == want.schema
    assert got.ids().tolist() == want.ids().tolist()
    np.testing.assert_array_equal(got.attributes().codes, want.attributes().codes)


def test_letters_for_missing_numbers_are_missing(tmp_path: Path) -> None:
    """``.A`` to ``.Z`` and ``._`` say why a number is missing."""
    path = make(tmp_path / "people.xpt")
    plain = b"." + bytes(7)
    raw = path.read_bytes()
    assert raw.count(plain) == 1
    for letter in b"A", b"Z", b"_":
        path.write_bytes(raw.replace(plain, letter + bytes(7)))
        ages = read_here(path)["age"].to_pylist()
        assert [j for j, age in enumerate(ages) if age is None] == [3]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda raw: raw[:-100], "must be a whole transport file of SAS; got one cut short"),
        (lambda raw: raw[: -3 * RECORD], "must hold whole rows; got one cut short"),
        (lambda raw: raw + raw[raw.index(b"HEADER RECORD*******MEM") :], "must hold one table; got 2. Write"),
        (
            lambda raw: raw.replace(b"HEADER", b"FOOTER", 1),
            "must be a whole transport file of SAS; got something",
        ),
        (lambda raw: b"**COMPRESSED**" + raw[14:], "got one that PROC CPORT wrote. Write it with a LIBNAME"),
        (lambda raw: b"", "must be a whole transport file of SAS; got something else"),
        (
            lambda raw: raw.replace(b"ZQ7x1 ", b"ZQ\xf6x1 ", 1),
            "must hold text in the encoding .* SAS in UTF-8",
        ),
    ],
    ids=["in a record", "in a row", "two tables", "other", "cport", "empty", "latin-1"],
)
def test_what_is_not_whole_is_refused(damage: Any, message: str, tmp_path: Path) -> None:
    path = make(tmp_path / "people.xpt", 5)
    raw = path.read_bytes()
    path.write_bytes(damage(raw))
    assert path.read_bytes() != raw
    with pytest.raises(InputError, match=message) as caught:
        read_here(path)
    assert CANARY not in str(caught.value)


def test_numbers_of_four_bytes_are_as_they_were_meant(tmp_path: Path) -> None:
    """4.3 that Stata keeps in four bytes is a value 4.3, not 4.300000190734863."""
    frame = pd.DataFrame({"size": np.array([4.3, 4.7, 4.3, 5.1], np.float32), "ill": ["no", "yes"] * 2})
    frame.to_stata(tmp_path / "people.dta", write_index=False)
    with read(tmp_path / "people.dta", secret="ill") as got:
        assert got.schema.public[0].levels == ("4.3", "4.7", "5.1")
