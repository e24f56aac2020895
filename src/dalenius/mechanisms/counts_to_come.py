"""Which mechanisms the attacks on counts to come know."""

from __future__ import annotations

from dalenius.errors import InputError
from dalenius.mechanisms.base import Stage
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.mechanisms.stages.exact import Exact
from dalenius.mechanisms.stages.noise import Geometric, Laplace
from dalenius.mechanisms.stages.suppression import Suppression


def check_counts(mechanism: str) -> None:
    """Refuse a mechanism that the attacks on counts do not know.

    Examples
    --------
    >>> check_counts("rounding:base=5")
    Traceback (most recent call last):
    ...
    dalenius.errors.InputError: mechanism of counts must be exact, suppression:below=..., ...
    """
    stages = parse_mechanism(mechanism).stages
    if len(stages) > 1 or not _known(stages[0]):
        rule = "must be exact, suppression:below=..., laplace:epsilon=... or geometric:epsilon=..."
        raise InputError("mechanism of counts", rule, repr(mechanism))


def _known(stage: Stage) -> bool:
    if isinstance(stage, Laplace | Geometric):
        return stage.budget is not None
    return isinstance(stage, Exact) or (isinstance(stage, Suppression) and not stage.complementary)
