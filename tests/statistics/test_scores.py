"""Scores of published rules: golden values, identities on random data, bounds on errors, trees and files."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InputError
from dalenius.knowledge.view import Knowledge, View
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.system.build import build
from dalenius.release.files import read_release, write_release
from dalenius.release.release import Block, Release
from dalenius.statistics.classifiers.predictions import read_predictions
from dalenius.statistics.classifiers.score_forms import FORMS, LABELS, compute, midranks
from dalenius.statistics.classifiers.scores import ClassifierScores, Score, one_score_each
from dalenius.statistics.classifiers.trees import read_tree
from dalenius.statistics.parse import ask, check

SECRET = Column("s", Role.SECRET, Kind.BINARY, ("no", "yes"))
H, S = np.array([1.0, 1, 0, 1, 0, 0]), np.array([1.0, 0, 1, 1, 0, 0])


def roster_of(n: int) -> Roster:
    return Roster.of_names("id", np.array([f"p{i:03}" for i in range(n)]))


def one_rule(values: np.ndarray, *kinds: str) -> ClassifierScores:
    values = np.asarray(values, float)
    return ClassifierScores(
        roster_of(values.size).ids, ("rule",), values[None, :], tuple(Score("rule", kind) for kind in kinds)
    )


def test_golden_classifier():
    statistic = one_rule(H, "error-rate")
    answers = statistic.compute(roster_of(6), S)
    assert answers.tolist() == [2 / 6]
    form = statistic.linear(roster_of(6), answers)
    assert form.rows.tolist() == [[-1, -1, 1, -1, 1, 1]]
    assert form.target[0] == pytest.approx(2 - 3)


def test_golden_auc():
    scores = np.array([0.9, 0.8, 0.8, 0.4, 0.3, 0.1])
    assert midranks(scores).tolist() == [6, 4.5, 4.5, 3, 2, 1]
    assert compute("auc", scores, S) == pytest.approx(5 / 6)
    statistic = one_rule(scores, "positives", "auc")
    form = statistic.linear(roster_of(6), np.array([3, 5 / 6]))
    assert form.target.tolist() == pytest.approx([3, 13.5])
    assert form.rows[1] @ S == pytest.approx(13.5)


def test_scores_agree_with_scikit_learn():
    from sklearn import metrics

    rng = np.random.default_rng(4)
    s, p = rng.integers(0, 2, 50).astype(float), np.round(rng.uniform(0.02, 0.98, 50), 1).clip(0.05, 0.95)
    h = (p > 0.5).astype(float)
    expected = {
        "accuracy": metrics.accuracy_score(s, h),
        "error-rate": metrics.zero_one_loss(s, h),
        "precision": metrics.precision_score(s, h),
        "recall": metrics.recall_score(s, h),
        "log-loss": metrics.log_loss(s, p),
        "brier": metrics.brier_score_loss(s, p),
        "auc": metrics.roc_auc_score(s, p),
    }
    for kind, value in expected.items():
        assert compute(kind, h if kind in LABELS else p, s) == pytest.approx(value), kind


def drawn(seed: int, n: int = 12) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Predictions, probabilities and secrets with which every score is defined."""
    rng = np.random.default_rng(seed)
    h, s = rng.integers(0, 2, n).astype(float), rng.integers(0, 2, n).astype(float)
    h[:2], s[:2] = (0, 1), (1, 0)
    return h, np.round(rng.uniform(0.05, 0.95, n), 1).clip(0.05, 0.95), s


KINDS = tuple(FORMS)


def all_scores(h: np.ndarray, p: np.ndarray) -> ClassifierScores:
    rules = ("label", "number")
    scores = tuple(Score("label" if kind in LABELS else "number", kind) for kind in KINDS)
    return ClassifierScores(roster_of(h.size).ids, rules, np.stack([h, p]), scores)


