"""Tracing in a release of several groups, such as the cases and controls of a study: one test of them all.

A person may be in one of the groups or in none. Each group is a release of its own and gives a p-value of its
own; the smallest of k, times k, is one of "in none of them" (Bonferroni), whatever groups have in common.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dalenius.knowledge.tracing import TracingView
from dalenius.progress import Progress, silent
from dalenius.tracing.attack.accusations import Accusations
from dalenius.tracing.attack.attack import trace
from dalenius.tracing.attack.presets import LEVEL
from dalenius.tracing.attack.score_test import ScoreTest


def trace_groups(
    views: Mapping[str, TracingView],
    test: ScoreTest = ScoreTest(),
    *,
    level: float = LEVEL,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> Accusations:
    """Say of every target how unlikely the record is if its owner is in no group, and which group it is like.

    Parameters
    ----------
    views
        For each group its release; targets and reference are the same in all.
    test, level, rng, progress
        As for `trace`, which this is where there is one group.
    """
    said = {name: trace(view, test, level=level, rng=rng, progress=progress) for name, view in views.items()}
    if len(said) == 1:
        return next(iter(said.values()))
    return _joined(said)


def _joined(said: Mapping[str, Accusations]) -> Accusations:
    each, names = list(said.values()), np.array(list(said))
    first = each[0]
    nearest = np.argmin(np.stack([one.log_p for one in each]), axis=0)

    def chosen(key: str) -> Any:
        parts = [getattr(one, key) for one in each]
        if any(part is None for part in parts):
            return None
        return np.take_along_axis(np.stack(parts), nearest[None], axis=0)[0]

    def paid(values: Any) -> Any:
        return None if values is None else np.minimum(values + np.log(len(each)), 0.0)

    unlike = [one.unlike for one in each if one.unlike is not None]
    notes = [f"{name}: {note}" for name, one in said.items() for note in one.notes]
    looks = f"the smallest p-value of {len(each)} groups, times {len(each)}"
    return replace(
        first,
        score=chosen("score"),
        p_value=np.minimum(len(each) * chosen("p_value"), 1.0),
        log_p=paid(chosen("log_p")),
        certificate=paid(chosen("certificate")),
        rigorous=all(one.rigorous for one in each),
        assumptions=tuple(dict.fromkeys(a for one in each for a in one.assumptions)),
        notes=(looks, *notes),
        remarks=tuple(f"{name}: {remark}" for name, one in said.items() for remark in one.remarks),
        smallest=len(each) * min(one.smallest for one in each),
        doubts=tuple(dict.fromkeys(doubt for one in each for doubt in one.doubts)),
        unlike=np.any(unlike, axis=0) if unlike else None,
        member_odds=chosen("member_odds"),
        group=names[nearest],
    )
