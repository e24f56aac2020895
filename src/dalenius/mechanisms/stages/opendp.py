"""Noise for a release that is meant for the world, drawn by OpenDP.

The samplers of ``noise`` can be repeated from their seed, and their floating point numbers carry traces of
it: good for simulation, unfit for publication. OpenDP draws from the system's entropy with exact
arithmetic, takes no seed, and never gives the same release twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalenius.errors import MissingExtraError, UnsupportedError
from dalenius.matrices.answers import Counts
from dalenius.mechanisms.base import Floats
from dalenius.mechanisms.chain import Mechanism
from dalenius.mechanisms.stages.noise import Gaussian, Geometric, Noise


def draw_with_opendp(mechanism: Mechanism, counts: Counts) -> Floats:
    """Return the counts with noise from OpenDP.

    Parameters
    ----------
    mechanism
        Gaussian, Laplace or geometric noise and nothing else, with its scale (see `Mechanism.resolve`).
    counts
        The true counts.

    Raises
    ------
    UnsupportedError
        If the mechanism is not a single noise.
    InputError
        If the scale is not known.
    MissingExtraError
        If OpenDP is not installed.

    Examples
    --------
    >>> from dalenius.mechanisms.parse import parse_mechanism
    >>> from dalenius.matrices.answers import Sensitivity
    >>> counts = Counts(np.array([[3, 4]]), np.array([0]), Sensitivity(l1=2, l2_squared=2))
    >>> draw_with_opendp(parse_mechanism("geometric:scale=2"), counts).shape
    (1, 2)
    """
    noise = mechanism.stages[0]
    if len(mechanism.stages) != 1 or not isinstance(noise, Noise):
        raise UnsupportedError(
            f"OpenDP draws gaussian, laplace or geometric noise, one alone; the mechanism is {mechanism}"
        )
    whole = isinstance(noise, Geometric)
    measurement = _measurement(noise, whole)
    flat = counts.values.ravel().tolist()
    drawn = measurement(flat if whole else [float(count) for count in flat])
    return np.array(drawn, dtype=np.float64).reshape(counts.values.shape)


def _measurement(noise: Noise, whole: bool) -> Any:
    scale = noise.known_scale()
    try:
        import opendp.prelude as dp
    except ImportError:
        raise MissingExtraError("drawing a release with OpenDP", "opendp", "dp") from None
    dp.enable_features("contrib")
    atom = dp.atom_domain(T=int) if whole else dp.atom_domain(T=float, nan=False)
    domain = dp.vector_domain(atom)
    if isinstance(noise, Gaussian):
        return dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale)
    return dp.m.make_laplace(domain, dp.l1_distance(T=int if whole else float), scale)
