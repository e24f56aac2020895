"""What Theorems 14 and 16 share: sizes, two counterexamples to the print, and where it errs."""

from __future__ import annotations

import numpy as np

from dalenius.papers.settings import Parameter
from dalenius.papers.simulated.crowd import extreme_flip
from dalenius.theory.tracing.count_mechanisms import average_error, effective_gamma, sample_means
from dalenius.theory.tracing.priors import density_of

FLIP = 0.77
"""Beyond this sample mean the misleading mechanism answers the opposite end."""

NARROW = 0.8
"""Half the width of the law of means under which answering 0 is half accurate."""

N = Parameter("n", "number of people", 12, 2, 500, "Ask about fewer people.", whole=True)

ACCURACY = (
    "Printed: 1/2-accurate on average, any strong law. False, see the two counterexamples; alpha must be "
    "below the largest eta gamma, for the uniform law 0.3684."
)

MEASURED = (
    "Printed: accurate to the sample's means with probability 2/3. A mechanism that publishes a constant one "
    "time in three has that, and traces nobody then; accuracy here is to the population's means, on average."
)


def alpha_up_to(default: float) -> Parameter:
    """The average error, with a default that suits the statement."""
    return Parameter("alpha", "largest average error of a mean, in units of -1/+1", default, 0.0, 0.368)


def counterexamples(n: int) -> tuple[str, ...]:
    """Say why an average error of 1/2 is too much, in numbers of the theory."""
    flip = extreme_flip(n, FLIP)
    zero = np.zeros(n + 1)
    narrow = density_of(np.ones_like, -NARROW, NARROW, cells=2000)
    exact_gamma = effective_gamma(sample_means(n))
    return (
        f"Counterexample to the print, n = {n}: publish 0 everywhere. With means uniform in [-{NARROW:g}, "
        f"{NARROW:g}] its average error is {average_error(zero, narrow):.3f}, below 1/2, and it depends on "
        "nobody.",
        f"Counterexample to the print, n = {n}: the exact mean up to {FLIP:g} in size, beyond that the "
        f"opposite end. With means uniform in [-1, 1] its average error is {average_error(flip):.3f}; "
        f"members score {effective_gamma(flip):.3f} d/n, below outsiders, where exact means give "
        f"{exact_gamma:.3f} d/n.",
    )
