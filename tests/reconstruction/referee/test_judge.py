import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InputError
from dalenius.findings.explanation import calibration_error
from dalenius.findings.tally import Comparison, Tally
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.referee.baseline import Redraw, brier
from dalenius.reconstruction.referee.judge import judge, judge_control

IDS = np.array(["a", "b", "c", "d", "e", "f"])
TRUTH = np.array([0, 0, 0, 0, 1, 1], np.int32)


def guesses(of_yes: list[float], certain: list[int] = (), ids: np.ndarray = IDS) -> Guesses:
    yes = np.array(of_yes)
    sure = np.isin(np.arange(yes.size), certain)
    return Guesses("id", ids, ("no", "yes"), np.column_stack([1 - yes, yes]), sure, "planted", ("a note",))


CLAIMS = guesses([0.0, 0.1, 0.02, 0.6, 0.96, 0.3], certain=[0])
POPULATION = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.5, 0.5], [0.3, 0.7], [0.4, 0.6]])


def test_by_hand():
    judgement = judge(CLAIMS, IDS, TRUTH, population=POPULATION)
    assert judgement.attack == Tally(4, 6)  # d is guessed yes, f no
    assert judgement.wrong == 2
    assert judgement.against_majority == Comparison(Tally(4, 6), Tally(4, 6), 1, 1)  # e against d
    # The population is right about a, c, e, f; a tie (d) goes to the later value, as for the attack.
    assert judgement.against_population == Comparison(Tally(4, 6), Tally(4, 6), 1, 1)
    assert judgement.best_baseline == "population"
    assert judgement.certain == Tally(1, 1)
    assert judgement.exposed == Tally(3, 3)  # a, c, e
    assert judgement.rare_precision == Tally(1, 1)
    assert judgement.rare_recall == Tally(1, 2)
    assert judgement.balanced_accuracy == pytest.approx((3 / 4 + 1 / 2) / 2)
    assert judgement.brier == pytest.approx((0 + 0.01 + 0.0004 + 0.36 + 0.0016 + 0.49) / 6)
    # Each claim is alone in its bin of width 1/15, but 1 and 0.98 and 0.96 share the last.
    gaps = abs(1 - 1 + 0.98 - 1 + 0.96 - 1) + abs(0.9 - 1) + abs(0.6 - 0) + abs(0.7 - 0)
    assert judgement.calibration_error == pytest.approx(gaps / 6)


def test_without_a_population_the_majority_is_the_baseline():
    judgement = judge(CLAIMS, IDS, TRUTH)
    assert judgement.against_population is None
    assert judgement.best_baseline == "majority"
    assert judgement.advantage is judgement.against_majority


def test_a_population_worse_than_the_majority_is_not_the_opponent():
    judgement = judge(CLAIMS, IDS, TRUTH, population=1 - POPULATION)
    assert judgement.best_baseline == "majority"


def test_a_wrong_certainty_shows():
    judgement = judge(guesses([0.0, 0.0, 0.0, 1.0, 1.0, 1.0], certain=[0, 3]), IDS, TRUTH)
    assert judgement.certain == Tally(1, 2)


def test_it_is_plain_values():
    control = Comparison(Tally(1, 2), Tally(1, 2), 0, 0)
    plain = json.loads(json.dumps(judge(CLAIMS, IDS, TRUTH, control=control).to_json()))
    assert plain["against_majority"]["attack"] == {"hits": 4, "trials": 6}
    assert plain["control"]["only_attack"] == 0
    assert "ids" not in plain


def test_a_control_is_scored_on_the_chosen_against_their_real_secrets():
    redraw = Redraw(
        np.array([False, True, False, False, False, True]), np.array([0, 1, 0, 0, 1, 0], np.int32)
    )
    fakes_recovered = guesses([0.0, 0.9, 0.0, 0.0, 0.9, 0.1])
    comparison = judge_control(fakes_recovered, redraw, TRUTH, POPULATION, truth_ids=IDS)
    assert comparison == Comparison(Tally(0, 2), Tally(1, 2), 0, 1)


