"""The tracing attack: a view in, an accusation of every target out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.grammar import Options
from dalenius.knowledge.tracing import TracingView
from dalenius.people.traits.content_order import order_of_content
from dalenius.people.traits.missing import lacks_any
from dalenius.people.traits.traits import CodedTraits, RealTraits
from dalenius.progress import Progress, silent
from dalenius.tracing.attack.accusations import Accusations, check_level
from dalenius.tracing.attack.calibrations.calibrations import (
    MISSING,
    WITHOUT_INDEPENDENCE,
    describe,
    read_calibration,
)
from dalenius.tracing.attack.choose import choose, choose_weights
from dalenius.tracing.attack.multiple_testing import clumping
from dalenius.tracing.attack.presets import LEVEL, find_preset
from dalenius.tracing.attack.score_test import ScoreTest
from dalenius.tracing.attack.tails.tails import TINY
from dalenius.tracing.attack.test_case import Outcome, Setting
from dalenius.tracing.attack.weights import Facts, check_weights

GENOME = (
    "the test takes variants for independent, and genomes are not: linkage and shared ancestors make "
    "innocent people score alike; give the records of 100 reference people or more and leave the test to auto"
)
"""A doubt about every test of independent attributes on genotypes. Trying such a test out on references finds
it too often sound by chance: those share ancestors with each other, as targets do."""

UNSAID = (
    "the test takes attributes for independent, which nobody said; say --independent if they are, or give "
    "the records of 19 reference people or more"
)
"""The same about tables."""


def trace(
    view: TracingView,
    test: ScoreTest = ScoreTest(),
    *,
    level: float = LEVEL,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> Accusations:
    """Say of every target how unlikely the record is if its owner is not in the data.

    Parameters
    ----------
    view
        The published means, the targets' records, and a reference.
    test
        Which test; by default what is known decides.
    level
        The level that is spoken of in notes; the p-values do not depend on it.
    rng
        For calibrations that draw or divide the reference; from a root of its own.
    progress
        Told how far the work is.

    Returns
    -------
    Accusations
        Scores and p-values, whether they are proved, and what they take for granted.

    Raises
    ------
    InputError
        If an option is unknown or a number that the weights need is missing.
    UnsupportedError
        If the view does not allow this test.
    """
    check_level(level)
    weights, calibration, why = _named(view, test)
    blocks = test.blocks
    facts = Facts(view.release.n, view.release.sigma, test.alpha, 2 if view.release.kind == "genotype" else 1)
    weigh = check_weights(weights, facts, view.release.kind)
    promised = describe(weights, calibration)
    options, entry = read_calibration(calibration)
    if blocks is not None:
        options = _with_blocks(options)
    ordered, back = _in_order_of_content(view)
    setting = Setting(ordered, weights, weigh, facts, options, blocks, rng, progress)
    found = _taken(entry.run(setting), back)
    assumes, doubts = entry.assumes(options), found.doubts
    rigorous = promised.rigorous and found.rigorous and not doubts
    if options.name not in WITHOUT_INDEPENDENCE and not (
        test.independent and view.release.kind != "genotype"
    ):
        # nobody says that attributes are independent, and of genomes nobody can
        genome = view.release.kind == "genotype"
        doubts, rigorous = (*doubts, GENOME if genome else UNSAID), rigorous and not genome
    if MISSING not in assumes and _lacking(view):
        assumes = (*assumes, MISSING)
    said = _accuse(view, setting, found, level, why)
    return replace(said, rigorous=rigorous, assumptions=assumes, doubts=doubts)


def _in_order_of_content(view: TracingView) -> tuple[TracingView, NDArray[np.intp]]:
    """Put people in an order that no file decides, since draws go by order; and say how to go back."""
    order, reference = order_of_content(view.targets), view.reference
    if isinstance(reference, CodedTraits | RealTraits):
        reference = reference.take(order_of_content(reference))
    return TracingView(view.release, view.targets.take(order), reference), np.argsort(order)


def _taken(found: Outcome, order: NDArray[np.intp]) -> Outcome:
    """What was found, for targets in another order."""
    proved, unlike, odds = found.certificate, found.unlike, found.member_odds
    return replace(
        found,
        score=found.score[order],
        log_p=found.log_p[order],
        certificate=None if proved is None else proved[order],
        unlike=None if unlike is None else unlike[order],
        member_odds=None if odds is None else odds[order],
    )


def _lacking(view: TracingView) -> bool:
    people = [each for each in (view.targets, view.reference) if isinstance(each, CodedTraits | RealTraits)]
    return any(lacks_any(each) for each in people)


def _named(view: TracingView, test: ScoreTest) -> tuple[str, str, str]:
    """Settle what is to be run, and why, before anything is computed."""
    weights, calibration, preset = test.weights, test.calibration, test.preset
    if preset is not None:
        named = find_preset(preset)
        if weights != "auto":
            raise InputError("weights", "must not be given beside a preset", weights, "Give one of the two.")
        same = calibration == "auto" or calibration.partition(":")[0] == named.calibration.partition(":")[0]
        if not same:
            raise InputError(
                "calibration", f"must be {named.calibration!r} or left out for {preset}", calibration
            )
        return (
            named.weights,
            named.calibration if calibration == "auto" else calibration,
            f"asked for: {named.source}",
        )
    if weights != "auto" and calibration != "auto":
        return weights, calibration, "asked for"
    best = choose(view, independent=test.independent)
    if calibration == "auto":
        if weights in {"auto", best[0]}:
            return best
        if best[1].startswith("adjusted") and weights != "homer":
            return weights, "conformal", "weights asked for; adjusted is for the weights opt alone"
        calibration = "paper:rule=homer" if weights == "homer" else best[1]
        return weights, calibration, f"weights asked for; {best[2]}"
    name, because = choose_weights(view)
    if calibration.startswith("paper"):
        rule = read_calibration(calibration)[0].text("rule", "proof")
        name = {"homer": "homer", "fig2": "clip"}.get(rule, "raw")
        because = f"the weights that {rule} is for"
    if calibration.startswith("adjusted"):
        name, because = "opt", "the weights that adjusted is for"
    return name, calibration, because


def _with_blocks(options: Options) -> Options:
    if options.name != "flip" or "blocks" in options.values:
        raise InputError("blocks", "are for the calibration flip, and given once", str(options))
    return Options(options.name, {**options.values, "blocks": "given"})


def _relatives(accused: NDArray[np.bool_], odds: NDArray[np.float64], level: float) -> list[str]:
    """Say how many of the accused score like a relative of a member rather than like one."""
    like = int((accused & (odds < 0)).sum())
    if not like:
        return []
    return [
        f"{like:,} of the {int(accused.sum()):,} targets with a p-value of {level:g} or less score more like "
        "a parent, child or sibling of a member than like a member."
    ]


def _accuse(view: TracingView, setting: Setting, found: Outcome, level: float, why: str) -> Accusations:
    """Put the numbers and the sentences together."""
    targets, options = view.targets, setting.options
    remarks = []
    if targets.n > 1 and found.comparators and level >= found.smallest:
        ranked = options.name in WITHOUT_INDEPENDENCE
        remarks.append(clumping(targets.n, level, found.comparators, ranked=ranked))
    if found.member_odds is not None:
        remarks += _relatives(found.log_p <= np.log(level), found.member_odds, level)
    return Accusations(
        targets.id_name,
        targets.ids,
        found.score,
        np.exp(np.maximum(found.log_p, TINY)),
        found.log_p,
        setting.weights,
        str(options),
        found.rigorous,
        view.people,
        found.comparators,
        (),
        (f"{setting.weights} x {options}: {why}", *found.notes),
        tuple(remarks),
        found.certificate,
        found.smallest,
        unlike=found.unlike,
        member_odds=found.member_odds,
    )
