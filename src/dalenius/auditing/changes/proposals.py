"""All changes that are proposed for one plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from dalenius.auditing.case import Opened
from dalenius.auditing.changes.candidate import Candidate
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_releases import kind_of
from dalenius.findings.report import ChangeKind, Finding
from dalenius.progress import Progress


@dataclass(frozen=True)
class Proposals:
    """What could be changed.

    Parameters
    ----------
    by_kind
        Changes that are enumerated, by kind.
    noise
        Noise from little to much, which is bisected.
    promise
        The change whose promise meets the policy against every attack, if there is one.
    not_tried
        What was not proposed, and why.
    alone
        Whether nothing that another family proposes can pass.
    """

    by_kind: Mapping[ChangeKind, Sequence[Candidate]] = field(default_factory=dict)
    noise: Sequence[Candidate] = ()
    promise: Candidate | None = None
    not_tried: tuple[str, ...] = ()
    alone: bool = False

    @property
    def count(self) -> int:
        """How many changes are proposed in all."""
        enumerated = sum(map(len, self.by_kind.values()))
        return enumerated + len(self.noise) + (self.promise is not None)

    @property
    def any(self) -> bool:
        """Whether something is proposed at all."""
        return self.count > 0


@dataclass(frozen=True)
class ToChange:
    """What a family is asked to propose changes of.

    Parameters
    ----------
    plan
        As it is.
    releases
        Those of its releases that may be changed, all of one kind.
    opened
        The statistics about a secret as they are planned; ``None`` if the plan has none.
    finding
        What decides about the plan; ``None`` if nothing was found.
    keep
        Tables or columns that must not be left out, as a person names them.
    given
        Whether the people were read by somebody else, so that their columns cannot be read otherwise.
    out
        Whether something is out already.
    folder
        Where files of changed releases can be made.
    less_at_risk
        Says of changed plans by how much less is at risk under each; ``None`` if that would take too long.
    """

    plan: Plan
    releases: Sequence[Any]
    opened: Opened | None
    finding: Finding | None
    keep: tuple[str, ...]
    given: bool
    out: bool
    folder: Path
    less_at_risk: Callable[[Mapping[str, Plan]], Mapping[str, float] | None]

    def of_kind(self, *kinds: str) -> list[Any]:
        """Those of the releases that are of some kinds."""
        return [release for release in self.releases if kind_of(release) in kinds]

    @property
    def called(self) -> str:
        """The releases that may be changed, in words."""
        return ", ".join(release.name for release in self.releases)

    def with_releases(self, changed: Mapping[str, Mapping[str, Any]]) -> Plan:
        """The plan with other values of some keys of its releases, by the names of the releases."""
        new = [each.model_copy(update=dict(changed.get(each.name, {}))) for each in self.plan.release]
        return self.plan.model_copy(update={"release": new})


class Proposer(Protocol):
    """What a family offers, so that its releases can be mended: ``propose`` of a module that it names."""

    def __call__(self, asked: ToChange, progress: Progress) -> Proposals:
        """Propose changes; nothing if none is known."""
        ...


def joined(each: Iterable[Proposals]) -> Proposals:
    """Put together what several families propose; one that says that nothing else can pass stands alone.

    Examples
    --------
    >>> joined([Proposals(not_tried=("a",)), Proposals(not_tried=("b",))]).not_tried
    ('a', 'b')
    """
    found = [proposals for proposals in each if proposals.any or proposals.not_tried]
    found = [proposals for proposals in found if proposals.alone] or found
    by_kind: dict[ChangeKind, Sequence[Candidate]] = {}
    for proposals in found:
        for kind, candidates in proposals.by_kind.items():
            by_kind[kind] = (*by_kind.get(kind, ()), *candidates)
    return Proposals(
        by_kind,
        next((proposals.noise for proposals in found if proposals.noise), ()),
        next((proposals.promise for proposals in found if proposals.promise is not None), None),
        tuple(dict.fromkeys(said for proposals in found for said in proposals.not_tried)),
    )


def once(plan: Plan, candidates: Iterable[Candidate]) -> list[Candidate]:
    """Leave out what is the same plan as another, or the plan as it is."""
    found = {plan.model_dump_json(): None}
    kept = []
    for each in candidates:
        text = each.plan.model_dump_json()
        if text not in found:
            found[text] = None
            kept.append(each)
    return kept
