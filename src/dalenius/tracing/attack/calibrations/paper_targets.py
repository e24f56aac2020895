"""The calibrations ``paper`` and ``norm`` on many targets: scores against fixed thresholds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, UnsupportedError
from dalenius.knowledge.tracing import KnownMeans, ReferenceMeans
from dalenius.people.traits.traits import sums
from dalenius.tracing.attack.calibrations import flips, thresholds
from dalenius.tracing.attack.score_test import distances, homer_t
from dalenius.tracing.attack.tails.column_sums import column_sums
from dalenius.tracing.attack.test_case import Outcome, Setting, Split, split

Values = NDArray[np.float64]

RULES = ("fig1", "proof", "fig2", "fig3", "fig3-half", "known-sd", "homer")


def run_norm(setting: Setting) -> Outcome:
    """Bound by Hoeffding's inequality with the weights as they are."""
    _bounded(setting)
    asked = setting.options.whole("comparators", least=1) if "comparators" in setting.options.values else None
    parts = split(setting, asked)
    halved = 0.5 if setting.hwe else 1.0

    def terms(x: Values, part: slice) -> Values:
        usable, v = parts.compared[part] > 0, parts.v[part]
        spread = halved * v**2 * (1 + 1 / np.maximum(parts.compared[part], 1))
        return np.stack([usable * v * (x - parts.mean[part]), np.broadcast_to(usable * spread, x.shape)])

    score, spread = column_sums(setting.view.targets, terms).T
    return Outcome(score, thresholds.log_p(score, spread), parts.people)


def run_paper(setting: Setting) -> Outcome:
    """Compare with a threshold of the papers."""
    rule = setting.options.choice("rule", RULES, "proof")
    if rule == "homer":
        return _run_homer(setting)
    gaussian = rule in {"fig3", "fig3-half", "known-sd"}
    if not gaussian:
        _bounded(setting)
    if rule != "fig2" and np.abs(setting.q).max() > 1:
        raise InputError(
            "published means",
            f"must lie within [-1, 1] for the threshold {rule}",
            f"{np.abs(setting.q).max():.3g}",
            "Cut them off at -1 and 1 first, or use flip.",
        )
    if gaussian and "sd" not in setting.options.values:
        raise InputError(
            f"paper:rule={rule}",
            "must be told the standard deviation of the values within the population",
            "none",
            f"Give the calibration paper:rule={rule},sd=0.5, with the number that is true.",
        )
    sd = setting.options.number("sd", above=0) if gaussian else 0.0
    parts = split(setting, 1)
    score, seen, squares = one_against(setting, parts)
    if rule == "known-sd":
        return Outcome(score, flips.log_normal(score, sd * np.sqrt(2 * squares)), 1)
    spread = thresholds.figure_spread(rule, seen, alpha=setting.facts.alpha or 0.0, sd=sd)
    return Outcome(score, thresholds.log_p(score, spread, rule), 1)


def one_against(setting: Setting, parts: Split) -> tuple[Values, Values, Values]:
    """Score all targets against one reference; with it how many columns count, and their squared weights."""

    def terms(x: Values, part: slice) -> Values:
        usable, v = parts.compared[part] > 0, parts.v[part]
        counted = np.broadcast_to(usable, x.shape).astype(np.float64)
        return np.stack([usable * v * (x - parts.mean[part]), counted, counted * v**2])

    score, seen, squares = column_sums(setting.view.targets, terms).T
    return score, seen, squares


def _run_homer(setting: Setting) -> Outcome:
    reference = setting.view.reference
    if setting.view.release.kind == "real":
        raise UnsupportedError("Homer's statistic is for values of -1 and +1 or for genotypes")
    if reference is None:
        raise UnsupportedError("Homer's statistic needs reference people or means; there are none")
    known = np.ones(setting.q.shape, np.bool_)
    if isinstance(reference, ReferenceMeans | KnownMeans):
        w = reference.means
    else:
        total, seen = sums(reference)
        known = seen > 0
        w = np.divide(total, seen, out=np.zeros_like(total), where=known)

    def terms(x: Values, part: slice) -> Values:
        d = distances(x, setting.q[part], w[part]) * known[part]
        return np.stack([d, d**2, np.broadcast_to(known[part], x.shape).astype(np.float64)])

    t = homer_t(*column_sums(setting.view.targets, terms).T)
    return Outcome(t, flips.log_normal(t, np.ones_like(t)), setting.view.people)


def _bounded(setting: Setting) -> None:
    if setting.view.release.kind == "real":
        raise UnsupportedError(
            f"{setting.options.name} needs values from -1 to 1; for real values use flip or paper:rule=fig3"
        )
