"""Judge claims against the truth: everything a finding is made of, as counts and a few numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.findings.default_policy import CONFIDENT, KNOWN_AT
from dalenius.findings.explanation import Learned, StatedAndRight, calibration_error, stated_and_right
from dalenius.findings.tally import Comparison, Tally, compare, count, total
from dalenius.people.schema import Ids
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.referee.baseline import Redraw, balanced_accuracy, brier, check_people, majority
from dalenius.reconstruction.referee.known import Known, count_known, count_learned


@dataclass(frozen=True)
class Judgement:
    """What the referee says about one attack.

    Parameters
    ----------
    method, notes
        Which decoder made the claims, and what it had to say about them.
    values
        How many values the secret can take.
    against_majority
        The attack beside guessing the commonest secret for everybody.
    against_population
        The attack beside the best prediction from public columns; ``None`` where there was none.
    certain
        People whose secret the attack calls certain, and how many of those calls are right.
    confident
        From which probability on a person counts as exposed.
    exposed
        People guessed with at least that probability, and how many of those guesses are right.
    rare_precision
        Such guesses of another value than the commonest, and how many are right.
    rare_recall
        People with another value than the commonest, and how many are so guessed.
    calibration_error
        How far the probability of the guessed value is from how often the guess is right.
    level_calibration_error
        The same for the probability of every value.
    brier, balanced_accuracy
        See `score`.
    control
        The attack on a control group beside the population baseline; ``None`` without one.
    known_at
        From which probability on a person counts as known.
    known
        Who is known beyond the baseline, by value; see `count_known`.
    expected_right
        How many guesses the attack itself expects to be right.
    learned
        People by who is right about them, all and by value; see `count_learned`.
    stated
        Claims by their probability, and how many are right; without those that are certain.
    """

    method: str
    notes: tuple[str, ...]
    values: int
    against_majority: Comparison
    against_population: Comparison | None
    certain: Tally
    confident: float
    exposed: Tally
    rare_precision: Tally
    rare_recall: Tally
    calibration_error: float
    level_calibration_error: float
    brier: float
    balanced_accuracy: float
    control: Comparison | None
    known_at: float = KNOWN_AT
    known: tuple[Known, ...] = ()
    expected_right: float = 0.0
    learned: tuple[Learned, ...] = ()
    stated: tuple[StatedAndRight, ...] = ()

    @property
    def attack(self) -> Tally:
        """How often the attack is right."""
        return self.against_majority.attack

    @property
    def wrong(self) -> int:
        """How many people are guessed wrong: the Hamming distance to the truth."""
        return self.attack.trials - self.attack.hits

    @property
    def best_baseline(self) -> Literal["majority", "population"]:
        """``population`` or ``majority``: which is right more often on these people."""
        population = self.against_population
        beaten = population is None or population.baseline.hits < self.against_majority.baseline.hits
        return "majority" if beaten else "population"

    @property
    def advantage(self) -> Comparison:
        """The attack beside the better baseline."""
        population = self.against_population
        if population is None or self.best_baseline == "majority":
            return self.against_majority
        return population

    def to_json(self) -> dict[str, Any]:
        """Return the judgement as plain values."""
        rows = {name: [row.model_dump() for row in getattr(self, name)] for name in ("learned", "stated")}
        return asdict(self) | {"notes": list(self.notes), "best_baseline": self.best_baseline} | rows


@dataclass(frozen=True)
class Thresholds:
    """From which probability on people are counted.

    Parameters
    ----------
    exposed
        As exposed.
    known
        As known.
    named
        The values of known people that may be named however few have them: see `count_known`.
    """

    exposed: float = CONFIDENT
    known: float = KNOWN_AT
    named: tuple[str, ...] = ()


def judge(
    claims: Guesses,
    truth_ids: Ids,
    truth: NDArray[np.int32],
    *,
    population: NDArray[np.float64] | None = None,
    control: Comparison | None = None,
    start: NDArray[np.float64] | None = None,
    thresholds: Thresholds | None = None,
) -> Judgement:
    """Score an attack's guesses beside both baselines.

    Parameters
    ----------
    claims
        What the attack says.
    truth_ids, truth
        The same people in the same order, and the codes of their secrets.
    population
        For every person and value, its probability without the release: from reference people
        (`predict_population`) or, where there are none, from `fold_population`.
    control
        What `judge_control` found, if a control was run.
    start
        The probabilities that the attack started from, if others than ``population``: people whom they
        know already are not known by the release.
    thresholds
        From which probability on people count as exposed and as known.

    Raises
    ------
    InputError
        If claims and truth are about different people or in different orders.

    Examples
    --------
    >>> claims = Guesses("id", np.array(["a", "b"]), ("no", "yes"), np.array([[0.1, 0.9], [1.0, 0.0]]),
    ...                  np.array([False, True]), "lmmse")
    >>> judgement = judge(claims, np.array(["a", "b"]), np.array([1, 0], np.int32))
    >>> judgement.attack, judgement.certain, judgement.best_baseline
    (Tally(hits=2, trials=2), Tally(hits=1, trials=1), 'majority')
    """
    check_people(claims, truth_ids, truth)
    people = claims.people
    commonest = majority(truth, people)
    right = claims.guess == truth
    at = thresholds or Thresholds()
    exposed = claims.confidence >= at.exposed
    rare = exposed & (claims.guess != commonest)
    before = population if start is None else start
    if before is None:
        have = np.bincount(truth, people, minlength=len(claims.levels))
        before = np.tile(have / have.sum(), (truth.size, 1))
    usual = truth == commonest
    foreseen = None if population is None else _right(claims, population, truth)
    better = usual if foreseen is None or total(foreseen, people) < total(usual, people) else foreseen
    estimated = ~claims.certain

    def counted(whom: NDArray[np.bool_]) -> Tally:
        return count(right[whom], None if people is None else people[whom])

    return Judgement(
        method=claims.method,
        notes=claims.notes,
        values=len(claims.levels),
        against_majority=compare(right, usual, people),
        against_population=None if foreseen is None else compare(right, foreseen, people),
        certain=counted(claims.certain),
        confident=at.exposed,
        exposed=counted(exposed),
        rare_precision=counted(rare),
        rare_recall=Tally(total(right & rare & ~usual, people), total(~usual, people)),
        calibration_error=calibration_error(claims.confidence, right, people),
        level_calibration_error=_level_calibration_error(claims, truth),
        brier=brier(claims.probability, truth, people),
        balanced_accuracy=balanced_accuracy(claims.guess, truth, people),
        control=control,
        known_at=at.known,
        known=count_known(claims, truth, before, known_at=at.known, named=at.named),
        expected_right=float(claims.confidence.sum() if people is None else claims.confidence @ people),
        learned=count_learned(claims, truth, before, better, known_at=at.known, named=at.named),
        stated=stated_and_right(
            claims.confidence[estimated], right[estimated], None if people is None else people[estimated]
        ),
    )


def judge_control(
    control_claims: Guesses,
    redraw: Redraw,
    truth: NDArray[np.int32],
    population: NDArray[np.float64],
    *,
    truth_ids: Ids,
) -> Comparison:
    """Score an attack on a release of redrawn secrets, for the chosen people, against their real secrets.

    The release does not depend on those, so a gain over the population baseline is no leak of the release:
    the attack has learnt a correlation that the baseline missed, or has seen the truth.

    Examples
    --------
    >>> claims = Guesses("id", np.array(["a", "b"]), ("no", "yes"), np.array([[0.2, 0.8], [0.7, 0.3]]),
    ...                  np.array([False, False]), "lmmse")
    >>> redraw = Redraw(np.array([True, False]), np.array([1, 0], np.int32))
    >>> usual = np.array([[0.6, 0.4], [0.6, 0.4]])
    >>> judge_control(claims, redraw, np.array([0, 0], np.int32), usual,
    ...               truth_ids=np.array(["a", "b"])).difference
    -1.0
    """
    check_people(control_claims, truth_ids, truth)
    chosen = redraw.chosen
    if chosen.shape != truth.shape:
        raise InputError(
            "control group", f"must be dealt among the {truth.size:,} people", f"{chosen.size:,}"
        )
    right = control_claims.guess == truth
    usual = _right(control_claims, population, truth)
    if chosen.dtype != np.bool_:  # of each line so many people
        return compare(right, usual, chosen.astype(np.int64))
    return compare(right[chosen], usual[chosen])


def _right(claims: Guesses, population: NDArray[np.float64], truth: NDArray[np.int32]) -> NDArray[np.bool_]:
    if population.shape != claims.probability.shape:
        raise InputError(
            "population",
            f"must have {claims.probability.shape[0]:,} rows and {claims.probability.shape[1]} columns",
            f"shape {population.shape}",
        )
    same_rule_for_ties = replace(claims, probability=population).guess
    right: NDArray[np.bool_] = same_rule_for_ties == truth
    return right


def _level_calibration_error(claims: Guesses, truth: NDArray[np.int32]) -> float:
    columns = enumerate(claims.probability.T)
    return float(np.mean([calibration_error(column, truth == v, claims.people) for v, column in columns]))
