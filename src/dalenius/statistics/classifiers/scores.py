"""Scores of published rules: error rates, precision, log loss and the like, each one equation.

A rule is public: what it says of each person follows from public columns. That it was fitted to the same
people does not matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, nearest
from dalenius.matrices.answers import LinearForm, Sensitivity, Vector
from dalenius.people.schema import Ids, Roster
from dalenius.shown import hides_people
from dalenius.statistics.classifiers.score_forms import (
    FORMS,
    LABELS,
    PROBABILITIES,
    RATES,
    Given,
    compute,
    moved,
)


@dataclass(frozen=True)
class Score:
    """One published score of one rule.

    Parameters
    ----------
    rule
        What the rule is called.
    kind
        Which score: ``error-rate``, ``accuracy``, ``precision``, ``true-positives``, ``recall``, ``fpr``,
        ``log-loss``, ``brier``, ``auc``; ``mean`` or ``sd`` of the rule's values among people with the secret
        (the SD divides by their number); ``positives``, their number, whatever the rule.
    """

    rule: str
    kind: str

    def __post_init__(self) -> None:
        if self.kind not in FORMS:
            raise InputError(
                f"score {self.kind!r}", "must be a known one", self.kind, nearest(self.kind, FORMS)
            )

    def __str__(self) -> str:
        return "positives" if self.kind == "positives" else f"{self.kind} of {self.rule}"


@hides_people()
@dataclass(frozen=True)
class ClassifierScores:
    """Scores of rules on the people.

    Parameters
    ----------
    ids
        The people.
    rules
        What the rules are called.
    values
        What each rule says of each person: one row per rule, one column per person of ``ids``.
    scores
        Which scores are published.
    within
        How far each value may be from what the rule said, of the shape of ``values``; not given, not at all.

    Examples
    --------
    >>> tree = ClassifierScores(np.array(["a", "b"]), ("tree",), np.array([[1.0, 0.0]]),
    ...                         (Score("tree", "error-rate"),))
    >>> people = Roster.of_names("id", np.array(["a", "b"]))
    >>> tree.compute(people, np.array([1.0, 1.0])).tolist()
    [0.5]
    >>> form = tree.linear(people, np.array([0.5]))
    >>> form.rows.tolist(), form.target.tolist()
    ([[-1.0, 1.0]], [0.0])
    """

    ids: Ids
    rules: tuple[str, ...]
    values: NDArray[np.float64]
    scores: tuple[Score, ...]
    within: NDArray[np.float64] | None = None

    kind = "classifier-score"

    def __post_init__(self) -> None:
        if self.values.shape != (len(self.rules), self.ids.size) or (
            self.within is not None and self.within.shape != self.values.shape
        ):
            raise InputError(
                "predictions", "must have one value per rule and person", f"shape {self.values.shape}"
            )
        if len(set(self.scores)) < len(self.scores):
            twice = next(score for score in self.scores if self.scores.count(score) > 1)
            raise InputError(str(twice), "must be published once", "twice")
        for score in self.scores:
            _check_values(score, *self._ends(score))

    @property
    def rows(self) -> int:
        """How many scores there are."""
        return len(self.scores)

    def sensitivity(self, values: int) -> Sensitivity:
        """One secret changed moves a share by 1/n and a number by 1; other scores have no such limit."""
        step = 1 / max(self.ids.size, 1)
        moves = dict.fromkeys(("error-rate", "accuracy", "brier"), step)
        moves |= dict.fromkeys(("true-positives", "positives"), 1.0)
        steps = np.array([moves.get(score.kind, np.inf) for score in self.scores])
        return Sensitivity(float(steps.sum()), float((steps**2).sum()))

    def labels(self) -> Iterator[str]:
        """Name every score."""
        return (str(score) for score in self.scores)

    def fingerprint(self, roster: Roster) -> NDArray[np.int32]:
        """What the rules can tell people apart by."""
        values = self._values(roster)
        codes = [np.unique(row, return_inverse=True)[1] for row in values]
        return np.stack(codes, axis=1).astype(np.int32)

    def compute(self, roster: Roster, secret: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores on the data."""
        values = self._values(roster)
        answers = np.array([compute(s.kind, values[self._rule(s)], secret) for s in self.scores])
        if (undefined := np.flatnonzero(~np.isfinite(answers))).size:
            raise InputError(
                str(self.scores[undefined[0]]),
                "must be defined on these people",
                "a division by nobody",
                "Leave this score out: nobody is predicted positive, or all secrets are the same.",
            )
        return answers

    def linear(self, roster: Roster, answers: NDArray[np.float64]) -> LinearForm:
        """Turn every score into its equation; errors of a published K or mean reach those that use it."""
        values = self._values(roster)
        check_answers(self.scores, answers)
        m = len(self.scores)
        rows, target = np.zeros((m, len(roster))), np.zeros(m)
        gain, reach, whole = np.zeros((m, m)), np.zeros((m, m)), np.zeros(m, np.bool_)
        means = {score.rule: j for j, score in enumerate(self.scores) if score.kind == "mean"}
        count = next((j for j, score in enumerate(self.scores) if score.kind == "positives"), None)
        for j, score in enumerate(self.scores):
            mean = means.get(score.rule)
            given = Given(
                values[self._rule(score)],
                float(answers[j]),
                None if count is None else float(answers[count]),
                None if mean is None else float(answers[mean]),
            )
            form = FORMS[score.kind](given)
            rows[j], target[j], whole[j] = form.row, form.target, form.whole
            gain[j, j], reach[j, j] = form.gain, abs(form.reach)
            for place, (first, most) in ((count, form.by_positives), (mean, form.by_mean)):
                if place is not None and place != j:
                    gain[j, place], reach[j, place] = first, most
        slack = self._open(roster) if self.within is not None and self.within.any() else None
        if slack is not None:
            whole &= slack == 0
        return LinearForm(rows, target, gain, reach, whole, slack)

    def _open(self, roster: Roster) -> Vector:
        """How far values that are not known exactly may move each equation."""
        values, within = self._values(roster), self._values(roster, self.within)
        places = [self._rule(score) for score in self.scores]
        return np.array(
            [moved(s.kind, values[j], within[j]) for s, j in zip(self.scores, places, strict=True)]
        )

    def _ends(self, score: Score) -> tuple[Vector, Vector]:
        """The least and the most that a rule may say of everybody."""
        at = self._rule(score)
        within = 0.0 if self.within is None else self.within[at]
        return self.values[at] - within, self.values[at] + within

    def _rule(self, score: Score) -> int:
        if score.kind == "positives":
            return 0
        if score.rule not in self.rules:
            # not its name: a column of people put in its place would be quoted
            number = 1 + [each.rule for each in self.scores].index(score.rule)
            raise InputError(
                f"the classifier of score {number}",
                "must have predictions",
                "none",
                "Check its name against the columns of predictions.",
            )
        return self.rules.index(score.rule)

    def _values(self, roster: Roster, table: NDArray[np.float64] | None = None) -> Vector:
        """The values in the order of the roster; somebody of whom the rules say nothing is an error."""
        table = self.values if table is None else table
        if np.array_equal(self.ids, roster.ids):
            return table
        order = np.argsort(self.ids)
        at = order[np.minimum(np.searchsorted(self.ids, roster.ids, sorter=order), self.ids.size - 1)]
        missing = np.flatnonzero(self.ids[at] != roster.ids)
        if missing.size:
            raise InputError(
                "predictions",
                "must have everybody on the list of people",
                f"{missing.size:,} missing",
                value=str(roster.ids[missing[0]]),
            )
        if self.ids.size > len(roster):
            extra = np.setdiff1d(self.ids, roster.ids)
            raise InputError(
                "predictions",
                "must be about people on the list only: a score counts everybody it was computed on",
                f"{extra.size:,} others",
                value=str(extra[0]),
            )
        return table[:, at]

    def to_json(self) -> dict[str, Any]:
        """Return the statistic as plain values, without what the rules say of people."""
        return {"kind": self.kind, "scores": [[score.rule, score.kind] for score in self.scores]}


