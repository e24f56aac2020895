"""A finding in plain words: a number never stands without its baseline."""

from __future__ import annotations

from dalenius.findings.tally import Tally


def percent(tally: Tally) -> str:
    """Write a share with one decimal; only all is 100% and only none is 0%.

    Examples
    --------
    >>> percent(Tally(5912, 6366)), percent(Tally(9999, 10000)), percent(Tally(1, 10000))
    ('92.9%', 'over 99.9%', 'under 0.1%')
    """
    if tally.hits == 0:
        return "0%"
    if tally.hits == tally.trials:
        return "100%"
    rounded = f"{100 * tally.rate:.1f}%"
    return {"0.0%": "under 0.1%", "100.0%": "over 99.9%"}.get(rounded, rounded)


def points(share: float) -> str:
    """Write a share as percentage points, with one decimal; never a minus before zero.

    Examples
    --------
    >>> points(0.2094), points(-0.0004), points(0.05)
    ('20.9', '0.0', '5.0')
    """
    return f"{round(100 * share, 1) + 0.0:.1f}"


def from_to(low: float, high: float) -> str:
    """Write an interval in percentage points.

    Examples
    --------
    >>> from_to(-0.0001, 0.0418)
    '0.0 to 4.2'
    """
    return f"{points(low)} to {points(high)}"


def promised_number(promise: str | None) -> str:
    """Write a promise by its number alone, for a narrow column; what it rests on stands elsewhere.

    Examples
    --------
    >>> promised_number("zero-concentrated differential privacy with rho = 0.1; the noise is seeded")
    'rho 0.1'
    >>> promised_number(None)
    'none'
    """
    if promise is None:
        return "none"
    stated = promise.split(";")[0].partition(" with ")[2]
    return stated.replace(" = ", " ").removesuffix(" together") or "yes"
