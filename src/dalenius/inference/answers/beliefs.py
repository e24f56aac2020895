"""What is believed about everybody before and after a release, and how right it is."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.auditing.decide import Reported, report_of
from dalenius.errors import InputError
from dalenius.findings.default_policy import CONFIDENCE, CONFIDENT
from dalenius.findings.measure import Gain, Measure, Rate
from dalenius.findings.policy import Grade
from dalenius.findings.report import Headings, Report
from dalenius.inference.answers.privacy_loss import spend
from dalenius.inference.attack.beliefs.beliefs import (
    ONE_COUNT,
    BeliefsByPerson,
    after_answers,
    after_noisy_sum,
)
from dalenius.inference.attack.beliefs.sampled import CONFIDENCE as ALL_TOGETHER
from dalenius.inference.attack.beliefs.sampled import SampledLaw
from dalenius.inference.attack.nu import inferential_privacy
from dalenius.inference.finding import GENES, Beliefs, InferenceFinding, SampledBeliefs, Spread
from dalenius.inference.priors.prior import describe
from dalenius.inference.priors.settle import without_bounds
from dalenius.inference.referee.beliefs import BeliefJudgement, judge_beliefs
from dalenius.inference.words import assumed_prior, beliefs_facts, beliefs_sentence
from dalenius.knowledge.correlation.files.people import LEAST_EPSILON, MOST_EPSILON
from dalenius.knowledge.correlation.network import Network
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.mechanisms.stages.noise import Noise
from dalenius.people.files.read_file import Source
from dalenius.people.opening import open_sheet
from dalenius.people.schema import Ids
from dalenius.people.truth_file import read_truth
from dalenius.progress import Progress, silent, within
from dalenius.shown import hides_people, people

Floats = NDArray[np.float64]

HEADINGS = Headings(
    attack="right after",
    baseline="right before",
    about="the advantage of beliefs is",
    over="beliefs before the release",
    asks="what is believed of related people",
)
TOGETHER = "The interval of how often the likelier value is right takes people as independent of each other."

NOT_SAID = (
    "Beliefs are those of an attacker who knows this prior, this mechanism and this output; another output "
    "would have moved them differently.",
    "What the attacker believed about relatives beforehand is no leak: only the change is the release's.",
    GENES,
)


@hides_people()
@dataclass(frozen=True)
class Believed(Reported):
    """Beliefs with everything that is said about them.

    Parameters
    ----------
    finding
        Without anybody in it.
    beliefs
        Person by person: to be kept as safe as the data.
    nu
        How far each person's log-odds can move at most; None where nothing limits them.
    judgement
        The referee's, where the truth was given.
    confidence
        Of its intervals.
    """

    finding: InferenceFinding
    beliefs: BeliefsByPerson
    nu: Floats | None
    judgement: BeliefJudgement | None
    confidence: float

    @property
    def report(self) -> Report:
        """The finding as a report; nobody is in it."""
        return report_of([self.finding], people=self.beliefs.ids.size, seed=1, confidence=self.confidence)

    def to_csv(self) -> str:
        """Write ``id,before,after``: the probability of a 1 without and with the release."""
        before, after = self.beliefs.probability_before, self.beliefs.probability_after
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["id", "before", "after"])
        for name, one, other in zip(self.beliefs.ids, before, after, strict=True):
            writer.writerow([name, f"{one:.10g}", f"{other:.10g}"])
        return text.getvalue()


@hides_people("noise")
@dataclass(frozen=True)
class SeenOutput:
    """One output of a release: answers of randomised response, or a noisy sum.

    Parameters
    ----------
    answers, epsilon
        ``id,answer``: 0 or 1, told truly with odds e^epsilon; people who are missing gave none.
    noisy_sum, noise
        The published number of 1s and its noise, such as ``laplace:epsilon=0.5``. People whose epsilon is 0
        in the file of people are not counted.
    """

    answers: Source | None = None
    epsilon: float | None = None
    noisy_sum: float | None = None
    noise: str | None = None


def believe(
    network: Network,
    output: SeenOutput,
    *,
    source: str,
    truth: Source | None = None,
    confident: float = CONFIDENT,
    confidence: float = CONFIDENCE,
    progress: Progress = silent,
) -> Believed:
    """Compute beliefs after seeing answers of randomised response, or a noisy sum.

    Parameters
    ----------
    network, source
        The prior and where it comes from.
    output
        What the release said.
    truth
        ``id,<value>``: only the referee reads it.
    confident
        From which probability of a value on somebody counts as known.
    confidence
        Of the intervals.

    Raises
    ------
    InputError
        If not exactly one kind of release is given, or a file does not fit.
    """
    network = without_bounds(network)
    model = network.model
    progress(0.0, "beliefs before and after")
    seen = _see(network, output)
    beliefs = seen.beliefs
    nu = None
    if seen.epsilon is not None:
        nu = inferential_privacy(model, seen.epsilon, progress=within(progress, 0.5, 1.0)).nu
    judgement = None
    if truth is not None:
        bits = read_truth(truth, model.ids, "id")
        judgement = judge_beliefs(
            seen.beliefs,
            model.ids,
            bits,
            groups=model.components(),
            confident=confident,
            confidence=confidence,
        )
    found = Beliefs(
        prior=describe(source, network),
        shift=Spread.of(np.abs(seen.beliefs.shift)),
        limit=None if nu is None else Spread.of(nu),
        confidence=confident,
        confident_before=int((_held(beliefs.probability_before, beliefs.sampled_before) >= confident).sum()),
        confident_after=int((_held(beliefs.probability_after, beliefs.sampled) >= confident).sum()),
        judged=None if judgement is None else judgement.to_json(),
        sampled=_samples(seen.beliefs),
    )
    finding = _finding(found, source, seen, (*network.notes, *seen.notes), judgement)
    return Believed(finding, seen.beliefs, nu, judgement, confidence)


def _held(share: Floats, sampled: SampledLaw | None) -> Floats:
    """How likely everybody's likelier value is; of samples, at the least."""
    if sampled is None:
        return np.asarray(np.maximum(share, 1 - share))
    low, high = sampled.limits()
    return np.asarray(np.maximum(low, 1 - high))


