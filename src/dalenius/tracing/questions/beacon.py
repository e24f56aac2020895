"""A beacon says whether anybody in it has an allele: how many members are recognised by asking so often?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from dalenius.auditing.run import run_case
from dalenius.errors import InputError
from dalenius.people.sealed import SealedTraits
from dalenius.people.traits.traits import CodedTraits, Traits
from dalenius.progress import Progress, silent, unsaid
from dalenius.tracing.attack.accusations import Accusations
from dalenius.tracing.attack.genomes.beacon import BeaconAttack
from dalenius.tracing.case import MEMBERS, OUTSIDERS, MembersCase, MembersSettings
from dalenius.tracing.files.groups import TraitGroups
from dalenius.tracing.files.opening import known_fractions
from dalenius.tracing.finding import MembersFinding
from dalenius.tracing.referee.bench import tally

FEWEST = 20
"""People who are not in the beacon, below whom nothing is ranked."""

BUDGETS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Numbers of questions that are looked at besides, up to the one asked for."""


@dataclass(frozen=True)
class BeaconRun:
    """What a beacon gives away, and what about members was said of the largest number of questions."""

    finding: MembersFinding
    accusations: Accusations


def run_beacon(
    groups: TraitGroups, attack: BeaconAttack, how: MembersSettings, progress: Progress = silent
) -> BeaconRun:
    """Make the beacon of the members, ask it about members and others, and count.

    Parameters
    ----------
    groups
        Members, reference people and others, all genotypes of the same variants.
    attack
        How it is asked; the same noise is put on its answers.
    how
        How members are judged; its attack is not used.

    Raises
    ------
    InputError
        If people have other than genotypes, or there are too few.
    """
    turned = _rarer(groups)
    mechanism = f"presence:flip={attack.flip!r}" if attack.flip else "presence"
    case = MembersCase(turned, mechanism, replace(how, attack=attack))
    claims, found = run_case(case, how.looks, progress=progress)
    finding = cast(MembersFinding, found)
    accusations = case.about_people(claims)
    fewer = _by_budget(case, attack, finding.headline)
    return BeaconRun(finding.model_copy(update={"facts": (*finding.facts, *fewer)}), accusations)


def _rarer(groups: TraitGroups) -> TraitGroups:
    """Count the rarer allele of each variant among the references: that is the one worth asking about."""
    reference = groups.reference
    if not isinstance(reference, CodedTraits) or reference.kind != "genotype":
        raise InputError("members", "must be genotypes, to be asked about alleles", reference.kind)
    if isinstance(groups.members, SealedTraits):
        raise InputError("members", "must be open", "people under seal")
    if reference.n < FEWEST:
        raise InputError("reference", f"must hold at least {FEWEST} people", f"{reference.n:,}")
    flip = np.nan_to_num(known_fractions(reference), nan=0.0) > 0.5

    def turned(people: Traits) -> Traits:
        return cast(CodedTraits, people).select(np.arange(people.d), flip)

    others = {name: turned(group) for name, group in groups.others.items()}
    return replace(groups, members=turned(groups.members), reference=turned(reference), others=others)


def _by_budget(case: MembersCase, attack: BeaconAttack, level: float) -> list[str]:
    """Say how many are recognised with fewer questions, at the level that the finding speaks of."""
    told = []
    for queries in (each for each in BUDGETS if each < attack.queries):
        case.trace = replace(attack, queries=queries)  # the same answers, asked less often
        said = case.attack(case.views(), silent, unsaid)
        ours, others = tally(said[f"{MEMBERS} 0"], (level,))[0], tally(said[OUTSIDERS], (level,))[0]
        told.append(f"{queries:,}: {ours.rate:.0%} ({others.rate:.1%})")
    if not told:
        return []
    listed = ", ".join(told)
    return [f"Recognised with fewer questions, at the same level (people not in the beacon): {listed}."]
