"""What is done to counts before they are printed, by numpy, with the words that truly state it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from validation.printed_people import Floats, Rng


@dataclass(frozen=True)
class Protected:
    """What was done to counts: the numbers, not a number where hidden, and how it is truly stated."""

    counts: Floats
    mechanism: str


def exact(counts: Floats, rng: Rng) -> Protected:
    """The true counts."""
    return Protected(counts, "exact")


def rounded(counts: Floats, rng: Rng) -> Protected:
    """To the nearest multiple by numpy or pandas (ties to even), or by a spreadsheet (away from zero)."""
    base = int(rng.choice([2, 3, 4, 5, 10]))
    if rng.random() < 0.5:
        said = rng.choice(["", ",ties=even", ",ties=unknown"])
        return Protected(np.round(counts / base) * base, f"rounding:base={base}{said}")
    said = rng.choice(["", ",ties=up", ",ties=away"])
    return Protected(np.floor(counts / base + 0.5) * base, f"rounding:base={base}{said}")


def cut(counts: Floats, rng: Rng) -> Protected:
    """Down, up, or to either multiple by chance."""
    base, how = int(rng.choice([3, 5, 10])), str(rng.choice(["down", "up", "random"]))
    down: Floats = np.floor(counts / base) * base
    up: Floats = np.ceil(counts / base) * base
    chance = rng.random(counts.shape) * base < counts - down
    numbers = {"down": down, "up": up, "random": np.where(chance, up, down)}[how]
    return Protected(numbers, f"rounding:base={base},how={how}")


def hidden(counts: Floats, rng: Rng) -> Protected:
    """Small counts hidden, with or without zeros, and sometimes others to protect them."""
    below = int(rng.choice([3, 5, 10]))
    zeros, more = rng.random() < 0.4, rng.random() < 0.3
    small = (counts < below) & (zeros | (counts > 0))
    if more:
        small |= rng.random(counts.shape) < 0.3
    text = f"suppression:below={below}" + ",zeros=hide" * zeros + ",complementary=yes" * more
    return Protected(np.where(small, np.nan, counts), text)


def hidden_and_rounded(counts: Floats, rng: Rng) -> Protected:
    """Both, in either order."""
    first, second = (hidden, rounded) if rng.random() < 0.5 else (rounded, hidden)
    before = first(counts, rng)
    after = second(before.counts, rng)
    return Protected(after.counts, f"{before.mechanism} | {after.mechanism}")


def capped(counts: Floats, rng: Rng) -> Protected:
    """Large counts printed as one limit."""
    at = int(rng.integers(2, 12))
    return Protected(np.minimum(counts, at), f"topcode:at={at}")


def wrong_by_a_bound(counts: Floats, rng: Rng) -> Protected:
    """Off by at most so much, as a number with decimals or printed whole."""
    error = float(rng.choice([0.5, 1.0, 1.5, 2.5]))
    return Protected(counts + rng.uniform(-error, error, counts.shape), f"bounded:error={error:g}")


def noisy(counts: Floats, rng: Rng) -> Protected:
    """Random noise, stated or not."""
    sigma = float(rng.choice([0.3, 1.0, 3.0]))
    text = str(rng.choice([f"gaussian:sigma={sigma:g}", "unknown"]))
    return Protected(counts + rng.normal(0, sigma, counts.shape), text)


PROTECTIONS: dict[str, Callable[[Floats, Rng], Protected]] = {
    "exact": exact,
    "rounded": rounded,
    "cut": cut,
    "hidden": hidden,
    "hidden and rounded": hidden_and_rounded,
    "capped": capped,
    "bounded": wrong_by_a_bound,
    "noisy": noisy,
}


def whole(numbers: Floats) -> bool:
    """Whether there are no decimals."""
    seen = numbers[~np.isnan(numbers)]
    return bool(np.array_equal(seen, np.round(seen)))


def mark_of(mechanism: str, rng: Rng) -> str:
    """What is printed in place of a hidden count."""
    below = mechanism.partition("below=")[2].partition(",")[0].partition(" ")[0]
    marks = ["*", "c", ""] + (
        [f"<{below}"] if "complementary" not in mechanism and "|" not in mechanism else []
    )
    return str(rng.choice(marks))


def same_totals(mechanism: str, totals: Floats) -> Floats:
    """Totals rounded as the counts were."""
    base = int(mechanism.partition("base=")[2].partition(",")[0])
    return np.round(totals / base) * base