@given(st.integers(0, 2**32 - 1))
def test_every_score_is_an_exact_equation(seed):
    h, p, s = drawn(seed)
    statistic = all_scores(h, p)
    answers = statistic.compute(roster_of(12), s)
    form = statistic.linear(roster_of(12), answers)
    assert form.rows @ s == pytest.approx(form.target, abs=1e-9)
    assert form.whole is not None
    whole = form.rows[form.whole] @ s
    assert np.array_equal(whole, np.rint(whole))


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-6, 1e-3, 0.05, 0.3]))
def test_errors_move_an_equation_no_further_than_its_reach_and_by_its_gain_at_first(seed, size):
    h, p, s = drawn(seed)
    statistic = all_scores(h, p)
    truth = statistic.compute(roster_of(12), s)
    wrong = np.random.default_rng(seed + 1).uniform(-size, size, truth.size)
    published = truth - wrong
    rates = [
        j for j, score in enumerate(statistic.scores) if score.kind not in ("positives", "true-positives")
    ]
    published[rates] = published[rates].clip(0, None)
    error = truth - published
    form = statistic.linear(roster_of(12), published)
    miss = form.rows @ s - form.target
    assert form.reach is not None
    assert (np.abs(miss) <= form.reach @ np.abs(error) + 1e-9).all()
    if size == 1e-6:
        known = statistic.linear(roster_of(12), truth)
        assert miss == pytest.approx(known.gain @ error, abs=1e-9)


@pytest.mark.parametrize("kind", [k for k in KINDS if k not in ("positives", "auc", "sd")])
def test_a_fraction_that_was_not_multiplied_out_is_caught(kind):
    """Planted: rows of one score with the target of the bare answer."""
    misses = []
    for seed in range(5):
        h, p, s = drawn(seed, 13)
        statistic = one_rule(h if kind in LABELS else p, kind)
        answers = statistic.compute(roster_of(13), s)
        form = statistic.linear(roster_of(13), answers)
        misses.append(float(form.rows[0] @ s - answers[0]))
    assert kind == "true-positives" or max(map(abs, misses)) > 0.1


def test_without_a_published_number_the_equations_fix_the_secret_up_to_scale():
    statistic = one_rule(H, "recall", "fpr", "mean")
    form = statistic.linear(roster_of(6), statistic.compute(roster_of(6), S))
    assert form.target[0] == form.target[2] == 0
    assert form.reach is not None
    assert np.diag(form.reach).tolist() == [6, 6, 6]


def test_printed_digits_become_whole_numbers():
    """400 people and three decimals: the number of errors is known exactly, and contradictions are seen."""
    rng = np.random.default_rng(2)
    h, s = rng.integers(0, 2, 400).astype(float), rng.integers(0, 2, 400)
    statistic = one_rule(h, "error-rate")
    truth = statistic.compute(roster_of(400), s.astype(float))

    def system(answer: float):
        block = Block(statistic, ("estimate",), np.array([[answer]]))
        view = View(Release("r", SECRET, (block,), "rounding:digits=3"), Knowledge(roster_of(400)))
        return build(view).systems[0]

    found = system(round(float(truth[0]), 3))
    assert found.low[0] == found.high[0] == found.centre[0] == round(float(truth[0]) * 400 - h.sum())
    with pytest.raises(InputError, match="must come from a whole number of these people"):
        system(0.234)


