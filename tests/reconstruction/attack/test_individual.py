"""From a group to its people: the mean of the group is kept, and what was known of each is not lost."""

from __future__ import annotations

import numpy as np

from dalenius.reconstruction.attack.guesses import spread

GROUP = np.array([0, 0, 0, 1, 1, 2])


def two(p: list[float]) -> np.ndarray:
    return np.stack([1 - np.array(p), np.array(p)], axis=1)


def test_means_of_groups_are_those_of_the_release() -> None:
    rng = np.random.default_rng(1)
    prior = rng.dirichlet([1, 1, 1], 6)
    share = rng.dirichlet([1, 1, 1], 3)
    found = spread(share, GROUP, prior)
    assert np.allclose(found.sum(axis=1), 1)
    means = [found[group == GROUP].mean(axis=0) for group in range(3)]
    assert np.allclose(means, share, atol=1e-6)


def test_a_release_that_says_what_was_known_changes_nobody() -> None:
    prior = two([0.9, 0.5, 0.1, 0.3, 0.6, 0.2])
    share = np.stack([prior[group == GROUP].mean(axis=0) for group in range(3)])
    assert np.allclose(spread(share, GROUP, prior), prior, atol=1e-6)


def test_nobody_and_everybody_are_sure_whatever_was_known() -> None:
    found = spread(two([0.0, 1.0, 0.4]), GROUP, two([0.9, 0.5, 0.1, 0.3, 0.6, 0.2]))
    assert np.allclose(found[:, 1], [0, 0, 0, 1, 1, 0.4])


def test_groups_nearly_follow_the_law_of_independent_people_given_their_sum() -> None:
    """Against drawing: people with their own chances, kept where the sum is as published."""
    rng = np.random.default_rng(2)
    p = np.linspace(0.05, 0.95, 20)
    drawn = rng.random((200_000, 20)) < p
    kept = drawn[drawn.sum(axis=1) == 12]
    found = spread(two([12 / 20]), np.zeros(20, int), two(list(p)))[:, 1]
    assert np.abs(found - kept.mean(axis=0)).max() < 0.03


def test_people_alike_in_a_settled_group_are_not_told_apart() -> None:
    """One of two has it: predictions that left each one out would point at the other."""
    prior, alike = two([0.2, 0.7, 0.4, 0.5, 0.5, 0.2]), np.array([7, 7, 8, 1, 1, 1])
    found = spread(two([1 / 3, 0.5, 0.2]), GROUP, prior, alike=alike, settled=np.array([True, False, False]))
    assert found[0, 1] == found[1, 1] > found[2, 1] * 0.5
    free = spread(two([1 / 3, 0.5, 0.2]), GROUP, prior)
    assert free[0, 1] < free[1, 1]
    assert np.isclose(found[:3, 1].mean(), 1 / 3)
