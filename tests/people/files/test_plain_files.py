"""Small tables that people hand over, and files that are whole or not there."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from dalenius.atomic_write import write_files, writing_folder
from dalenius.errors import InputError
from dalenius.people.files.read_file import read_sheet


def written(path, text: str | bytes):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_ids_stay_text(tmp_path):
    table = read_sheet(written(tmp_path / "q.csv", "query,id\n1,007\n1,010\n"))
    assert table.text("id").tolist() == ["007", "010"]
    assert table.names == ["query", "id"]


def test_numbers_may_have_spaces_and_signs(tmp_path):
    table = read_sheet(written(tmp_path / "a.csv", "query,answer\na, 3.5 \nb,-2\nc,1e3\n"))
    assert table.numbers("answer").tolist() == [3.5, -2, 1000]


def test_csv_and_parquet_are_the_same(tmp_path):
    parquet.write_table(pa.table({"query": [1, 2], "answer": [0.5, 7.0]}), tmp_path / "a.parquet")
    written(tmp_path / "a.csv", "query,answer\n1,0.5\n2,7\n")
    for name in ("a.parquet", "a.csv"):
        table = read_sheet(tmp_path / name)
        assert table.text("query").tolist() == ["1", "2"]
        assert np.array_equal(table.numbers("answer"), [0.5, 7])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must start with a line of column names; got an empty file"),
        ("query,answer\n", "must have at least one row below the header; got none"),
        ("query,answer\na,1\nb\n", "line 3, must have 2 fields like the header; got 1"),
        ("query,query\na,1\n", "must have each column name once .*; got column 2 named like column 1"),
        (b"query,answer\n\xff\xfe,1\n", "line 2, must be UTF-8 text"),
    ],
)
def test_broken_files_are_refused(text, message, tmp_path):
    with pytest.raises(InputError, match=message):
        read_sheet(written(tmp_path / "a.csv", text)).text("query")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "query,answer\na,nan\n",
            "must hold finite numbers; got 1 that are empty, NaN or infinite, first in row 1",
        ),
        ("query,answer\na,1\nb,inf\n", "first in row 2"),
        ("query,answer\na,1\nb,\n", "first in row 2"),
        ("query,answer\na,many\n", "column 'answer' must hold numbers; got text in row 1"),
        ("query,anwser\na,1\n", "must have a column 'answer'.*Did you mean 'anwser'"),
    ],
)
def test_answers_that_are_not_numbers_are_refused(text, message, tmp_path):
    with pytest.raises(InputError, match=message):
        read_sheet(written(tmp_path / "a.csv", text)).numbers("answer")


def test_an_empty_name_is_refused(tmp_path):
    with pytest.raises(InputError, match="column 'query' must have no empty values; got 1"):
        read_sheet(written(tmp_path / "a.csv", "query,answer\n,1\nb,2\n")).text("query")


def test_a_file_that_is_not_there_names_the_nearest(tmp_path):
    written(tmp_path / "answers.csv", "x\n1\n")
    with pytest.raises(InputError, match=r"must be a file; got no such file. Did you mean 'answers.csv'"):
        read_sheet(tmp_path / "anwsers.csv")
    with pytest.raises(InputError, match="Check the path"):
        read_sheet(tmp_path / "nowhere" / "answers.csv")


def test_all_files_or_none(tmp_path):
    """The second text cannot be written: the first is not there either, nor the folder that was made."""
    out = tmp_path / "deep" / "out"
    with pytest.raises(UnicodeEncodeError):
        write_files(out, {"a.txt": "fine", "b.txt": "\ud800"})
    assert list(tmp_path.iterdir()) == []
    write_files(out, {"a.txt": "fine"})
    assert (out / "a.txt").read_text() == "fine"


def interrupted(out) -> None:
    with writing_folder(out) as scratch:
        (scratch / "new.txt").write_text("new")
        raise KeyboardInterrupt


def test_what_stops_the_writing_leaves_the_old_folder(tmp_path):
    out = tmp_path / "release"
    with writing_folder(out) as scratch:
        (scratch / "old.txt").write_text("old")
    with pytest.raises(KeyboardInterrupt):
        interrupted(out)
    assert [path.name for path in out.iterdir()] == ["old.txt"]
    assert [path.name for path in tmp_path.iterdir()] == ["release"]
    with writing_folder(out) as scratch:
        (scratch / "new.txt").write_text("new")
    assert [path.name for path in out.iterdir()] == ["new.txt"]


def test_a_place_that_cannot_be_written_is_an_input_error(tmp_path):
    written(tmp_path / "file", "x")
    with pytest.raises(InputError, match="must be a folder that can be written"):
        write_files(tmp_path / "file" / "out", {"a.txt": "a"})
