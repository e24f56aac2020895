"""How a broken contract is told."""

from __future__ import annotations


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
