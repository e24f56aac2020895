"""The finding about synthetic or perturbed rows: a row for each kind of condition, and whom rows point at."""

from __future__ import annotations

from collections.abc import Mapping

from dalenius.findings.explanation import Explanation
from dalenius.findings.measure import Gain, Measure, Rate
from dalenius.findings.report import Headings
from dalenius.findings.tally import Interval, Tally
from dalenius.singling_out.attack.near import EQUAL
from dalenius.singling_out.build import grade_singling_out, split_by_luck
from dalenius.singling_out.finding import CopiesSeen, Released, SinglingOutFinding
from dalenius.singling_out.referee.counted_conditions import CountedConditions
from dalenius.singling_out.released.result import ASSUMPTIONS, Copies, Triple
from dalenius.singling_out.words import IDENTIFIABLE, NO_PROOF, QUESTIONS, UNPROVED

HEADINGS = Headings(
    at="conditions",
    attack="match one person",
    baseline="by luck",
    about="the advantage of singling out is",
    over="luck, as people outside the data tell",
    asks="do released rows single them out",
)


def finding_of_triple(
    found: Triple, release: str, *, looks: int = 1, files: Mapping[str, str] | None = None
) -> SinglingOutFinding:
    """Say what conditions from released rows achieved.

    Parameters
    ----------
    found
        What the attack gave; its intervals must have been made for as many looks.
    release
        What the released rows are called.
    looks
        How many findings are made together.
    files
        The names of the files that were read.
    """
    families = found.families
    measures = tuple(_measure(family, found.confidence) for family in families)
    low = max((family.advantage.low for family in families), default=None)
    shown = low is not None and low > 0
    graded = grade_singling_out(low)
    return SinglingOutFinding(
        release=release,
        people=found.original,
        numbers=None,  # rows are published, not numbers; details say how many
        mechanism="unknown",
        promise=None,
        attack_method="conditions from released rows",
        measures=measures,
        deciding=families.index(found.worst) if families else None,
        headings=HEADINGS,
        bound=None,
        confidence=found.confidence,
        looks=looks,
        severity=graded.severity,
        severity_reason=graded.reason,
        sentence=found.sentence if families else "No condition could be written down.",
        facts=(*found.facts(), f"For the law: {IDENTIFIABLE if shown else UNPROVED}"),
        notes=(),
        assumptions=(*ASSUMPTIONS, *_apart(found)),
        not_shown=QUESTIONS if shown else (NO_PROOF, *QUESTIONS),
        explanation=_explanation(found),
        details=Released(
            files=dict(files or {}),
            original=found.original,
            synthetic=found.synthetic,
            control=found.control,
            requested=found.requested,
            attempts=found.guesses.attempts,
            copies=tuple(_copies(one) for one in found.copies),
            recoded=found.recoded,
            unjudged=found.unjudged,
        ),
    )


def _apart(found: Triple) -> tuple[str, ...]:
    """Say which released columns no condition is about."""
    if not found.apart:
        return ()
    return (
        f"No condition is about {', '.join(found.apart)}: it was looked whether released rows are called as "
        "people of the data are there, and whether such rows are theirs.",
    )


def _explanation(found: Triple) -> Explanation:
    """Whom released rows point at, by the reach that points at most people beyond luck."""
    if not found.copies:
        return Explanation()
    best = max(found.copies, key=lambda one: one.share[0])
    luck = best.pointed.control * best.people / best.others
    return Explanation(learned=(split_by_luck(found.original, best.pointed.original, luck),))


def _measure(family: CountedConditions, confidence: float) -> Measure:
    luck = family.luck
    return Measure(
        label=family.name,
        attack=Rate.of(Tally(family.successes, family.attacks), confidence),
        baseline=Rate(
            rate=luck.value, low=luck.low, high=luck.high, confidence=luck.confidence, method=luck.method
        ),
        advantage=_gain(family.advantage),
    )


def _gain(own: Interval) -> Gain:
    return Gain(value=own.value, low=own.low, high=own.high, confidence=own.confidence, method=own.method)


def _copies(one: Copies) -> CopiesSeen:
    value, low, high = one.share
    return CopiesSeen(
        reach=one.name,
        equal=one.name == EQUAL.name,
        original=one.pointed.original,
        control=one.pointed.control,
        chance=one.pointed.chance,
        at_best=one.pointed.at_best,
        beyond_luck=Gain(value=value, low=low, high=high, confidence=0.95, method="two standard errors"),
        at_most=one.at_most,
    )
