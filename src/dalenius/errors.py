"""What can go wrong, as one tree.

::

    DaleniusError
    ├── InputError          what a person gave cannot be used: exit code 2, nothing written
    │   ├── TooLargeError   it could be used, but would not fit: says how large, and what to do
    │   └── BudgetError     a desk was asked for more than its budget pays: nothing was answered
    ├── UnsupportedError    a method does not apply to this view: an answer with its reason
    ├── SolveError          a solver stopped without an answer: never turned into a guess
    └── MissingExtraError   an optional package is not installed: says which extra brings it

Every ``InputError`` has one sentence form: what, the rule, what was got, what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class DaleniusError(Exception):
    """Root of every error that dalenius raises on purpose."""


class InputError(DaleniusError):
    """Something a person gave cannot be used.

    Parameters
    ----------
    name
        What is wrong: a column, an option, a file.
    rule
        What must hold, as the rest of a sentence that starts with ``name``.
    got
        What was given instead.
    fix
        What to do about it, as a sentence.

    Examples
    --------
    >>> print(InputError("epsilon", "must be above 0", "0", "Use for example epsilon=1."))
    epsilon must be above 0; got 0. Use for example epsilon=1.
    """

    def __init__(self, name: str, rule: str, got: str, fix: str = "") -> None:
        self.name = name
        self.rule = rule
        self.got = got
        self.fix = fix
        super().__init__(f"{name} {rule}; got {got}. {fix}".strip())


class TooLargeError(InputError):
    """The work would not fit; the message says how large it is and what to do."""


class BudgetError(InputError):
    """A desk was asked for more than its budget pays; nothing was answered or charged."""


class UnsupportedError(DaleniusError):
    """A method does not apply to this view; the message is the reason."""


class SaysNothingError(UnsupportedError):
    """What was published is too coarse to say anything about anybody; the message says so in words."""


class SolveError(DaleniusError):
    """A solver stopped without an answer."""


class MissingExtraError(DaleniusError):
    """An optional package is missing.

    Examples
    --------
    >>> print(MissingExtraError("drawing a release with OpenDP", "opendp", "dp"))
    drawing a release with OpenDP needs the package opendp; install dalenius[dp]
    """

    def __init__(self, what: str, package: str, extra: str) -> None:
        self.package = package
        self.extra = extra
        super().__init__(f"{what} needs the package {package}; install dalenius[{extra}]")


def nearest(word: str, known: Iterable[str]) -> str:
    """Say which known word was probably meant, or list them all.

    Examples
    --------
    >>> nearest("secert", ["secret", "public"])
    "Did you mean 'secret'?"
    >>> nearest("zzz", ["secret", "public"])
    'Known: public, secret.'
    """
    known = sorted(known)
    close = difflib.get_close_matches(word, known, n=1)
    return f"Did you mean {close[0]!r}?" if close else f"Known: {', '.join(known)}."
