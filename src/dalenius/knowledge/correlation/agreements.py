"""How likely two related people agree: one number for all, or one for each type of relation."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError

Floats = NDArray[np.float64]
Agreement = float | Mapping[str, float]
_TWINS = "If two people always agree, say --identical (in a plan or in Python: identical)."


def parse_agreement(text: str) -> Agreement:
    """Read ``0.8`` or ``parent=0.75,sibling=0.75``.

    Examples
    --------
    >>> parse_agreement("0.8"), parse_agreement("parent=0.75, household=0.6")
    (0.8, {'parent': 0.75, 'household': 0.6})
    """
    if "=" not in text:
        return _number("agreement", text)
    found: dict[str, float] = {}
    for part in text.split(","):
        kind, equals, value = (piece.strip() for piece in part.partition("="))
        if not (kind and equals):
            raise InputError("agreement", "must be a number or type=number,type=number", repr(text))
        if kind in found:
            raise InputError(f"agreement of {kind!r}", "must be given once", repr(text))
        found[kind] = _number(f"agreement of {kind!r}", value)
    return found


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(name, "must be a number", repr(text), "Write for example 0.8.") from None


def check_agreement(name: str, value: float, identical: bool) -> float:
    """Return an agreement that can be used; 1 only where identical people are meant."""
    if not isinstance(value, int | float) or not abs(value) <= sys.float_info.max:
        raise InputError(name, "must be a number", repr(value))
    fault = _fault(np.array([float(value)]), identical)
    if fault[0]:
        raise InputError(name, rule(identical), f"{value:g}", _fix(float(value), identical))
    return float(value)


def faults(values: Floats, identical: bool) -> tuple[NDArray[np.intp], str]:
    """Which of many agreements cannot be used, and what to do about the first of them."""
    bad = np.flatnonzero(_fault(values, identical))
    return bad, _fix(float(values[bad[0]]), identical) if bad.size else ""


def _fault(values: Floats, identical: bool) -> NDArray[np.bool_]:
    """Where agreements are out of range: NaN too, and 0 always."""
    highest = values <= 1 if identical else values < 1
    return ~((values > 0) & highest)


def rule(identical: bool) -> str:
    """What must hold of an agreement."""
    return "must be above 0 and at most 1" if identical else "must lie strictly between 0 and 1"


def _fix(value: float, identical: bool) -> str:
    if value == 1 and not identical:
        return _TWINS
    if value == 0:
        return "People who always differ: swap 0 and 1 of one of them, which changes no privacy, and say 1."
    return (
        "It is the probability that two people have the same value: 0.5 if they know nothing of each other."
    )


@dataclass(frozen=True)
class Rules:
    """What was said about agreement beside the file: a number for all, numbers by type, or nothing.

    Parameters
    ----------
    given
        As it was said.
    identical
        Whether an agreement of 1 is meant.
    """

    given: Agreement | None
    identical: bool

    def __post_init__(self) -> None:
        if isinstance(self.given, Mapping):
            for kind, value in self.given.items():
                check_agreement(f"agreement of {kind!r}", value, self.identical)
        elif self.given is not None:
            check_agreement("agreement", self.given, self.identical)

    def of(self, kind: str, where: str = "") -> float:
        """The agreement of a type of relation; without a type it is ``""``.

        ``where`` stands for a type that a file gives: what is in a cell is not repeated.
        """
        if self.given is None:
            raise InputError(
                "agreement", "must be given", "nothing", "Give one number, one for each type, or a column."
            )
        if not isinstance(self.given, Mapping):
            return float(self.given)
        if kind in self.given:
            return float(self.given[kind])
        if not kind:
            raise InputError(
                "type of an edge",
                "must be given where agreement is given by type",
                "an edge without one",
                "Add a column type, or give one agreement for all.",
            )
        raise InputError(
            where or f"agreement of {kind!r}",
            "must be one of which the agreement is given" if where else "must be given",
            f"agreements of {', '.join(self.given)} alone",
            "" if where else f"Add {kind}=0.8, with the agreement that holds.",
        )

    def unused(self, kinds: set[str]) -> tuple[str, ...]:
        """Notes about types for which an agreement was given, though nobody is related so."""
        if not isinstance(self.given, Mapping):
            return ()
        spare = [kind for kind in self.given if kind not in kinds]
        return tuple(f"an agreement of {kind!r} is given, but no edge is of this type" for kind in spare)
