"""How a broken contract is told, and everything that an object of plain values says, as bytes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from enum import Enum
from typing import Any

import numpy as np


def require(holds: bool | object, sentence: str) -> None:
    """Raise ``AssertionError`` with the sentence unless it holds, also where Python runs without assertions.

    Examples
    --------
    >>> require(False, "shares are between 0 and 1")
    Traceback (most recent call last):
    ...
    AssertionError: shares are between 0 and 1
    """
    if not holds:
        raise AssertionError(sentence)


def as_bytes(value: Any) -> bytes:
    """Return everything that claims say, down to the last bit of every number.

    Claims are plain values: arrays, numbers, text, and tuples, mappings and frozen dataclasses of those.
    Anything else could carry more than it shows.

    Raises
    ------
    AssertionError
        If there is something else in it.

    Examples
    --------
    >>> as_bytes((1, 0.5)) == as_bytes((1, 0.5)), as_bytes(0.0) == as_bytes(-0.0)
    (True, False)
    >>> as_bytes(print)
    Traceback (most recent call last):
    ...
    AssertionError: claims must be plain values; got builtin_function_or_method
    """
    kind = type(value).__name__.encode()
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "O":
            return _joined(b"objects", repr(value.shape).encode(), *(as_bytes(one) for one in value.flat))
        return _joined(value.dtype.str.encode(), repr(value.shape).encode(), value.tobytes())
    if value is None or isinstance(value, str | bytes | bool | int | float | complex | np.generic | Enum):
        return _joined(kind, repr(value).encode())
    if isinstance(value, Mapping):
        return _joined(kind, *(as_bytes(item) for pair in value.items() for item in pair))
    if isinstance(value, tuple | list):
        return _joined(kind, *(as_bytes(item) for item in value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        return _joined(kind, *(as_bytes(getattr(value, field.name)) for field in fields))
    raise AssertionError(f"claims must be plain values; got {type(value).__name__}")


def _joined(*parts: bytes) -> bytes:
    """Parts with their lengths, so that no two lists of parts give the same bytes."""
    return b"".join(str(len(part)).encode() + b":" + part for part in parts)
