"""Trace the people somebody asks about, and say how far the accusations can be believed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dalenius import __version__
from dalenius.attacks.accusations import Accusations
from dalenius.attacks.tracing.attack import trace
from dalenius.attacks.tracing.diagnostics import diagnose
from dalenius.attacks.tracing.many import q_values
from dalenius.findings.document import dump
from dalenius.findings.finding import SCHEMA_VERSION, Plain
from dalenius.knowledge.tracing import KnownMeans, ReferenceMeans, TracingView
from dalenius.people.traits.traits import Traits
from dalenius.progress import Progress, silent
from dalenius.random import stream

FEWEST = 19
"""Reference people below which the test is not tried out on some of them, nor targets compared with them."""

Correction = Literal["bh", "by", "holm", "bonferroni"]

_MEANING = {
    "bh": "of those accused a share of at most {level:g} is expected to be innocent (Benjamini-Hochberg)",
    "by": "of those accused a share of at most {level:g} is expected to be innocent (Benjamini-Yekutieli)",
    "holm": "the chance that anybody is accused wrongly is at most {level:g} (Holm)",
    "bonferroni": "the chance that anybody is accused wrongly is at most {level:g} (Bonferroni)",
}


class Targets(Plain):
    """What tracing says about all targets together, without anybody in it: its ``findings.json``.

    ``held`` says what the attacker compares with. ``alone`` counts p-values at or below the level, each
    target taken alone; ``accused`` counts q-values. Where there are ``alarms`` the level does not hold: the
    verdict is ``undecided`` and nobody is accused. It is ``undecided`` too where no p-value could be small
    enough. ``unlike`` counts targets of whom nothing is said, since their records are unlike the references'.
    """

    schema_version: Literal[1] = SCHEMA_VERSION
    dalenius_version: str = __version__
    seed: int
    release: str
    goal: Literal["tracing"] = "tracing"
    targets: int
    reference: int
    held: str
    means: int
    people: int | None
    mechanism: str
    weights: str
    calibration: str
    rigorous: bool
    level: float
    correction: Correction
    verdict: Literal["told", "undecided"]
    accused: int
    unlike: int
    alone: int
    expected_alone: float
    smallest_p: float
    alarms: tuple[str, ...]
    assumptions: tuple[str, ...]
    notes: tuple[str, ...]

    def to_json(self) -> str:
        """Write it, see `dump`."""
        return dump(self)

    def lines(self) -> Iterator[str]:
        """Say it on a screen; nobody is named."""
        about = "an unknown number of" if self.people is None else f"{self.people:,}"
        yield (
            f"{self.means:,} means of {about} people, mechanism {self.mechanism}; {self.targets:,} targets, "
            f"{self.held}"
        )
        how = "level proved under what is assumed" if self.rigorous else "level approximate"
        yield f"test {self.weights} x {self.calibration}: {'level doubted' if self.alarms else how}"
        for note in self.notes:
            yield f"  {note}"
        for alarm in self.alarms:
            yield f"WARNING: {alarm}."
        yield ""
        yield from self._conclusion()
        if self.unlike:
            yield (
                f"Nothing is said of {self.unlike:,} targets whose records are unlike the references': they "
                "are undecided."
            )
        yield "An accusation says that a record is not independent of the release: a relative is accused too."
        yield "Assumed:"
        for text in self.assumptions:
            yield f"  {text}"
        yield ""

    def _conclusion(self) -> Iterator[str]:
        if self.alarms:
            yield (
                "UNDECIDED: nobody is accused. The level of this test is not known here, so its p-values are "
                "no chances; scores only say who is more like the release than others."
            )
            return
        if self.verdict == "undecided":
            yield "UNDECIDED: nobody could be accused, whoever is in the data."
            return
        meaning = _MEANING[self.correction].format(level=self.level)
        yield f"{self.accused:,} of {self.targets:,} targets are accused: {meaning}."
        yield (
            f"Taken alone, {self.alone:,} have a p-value of {self.level:g} or less; "
            f"at most {self.expected_alone:.1f} would on average if nobody were in the data."
        )


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
    view: TracingView,
    *,
    level: float = 0.05,
    correction: Correction = "bh",
    weights: str = "auto",
    calibration: str = "auto",
    preset: str | None = None,
    independent: bool = False,
    alpha: float | None = None,
    notes: Sequence[str] = (),
    seed: int = 1,
    progress: Progress = silent,
) -> tuple[Targets, Accusations]:
    """Accuse, try the same test out on reference people, and count.

    Parameters
    ----------
    view
        The release, the targets and the reference.
    level, correction
        When somebody is accused.
    weights, calibration, preset, independent, alpha
        Which test, see `~dalenius.attacks.tracing.attack.trace`.
    notes
        What opening the files left out.
    seed
        The same seed gives the same accusations.
    progress
        Told how far the work is.
    """

    def run(asked: TracingView, *names: str, same: Accusations | None = None) -> Accusations:
        # tried out is the very test that was run: auto might choose another for fewer references
        return trace(
            asked,
            weights=weights if same is None else same.weights,
            calibration=calibration if same is None else same.calibration,
            preset=preset if same is None else None,
            independent=independent,
            level=level,
            alpha=alpha,
            rng=stream(seed, "attack", *names),
            progress=progress,
        )

    said = run(view)
    alarms = said.doubts
    pool = view.reference
    if pool is not None and not isinstance(pool, ReferenceMeans | KnownMeans) and pool.n >= FEWEST:

        def test(targets: Traits, reference: Traits) -> NDArray[np.float64]:
            return run(TracingView(view.release, targets, reference), "trial", same=said).p_value

        progress(0.8, "trying the test out on reference people")
        alarms += diagnose(test, pool, view.targets, rng=stream(seed, "diagnosis")).alarms
    said = replace(said, doubts=alarms)
    release, out_of_reach = view.release, _beyond_reach(said, level, correction)
    return Targets(
        seed=seed,
        release=release.name,
        targets=view.targets.n,
        reference=view.people,
        held=_held(view),
        means=release.size,
        people=release.n,
        mechanism=release.mechanism,
        weights=said.weights,
        calibration=said.calibration,
        rigorous=said.rigorous and not alarms,
        level=level,
        correction=correction,
        verdict="undecided" if alarms or out_of_reach else "told",
        accused=int(said.accused(level, correction).sum()),
        unlike=0 if said.unlike is None else int(said.unlike.sum()),
        alone=int(said.verdict(level).sum()),
        expected_alone=level * view.targets.n,
        smallest_p=float(said.p_value.min()),
        alarms=alarms,
        assumptions=said.assumptions,
        notes=(*notes, *said.notes, *(() if alarms else said.remarks), *out_of_reach),
    ), said
