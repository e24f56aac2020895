import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import ThreadpoolController

from dalenius.errors import InputError
from dalenius.knowledge.view import Reference
from dalenius.people.schema import CodedColumns, Column, Kind, Role
from dalenius.reconstruction.attack import population_prior as models
from dalenius.reconstruction.attack import population_prior as population
from dalenius.reconstruction.attack.population_prior import CLIP, predict_population

BINARY = Column("x", Role.PUBLIC, Kind.BINARY, ("no", "yes"))
BINS = Column("age", Role.PUBLIC, Kind.NUMERIC, ("young", "middle", "old"), (30.0, 60.0))
REGION = Column("region", Role.PUBLIC, Kind.CATEGORICAL, tuple(f"r{j}" for j in range(6)))
COLUMNS = (BINARY, BINS, REGION)


def people(n: int, rng: np.random.Generator) -> CodedColumns:
    codes = [rng.integers(0, len(c.levels), n) for c in COLUMNS]
    return CodedColumns(COLUMNS, np.column_stack(codes).astype(np.int32))


def draw(probability: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (rng.random(probability.size) < probability).astype(np.int32)


def rate_one(codes: np.ndarray) -> np.ndarray:
    """An additive rule: each column shifts the odds."""
    return 1 / (1 + np.exp(-(1.5 * codes[:, 0] + codes[:, 1] - 2 + 0.3 * (codes[:, 2] - 2.5))))


def exclusive_or(codes: np.ndarray) -> np.ndarray:
    """A rule that no additive model sees."""
    return np.where((codes[:, 0] == 1) ^ (codes[:, 2] % 2 == 1), 0.9, 0.1)


@pytest.mark.parametrize("rule", [rate_one, exclusive_or])
def test_predictions_come_near_the_true_probabilities(rule):
    rng = np.random.default_rng(3)
    reference, members = people(4000, rng), people(1500, rng)
    other = Reference(reference, draw(rule(reference.codes), rng))
    predicted = predict_population(other, members, ("no", "yes"), rng=rng)[:, 1]
    assert np.abs(predicted - rule(members.codes)).mean() < 0.04


def test_a_secret_that_has_nothing_to_do_with_the_columns_is_predicted_by_its_frequency():
    rng = np.random.default_rng(4)
    reference = people(600, rng)
    secrets = draw(np.full(600, 0.2), rng)
    predicted = predict_population(Reference(reference, secrets), people(200, rng), ("no", "yes"), rng=rng)
    assert np.abs(predicted[:, 1] - secrets.mean()).max() < 0.15
    assert (predicted.argmax(axis=1) == 0).all()


def test_numbers_are_not_mere_categories():
    """Forty ages, three people each: only their order tells."""
    rng = np.random.default_rng(6)
    age = Column("age", Role.PUBLIC, Kind.CATEGORICAL, tuple(str(20 + j) for j in range(40)))
    words = Column("age", Role.PUBLIC, Kind.CATEGORICAL, tuple(f"a{20 + j}" for j in range(40)))
    codes = rng.integers(0, 40, (420, 1)).astype(np.int32)
    secrets = draw(1 / (1 + np.exp(-(codes[:, 0] - 20) / 3)), rng)
    misses = []
    for column in (age, words):
        known = Reference(CodedColumns((column,), codes[:120]), secrets[:120])
        asked = CodedColumns((column,), codes[120:])
        predicted = predict_population(known, asked, ("no", "yes"), rng=np.random.default_rng(1))
        misses.append(float((predicted.argmax(axis=1) != secrets[120:]).mean()))
    assert misses[0] < misses[1] - 0.03


@pytest.mark.parametrize(("size", "secrets"), [(0, []), (3, [0, 1, 1]), (60, [1] * 60)])
def test_too_few_people_or_a_single_value_gives_frequencies(size, secrets):
    rng = np.random.default_rng(5)
    other = Reference(people(size, rng), np.array(secrets, np.int32))
    predicted = predict_population(other, people(4, rng), ("no", "yes"), rng=rng)
    expected = np.clip((sum(secrets) + 0.5) / (size + 1), CLIP, 1 - CLIP)
    np.testing.assert_allclose(predicted[:, 1], expected, rtol=1e-12)


def test_rare_values_get_their_frequency_and_the_rest_a_model():
    rng = np.random.default_rng(6)
    reference, members = people(2000, rng), people(500, rng)
    secrets = draw(rate_one(reference.codes), rng)
    secrets[:3] = 2
    predicted = predict_population(Reference(reference, secrets), members, ("a", "b", "c", "d"), rng=rng)
    np.testing.assert_allclose(predicted.sum(axis=1), 1)
    assert predicted[:, 2].max() < 0.003
    assert np.abs(predicted[:, 1] - rate_one(members.codes)).mean() < 0.05


def test_the_same_generator_gives_the_same_bytes():
    rng = np.random.default_rng(7)
    reference, members = people(1200, rng), people(300, rng)
    other = Reference(reference, draw(exclusive_or(reference.codes), rng))
    runs = [predict_population(other, members, ("n", "y"), rng=np.random.default_rng(1)) for _ in range(2)]
    assert runs[0].tobytes() == runs[1].tobytes()


def test_large_references_are_thinned(monkeypatch):
    monkeypatch.setattr(population, "MOST_PEOPLE", 300)
    rng = np.random.default_rng(8)
    reference = people(3000, rng)
    other = Reference(reference, draw(rate_one(reference.codes), rng))
    predicted = predict_population(other, people(50, rng), ("no", "yes"), rng=rng)
    assert np.isfinite(predicted).all()


def test_other_columns_are_refused():
    rng = np.random.default_rng(10)
    everybody = people(60, rng)
    other = Reference(everybody.select(("x", "age")), np.zeros(60, np.int32))
    with pytest.raises(InputError, match="same levels"):
        predict_population(other, everybody, ("no", "yes"), rng=rng)


def test_secrets_outside_the_levels_are_refused():
    rng = np.random.default_rng(11)
    other = Reference(people(3, rng), np.array([0, 1, 2], np.int32))
    with pytest.raises(InputError, match="codes from 0 to 1"):
        predict_population(other, people(3, rng), ("no", "yes"), rng=rng)


def test_a_fit_is_that_of_scikit_learn_and_starts_no_threads() -> None:
    """Written out or sparse, the numbers are those of a pipeline; what starts threads is known beforehand."""
    rng = np.random.default_rng(3)
    codes = people(80, rng).codes
    # two values are fitted to more digits here than scikit-learn does unless told to
    for values, peer, off in (
        (2, LogisticRegression(tol=1e-10, max_iter=10_000), 1e-7),
        (3, LogisticRegression(max_iter=300), 1e-12),
    ):
        secrets = rng.integers(0, values, 80).astype(np.int32)
        for lines in (False, True):
            design = (models._with_lines if lines else models._one_hot)(COLUMNS, codes)
            ours = models._Logistic().fit(design, secrets).predict_proba(design)
            encoded = csr_array(design)
            theirs = peer.fit(encoded, secrets).predict_proba(encoded)
            assert np.allclose(ours, theirs, rtol=0, atol=off)
    known = {library["filepath"] for library in models._threads().info()}
    assert known == {library["filepath"] for library in ThreadpoolController().info()}


@pytest.mark.parametrize("effect", [0.1, 1.0, 5.0])
def test_newtons_steps_end_where_scikit_learn_does(effect: float) -> None:
    """Also where the columns all but decide the secret; without the penalty they would not."""
    rng = np.random.default_rng(5)
    for people, width in ((12, 3), (60, 12), (200, 30)):
        design = (rng.random((people, width)) < rng.random(width)).astype(float)
        second = rng.random(people) < 1 / (1 + np.exp(-design @ rng.normal(0, effect, width)))
        second[:2] = True, False
        weights = models.newton_logistic(design, second)
        peer = LogisticRegression(tol=1e-9, max_iter=10_000).fit(design, second)
        assert weights is not None
        assert weights[:-1] == pytest.approx(peer.coef_[0], abs=1e-4)
        assert weights[-1] == pytest.approx(peer.intercept_[0], abs=1e-4)
        unpenalised = LogisticRegression(C=1e3, tol=1e-9, max_iter=10_000).fit(design, second)
        assert np.abs(weights[:-1] - unpenalised.coef_[0]).max() > 0.01


@pytest.mark.parametrize("seed", [0, 7, 123456])
def test_people_are_dealt_into_the_parts_of_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for people, values in ((11, 2), (60, 3), (500, 4)):
        place = np.append(np.arange(values).repeat(3), rng.integers(0, values, people - 3 * values))
        rng.shuffle(place)
        splits = StratifiedKFold(3, shuffle=True, random_state=seed).split(np.zeros((people, 1)), place)
        theirs = np.empty(people, int)
        for part, (_, held) in enumerate(splits):
            theirs[held] = part
        assert models.deal_alike(place, 3, seed).tolist() == theirs.tolist()


def test_a_design_that_is_sparse_for_all_is_written_out_for_few(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = people(90, np.random.default_rng(4)).codes
    dense = models._one_hot(COLUMNS, codes)
    monkeypatch.setattr(models, "_WRITTEN_OUT", dense.size - 1)
    some = models._rows(models._one_hot(COLUMNS, codes), np.arange(60))
    assert isinstance(some, np.ndarray)
    assert (some == dense[:60]).all()
