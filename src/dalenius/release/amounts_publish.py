"""From people's amounts to what is printed about their groups."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from dalenius.errors import InputError
from dalenius.mechanisms.amounts import AmountPromise, promise_of_noise
from dalenius.mechanisms.chain import Mechanism
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.sealed import SealedRows
from dalenius.people.truth import open_rows
from dalenius.random import sealed
from dalenius.release.amounts import (
    SPREADS,
    WEIGHTED,
    AmountGroup,
    AmountRelease,
    Places,
    PrintedAmount,
    percent,
)
from dalenius.release.amounts_hiding import HidingRules, shown_groups
from dalenius.theory.privacy import amount_slope

Floats = NDArray[np.float64]

SUMMATION = 1e-12
"""By which part of itself a sum of floating-point numbers may be off."""

OUTSIDE = 1e-6
"""Chance that the noise of any number of a release goes beyond the ends that are read."""


@dataclass(frozen=True)
class AmountSettings:
    """What is printed about groups, what is done to it, and which groups are left out.

    With ``weights`` everybody counts by their survey weight. ``known`` are the ends between which everybody
    knows amounts to lie, None if nothing is to be promised; a promise is about amounts up to ``apart``, by
    default about all.
    """

    statistics: tuple[str, ...] = ("count", "sum")
    mechanism: str = "exact"
    hiding: HidingRules = field(default_factory=HidingRules)
    weights: Floats | None = None
    known: tuple[float, float] | None = None
    apart: float | None = None


def publish_amounts(
    people: SealedRows | Floats,
    amount: str,
    groups: Sequence[AmountGroup],
    how: AmountSettings,
    *,
    rng: np.random.Generator,
    name: str = "release",
) -> AmountRelease:
    """Compute, hide, protect, and return what is printed, read as whoever knows the mechanism reads it.

    Raises
    ------
    InputError
        If noise is given by a promise: how far one amount moves a sum is not known here.
    """
    values = amounts_of(people, amount) if isinstance(people, SealedRows) else people
    chain = parse_mechanism(how.mechanism, "amounts")
    if any(stage.promised for stage in chain.stages):
        raise InputError(
            "mechanism",
            "must give the size of its noise",
            repr(how.mechanism),
            "Write gaussian:sigma=... or laplace:scale=...",
        )
    noise = sealed(rng, hashlib.blake2b(np.ascontiguousarray(values).tobytes()).digest())
    weights = how.weights
    shown = shown_groups(values if weights is None else weights * values, groups, how.hiding)
    said = []
    unread = () if weights is None else tuple(one for one in how.statistics if not is_read_weighted(one))
    for statistic in how.statistics:
        if statistic in unread:
            continue
        at = [g for g in shown if statistic not in SPREADS or groups[g].size > 1]
        heavy = weights if statistic in WEIGHTED else None
        true = np.array([_compute(statistic, values, groups[g].members, heavy) for g in at])
        said += [replace(one, weighted=heavy is not None)
                 for one in _printed(statistic, at, true, chain, noise, exact=heavy is None)]  # fmt: skip
    promise = None if unread else _promise(values, groups, said, chain, how)
    return AmountRelease(
        name,
        amount,
        len(values),
        tuple(groups),
        tuple(said),
        str(chain),
        len(groups) - len(shown),
        unread=unread,
        promise=promise,
    )


def _promise(
    values: Floats,
    groups: Sequence[AmountGroup],
    said: Sequence[PrintedAmount],
    chain: Mechanism,
    how: AmountSettings,
) -> AmountPromise | None:
    """What noise on these numbers promises; nothing where amounts are not as far apart as is said."""
    if how.known is None or how.hiding.by_amounts:
        return None
    if values.size and not how.known[0] <= values.min() <= values.max() <= how.known[1]:
        return None
    span = how.known[1] - how.known[0]
    printed = [
        (groups[one.group].members, _slope(one, groups[one.group], span, how.weights))
        for one in said
        if one.statistic != "count"
    ]
    return promise_of_noise(chain, printed, values.size, how.known, how.apart)


def _slope(one: PrintedAmount, group: AmountGroup, span: float, weights: Floats | None) -> float | Floats:
    """By how much a number moves when one amount in it moves by one; for each of them by their weights."""
    kind = one.statistic if one.statistic in ("sum", "mean", *SPREADS) else "place"
    if weights is None or not one.weighted:
        return amount_slope(kind, group.size, span)
    own = weights[group.members]
    return own if kind == "sum" else np.asarray(own / own.sum(), np.float64)


def is_read_weighted(statistic: str) -> bool:
    """Whether what is printed by survey weights is read: a smallest amount is the same without them."""
    return statistic in (*WEIGHTED, "min", "max", "unweighted count")


def amounts_of(people: SealedRows, amount: str) -> Floats:
    """Everybody's amount."""
    column = open_rows(people).column(amount)
    values = np.asarray(getattr(column, "values", np.array([np.nan])), np.float64)
    if not np.isfinite(values).all():
        raise InputError(f"column {amount!r}", "must hold a number for everybody", "missing values or text")
    return values


