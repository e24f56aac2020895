"""The finding about the three questions: one table of singling out, linkability and inference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dalenius.findings.measure import Gain, Measure, Rate
from dalenius.findings.policy import points
from dalenius.findings.report import Headings
from dalenius.findings.tally import Interval, Tally
from dalenius.singling_out.build import grade_singling_out
from dalenius.singling_out.finding import Closest, Inferring, Linking, Released, SinglingOutFinding
from dalenius.singling_out.referee.asked_people import Success
from dalenius.singling_out.released.questions import Predicted, Questions
from dalenius.singling_out.released.result import gained
from dalenius.singling_out.released.to_finding import finding_of_triple
from dalenius.singling_out.words import IDENTIFIABLE, NO_PROOF, THREE_QUESTIONS, UNPROVED

HEADINGS = Headings(
    at="question",
    attack="succeeds",
    baseline="others",
    about="the advantage on people of the data is",
    over="people outside the data, or over luck",
    asks="do released rows single out, link or tell the secret of people",
)

COMPARED = "Nothing is drawn to make the two sides equal: the size of the control moves only the intervals."


def finding_of_questions(
    found: Questions, release: str, *, looks: int = 1, files: Mapping[str, str] | None = None
) -> SinglingOutFinding:
    """Say what came of all three questions.

    Parameters
    ----------
    found
        What the attacks gave; its intervals must have been made for as many looks.
    release
        What the released rows are called.
    looks
        How many findings are made together.
    files
        The names of the files that were read.
    """
    first = finding_of_triple(found.triple, release, looks=looks, files=files)
    alone = tuple(row.model_copy(update={"label": _alone(row.label)}) for row in first.measures)
    links, inferred, beside = _links(found), _inferred(found), _beside(found)
    measures = (*alone, *links, *inferred, *_few(found), beside)
    controlled = range(len(measures) - 1)  # the predictor's row explains, and is never what says most
    worst = max(controlled, key=lambda j: _low(measures[j]))
    low = _low(measures[worst])
    graded = grade_singling_out(low)
    shown = low > 0
    details = first.details
    if not isinstance(details, Released):
        raise TypeError("the finding about a triple holds other details")
    return first.model_copy(
        update={
            "attack_method": "the three questions",
            "measures": measures,
            "deciding": worst,
            "headings": HEADINGS,
            "severity": graded.severity,
            "severity_reason": _reason(measures[worst], graded.reason),
            "sentence": _sentence(found, measures[worst]),
            "facts": (
                *_facts(found),
                *first.facts[:-1],
                f"For the law: {IDENTIFIABLE if shown else UNPROVED}",
            ),
            "not_shown": THREE_QUESTIONS if shown else (NO_PROOF, *THREE_QUESTIONS),
            "details": details.model_copy(
                update={
                    "linking": _linking(found),
                    "inferring": _inferring(found, beside.label),
                    "closest": _closest(found),
                }
            ),
        }
    )


def _alone(label: str) -> str:
    """The label of a kind of condition, short enough for a table of all questions."""
    return f"singling out: {label.replace(' standard deviations', ' sd')}"


def _low(row: Measure) -> float:
    return -1.0 if row.advantage is None else row.advantage.low


def _reason(worst: Measure, usual: str) -> str:
    """The words of singling out fit its own rows alone."""
    if worst.label.startswith("singling out"):
        return usual
    gain = _low(worst)
    if gain <= 0:
        return "nobody of the data is shown to be singled out, linked or inferred more often than others"
    return f"{worst.label}: at least {points(gain)} points more often right about people of the data"


def _links(found: Questions) -> tuple[Measure, ...]:
    return tuple(_against_others(f"linkability: {_nearest(one.k)}", one.success) for one in found.links)


def _inferred(found: Questions) -> tuple[Measure, ...]:
    secret = found.asked.secret
    return tuple(
        _against_others(f"inference of {secret}: {_nearest(one.k)}", one.success) for one in found.inferred
    )


def _few(found: Questions) -> tuple[Measure, ...]:
    """What a few columns tell, if they tell anything: of so many choices the best alone means little."""
    if found.few is None or found.few.success.advantage.low <= 0:
        return ()
    label = f"inference of {found.asked.secret} from {', '.join(found.few.columns)} alone"
    return (_against_others(label, found.few.success),)


def _beside(found: Questions) -> Measure:
    own = found.predicted
    return Measure(
        label=f"inference of {found.asked.secret}: beside a predictor",
        attack=Rate.of(own.beside.attack, own.confidence),
        baseline=Rate.of(own.beside.baseline, own.confidence),
        advantage=Gain.of(own.beside, own.confidence),
    )


def _nearest(k: int) -> str:
    return "nearest row" if k == 1 else f"{k} nearest rows"


def _against_others(label: str, own: Success) -> Measure:
    return Measure(
        label=label,
        attack=Rate.of(own.original, own.advantage.confidence),
        baseline=Rate.of(own.control, own.advantage.confidence),
        advantage=_gain(own.advantage),
    )


def _gain(own: Interval) -> Gain:
    return Gain(value=own.value, low=own.low, high=own.high, confidence=own.confidence, method=own.method)


def _sentence(found: Questions, worst: Measure) -> str:
    """The row that says most, in words."""
    if worst.label.startswith("singling out") or worst.attack is None or worst.baseline is None:
        return found.triple.sentence
    own = worst.advantage
    told = gained(Interval(own.value, own.low, own.high, own.confidence, own.method)) if own else "unknown"
    question, _, nearest = worst.label.rpartition(": ")
    secret = question.removeprefix("inference of ")
    told_what = (
        f"Two files that have different columns of the same people can be joined, by the {nearest}, for"
        if secret == question
        else f"What stands in {secret} can be read off the {nearest} rightly for"
    )
    return (
        f"{told_what} {worst.attack.rate:.1%} of the people of the data who were asked about, and for "
        f"{worst.baseline.rate:.1%} of others. Advantage: {told}."
    )


def _facts(found: Questions) -> Iterator[str]:
    """Say how each question was asked, what luck and a predictor do, and how far rows are."""
    link, own, near = found.asked.link, found.predicted, found.closest
    wrong = ", ".join(f"{_rate(one.wrong_pairs)} ({one.k} nearest)" for one in found.links)
    yield (
        f"Linkability: files with columns {link} of the same people, joined where released rows nearest to "
        f"either are the same; halves of different people are joined so in {wrong} of pairs. {COMPARED}"
    )
    exact = "" if found.within is None else f" A number is right within {found.within:g}."
    yield (
        f"Inference: {found.asked.secret} from all other columns, by the nearest released rows, and from one "
        f"to three of them, by rows that are alike there.{exact}"
    )
    yield _said_of_predictor(own)
    yield (
        f"Distances, which prove nothing: of {near.rows:,} released rows {near.nearer.value:.1%} "
        f"({100 * near.nearer.low:.1f} to {100 * near.nearer.high:.1f}%) are nearer to one of "
        f"{near.people:,} originals than to one of as many others (half by luck); {near.new:.1%} equal no "
        f"original, {near.new_by_luck:.1%} no other; the median distance is {near.original:.2f} and "
        f"{near.control:.2f} columns."
    )


def _said_of_predictor(own: Predicted) -> str:
    return (
        f"Without the release the best predictor from {own.learnt_from:,} other people ({own.name}) is right "
        f"about {_rate(own.beside.baseline)} of the originals, and about {_rate(own.about_others)} of those "
        "others whom it had not seen."
    )


def _rate(own: Tally) -> str:
    return f"{own.rate:.1%}"


def _linking(found: Questions) -> Linking:
    confidence = found.links[0].success.advantage.confidence
    return Linking(
        first=found.asked.link.first,
        second=found.asked.link.second,
        k=tuple(one.k for one in found.links),
        wrong_pairs=tuple(Rate.of(one.wrong_pairs, confidence) for one in found.links),
    )


def _inferring(found: Questions, beside: str) -> Inferring:
    own = found.predicted
    return Inferring(
        secret=found.asked.secret,
        within=found.within,
        predictor=own.name,
        learnt_from=own.learnt_from,
        about_others=Rate.of(own.about_others, own.confidence),
        beside=beside,
    )


def _closest(found: Questions) -> Closest:
    own = found.closest
    nearer = own.nearer
    return Closest(
        rows=own.rows,
        people=own.people,
        original=own.original,
        control=own.control,
        nearer=Rate(
            rate=nearer.value,
            low=nearer.low,
            high=nearer.high,
            confidence=nearer.confidence,
            method=nearer.method,
        ),
        new=own.new,
        new_by_luck=own.new_by_luck,
    )
