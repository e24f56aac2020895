"""The calibration ``conformal`` on many targets: ranks among the references."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, TooLargeError
from dalenius.people.traits.missing import lacking, lacks_any
from dalenius.people.traits.traits import CodedTraits, RealTraits, Traits, sums
from dalenius.tracing.attack.calibrations.conformal import (
    common_scale,
    decorrelated,
    full_scores,
    full_terms,
    held_out_scores,
    rank,
)
from dalenius.tracing.attack.calibrations.masked import LACKING, lacking_alike
from dalenius.tracing.attack.tails.column_sums import WIDTH, column_sums
from dalenius.tracing.attack.tails.record_law import CODES
from dalenius.tracing.attack.test_case import Outcome, Setting
from dalenius.tracing.attack.weights import WITHOUT_CENTRE

Values = NDArray[np.float64]

FULL_WORK = 200_000_000_000
"""Targets times references times attributes up to which everybody is scored anew for every target."""

FULL_WORK_REAL = 5_000_000_000
SCALED = "corr"
"""Weights of real values that are taken in units of each column's spread: the others are those of papers."""

AT_ONCE = 16
"""Targets whose tables are made at a time."""


def full_fits(targets: Traits, reference: Traits) -> bool:
    """Whether full conformal prediction is within the size it is offered for."""
    limit = FULL_WORK if isinstance(targets, CodedTraits) else FULL_WORK_REAL
    return targets.n * reference.n * reference.d <= limit


def run_conformal(setting: Setting) -> Outcome:
    """Rank every target among the references."""
    how = setting.options.choice("how", ("held-out", "full"), "held-out")
    centred = how == "held-out" and setting.weights not in WITHOUT_CENTRE
    reference = setting.people(1 + centred, "some centre the weights, the others are ranked.")
    if how == "full":
        if "centring" in setting.options.values:
            raise InputError("centring", "is for how=held-out", "how=full", "Leave it out.")
        return _run_full(setting, reference)
    return _run_held_out(setting, reference)


