"""Audit a release of means: make it, try to recognise its members, and count against people not in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from dalenius.auditing.decide import Reported, report_of
from dalenius.auditing.run import run_case
from dalenius.findings.report import Report
from dalenius.people.files.read_file import Source
from dalenius.people.sealed import SealedTraits
from dalenius.people.traits.traits import Traits
from dalenius.progress import Progress, silent
from dalenius.release.means import MeansRelease
from dalenius.shown import hides_people
from dalenius.tracing.attack.accusations import Accusations
from dalenius.tracing.case import MembersCase, MembersSettings
from dalenius.tracing.files.groups import TraitGroups, open_groups
from dalenius.tracing.files.opening import Opening
from dalenius.tracing.finding import MembersFinding


@hides_people()
@dataclass(frozen=True)
class Traced(Reported):
    """A tracing audit that was run.

    Parameters
    ----------
    finding
        What was found; nobody is in it.
    release
        What was attacked; the first one, where there were several.
    accusations
        What the attack says about every member, in their order: to be kept as safe as the data.
    seed, confidence
        What it was made with.
    """

    finding: MembersFinding
    release: MeansRelease
    accusations: Accusations
    seed: int
    confidence: float

    @property
    def report(self) -> Report:
        """The finding as a report; nobody is in it."""
        people = self.accusations.ids.size
        return report_of([self.finding], people=people, seed=self.seed, confidence=self.confidence)


def trace_members(
    members: Traits | SealedTraits | Source,
    reference: Traits | Source,
    mechanism: str | MeansRelease = "exact",
    *,
    id: str | None = None,
    others: Mapping[str, Traits | Source] | None = None,
    how: MembersSettings = MembersSettings(),
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
    mechanism
        What is done to the means, such as ``gaussian:rho=0.5``; or the means as they were published, and then
        there is no control.
    id
        Of sources, the column that names people; without it rows are numbered.
    others
        Further people to judge, by name, such as relatives of members.
    how
        Which attack, how often, at which rates of false alarms, and the seed.

    Raises
    ------
    InputError
        If attributes differ, the reference holds members, or there are too few people.
    """
    if isinstance(members, Traits | SealedTraits):
        groups = TraitGroups(members, reference, others or {})
    else:
        groups = open_groups(members, reference, Opening(id), others=others)
    return run_members(groups, mechanism, how, progress)


def run_members(
    groups: TraitGroups,
    mechanism: str | MeansRelease = "exact",
    how: MembersSettings = MembersSettings(),
    progress: Progress = silent,
) -> Traced:
    """Do the same with people whose files were opened by `open_groups`."""
    case = MembersCase(groups, mechanism, how)
    claims, finding = run_case(case, how.looks, progress=progress)
    found, accusations = cast(MembersFinding, finding), case.about_people(claims)
    return Traced(found, case.releases[0], accusations, how.seed, how.confidence)
