"""Columns of Arrow as the engine takes them, whatever the program that wrote them calls their type."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from pyarrow import compute
from pyarrow import types as kinds

from dalenius.errors import InputError

TAKEN = (
    kinds.is_boolean,
    kinds.is_integer,
    kinds.is_floating,
    kinds.is_decimal,
    kinds.is_string,
    kinds.is_large_string,
    kinds.is_string_view,
    kinds.is_temporal,
    kinds.is_binary,
    kinds.is_large_binary,
)


def plain_column(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write a column plainly: values instead of codes, and text where nobody has a value.

    Examples
    --------
    >>> plain_column("remark", pa.chunked_array([pa.nulls(2)])).type
    DataType(string)
    """
    if kinds.is_run_end_encoded(column.type):
        column = pa.chunked_array([compute.run_end_decode(chunk) for chunk in column.chunks])
    if kinds.is_dictionary(column.type):  # an engine's ENUM would sort by first appearance
        column = column.cast(column.type.value_type)
    if kinds.is_null(column.type):  # as a frame has it whose column is empty
        column = column.cast(pa.string())
    if kinds.is_float16(column.type):
        column = column.cast(pa.float32())
    if not _is_taken(column.type):
        rule = "must hold numbers, text, booleans or dates"
        raise InputError(f"column {name!r}", rule, str(column.type), "Leave it out.")
    return column


def _is_taken(kind: Any) -> bool:
    """Whether the engine has such a type, or one of several of them."""
    if kinds.is_interval(kind) or kinds.is_union(kind):
        return False
    if kind.num_fields:
        return all(_is_taken(kind.field(at).type) for at in range(kind.num_fields))
    return any(is_such(kind) for is_such in TAKEN)
