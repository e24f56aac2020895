"""Re-identification against the truth: who was named, who is confirmed, and what guessing gets right."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalenius.errors import InputError
from dalenius.findings.tally import Comparison, Tally
from dalenius.records.attack.claims import RecordClaims
from dalenius.records.attack.named.guesses import Key, SimpleGuesses
from dalenius.records.attack.named.match import NamedClaims
from dalenius.records.attack.ranked.others import PopulationShares
from dalenius.records.finding import NamedBaseline, Reidentified
from dalenius.records.referee.truth import TruePeople


@dataclass(frozen=True)
class JudgedNames:
    """What the referee counted, and the attack beside the strongest guess, person by person."""

    counts: Reidentified
    comparison: Comparison | None


def linked(named: NamedClaims, ids: tuple[str, ...] | None, truth: TruePeople) -> list[int]:
    """The true person behind each named one: by id, else the only one with what is known; -1 without one.

    Whatever is claimed about somebody who is not found counts as wrong.

    Raises
    ------
    InputError
        If ids are not one person's own.
    """
    if ids is not None and truth.ids is not None:
        if len(set(truth.ids)) != len(truth.ids):
            raise InputError("--truth", "must have an id for each person alone", "one twice")
        place = {each: at for at, each in enumerate(truth.ids)}
        return [place.get(each, -1) for each in ids]
    by_key: dict[Key, list[int]] = {}
    for at, record in enumerate(truth.records[:, list(named.known)].tolist()):
        by_key.setdefault(tuple(record), []).append(at)
    found = (by_key.get(tuple(person), []) for person in named.people.tolist())
    return [own[0] if len(own) == 1 else -1 for own in found]


def judge_named(
    claims: RecordClaims,
    named: NamedClaims,
    people: list[int],
    truth: TruePeople,
    unit: int | None,
    others: PopulationShares | None,
) -> JudgedNames:
    """Count confirmed people; ``people`` are the true ones behind the named."""
    rest = truth.records[:, list(named.rest)].tolist()
    tried = np.flatnonzero(named.putative).tolist()
    real = [tuple(rest[people[at]]) if people[at] >= 0 else () for at in tried]
    right = [tuple(named.claimed[at].tolist()) == own for at, own in zip(tried, real, strict=True)]
    guesses = SimpleGuesses(claims, named, unit, others)
    hits = {
        name: [guess == own for guess, own in zip(made, real, strict=True)]
        for name, made in guesses.all(tried).items()
    }
    expected = sum(guesses.share(at, own) for at, own in zip(tried, real, strict=True))
    sure = [ok for at, ok in zip(tried, right, strict=True) if named.certain[at]]
    counts = Reidentified(
        known=tuple(claims.bounds.system.columns.names[at] for at in named.known),
        named=len(named.people),
        putative=int(named.putative.sum()),
        confirmed=sum(right),
        certain=len(sure),
        certain_right=sum(sure),
        **_non_modal(named, people, truth, guesses, unit),
        baselines=(
            *(NamedBaseline(name=name, hits=float(sum(own))) for name, own in hits.items()),
            NamedBaseline(name="proportional", hits=round(expected, 3)),
        ),
    )
    best = max(hits, key=lambda name: sum(hits[name]))
    return JudgedNames(counts, _compared(right, hits[best]))


def _compared(right: list[bool], base: list[bool]) -> Comparison | None:
    if not right:
        return None
    both = list(zip(right, base, strict=True))
    return Comparison(
        Tally(sum(right), len(right)),
        Tally(sum(base), len(base)),
        sum(a and not b for a, b in both),
        sum(b and not a for a, b in both),
    )


def _non_modal(
    named: NamedClaims, people: list[int], truth: TruePeople, guesses: SimpleGuesses, unit: int | None
) -> dict[str, Any]:
    """People alone in the truth with what is known, and among them those unlike most of their unit."""
    keys = Counter(map(tuple, truth.records[:, list(named.known)].tolist()))
    rest = [tuple(record) for record in truth.records[:, list(named.rest)].tolist()]
    of = [0] * len(rest) if unit is None else truth.records[:, unit].tolist()
    by_unit: dict[int, Counter[Key]] = {}
    for each, values in zip(of, rest, strict=True):
        by_unit.setdefault(each, Counter())[values] += 1
    modal = {each: own.most_common(1)[0][0] for each, own in by_unit.items()}
    unique = [
        at
        for at, person in enumerate(people)
        if person >= 0 and keys[tuple(truth.records[person, list(named.known)].tolist())] == 1
    ]
    unlike = [at for at in unique if rest[people[at]] != modal[of[people[at]]]]
    return {
        "uniques": len(unique),
        "non_modal": len(unlike),
        "non_modal_right": sum(
            bool(named.putative[at]) and tuple(named.claimed[at].tolist()) == rest[people[at]]
            for at in unlike
        ),
        "non_modal_expected": round(sum(guesses.share(at, rest[people[at]]) for at in unlike), 3),
    }
