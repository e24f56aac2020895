"""What can be done to means before publication, and how large the noise in them then is.

The grammar and the stages are those of counts where they make sense; a stage that speaks of whole counts
(suppression by count, rounding to a base) has no place here. Every number is in the units of the printed
means: fractions and allele frequencies in 0 .. 1, real values as they are.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.grammar import Options
from dalenius.matrices.counts import Sensitivity
from dalenius.mechanisms.base import Floats, Reading, Stage
from dalenius.mechanisms.chain import Mechanism
from dalenius.mechanisms.distortions import Clip, ExtremeFlip, Grid, Rare, Sign
from dalenius.mechanisms.least_leaky import WorstCase
from dalenius.mechanisms.parse import chain_of
from dalenius.mechanisms.stages.bounded import Bounded
from dalenius.mechanisms.stages.decimals import Decimals
from dalenius.mechanisms.stages.exact import Exact, Unknown
from dalenius.mechanisms.stages.noise import Gaussian, Laplace
from dalenius.mechanisms.stages.samples import ColumnSamples, Constant, Population, Source, parse_sample


def _rounding(options: Options) -> Stage:
    return Grid.parse(options) if "step" in options.values else Decimals.parse(options)


def _gaussian(options: Options) -> Stage:
    """Read also ``gaussian:epsilon=1,delta=1e-6``: the least noise that keeps it (Balle and Wang 2018)."""
    if not {"epsilon", "delta"} & options.values.keys():
        return Gaussian.parse(options)
    from dalenius.theory.privacy import mu_from_epsilon_delta, rho_from_mu

    options.only("epsilon", "delta")
    epsilon, delta = options.number("epsilon", above=0), options.number("delta", above=0)
    return Gaussian(None, rho_from_mu(mu_from_epsilon_delta(epsilon, delta)))


MEANS: dict[str, Callable[[Options], Stage]] = {
    "bounded": Bounded.parse,
    "clip": Clip.parse,
    "constant": Constant.parse,
    "exact": Exact.parse,
    "extreme-flip": ExtremeFlip.parse,
    "gaussian": _gaussian,
    "laplace": Laplace.parse,
    "population": Population.parse,
    "rounding": _rounding,
    "sign": Sign.parse,
    "subsample": parse_sample,
    "suppression": Rare.parse,
    "unknown": Unknown.parse,
    "worst-case": WorstCase.parse,
}


def parse_means(text: str) -> Mechanism:
    """Read what is done to means: stages joined by ``|``, applied from left to right.

    Parameters
    ----------
    text
        For example ``rounding:digits=2``, ``gaussian:rho=0.5 | clip`` or ``subsample:size=100``.

    Raises
    ------
    InputError
        If a stage or an option is not known, a number is outside its limits, or a stage stands in a
        place where it cannot work.

    Examples
    --------
    >>> str(parse_means("gaussian:sigma=0.01 | clip | rounding:digits=3"))
    'gaussian:sigma=0.01 | clip | rounding:digits=3'
    """
    chain = chain_of(text, MEANS)
    for stage in chain.stages[1:]:
        if isinstance(stage, Source):
            raise InputError(str(stage), "must come first", repr(text), "It says where the means come from.")
    return chain


def sensitivity_of_means(seen: NDArray[np.int64], moved: float | None = None) -> Sensitivity:
    """How far one person moves all printed means together: ``1/n`` each, ``n`` those whose value is known.

    Which values are missing is taken as public: it stays what it is when a record is replaced.

    Parameters
    ----------
    seen
        For every mean, of how many people it is.
    moved
        How many of the means one person can move, if not all: two of the shares of one categorical column.

    Examples
    --------
    >>> sensitivity_of_means(np.array([10, 10, 20])).l1
    0.25
    """
    each = 1 / np.maximum(seen, 1)
    share = 1.0 if moved is None else moved / seen.size
    largest = each if moved is None else np.full_like(each, each.max())
    return Sensitivity(float(largest.sum() * share), float((largest**2).sum() * share))


def noise_sd(chain: Mechanism, published: Floats) -> float | None:
    """Return the standard deviation of what the stages added to each printed mean; None if not known.

    Rounding counts as an error spread evenly over a step. Cutting off and hiding are not counted.
    """
    if any(isinstance(stage, ColumnSamples | Population | Constant) for stage in chain.stages):
        return None
    reading = Reading.of(published)
    for stage in reversed(chain.stages):
        if not isinstance(stage, Source):
            reading = stage.read(reading, counts=False)
    known = np.isfinite(reading.variance).all() and reading.shape != "unknown"
    return float(np.sqrt(reading.variance.mean())) if known else None
