"""Random small releases against brute force: ranges, number of data sets, radius, certain partial records."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from dalenius.errors import InputError
from dalenius.records.attack.certain.partial import partial_claims
from dalenius.records.attack.certain.pieces import Piece
from dalenius.records.attack.certain.settle import Effort
from dalenius.records.attack.certain.whole import another_fit
from dalenius.records.attack.radius import distance
from dalenius.records.attack.units import best_guess, count_units
from validation import records_fuzz


def test_no_claim_says_more_than_every_data_set_that_fits() -> None:
    seen: Counter[str] = Counter()
    for seed in range(20, 60):
        records_fuzz.compare(records_fuzz.random_release(np.random.default_rng(seed)), seen)
    assert seen["certain"] > 50
    assert seen["contradictions"] >= 3
    assert seen["named"] > 20


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([Effort(), Effort(fits=0, steps=0)]))
def test_radius_and_partial_records_are_those_of_brute_force(seed: int, effort: Effort) -> None:
    release = records_fuzz.random_release(np.random.default_rng(seed))
    fits = records_fuzz.brute_force(release)
    if not len(fits):
        with pytest.raises(InputError):
            records_fuzz.attacked(release, effort)
        return
    found = records_fuzz.attacked(release, effort)
    sizes = release.columns.sizes
    domain = np.array(list(itertools.product(*map(range, sizes))))
    at = np.ravel_multi_index(tuple(found.system.records.T), sizes)
    guess = best_guess(found)
    units = count_units(found, guess)
    assert units.radius_low[0] <= distance(guess, fits[:, at]).max() <= units.radius_high[0]
    if effort.fits:
        assert (guess == fits[:, at]).all(axis=1).any()
        assert bool(units.unique[0] == 1) == (len(fits) == 1)
    for claim in partial_claims(found):
        match = np.all(
            [domain[:, column] == code for column, code in enumerate(claim.levels) if code is not None]
            or [np.ones(len(domain), bool)],
            axis=0,
        )
        least = fits[:, match].sum(axis=1).min()
        assert claim.read < claim.least <= least
        assert not effort.fits or claim.least == least


def piece(rows: list[list[int]], low: list[int], high: list[int], most: int) -> Piece:
    n = len(rows[0])
    matrix = sparse.csr_array(np.array(rows, np.int64))
    ends = np.array(low), np.array(high), np.zeros(n, np.int64), np.full(n, most)
    return Piece(np.arange(n), np.arange(len(rows)), matrix, *ends)


def test_the_proof_of_uniqueness_has_no_hole() -> None:
    """Records between their bounds, and rows that are intervals, may still move."""
    middle = np.array([2, 2])
    assert another_fit(piece([[1, 1]], [4], [4], 4), middle[None]).said == "yes"
    assert another_fit(piece([[1, 1], [1, -1]], [4, 0], [4, 0], 4), middle[None]).said == "no"
    wider = another_fit(piece([[1, 1], [1, -1]], [4, 0], [5, 1], 4), middle[None])
    assert wider.point is not None
    assert wider.point.tolist() == [3, 2]
    low = np.array([0, 0, 2])
    assert another_fit(piece([[1, 1, 1], [1, 1, 0]], [2, 0], [2, 0], 2), low[None]).said == "no"
    assert another_fit(piece([[1, 1, 1], [1, 1, 0]], [2, 0], [2, 1], 2), low[None]).said == "yes"
