"""The calibration ``conformal`` on many targets: ranks among the references."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.attacks.tracing.conformal import full_scores, full_terms, held_out_scores, rank
from dalenius.attacks.tracing.laws import CODES
from dalenius.attacks.tracing.setting import Outcome, Setting
from dalenius.attacks.tracing.streams import WIDTH, column_sums
from dalenius.attacks.tracing.weights import WITHOUT_CENTRE
from dalenius.errors import InputError, TooLargeError
from dalenius.records.traits import CodedTraits, Traits, sums

Values = NDArray[np.float64]

FULL_WORK = 200_000_000_000
"""Targets times references times attributes up to which everybody is scored anew for every target."""

FULL_WORK_REAL = 5_000_000_000
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

    def scores(traits: Traits) -> Values:
        if isinstance(traits, CodedTraits):
            found = column_sums(traits, lambda x, part: (v[part] * (x - centre[part]))[None])[:, 0]
        else:
            found = held_out_scores(traits.values(slice(None)), v, centre)
        return found

    ranked = reference.take(order[m1:])
    score = scores(setting.view.targets)
    return _ranked(score, rank(score, scores(ranked)), ranked.n)


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
    if isinstance(targets, CodedTraits) and isinstance(reference, CodedTraits):
        own, others = _full_coded(setting, targets, reference)
    else:
        z, q = reference.values(slice(None)).astype(np.float64), setting.q
        rows = targets.values(slice(None)).astype(np.float64)
        found = np.stack([full_scores(row, z, q, setting.weights, setting.facts) for row in rows])
        own, others = found[:, 0], found[:, 1:]
    p = np.array([rank(score[None], row)[0] for score, row in zip(own, others, strict=True)])
    return _ranked(own, p, reference.n)


def _full_coded(setting: Setting, targets: CodedTraits, reference: CodedTraits) -> tuple[Values, Values]:
    """Return the targets' scores, and for every target those of all references, by table lookup.

    A reference's score depends on the target only through the target's code in each column, so the tables
    of all codes are made once and picked by the target's.
    """
    total, seen = sums(reference)
    people = seen.astype(np.float64)
    q, weights, facts = setting.q, setting.weights, setting.facts
    own = column_sums(
        targets, lambda x, part: full_terms(x, q[part], total[part], people[part], weights, facts)[None]
    )[:, 0]
    others = np.zeros((targets.n, reference.n))
    for start in range(0, targets.d, WIDTH):
        columns = np.arange(start, min(start + WIDTH, targets.d))
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
        piece, codes = reference.select(columns), targets.select(columns).codes(slice(None))
        for first in range(0, targets.n, AT_ONCE):
            chosen = codes[:, first : first + AT_ONCE].T
            tables = by_code[chosen, np.arange(columns.size)]
            others[first : first + AT_ONCE] += piece.lookup(tables).T
        setting.progress(columns[-1] / targets.d, "ranking among all references")
    return own, others


def _ranked(score: Values, p: Values, references: int) -> Outcome:
    smallest = 1 / (references + 1)
    note = f"ranks among {references:,} references: no p-value is below {smallest:.3g}"
    return Outcome(score, np.log(p), references, (note,), smallest=smallest)
