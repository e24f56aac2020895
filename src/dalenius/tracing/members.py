"""Audit a release of means: make it, try to recognise its members, and count against people not in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from dalenius.auditing.run import run_case
from dalenius.people.files.read_file import Source
from dalenius.people.sealed import SealedTraits
from dalenius.people.traits.traits import Traits
from dalenius.private_repr import hides_people
from dalenius.progress import Progress, silent
from dalenius.release.means import MeansRelease
from dalenius.tracing.attack.accusations import Accusations
from dalenius.tracing.case import Attack, MembersCase, Tried, standard
from dalenius.tracing.files.groups import open_groups
from dalenius.tracing.files.opening import Opening
from dalenius.tracing.finding import MembersFinding
from dalenius.tracing.referee.bench import LEVELS
from dalenius.tracing.referee.deal import ROUNDS


@hides_people()
@dataclass(frozen=True)
class Traced:
    """A tracing audit that was run.

    Parameters
    ----------
    finding
        What was found; nobody is in it.
    release
        What was attacked; the first one, where there were several.
    accusations
        What the attack says about every member, in their order: to be kept as safe as the data.
    """

    finding: MembersFinding
    release: MeansRelease
    accusations: Accusations


def trace_members(
    members: Traits | SealedTraits | Source,
    reference: Traits | Source,
    mechanism: str = "exact",
    *,
    id: str | None = None,
    release: MeansRelease | None = None,
    others: Mapping[str, Traits | Source] | None = None,
    weights: str = "auto",
    calibration: str = "auto",
    preset: str | None = None,
    independent: bool = False,
    alpha: float | None = None,
    attack: Attack | None = None,
    rounds: int = ROUNDS,
    repeats: int = 1,
    levels: Sequence[float] = LEVELS,
    prior: float | None = None,
    moved: int | None = None,
    looks: int = 1,
    confidence: float = 0.95,
    name: str = "release",
    seed: int = 1,
    progress: Progress = silent,
) -> Traced:
    """Say how many members of a release of means can be recognised, and at how many false alarms.

    Parameters
    ----------
    members
        The people whose means are published: attributes, or a file, frame or table of a database.
    reference
        People of the same population who are not members: attributes, the same in the same order, or a source
        like that of the members.
    id
        Of sources, the column that names people; without it rows are numbered.
    mechanism
        What is done to the means, such as ``gaussian:rho=0.5``.
    release
        The means as they were published, instead of making them; there is no control then.
    others
        Further people to judge, by name, such as relatives of members.
    weights, calibration, preset, independent, alpha
        Which test, see `dalenius.tracing.attack.attack.trace`.
    attack
        Another attack altogether.
    rounds
        Into how many parts the reference is cut; the attacker holds all but one.
    repeats
        How many independent releases are made and attacked. The first one is the finding; the others say how
        far the share of members recognised differs from release to release.
    levels
        The rates of false alarms to look at.
    prior
        How likely a person is a member beforehand; with it the finding says how often an accusation is right.
    moved
        How many means one person can move, see `publish_means`.
    looks
        How many findings are made together.
    confidence
        With which the intervals hold together.
    seed
        The same seed gives the same finding.

    Raises
    ------
    InputError
        If attributes differ, the reference holds members, or there are too few people.
    """
    if not isinstance(members, Traits | SealedTraits):
        opened = open_groups(members, reference, Opening(id), others=others)
        members, reference, others = opened.members, opened.reference, opened.others
        moved = opened.moved if moved is None else moved
    how = Tried(
        mechanism=mechanism,
        release=release,
        attack=attack or standard(weights, calibration, preset, independent, alpha),
        rounds=rounds,
        repeats=repeats,
        levels=tuple(levels),
        prior=prior,
        moved=moved,
        confidence=confidence,
        seed=seed,
    )
    case = MembersCase(name, members, reference, others or {}, how)
    claims, finding = run_case(case, looks, progress=progress)
    return Traced(cast(MembersFinding, finding), case.releases[0], case.about_people(claims))
