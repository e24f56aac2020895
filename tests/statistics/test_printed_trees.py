"""Trees as scikit-learn prints them: nobody's prediction is surer than the two decimals of a threshold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier, export_text

from dalenius.errors import InputError
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.published.scores import read_scores
from dalenius.statistics.classifiers.score_forms import FORMS, Given, compute, moved
from dalenius.statistics.classifiers.scores import ClassifierScores, Score
from dalenius.statistics.classifiers.trees import read_tree


def roster_of(x: np.ndarray) -> Roster:
    column = Column("x", Role.PUBLIC, Kind.NUMERIC, ("all",))
    coded = CodedColumns((column,), np.zeros((x.size, 1), np.int32))
    return Roster("id", np.array([f"p{i}" for i in range(x.size)]), coded, {"x": x})


def stump(threshold: str) -> str:
    return f"|--- x <= {threshold}\n|   |--- class: 0\n|--- x >  {threshold}\n|   |--- class: 1\n"


@pytest.mark.parametrize(
    ("threshold", "x", "low", "high"),
    [
        ("0.51", 0.504, 0, 0),
        ("0.51", 0.5051, 0, 1),
        ("0.51", 0.5149, 0, 1),
        ("0.51", 0.516, 1, 1),
        ("0.505000", 0.5051, 1, 1),
        ("1", 1.4, 0, 1),
        ("-0.51", -0.513, 0, 1),
    ],
)
def test_whoever_stands_between_printed_and_true_threshold_may_go_either_way(threshold, x, low, high):
    ends = read_tree(stump(threshold)).predict(roster_of(np.array([x])))
    assert [end.item() for end in ends] == [low, high]


def test_both_ways_of_an_open_branch_may_say_the_same():
    text = (
        "|--- x <= 0.51\n|   |--- x <= 0.20\n|   |   |--- class: 0\n|   |--- x >  0.20\n"
        "|   |   |--- class: 1\n|--- x >  0.51\n|   |--- class: 1\n"
    )
    low, high = read_tree(text).predict(roster_of(np.array([0.51, 0.2])))
    assert low.tolist() == [1, 0]
    assert high.tolist() == [1, 1]


def test_the_class_counts_where_rounded_weights_tie():
    text = "|--- weights: [0.50, 0.50] class: {}\n"
    for label in (0, 1):
        ends = read_tree(text.format(label)).predict(roster_of(np.zeros(1)))
        assert [end.item() for end in ends] == [label, label]


@pytest.mark.parametrize("seed", range(30))
def test_printed_trees_hold_what_was_predicted(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=60).round(3)
    secret = rng.integers(0, 2, 60)
    tree = DecisionTreeClassifier(random_state=1).fit(x[:, None], secret)
    said = tree.predict(x[:, None])
    for decimals in (1, 2, 3, 10):
        text = export_text(tree, feature_names=["x"], decimals=decimals, max_depth=100)
        low, high = read_tree(text).predict(roster_of(x))
        assert ((low <= said) & (said <= high)).all()
    exact = read_tree(tree, ["x"]).predict(roster_of(x))
    assert all(np.array_equal(end, said) for end in exact)


def attack(place, X, text, scores):
    X.assign(id=[f"p{i}" for i in range(len(X))]).to_csv(place / "people.csv", index=False)
    (place / "tree.txt").write_text(text)
    view = read_scores(place / "people.csv", place / "tree.txt", id="id", given=scores, secret="ill")
    return reconstruct(view, rng=np.random.default_rng(1))


@pytest.mark.parametrize("seed", range(10))
def test_a_fully_grown_tree_without_an_error_names_only_those_it_is_sure_of(seed, tmp_path):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"x": rng.uniform(0, 0.2, 12).round(3), "z": rng.uniform(0, 0.2, 12).round(3)})
    secret = rng.integers(0, 2, 12)
    tree = DecisionTreeClassifier(random_state=1).fit(X, secret)
    claims = attack(tmp_path, X, export_text(tree, feature_names=["x", "z"]), {"error-rate": "0.000"})
    assert (claims.guess == secret)[claims.certain].all()
    finer = attack(
        tmp_path, X, export_text(tree, feature_names=["x", "z"], decimals=9), {"error-rate": "0.000"}
    )
    assert finer.certain.all()
    assert (finer.guess == secret).all()


@pytest.mark.parametrize("kind", sorted(FORMS))
def test_equations_hold_within_what_open_values_may_move(kind):
    """Whatever the rule really said, in the interval, the true secret fits the equation."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        secret = rng.integers(0, 2, 12).astype(np.float64)
        secret[:2] = 0, 1
        if kind in ("error-rate", "accuracy", "precision", "true-positives", "recall", "fpr"):
            true, open_ = rng.integers(0, 2, 12).astype(np.float64), rng.random(12) < 0.3
            true[0] = 1
            values, within = np.where(open_, 0.5, true), np.where(open_, 0.5, 0.0)
        else:
            true = rng.uniform(0.05, 0.95, 12)
            values, within = true.round(1), np.full(12, 0.05 + 1e-9)
            if kind == "log-loss":
                true, values, within = true, true.round(2), np.full(12, 0.005 + 1e-9)
        answer, positives = compute(kind, true, secret), float(secret.sum())
        mean = compute("mean", true, secret)
        form = FORMS[kind](Given(values, answer, positives, mean))
        off = abs(form.row @ secret - form.target)
        assert off <= moved(kind, values, within) + 1e-9


def test_scores_of_open_predictions_are_not_whole_where_somebody_is_open():
    ids = np.array(["a", "b", "c"])
    values, within = np.array([[1.0, 0.5, 0.0]]), np.array([[0.0, 0.5, 0.0]])
    scores = ClassifierScores(ids, ("t",), values, (Score("t", "true-positives"),), within)
    form = scores.linear(Roster.of_names("id", ids), np.array([1.0]))
    assert form.whole.tolist() == [False]
    assert form.slack.tolist() == [0.5]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (stump("1e999"), "everyday size"),
        (stump("1.2.3"), "must compare with a number"),
        (stump("0e-999999999"), "everyday size"),
        ("|--- weights: [a, b] class: 1\n", "must be two per leaf"),
        ("|--- weights: [-1, 2] class: 1\n", "must be two per leaf"),
        ("".join(f"{'|   ' * d}|--- x <= {d}\n" for d in range(3000)), "at most 500 levels"),
    ],
)
def test_hostile_trees_are_refused(text, message):
    with pytest.raises(InputError, match=message):
        read_tree(text)


def test_a_tree_in_another_encoding_is_refused(tmp_path):
    (tmp_path / "people.csv").write_text("id,x\np1,1\np2,2\n")
    (tmp_path / "tree.txt").write_bytes(stump("1").encode("utf-16"))
    with pytest.raises(InputError, match=r"tree\.txt"):
        read_scores(
            tmp_path / "people.csv", tmp_path / "tree.txt", id="id", given={"error-rate": "0"}, secret="ill"
        )
