"""Columns of Arrow tables as numbers or labels; text stays text."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.people.rows.columns import LARGEST_WHOLE, NumberColumn, NumberKind, RowColumn, TextColumn


def column_of_arrow(name: str, values: Any) -> RowColumn:
    """Turn an Arrow column into a column of rows.

    Whole numbers that double precision cannot hold become text, digit by digit: they are names of things.

    Examples
    --------
    >>> import pyarrow as pa
    >>> column_of_arrow("born", pa.chunked_array([pa.array([1971, None])]))
    NumberColumn('born', 2 values, integer)
    >>> column_of_arrow("id", pa.chunked_array([[2**60]])).levels
    ('1152921504606846976',)
    """
    import pyarrow as pa
    from pyarrow import types

    kind = values.type
    if types.is_dictionary(kind) and not _is_text(kind.value_type):
        values = values.cast(kind.value_type)
        kind = values.type
    if types.is_dictionary(kind) or _is_text(kind) or types.is_null(kind):
        return _text(name, values)
    if types.is_integer(kind):
        return (
            _text(name, values.cast(pa.string())) if _too_large(values) else _number(name, values, "integer")
        )
    if types.is_boolean(kind):
        return _number(name, values.cast(pa.int8()), "bool")
    if types.is_floating(kind) or types.is_decimal(kind):
        return _number(name, values, "float")
    if types.is_date(kind) or types.is_timestamp(kind):
        # a finer clock than ours is cut off, as the serialisation of rows does
        moments = values.cast(pa.timestamp("us", getattr(kind, "tz", None)), safe=False)
        return _number(name, moments.cast(pa.int64()), "date")
    raise InputError(
        f"column {name!r}", "must hold numbers, dates or text", str(kind), "Convert it, or leave it out."
    )


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _too_large(values: Any) -> bool:
    import pyarrow.compute as pc

    ends = pc.min_max(values)
    return any(abs(end.as_py() or 0) > LARGEST_WHOLE for end in ends.values())


def _number(name: str, values: Any, kind: NumberKind) -> NumberColumn:
    import pyarrow as pa

    numbers: NDArray[np.float64] = values.cast(pa.float64(), safe=False).to_numpy()
    return NumberColumn(name, numbers, kind)


def _text(name: str, values: Any) -> TextColumn:
    import pyarrow as pa

    if not pa.types.is_dictionary(values.type):
        values = values.cast(pa.string()).dictionary_encode()
    whole = values.unify_dictionaries().combine_chunks()
    if isinstance(whole, pa.ChunkedArray):  # without rows there are no chunks to combine
        return TextColumn(name, np.empty(0, np.int32), ())
    levels: list[str | None] = whole.dictionary.cast(pa.string()).to_pylist()
    codes = whole.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    return _clean(name, codes.astype(np.int32), levels)


def _clean(name: str, codes: NDArray[np.int32], levels: list[str | None]) -> TextColumn:
    """Give every label one code: dictionaries made elsewhere may repeat a label, or hold a missing one."""
    known = {level: i for i, level in enumerate(dict.fromkeys(x for x in levels if x is not None))}
    if len(known) < len(levels):
        new = np.array([*(-1 if level is None else known[level] for level in levels), -1], np.int32)
        codes = new[codes]
    return TextColumn(name, codes, tuple(known))