def test_many_error_rates_give_everybody_away_and_one_person_moves_them_little():
    rng = np.random.default_rng(3)
    n = 30
    codes = rng.integers(0, 2, (n, 12)).astype(np.int32)
    columns = tuple(Column(f"a{j}", Role.PUBLIC, Kind.BINARY, ("0", "1")) for j in range(12))
    roster = Roster("id", roster_of(n).ids, CodedColumns(columns, codes))
    s = rng.integers(0, 2, n)
    statistic = ask("classifier-score:score=error-rate,trees=100,depth=3,seed=1", roster, rng=rng)
    assert statistic.rows == 100
    assert np.array_equal(statistic.values, ask("classifier-score:trees=100,seed=1", roster, rng=rng).values)
    answers = np.round(statistic.compute(roster, s.astype(float)), 3)
    release = Release("r", SECRET, (Block(statistic, ("estimate",), answers[:, None]),), "rounding:digits=3")
    guesses = reconstruct(View(release, Knowledge(roster)), rng=rng)
    assert (guesses.guess == s).all()
    sensitivity = statistic.sensitivity(1)
    assert sensitivity.l2_squared == pytest.approx(100 / n**2)
    assert np.isinf(one_rule(H, "recall").sensitivity(1).l1)


def test_a_release_with_scores_survives_a_file(tmp_path):
    statistic = all_scores(*drawn(1)[:2])
    answers = statistic.compute(roster_of(12), drawn(1)[2])
    release = Release("r", SECRET, (Block(statistic, ("estimate",), answers[:, None]),), "exact")
    write_release(release, tmp_path / "out")
    again = read_release(tmp_path / "out").blocks[0].statistic
    assert isinstance(again, ClassifierScores)
    assert (again.scores, again.rules) == (statistic.scores, statistic.rules)
    assert np.array_equal(again.values, statistic.values)


def test_people_in_another_order_and_people_who_do_not_fit():
    statistic = one_rule(H, "error-rate")
    roster = roster_of(6)
    turned = Roster.of_names("id", roster.ids[::-1])
    assert statistic.linear(turned, np.array([0.5])).rows.tolist() == [[1, 1, -1, 1, -1, -1]]
    more = Roster.of_names("id", np.append(roster.ids, "stranger"))
    with pytest.raises(InputError, match="1 missing"):
        statistic.linear(more, np.array([0.5]))
    with pytest.raises(InputError, match="1 others"):
        statistic.linear(Roster.of_names("id", roster.ids[:5]), np.array([0.5]))


@pytest.mark.parametrize(
    ("values", "kind", "message"),
    [
        ([0.3, 1.0], "error-rate", "must be 0 or 1"),
        ([0.0, 0.0], "precision", "predicts somebody positive"),
        ([0.5, 1.2], "brier", "must be probabilities"),
        ([0.5, 1.0], "log-loss", "strictly between 0 and 1"),
        ([0.5, 0.6], "f1", "must be a known one"),
    ],
)
def test_bad_rules_are_refused(values, kind, message):
    with pytest.raises(InputError, match=message):
        one_rule(np.array(values), kind)


def test_scores_that_cannot_be_read():
    with pytest.raises(InputError, match="must come with 'positives'"):
        one_rule(H, "auc").linear(roster_of(6), np.array([0.5]))
    with pytest.raises(InputError, match="must come with 'mean'"):
        one_rule(H, "sd").linear(roster_of(6), np.array([0.5]))
    with pytest.raises(InputError, match=r"between 0 and 1; got 13\.7"):
        one_rule(H, "error-rate").linear(roster_of(6), np.array([13.7]))
    with pytest.raises(InputError, match="must be defined on these people"):
        one_rule(H, "recall").compute(roster_of(6), np.zeros(6))
    with pytest.raises(InputError, match="score must be one it knows"):
        check("classifier-score:score=f1")
    assert [str(score) for score in one_score_each(["a"], "sd")] == ["mean of a", "sd of a"]


@pytest.fixture(scope="module")
def fitted():
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(6)
    age, sex, town = rng.integers(20, 80, 90), rng.integers(0, 2, 90), rng.integers(0, 3, 90)
    X = np.column_stack([age, sex, town == 1])
    s = (rng.random(90) < 0.3 + 0.4 * sex).astype(int)
    tree = DecisionTreeClassifier(max_depth=4, random_state=1).fit(X, s)
    levels = sorted({str(a) for a in age})
    columns = (
        Column("age", Role.PUBLIC, Kind.CATEGORICAL, tuple(levels)),
        Column("sex", Role.PUBLIC, Kind.BINARY, ("f", "m")),
        Column("town", Role.PUBLIC, Kind.CATEGORICAL, ("a", "b", "c")),
    )
    codes = np.column_stack([[levels.index(str(a)) for a in age], sex, town]).astype(np.int32)
    return tree, X, Roster("id", roster_of(90).ids, CodedColumns(columns, codes))


