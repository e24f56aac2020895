"""Who is known because of a release: held firmly, rightly, and not before."""

from __future__ import annotations

import numpy as np
import pytest

from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.referee.known import Known, count_known


def claims(yes: list[float], certain: list[bool] | None = None) -> Guesses:
    p = np.array(yes)
    sure = np.zeros(p.size, bool) if certain is None else np.array(certain)
    ids = np.arange(p.size).astype(np.str_)
    return Guesses("id", ids, ("no", "yes"), np.stack([1 - p, p], axis=1), sure, "posterior")


def yes(said: Guesses, truth: list[int], usual: float | list[float], known_at: float = 0.99) -> Known:
    p = np.broadcast_to(np.array(usual), (len(truth),))
    prior = np.stack([1 - p, p], axis=1)
    found = count_known(said, np.array(truth, np.int32), prior, known_at=known_at, named=("no", "yes"))
    return found[1]


def test_a_claim_counts_from_the_stated_probability_on() -> None:
    found = yes(claims([0.999, 0.991, 0.989, 0.4]), [1, 1, 1, 0], 0.3)
    assert (found.held, found.right, found.before) == (2, 2, 0)
    assert yes(claims([0.999, 0.991, 0.989, 0.4]), [1, 1, 1, 0], 0.3, known_at=0.98).held == 3


def test_who_was_known_before_or_nearly_is_not_made_known_by_the_release() -> None:
    """From 0.985 to 0.99 is no news; from 0.985 to 0.9999 is."""
    found = yes(claims([0.995, 0.991, 0.9999]), [1, 1, 1], [0.992, 0.985, 0.985])
    assert (found.before, found.held, found.right) == (1, 1, 1)


def test_luck_is_what_the_baseline_would_get_right_anyway() -> None:
    likely, unlikely = yes(claims([0.995] * 5), [1] * 5, 0.9), yes(claims([0.995] * 5), [1] * 5, 0.1)
    assert likely.by_luck == pytest.approx(0.9**5)
    assert unlikely.by_luck == pytest.approx(0.1**5)
    assert yes(claims([0.5]), [1], 0.1).by_luck == 1.0


def test_claims_that_do_not_come_true_are_not_calibrated() -> None:
    found = yes(claims([0.995] * 100), [1] * 60 + [0] * 40, 0.5)
    assert (found.held, found.right, found.calibrated) == (100, 60, False)
    honest = yes(claims([0.995] * 100), [1] * 99 + [0], 0.5)
    assert (honest.right, honest.calibrated) == (99, True)


def test_of_an_attack_that_overstates_the_stronger_claims_still_count() -> None:
    """Weak claims that come true in nine of ten cases do not hide forty that all do."""
    found = yes(claims([0.9999] * 40 + [0.991] * 100), [1] * 40 + [1] * 85 + [0] * 15, 0.5)
    assert (found.held, found.right, found.calibrated) == (40, 40, True)


def test_certain_people_are_counted_apart() -> None:
    found = yes(claims([1.0, 0.999], [True, False]), [1, 1], 0.5)
    assert (found.certain, found.certain_right, found.held) == (1, 1, 1)


def test_a_value_that_few_people_have_is_not_named() -> None:
    said = claims([0.999] * 3 + [0.001] * 20)
    truth = np.array([1] * 3 + [0] * 20, np.int32)
    usual = np.full((23, 2), 0.5)
    assert [known.value for known in count_known(said, truth, usual)] == ["no", None]
    assert [known.right for known in count_known(said, truth, usual)] == [20, 3]
    assert [known.value for known in count_known(said, truth, usual, named=("yes",))] == ["no", "yes"]


DISEASES = ("flu", "hepatitis", "hiv", "none")


def test_who_has_one_of_several_diseases_is_known_whichever_it_is() -> None:
    """Each was held at one half, so that a cell in which everybody has one of two diseases told nothing."""
    told = np.array([[0.0, 0.5, 0.5, 0.0]] * 4 + [[0.4, 0.05, 0.05, 0.5]] * 6 + [[0.0, 0.0, 0.999, 0.001]])
    said = Guesses("id", np.arange(11).astype(np.str_), DISEASES, told, np.zeros(11, bool), "posterior")
    truth = np.array([1, 2, 1, 2, *[3] * 6, 2], np.int32)
    usual = np.tile([0.35, 0.03, 0.02, 0.6], (11, 1))
    found = count_known(said, truth, usual, named=("hiv", "hepatitis"))
    rows = {row.value: (row.held, row.right, row.calibrated) for row in found}
    assert rows["hiv"] == (1, 1, True)
    assert rows["hepatitis"] == (0, 0, True)
    assert rows["hiv or hepatitis"] == (4, 4, True)
    assert next(row for row in found if row.value == "hiv or hepatitis").by_luck == pytest.approx(0.05**4)
    alone = count_known(said, truth, usual, named=("hiv",))
    assert all(row.value is None or " or " not in row.value for row in alone)


def test_who_had_one_of_several_diseases_anyway_is_not_made_known_by_the_release() -> None:
    told = np.array([[0.0, 0.5, 0.5, 0.0]] * 3)
    said = Guesses("id", np.arange(3).astype(np.str_), DISEASES, told, np.zeros(3, bool), "posterior")
    usual = np.tile([0.004, 0.496, 0.496, 0.004], (3, 1))
    found = count_known(said, np.array([1, 2, 2], np.int32), usual, named=("hiv", "hepatitis"))
    assert (found[-1].before, found[-1].held) == (3, 0)
