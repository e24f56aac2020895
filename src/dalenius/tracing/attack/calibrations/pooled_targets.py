"""The calibrations ``pooled`` and ``known-p`` on many targets: tails under an outsider's law."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import TooLargeError, UnsupportedError
from dalenius.knowledge.tracing import KnownMeans, ReferenceMeans
from dalenius.people.traits.traits import CodedTraits
from dalenius.tracing.attack.calibrations import flips, thresholds
from dalenius.tracing.attack.tails.column_sums import column_sums
from dalenius.tracing.attack.tails.outsider import (
    Null,
    known_means,
    pooled_counts,
    pooled_sums,
    pooled_values,
)
from dalenius.tracing.attack.tails.reference_p_value import stand
from dalenius.tracing.attack.tails.saddlepoint import moments, proxies, tilt_all
from dalenius.tracing.attack.tails.tails import TAILS
from dalenius.tracing.attack.test_case import Outcome, Setting

Values = NDArray[np.float64]

REAL_WORK = 2_000_000_000
"""Targets times references times attributes up to which real-valued columns are conditioned on."""

SHARP = frozenset({"exact", "saddlepoint", "normal"})
"""Tails that need the law itself; the others are content with one whose tails are heavier."""


def run_pooled(setting: Setting) -> Outcome:
    """Condition on the totals of each column over the reference and the target."""
    view, q, facts = setting.view, setting.q, setting.facts
    reference = view.reference
    if reference is None or isinstance(reference, KnownMeans):
        raise UnsupportedError(
            "pooled needs reference people, or their means and number; use known-p for known means"
        )
    if isinstance(reference, ReferenceMeans):
        if reference.m is None:
            raise UnsupportedError(
                "pooled with reference means needs to know of how many people; without it use homer"
            )
        if view.release.kind == "real":
            raise UnsupportedError("pooled needs the values of real attributes, not their means alone")
        null = pooled_sums(
            q, reference.means * reference.m, reference.m, setting.weigh, facts, hwe=setting.hwe
        )
    elif isinstance(reference, CodedTraits):
        counts = reference.counts()[:, :3].T.astype(np.float64)
        null = pooled_counts(q, counts, setting.weigh, facts, hwe=setting.hwe)
    else:
        work = view.targets.n * reference.n * reference.d
        if work > REAL_WORK:
            raise TooLargeError(
                "pooled with real values",
                f"must have at most {REAL_WORK:,} targets times references times attributes",
                f"{work:,}",
                "Use conformal, or flip.",
            )
        null = pooled_values(q, reference.values(slice(None)), setting.weigh, facts)
    return _by_tail(setting, null, view.people)


def run_known(setting: Setting) -> Outcome:
    """Take the population's means as known."""
    reference = setting.view.reference
    if not isinstance(reference, KnownMeans):
        raise UnsupportedError(
            "known-p needs the population's means known without error; means estimated from a reference "
            "belong to pooled, which accounts for their error"
        )
    if setting.view.release.kind == "real":
        raise UnsupportedError(
            "known-p needs the law of a value, which means do not tell for real values; use flip"
        )
    null = known_means(setting.q, reference.means, setting.weigh, setting.facts, hwe=setting.hwe)
    found = _by_tail(setting, null, 0)
    notes = _impossible(setting, reference.means)
    return Outcome(found.score, found.log_p, 0, (*found.notes, *notes), found.certificate)


def _impossible(setting: Setting, p: Values) -> tuple[str, ...]:
    """Say who has a value that the given means rule out."""
    sure = np.abs(p) >= 1
    if not sure.any():
        return ()

    def terms(x: Values, part: slice) -> Values:
        return np.asarray((sure[part] & (x != np.sign(p[part])))[None], np.float64)

    people = int((column_sums(setting.view.targets, terms)[:, 0] > 0).sum())
    return (
        f"{int(sure.sum()):,} attributes that nobody or everybody is said to have were left out; "
        f"{people:,} targets have a value there that the given means rule out",
    )


def _by_tail(setting: Setting, null: Null, comparators: int) -> Outcome:
    """Compute the p-values of all targets by the tail that was asked for."""
    tail = setting.options.choice("tail", TAILS, "saddlepoint")
    targets = setting.view.targets
    if tail in SHARP and not null.sharp:
        raise UnsupportedError(
            f"the tail {tail} needs the law of a genotype, which its mean alone does not tell: assert "
            "Hardy-Weinberg proportions with hwe=yes, or use the tails chernoff, kearns-saul or hoeffding"
        )
    if tail in {"kearns-saul", "hoeffding"}:
        distance, spread = proxies(targets, null, tail)
        return Outcome(distance, thresholds.log_p(distance, spread), comparators)
    if tail == "normal":
        m = moments(targets, null)
        return Outcome(m.distance, flips.log_normal(m.distance, np.sqrt(m.variance)), comparators)
    if tail == "exact":
        standings = [stand(row.astype(np.float64), null) for _, row in _rows(setting)]
        distance = np.array([place.distance for place in standings])
        return Outcome(distance, np.array([place.log_p("exact") for place in standings]), comparators)
    found = tilt_all(targets, null, setting.progress)
    if tail == "chernoff":
        return Outcome(found.moments.distance, found.chernoff, comparators)
    return Outcome(found.moments.distance, found.saddlepoint, comparators, certificate=found.chernoff)


def _rows(setting: Setting) -> list[tuple[int, Values]]:
    targets = setting.view.targets
    if targets.n * targets.d > 10_000_000:
        raise TooLargeError(
            "the tail exact",
            "must be asked for at most 10,000,000 values",
            f"{targets.n:,} targets of {targets.d:,} attributes",
            "Use the tail chernoff, which is proved as well.",
        )
    return list(enumerate(targets.values(slice(None)).astype(np.float64)))
