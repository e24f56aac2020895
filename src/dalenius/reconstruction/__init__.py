"""Reconstruction: what is everybody's secret? Statistics about it in; guesses and a finding out."""

from __future__ import annotations

from dalenius.registry import face

_HOMES = {
    "Budget": "dalenius.release.desk.terms",
    "Guesses": "dalenius.reconstruction.attack.guesses",
    "Knowledge": "dalenius.knowledge.view",
    "OpenDesk": "dalenius.release.desk.desk",
    "Planned": "dalenius.reconstruction.opened",
    "PlannedDesk": "dalenius.release.desk.open_desk",
    "Terms": "dalenius.release.desk.terms",
    "View": "dalenius.knowledge.view",
    "attack_desk": "dalenius.reconstruction.attack.interactive",
    "audit_desk": "dalenius.reconstruction.desk.audit",
    "fewest_queries": "dalenius.reconstruction.desk.fewest",
    "from_sklearn": "dalenius.reconstruction.published.coefficients",
    "from_statsmodels": "dalenius.reconstruction.published.coefficients",
    "m_estimator": "dalenius.statistics.estimates.m_estimator",
    "open_desk": "dalenius.release.desk.open_desk",
    "read_release": "dalenius.release.files",
    "reconstruct": "dalenius.reconstruction.attack.attack",
    "roster_of": "dalenius.release.publish",
    "sql_source": "dalenius.release.desk.sql",
    "write_predictions": "dalenius.release.predictions",
    "write_release": "dalenius.release.files",
}

__all__ = sorted(_HOMES)

__getattr__, __dir__ = face(__name__, _HOMES)
