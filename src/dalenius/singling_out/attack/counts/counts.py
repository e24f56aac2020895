"""Counts that look harmless one by one single somebody out together.

Cohen and Nissim, *Towards Formalizing the GDPR's Notion of Singling Out*, Theorem 4.6, Remark 4.7 and
appendix B. One count is of a *region* that about one person in n meets; the others are of the region and one
further condition each. When exactly one person is in the region, which everybody can see from its count, the
other counts are that person's record.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.predicate import And, Not, Or, Predicate
from dalenius.conditions.text import english
from dalenius.release.desk.desk import Desk
from dalenius.singling_out.attack.isolating import Isolating, WeightBound

Weigh = Callable[[Predicate], WeightBound]
"""What is known about the population: how many people meet a condition at most, never from the data."""

Values = NDArray[np.float64]


@dataclass(frozen=True)
class CountQuestions:
    """Which counts are asked, and how they are read.

    Parameters
    ----------
    regions
        Conditions that about one person meets each; one is enough, more make it surer.
    coordinates
        What is asked about whoever is in a region: each a few conditions that exclude each other. Nobody
        counted in any of them means that none of them holds.
    half
        A condition that half of all people meet, independent of the regions. Every count is joined with
        it, so that none is small (Remark 4.7).
    noisy
        Whether the counts have noise on them, so that a count above one means nothing.
    """

    regions: tuple[Predicate, ...]
    coordinates: tuple[tuple[Predicate, ...], ...]
    half: Predicate | None = None
    noisy: bool = False

    @property
    def questions(self) -> tuple[Predicate, ...]:
        """All that is asked, region by region."""
        cells = tuple(cell for region in self.regions for cell in self._cells(region))
        if self.half is None:
            return cells
        return (self.half, *(Or((self.half, cell)) for cell in cells))

    def _cells(self, region: Predicate) -> tuple[Predicate, ...]:
        return (region, *(And((region, case)) for cases in self.coordinates for case in cases))

    def read(self, answers: Values) -> tuple[Predicate, bool] | None:
        """Return the condition that the counts spell, and whether exactly one person meets it for sure.

        Examples
        --------
        >>> from dalenius.conditions.predicate import Equals
        >>> plan = CountQuestions((Equals("town", "Bern"),), ((Equals("sex", "f"),), (Equals("ill", "yes"),)))
        >>> predicate, sure = plan.read(np.array([1.0, 0.0, 1.0]))
        >>> sure, predicate.parts[1:]
        (True, (Not(part=Equals(column='sex', level='f')), Equals(column='ill', level='yes')))
        >>> plan.read(np.array([3.0, 2.0, 1.0])) is None
        True
        """
        counts = np.asarray(answers, np.float64).ravel()
        if self.half is not None:
            counts = counts[1:] - counts[0]  # those in the cell who are not in the half
        by_region = counts.reshape(len(self.regions), -1)
        best = int(np.argmin(np.abs(np.nan_to_num(by_region[:, 0], nan=np.inf) - 1)))
        sure = not self.noisy and bool(by_region[best, 0] == 1)
        order = [best, *(r for r in range(len(self.regions)) if r != best)]
        for r in order[:1] if sure or self.noisy else order:
            spelled = self._spell(by_region[r, 1:])
            # the paper goes on with several people in the region: all others may have no bit set
            if spelled is not None and (self.noisy or by_region[r, 0] >= 1):
                outside = () if self.half is None else (Not(self.half),)
                return And((self.regions[r], *outside, *spelled)), sure
        return None

    def _spell(self, counts: Values) -> tuple[Predicate, ...] | None:
        """Turn the counts of one region into the record of the person there; None if there are several."""
        spelled: list[Predicate] = []
        at = 0
        for cases in self.coordinates:
            own = counts[at : at + len(cases)]
            at += len(cases)
            if not self.noisy and not (own.sum() <= 1 and own.min() >= 0):
                return None
            likeliest = int(np.argmax(own))
            if own[likeliest] > 0.5:
                spelled.append(cases[likeliest])
            else:
                spelled.append(Not(cases[0] if len(cases) == 1 else Or(cases)))
        return tuple(spelled)


class Planner(Protocol):
    """Chooses the questions of one attack: fresh keys for each, drawn without the data."""

    def __call__(self, rng: np.random.Generator) -> CountQuestions:
        """Choose the questions."""
        ...


@dataclass(frozen=True)
class CountsAttack:
    """Ask all counts of a plan at once, and read them.

    Parameters
    ----------
    plan
        Chooses the questions.
    weigh
        What is known about the population.
    """

    plan: Planner
    weigh: Weigh

    def __call__(self, desk: Desk, rng: np.random.Generator) -> tuple[Isolating, ...]:
        """Single somebody out, or return nothing."""
        plan = self.plan(rng)
        read = plan.read(desk.ask(plan.questions))
        if read is None:
            return ()
        predicate, sure = read
        return (
            Isolating(
                predicate,
                self.weigh(predicate),
                kind="counts" if plan.half is None else "counts without small ones",
                success=1.0 if sure else 0.0,
                class_size=None,
                text=english(predicate),
            ),
        )
