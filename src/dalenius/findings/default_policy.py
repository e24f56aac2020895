"""The policy if none is given, and policies by purpose; ``docs/explanation/policies.md`` says why."""

from __future__ import annotations

from typing import Any, Final, Literal

MAX_ADVANTAGE = 0.05
"""One person in twenty is named who could not be named without the release."""

MAX_RECOVERED = 0.25
"""Share of the secrets that guessing gets wrong."""

KNOWN_AT = 0.99
"""From which probability on a value counts as known."""

MOST_KNOWN_AT = 0.995
"""Decoders keep some doubt whatever they find (`DOUBT`): from more on nobody would be known under noise."""

LEAST_CONFIDENCE = 0.5
"""With less an interval misses more often than not, and nothing that it is below is shown."""

CONFIDENT = 0.95
"""A guess held to be at least this likely exposes a person."""

CONFIDENCE = 0.95
"""With which all intervals of a report hold together."""

SURE = 0.9999
"""Of the wider interval by which a control is called broken, or a theorem: not by one run in forty."""

Purpose = Literal["open-data", "research-centre", "gwas", "gdpr-anonymous"]

RULES: Final[dict[str, dict[str, Any]]] = {
    # anybody may attack, with anything, for ever
    "open-data": {"max_advantage": 0.02, "max_recovered": 0.1, "known_at": 0.95, "max_nu": 1.0},
    # users are known and bound by contract; what must not happen is that a table hands them a secret
    "research-centre": {"max_advantage": 0.1, "max_recovered": 0.5, "known_at": 0.99},
    # being among the cases is the secret, and genomes do not change
    "gwas": {
        "max_advantage": 0.01,
        "max_recovered": 0.1,
        "known_at": 0.95,
        "confidence": 0.99,
        "max_nu": 0.5,
    },
    # nobody can be singled out, linked or inferred by means reasonably likely to be used
    "gdpr-anonymous": {"max_advantage": 0.01, "max_recovered": 0.05, "known_at": 0.9, "max_nu": 0.5},
}
"""The keys that a purpose sets; the others are those of every policy."""