def _samples(beliefs: BeliefsByPerson) -> SampledBeliefs | None:
    own = beliefs.sampled
    if own is None:
        return None
    first = beliefs.sampled_before
    laws = [(own, beliefs.probability_after)]
    laws += [] if first is None else [(first, beliefs.probability_before)]
    error = max(_error(law, share) for law, share in laws)
    rounds = max(law.rounds for law, _ in laws)
    return SampledBeliefs(
        draws=own.draws, rounds=rounds, error=error, confidence=ALL_TOGETHER, before=first is not None
    )


def _error(law: SampledLaw, share: Floats) -> float:
    low, high = law.limits()
    return float(np.maximum(high - share, share - low).max())


def _finding(
    found: Beliefs, source: str, seen: _BeliefsSeen, notes: tuple[str, ...], judged: BeliefJudgement | None
) -> InferenceFinding:
    graded = Grade("undecided", "one output shows no safety")
    measures: tuple[Measure, ...] = ()
    if judged is not None:
        right = judged.right
        measures = (
            Measure(
                attack=Rate.of(right.attack, judged.confidence),
                baseline=Rate.of(right.baseline, judged.confidence),
                advantage=Gain.of(right, judged.confidence),
            ),
        )
    return InferenceFinding(
        release=source,
        people=found.prior.people,
        numbers=None,
        mechanism=seen.beliefs.method,
        promise=None,
        attack_method="beliefs",
        measures=measures,
        deciding=0 if measures else None,
        headings=HEADINGS,
        bound=None,
        confidence=None if judged is None else judged.confidence,
        looks=None if judged is None else 1,
        severity=graded.severity,
        severity_reason=graded.reason,
        sentence=beliefs_sentence(found),
        facts=tuple(beliefs_facts(found, seen.beliefs.method, judged)),
        notes=notes,
        assumptions=(assumed_prior(found.prior), *((TOGETHER,) if judged is not None else ())),
        not_shown=NOT_SAID,
        details=found,
    )


