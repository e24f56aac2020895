"""Noise that hides nothing is taken off; noise that hides something is left alone."""

from __future__ import annotations

import numpy as np
import pytest

from dalenius.knowledge.view import Knowledge, View
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.mechanisms.stages.noise import Gaussian, Geometric, Laplace
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.system.extremes import CHANCE, MOST_REACH, bounded_view, reach_of
from dalenius.release.release import Block, Release
from dalenius.statistics.tables import tables_of

TOWN = Column("town", Role.PUBLIC, Kind.CATEGORICAL, tuple("abcdef"))
ILL = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))
CODES = np.repeat(np.arange(6, dtype=np.int32), 4)[:, None]
COUNTS = np.array([[4, 0], [0, 4], [1, 3], [4, 0], [2, 2], [3, 1]], float)


def view(mechanism: str, counts: np.ndarray = COUNTS) -> View:
    people = Roster("id", np.arange(24).astype(np.str_), CodedColumns((TOWN,), CODES))
    block = Block(tables_of([TOWN], 1), ("no", "yes"), counts)
    return View(Release("r", ILL, (block,), mechanism), Knowledge(people))


@pytest.mark.parametrize(
    "mechanism",
    [
        "gaussian:sigma=0.01",
        "laplace:scale=0.01",
        "geometric:scale=0.01",
        "gaussian:sigma=0.01 | rounding:digits=1",
    ],
)
def test_people_behind_tiny_noise_are_as_good_as_known(mechanism: str) -> None:
    noisy = parse_mechanism(mechanism.split(" |")[0])
    drawn = np.random.default_rng(1).normal(0, 0.01, COUNTS.shape)
    drawn *= "geometric" not in mechanism  # which is 0 but for a chance of 1e-43
    counts = COUNTS + drawn if "|" not in mechanism else (COUNTS + drawn).round(1)
    said = reconstruct(view(mechanism, counts), rng=np.random.default_rng(2))
    assert noisy.stages[0].scale == 0.01
    assert not said.certain.any()
    settled = np.isin(CODES[:, 0], [0, 1, 3])
    assert (said.confidence[settled] >= 1 - 2 * CHANCE).all()
    assert (said.confidence < 1).all()
    assert (said.confidence[~settled] < 0.9).all()
    assert "12 secrets follow by arithmetic but for a chance of 0.0001" in said.notes[-1]


def test_noise_that_hides_something_is_left_alone() -> None:
    assert bounded_view(view("gaussian:sigma=4")) is None
    assert bounded_view(view("exact")) is None
    assert bounded_view(view("unknown")) is None
    small = bounded_view(view("gaussian:sigma=0.3"))
    assert small is not None
    assert not small[1]  # reaches over more than one whole number


def test_numbers_that_contradict_a_small_error_are_read_as_noise() -> None:
    """Somebody states less noise than there is: the attack goes on as it did."""
    said = reconstruct(view("gaussian:sigma=0.01", COUNTS + 0.4), rng=np.random.default_rng(2))
    assert not any("follow by arithmetic" in note for note in said.notes)


@pytest.mark.parametrize("noise", [Gaussian(0.3), Laplace(0.3), Geometric(0.4)])
def test_no_error_of_a_release_is_larger_than_the_reach(noise: Gaussian | Laplace) -> None:
    rng, answers, releases = np.random.default_rng(3), 200, 5_000
    reach = reach_of(noise, answers)
    drawn = np.abs(noise.draw(noise.known_scale(), (releases, answers), rng)).max(axis=1)
    assert (drawn > reach).mean() <= 5 * CHANCE
    assert (drawn > 0.45 * reach).any()  # nor is it far too large
    assert reach < MOST_REACH + 2
