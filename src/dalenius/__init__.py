"""dalenius: what could an attacker learn about one person from the statistics you are about to publish?

The path of the data, and the rooms of the package along it::

    files, SQL            publisher's side                                     what the world sees
    ────────► people ───► statistics ──► mechanisms ──► release ═══════════╗ (wall: plain values only)
                 │                                                          ▼
                 │                              knowledge ──► view ──► attacks ──► claims
                 │                                                          ║ (wall: claims only)
                 └────────► referee ◄═══════════════════════════════════════╝
                               └──► findings (with theory) ──► report

Nothing flows back: an attack gets the release and the attacker's knowledge, never the truth.

`audit` is where to start. Four questions have modules of their own: `dalenius.reconstruction` (what is
everybody's secret), `dalenius.tracing` (who is in the data), `dalenius.singling_out` (can somebody be pointed
at) and `dalenius.inference` (what related people give away). Two more, which records tables prove and how
close one comes to somebody's amount, are asked by a plan (`dalenius.auditing.run_plan`) or a command.
"""

from __future__ import annotations

from dalenius.registry import face

__version__ = "0.2.0"

_HOMES = {
    "Audit": "dalenius.auditing.run",
    "DaleniusError": "dalenius.errors",
    "InputError": "dalenius.errors",
    "Policy": "dalenius.findings.policy",
    "Release": "dalenius.release.release",
    "Report": "dalenius.findings.report",
    "audit": "dalenius._api",
    "example": "dalenius.people.examples.examples",
    "gaussian": "dalenius.wording",
    "laplace": "dalenius.wording",
    "means": "dalenius.wording",
    "publish": "dalenius.release.publish",
    "read": "dalenius.people.dataset",
    "read_report": "dalenius.auditing.schemas",
    "rounding": "dalenius.wording",
    "suppression": "dalenius.wording",
    "tables": "dalenius.wording",
}

_FAMILIES = ("inference", "reconstruction", "singling_out", "tracing")

__all__ = sorted([*_HOMES, *_FAMILIES])

__getattr__, __dir__ = face(__name__, _HOMES, rooms=_FAMILIES)
