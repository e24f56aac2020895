from collections.abc import Callable

import numpy as np
import pytest

from dalenius.findings.measure import Bound
from dalenius.findings.report import Finding
from dalenius.findings.tally import Comparison, Tally
from dalenius.mechanisms.base import Promise
from dalenius.people.schema import Column, Kind, Role
from dalenius.reconstruction.build import make_finding
from dalenius.reconstruction.referee.judge import Judgement
from dalenius.reconstruction.referee.known import Known
from dalenius.release.release import Block, Release
from dalenius.statistics.tables import Tables


def compared(n: int, attack: int, baseline: int) -> Comparison:
    """The two agree as often as their counts allow."""
    more, less = max(attack - baseline, 0), max(baseline - attack, 0)
    return Comparison(Tally(attack, n), Tally(baseline, n), more, less)


@pytest.fixture
def judgement() -> Callable[..., Judgement]:
    def make(
        n: int = 6366,
        attack: int = 5912,
        baseline: int = 4581,
        certain: Tally | None = None,
        control: Comparison | None = None,
        known: tuple[Known, ...] = (),
    ) -> Judgement:
        return Judgement(
            method="lmmse",
            notes=("a note",),
            values=2,
            against_majority=compared(n, attack, min(baseline, n // 2)),
            against_population=compared(n, attack, baseline),
            certain=certain or Tally(0, 0),
            confident=0.95,
            exposed=Tally(8, 10),
            rare_precision=Tally(3, 4),
            rare_recall=Tally(3, 9),
            calibration_error=0.01,
            level_calibration_error=0.02,
            brier=1 / 3,
            balanced_accuracy=0.9,
            control=control,
            known=known,
        )

    return make


@pytest.fixture
def release() -> Release:
    secret = Column("affair", Role.SECRET, Kind.BINARY, ("no", "yes"))
    block = Block(Tables((), ((),)), ("no", "yes"), np.array([[4313.0, 2053.0]]))
    return Release("exact tables", secret, (block,), "exact", Promise(None, None, "promises nothing"))


@pytest.fixture
def finding(judgement, release) -> Callable[..., Finding]:
    def make(looks: int = 1, bound: Bound | None = None, confidence: float = 0.95, **counts) -> Finding:
        return make_finding(
            judgement(**counts),
            release,
            looks=looks,
            confidence=confidence,
            population_source="k-fold",
            bound=bound,
            assumptions=("The attacker knows the public columns.",),
        )

    return make
