"""From the referee's counts to a finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Literal

from dalenius.errors import InputError
from dalenius.findings.finding import Bound, Difference, Exposed, Finding, KnownPeople, Rare, Rate
from dalenius.findings.interval import mcnemar, share_confidence
from dalenius.findings.severity import WORDS, by_known, grade
from dalenius.findings.words import refuted, sentence
from dalenius.referee.judge import Judgement
from dalenius.referee.score import Tally
from dalenius.release.release import Release

SAMPLE = "Intervals treat the people in the data as a random sample of people like them."


def make_finding(
    judgement: Judgement,
    release: Release,
    *,
    looks: int,
    confidence: float = 0.95,
    population_source: Literal["reference", "k-fold"] | None = None,
    bound: Bound | None = None,
    assumptions: Sequence[str] = (),
) -> Finding:
    """Turn a judgement into a finding whose intervals pay for all looks.

    Parameters
    ----------
    judgement
        The referee's counts.
    release
        What was attacked.
    looks
        How many findings are made together: every release times every attack tried on it.
    confidence
        With which all intervals of the advantage are to hold together.
    population_source
        Where the population baseline was learnt, if there is one.
    bound
        What a theorem says about this release.
    assumptions
        What the finding rests on, one sentence each.

    Raises
    ------
    InputError
        If a population baseline comes without its source, or the other way round.
    """
    if (judgement.against_population is None) != (population_source is None):
        rule = "must be given with a population baseline, and only then"
        raise InputError("population_source", rule, repr(population_source), "Use 'reference' or 'k-fold'.")
    level = share_confidence(confidence, looks)
    advantage = Difference.of(judgement.advantage, level)
    control = None if judgement.control is None else Difference.of(judgement.control, level)
    gains = control is not None and control.low > 0
    n = judgement.attack.trials
    wrong = refuted(judgement.certain)
    graded = grade(
        low=advantage.low,
        baseline=judgement.advantage.baseline.rate,
        wrong=judgement.wrong / n,
        certain=0.0 if wrong else judgement.certain.trials / n,
        control_gains=gains,
    )
    finding = Finding(
        **_subject(release),
        **_scores(judgement, level),
        notes=judgement.notes + ((wrong,) if wrong else ()),
        population_source=population_source,
        advantage=advantage,
        mcnemar_p=mcnemar(advantage.only_attack, advantage.only_baseline),
        control=control,
        control_gains=gains,
        bound=bound,
        assumptions=(*assumptions, SAMPLE),
        looks=looks,
        severity=graded.severity,
        severity_reason=graded.reason,
        sentence=sentence(release.name, judgement, established=advantage.low > 0, control_gains=gains),
    )
    if gains:
        return finding
    known = by_known(finding.established() / n)
    worse = WORDS.index(known.severity) > WORDS.index(graded.severity)
    return finding.model_copy(
        update={"severity": known.severity, "severity_reason": known.reason} if worse else {}
    )


def _subject(release: Release) -> dict[str, Any]:
    return {
        "release": release.name,
        "secret": release.secret.name,
        "numbers": release.size,
        "mechanism": release.mechanism,
        "promise": release.promise.said if release.promise else None,
    }


def _scores(judgement: Judgement, level: float) -> dict[str, Any]:
    population, sure, exposed = judgement.against_population, judgement.certain, judgement.exposed
    people = judgement.attack.trials
    return {
        "attack_method": judgement.method,
        "people": people,
        "values": judgement.values,
        "attack": Rate.of(judgement.attack, level),
        "baseline_majority": Rate.of(judgement.against_majority.baseline, level),
        "baseline_population": Rate.of(population.baseline, level) if population else None,
        "best_baseline": judgement.best_baseline,
        "certain": Rate.of(Tally(sure.trials, people), level),
        "certain_right": sure.hits,
        "exposed": Exposed(confidence=judgement.confident, people=exposed.trials, right=exposed.hits),
        "known_at": judgement.known_at,
        "known": tuple(KnownPeople(**asdict(known)) for known in judgement.known),
        "rare": _rare(judgement),
        "calibration_error": judgement.calibration_error,
        "level_calibration_error": judgement.level_calibration_error,
        "brier": judgement.brier,
        "balanced_accuracy": judgement.balanced_accuracy,
    }


def _rare(judgement: Judgement) -> Rare:
    guessed, recall = judgement.rare_precision, judgement.rare_recall
    return Rare(guessed=guessed.trials, guessed_right=guessed.hits, people=recall.trials)
