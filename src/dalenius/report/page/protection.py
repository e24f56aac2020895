"""What was done to numbers before they are published, in plain words."""

from __future__ import annotations

import re
from collections.abc import Mapping

_WORDS = {
    "exact": "exact numbers",
    "rounding:base": "rounded to {base}",
    "rounding:digits": "rounded to {digits} digits",
    "suppression:below": "counts below {below} hidden",
    "gaussian:sigma": "normal noise, standard deviation {sigma}",
    "gaussian:rho": "normal noise, rho {rho}",
    "laplace:scale": "Laplace noise, scale {scale}",
    "laplace:epsilon": "Laplace noise, epsilon {epsilon}",
    "subsample:rate": "only a random {rate} of the people counted",
    "unknown": "not known",
}
"""By a stage and the option that says how much."""

_BESIDES = {
    "zeros=hide": ", zeros too",
    "complementary=yes": ", and further ones against subtraction",
    "how=random": " at random",
}
"""Options that change what a reader is told; any other option is told as it is written."""


def in_words(mechanism: str) -> str:
    """Return a mechanism in words; what has none is told as it is written, with four digits.

    Examples
    --------
    >>> in_words("suppression:below=10,zeros=hide | rounding:base=5")
    'counts below 10 hidden, zeros too; then rounded to 5'
    >>> in_words("gaussian:sigma=38.72983347"), in_words("mondrian:k=5")
    ('normal noise, standard deviation 38.73', 'mondrian:k=5')
    """
    return "; then ".join(_stage(text.strip()) for text in mechanism.split("|"))


def _stage(text: str) -> str:
    name, _, options = text.partition(":")
    said = dict(option.split("=", 1) for option in options.split(",") if "=" in option)
    for key in [name] if not said else [f"{name}:{option}" for option in said]:
        if key in _WORDS:
            return _stage_told(key, said) or short_numbers(text)
    return short_numbers(text)


def _stage_told(key: str, said: Mapping[str, str]) -> str | None:
    """The words of a stage with all its options; ``None`` if one of them has no words."""
    left = [f"{option}={value}" for option, value in said.items() if f"{{{option}}}" not in _WORDS[key]]
    if any(option not in _BESIDES for option in left):
        return None
    short = {option: short_numbers(value) for option, value in said.items()}
    return _WORDS[key].format(**short) + "".join(_BESIDES[option] for option in left)


def short_numbers(text: str) -> str:
    """Write long decimals with four digits: nobody reads ten.

    Examples
    --------
    >>> short_numbers("gaussian:sigma=38.72983347 | rounding:base=5")
    'gaussian:sigma=38.73 | rounding:base=5'
    """
    return re.sub(r"[0-9]+\.[0-9]{4,}", lambda found: f"{float(found[0]):.4g}", text)
