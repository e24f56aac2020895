"""Trace the people somebody asks about, and say how far the accusations can be believed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dalenius.auditing.decide import Reported, report_of
from dalenius.findings.default_policy import CONFIDENCE
from dalenius.findings.policy import Grade
from dalenius.findings.report import Headings, Report
from dalenius.knowledge.tracing import KnownMeans, ReferenceMeans, TracingView
from dalenius.people.traits.traits import Traits
from dalenius.progress import Progress, silent
from dalenius.random import stream
from dalenius.shown import hides_people
from dalenius.tracing.attack.accusations import Accusations
from dalenius.tracing.attack.diagnostics import diagnose
from dalenius.tracing.attack.groups import trace_groups
from dalenius.tracing.attack.multiple_testing import q_values
from dalenius.tracing.attack.presets import LEVEL
from dalenius.tracing.attack.score_test import ScoreTest
from dalenius.tracing.finding import Correction, GroupAccused, Targets, TracingFinding
from dalenius.tracing.words import targets_facts, targets_sentence

FEWEST = 19
"""Reference people below which the test is not tried out on some of them, nor targets compared with them."""


@hides_people()
@dataclass(frozen=True)
class TracedTargets(Reported):
    """What was found about targets; it can be taken apart into finding and accusations.

    Parameters
    ----------
    finding
        What was found; nobody is in it.
    accusations
        What the attack says about every target, in their order: to be kept as safe as the data.
    seed
        What it was made with.
    """

    finding: TracingFinding
    accusations: Accusations
    seed: int

    def __iter__(self) -> Iterator[TracingFinding | Accusations]:
        yield self.finding
        yield self.accusations

    @property
    def report(self) -> Report:
        """The finding as a report; nobody is in it."""
        people = self.accusations.ids.size
        return report_of([self.finding], people=people, seed=self.seed, confidence=CONFIDENCE)


def name_of(views: Mapping[str, TracingView]) -> str:
    """What a release is called that may be of several groups, whose names follow its own."""
    name = next(iter(views.values())).release.name
    return name if len(views) == 1 else name.partition(", ")[0]


def _held(view: TracingView) -> str:
    """Say what the attacker compares targets with."""
    if isinstance(view.reference, KnownMeans):
        return "the population's own means"
    if isinstance(view.reference, ReferenceMeans):
        m = view.reference.m
        return "reference means, of an unknown number of people" if m is None else f"reference means of {m:,}"
    return f"{view.people:,} reference {'person' if view.people == 1 else 'people'}"


def _beyond_reach(said: Accusations, level: float, correction: Correction) -> list[str]:
    """Say that nobody can be accused, where even the smallest possible p-values are too large for that."""
    least = float(q_values(np.full(said.p_value.size, said.smallest), correction).min())
    if least <= level:
        return []
    return [
        f"Nobody can be accused: no p-value is below {said.smallest:.3g} with this test, so no q-value of "
        f"{said.p_value.size:,} targets is below {least:.3g}. Take more references, or another correction."
    ]


def trace_targets(
    asked: TracingView | Mapping[str, TracingView],
    test: ScoreTest = ScoreTest(),
    *,
    level: float = LEVEL,
    correction: Correction = "bh",
    notes: Sequence[str] = (),
    seed: int = 1,
    progress: Progress = silent,
) -> TracedTargets:
    """Accuse, try the same test out on reference people, and count.

    Parameters
    ----------
    asked
        The release, the targets and the reference; or one such view of each group that a release is of, such
        as cases and controls, all with the same targets and reference.
    test
        Which test; by default what is known decides.
    level, correction
        When somebody is accused.
    notes
        What opening the files left out.
    seed
        The same seed gives the same accusations.
    progress
        Told how far the work is.
    """
    views = {"": asked} if isinstance(asked, TracingView) else asked
    view = next(iter(views.values()))

    def run(views: Mapping[str, TracingView], test: ScoreTest, *names: str) -> Accusations:
        rng = stream(seed, "attack", *names)
        return trace_groups(views, test, level=level, rng=rng, progress=progress)

    said = run(views, test)
    # tried out is the very test that was run: auto might choose another for fewer references
    same = replace(test, weights=said.weights, calibration=said.calibration, preset=None)
    alarms = said.doubts
    pool = view.reference
    if pool is not None and not isinstance(pool, ReferenceMeans | KnownMeans) and pool.n >= FEWEST:

        def once_more(targets: Traits, reference: Traits) -> NDArray[np.float64]:
            again = {name: TracingView(each.release, targets, reference) for name, each in views.items()}
            return run(again, same, "trial").p_value

        progress(0.8, "trying the test out on reference people")
        alarms += diagnose(once_more, pool, view.targets, rng=stream(seed, "diagnosis")).alarms
    said = replace(said, doubts=alarms)
    release, out_of_reach = view.release, _beyond_reach(said, level, correction)
    found = Targets(
        targets=view.targets.n,
        reference=view.people,
        held=_held(view),
        weights=said.weights,
        calibration=said.calibration,
        rigorous=said.rigorous and not alarms,
        level=level,
        correction=correction,
        accused=int(said.accused(level, correction).sum()),
        unlike=0 if said.unlike is None else int(said.unlike.sum()),
        groups=_counted(views, said, level, correction),
        alone=int(said.verdict(level).sum()),
        expected_alone=level * view.targets.n,
        smallest_p=float(said.p_value.min()),
        alarms=alarms,
        out_of_reach=bool(out_of_reach),
    )
    graded = _grade(found)
    finding = TracingFinding(
        release=name_of(views),
        people=_together(views),
        numbers=release.size,
        mechanism=release.mechanism,
        promise=release.promise.text if release.promise else None,
        attack_method=f"{said.weights} x {said.calibration}",
        measures=(),
        deciding=None,
        headings=HEADINGS,
        bound=None,
        confidence=None,
        looks=None,
        severity=graded.severity,
        severity_reason=graded.reason,
        sentence=targets_sentence(found),
        notes=(*notes, *said.notes, *(() if alarms else said.remarks), *out_of_reach),
        warnings=tuple(f"{alarm}." for alarm in alarms),
        assumptions=said.assumptions,
        details=found,
    )
    finding = finding.model_copy(update={"facts": tuple(targets_facts(finding, found))})
    return TracedTargets(finding, said, seed)


def _counted(
    views: Mapping[str, TracingView], said: Accusations, level: float, correction: Correction
) -> tuple[GroupAccused, ...]:
    """Count the accused by the group that their records are like."""
    if said.group is None:
        return ()
    accused = said.accused(level, correction)
    return tuple(
        GroupAccused(name=name, people=view.release.n, accused=int((accused & (said.group == name)).sum()))
        for name, view in views.items()
    )


def _together(views: Mapping[str, TracingView]) -> int | None:
    """Count the people of all groups, where each says how many it is of."""
    sizes = [view.release.n for view in views.values() if view.release.n is not None]
    return sum(sizes) if len(sizes) == len(views) else None


HEADINGS = Headings(attack="accused", baseline="by chance", asks="who of them is in the data")


def _grade(found: Targets) -> Grade:
    if found.accused:
        return Grade("high", "somebody is accused of being in the data")
    return Grade("undecided", "nobody is accused, which shows no safety")
