"""The reconstruction attack on bundles of blocks, one after the other, by several processes or on a cluster.

What is sent is a view of some blocks: what is published about them, and public columns of people without
names.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import astuple, dataclass

import numpy as np

from dalenius.errors import SaysNothingError, SolveError, TooLargeError, UnsupportedError
from dalenius.knowledge.view import View
from dalenius.progress import Progress, silent
from dalenius.random import attack_stream
from dalenius.reconstruction.attack.attack import follow, reconstruct, uninformed
from dalenius.reconstruction.attack.cost import ComputeBudget
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.attack.split.bundles import Bundles, cut_view
from dalenius.shown import several
from dalenius.spread.blocks import map_blocks
from dalenius.spread.digest import Input, digest_of
from dalenius.spread.parts import Arrays

MOST_NOTES = 3
"""Notes of bundles that are told; the commonest."""

LOST = "the process that attacked them was lost again and again"


@dataclass(frozen=True)
class BundleAttack:
    """How every bundle is attacked.

    Parameters
    ----------
    release
        Names the randomness.
    budget
        What the attack on one bundle may take.
    whole
        The whole attack, or arithmetic alone.
    calibrated
        As of `reconstruct`.
    """

    release: str
    budget: ComputeBudget
    whole: bool = True
    calibrated: bool = True

    def arrays(self, bundle: tuple[int, View]) -> Arrays:
        """Attack a bundle; where that is not possible, say why."""
        number, view = bundle
        try:
            said = self.attack(number, view)
        except (SolveError, UnsupportedError, TooLargeError) as error:
            return {"failed": np.array(str(error))}
        return {
            "probability": said.probability,
            "certain": said.certain,
            "to_insiders": np.zeros((0, 3), np.int64) if said.to_insiders is None else said.to_insiders,
            "method": np.array(said.method),
            "notes": np.array(said.notes, np.str_),
        }

    def attack(self, number: int, view: View) -> Guesses:
        """Guess the secrets of everybody in a bundle."""
        try:
            if not self.whole:
                return follow(view, budget=self.budget)
            rng = attack_stream(self.release, number)
            return reconstruct(view, budget=self.budget, rng=rng, calibrated=self.calibrated)
        except SaysNothingError as error:  # good news, which the referee confirms: nothing beyond the prior
            return uninformed(view, str(error))

    def name(self, view: View) -> str:
        """The same for the same work on the same numbers alone."""
        knowledge, release = view.knowledge, view.release
        prior = np.zeros(0) if knowledge.prior is None else knowledge.prior
        answers: list[Input] = [block.answers for block in release.blocks]
        asked = "|".join(
            f"{block.statistic.to_json()}{release.mechanism_of(block)}" for block in release.blocks
        )
        roster = knowledge.roster
        words = repr([(column.name, column.levels) for column in roster.attributes.columns])
        numbers: list[Input] = [(name, values) for name, values in sorted(roster.numbers.items())]
        how = str((self.release, astuple(self.budget), self.whole, self.calibrated))
        known = digest_of(roster.attributes.codes, words, *numbers, prior)
        return f"blocks-{digest_of(known, *answers, asked, how)[:16]}"


def attack_blocks(view: View, split: str, attack: BundleAttack, *, progress: Progress = silent) -> Guesses:
    """Guess everybody's secret, block by block; those of bundles that cannot be attacked are marked."""
    bundles = cut_view(view, split)
    start = uninformed(view, "")
    probability, certain = start.probability.astype(np.float64), start.certain.copy()
    missed = np.zeros(len(view.knowledge.roster), np.bool_)
    methods, notes, reasons = Counter[str](), Counter[str](), Counter[str]()
    insiders, claims = [np.zeros((0, 3), np.int64)], 0
    done = map_blocks(
        attack.arrays, bundles, work=attack.name(view), progress=progress, doing="block by block", spare=True
    )
    for number, found in enumerate(done):
        which = bundles.people(number)
        if found is None or "failed" in found:
            missed[which] = True
            reasons[LOST if found is None else str(found["failed"])] += 1
            continue
        probability[which], certain[which] = found["probability"], found["certain"]
        claim, line, code = found["to_insiders"].T
        insiders.append(np.stack([claim + claims, which[line], code], axis=1))
        claims += int(claim.max(initial=-1)) + 1
        methods[str(found["method"])] += 1
        notes.update(found["notes"].tolist())
    told = (_said(bundles), *(note for note, _ in notes.most_common(MOST_NOTES)), *reasons)
    method = " and ".join(method for method, _ in methods.most_common()) or "none"
    roster = view.knowledge.roster
    return Guesses(
        roster.id_name,
        roster.ids,
        start.levels,
        probability,
        certain,
        method,
        told,
        missed=missed,
        to_insiders=np.concatenate(insiders),
    )


def _said(bundles: Bundles) -> str:
    if bundles.joining:
        return f"blocks by {bundles.column.name} attacked together, since tables join them"
    return f"blocks by {bundles.column.name} attacked in {several(len(bundles), 'bundle')}"
