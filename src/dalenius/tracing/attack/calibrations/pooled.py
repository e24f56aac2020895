"""One record against a pool of references, and against known means: the plain functions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.tracing.attack.tails.outsider import known_means, pooled_counts
from dalenius.tracing.attack.tails.reference_p_value import Standing, stand
from dalenius.tracing.attack.weights import Facts, check_weights

Values = NDArray[np.float64]


def pooled(
    y: Values, q: Values, counts: Values, weights: str, facts: Facts, *, hwe: bool = False
) -> Standing:
    """Condition on the column totals of reference and record.

    Given these, the values of an outsider are independent draws from the columns, so the weights may use
    the totals too: nothing is split, nothing is estimated.

    Parameters
    ----------
    y
        The record, values -1, 0, +1; not a number where missing.
    q
        The published means.
    counts
        How many references have -1, 0 and +1: ``(3, d)``.
    weights
        One of `~dalenius.tracing.attack.weights.WEIGHTS`, not ``homer``.
    facts
        What is said about the release.
    hwe
        Whether the two alleles of a genotype are independent.

    Examples
    --------
    >>> counts = np.array([[4.0, 6.0, 2.0], [0, 0, 0], [5.0, 3.0, 7.0]])
    >>> place = pooled(np.array([1.0, 1, -1]), np.array([0.6, 0.4, -0.5]), counts, "corr", Facts())
    >>> round(np.exp(place.log_p("exact")), 4), round(np.exp(place.log_p("chernoff")), 4)
    (np.float64(0.072), np.float64(0.072))
    """
    weigh = check_weights(weights, facts, "genotype" if facts.alleles == 2 else "binary")
    return stand(y, pooled_counts(q, counts, weigh, facts, hwe=hwe))


def known(y: Values, q: Values, p: Values, weights: str, facts: Facts, *, hwe: bool = False) -> Standing:
    """Take the population's means as known.

    Parameters are those of `pooled`, with the means ``p`` in place of the counts.
    """
    weigh = check_weights(weights, facts, "genotype" if facts.alleles == 2 else "binary")
    return stand(y, known_means(q, p, weigh, facts, hwe=hwe))
