"""What Propositions 12, 13 and 31 share: sizes, the least traceable mechanism, and where the print errs."""

from __future__ import annotations

from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated.crowd import Attack, Mechanism, against_one, columns, table

N = Parameter("n", "number of people", 5, 2, 500, "Ask about fewer people.", whole=True)

ALPHA = Parameter("alpha", "largest bias of a mean, in units of -1/+1", 0.1, 0.0, 0.66)

THRESHOLD = (
    "Printed in Figure 1: threshold sqrt(8 d ln(1/delta)). The proofs use 2 sqrt(d ln(1/delta)), which is "
    "enough; the figure's guarantees delta squared."
)


def least_traceable(n: int, alpha: float) -> Mechanism:
    """Return the mechanism of bias at most alpha that goes least along with its people."""
    from dalenius.theory.tracing.count_mechanisms import worst_case

    return table(worst_case(n, alpha).outputs)


def sized(settings: Settings) -> tuple[float, int, Attack]:
    """Return gamma at the bias set, the columns it takes, and the attack at the proofs' threshold."""
    from dalenius.theory.tracing import traceability
    from dalenius.theory.tracing.priors import UNIFORM
    from dalenius.theory.tracing.strong_distributions import gamma

    n, delta = settings.whole("n"), settings["delta"]
    strength = gamma(UNIFORM, settings["alpha"])
    d = columns(settings, traceability.columns_to_trace(n, delta, strength))
    return strength, d, against_one(traceability.proof_threshold(d, delta))
