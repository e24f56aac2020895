"""Before frequencies of one's own people are published: the most of them that is safe, tried on those people.

Formulas take attributes for independent; genomes are not like that. So releases are made, attacked and
judged as `trace members` does, one way to protect after the other: fewer variants, common ones alone, fewer
digits, normal noise. Along each way the least protection that keeps to the policy is looked for by halving,
and then confirmed on fresh draws: who is judged with whom, and the noise. What fails there gives way to the
next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from dalenius.auditing.run import run_case
from dalenius.errors import InputError
from dalenius.findings.policy import Grade, Policy, worst_of
from dalenius.findings.report import Headings
from dalenius.mechanisms.base import plain
from dalenius.people.traits.traits import CodedTraits, Traits
from dalenius.progress import Progress, silent
from dalenius.tracing.case import MembersCase, MembersSettings
from dalenius.tracing.changes import DIGITS, RHOS, SHARES
from dalenius.tracing.files.groups import TraitGroups
from dalenius.tracing.files.opening import known_fractions
from dalenius.tracing.finding import MembersFinding, SafeRelease, SafeReleases, TracingFinding, TriedRelease
from dalenius.tracing.referee.bench import LEVELS
from dalenius.tracing.rules import rulings
from dalenius.tracing.words import safe_facts, safe_sentence

COMMON = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4)
"""Frequencies of the rarer allele among the references, below which variants are left out."""

CONFIRMED = 2
"""Fresh draws on which what is called safe must be so again."""

FEWEST = 2
"""Variants that a release must have to be worth publishing."""

WAYS = ("all", "fewer", "common", "digits", "noise")

ASSUMED = (
    "What is called safe is so against the attack of dalenius trace members, with a person's whole record "
    "and references like those given, on these people; except with noise, of which the promise holds against "
    "every attack. Each way is tried alone: settings that are safe one by one are not tried together."
)


@dataclass(frozen=True)
class ProtectionTried:
    """One way to publish: which variants, and what is done to their frequencies."""

    way: str
    setting: str
    columns: np.ndarray[tuple[int], np.dtype[np.intp]]
    mechanism: str = "exact"


def plan_own(
    groups: TraitGroups, fpr: float, policy: Policy, *, seed: int = 1, progress: Progress = silent
) -> TracingFinding:
    """Find the most that can be published of these people under a policy.

    Parameters
    ----------
    groups
        The people and others of their population, with the same attributes.
    fpr
        The smallest rate of false alarms looked at; larger ones are looked at too.
    policy
        What is tolerated.
    seed
        The same seed gives the same plan.

    Raises
    ------
    InputError
        If the rate is not a probability, or values have no frequencies.
    """
    if not 0 < fpr < 1:
        raise InputError("--fpr", "must lie strictly between 0 and 1", f"{fpr:g}")
    if not isinstance(groups.reference, CodedTraits) or not isinstance(groups.members, Traits):
        raise InputError("members", "must have genotypes or yes/no attributes", "others")
    trial = _Trial(groups, (*(level for level in LEVELS if level > fpr), fpr), policy, seed)
    ways: list[SafeRelease] = []
    for k, way in enumerate(WAYS):
        progress(k / len(WAYS), f"trying ways to publish: {way}")
        ways.append(_search(trial, list(_candidates(groups, way))))
        if way == "all" and ways[0].setting is not None:
            break  # nothing needs to be protected
    return _finding(groups, fpr, ways, trial)


def _candidates(groups: TraitGroups, way: str) -> Iterator[ProtectionTried]:
    """What is tried along one way, from little protection to much."""
    d = groups.members.d
    everything = np.arange(d)
    if way == "all":
        yield ProtectionTried(way, f"all {d:,}", everything)
    elif way == "fewer":
        for part in (each for each in SHARES if d // each >= FEWEST):
            kept = np.linspace(0, d - 1, d // part).round().astype(np.intp)
            yield ProtectionTried(way, f"{kept.size:,} of {d:,}", kept)
    elif way == "common":
        share = known_fractions(cast(CodedTraits, groups.reference))
        rarer = np.minimum(share, 1 - share)
        for least in COMMON:
            kept = np.flatnonzero(rarer >= least)
            if FEWEST <= kept.size < d:
                yield ProtectionTried(way, f"{kept.size:,} from {least:g} on", kept)
    elif way == "digits":
        for digits in DIGITS:
            yield ProtectionTried(way, f"{digits}", everything, f"rounding:digits={digits}")
    else:
        for rho in RHOS:
            yield ProtectionTried(way, f"rho {plain(rho)}", everything, f"gaussian:rho={plain(rho)}")


@dataclass(frozen=True)
class _Trial:
    """Publishes, attacks and judges one candidate."""

    groups: TraitGroups
    levels: Sequence[float]
    policy: Policy
    seed: int

    def __call__(self, candidate: ProtectionTried, draw: int) -> TriedRelease:
        looks = 1 if draw == 0 else len(WAYS) * CONFIRMED
        how = MembersSettings(
            name=candidate.setting, levels=self.levels, looks=looks, confidence=self.policy.confidence,
            seed=self.seed + 1000 * draw,
        )  # fmt: skip
        members, reference = cast(Traits, self.groups.members), self.groups.reference
        some = replace(
            self.groups, members=members.select(candidate.columns), others={}, notes=(),
            reference=reference.select(candidate.columns),
        )  # fmt: skip
        case = MembersCase(some, candidate.mechanism, how)
        found = cast(MembersFinding, run_case(case, looks)[1])
        row = max(found.reachable or found.measures, key=lambda row: row.advantage.low)
        return TriedRelease(
            setting=candidate.setting, variants=int(candidate.columns.size), mechanism=candidate.mechanism,
            draw=draw, level=row.at, recognised=row.attack.rate, others=row.baseline.rate,
            gain_high=row.advantage.high, verdict=worst_of(r.verdict for r in rulings(found, self.policy)),
        )  # fmt: skip


def _search(trial: _Trial, candidates: list[ProtectionTried]) -> SafeRelease:
    """Halve between what is not safe and what is, then confirm on fresh draws."""
    tried: list[TriedRelease] = []

    def safe(at: int, draw: int = 0) -> bool:
        tried.append(trial(candidates[at], draw))
        return tried[-1].verdict == "pass"

    low, high = 0, len(candidates)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if safe(middle) else (middle + 1, high)
    while low < len(candidates) and not all(safe(low, draw) for draw in range(1, CONFIRMED + 1)):
        low += 1
    found = candidates[low] if low < len(candidates) else None
    return SafeRelease(
        way=candidates[0].way if candidates else "",
        setting=None if found is None else found.setting,
        variants=None if found is None else int(found.columns.size),
        mechanism=None if found is None else found.mechanism,
        tried=tuple(tried),
    )


def _finding(groups: TraitGroups, fpr: float, ways: Sequence[SafeRelease], trial: _Trial) -> TracingFinding:
    found = SafeReleases(
        reference=groups.reference.n,
        variants=groups.members.d,
        false_alarms=fpr,
        limit=trial.policy.max_advantage,
        ways=tuple(way for way in ways if way.tried),
        confirmed=CONFIRMED,
    )
    as_it_is = found.ways[0].tried[0]
    graded = Grade("none", "exact frequencies keep to the policy")
    if found.ways[0].setting is None:
        graded = Grade("high" if as_it_is.verdict == "stop" else "undecided", "exact frequencies do not")
    finding = TracingFinding(
        release="frequencies to come",
        people=groups.members.n,
        numbers=groups.members.d,
        mechanism="exact",
        promise=None,
        attack_method="auto",
        measures=(),
        deciding=None,
        headings=Headings(attack="recognised", baseline="others", asks="what can be published"),
        bound=None,
        confidence=trial.policy.confidence,
        looks=None,
        severity=graded.severity,
        severity_reason=graded.reason,
        sentence=safe_sentence(found),
        notes=groups.notes,
        assumptions=(ASSUMED,),
        details=found,
    )
    return finding.model_copy(update={"facts": tuple(safe_facts(found))})
