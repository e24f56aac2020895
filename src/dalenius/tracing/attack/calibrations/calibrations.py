"""From scores to p-values: the calibrations, one entry per name, each independent of the weights.

============================================= ============ =================================================
paper:rule=fig1|proof|fig2|fig3|...           proved       thresholds as the papers print or prove them
norm                                          proved       Hoeffding's inequality with the actual weights
flip:tail=...                                 see tail     signs of the differences to one reference person
pooled:tail=...                               see tail     given the column totals with the target
known-p:tail=...                              see tail     given the population's means
conformal:how=held-out|full                   proved       rank among references; no independence needed
adjusted:tail=rank|student,components=...     see tail     rank less relatedness and ancestry: real genomes
============================================= ============ =================================================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dalenius.errors import InputError, UnsupportedError, nearest
from dalenius.grammar import Options, parse_options
from dalenius.tracing.attack.calibrations import flips
from dalenius.tracing.attack.calibrations.conformal_targets import run_conformal
from dalenius.tracing.attack.calibrations.flip_targets import run_flip
from dalenius.tracing.attack.calibrations.paper_targets import RULES, run_norm, run_paper
from dalenius.tracing.attack.calibrations.pooled_targets import run_known, run_pooled
from dalenius.tracing.attack.genomes.absent import error_rate
from dalenius.tracing.attack.genomes.adjusted import ADJUSTED_TAILS, run_adjusted
from dalenius.tracing.attack.tails.tails import APPROXIMATE, TAILS
from dalenius.tracing.attack.test_case import Outcome, Setting

PRODUCT = "Attributes are independent within a population, and targets and references come from the same one."
EXCHANGEABLE = "Outsiders and references could change places, whatever attributes depend on each other."
MISSING = "Whether a value is missing does not depend on the value."


WITHOUT_INDEPENDENCE = frozenset({"conformal", "adjusted"})
"""Calibrations that hold whatever attributes depend on each other."""


@dataclass(frozen=True)
class Calibration:
    """One way from scores to p-values.

    Parameters
    ----------
    run
        Does it.
    options
        Parameters that it takes.
    rigorous
        Whether the p-values are proved, with these parameters.
    assumes
        What they take for granted, with these parameters.
    needs
        What the attacker must hold.
    """

    run: Callable[[Setting], Outcome]
    options: tuple[str, ...]
    rigorous: Callable[[Options], bool]
    assumes: Callable[[Options], tuple[str, ...]]
    needs: str


def _paper_assumes(options: Options) -> tuple[str, ...]:
    rule = options.choice("rule", RULES, "proof")
    if rule == "homer":
        return ("Published and reference means are independent estimates of the same means.", PRODUCT)
    if rule.startswith(("fig3", "known")):
        return (PRODUCT, "Values are Gaussian with no larger a standard deviation than given.", MISSING)
    return (PRODUCT, "Values lie between -1 and 1.", MISSING)


def _flip_assumes(options: Options) -> tuple[str, ...]:
    if "blocks" in options.values:
        return (
            "Different blocks of attributes are independent; targets and references are of one population.",
            MISSING,
        )
    return (PRODUCT, MISSING)


def _law_assumes(options: Options) -> tuple[str, ...]:
    proportions = ("Genotypes are in Hardy-Weinberg proportions.",)
    return (PRODUCT, MISSING, *(proportions if options.values.get("hwe") == "yes" else ()))


CALIBRATIONS: dict[str, Calibration] = {
    "paper": Calibration(
        run_paper,
        ("rule", "sd"),
        lambda options: options.values.get("rule") != "homer",
        _paper_assumes,
        "one reference person; for the rule homer reference or population means",
    ),
    "norm": Calibration(
        run_norm,
        ("comparators", "hwe"),
        lambda options: True,
        lambda options: (*_law_assumes(options), "Values lie between -1 and 1."),
        "one reference person or more, or population means",
    ),
    "flip": Calibration(
        run_flip,
        ("tail", "blocks", "draws"),
        lambda options: options.text("tail", "bd") not in flips.APPROXIMATE,
        _flip_assumes,
        "one reference person, and one more for weights that are centred",
    ),
    "pooled": Calibration(
        run_pooled,
        ("tail", "hwe"),
        lambda options: options.text("tail", "saddlepoint") not in APPROXIMATE,
        _law_assumes,
        "a reference of one person or more, or its means and size",
    ),
    "known-p": Calibration(
        run_known,
        ("tail", "hwe"),
        lambda options: options.text("tail", "saddlepoint") not in APPROXIMATE,
        lambda options: (*_law_assumes(options), "the population's means are known without error"),
        "the means of the population",
    ),
    "conformal": Calibration(
        run_conformal,
        ("how", "centring"),
        lambda options: True,
        lambda options: (EXCHANGEABLE,),
        "reference people; p-values are never below one over their number plus one",
    ),
    "adjusted": Calibration(
        run_adjusted,
        ("tail", "components", "absent", "whiten"),
        lambda options: options.text("tail", "rank") == "rank",
        lambda options: (EXCHANGEABLE,),
        "the yes/no or genotype records of 20 reference people or more",
    ),
}


@dataclass(frozen=True)
class Combination:
    """What weights and a calibration together promise."""

    weights: str
    calibration: str
    rigorous: bool
    assumes: tuple[str, ...]
    needs: str


def read_calibration(text: str) -> tuple[Options, Calibration]:
    """Read ``name:key=value``, refusing what is not known."""
    options = parse_options(text)
    if options.name not in CALIBRATIONS:
        raise InputError(
            f"calibration {options.name!r}", "must be a known one", text, nearest(options.name, CALIBRATIONS)
        )
    calibration = CALIBRATIONS[options.name]
    options.only(*calibration.options)
    if options.name == "flip":
        options.choice("tail", flips.FLIP_TAILS, "bd")
    elif options.name == "adjusted":
        options.choice("tail", ADJUSTED_TAILS, "rank")
        error_rate(options)
    elif "tail" in calibration.options:
        options.choice("tail", TAILS, "saddlepoint")
    return options, calibration


def describe(weights: str, calibration: str) -> Combination:
    """Say what a combination promises, or why there is no such test.

    Examples
    --------
    >>> describe("llr", "pooled:tail=chernoff").rigorous
    True
    >>> describe("llr", "pooled").rigorous
    False
    """
    options, entry = read_calibration(calibration)
    rule = options.choice("rule", RULES, "proof") if options.name == "paper" else ""
    if (weights == "homer") != (rule == "homer"):
        raise UnsupportedError(
            "Homer's statistic has a threshold of its own and no other: use the weights homer with "
            "paper:rule=homer, or other weights"
        )
    if options.name == "adjusted" and weights != "opt":
        raise UnsupportedError(
            "adjusted is for the weights opt alone, which its model implies; conformal is for any"
        )
    for rules, only in ((("fig1", "proof", "fig3", "fig3-half", "known-sd"), "raw"), (("fig2",), "clip")):
        if rule in rules and weights != only:
            raise UnsupportedError(f"the threshold {rule} is for the weights {only}; norm is for any")
    return Combination(weights, str(options), entry.rigorous(options), entry.assumes(options), entry.needs)
