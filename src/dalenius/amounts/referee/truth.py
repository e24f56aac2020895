"""A file of true amounts, ``<id>,<amount>``: only the referee reads it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.people.opening import open_sheet


def read_true_amounts(source: Any, ids: NDArray[np.str_], id: str) -> NDArray[np.float64]:
    """Read everybody's amount, in the order of ``ids``.

    Raises
    ------
    InputError
        If somebody is missing or stands twice, or there is not one column of amounts.
    """
    sheet = open_sheet(source, id=id)
    names = [name for name in sheet.names if name != id]
    if len(names) != 1 or id not in sheet:
        raise InputError(sheet.name, f"must have two columns, {id!r} and the amount", f"{len(sheet.names)}")
    named, values = sheet.text(id), sheet.numbers(names[0])
    order = np.argsort(named, kind="stable")
    if (named[order][1:] == named[order][:-1]).any():
        raise InputError(f"{sheet.name}: column {id!r}", "must name everybody once", "a repeated name")
    at = order[np.minimum(np.searchsorted(named, ids, sorter=order), named.size - 1)]
    missing = int((named[at] != ids).sum())
    if missing:
        raise InputError(sheet.name, "must have everybody on the list of people", f"{missing:,} missing")
    return values[at]
