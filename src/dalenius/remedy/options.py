"""What a remedy may change, what it must leave alone, and what a change costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, get_args

from dalenius.errors import InputError, nearest
from dalenius.findings.report import ChangeKind, Price

KINDS: Final[tuple[ChangeKind, ...]] = tuple(kind for kind in get_args(ChangeKind) if kind != "as planned")
"""In the order of what those who read the numbers lose: numbers a little off, numbers hidden, tables gone."""

MINUTES = 5.0
MOST_MINUTES = 24 * 60.0
WEIGHTS = ("hidden", "error", "table")


@dataclass(frozen=True)
class PriceWeights:
    """What a loss is worth: a hundredth of the numbers hidden, a mean error of one person, a table lost.

    Examples
    --------
    >>> PriceWeights().of(Price(hidden=0.02, mean_error=1.5, lost=1))
    8.5
    """

    hidden: float = 1.0
    error: float = 1.0
    table: float = 5.0

    def of(self, price: Price) -> float:
        """Return a price as one number."""
        return (
            100 * self.hidden * ((price.hidden or 0.0) + (price.blurred or 0.0))
            + self.error * (price.mean_error or 0.0)
            + self.table * ((price.lost or 0) + (price.merged or 0) / 2)
        )


@dataclass(frozen=True)
class RemedyOptions:
    """What a remedy may do.

    Parameters
    ----------
    allow
        The kinds of change that may be proposed.
    keep
        Tables that must not be left out, such as ``age*sex``.
    weights
        What a loss is worth, where changes of different kinds are to be compared by one number; without it
        kinds are preferred in their order.
    minutes
        How long the search may take on one processor, as predicted from the sizes.
    release
        The release to change; the others of a plan are then attacked along and left alone.
    """

    allow: tuple[ChangeKind, ...] = KINDS
    keep: tuple[str, ...] = ()
    weights: PriceWeights | None = None
    minutes: float = MINUTES
    release: str | None = None

    def __post_init__(self) -> None:
        for kind in self.allow:
            if kind not in KINDS:
                raise InputError(
                    "allow", f"must be among {', '.join(KINDS)}", repr(kind), nearest(kind, KINDS)
                )
        if not self.allow:
            raise InputError("allow", f"must name at least one of {', '.join(KINDS)}", "nothing")
        if not 0 < self.minutes <= MOST_MINUTES:
            raise InputError("minutes", f"must be above 0 and at most {MOST_MINUTES:g}", f"{self.minutes:g}")

    @property
    def worth(self) -> PriceWeights:
        """What a loss is worth, also where only the order of kinds was given."""
        return self.weights or PriceWeights()

    def order(self, kind: ChangeKind, price: Price) -> tuple[float, float]:
        """Return what changes are ordered by, the cheapest first."""
        first = 0.0 if self.weights is not None or kind == "as planned" else 1.0 + KINDS.index(kind)
        return first, self.worth.of(price)


def read_allow(text: str) -> tuple[ChangeKind, ...]:
    """Read ``round,hide,noise``; what is not known is refused by `RemedyOptions`.

    Examples
    --------
    >>> read_allow("hide, round")
    ('round', 'hide')
    """
    asked = [word.strip() for word in text.split(",") if word.strip()]
    unknown = [word for word in asked if word not in KINDS]
    if unknown:
        raise InputError(
            "allow", f"must be among {', '.join(KINDS)}", repr(unknown[0]), nearest(unknown[0], KINDS)
        )
    return tuple(kind for kind in KINDS if kind in asked)


def read_price(text: str) -> PriceWeights:
    """Read ``hidden=1,error=1,table=5``; what is not given is as usual.

    Examples
    --------
    >>> read_price("table=20")
    PriceWeights(hidden=1.0, error=1.0, table=20.0)
    """
    found: dict[str, float] = {}
    for pair in text.split(","):
        key, _, value = (word.strip() for word in pair.partition("="))
        if key not in WEIGHTS or key in found:
            raise InputError("price", f"must be {', '.join(f'{w}=NUMBER' for w in WEIGHTS)}", repr(pair))
        try:
            found[key] = float(value)
        except ValueError:
            raise InputError(f"price of {key}", "must be a number", repr(value)) from None
        if not (math.isfinite(found[key]) and found[key] >= 0):
            raise InputError(f"price of {key}", "must be 0 or more", value)
    return PriceWeights(**found)
