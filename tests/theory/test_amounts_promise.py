"""How far one amount moves what is printed, and how much closer noise lets anybody come."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from dalenius.errors import InputError
from dalenius.release.amounts import AmountGroup, AmountRelease
from dalenius.release.amounts_publish import AmountSettings, publish_amounts, quantile
from dalenius.theory.privacy import (
    amount_slope,
    closer_from_epsilon,
    closer_from_mu,
    mu_for_closer,
    one_amount_moves,
)

Floats = NDArray[np.float64]

SPAN = 10.0

COMPUTED: dict[str, Callable[[Floats], float]] = {
    "sum": lambda x: float(x.sum()),
    "mean": lambda x: float(x.mean()),
    "sd": lambda x: float(x.std(ddof=1)),
    "variance": lambda x: float(x.var(ddof=1)),
    "median": lambda x: quantile(x, 50),
    "q10": lambda x: quantile(x, 10),
    "max": lambda x: float(x.max()),
}


def test_golden() -> None:
    assert closer_from_mu(0.25) == pytest.approx(0.0498353381, abs=1e-10)
    assert closer_from_mu(2.0) == pytest.approx(0.3829249225, abs=1e-10)
    assert closer_from_epsilon(2.0) == pytest.approx(0.4621171573, abs=1e-10)
    assert mu_for_closer(0.05) == pytest.approx(0.2508271118, abs=1e-9)
    assert closer_from_mu(mu_for_closer(1.0)) == pytest.approx(0.9999, abs=1e-9)


@pytest.mark.parametrize("bad", [0.0, -1.0, float("nan")])
def test_what_is_no_promise_is_refused(bad: float) -> None:
    for call in (closer_from_mu, closer_from_epsilon, mu_for_closer):
        with pytest.raises(InputError):
            call(bad)
    with pytest.raises(InputError):
        amount_slope("mode", 3)


def moved_most(statistic: str, people: int, rng: np.random.Generator) -> float:
    """By how much a statistic moves at most for each step of one amount, over extreme and random groups."""
    found = 0.0
    for draw in range(400):
        values = rng.choice([0.0, SPAN], people) if draw % 2 else rng.uniform(0, SPAN, people)
        other = values.copy()
        other[0] = rng.choice([0.0, SPAN]) if draw % 3 else min(values[0] + 1e-3, SPAN)
        if other[0] != values[0]:
            change = COMPUTED[statistic](other) - COMPUTED[statistic](values)
            found = max(found, abs(change) / abs(other[0] - values[0]))
    return found


@pytest.mark.parametrize("people", [2, 3, 7])
@pytest.mark.parametrize("statistic", list(COMPUTED))
def test_no_number_moves_further_than_its_slope(statistic: str, people: int) -> None:
    kind = statistic if statistic in ("sum", "mean", "sd", "variance") else "place"
    slope = amount_slope(kind, people, SPAN)
    found = moved_most(statistic, people, np.random.default_rng(people))
    assert found <= slope * (1 + 1e-9)
    if statistic in ("sum", "mean", "max") or people == 2:
        assert found >= slope / 2, "and it is not far from what can happen"


def test_a_slope_too_small_is_noticed() -> None:
    """A standard deviation as if it moved like a mean."""
    assert moved_most("sd", 7, np.random.default_rng(7)) > amount_slope("mean", 7)


def test_everything_that_somebody_is_in_is_counted() -> None:
    """Against loops, with groups of one table that overlap, totals, and weights."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        numbers: list[tuple[NDArray[np.intp], float | Floats]] = []
        for _ in range(6):
            members = np.flatnonzero(rng.random(8) < 0.5)
            numbers.append((members, rng.uniform(0, 2, members.size) if rng.random() < 0.5 else 1.0))
        sums, squares, counts = [0.0] * 8, [0.0] * 8, [0] * 8
        for members, slope in numbers:
            for at, person in enumerate(members):
                one = slope if isinstance(slope, float) else float(slope[at])
                sums[person] += one
                squares[person] += one**2
                counts[person] += 1
        assert one_amount_moves(8, numbers) == pytest.approx((max(sums), max(squares), max(counts)))


def best_gain(points: Floats, prior: Floats, within: float, mu: float) -> float:
    """What whoever knows all but one of some amounts gains, by numerical integration."""
    grid = np.linspace(-8.0, mu + 8.0, 2001)
    density = norm.pdf(grid[:, None] - mu * points / SPAN) * prior
    near = np.array([np.abs(each / (1 - within) - points) <= within * points + 1e-12 for each in points])
    near = np.vstack([near, np.eye(points.size, dtype=bool)])
    right = (density @ near.T).max(axis=1)
    return float(np.trapezoid(right, grid) - (near @ prior).max())


def most_gained(mu: float, rng: np.random.Generator) -> float:
    found = best_gain(np.array([0.0, SPAN]), np.array([0.5, 0.5]), 0.1, mu)
    for _ in range(25):
        points = np.sort(rng.uniform(0, SPAN, rng.integers(2, 9)))
        points[[0, -1]] = 0.0, SPAN
        found = max(found, best_gain(points, rng.dirichlet(np.ones(points.size)), 0.1, mu))
    return found


@pytest.mark.parametrize("mu", [0.1, 0.5, 1.0, 3.0])
def test_no_belief_makes_anybody_come_closer_than_promised(mu: float) -> None:
    gained = most_gained(mu, np.random.default_rng(3))
    assert gained <= closer_from_mu(mu) + 1e-6
    assert gained > 0.75 * closer_from_mu(mu)
    if mu <= 0.5:
        assert gained > 0.98 * closer_from_mu(mu), "a coin between the ends nearly reaches it"
        assert gained > closer_from_mu(mu / 2), "half of it would be noticed"


def test_a_number_that_was_not_counted_is_noticed() -> None:
    """Somebody in a cell and in the total, everything else known: the promise holds, and one for less not."""
    cell, everybody = AmountGroup("cell", np.array([0, 1])), AmountGroup("all", np.arange(4))
    rng, draws, right = np.random.default_rng(12), 3000, 0
    how = AmountSettings(("sum",), "gaussian:sigma=10", known=(0.0, SPAN))
    made: AmountRelease | None = None
    for _ in range(draws):
        values = np.array([SPAN * rng.integers(2), 4.0, 3.0, 2.0])
        made = publish_amounts(values, "income", [cell, everybody], how, rng=rng)
        others = [values[made.groups[one.group].members[1:]].sum() for one in made.said]
        seen = [(one.low + one.high) / 2 - known for one, known in zip(made.said, others, strict=True)]
        right += (np.mean(seen) > SPAN / 2) == (values[0] > 0)
    assert made is not None
    assert made.promise is not None
    rho = made.promise.promise.rho or 0.0
    gained, error = right / draws - 0.5, (0.25 / draws) ** 0.5
    assert rho == pytest.approx(1.0)
    assert gained - 3 * error <= closer_from_mu((2 * rho) ** 0.5)
    assert gained - 3 * error > closer_from_mu((2 * rho / 2) ** 0.5), "as if the total did not count"