NAMES = ("age", "sex", "town_b")


def test_a_fitted_tree_says_what_scikit_learn_says(fitted):
    tree, X, roster = fitted
    read = read_tree(tree, NAMES)
    for end in read.probability(roster):
        assert end == pytest.approx(tree.predict_proba(X)[:, 1])
    for end in read.predict(roster):
        assert np.array_equal(end, tree.predict(X))
    with pytest.raises(InputError, match="must be named"):
        read_tree(tree)


def test_a_printed_tree_says_what_scikit_learn_says(fitted):
    from sklearn.tree import export_text

    tree, X, roster = fitted
    for names in (NAMES, None):
        text = export_text(tree, feature_names=names, max_depth=20)
        for end in read_tree(text, NAMES).predict(roster):
            assert np.array_equal(end, tree.predict(X))
    weights = export_text(tree, feature_names=NAMES, show_weights=True)
    for end in read_tree(weights).probability(roster):
        assert end == pytest.approx(tree.predict_proba(X)[:, 1], abs=0.01)
    with pytest.raises(InputError, match="not cut off"):
        read_tree(export_text(tree, feature_names=NAMES, max_depth=1))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the end of the text"),
        ("|--- a <= 1\n|   |--- class: 0\n|--- b > 1\n|   |--- class: 1\n", "must go on with a > 1"),
        ("|--- class: maybe\n", "must be 0 or 1"),
        ("|--- class: 0\n|--- class: 1\n", "must end where its root ends"),
        ("if a then b", "as export_text prints it"),
    ],
)
def test_bad_trees_are_refused_by_line(text, message):
    with pytest.raises(InputError, match=message):
        read_tree(text)


def test_a_tree_about_unknown_columns(fitted):
    roster = fitted[2]
    stump = "|--- {} <= 0.5\n|   |--- class: 0\n|--- {} > 0.5\n|   |--- class: 1\n"
    with pytest.raises(InputError, match=r"every feature of the tree .*Did you mean 'age'"):
        read_tree(stump.format("agge", "agge")).predict(roster)
    with pytest.raises(InputError, match="must hold numbers, or two levels"):
        read_tree(stump.format("town", "town")).predict(roster)


def test_predictions_from_files(tmp_path):
    roster = roster_of(3)
    wide, long = tmp_path / "wide.csv", tmp_path / "long.csv"
    wide.write_text("id,t1,t2\np002,1,0\np000,0,1\np001,1,1\n")
    rows = ["t1,p002,1", "t1,p000,0", "t1,p001,1", "t2,p000,1", "t2,p001,1", "t2,p002,0"]
    long.write_text("\n".join(["classifier,id,prediction", *rows]) + "\n")
    for path in (wide, long):
        found = read_predictions(path, roster)
        assert found.rules == ("t1", "t2")
        assert found.values.tolist() == [[0, 1, 1], [1, 1, 0]]
        assert not found.within.any()
    bad = {
        "id,prediction\np000,1\np001,0\n": "1 missing",
        "id,prediction\np000,1\np001,0\np002,1\nzz,0\n": "1 others",
        "id,prediction\np000,1\np000,0\np001,1\np002,1\n": "1 repeated",
        "id,prediction\np000,1\np001,x\np002,1\n": "must hold numbers",
        "id\np000\np001\np002\n": "must have a column of predictions",
    }
    for text, message in bad.items():
        wide.write_text(text)
        with pytest.raises(InputError, match=message):
            read_predictions(wide, roster)
