"""Searches that each ask for one attack after the other; what several ask for is done side by side."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TypeVar

from dalenius.errors import DaleniusError, InputError, SolveError, UnsupportedError
from dalenius.reconstruction.attack.attack import Attempt, attempt_or_error, in_common
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.spread.places import current_workers, spread_out

T = TypeVar("T")

REFUSED = (InputError, UnsupportedError, SolveError)
"""What a change may be refused for; anything else ends the search."""


def together(searches: Sequence[Generator[Attempt, Guesses, T]]) -> list[T | DaleniusError]:
    """Run all searches to their ends; what each finds, or why it was refused.

    Parameters
    ----------
    searches
        Each gives an attack that it needs, is sent what that says, and goes on.
    """
    found: dict[int, T | DaleniusError] = {}
    asked: dict[int, Attempt] = {}

    def go_on(at: int, said: Guesses | DaleniusError | None) -> None:
        search = searches[at]
        try:
            if isinstance(said, DaleniusError):
                asked[at] = search.throw(said)
            else:
                asked[at] = next(search) if said is None else search.send(said)
        except StopIteration as ended:
            found[at] = ended.value
        except REFUSED as error:
            found[at] = error

    for at in range(len(searches)):
        go_on(at, None)
    while asked:
        round_, attempts = list(asked), list(asked.values())
        asked.clear()
        shared = in_common(attempts)
        attacked = list(spread_out(attempt_or_error, attempts, workers=current_workers(), shared=shared))
        for at, said in zip(round_, attacked, strict=True):
            go_on(at, said)
    return [found[at] for at in range(len(searches))]