def _compute(statistic: str, everybody: Floats, members: Places, weights: Floats | None) -> float:
    values = everybody[members]
    if weights is not None:
        own = weights[members]
        total = float(own @ values)
        return {"count": float(own.sum()), "sum": total, "mean": total / float(own.sum())}[statistic]
    match statistic:
        case "count":
            return float(values.size)
        case "sum":
            return float(values.sum())
        case "mean":
            return float(values.mean())
        case "min":
            return float(values.min())
        case "max":
            return float(values.max())
        case "variance":
            return float(values.var(ddof=1))
    hundredths = percent(statistic)
    return float(values.std(ddof=1)) if hundredths is None else quantile(values, hundredths)


def quantile(values: Floats, hundredths: int) -> float:
    """The quantile between two neighbours in proportion, as R and NumPy compute it if nothing else is said.

    The place is computed in whole numbers: where it is that of one amount, that amount is printed.

    Examples
    --------
    >>> quantile(np.array([4.0, 1.0, 2.0, 8.0, 5.0]), 25), quantile(np.array([1.0, 2.0]), 90)
    (2.0, 1.9)
    """
    at, rest = divmod((values.size - 1) * hundredths, 100)
    ordered = np.sort(values)
    if not rest:
        return float(ordered[at])
    return float(((100 - rest) * ordered[at] + rest * ordered[at + 1]) / 100)


def _printed(
    statistic: str,
    at: Sequence[int],
    true: Floats,
    chain: Mechanism,
    rng: np.random.Generator,
    *,
    exact: bool,
) -> list[PrintedAmount]:
    """What a reader makes of the protected numbers; ``exact`` counts of people are printed as they are."""
    if not at:
        return []
    if statistic == "count" and exact:
        return [PrintedAmount(g, statistic, value, value) for g, value in zip(at, true, strict=True)]
    values = true[:, None]
    for stage in chain.stages:
        values = stage.protect(values, np.zeros(len(at), np.int64), rng=rng)
    read = read_back(statistic, at, values[:, 0], chain)
    return [replace(one, defined=True) for one in read]


def read_back(
    statistic: str, at: Sequence[int], published: Floats, chain: Mechanism, unit: Floats | None = None
) -> list[PrintedAmount]:
    """What published numbers say, by a reader who knows the mechanism.

    ``unit`` is what the last printed digit counts, 0 where a number is printed in full.
    """
    half = np.zeros(len(published)) if unit is None else unit / 2
    half = half + SUMMATION * np.abs(published)
    read = chain.error(
        published[:, None],
        counts=False,
        least=(published - half)[:, None],
        most=(published + half)[:, None],
    )
    sd, low, high = read.sd[:, 0], read.low[:, 0], read.high[:, 0]
    if chain.noise[0] != "none":
        reach = _reach(chain, len(published)) * sd
        low, high = published - half - reach, published + half + reach
    return [
        PrintedAmount(g, statistic, float(a), float(b), float(s))
        for g, a, b, s in zip(at, low, high, sd, strict=True)
    ]


def _reach(chain: Mechanism, numbers: int) -> float:
    """Standard deviations beyond which no noise of the release goes, but for a chance of `OUTSIDE`."""
    if chain.noise[0] == "gaussian":
        return float(norm.isf(OUTSIDE / (2 * numbers)))
    return float(
        np.log(numbers / OUTSIDE) / np.sqrt(2)
    )  # Laplace, whose tails are the heaviest that are known
