"""Judge beliefs against the truth: were they better after the release than before it?

The baseline is the belief before: what the attacker knew about relatives anyway is no leak of the release.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.findings.default_policy import CONFIDENCE, CONFIDENT
from dalenius.findings.explanation import calibration_error
from dalenius.findings.tally import Comparison, Tally, compare, count
from dalenius.inference.attack.beliefs.beliefs import BeliefsByPerson
from dalenius.people.schema import Ids

Floats = NDArray[np.float64]

METHOD = "t interval over connected groups"

UNMOVED = 1e-9
"""Log-odds that moved less than this did not move: it is the rounding of sums."""


@dataclass(frozen=True)
class Paired:
    """A score before and after a release, and the mean change with its interval.

    Parameters
    ----------
    before, after
        Means over the people.
    change
        Mean of after less before, person by person.
    low, high
        Ends of its interval; infinite where there is only one group, whose people are not independent.
    """

    before: float
    after: float
    change: float
    low: float
    high: float


@dataclass(frozen=True)
class BeliefJudgement:
    """What the referee says about beliefs.

    Parameters
    ----------
    method
        What the attacker saw.
    people, groups
        How many people were judged, in how many groups that are independent of each other.
    right
        How often the likelier value is the true one: after against before. A tie goes to 1.
    exposed_before, exposed_after
        People whose value is held to be at least as likely as ``confident``, and how many of them are right.
    confident
        From which probability on a person counts as exposed.
    log_score
        Logarithm of the probability given to the truth: 0 best.
    brier
        Squared distance between probability and truth: 0 best.
    calibration_before, calibration_after
        How far the stated probabilities of a 1 are from how often it is one.
    nearer, farther, unmoved
        People whose truth became likelier, less likely, or neither.
    largest_shift
        The most that anybody's log-odds moved.
    confidence, interval
        Of each interval by itself, and how it was made.
    """

    method: str
    people: int
    groups: int
    right: Comparison
    exposed_before: Tally
    exposed_after: Tally
    confident: float
    log_score: Paired
    brier: Paired
    calibration_before: float
    calibration_after: float
    nearer: int
    farther: int
    unmoved: int
    largest_shift: float
    confidence: float
    interval: str

    def to_json(self) -> dict[str, Any]:
        """Return the judgement as plain values; ends that are infinite become None."""
        plain = asdict(self)
        for score in ("log_score", "brier"):
            plain[score] = {key: value if np.isfinite(value) else None for key, value in plain[score].items()}
        return plain


def judge_beliefs(
    beliefs: BeliefsByPerson,
    truth_ids: Ids,
    truth: NDArray[np.int32],
    *,
    groups: NDArray[np.int32] | None = None,
    confident: float = CONFIDENT,
    confidence: float = CONFIDENCE,
) -> BeliefJudgement:
    """Score beliefs before and after a release on the same people.

    Parameters
    ----------
    beliefs
        What the attack says.
    truth_ids, truth
        The same people in the same order, and their bits.
    groups
        Number of each person's connected group (`CorrelationModel.components`): people of one group are
        related, so that it is groups that are counted for the interval. One a person unless given.
    confident
        From which probability on a person counts as exposed.

    Raises
    ------
    InputError
        If beliefs and truth are about different people or in different orders, or the truth is not bits.

    Examples
    --------
    >>> ids = np.array(["a", "b"])
    >>> seen = BeliefsByPerson("id", ids, np.zeros(2), np.array([2.0, -2.0]), "randomised response")
    >>> judged = judge_beliefs(seen, ids, np.array([0, 1], np.int32))
    >>> judged.right.attack, judged.right.baseline, judged.nearer, round(judged.log_score.change, 3)
    (Tally(hits=2, trials=2), Tally(hits=1, trials=2), 2, 0.566)
    """
    _check(beliefs, truth_ids, truth, groups)
    if not 0 < confidence < 1:
        raise InputError("confidence", "must lie strictly between 0 and 1", f"{confidence:g}")
    group = np.arange(truth.size) if groups is None else np.unique(groups, return_inverse=True)[1]
    toward = np.where(truth == 0, 1.0, -1.0)
    before, after = toward * beliefs.before, toward * beliefs.after  # log-odds of the truth
    moved = after - before
    one_before, one_after = beliefs.probability_before, beliefs.probability_after
    return BeliefJudgement(
        method=beliefs.method,
        people=truth.size,
        groups=int(group.max()) + 1,
        right=compare((one_after >= 0.5) == truth, (one_before >= 0.5) == truth),
        exposed_before=_exposed(one_before, truth, confident),
        exposed_after=_exposed(one_after, truth, confident),
        confident=confident,
        log_score=_paired(-np.logaddexp(0, -before), -np.logaddexp(0, -after), group, confidence),
        brier=_paired((one_before - truth) ** 2, (one_after - truth) ** 2, group, confidence),
        calibration_before=calibration_error(one_before, truth == 1),
        calibration_after=calibration_error(one_after, truth == 1),
        nearer=int((moved > UNMOVED).sum()),
        farther=int((moved < -UNMOVED).sum()),
        unmoved=int((np.abs(moved) <= UNMOVED).sum()),
        largest_shift=float(np.abs(moved).max()),
        confidence=confidence,
        interval=METHOD,
    )


def _check(
    beliefs: BeliefsByPerson, truth_ids: Ids, truth: NDArray[np.int32], groups: NDArray[np.int32] | None
) -> None:
    people = beliefs.ids.size
    if not people == truth_ids.size == truth.size or people == 0:
        raise InputError(
            "beliefs",
            "must be about the people of the truth, at least one",
            f"{people:,} beliefs, {truth_ids.size:,} names and {truth.size:,} bits",
        )
    other = np.flatnonzero(beliefs.ids != truth_ids)
    if other.size:
        raise InputError(
            "beliefs",
            "must name the people in the order of the truth",
            f"{other.size:,} names that differ, first in row {other[0] + 1:,}",
            f"Sort both by {beliefs.id_name!r}.",
        )
    if not np.isin(truth, (0, 1)).all():
        raise InputError("truth", "must be 0 or 1 for everybody", "other values")
    if np.isnan(beliefs.before).any() or np.isnan(beliefs.after).any():
        raise InputError("beliefs", "must be log-odds for everybody", "some that are no number")
    if groups is not None and groups.shape != truth.shape:
        raise InputError("groups", f"must be one number for each of {people:,} people", f"{groups.shape}")


def _exposed(one: Floats, truth: NDArray[np.int32], confident: float) -> Tally:
    sure = np.maximum(one, 1 - one) >= confident
    return count(((one >= 0.5) == truth)[sure])


def _paired(before: Floats, after: Floats, group: NDArray[np.intp], confidence: float) -> Paired:
    """The mean change, with an interval that takes groups, not people, for independent.

    The ratio of two group totals, change and people, with its linearised variance (Cochran 1977, *Sampling
    Techniques*, chapter 6) and t quantiles for one less than the number of groups.
    """
    from scipy.special import stdtrit

    change = after - before
    mean, groups = float(change.mean()), int(group.max()) + 1
    low, high = -np.inf, np.inf
    if groups > 1:
        excess = np.bincount(group, change - mean)
        spread = np.sqrt(groups / (groups - 1) * (excess**2).sum()) / change.size
        reach = float(stdtrit(groups - 1, (1 + confidence) / 2) * spread)
        low, high = mean - reach, mean + reach
    return Paired(float(before.mean()), float(after.mean()), mean, low, high)
