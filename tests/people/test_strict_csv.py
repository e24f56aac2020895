"""CSV: what is read, and every way a file can be broken, by file, line and what to do."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dalenius.errors import InputError
from dalenius.people.dataset import read
from dalenius.people.engine.engine import fetch
from dalenius.people.opening import open_source


def write(folder: Path, content: str | bytes) -> Path:
    path = folder / "people.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rows(path: Path, **options: object) -> list[dict[str, object]]:
    opened = open_source(path, **options)
    try:
        return fetch(opened.table).to_pylist()
    finally:
        opened.engine.close()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a,b\n1,x\n2,y\n", [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]),
        ("a;b\n1;0.5\n2;7\n", [{"a": 1, "b": 0.5}, {"a": 2, "b": 7.0}]),
        ("a\tb\r\n1\t2\r\n", [{"a": 1, "b": 2}]),
        ("\ufeffa,b\n1,2\n", [{"a": 1, "b": 2}]),
        ("a,b\n1,2\n\n3,4\n\n", [{"a": 1, "b": 2}, {"a": 3, "b": 4}]),
        ('a,b\n"x,""y""\nz",1\n', [{"a": 'x,"y"\nz', "b": 1}]),
        ("a,b\n1,\n,2\n", [{"a": 1, "b": None}, {"a": None, "b": 2}]),
        ("a,b\n#1,NA\n2,3\n", [{"a": "#1", "b": None}, {"a": "2", "b": 3}]),
        ("a,b\nyes,true\nno,2020-01-01\n", [{"a": "yes", "b": "true"}, {"a": "no", "b": "2020-01-01"}]),
        ("a,b\n1,2", [{"a": 1, "b": 2}]),
    ],
)
def test_plain_files_arrive_as_numbers_and_text(
    tmp_path: Path, content: str, expected: list[dict[str, object]]
) -> None:
    assert rows(write(tmp_path, content)) == expected


def test_a_number_far_down_the_file_that_is_text_makes_the_column_text(tmp_path: Path) -> None:
    content = "a,b\n" + "1,2\n" * 30_000 + "x,2\n"
    loaded = rows(write(tmp_path, content))
    assert loaded[0] == {"a": "1", "b": 2}
    assert len(loaded) == 30_001


def test_ids_keep_their_leading_zeros(tmp_path: Path) -> None:
    path = write(tmp_path, "key,ill\n007,no\n7,yes\n12345678901234567890123,no\n")
    with read(path, secret="ill", id="key") as people:
        assert people.ids().tolist() == ["7", "007", "12345678901234567890123"]


def test_gzipped_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "people.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n"))
    assert rows(path) == [{"a": 1, "b": 2}]


BROKEN = [
    ("a,b\n1,2\n3\n", "file 'people.csv', line 3, must have 2 fields like the header; got 1. Quote fields"),
    ("a,b\n1,2,3\n3,4\n", "file 'people.csv', line 2, must have 2 fields like the header; got 3."),
    ("a,b\n1,2,\n3,4,\n", "line 2, must have 2 fields like the header; got 3."),
    ('a,b\n"x\ny",2\n3\n', "line 4, must have 2 fields like the header; got 1."),
    ('a,b\n1,2\nx,"open\n1,2\n', "file 'people.csv', from line 3, must close every quote"),
    (
        b"a,b\n1,2\n\xe9t\xe9,1\n",
        "file 'people.csv', line 3, must be UTF-8 text; got bytes that are not. Save it",
    ),
    ("a,b\n1,2\n".encode("utf-16"), "people.csv, line 1, must be UTF-8 text"),
    ("", "file 'people.csv' must start with a line of column names; got an empty file or line."),
    ("\n1,2\n", "file 'people.csv' must start with a line of column names"),
    ("a,b\n", "file 'people.csv' must have at least one row below the header; got none."),
    ("a,b", "file 'people.csv' must have at least one row below the header; got none."),
    (
        "a,b,a\n1,2,3\n",
        "file 'people.csv' must have each column name once (upper and lower case are the same)",
    ),
    ("a,A\n1,2\n", "got column 2 named like column 1. Rename one of them."),
    ("a,,b\n1,2,3\n", "file 'people.csv' must name every column; got no name for column 2."),
    ("a,b\n1,2\r\n3,4\n", "file 'people.csv' must be plain CSV with one kind of line end"),
]


@pytest.mark.parametrize(("content", "words"), BROKEN)
def test_broken_files_are_refused(tmp_path: Path, content: str | bytes, words: str) -> None:
    with pytest.raises(InputError) as caught:
        rows(write(tmp_path, content))
    assert words in str(caught.value)


cells = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(table=st.lists(st.lists(cells, min_size=2, max_size=4), min_size=1, max_size=8))
def test_a_file_is_loaded_whole_or_refused(tmp_path: Path, table: list[list[str]]) -> None:
    path = tmp_path / "people.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["a", "b"], *table])
    try:
        loaded = rows(path)
    except InputError:
        return
    assert all(len(row) == 2 for row in table)
    assert len(loaded) == len(table)
