"""From the text of a mechanism to the mechanism: one parser for what is done to counts, means and rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from dalenius.errors import InputError, nearest
from dalenius.grammar import Options, parse_chain, parse_options
from dalenius.mechanisms.base import Stage
from dalenius.mechanisms.chain import Mechanism
from dalenius.registry import Registry

Kind = Literal["counts", "means", "rows", "amounts"]
"""What something can be done to."""

_STAGES: dict[str, tuple[str, str]] = {
    "bit-suppression": ("rows", "anonymise.groups:BitSuppression.parse"),
    "bounded": ("counts means", "stages.noise:Bounded.parse"),
    "buckets": ("rows", "anonymise.groups:Buckets.parse"),
    "clip": ("means", "distortions:Clip.parse"),
    "constant": ("means", "stages.samples:Constant.parse"),
    "datafly": ("rows", "anonymise.datafly:Datafly.parse"),
    "exact": ("counts means amounts", "stages.exact:Exact.parse"),
    "extreme-flip": ("means", "distortions:ExtremeFlip.parse"),
    "gaussian": ("counts means amounts", "stages.noise:Gaussian.parse"),
    "gaussian:delta": ("means", "stages.noise:Gaussian.parse_epsilon_delta"),
    "gaussian:epsilon": ("means", "stages.noise:Gaussian.parse_epsilon_delta"),
    "geometric": ("counts", "stages.noise:Geometric.parse"),
    "laplace": ("counts means amounts", "stages.noise:Laplace.parse"),
    "mondrian": ("rows", "anonymise.mondrian:Mondrian.parse"),
    "population": ("means", "stages.samples:Population.parse"),
    "presence": ("means", "distortions:Presence.parse"),
    "rounding:base": ("counts amounts", "stages.rounding:Rounding.parse"),
    "rounding:digits": ("counts means amounts", "stages.rounding:Decimals.parse"),
    "rounding:step": ("means", "distortions:Grid.parse"),
    "sign": ("means", "distortions:Sign.parse"),
    "stated": ("counts", "stages.exact:Stated.parse"),
    "subsample:size": ("means", "stages.samples:parse_sample"),
    "subsample:rate": ("counts means", "stages.samples:Subsample.parse"),
    "suppression:below": ("counts", "stages.suppression:Suppression.parse"),
    "suppression:rare": ("means", "distortions:RareHidden.parse"),
    "topcode": ("counts", "stages.topcode:Topcode.parse"),
    "unknown": ("counts means", "stages.exact:Unknown.parse"),
    "worst-case": ("means", "least_leaky:WorstCase.parse"),
}
"""Every stage: what it can be done to, and the reader of its options.

