"""A release as a folder of JSON and Parquet; ``docs/reference/files.md`` says how to read it without us."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

from dalenius.atomic_write import writing_folder
from dalenius.errors import InputError, UnsupportedError
from dalenius.matrices.operators import BitRows
from dalenius.mechanisms.base import Promise
from dalenius.people.files.reading import read_json, read_parquet
from dalenius.people.files.sheet import as_text
from dalenius.people.schema import Column, Ids
from dalenius.release.predictions import read_predictions, write_predictions
from dalenius.release.release import Block, Release
from dalenius.statistics.cells import CellCounts
from dalenius.statistics.classifiers.scores import ClassifierScores
from dalenius.statistics.counts.boolean_counts import BooleanCounts
from dalenius.statistics.counts.queries import ConditionCounts
from dalenius.statistics.counts.subsets import HadamardQueries, Subsets
from dalenius.statistics.estimates.regression import Regression
from dalenius.statistics.estimates.secret_regressor import SecretRegressor
from dalenius.statistics.statistic import Statistic
from dalenius.statistics.tables import Tables

FORMAT = "dalenius-release"
VERSION = 1
HEAD = "release.json"
PEOPLE = "people.parquet"


def write_release(release: Release, folder: str | Path) -> None:
    """Write a release into a folder of its own, which appears only when it is whole.

    Parameters
    ----------
    release
        What is published.
    folder
        A new folder, or one that holds a release, which is replaced.

    Raises
    ------
    InputError
        If the folder holds anything but a release.
    UnsupportedError
        If it was read from printed tables.
    """
    folder = Path(folder)
    if folder.exists() and not (folder / HEAD).is_file():
        raise InputError(
            str(folder),
            "must be a new folder or one that holds a release",
            "something else",
            "Choose another.",
        )
    if any(block.mechanism is not None or block.low is not None for block in release.blocks):
        raise UnsupportedError("a release of printed tables is kept as their files, not as a folder")
    head = {
        "format": FORMAT,
        "version": VERSION,
        "name": release.name,
        "secret": release.secret.to_json(),
        "columns": [column.to_json() for column in _columns(release)],
        "mechanism": release.mechanism,
        "seeded": release.seeded,
        "promise": None if release.seeded else _promise_to_json(release.promise),
        "blocks": [_describe(block, j) for j, block in enumerate(release.blocks)],
    }
    with writing_folder(folder) as scratch:
        for j, block in enumerate(release.blocks):
            _write_answers(block, scratch / f"answers-{j}.parquet")
            if isinstance(block.statistic, Subsets):
                _write_members(block.statistic, scratch / f"members-{j}.parquet")
            if isinstance(block.statistic, ClassifierScores):
                write_predictions(block.statistic, scratch / f"predictions-{j}.parquet")
        if (ids := _people(release)) is not None:
            parquet.write_table(pa.table({"id": ids.tolist()}), scratch / PEOPLE)
        (scratch / HEAD).write_text(json.dumps(head, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def read_release(folder: str | Path) -> Release:
    """Read a release that was written by ``write_release`` or made by hand to the same description.

    Raises
    ------
    InputError
        If the folder is not such a release, is not whole, or contradicts itself.

    Examples
    --------
    >>> import tempfile
    >>> from dalenius.people.schema import Kind, Role
    >>> column = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))
    >>> block = Block(Tables((), ((),)), ("no", "yes"), np.array([[7.0, 3.0]]))
    >>> with tempfile.TemporaryDirectory() as place:
    ...     write_release(Release("histogram", column, (block,), "exact"), f"{place}/out")
    ...     read_release(f"{place}/out").blocks[0].answers
    array([[7., 3.]])
    """
    folder = Path(folder)
    head = _read_head(folder)
    try:
        columns = tuple(Column.from_json(value) for value in head["columns"])
        seeded = head.get("seeded")
        # a promise is one for the world only if its noise cannot be drawn again, and that must be said
        promise = _read_promise(head["promise"]) if head["promise"] and seeded is False else None
        blocks = tuple(_read_block(folder, block, columns) for block in head["blocks"])
        secret = Column.from_json(head["secret"])
        return Release(str(head["name"]), secret, blocks, str(head["mechanism"]), promise, seeded is True)
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
        raise InputError(
            str(folder / HEAD),
            "must have every part that docs/reference/files.md names, as it says",
            f"another ({type(error).__name__})",
        ) from None


def _columns(release: Release) -> tuple[Column, ...]:
    """The public columns that the questions speak of, each once."""
    found: dict[str, Column] = {}
    for block in release.blocks:
        for column in getattr(block.statistic, "columns", ()):
            if found.setdefault(column.name, column) != column:
                raise InputError(
                    f"column {column.name!r}",
                    "must have the same levels in all statistics",
                    "two lists of levels",
                )
    return tuple(found.values())


def _people(release: Release) -> Ids | None:
    """The list of people that the questions by name are about, if there are any."""
    ids: Ids | None = None
    for block in release.blocks:
        if isinstance(block.statistic, Subsets | HadamardQueries):
            if ids is not None and not np.array_equal(ids, block.statistic.ids):
                raise InputError("queries", "must be about one list of people", "two lists in one release")
            ids = block.statistic.ids
    return ids


def _promise_to_json(promise: Promise | None) -> dict[str, Any] | None:
    if promise is None:
        return None
    given = list(promise.given)
    return {"epsilon": promise.epsilon, "rho": promise.rho, "text": promise.text, "given": given}


def _read_promise(value: dict[str, Any]) -> Promise:
    epsilon, rho = (None if value[name] is None else float(value[name]) for name in ("epsilon", "rho"))
    return Promise(epsilon, rho, str(value["text"]), tuple(map(str, value.get("given", ()))))


def _describe(block: Block, j: int) -> dict[str, Any]:
    described = {
        "statistic": block.statistic.to_json(),
        "values": list(block.values),
        "answers": f"answers-{j}.parquet",
    }
    if isinstance(block.statistic, Subsets):
        described["members"] = f"members-{j}.parquet"
    if isinstance(block.statistic, ClassifierScores):
        described["predictions"] = f"predictions-{j}.parquet"
    if isinstance(block.statistic, Subsets | HadamardQueries):
        described["people"] = PEOPLE
    return described


def _write_answers(block: Block, path: Path) -> None:
    """Write one row per question: its label, then one column per counted value, null where suppressed."""
    numbers = [pa.array(column, mask=np.isnan(column)) for column in block.answers.T]
    labels = pa.array(block.statistic.labels(), pa.string(), size=block.statistic.rows)
    parquet.write_table(pa.Table.from_arrays([labels, *numbers], ["query", *block.values]), path)


def _write_members(statistic: Subsets, path: Path) -> None:
    bitmaps = pa.array([row.tobytes() for row in statistic.members.packed], pa.binary())
    parquet.write_table(pa.table({"query": list(statistic.names), "members": bitmaps}), path)


def _read_head(folder: Path) -> dict[str, Any]:
    path = folder / HEAD
    if not path.is_file():
        raise InputError(str(folder), f"must be a folder with a file {HEAD}", "none", "Check the path.")
    head = read_json(path)
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise InputError(str(path), f"must say that its format is {FORMAT}", "another file")
    if head.get("version") != VERSION:
        raise InputError(
            str(path), f"must be of version {VERSION}", repr(head.get("version")), "Use a newer dalenius."
        )
    return head


def _read_block(folder: Path, block: dict[str, Any], columns: tuple[Column, ...]) -> Block:
    statistic = _read_statistic(folder, block, columns)
    values = tuple(str(value) for value in block["values"])
    path = _inside(folder, block["answers"])
    return Block(statistic, values, _read_answers(path, statistic, values))


def _read_statistic(folder: Path, block: dict[str, Any], columns: tuple[Column, ...]) -> Statistic:
    described = block["statistic"]
    match described["kind"]:
        case "tables":
            return Tables.from_json(described, columns)
        case "cells":
            return CellCounts.from_json(described, columns)
        case "conditions":
            return ConditionCounts.from_json(described, columns)
        case "boolean":
            return BooleanCounts.from_json(described, columns)
        case "classifier-score":
            path = _inside(folder, block["predictions"])
            return read_predictions(_read_table(path), described, path)
        case "linear-regression" | "logistic-regression" | "m-estimator":
            return Regression.from_json(described, columns)
        case "secret-regressor":
            return SecretRegressor.from_json(described, columns)
        case "hadamard":
            return HadamardQueries(_read_people(folder, block))
        case "subsets":
            return _read_subsets(_inside(folder, block["members"]), _read_people(folder, block))
    raise InputError(f"statistic {described['kind']!r}", "must be a known kind", str(folder / HEAD))


def _read_people(folder: Path, block: dict[str, Any]) -> Ids:
    path = _inside(folder, block["people"])
    column = _read_table(path).column(0)
    if column.null_count:
        raise InputError(str(path), "must name everybody", f"{column.null_count:,} without a name")
    return as_text(str(path), column.combine_chunks())


def _read_subsets(path: Path, ids: Ids) -> Subsets:
    table = _read_table(path)
    bitmaps = table.column("members").to_pylist()
    size = -(-ids.size // 8)
    if any(bitmap is None or len(bitmap) != size for bitmap in bitmaps):
        raise InputError(
            f"{path}: members", f"must be bitmaps of {size} bytes, one bit per person", "another length"
        )
    packed = np.frombuffer(b"".join(bitmaps), np.uint8).reshape(len(bitmaps), size)
    return Subsets(ids, BitRows(packed, ids.size), tuple(table.column("query").to_pylist()))


def _read_answers(path: Path, statistic: Statistic, values: tuple[str, ...]) -> NDArray[np.float64]:
    table = _read_table(path)
    if table.column_names != ["query", *values]:
        raise InputError(
            str(path),
            f"must have the columns query, {', '.join(values)}",
            "others",
        )
    labels = table.column(0).to_pylist()
    if labels != list(statistic.labels()):
        raise InputError(
            f"{path}: query",
            f"must name the {statistic.rows:,} questions of the statistic in their order",
            f"{len(labels):,} others",
        )
    try:
        columns = [np.asarray(table.column(j + 1).to_numpy(), np.float64) for j in range(len(values))]
    except (TypeError, ValueError):
        raise InputError(str(path), "must be a table of numbers", "something else") from None
    return np.stack(columns, axis=1) if columns else np.zeros((statistic.rows, 0))


def _read_table(path: Path) -> Any:
    if not path.is_file():
        raise InputError(str(path), "must be there", "no such file", "The release is not whole.")
    return read_parquet(path)


def _inside(folder: Path, name: Any) -> Path:
    """A file of the release; a name that leads out of its folder is refused."""
    if Path(str(name)).name != str(name):
        raise InputError(
            f"{folder / HEAD}: {name!r}", "must be a file in the folder of the release", "a path"
        )
    return folder / str(name)
