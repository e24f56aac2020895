"""Traits from a CSV or Parquet table of people: what each column is, is seen from its values."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.records.columns import CodedColumns
from dalenius.records.files import PlainTable, read_plain
from dalenius.records.schema import MISSING, Column, Kind, Role
from dalenius.records.trait_columns import traits_of_columns
from dalenius.records.traits import Traits, coded_from_values

ANSWERS = {"0": 0, "no": 0, "false": 0, "n": 0, "-1": 0, "1": 1, "yes": 1, "true": 1, "y": 1}
"""What counts as no and as yes, in small letters."""

LEVELS = 100
"""Different values up to which a column of text is a category."""


def read_traits(
    path: str | Path, *, id_name: str | None = None, kind: Literal["auto", "genotype"] = "auto"
) -> Traits:
    """Read a table with one row a person.

    Columns of yes and no, or of 0 and 1, become one attribute each; text becomes one attribute a level; other
    numbers stay numbers, and make all of the traits real-valued. Empty cells are missing.

    Parameters
    ----------
    path
        CSV or Parquet.
    id_name
        The column of names; not given, the first one.
    kind
        ``genotype``: every other column holds 0, 1 or 2 copies.

    Raises
    ------
    InputError
        If names repeat, or a column is none of these.
    """
    table = read_plain(path)
    id_name = table.names[0] if id_name is None else id_name
    ids = table.text(id_name)
    if np.unique(ids).size < ids.size:
        repeated = ids.size - np.unique(ids).size
        raise InputError(
            f"{path}: column {id_name!r}", "must name every person once", f"{repeated:,} repeated"
        )
    names = [name for name in table.names if name != id_name]
    if not names:
        raise InputError(str(path), "must have a column besides the names", "none")
    if kind == "genotype":
        copies = np.stack([_copies(table, name) for name in names], axis=1)
        return coded_from_values(id_name, ids, np.array(names), copies - 1, "genotype")
    columns, codes, numbers = [], [], {}
    for name in names:
        column, own = _coded(table, name)
        if column is None:
            numbers[name] = np.array([np.nan if v is None else float(v) for v in table.texts(name)])
        else:
            columns.append(column)
            codes.append(own)
    coded = np.stack(codes, axis=1) if codes else np.zeros((ids.size, 0), np.int32)
    return traits_of_columns(id_name, ids, CodedColumns(tuple(columns), coded), numbers)


def _copies(table: PlainTable, name: str) -> NDArray[np.float64]:
    known = {"0": 0.0, "1": 1.0, "2": 2.0, "0.0": 0.0, "1.0": 1.0, "2.0": 2.0, None: np.nan}
    texts = table.texts(name)
    bad = sum(text not in known for text in texts)
    if bad:
        raise InputError(
            f"{table.path}: column {name!r}", "must hold 0, 1 or 2 copies", f"{bad:,} other values"
        )
    return np.array([known[text] for text in texts])


def _coded(table: PlainTable, name: str) -> tuple[Column | None, NDArray[np.int32]]:
    """What a column is, and the code of everybody's level; no column if it holds numbers."""
    texts = table.texts(name)
    levels = sorted({text for text in texts if text is not None})
    if not levels:
        raise InputError(f"{table.path}: column {name!r}", "must have a value", "nothing but empty cells")
    if all(level.lower().removesuffix(".0") in ANSWERS for level in levels):
        answers = [2 if t is None else ANSWERS[t.lower().removesuffix(".0")] for t in texts]
        return Column(name, Role.PUBLIC, Kind.BINARY, ("no", "yes", MISSING)), np.array(answers, np.int32)
    if all(map(_is_number, levels)):
        return None, np.zeros(0, np.int32)
    if len(levels) > LEVELS:
        raise InputError(
            f"{table.path}: column {name!r}",
            f"must hold numbers or at most {LEVELS} different values",
            f"{len(levels):,}",
            "Leave the column out, or group its values.",
        )
    place = {level: code for code, level in enumerate(levels)}
    codes = [len(levels) if text is None else place[text] for text in texts]
    return Column(name, Role.PUBLIC, Kind.CATEGORICAL, (*levels, MISSING)), np.array(codes, np.int32)


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False