def _run_held_out(setting: Setting, reference: Traits) -> Outcome:
    """Some references, chosen at random, make the weights; the others are ranked."""
    centred = setting.weights not in WITHOUT_CENTRE
    m1 = setting.options.whole("centring", reference.n // 2 if centred else 0, least=0)
    if m1 >= reference.n or (centred and m1 == 0):
        raise InputError(
            "references that centre the weights",
            f"must be {int(centred)} to {reference.n - 1}",
            str(m1),
            "Leave somebody to be ranked." if m1 else "Use more references, or the weights raw.",
        )
    order = setting.rng.permutation(reference.n)
    centre, smooth = np.zeros_like(setting.q), np.zeros_like(setting.q)
    if m1:
        total, seen = sums(reference.take(order[:m1]))
        centre = np.divide(total, seen, out=centre, where=seen > 0)
        smooth = total / (seen + 2)
    v = setting.weigh(setting.q, centre, smooth, setting.facts)
    if isinstance(reference, RealTraits) and setting.weights == SCALED:
        v = decorrelated(v, reference.take(order[:m1]).table, setting.noise_of_one)

    ranked, targets = reference.take(order[m1:]), setting.view.targets
    if not (lacks_any(ranked) or lacks_any(targets)):
        score = _scores(targets, v, centre)
        return _ranked(score, rank(score, _scores(ranked, v, centre)), ranked.n)
    # everybody on the same values: see masked.py
    score = _scores(lacking_alike(targets, ranked, setting.rng), v, centre)
    others = _masked_scores(setting, ranked, v, centre)
    return _ranked(score, _each_rank(score, others), ranked.n, missing=True)


def _scores(traits: Traits, v: Values, centre: Values) -> Values:
    if isinstance(traits, CodedTraits):
        return column_sums(traits, lambda x, part: (v[part] * (x - centre[part]))[None])[:, 0]
    return held_out_scores(traits.values(slice(None)), v, centre)


def _masked_scores(setting: Setting, ranked: Traits, v: Values, centre: Values) -> Values:
    """Score the ranked references for every target, ``(targets, references)``, on that target's columns."""
    targets = setting.view.targets
    others = np.zeros((targets.n, ranked.n))
    if not (isinstance(targets, CodedTraits) and isinstance(ranked, CodedTraits)):
        terms = np.nan_to_num((ranked.values(slice(None)) - centre) * v)
        return np.asarray((~lacking(targets)).astype(np.float64) @ terms.T)
    for columns in _strips(targets.d):
        piece, gone = ranked.select(columns), lacking(targets, columns)
        base = np.zeros((columns.size, 4))
        base[:, :3] = v[columns, None] * (CODES - centre[columns, None])
        for first in range(0, targets.n, AT_ONCE):
            here = slice(first, first + AT_ONCE)
            others[here] += piece.lookup(base * ~gone[here, :, None]).T
        setting.progress(columns[-1] / targets.d, "ranking on each target's columns")
    return others


def _strips(d: int) -> Iterator[NDArray[np.intp]]:
    for start in range(0, d, WIDTH):
        yield np.arange(start, min(start + WIDTH, d))


def _each_rank(score: Values, others: Values) -> Values:
    """Rank each target among scores of its own."""
    return np.array([rank(own[None], row)[0] for own, row in zip(score, others, strict=True)])


def _run_full(setting: Setting, reference: Traits) -> Outcome:
    """Score everybody against the mean of all others, anew for every target."""
    targets = setting.view.targets
    if not full_fits(targets, reference):
        raise TooLargeError(
            "conformal:how=full",
            f"must have at most {FULL_WORK:,} (real values: {FULL_WORK_REAL:,}) "
            "targets times references times attributes",
            f"{targets.n * reference.n * reference.d:,}",
            "Use conformal:how=held-out.",
        )
    missing = lacks_any(reference) or lacks_any(targets)
    alike = lacking_alike(targets, reference, setting.rng) if missing else targets
    if isinstance(alike, CodedTraits) and isinstance(reference, CodedTraits):
        own, others = _full_coded(setting, alike, reference)
    else:
        z, q = reference.values(slice(None)).astype(np.float64), setting.q
        rows = alike.values(slice(None)).astype(np.float64)
        gone = lacking(targets)
        found = np.stack(
            [
                _full_real(setting, row, np.where(lacks, np.nan, z), q)
                for row, lacks in zip(rows, gone, strict=True)
            ]
        )
        own, others = found[:, 0], found[:, 1:]
    return _ranked(own, _each_rank(own, others), reference.n, missing=missing)


def _full_real(setting: Setting, row: Values, z: Values, q: Values) -> Values:
    """Score a target and the references where values are real; differences in units of the spread."""
    if setting.weights != SCALED:
        return full_scores(row, z, q, setting.weights, setting.facts)
    scale = common_scale(np.vstack([row, z]), setting.noise_of_one)
    return full_scores(row / scale, z / scale, q / scale, setting.weights, setting.facts)


def _full_coded(setting: Setting, targets: CodedTraits, reference: CodedTraits) -> tuple[Values, Values]:
    """Return the targets' scores, and for every target those of all references, by table lookup.

    A reference's score depends on the target only through the target's code in each column, so the tables
    of all codes are made once and picked by the target's; on a column that a target of the view itself lacks
    nobody scores.
    """
    total, seen = sums(reference)
    people = seen.astype(np.float64)
    q, weights, facts = setting.q, setting.weights, setting.facts
    own = column_sums(
        targets, lambda x, part: full_terms(x, q[part], total[part], people[part], weights, facts)[None]
    )[:, 0]
    others = np.zeros((targets.n, reference.n))
    for columns in _strips(targets.d):
        by_code = np.zeros((4, columns.size, 4))  # the target's code, the column, the reference's code
        for code in range(4):
            value, here = (CODES[code], 1.0) if code < 3 else (0.0, 0.0)
            for other in range(3):
                rest = total[columns] + value - CODES[other], people[columns] + here - 1
                by_code[code, :, other] = full_terms(
                    np.full(columns.size, CODES[other]),
                    q[columns],
                    rest[0],
                    np.maximum(rest[1], 0),
                    weights,
                    facts,
                )
        piece, codes = reference.select(columns), targets.codes(columns)
        gone = lacking(setting.view.targets, columns)
        for first in range(0, targets.n, AT_ONCE):
            chosen = codes[:, first : first + AT_ONCE].T
            tables = by_code[chosen, np.arange(columns.size)] * ~gone[first : first + AT_ONCE, :, None]
            others[first : first + AT_ONCE] += piece.lookup(tables).T
        setting.progress(columns[-1] / targets.d, "ranking among all references")
    return own, others


def _ranked(score: Values, p: Values, references: int, *, missing: bool = False) -> Outcome:
    smallest = 1 / (references + 1)
    notes = [f"ranks among {references:,} references: no p-value is below {smallest:.3g}"]
    if missing:
        notes.append(LACKING)
    return Outcome(score, np.log(p), references, tuple(notes), rigorous=not missing, smallest=smallest)
