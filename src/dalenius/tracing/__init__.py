"""Tracing: who can be recognised as being in the data? Means in; accusations and a finding out."""

from __future__ import annotations

from dalenius.registry import face

_HOMES = {
    "Accusations": "dalenius.tracing.attack.accusations",
    "MeansRelease": "dalenius.release.means",
    "MembersSettings": "dalenius.tracing.case",
    "Opening": "dalenius.tracing.files.opening",
    "PromiseSettings": "dalenius.tracing.questions.program",
    "ScoreTest": "dalenius.tracing.attack.score_test",
    "StudySizes": "dalenius.genomes.associations.sizes",
    "Traced": "dalenius.tracing.questions.members",
    "TracingView": "dalenius.knowledge.tracing",
    "blocks_by_correlation": "dalenius.tracing.attack.genomes.linkage",
    "blocks_by_position": "dalenius.tracing.attack.genomes.linkage",
    "open_groups": "dalenius.tracing.files.groups",
    "open_view": "dalenius.tracing.files.view",
    "open_views": "dalenius.tracing.files.view",
    "plan_tracing": "dalenius.theory.tracing.plan",
    "publish_means": "dalenius.release.means_publish",
    "read_genotypes": "dalenius.genomes.read",
    "refute_promise": "dalenius.tracing.questions.program",
    "trace": "dalenius.tracing.attack.attack",
    "trace_members": "dalenius.tracing.questions.members",
    "trace_targets": "dalenius.tracing.questions.targets",
    "try_promise": "dalenius.tracing.questions.promise",
    "write_frequencies": "dalenius.genomes.frequencies",
    "write_means": "dalenius.release.means_files",
    "write_plink": "dalenius.genomes.plink",
}

__all__ = sorted(_HOMES)

__getattr__, __dir__ = face(__name__, _HOMES)
