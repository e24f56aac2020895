"""A whole network as junction trees, whatever else would solve it faster."""

from __future__ import annotations

from dataclasses import replace

from dalenius.inference.attack.identical import merge_identical
from dalenius.inference.attack.solvers.elimination import eliminations
from dalenius.inference.attack.solvers.junction import MOST_BYTES, WIDEST, JunctionTree, assemble, too_wide
from dalenius.knowledge.correlation.model import CorrelationModel


def triangulate(model: CorrelationModel) -> JunctionTree:
    """Prepare all groups of a network for calibration; they must be narrow enough."""
    merged = merge_identical(model)
    groups = list(eliminations(merged.model, WIDEST, MOST_BYTES))
    assert not any(too_wide(group) for group in groups)
    return replace(assemble(merged.model, groups)[1], merged=merged)
