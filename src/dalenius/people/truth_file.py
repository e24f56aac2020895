"""A file of truth, ``<id>,<secret>``: only the referee reads it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.people.files.read_file import Source
from dalenius.people.files.sheet import Sheet
from dalenius.people.opening import open_sheet


def read_truth(source: Source, ids: NDArray[np.str_], id: str) -> NDArray[np.int32]:
    """Read ``<id>,<secret>`` as codes, in the order of ``ids``.

    Raises
    ------
    InputError
        If somebody is missing, or a value is not one of 0 and 1, no and yes, false and true.
    """
    table = open_sheet(source, id=id)
    codes = _codes(table, secret_of(table, id))
    return codes[places_of(table, ids, id)]


def read_true_numbers(source: Source, ids: NDArray[np.str_], id: str) -> NDArray[np.float64]:
    """Read ``<id>,<amount>`` as numbers, in the order of ``ids``.

    Raises
    ------
    InputError
        If somebody is missing or stands twice, or there is not one column of numbers.
    """
    table = open_sheet(source, id=id)
    return table.numbers(secret_of(table, id))[places_of(table, ids, id)]


def places_of(table: Sheet, ids: NDArray[np.str_], id: str) -> NDArray[np.intp]:
    """In which row of a table everybody on a list stands."""
    named = table.text(id)
    order = np.argsort(named, kind="stable")
    if named.size > 1 and (named[order][1:] == named[order][:-1]).any():
        raise InputError(f"{table.name}: column {id!r}", "must name every person once", "a repeated name")
    at = order[np.minimum(np.searchsorted(named, ids, sorter=order), named.size - 1)]
    missing = int((named[at] != ids).sum())
    if missing:
        raise InputError(table.name, "must have everybody on the list of people", f"{missing:,} missing")
    return np.asarray(at, np.intp)


def secret_name(truth: Source, id: str) -> str:
    """Read what a file of truth calls the secret."""
    return secret_of(open_sheet(truth), id)


def secret_of(table: Sheet, id: str) -> str:
    """The one column beside the ids."""
    names = [name for name in table.names if name != id]
    if len(names) != 1 or len(table.names) != 2:
        got = f"{len(table.names):,} columns{'' if id in table.names else f', none of them {id!r}'}"
        raise InputError(table.name, f"must have two columns, {id!r} and the secret", got)
    return names[0]


def _codes(table: Sheet, name: str) -> NDArray[np.int32]:
    words = {"0": 0, "1": 1, "no": 0, "yes": 1, "false": 0, "true": 1}
    texts = [str(text).strip().lower() for text in table.text(name)]
    wrong = sum(text not in words for text in texts)
    if wrong:
        raise InputError(
            f"{table.name}: column {name!r}", "must hold 0 or 1", f"{wrong:,} other values",
            "Write 1 for people whom the answers count.",
        )  # fmt: skip
    return np.array([words[text] for text in texts], np.int32)