An option after the name tells those of one name apart; where none of them is given, the first is meant that
can be done to what is asked for.
"""

READERS = Registry[Callable[[Options], Any]](__package__, {key: home for key, (_, home) in _STAGES.items()})

COUNTS_TO_COME = {
    "exact": (),
    "suppression": ("below", "zeros"),
    "laplace": ("epsilon",),
    "geometric": ("epsilon",),
}
"""What the attacks on counts to come know: one stage, with these options."""


def parse_mechanism(text: str, of: Kind = "counts") -> Mechanism:
    """Read a mechanism: stages joined by ``|``, applied from left to right.

    Parameters
    ----------
    text
        For example ``rounding:base=5``, ``rounding:digits=3`` or
        ``suppression:below=10 | rounding:base=5,how=random``.
    of
        What it is done to.

    Raises
    ------
    InputError
        If a stage or an option is not known, a number is outside its limits, or a stage stands in a
        place where it cannot work.

    Examples
    --------
    >>> str(parse_mechanism("laplace:epsilon=1.0 | rounding:base=5,how=nearest"))
    'laplace:epsilon=1 | rounding:base=5'
    >>> str(parse_mechanism("gaussian:sigma=0.01 | clip | rounding:digits=3", "means"))
    'gaussian:sigma=0.01 | clip | rounding:digits=3'
    """
    stages: tuple[Stage, ...] = tuple(reader(options, of)(options) for options in parse_chain(text))
    _check_places(stages, text)
    return Mechanism(stages)


def check_mechanism(text: str) -> None:
    """Refuse what is a mechanism neither of counts nor of means, before it is known which of them it is for.

    Examples
    --------
    >>> check_mechanism("gaussian:sigma=0.01 | clip")
    >>> check_mechanism("topcode:at=100 | clip")
    Traceback (most recent call last):
    ...
    dalenius.errors.InputError: mechanism 'clip' must be one for counts; got clip. It is for means.
    """
    chain = parse_chain(text)
    means = all(_fits(options, "means") for options in chain)
    both = means and all(_fits(options, "counts") for options in chain)
    parse_mechanism(text, "means" if means and not both else "counts")


def check_counts_to_come(text: str) -> None:
    """Refuse a mechanism that the attacks on counts to come do not know.

    Examples
    --------
    >>> check_counts_to_come("rounding:base=5")
    Traceback (most recent call last):
    ...
    dalenius.errors.InputError: mechanism of counts must be exact, suppression:below=..., ...
    """
    stages = [parse_options(str(stage)) for stage in parse_mechanism(text).stages]
    known = COUNTS_TO_COME.get(stages[0].name)
    if len(stages) > 1 or known is None or not {*stages[0].values} <= {*known}:
        rule = "must be exact, suppression:below=..., laplace:epsilon=... or geometric:epsilon=..."
        raise InputError("mechanism of counts", rule, repr(text))


def reader(options: Options, of: Kind) -> Callable[[Options], Any]:
    """Return what reads the options of one stage; refuse one that is not known, or is for something else."""
    name, ours = options.name, [key for key in _keys(options.name) if _is_for(key, of)]
    if not _keys(name):
        known = {key.partition(":")[0] for key in _STAGES if _is_for(key, of)}
        raise InputError(f"mechanism {name!r}", "must be one it knows", str(options), nearest(name, known))
    if not ours:
        rule, fix = f"must be one for {of}", f"It is for {_said_of(_keys(name)[0])}."
        raise InputError(f"mechanism {name!r}", rule, str(options), fix)
    for option in options.values:
        key = f"{name}:{option}"
        if key in ours:
            return READERS[key]
        if key in _STAGES:
            instead = "".join(f" For {of} write {one}=..." for one in ours[:1] if ":" in one)
            fix = f"It is for {_said_of(key)}.{instead}"
            raise InputError(f"{name}: option {option!r}", f"must be one for {of}", str(options), fix)
    return READERS[ours[0]]


def _keys(name: str) -> list[str]:
    """The lines of a stage."""
    return [key for key in _STAGES if key.partition(":")[0] == name]


def _is_for(key: str, of: Kind) -> bool:
    return of in _STAGES[key][0].split()


def _said_of(key: str) -> str:
    return " and ".join(_STAGES[key][0].split())


def _fits(options: Options, of: Kind) -> bool:
    """Whether a stage, with the options that tell it from others of its name, can be done to something."""
    told = [key for option in options.values if (key := f"{options.name}:{option}") in _STAGES]
    return all(_is_for(key, of) for key in told) and any(_is_for(key, of) for key in _keys(options.name))


def _check_places(stages: tuple[Stage, ...], text: str) -> None:
    for at, stage in enumerate(stages):
        if stage.first_because and at > 0:
            name = str(stage).partition(":")[0]
            raise InputError(name, "must come first", repr(text), stage.first_because)
        if stage.alone and len(stages) > 1:
            raise InputError(str(stage), "must stand alone", repr(text), "Name the stages that are known.")
        if stage.promised and not all(earlier.before_noise for earlier in stages[:at]):
            raise InputError(
                str(stage),
                "must come before what depends on the counts",
                repr(text),
                "Add the noise first, or give the size of the noise, which then promises nothing.",
            )
