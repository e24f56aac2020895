"""What can go wrong, as one tree.

::

    DaleniusError
    ├── InputError (also a ValueError)  what a person gave cannot be used: exit code 2, nothing written
    │   ├── TooLargeError               it could be used, but would not fit: how large, and what to do
    │   │   └── LostWorkersError        whoever did the work is gone: what was done is kept
    │   │       └── LostBlockError      one part ended whoever did it, three times: it is not run
    │   └── BudgetError                 a desk was asked for more than its budget pays: nothing was answered
    ├── UnsupportedError                a method does not apply to this view: an answer with its reason
    │   └── SaysNothingError            what was published is too coarse to say anything about anybody
    ├── SolveError                      a solver stopped without an answer: never turned into a guess
    └── MissingExtraError               an optional package is not installed: which extra brings it

Every ``InputError`` has one sentence form: what, the rule, what was got, what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from functools import partial

SHOW_LEVELS = "--show-people shows the levels."
"""What to do about a level that is not there; the levels themselves are values of people, and a `hint`."""

_LONG_WORD = 100
_LONG_LINE = 1000


class DaleniusError(Exception):
    """Root of every error that dalenius raises on purpose."""


class InputError(DaleniusError, ValueError):
    """Something a person gave cannot be used; a ``ValueError`` too, for handlers that know no other.

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
    value
        What stands in a file about people where the error is. It is no part of the message, which may end
        up in a log; the command line adds it where ``--show-people`` asks for people.
    hint
        A sentence on what to do that shows values of people, such as the levels of a column: like ``value``
        no part of the message.

    Examples
    --------
    >>> print(InputError("epsilon", "must be above 0", "0", "Use for example epsilon=1."))
    epsilon must be above 0; got 0. Use for example epsilon=1.
    >>> error = InputError("people.csv, line 3, column 'age'", "must be a number", "text", value="Ann")
    >>> print(error)
    people.csv, line 3, column 'age' must be a number; got text.
    >>> error.value
    'Ann'
    """

    def __init__(
        self, name: str, rule: str, got: str, fix: str = "", *, value: str | None = None, hint: str = ""
    ) -> None:
        self.name = _clip(name)
        self.rule = rule
        self.got = _clip(got)
        self.fix = fix
        self.value = value
        self.hint = _clip(hint)
        super().__init__(f"{self.name} {rule}; got {self.got}. {fix}".strip())

    def __reduce__(self) -> tuple[partial[InputError], tuple[str, str, str, str]]:
        """Let an error of another process arrive as what it is."""
        made = partial(type(self), value=self.value, hint=self.hint)
        return made, (self.name, self.rule, self.got, self.fix)


class TooLargeError(InputError):
    """The work would not fit; the message says how large it is and what to do."""


class LostWorkersError(TooLargeError):
    """Whoever did the work is gone; what was done is kept, and the same command goes on."""


class LostBlockError(LostWorkersError):
    """One part ended whoever did it, again and again: it is not run, and nothing is guessed of it."""


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
        self.what = what
        self.package = package
        self.extra = extra
        super().__init__(f"{what} needs the package {package}; install dalenius[{extra}]")

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str, str]]:
        """Let an error of another process arrive as what it is."""
        return type(self), (self.what, self.package, self.extra)


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
    close = _close(word, known)
    return f"Did you mean {close!r}?" if close else f"Known: {', '.join(known)}."


def nearest_column(word: str, names: Iterable[str]) -> str:
    """Say which column of a file was probably meant; never list them.

    The first line of a file without a header is a person, whom a list of "known columns" would show.

    Examples
    --------
    >>> nearest_column("agee", ["age", "sex"])
    "Did you mean 'age'?"
    >>> nearest_column("age", ["1971", "f", "Uppsala"])
    'None of its 3 columns has a name like it: is the first line the header?'
    """
    names = list(names)
    if close := _close(word, names):
        return f"Did you mean {close!r}?"
    return f"None of its {len(names):,} columns has a name like it: is the first line the header?"


def _close(word: str, known: Iterable[str]) -> str | None:
    """The known word most like this one; comparing very long ones would take for ever."""
    close = difflib.get_close_matches(word[:_LONG_WORD], [k for k in known if len(k) <= _LONG_WORD], n=1)
    return close[0] if close else None


def _clip(text: str) -> str:
    """One line of a length that can be read: names and numbers of a damaged file may be of any length."""
    line = "".join(c if c.isprintable() or c == " " else " " for c in text[: 2 * _LONG_LINE])
    return line if len(line) <= _LONG_LINE else f"{line[:_LONG_LINE]} ..."
