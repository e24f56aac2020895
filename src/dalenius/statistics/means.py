"""Means of the columns of a table, and frequencies of alleles: releases that can reveal who took part."""

from __future__ import annotations

from dalenius.errors import InputError, nearest
from dalenius.grammar import Options, parse_options

MEANS, FREQUENCIES = "means", "frequencies"
KEYS: dict[str, tuple[str, ...]] = {MEANS: ("columns",), FREQUENCIES: ("variants",)}


def is_means(text: str) -> bool:
    """Whether a statistic is one of means, by its name.

    Examples
    --------
    >>> is_means("means:columns=age+sex"), is_means("tables:k=2")
    (True, False)
    """
    return text.partition(":")[0].strip() in KEYS


def check_means(text: str) -> Options:
    """Refuse what cannot be ``means[:columns=a+b]`` or ``frequencies[:variants=500]``, whoever they are."""
    options = parse_options(text)
    if options.name not in KEYS:
        raise InputError(
            f"statistic {options.name!r}", "must be a known kind", text, nearest(options.name, KEYS)
        )
    options.only(*KEYS[options.name])
    if "variants" in options.values:
        options.whole("variants", least=1)
    return options