@dataclass(frozen=True)
class _BeliefsSeen:
    """Beliefs after one output, and the pure epsilon of each person's data, if there is one."""

    beliefs: BeliefsByPerson
    epsilon: Floats | None
    notes: tuple[str, ...] = ()


def _see(network: Network, output: SeenOutput) -> _BeliefsSeen:
    answers, epsilon, total, noise = output.answers, output.epsilon, output.noisy_sum, output.noise
    if answers is not None and total is None:
        if noise is not None:
            raise InputError("--noise", "must come with --noisy-sum", "--answers")
        eps = network.epsilons(None if epsilon is None else spend([epsilon]).epsilon)
        return _BeliefsSeen(after_answers(network.model, read_bits(answers, network.model.ids), eps), eps)
    if answers is not None or total is None:
        got = "neither" if total is None else "both"
        raise InputError("--answers or --noisy-sum", "must be given, one of them", got)
    if epsilon is not None:
        raise InputError("--epsilon", "must come with --answers", "--noisy-sum", "Say it in --noise.")
    kind = _read_noise(noise)
    counted = np.ones(len(network.model), np.bool_) if network.epsilon is None else network.epsilon != 0
    pure = _epsilon_of(kind)
    left = int((~counted).sum())
    return _BeliefsSeen(
        after_noisy_sum(network.model, total, kind, counted=counted),
        None if pure is None else np.where(counted, pure, 0.0),
        (f"not counted: {people(left)} with epsilon 0",) if left else (),
    )


def _epsilon_of(noise: Noise) -> float | None:
    """The pure epsilon of a count with this noise; None if there is none. Noise of no size is none."""
    size = 1 / noise.scale if noise.scale else noise.budget
    if size is None or not LEAST_EPSILON <= size <= MOST_EPSILON:
        rule = f"must be noise: a scale from {1 / MOST_EPSILON:g} to {1 / LEAST_EPSILON:g}"
        raise InputError("--noise", rule, str(noise), "Use for example laplace:epsilon=0.5.")
    promise = noise.promise(ONE_COUNT)
    return None if promise is None else promise.epsilon


def _read_noise(text: str | None) -> Noise:
    rule = "must be laplace, geometric or gaussian noise"
    example = "Use for example laplace:epsilon=0.5."
    if text is None:
        raise InputError("--noise", "must come with --noisy-sum", "nothing", example)
    stages = parse_mechanism(text).stages
    if len(stages) != 1 or not isinstance(stages[0], Noise):
        raise InputError("--noise", rule, repr(text), example)
    return stages[0]


def read_bits(source: Source, ids: Ids) -> Floats:
    """Read ``id,answer`` in the order of some people; not a number where somebody gave none.

    Raises
    ------
    InputError
        If somebody is named twice or is not among the people, or an answer is neither 0 nor 1.
    """
    table = open_sheet(source, id="id")
    named, given = table.text("id"), table.numbers("answer")
    order = np.argsort(ids, kind="stable")
    at = order[np.minimum(np.searchsorted(ids, named, sorter=order), ids.size - 1)]
    strange = int((ids[at] != named).sum())
    if strange:
        raise InputError(
            f"{table.name}: column 'id'", "must name people of the prior", f"{strange:,} who are not in it"
        )
    if np.unique(at).size < at.size:
        raise InputError(f"{table.name}: column 'id'", "must name every person once", "somebody twice")
    if not np.isin(given, (0, 1)).all():
        raise InputError(f"{table.name}: column 'answer'", "must hold 0 or 1", "other numbers")
    bits = np.full(ids.size, np.nan)
    bits[at] = given
    return bits
