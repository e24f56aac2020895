"""From the referee's counts to a finding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from dalenius.errors import InputError
from dalenius.findings.finding import Bound, Difference, Exposed, Finding, Rare, Rate
from dalenius.findings.interval import mcnemar, share_confidence
from dalenius.findings.severity import grade
from dalenius.findings.words import sentence
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
        raise InputError(
            "population_source", "must be given with a population baseline, and only then",
            repr(population_source), "Use 'reference' or 'k-fold'.",
        )  # fmt: skip
    level = share_confidence(confidence, looks)
    advantage = Difference.of(judgement.advantage, level)
    control = None if judgement.control is None else Difference.of(judgement.control, level)
    control_gains = control is not None and control.low > 0
    population, sure, n = judgement.against_population, judgement.certain, judgement.attack.trials
    verdict = grade(
        low=advantage.low,
        baseline=judgement.advantage.baseline.rate,
        wrong=judgement.wrong / n,
        certain=sure.trials / n,
        control_gains=control_gains,
    )
    return Finding(
        release=release.name,
        attack_method=judgement.method,
        notes=judgement.notes + _wrong_certainties(sure),
        people=n,
        secret=release.secret.name,
        values=judgement.values,
        numbers=release.size,
        mechanism=release.mechanism,
        promise=release.promise.text if release.promise else None,
        attack=Rate.of(judgement.attack, level),
        baseline_majority=Rate.of(judgement.against_majority.baseline, level),
        baseline_population=Rate.of(population.baseline, level) if population else None,
        population_source=population_source,
        best_baseline=judgement.best_baseline,
        advantage=advantage,
        mcnemar_p=mcnemar(advantage.only_attack, advantage.only_baseline),
        control=control,
        control_gains=control_gains,
        certain=Rate.of(Tally(sure.trials, n), level),
        certain_right=sure.hits,
        exposed=Exposed(
            confidence=judgement.confident, people=judgement.exposed.trials, right=judgement.exposed.hits
        ),
        rare=_rare(judgement),
        calibration_error=judgement.calibration_error,
        level_calibration_error=judgement.level_calibration_error,
        brier=judgement.brier,
        balanced_accuracy=judgement.balanced_accuracy,
        bound=bound,
        assumptions=(*assumptions, SAMPLE),
        looks=looks,
        severity=verdict.severity,
        severity_reason=verdict.reason,
        sentence=sentence(
            release.name, judgement, established=advantage.low > 0, control_gains=control_gains
        ),
    )


def _rare(judgement: Judgement) -> Rare:
    guessed, recall = judgement.rare_precision, judgement.rare_recall
    return Rare(guessed=guessed.trials, guessed_right=guessed.hits, people=recall.trials)


def _wrong_certainties(sure: Tally) -> tuple[str, ...]:
    wrong = sure.trials - sure.hits
    if not wrong:
        return ()
    return (
        f"{wrong:,} of {sure.trials:,} claims that follow by arithmetic are wrong: "
        "the release was not made as it says.",
    )
