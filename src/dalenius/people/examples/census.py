"""A town's census that never was: people drawn from a model, with the shapes that real ones have.

Sizes and shares are of the kind that a public-use file of working adults shows: two thirds of the people live
in a few of the postal codes, schooling depends on the year of birth and on where people live, work on
schooling and sex, hours on work and age, pay on all of them. Nobody in it exists.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.random import stream

PEOPLE = 30_162
"""As many as the census extract that papers on anonymisation use after dropping missing values."""

SCHOOLING = (
    "none", "primary", "lower secondary", "some upper secondary", "upper secondary", "vocational",
    "some college", "short degree", "bachelor", "master", "professional", "doctorate",
)  # fmt: skip
WORK = (
    "farming", "cleaning", "transport", "machines", "crafts", "guarding", "care", "sales",
    "office", "support", "technics", "teaching", "professions", "management",
)  # fmt: skip
ORIGIN = ("here", "north", "south", "east", "west", "overseas", "islands", "unknown")
MARITAL = ("single", "married", "separated", "divorced", "widowed")

_ORIGINS = np.array([0.72, 0.07, 0.06, 0.05, 0.04, 0.03, 0.02, 0.01])
_TOWNS = 120

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


def census(people: int = PEOPLE, seed: int = 1990) -> Any:
    """Draw people as an Arrow table: age, sex, zip, origin, schooling, marital, work, hours, well_paid.

    Parameters
    ----------
    people
        How many; a longer table with the same seed is other people of the same town.
    seed
        Which people.

    Examples
    --------
    >>> table = census()
    >>> table.num_rows, table.column_names[:3]
    (30162, ['age', 'sex', 'zip'])
    """
    import pyarrow as pa

    if people < 1:
        raise InputError("people", "must be 1 or more", str(people))
    rng, town = stream(seed, "example", "census", people), stream(1990, "example", "census", "town")
    wealth, size = town.normal(size=_TOWNS), 1 / np.arange(1, _TOWNS + 1) ** 0.9
    codes = town.permutation(np.arange(10_000, 10_000 + 47 * _TOWNS, 47))
    mixed = town.dirichlet(15 * _ORIGINS, _TOWNS)

    age = 17 + (74 * rng.beta(1.35, 2.3, people)).astype(np.intp)
    female = rng.random(people) < 0.46 + 0.001 * (age - 40)
    home = rng.choice(_TOWNS, people, p=size / size.sum())
    origin = _draw(rng, mixed[home])
    schooling = _schooling(rng, age, wealth[home], origin)
    marital = _marital(rng, age)
    work = _work(rng, schooling, female)
    hours = _hours(rng, age, female, work)
    paid = rng.random(people) < _chance_of_good_pay(
        age, female, schooling, work, hours, marital, wealth[home]
    )
    return pa.table(
        {
            "age": pa.array(age),
            "sex": _labels(female.astype(np.intp), ("m", "f")),
            "zip": _labels(home, tuple(f"{code:05d}" for code in codes)),
            "origin": _labels(origin, ORIGIN),
            "schooling": _labels(schooling, SCHOOLING),
            "marital": _labels(marital, MARITAL),
            "work": _labels(work, WORK),
            "hours": pa.array(hours),
            "well_paid": _labels(paid.astype(np.intp), ("no", "yes")),
        }
    )


def _draw(rng: np.random.Generator, weights: Floats) -> Codes:
    """Draw one code per row, by the row's weights."""
    edges = np.cumsum(weights, axis=1)
    below = edges < rng.random(len(weights))[:, None] * edges[:, -1:]
    return np.asarray(below.sum(axis=1), np.intp)


def _schooling(rng: np.random.Generator, age: Codes, wealth: Floats, origin: Codes) -> Codes:
    """Later cohorts and better quarters stay in school longer; the very young are not done yet."""
    middle = 5.2 - 0.035 * (age - 40) + 0.7 * wealth - 0.5 * (origin > 0)
    level = np.rint(middle + rng.normal(scale=2.1, size=age.size)).astype(np.intp)
    return np.clip(level, 0, np.where(age < 20, 4, np.where(age < 23, 6, np.where(age < 28, 9, 11))))


def _marital(rng: np.random.Generator, age: Codes) -> Codes:
    left = age - 17.0
    single, widowed = np.exp(-left / 11), 0.3 * np.exp((age - 85.0) / 9)
    weights = (3 * single + 0.08, 1 - single + 0.02, 0.03 + 0 * left, 0.2 * (1 - np.exp(-left / 20)), widowed)
    return _draw(rng, np.stack(weights, axis=1))


def _work(rng: np.random.Generator, schooling: Codes, female: NDArray[np.bool_]) -> Codes:
    """Each kind of work has its usual schooling and its share of women."""
    usual = np.array([2, 1.5, 3, 3, 4, 4.5, 4, 4.5, 5, 5.5, 6.5, 8.5, 9.5, 7.5])
    women = np.array([0.2, 0.45, 0.08, 0.25, 0.06, 0.15, 0.85, 0.5, 0.75, 0.6, 0.4, 0.7, 0.45, 0.35])
    often = np.array([0.4, 0.9, 0.9, 1, 1.6, 0.3, 0.7, 1.5, 1.6, 0.8, 0.6, 0.8, 1.1, 1.6])
    fits = np.exp(-((schooling[:, None] - usual) ** 2) / 6)
    return _draw(rng, often * fits * np.where(female[:, None], women, 1 - women))


def _hours(rng: np.random.Generator, age: Codes, female: NDArray[np.bool_], work: Codes) -> Codes:
    """Most people work forty hours to the hour; the young, the old and mothers' generation less."""
    usual = (
        41
        + 3.0 * np.isin(work, (0, 2, 12, 13))
        - 4 * female
        - 14 * (age < 20)
        - 0.5 * np.maximum(age - 62, 0)
    )
    drawn = np.rint(usual + rng.normal(scale=9, size=age.size)).astype(np.intp)
    rounded = np.where(rng.random(age.size) < 0.6, 5 * np.rint(drawn / 5).astype(np.intp), drawn)
    full = (rng.random(age.size) < 0.45) & (age >= 20) & (age < 65)
    return np.clip(np.where(full, 40, rounded), 1, 99)


def _chance_of_good_pay(
    age: Codes,
    female: NDArray[np.bool_],
    schooling: Codes,
    work: Codes,
    hours: Codes,
    marital: Codes,
    wealth: Floats,
) -> Floats:
    score = -7.1 + 0.42 * schooling + 0.05 * (hours - 40) + 0.4 * wealth - 0.6 * female
    score += 1.3 * (marital == 1) + 0.5 * np.isin(work, (10, 12, 13)) + 0.12 * np.minimum(age - 17, 30)
    return np.asarray(1 / (1 + np.exp(-score)))


def _labels(codes: Codes, levels: tuple[str, ...]) -> Any:
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(codes.astype(np.int32), pa.array(levels)).cast(pa.string())
