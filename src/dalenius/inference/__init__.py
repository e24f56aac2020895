"""Inference: what do releases promise related people? nu beside epsilon, beliefs before and after."""

from __future__ import annotations

from dalenius.registry import face

_HOMES = {
    "SeenOutput": "dalenius.inference.answers.beliefs",
    "after_answers": "dalenius.inference.attack.beliefs.beliefs",
    "after_noisy_sum": "dalenius.inference.attack.beliefs.beliefs",
    "believe": "dalenius.inference.answers.beliefs",
    "epsilon_for": "dalenius.inference.attack.epsilon_for",
    "inferential_privacy": "dalenius.inference.attack.nu",
    "read_joint": "dalenius.knowledge.correlation.joint",
    "read_network": "dalenius.inference.priors.prior",
    "read_pedigree": "dalenius.inference.priors.prior",
    "worst_case": "dalenius.inference.attack.worst_mechanism",
    "write_contacts": "dalenius.people.examples.families",
    "write_family": "dalenius.people.examples.families",
}

__all__ = sorted(_HOMES)

__getattr__, __dir__ = face(__name__, _HOMES)
