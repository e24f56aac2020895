"""dalenius: what could an attacker learn about one person from the statistics you are about to publish?

The path of the data, and the rooms of the package along it::

    files, SQL            publisher's side                                     what the world sees
    ────────► dataset ──► statistics ──► mechanisms ──► release ═══════════╗ (wall: plain values only)
                 │                                                          ▼
                 │                              knowledge ──► view ──► attacks ──► claims
                 │                                                          ║ (wall: claims only)
                 └────────► referee ◄═══════════════════════════════════════╝
                               └──► findings (with theory) ──► report

Nothing flows back: an attack gets the release and the attacker's knowledge, never the truth.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.2.0"

_HOMES = {
    "Accusations": "dalenius.tracing.attack.accusations",
    "Audit": "dalenius.auditing.run",
    "Report": "dalenius.findings.report",
    "Block": "dalenius.release.release",
    "DaleniusError": "dalenius.errors",
    "Dataset": "dalenius.people.dataset",
    "Guesses": "dalenius.reconstruction.attack.guesses",
    "InputError": "dalenius.errors",
    "Knowledge": "dalenius.knowledge.view",
    "MeansRelease": "dalenius.release.means",
    "Planned": "dalenius.reconstruction.case",
    "Policy": "dalenius.findings.policy",
    "Release": "dalenius.release.release",
    "TracingView": "dalenius.knowledge.tracing",
    "View": "dalenius.knowledge.view",
    "audit": "dalenius.reconstruction.audit",
    "epsilon_for": "dalenius.inference.attack.epsilon_for",
    "example": "dalenius.people.examples",
    "inferential_privacy": "dalenius.inference.attack.nu",
    "plan_tracing": "dalenius.theory.tracing.plan",
    "publish": "dalenius.release.publish",
    "publish_means": "dalenius.release.means_publish",
    "read": "dalenius.people.dataset",
    "read_genotypes": "dalenius.genomes.read",
    "read_joint": "dalenius.knowledge.correlation.joint",
    "read_network": "dalenius.inference.prior",
    "read_pedigree": "dalenius.inference.prior",
    "read_plan": "dalenius.auditing.plan",
    "read_release": "dalenius.release.files",
    "read_rows": "dalenius.people.opening",
    "reconstruct": "dalenius.reconstruction.attack.attack",
    "roster_of": "dalenius.release.publish",
    "run_plan": "dalenius.auditing.run",
    "single_out_counts": "dalenius.singling_out.counts",
    "single_out_game": "dalenius.singling_out.anonymisers",
    "single_out_rows": "dalenius.singling_out.rows",
    "single_out_triple": "dalenius.singling_out.triple",
    "stream": "dalenius.random",
    "summary": "dalenius.report.text",
    "trace": "dalenius.tracing.attack.attack",
    "trace_members": "dalenius.tracing.members",
    "try_promise": "dalenius.tracing.trials",
    "worst_case": "dalenius.inference.attack.worst_mechanism",
    "write_release": "dalenius.release.files",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for: nothing is imported before it is needed."""
    if name not in _HOMES:
        raise AttributeError(f"module 'dalenius' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
