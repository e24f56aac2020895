"""All changes that are proposed for one plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dalenius.findings.ladder import ChangeKind
from dalenius.remedy.candidate import Candidate


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
    """

    by_kind: Mapping[ChangeKind, Sequence[Candidate]] = field(default_factory=dict)
    noise: Sequence[Candidate] = ()
    promise: Candidate | None = None
    not_tried: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many changes are proposed in all."""
        enumerated = sum(map(len, self.by_kind.values()))
        return enumerated + len(self.noise) + (self.promise is not None)
