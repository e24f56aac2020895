"""From the text of a mechanism to the mechanism."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dalenius.errors import InputError, nearest
from dalenius.grammar import Options, parse_chain
from dalenius.mechanisms.base import Stage
from dalenius.mechanisms.chain import Mechanism
from dalenius.mechanisms.stages.bounded import Bounded
from dalenius.mechanisms.stages.decimals import Decimals
from dalenius.mechanisms.stages.exact import Exact, Stated, Unknown
from dalenius.mechanisms.stages.noise import Gaussian, Geometric, Laplace, Noise
from dalenius.mechanisms.stages.rounding import Rounding
from dalenius.mechanisms.stages.subsample import Subsample
from dalenius.mechanisms.stages.suppression import Suppression
from dalenius.mechanisms.stages.topcode import Topcode


def _rounding(options: Options) -> Stage:
    return Decimals.parse(options) if "digits" in options.values else Rounding.parse(options)


Kinds = Mapping[str, Callable[[Options], Stage]]
"""For each name the reader of its options."""

KINDS: Kinds = {
    "bounded": Bounded.parse,
    "exact": Exact.parse,
    "gaussian": Gaussian.parse,
    "geometric": Geometric.parse,
    "laplace": Laplace.parse,
    "rounding": _rounding,
    "stated": Stated.parse,
    "subsample": Subsample.parse,
    "suppression": Suppression.parse,
    "topcode": Topcode.parse,
    "unknown": Unknown.parse,
}


def parse_mechanism(text: str) -> Mechanism:
    """Read a mechanism: stages joined by ``|``, applied from left to right.

    Parameters
    ----------
    text
        For example ``rounding:base=5``, ``rounding:digits=3`` or
        ``suppression:below=10 | rounding:base=5,how=random``.

    Raises
    ------
    InputError
        If a stage or an option is not known, a number is outside its limits, or a stage stands in a
        place where it cannot work.

    Examples
    --------
    >>> str(parse_mechanism("laplace:epsilon=1.0 | rounding:base=5,how=nearest"))
    'laplace:epsilon=1 | rounding:base=5'
    """
    return chain_of(text, KINDS)


def chain_of(text: str, kinds: Kinds) -> Mechanism:
    """Read a mechanism whose stages are of these kinds."""
    stages = tuple(_stage(options, kinds) for options in parse_chain(text))
    _check_places(stages, text)
    return Mechanism(stages)


def _stage(options: Options, kinds: Kinds) -> Stage:
    if options.name not in kinds:
        raise InputError(
            f"mechanism {options.name!r}", "must be one it knows", str(options), nearest(options.name, kinds)
        )
    return kinds[options.name](options)


def _check_places(stages: tuple[Stage, ...], text: str) -> None:
    for at, stage in enumerate(stages):
        if isinstance(stage, Subsample) and at > 0:
            raise InputError(
                "subsample", "must come first", repr(text), "It chooses people, before anything is counted."
            )
        if isinstance(stage, Unknown | Stated) and len(stages) > 1:
            raise InputError(str(stage), "must stand alone", repr(text), "Name the stages that are known.")
        promised = isinstance(stage, Noise) and stage.scale is None
        if promised and not all(earlier.before_noise for earlier in stages[:at]):
            raise InputError(
                str(stage),
                "must come before what depends on the counts",
                repr(text),
                "Add the noise first, or give the size of the noise, which then promises nothing.",
            )
