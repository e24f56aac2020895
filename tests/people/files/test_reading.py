"""Damaged and hostile files: one error that names the file and nobody in it, in bounded memory."""

from __future__ import annotations

import contextlib
import gzip
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from dalenius.atomic_write import Scratch
from dalenius.errors import InputError, TooLargeError, nearest_column
from dalenius.people.dataset import read
from dalenius.people.files import reading
from dalenius.people.files.read_file import read_sheet

CANARY = "ZQ17x"


def refused(path: Path, call, kind: type[InputError] = InputError) -> str:
    with pytest.raises(kind) as caught:
        call(path)
    message = str(caught.value)
    assert CANARY not in message
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (f"id\n{CANARY}\xe9\n".encode("latin-1"), "line 2, must be UTF-8 text"),
        (f"id\n{CANARY}\n".encode("utf-16"), "line 1, must be UTF-8 text"),
        (f"id\n1\n{CANARY}\0\n".encode(), "line 3, must be UTF-8 text"),
        (gzip.compress(f"id\n{CANARY}\n".encode(), mtime=0)[:-12], "must be a whole gzip file"),
        (b"\x1f\x8b" + CANARY.encode(), "must be a whole gzip file"),
    ],
)
def test_text_that_is_none(content, message, tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    assert message in refused(path, reading.read_text)
    refused(path, read_sheet)


def test_a_small_file_does_not_grow_without_end(tmp_path):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"a" * (reading.FREE_BYTES + (1 << 20)), 9))
    assert "at most 200 times its size" in refused(path, reading.read_text, TooLargeError)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000 + "]" * 100_000, "nesting that is too deep"),
        ('{"a": NaN}', "finite numbers; got NaN"),
        ('{"a": 1e999}', "finite numbers; got one beyond 1e308"),
        ('{"a": ' + "9" * 400 + "}", "finite numbers; got one of 400 digits"),
        ('{"a": ' + "9" * 10_000 + "}", "finite numbers; got one of 10,000 digits"),
        ('{"a": "' + CANARY, "must be JSON; got something else in line 1, column 7"),
    ],
    ids=["deep", "nan", "infinite", "long", "longer", "cut short"],
)
def test_json(text, message, tmp_path):
    path = tmp_path / "a.json"
    path.write_text(text)
    assert message in refused(path, reading.read_json)


def test_toml_that_nests_without_end(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text("a = " + "[" * 100_000 + "]" * 100_000)
    assert "nesting that is too deep" in refused(path, reading.read_toml)


def test_cells_of_csv(tmp_path):
    long = "x" * (reading.MOST_CELL + 1)
    with pytest.raises(InputError, match=r"from line 2, must have at most 131,072 characters in a cell"):
        reading.split_rows("a.csv", f"a,b\n{long},1\n")
    with pytest.raises(InputError, match="from line 3, must close every quote"):
        reading.split_rows("a.csv", f'a,b\n1,2\n"{CANARY},1\n')
    assert reading.split_rows("a.csv", "a;b\r\n1;2\r\n", ";") == [["a", "b"], ["1", "2"]]


def test_every_damaged_byte_of_parquet_is_refused_or_read(tmp_path):
    whole, path = tmp_path / "whole.parquet", tmp_path / "a.parquet"
    parquet.write_table(pa.table({"id": [CANARY] * 20, "x": list(range(20))}), whole)
    content = whole.read_bytes()
    read = 0
    for at in range(0, len(content), 7):
        path.write_bytes(content[:at] + bytes([content[at] ^ 0x41]) + content[at + 1 :])
        with contextlib.suppress(InputError):
            read += reading.read_parquet(path).num_rows > 0
    assert read


def test_numbers_say_the_row_and_keep_the_value_apart(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(f"id,x\na,1\nb,{CANARY}\n")
    with pytest.raises(InputError) as caught:
        read_sheet(path).numbers("x")
    assert "column 'x' must hold numbers; got text in row 2" in str(caught.value)
    assert CANARY not in str(caught.value)
    assert caught.value.value == CANARY


def test_a_file_without_a_header_shows_nobody(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(f"{CANARY},71,yes\nb,72,no\n")
    message = refused(path, lambda p: read_sheet(p).text("id"))
    assert "None of its 3 columns has a name like it: is the first line the header?" in message
    assert nearest_column("client", ["clent", "x"]) == "Did you mean 'clent'?"


def test_a_long_name_takes_neither_time_nor_room():
    error = InputError("a" * 10_000_000, "must be short", "b\nc" * 10_000_000)
    assert len(str(error)) < 3_000
    assert "\n" not in str(error)
    assert "2 columns" in nearest_column("c" * 200_000, ["a", "c" * 200_000])


def test_a_mistake_of_ours_is_not_taken_for_a_damaged_file(tmp_path, monkeypatch):
    """The kinds of error that a wrong program raises, where it is our own code that raises them."""
    (tmp_path / "a.json").write_text("{}")
    monkeypatch.setattr("dalenius.people.files.reading.json.loads", None)  # our line calls nothing
    with pytest.raises(TypeError):
        reading.read_json(tmp_path / "a.json")
    for kind in (KeyError, AttributeError, TypeError, ZeroDivisionError, AssertionError, ValueError):

        def library(text, kind=kind, **options):
            raise kind(CANARY)

        monkeypatch.setattr("dalenius.people.files.reading.json.loads", library)
        assert f"a damaged one ({kind.__name__})" in refused(tmp_path / "a.json", reading.read_json)


def test_a_key_of_many_parts_takes_neither_time_nor_room(tmp_path):
    for text in (
        ".".join("a" * 50_000) + " = 1\n",
        f"[{'.'.join('a' * 50_000)}]\n",
        f"x = {{{'a.' * 50_000}a = 1}}",
    ):
        (tmp_path / "a.toml").write_text(text)
        assert "nesting that is too deep" in refused(tmp_path / "a.toml", reading.read_toml)
    (tmp_path / "a.toml").write_text(f"edges = [{', '.join(['0.5'] * 5_000)}]\na.b.c = 1\n")
    assert reading.read_toml(tmp_path / "a.toml")["a"] == {"b": {"c": 1}}


def test_scratch_of_a_killed_process_goes_with_the_next(tmp_path):
    code = (
        "import os, sys, pathlib; from dalenius.atomic_write import Scratch;"
        "s = Scratch('dalenius-', pathlib.Path(sys.argv[1]));"
        "print(s.path, flush=True); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True)
    left = Path(done.stdout.strip())
    assert left.is_dir()
    with Scratch("dalenius-", tmp_path) as first, Scratch("dalenius-", tmp_path) as second:
        assert not left.exists()
        assert first.path.is_dir()
        assert second.path.is_dir()
    assert not list(tmp_path.iterdir())


def test_what_only_starts_alike_is_somebody_s_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A report in the folder for temporary files went with the next command."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    names = ["dalenius-report", "dalenius-peers", "dalenius-engine-notes", "dalenius-engine-abcdefgh"]
    for name in names:
        (tmp_path / name).mkdir(mode=0o755)
        (tmp_path / name / "kept.txt").write_text("mine")
    for prefix in ("dalenius-", "dalenius-engine-"):
        with Scratch(prefix):
            pass
    (tmp_path / "people.csv").write_text("a,ill\n1,no\n2,yes\n")
    with read(tmp_path / "people.csv", secret="ill"):
        pass
    assert all((tmp_path / name / "kept.txt").exists() for name in names)