def test_other_people_or_another_order_are_refused():
    with pytest.raises(InputError, match="first in row 1"):
        judge(CLAIMS, IDS[::-1], TRUTH)
    with pytest.raises(InputError, match="6 claims, 5 names"):
        judge(CLAIMS, IDS[:5], TRUTH[:5])
    redraw = Redraw(np.ones(6, bool), TRUTH)
    with pytest.raises(InputError, match="order of the truth"):
        judge_control(CLAIMS, redraw, TRUTH, POPULATION, truth_ids=IDS[::-1])


def test_unusable_arrays_are_refused():
    nobody = np.zeros(0, np.int32)
    with pytest.raises(InputError, match="at least one person"):
        judge(guesses([], ids=IDS[:0]), IDS[:0], nobody)
    with pytest.raises(InputError, match="codes from 0 to 1"):
        judge(CLAIMS, IDS, TRUTH + 1)
    with pytest.raises(InputError, match="no number"):
        judge(guesses([np.nan] * 6), IDS, TRUTH)
    with pytest.raises(InputError, match="population must have 6 rows"):
        judge(CLAIMS, IDS, TRUTH, population=POPULATION[:5])
    with pytest.raises(InputError, match="control group"):
        judge_control(CLAIMS, Redraw(np.ones(5, bool), TRUTH[:5]), TRUTH, POPULATION, truth_ids=IDS)


def test_an_error_never_shows_a_secret():
    with pytest.raises(InputError) as caught:
        judge(CLAIMS, IDS[::-1], TRUTH)
    assert not {"yes", "no", "'a'"} & set(str(caught.value).split())


@settings(deadline=None, derandomize=True)
@given(st.integers(1, 60), st.integers(2, 4), st.integers(0, 2**32))
def test_counts_fit_together(n, values, seed):
    rng = np.random.default_rng(seed)
    probability = rng.dirichlet(np.ones(values), n)
    ids = np.arange(n).astype(np.str_)
    levels = tuple(f"v{j}" for j in range(values))
    claims = Guesses("id", ids, levels, probability, rng.random(n) < 0.2, "random")
    truth = rng.integers(0, values, n).astype(np.int32)
    judgement = judge(claims, ids, truth, population=rng.dirichlet(np.ones(values), n))
    advantage = judgement.advantage
    assert advantage.baseline.hits == max(
        judgement.against_majority.baseline.hits, judgement.against_population.baseline.hits
    )
    assert advantage.difference == pytest.approx(advantage.attack.rate - advantage.baseline.rate)
    assert judgement.wrong == (claims.guess != truth).sum()
    assert judgement.rare_recall.hits == judgement.rare_precision.hits
    assert 0 <= judgement.calibration_error <= 1
    assert 0 <= judgement.brier <= 1


def test_truthful_probabilities_are_calibrated_and_boastful_ones_are_not():
    rng = np.random.default_rng(1)
    stated = rng.random(50_000)
    happened = rng.random(50_000) < stated
    assert calibration_error(stated, happened) < 0.01
    assert calibration_error(np.sqrt(stated), happened) > 0.1


def test_a_coin_flip_scores_a_quarter():
    assert brier(np.full((10, 2), 0.5), np.zeros(10, np.int32)) == 0.25


@pytest.mark.parametrize(("hits", "trials"), [(2, 1), (-1, 3)])
def test_impossible_counts_are_refused(hits, trials):
    with pytest.raises(InputError, match="hits"):
        Tally(hits, trials)


@pytest.mark.parametrize(
    "counts",
    [
        (Tally(2, 4), Tally(1, 5), 1, 0),
        (Tally(2, 4), Tally(1, 4), 0, 0),
        (Tally(2, 4), Tally(1, 4), 3, 2),
        (Tally(4, 4), Tally(4, 4), 1, 1),
    ],
)
def test_comparisons_of_different_people_are_refused(counts):
    with pytest.raises(InputError, match="same people"):
        Comparison(*counts)
