"""Which column is the id, the secret, public or ignored, and what the codes of a column stand for."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dalenius.errors import InputError, nearest_column
from dalenius.people.files.read_file import CSV, read_sheet
from dalenius.people.files.reading import MOST_CELL, check_exists, read_json
from dalenius.people.schema import MISSING, Column, Role

MOST_PUBLIC = 1_000
"""Each public column is several questions to the engine: more would take hours before anything is counted."""


def assign_roles(
    names: Sequence[str],
    *,
    secret: str,
    id: str | None = None,
    public: Sequence[str] | None = None,
    ignored: Sequence[str] = (),
) -> dict[str, Role]:
    """Give every column one role; without a list of public columns, all that remain are public.

    Raises
    ------
    InputError
        For an unknown column, a column listed twice, and a column in two roles.

    Examples
    --------
    >>> roles = assign_roles(["name", "age", "ill"], secret="ill", id="name")
    >>> [str(role) for role in roles.values()]
    ['id', 'public', 'secret']
    """
    given = [(Role.SECRET, [secret]), (Role.ID, [] if id is None else [id])]
    given += [(Role.PUBLIC, list(public or ())), (Role.IGNORED, list(ignored))]
    roles: dict[str, Role] = {}
    for role, columns in given:
        for name in columns:
            _check(name, role, names, roles)
            roles[name] = role
    rest = Role.PUBLIC if public is None else Role.IGNORED
    if (count := len(public) if public is not None else len(names) - len(roles)) > MOST_PUBLIC:
        fix = "List those that an attacker may know."
        raise InputError("public columns", f"must be at most {MOST_PUBLIC:,}", f"{count:,}", fix)
    return {name: roles.get(name, rest) for name in names}


def check_again(again: Mapping[str, str], names: Sequence[str], *, known: Sequence[str | None]) -> None:
    """Refuse a second reading of a column that is not there, of the id or the secret, or by a name in use.

    The secret under another name, as a column that an attacker knows, would make every release harmless.
    """
    for name, source in again.items():
        what = f"again: {name!r}"
        if name in names:
            raise InputError(what, "must be a new name", "the name of a column of the data")
        if source not in names:
            fix = nearest_column(source, names)
            raise InputError(what, "must be a column of the data, read again", "no such column", fix)
        if source in known:
            raise InputError(what, "must be neither the id nor the secret again", repr(source))


def check_bins(given: Mapping[str, object], roles: Mapping[str, Role], what: str = "bins") -> None:
    """Refuse bins, or levels, for a column that is not there or is never counted by."""
    for name in given:
        if name not in roles:
            raise InputError(
                f"{what} for {name!r}",
                "must be for a column of the data",
                "no such column",
                nearest_column(name, roles),
            )
        if roles[name] in (Role.ID, Role.IGNORED):
            raise InputError(
                f"{what} for {name!r}", "must be for a public column or the secret", f"the role {roles[name]}"
            )


def check_split(split: str | None, roles: Mapping[str, Role], bins: Mapping[str, object]) -> None:
    """Refuse to split people by a column that is not public, or that is cut into bins."""
    if split is None:
        return
    what = f"split column {split!r}"
    if split not in roles:
        raise InputError(what, "must be in the data", "no such column", nearest_column(split, roles))
    if roles[split] is not Role.PUBLIC:
        fix = "Split by a column that an attacker knows of everybody."
        raise InputError(what, "must be public", f"the role {roles[split]}", fix)
    if split in bins:
        raise InputError(what, "must have no bins", "some", "Each value is a block of its own.")


def _check(name: str, role: Role, names: Sequence[str], roles: Mapping[str, Role]) -> None:
    if name not in names:
        raise InputError(
            f"{role} column {name!r}", "must be in the data", "no such column", nearest_column(name, names)
        )
    if roles.get(name) is role:
        raise InputError(f"column {name!r}", "must be listed once", f"twice as {role}")
    if name in roles:
        raise InputError(
            f"column {name!r}",
            "must have one role",
            f"{roles[name]} and {role}",
            "Take it out of one of the two.",
        )


Labels = Mapping[str, Mapping[str, str]]
"""By column and code, what it stands for."""

_SHAPE = 'Write {"sex": {"1": "male", "2": "female"}}, or CSV with the columns column, code and label.'


def read_labels(path: str | os.PathLike[str]) -> dict[str, dict[str, str]]:
    """Read a dictionary.

    JSON has codes and labels by column, perhaps one level deeper under ``values`` as in many code books; CSV
    has the columns ``column``, ``code`` and ``label``. Columns that the data do not have are no mistake.

    Raises
    ------
    InputError
        If it is no such file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     _ = Path(place, "codes.json").write_text('{"sex": {"values": {"1": "male", "2": "female"}}}')
    ...     read_labels(Path(place, "codes.json"))
    {'sex': {'1': 'male', '2': 'female'}}
    """
    path = Path(path)
    check_exists(path)
    if path.name.lower().endswith(CSV):
        sheet = read_sheet(path)
        found: dict[str, dict[str, str]] = {}
        rows = zip(*(sheet.written(name).tolist() for name in ("column", "code", "label")), strict=True)
        for column, code, label in rows:
            found.setdefault(column, {})[code] = label
        return found
    raw = read_json(path)
    if not isinstance(raw, dict):
        raise InputError(str(path), "must be a dictionary of columns", type(raw).__name__, _SHAPE)
    return {name: _codes(path, name, entry) for name, entry in raw.items()}


def _codes(path: Path, name: str, entry: Any) -> dict[str, str]:
    inner = entry.get("values", {} if "description" in entry else entry) if isinstance(entry, dict) else None
    if not isinstance(inner, dict):
        raise InputError(f"{path}: {name!r}", "must give a label for each code", type(inner).__name__, _SHAPE)
    # what is no text says something else about a column, such as its least and largest value
    return {str(code): label for code, label in inner.items() if isinstance(label, str) and label.strip()}


def labelled(column: Column, labels: Mapping[str, str]) -> Column:
    """Call the levels of a column by their labels; levels without one, and bins, keep their names.

    Raises
    ------
    InputError
        If two levels would have one name, or a label is longer than any value may be.

    Examples
    --------
    >>> from dalenius.people.schema import Kind, Role
    >>> labelled(Column("sex", Role.PUBLIC, Kind.BINARY, ("1", "2")), {"1": "male"}).levels
    ('male', '2')
    """
    if column.edges or not labels:
        return column
    names = tuple(level if level == MISSING else labels.get(level, level).strip() for level in column.levels)
    _check_names(column, names)
    return replace(column, levels=names)


def _check_names(column: Column, names: Sequence[str]) -> None:
    what = f"labels of {column.name!r}"
    if len(set(names)) < len(names):
        fix = "Give each code a label of its own."
        raise InputError(what, "must tell all values apart", f"{len(names) - len(set(names))} repeated", fix)
    if any(len(name) > MOST_CELL or "\0" in name for name in names):
        raise InputError(what, f"must have at most {MOST_CELL:,} characters, none of them NUL", "others")
