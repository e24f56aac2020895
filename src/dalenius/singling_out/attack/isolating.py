"""What singling out says: a condition that should match exactly one person, and how rare it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dalenius.conditions.predicate import Predicate, to_json
from dalenius.shown import hides_people

RIGOROUS = frozenset({"exact", "cp", "frechet", "hash", "minentropy", "fingerprint"})
"""Bounds that hold for the source they name without a model of how columns depend on each other."""


@dataclass(frozen=True)
class WeightBound:
    """An upper bound of the share of all people that meet a condition.

    Parameters
    ----------
    value
        The bound.
    tag
        How it was made: ``exact``, ``cp``, ``frechet``, ``product``, ``chain``, ``minentropy``, ``hash``,
        ``fingerprint``; ``assumed`` is no bound at all, and carries no verdict.
    assumption
        What it takes for granted.
    error
        The chance that it is wrong although the assumption holds.
    """

    value: float
    tag: str
    assumption: str
    error: float = 0.0

    @property
    def rigorous(self) -> bool:
        """Whether it holds without a model of the population."""
        return self.tag in RIGOROUS


@hides_people("kind")
@dataclass(frozen=True)
class Isolating:
    """A condition that should match exactly one row of the data.

    Parameters
    ----------
    predicate
        The condition on one original row.
    weight
        How specific it is.
    kind
        The attack it came from.
    success
        How often such a condition isolates somebody, as far as the attacker can tell.
    class_size
        Rows of the class it came from; ``None`` if it came from no class.
    text
        The condition in words.
    """

    predicate: Predicate
    weight: WeightBound
    kind: str
    success: float
    class_size: int | None
    text: str

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "text": self.text,
            "predicate": to_json(self.predicate),
            "weight": {
                "at_most": self.weight.value,
                "tag": self.weight.tag,
                "assumption": self.weight.assumption,
                "error": self.weight.error,
            },
            "attack": self.kind,
            "expected_success": self.success,
            "class_size": self.class_size,
        }
