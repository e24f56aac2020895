"""Planned tables of amounts under the question how close anybody comes to somebody's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dalenius.amounts.attack.claims import AmountClaims, claim_amounts
from dalenius.amounts.build import make_amounts_finding
from dalenius.amounts.finding import AmountsFinding
from dalenius.amounts.published.groups import Listed, make_groups
from dalenius.amounts.referee.court import AmountCourt, AmountWeights
from dalenius.amounts.rules import rulings
from dalenius.amounts.terms import AmountTerms
from dalenius.amounts.together import join
from dalenius.amounts.why import COUNTED, NOT_SEARCHED, look_for_causes
from dalenius.auditing.decide import draw_sample, needs_again, try_again
from dalenius.errors import InputError, SolveError, UnsupportedError
from dalenius.findings.explanation import Why, groups_of, said_of_causes
from dalenius.findings.policy import NOT_TRIED
from dalenius.findings.report import Finding
from dalenius.knowledge.amounts import AmountView
from dalenius.knowledge.weights import known_weights
from dalenius.people.sealed import SealedRows
from dalenius.progress import Announce, Progress, silent, unsaid
from dalenius.random import stream
from dalenius.release.amounts import AmountGroup, AmountRelease
from dalenius.release.amounts_publish import AmountSettings, publish_amounts

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class PlannedTables:
    """One release of amounts: the columns that its tables are by, and how they are published."""

    name: str
    columns: tuple[tuple[str, ...], ...]
    margins: bool
    how: AmountSettings
    weighted: bool = False

    def groups(self, listed: Listed) -> list[AmountGroup]:
        """The groups that it tells of, among some people."""
        return make_groups(listed, self.columns, margins=self.margins)


@dataclass(frozen=True)
class PlannedAmounts:
    """Whose amounts are published, and the releases of them: by which groups, and how."""

    name: str
    amount: str
    people: SealedRows
    listed: Listed
    parts: tuple[PlannedTables, ...]
    weights: Floats | None = None

    def take(self, which: NDArray[np.intp]) -> PlannedAmounts:
        """The same about some of the people."""
        weights = None if self.weights is None else self.weights[which]
        return replace(self, people=self.people.take(which), listed=self.listed.take(which), weights=weights)

    def weighing(self, ends: tuple[float, float] | None) -> AmountWeights | None:
        """The weights as the attacker knows them, and as they are; None if nobody counts by them."""
        true = self.weights
        if true is None or not any(part.weighted for part in self.parts):
            return None
        return AmountWeights(known_weights(true, ends), true)


class AmountsCase:
    """One release of amounts, or several attacked as one."""

    goal = "amounts"
    looks = 1

    def __init__(self, planned: PlannedAmounts, terms: AmountTerms) -> None:
        self.planned, self.terms, self.release = planned, terms, planned.name
        self.court = AmountCourt.about(
            planned.people,
            planned.amount,
            planned.listed.codes(),
            (terms.least, terms.top),
            self._rng("usual"),
            planned.weighing(terms.weights),
        )

    def _rng(self, what: str) -> np.random.Generator:
        return stream(self.terms.seed, what, self.release)

    @cached_property
    def groups(self) -> list[list[AmountGroup]]:
        """The groups that each release tells of."""
        return [part.groups(self.planned.listed) for part in self.planned.parts]

    @cached_property
    def made(self) -> AmountRelease:
        """What is printed."""
        return self._publish(self.planned.people, "noise")

    def _publish(self, people: SealedRows | Floats, noise: str) -> AmountRelease:
        """Print every part; the noise of a release is the same alone and beside others."""
        made = [
            publish_amounts(
                people,
                self.planned.amount,
                groups,
                replace(part.how, weights=self.planned.weights) if part.weighted else part.how,
                rng=stream(self.terms.seed, noise, part.name),
                name=part.name,
            )
            for part, groups in zip(self.planned.parts, self.groups, strict=True)
        ]
        return join(made, self.release)

    def publish(self, progress: Progress) -> AmountView:
        """Print the tables, and return them with what is usual and what insiders know."""
        return self.court.view(self.made, self.terms.within)

    def attack(self, view: AmountView, progress: Progress, announce: Announce) -> AmountClaims:
        """Bound and estimate everybody's amount."""
        return self._claims(view, progress)

    def _claims(self, view: AmountView, progress: Progress = silent) -> AmountClaims:
        within, known_at = self.terms.within, self.terms.policy.known_at
        ids = self.planned.listed.ids
        return claim_amounts(view, ids, within=within, known_at=known_at, progress=progress)

    def control(self, progress: Progress) -> AmountView | None:
        """The same tables of amounts that nobody has: what is learnt from them did not leak."""
        made = self._publish(self.court.redrawn(self._rng("control")), "control noise")
        return self.court.view_alone(made)

    def judge(
        self, claims: AmountClaims, control: AmountClaims | None, looks: int, progress: Progress
    ) -> AmountsFinding:
        """Count whose amounts are known, bounded or estimated closely."""
        judged, rules = self.court.judge(self.made, claims, control, self.terms.within)
        finding = make_amounts_finding(self.made, claims, (judged, rules), self.terms, looks=looks)
        confirmed = self._tried_again(finding, progress)
        return self._explained(confirmed, judged.at_risk, progress)

    def _tried_again(self, finding: AmountsFinding, progress: Progress) -> AmountsFinding:
        """Try a pass on other people too: which amounts the numbers come close to may be luck."""
        policy, draws = self.terms.policy, self.terms.resamples
        looks = (finding.looks or 1) * draws
        # a theorem is about how often somebody comes close, not about whom ends happen to come close to
        apart = finding.model_copy(update={"bound": None})
        if not needs_again(apart, rulings(finding, policy), policy):
            return finding
        try:
            if not draws:
                raise UnsupportedError(NOT_TRIED)
            found = try_again(draws, lambda draw: rulings(self._on_others(draw, looks), policy), progress)
        except (InputError, UnsupportedError, SolveError):  # a sample may be too small to learn from
            return finding.model_copy(update={"assumptions": (*finding.assumptions, NOT_TRIED)})
        details = finding.details.model_copy(update={"resampled": found})
        return finding.model_copy(update={"details": details})

    def _on_others(self, draw: int, looks: int) -> AmountsFinding:
        """What is found about a random sample of the people, published with noise of its own."""
        which = draw_sample(len(self.planned.listed.ids), self._rng(f"sample {draw}"))
        seed = int(self._rng(f"sample noise {draw}").integers(1 << 31))
        terms = replace(self.terms, seed=seed, why=False, resamples=0)
        other = AmountsCase(self.planned.take(which), terms)
        claims = other.attack(other.publish(silent), silent, unsaid)
        counted = other.court.judge(other.made, claims, None, terms.within)
        return make_amounts_finding(other.made, claims, counted, terms, looks=looks)

    def _explained(self, finding: AmountsFinding, at_risk: Mask, progress: Progress) -> AmountsFinding:
        """Say which tables are behind it, and whom it hits."""
        whole = int(at_risk.sum())
        why = None
        if self.terms.why and finding.details.searched:
            why = look_for_causes(self.made, self._at_risk, whole, progress=progress)
        elif self.terms.why and whole:
            why = Why(counted=COUNTED, whole=whole, left_out=NOT_SEARCHED)
        labels = self.planned.listed.labels
        groups = tuple(
            group
            for name, values in labels.items()
            for group in groups_of(name, *_coded(values), at_risk)
            if whole
        )
        explanation = finding.explanation.model_copy(update={"why": why, "groups": groups})
        facts = (*finding.facts, *said_of_causes(why))
        return finding.model_copy(update={"explanation": explanation, "facts": facts})

    def _at_risk(self, part: AmountRelease) -> int:
        """How many are known from a part of what is printed."""
        view = self.court.view(part, self.terms.within)
        return self.court.at_risk(part, self._claims(view), self.terms.within)

    def about_people(self, claims: AmountClaims) -> AmountClaims:
        """Everybody's ends and estimate."""
        return claims

    def files(self, claims: AmountClaims, finding: Finding) -> Mapping[tuple[str, str], str]:
        """Return everybody's ends and estimate."""
        return {("amounts", ".csv"): claims.to_csv()}


def _coded(labels: NDArray[np.str_]) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    levels, codes = np.unique(labels, return_inverse=True)
    return tuple(levels.tolist()), codes.astype(np.int32)
