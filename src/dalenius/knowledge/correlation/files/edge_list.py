"""Edge lists as collections of networks hand them out: two numbers per line, blanks between, no names.

Lines that begin with ``#`` or ``%`` say where the list comes from. A file is one of these only if its first
other line begins with two whole numbers: a line of names must never become a link.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np

from dalenius.errors import InputError
from dalenius.people.files.read_file import Source
from dalenius.people.files.reading import check_exists, not_text, open_text
from dalenius.people.files.sheet import Sheet

ENDINGS = (".txt", ".edges", ".edgelist", ".csv", ".tsv")
_TWO_NUMBERS = re.compile(r"\s*\d+[ \t]+\d+(\s|$)")


def read_edge_list(source: Source) -> Sheet | None:
    r"""Read a file without a line of names; its columns are called 1, 2 and so on. None for any other file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "links.txt")
    ...     _ = path.write_text("# FromNodeId ToNodeId\n0 1\n0\t2\n")
    ...     read_edge_list(path).names
    ['1', '2']
    """
    if not isinstance(source, str | os.PathLike):
        return None
    path = Path(source)
    plain = path.name.lower().removesuffix(".gz")
    if not plain.endswith(ENDINGS) or not path.is_file():
        return None
    check_exists(path)
    try:
        return _read(path)
    except UnicodeDecodeError:
        raise not_text(path.name, 1) from None


def _read(path: Path) -> Sheet | None:
    import pyarrow as pa

    rows: list[list[str]] = []
    width = 0
    with open_text(path) as lines:
        for at, line in enumerate(lines, start=1):
            if not line.strip() or line.lstrip()[0] in "#%":
                continue
            if not rows:
                if not _TWO_NUMBERS.match(line):
                    return None
                width = len(line.split())
            fields = line.split()
            if len(fields) != width:
                raise InputError(
                    f"{path.name}, line {at},", f"must have {width} fields like the first", f"{len(fields)}"
                )
            rows.append(fields)
    if not rows:
        return None
    table = np.array(rows)
    return Sheet(path.name, pa.table({str(j + 1): table[:, j] for j in range(width)}), "\t")
