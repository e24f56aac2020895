"""Who holds the true amounts: what is usual is learnt here, insiders are chosen, and claims are counted."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dalenius.amounts.attack.claims import AmountClaims
from dalenius.amounts.referee.cell_rules import CellRules, hold_cells
from dalenius.amounts.referee.insiders import choose_insiders
from dalenius.amounts.referee.judge import JudgedAmounts, judge_amounts
from dalenius.amounts.referee.usual import Usual, learn_usual
from dalenius.errors import InputError
from dalenius.knowledge.amounts import AmountPrior, AmountView
from dalenius.knowledge.weights import SurveyWeights
from dalenius.people.sealed import SealedRows
from dalenius.release.amounts import AmountRelease
from dalenius.release.amounts_publish import amounts_of
from dalenius.shown import hides_people

Floats = NDArray[np.float64]

SMALLEST = 10
"""People from whom nothing usual is learnt if they are fewer."""


@hides_people()
@dataclass(frozen=True)
class AmountWeights:
    """Survey weights as whoever reads the tables knows them, and as they are; None if nobody says."""

    said: SurveyWeights
    true: Floats | None


@hides_people()
@dataclass(frozen=True)
class AmountCourt:
    """True amounts, and what is usual for such people."""

    amounts: Floats
    usual: Usual
    most: float
    weighing: AmountWeights | None = None

    @staticmethod
    def about(
        people: SealedRows | Floats,
        amount: str,
        codes: NDArray[np.intp],
        ends: tuple[float, float],
        rng: np.random.Generator,
        weighing: AmountWeights | None = None,
    ) -> AmountCourt:
        """Open amounts, and learn what is usual from the others' by the public columns ``codes``.

        Raises
        ------
        InputError
            If an amount lies outside the ends that are said to be known, or too few people are there.
        """
        amounts = amounts_of(people, amount) if isinstance(people, SealedRows) else people
        least, most = ends
        if amounts.size < SMALLEST:
            fix = "What is usual is learnt from them."
            raise InputError("people", f"must be at least {SMALLEST}", f"{amounts.size}", fix)
        outside = int(((amounts < least) | (amounts > most)).sum())
        if outside:
            raise InputError(
                "amounts",
                f"must lie between least ({least:,.10g}) and most ({most:,.10g})",
                f"{outside:,} that do not",
                "Set least and most to ends that everybody knows to hold.",
            )
        return AmountCourt(amounts, learn_usual(amounts, codes, least, rng), most, weighing)

    @property
    def prior(self) -> AmountPrior:
        """What is known without the release."""
        return self.usual.prior(self.most)

    def view(self, release: AmountRelease, within: float) -> AmountView:
        """A release with what is known beside it, by anybody and by insiders."""
        alone = self.view_alone(release)
        true = None if self.weighing is None else self.weighing.true
        return replace(alone, insiders=choose_insiders(alone, self.amounts, within, true))

    def view_alone(self, release: AmountRelease) -> AmountView:
        """A release with what everybody knows beside it."""
        return AmountView(release, self.prior, (), None if self.weighing is None else self.weighing.said)

    def redrawn(self, rng: np.random.Generator) -> Floats:
        """Other amounts for the same people."""
        return self.usual.draw(self.most, rng)

    def at_risk(self, release: AmountRelease, claims: AmountClaims, within: float) -> int:
        """How many are known or bounded too closely by claims that are made from part of a release."""
        return int(self.judge(release, claims, None, within)[0].at_risk.sum())

    def judge(
        self, release: AmountRelease, claims: AmountClaims, control: AmountClaims | None, within: float
    ) -> tuple[JudgedAmounts, CellRules]:
        """Count, and hold the printed cells against the usual rules."""
        true = None if self.weighing is None else self.weighing.true
        rules = hold_cells(release, self.amounts, within, true)
        return judge_amounts(claims, control, self.amounts, self.prior, rules, within), rules