def one_score_each(rules: Sequence[str], kind: str) -> tuple[Score, ...]:
    """Name one kind of score of every rule, and what must be published with it to be of use.

    Examples
    --------
    >>> [str(score) for score in one_score_each(["a", "b"], "auc")]
    ['positives', 'auc of a', 'auc of b']
    """
    scores = [Score(rule, k) for rule in rules for k in (("mean", "sd") if kind == "sd" else (kind,))]
    first = [Score(rules[0], "positives")] if kind == "auc" else []
    return (*first, *dict.fromkeys(scores))


def check_answers(scores: Sequence[Score], answers: NDArray[np.float64]) -> None:
    """Refuse scores that no data can have.

    Examples
    --------
    >>> check_answers([Score("tree", "error-rate")], np.array([13.7]))
    Traceback (most recent call last):
    ...
    dalenius.errors.InputError: error-rate of tree must lie between 0 and 1; got 13.7. Give a fraction, not a
    percentage.
    """
    for score, answer in zip(scores, answers, strict=True):
        # what is read here may be noisy, so half a unit beyond is let through
        if score.kind in RATES and not -0.5 <= answer <= 1.5:
            raise InputError(
                str(score), "must lie between 0 and 1", f"{answer:g}", "Give a fraction, not a percentage."
            )


def _check_values(score: Score, low: Vector, high: Vector) -> None:
    if score.kind in LABELS and not (np.isin(low, (0, 1)) & np.isin(high, (0, 1))).all():
        raise InputError(
            f"predictions for {score}", "must be 0 or 1", "other numbers", "Apply the rule's cut-off first."
        )
    if score.kind == "precision" and not high.any():
        raise InputError(str(score), "must be of a rule that predicts somebody positive", "nobody")
    least, most = float(high.min(initial=1.0)), float(low.max(initial=0.0))
    if score.kind in PROBABILITIES and not 0 <= least <= most <= 1:
        raise InputError(f"predictions for {score}", "must be probabilities", "others")
    if score.kind == "log-loss" and not (low > 0).all() & (high < 1).all():
        raise InputError(
            f"predictions for {score}",
            "must lie strictly between 0 and 1",
            "a probability of 0 or 1, or one that was printed so",
            "Clip them as the publisher did, or give more digits.",
        )
