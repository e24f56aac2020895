import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.people.schema import CodedColumns, Column, Kind, Role
from dalenius.reconstruction.referee.baseline import fold_population, majority, start_from

COLUMNS = tuple(Column(f"x{j}", Role.PUBLIC, Kind.NUMERIC, tuple("abcde")) for j in range(8))


def members(n: int, rng: np.random.Generator) -> tuple[CodedColumns, np.ndarray]:
    codes = rng.integers(0, 5, (n, len(COLUMNS))).astype(np.int32)
    odds = 0.8 * (codes[:, 0] - 2) + 0.5 * (codes[:, 1] - 2)
    return CodedColumns(COLUMNS, codes), (rng.random(n) < 1 / (1 + np.exp(-odds))).astype(np.int32)


def test_it_predicts_members_as_well_as_the_rule_allows():
    rng = np.random.default_rng(1)
    attributes, truth = members(1500, rng)
    predicted = fold_population(attributes, truth, ("no", "yes"), rng=rng)
    odds = 0.8 * (attributes.codes[:, 0] - 2) + 0.5 * (attributes.codes[:, 1] - 2)
    best = ((odds >= 0) == truth).mean()
    assert ((predicted[:, 1] >= 0.5) == truth).mean() > best - 0.03


def test_nobodys_own_secret_enters_their_own_prediction():
    """With one fold per person, flipping a secret moves everybody's prediction but its owner's."""
    rng = np.random.default_rng(2)
    attributes, truth = members(20, rng)
    other = truth.copy()
    other[7] = 1 - other[7]
    one, two = (
        fold_population(attributes, t, ("no", "yes"), 20, rng=np.random.default_rng(3))
        for t in (truth, other)
    )
    np.testing.assert_array_equal(one[7], two[7])
    assert (one[np.arange(20) != 7] != two[np.arange(20) != 7]).all()


def test_a_secret_without_any_rule_is_not_predicted():
    rng = np.random.default_rng(4)
    attributes, _ = members(800, rng)
    truth = rng.integers(0, 2, 800).astype(np.int32)
    predicted = fold_population(attributes, truth, ("no", "yes"), rng=rng)
    assert ((predicted[:, 1] >= 0.5) == truth).mean() < 0.56


@pytest.mark.parametrize("n", [60, 30])
def test_few_people_are_predicted_by_what_explains_their_secret(n):
    """Without it the commonest value was the baseline, and a table of that column looked like a leak."""
    rng = np.random.default_rng(n)
    codes = rng.integers(0, 2, (n, 1)).astype(np.int32)
    truth = np.where(rng.random(n) < 0.92, codes[:, 0], 1 - codes[:, 0]).astype(np.int32)
    attributes = CodedColumns((Column("x", Role.PUBLIC, Kind.BINARY, ("a", "b")),), codes)
    predicted = fold_population(attributes, truth, ("no", "yes"), rng=rng)
    assert (predicted.argmax(axis=1) == truth).mean() > 0.85


def test_the_start_is_the_better_of_predictions_and_shares():
    truth = np.array([0] * 9 + [1], np.int32)
    good = np.where(truth[:, None] == [0, 1], 0.8, 0.2)
    assert start_from(good, truth) is good
    np.testing.assert_allclose(start_from(1 - good, truth), np.tile([9.5 / 11, 1.5 / 11], (10, 1)))


def test_one_person_alone_gets_equal_chances():
    attributes, truth = members(1, np.random.default_rng(6))
    predicted = fold_population(attributes, truth, ("no", "yes"), rng=np.random.default_rng(6))
    np.testing.assert_allclose(predicted, 0.5)


@pytest.mark.parametrize(("truth", "code"), [([0, 0, 1], 0), ([0, 1], 1), ([2, 2, 1, 0], 2), ([0], 0)])
def test_majority_by_hand(truth, code):
    assert majority(np.array(truth, np.int32)) == code


def test_bad_input_is_refused():
    attributes, truth = members(10, np.random.default_rng(7))
    rng = np.random.default_rng(7)
    with pytest.raises(InputError, match="one secret for each"):
        fold_population(attributes, truth[:9], ("no", "yes"), rng=rng)
    with pytest.raises(InputError, match="folds must be 2"):
        fold_population(attributes, truth, ("no", "yes"), 1, rng=rng)
    with pytest.raises(InputError, match="at least one person"):
        majority(truth[:0])
