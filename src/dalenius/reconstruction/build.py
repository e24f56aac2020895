"""From guesses and the referee's counts to a finding about secrets, and what makes it readable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

from dalenius.errors import InputError
from dalenius.findings.default_policy import CONFIDENCE
from dalenius.findings.explanation import Explanation, Why, said_of_causes
from dalenius.findings.measure import Bound, Gain, Measure, Rate
from dalenius.findings.policy import WORDS, Grade, by_known, grade
from dalenius.findings.report import Headings
from dalenius.findings.tally import mcnemar, share_confidence
from dalenius.progress import Progress
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.finding import (
    Exposed,
    Judged,
    KnownPeople,
    Rare,
    Secrets,
    SecretsFinding,
    established,
)
from dalenius.reconstruction.referee.judge import Judgement, Thresholds
from dalenius.reconstruction.words import facts, if_as_stated, refuted, sentence
from dalenius.release.release import Release
from dalenius.shown import people

if TYPE_CHECKING:
    from dalenius.reconstruction.opened import SecretsOpened


HEADINGS = Headings(
    attack="recovered",
    baseline="without it",
    control="control",
    about="advantage and control are",
    over="the better guess without the release",
)


SAMPLE = "Intervals treat the people in the data as a random sample of people like them."


NOBODY_COUNTS = "the truth was not given (--truth), so nobody can count which guesses are right"


@dataclass(frozen=True)
class Guessed:
    """What an attack says about its own guesses, nobody named.

    Parameters
    ----------
    method, notes
        Which decoder, and what it has to say.
    people, values
        How many people were guessed, and how many values there are to guess.
    certain
        People whose secret follows by arithmetic.
    confident, exposed
        From which probability on somebody counts as exposed, and how many are.
    expected_right
        How many guesses the attack expects to be right.
    """

    method: str
    notes: tuple[str, ...]
    people: int
    values: int
    certain: int
    confident: float
    exposed: int
    expected_right: float


def make_finding(
    judgement: Judgement,
    release: Release,
    *,
    looks: int,
    confidence: float = CONFIDENCE,
    population_source: Literal["reference", "k-fold"] | None = None,
    bound: Bound | None = None,
    assumptions: Sequence[str] = (),
) -> SecretsFinding:
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
    measure = _measure(judgement, level)
    judged = _judged(judgement, measure, level, population_source)
    wrong = refuted(judgement.certain)
    graded = _grade(judgement, judged, measure.advantage, level)
    said = sentence(
        release.name,
        judgement,
        established=measure.advantage is not None and measure.advantage.low > 0,
        control_gains=judged.control_gains,
    )
    exposed = Exposed(
        confidence=judgement.confident, people=judgement.exposed.trials, right=judgement.exposed.hits
    )
    return _with_facts(
        SecretsFinding(
            release=release.name,
            people=judgement.attack.trials,
            numbers=release.size,
            mechanism=release.mechanism,
            promise=release.promise.said if release.promise else None,
            attack_method=judgement.method,
            measures=(measure,),
            deciding=0,
            headings=HEADINGS,
            certain=0 if wrong else judgement.certain.trials,
            known=sum(row.right for row in judged.known),
            bound=bound,
            confidence=level,
            looks=looks,
            severity=graded.severity,
            severity_reason=graded.reason,
            sentence=said,
            notes=judgement.notes + ((wrong,) if wrong else ()),
            assumptions=(*assumptions, SAMPLE),
            explanation=Explanation(
                learned=tuple(row.model_copy(update={"sure": 0}) for row in judgement.learned)
                if wrong
                else judgement.learned,
                calibration=judgement.stated,
            ),
            details=Secrets(
                secret=release.secret.name,
                values=judgement.values,
                expected_right=judgement.expected_right,
                exposed=exposed,
                judged=judged,
            ),
        )
    )


def make_untested_finding(
    guessed: Guessed, release: Release, *, assumptions: Sequence[str] = ()
) -> SecretsFinding:
    """Say what an attack claims where nobody can count: only what follows by arithmetic is shown.

    Parameters
    ----------
    guessed
        What the attack says about its own guesses.
    release
        What was attacked.
    assumptions
        What the finding rests on, one sentence each.
    """
    graded = Grade("undecided", NOBODY_COUNTS)
    if guessed.certain:
        graded = grade(low=0.0, baseline=0.0, wrong=1.0, certain=guessed.certain / guessed.people)
    return _with_facts(
        SecretsFinding(
            release=release.name,
            people=guessed.people,
            numbers=release.size,
            mechanism=release.mechanism,
            promise=release.promise.said if release.promise else None,
            attack_method=guessed.method,
            measures=(),
            deciding=None,
            headings=HEADINGS,
            certain=guessed.certain,
            bound=None,
            undecided=NOBODY_COUNTS,
            confidence=None,
            looks=None,
            severity=graded.severity,
            severity_reason=graded.reason,
            sentence=_claimed(guessed, release.mechanism),
            notes=guessed.notes,
            assumptions=tuple(assumptions),
            details=Secrets(
                secret=release.secret.name,
                values=guessed.values,
                expected_right=guessed.expected_right,
                exposed=Exposed(confidence=guessed.confident, people=guessed.exposed, right=None),
                judged=None,
            ),
        )
    )


def _claimed(guessed: Guessed, mechanism: str) -> str:
    share = guessed.expected_right / guessed.people
    sure, verb = guessed.certain, "is" if guessed.certain == 1 else "are"
    unless = if_as_stated(mechanism) if sure else ""
    return (
        f"The attack expects {share:.1%} of its guesses to be right. "
        f"{people(sure)} {verb} certain{unless}: arithmetic alone, no probability."
    )


def _with_facts(finding: SecretsFinding) -> SecretsFinding:
    return finding.model_copy(update={"facts": tuple(facts(finding))})


def _measure(judgement: Judgement, level: float) -> Measure:
    return Measure(
        attack=Rate.of(judgement.attack, level),
        baseline=Rate.of(judgement.advantage.baseline, level),
        advantage=Gain.of(judgement.advantage, level),
        control=None if judgement.control is None else Gain.of(judgement.control, level),
    )


def _judged(
    judgement: Judgement,
    measure: Measure,
    level: float,
    population_source: Literal["reference", "k-fold"] | None,
) -> Judged:
    population, compared = judgement.against_population, judgement.advantage
    guessed, recall = judgement.rare_precision, judgement.rare_recall
    return Judged(
        baseline_majority=Rate.of(judgement.against_majority.baseline, level),
        baseline_population=Rate.of(population.baseline, level) if population else None,
        population_source=population_source,
        best_baseline=judgement.best_baseline,
        only_attack=compared.only_attack,
        only_baseline=compared.only_baseline,
        mcnemar_p=mcnemar(compared.only_attack, compared.only_baseline),
        control_gains=measure.control is not None and measure.control.low > 0,
        certain_right=judgement.certain.hits,
        certain_wrong=judgement.certain.trials - judgement.certain.hits,
        known_at=judgement.known_at,
        known=tuple(KnownPeople(**asdict(known)) for known in judgement.known),
        rare=Rare(guessed=guessed.trials, guessed_right=guessed.hits, people=recall.trials),
        calibration_error=judgement.calibration_error,
        level_calibration_error=judgement.level_calibration_error,
        brier=judgement.brier,
        balanced_accuracy=judgement.balanced_accuracy,
    )


def _grade(judgement: Judgement, judged: Judged, advantage: Gain | None, level: float) -> Grade:
    """The worse of what the gain, the certain and the known people say."""
    n = judgement.attack.trials
    graded = grade(
        low=0.0 if advantage is None else advantage.low,
        baseline=judgement.advantage.baseline.rate,
        wrong=judgement.wrong / n,
        certain=0.0 if refuted(judgement.certain) else judgement.certain.trials / n,
        control_gains=judged.control_gains,
    )
    if judged.control_gains:
        return graded
    known = by_known(established(judged, level) / n)
    told = any(row.to_insiders for row in judged.known)
    to_insiders = Grade(
        "moderate" if told else "none", "somebody's secret follows for somebody else in the data"
    )
    return max(graded, known, to_insiders, key=lambda one: WORDS.index(one.severity))


NOT_TAKEN_APART = (
    "the release without each of its tables: with blocks, or records of many people, every attack takes as "
    "long as this one. To see which table tells most, audit the people of some blocks without schema.split."
)
"""Why no cause is looked for among very many people."""


def explain(
    opened: SecretsOpened, release: str, claims: Guesses, finding: SecretsFinding, *, progress: Progress
) -> SecretsFinding:
    """Return the finding with whom it hits, and where somebody is at risk or a gain is shown, with why."""
    policy = opened.policy
    thresholds = Thresholds(known=policy.known_at, named=policy.sensitive or ())
    at_risk = opened.court.at_risk(claims, thresholds)
    shown = at_risk.count > 0 or finding.advantage.low > 0
    why = None
    if opened.scenario.why and shown and (opened.scenario.split is not None or opened.people.by_record):
        words = "people who are certain or as good as known"
        why = Why(counted=words, whole=float(at_risk.count), left_out=NOT_TAKEN_APART)
    elif opened.scenario.why and shown:
        from dalenius.reconstruction.why.leave_one_out import look_for_causes  # a pass needs none of it

        why = look_for_causes(opened, release, claims, progress=progress)
    explanation = finding.explanation.model_copy(
        update={"groups": at_risk.groups(opened.roster.attributes, opened.scenario.split), "why": why}
    )
    return finding.model_copy(
        update={"explanation": explanation, "facts": (*finding.facts, *said_of_causes(why))}
    )
