"""The contract of an attack: it knows the view and nothing else, and draws only from its generator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from dalenius.testing.values import as_bytes, require

View = TypeVar("View")
Seen = TypeVar("Seen", contravariant=True)


class Attack(Protocol[Seen]):
    """From a view to claims; randomness is an argument."""

    def __call__(self, view: Seen, /, *, rng: np.random.Generator) -> Any:
        """Return the claims."""
        ...


def check_attack(attack: Attack[View], views: Sequence[View], *, seed: int = 17) -> None:
    """Run every check of an attack.

    Parameters
    ----------
    attack
        Called as ``attack(view, rng=rng)``.
    views
        At least two views in which everything the attacker sees is the same, made from different truths:
        for example people with equal records who have exchanged their secrets.
    seed
        What the attack's generator is made from, the same for all views.

    Raises
    ------
    AssertionError
        If the attack breaks its contract, with the reason.
    """
    check_blind(lambda view: attack(view, rng=np.random.default_rng(seed)), views)
    check_repeats(attack, views[0], seed=seed)


def check_blind(attack: Callable[[View], Any], views: Sequence[View]) -> None:
    """Check that two truths with the same view get the same claims, to the last byte, in any order.

    This is the sentence *the attack saw only the view*. It catches what no rule about imports does:
    a cache, a file, an object recognised by its identity, a count of calls.

    Examples
    --------
    >>> check_blind(lambda view: view.upper(), ["same", "same"])
    >>> calls = []
    >>> check_blind(lambda view: calls.append(view) or len(calls), ["same", "same"])
    Traceback (most recent call last):
    ...
    AssertionError: claims about views 0 and 1 differ though the attacker sees the same: ...
    """
    require(len(views) > 1, "give two views at least: the same to the attacker, of different truths")
    order = [*range(len(views)), *reversed(range(len(views)))]
    first = as_bytes(attack(views[order[0]]))
    for at in order[1:]:
        require(
            as_bytes(attack(views[at])) == first,
            f"claims about views {order[0]} and {at} differ though the attacker sees the same: "
            "the attack knows more than its view, remembers earlier ones, or draws from another generator",
        )


def check_repeats(attack: Attack[View], view: View, *, seed: int = 17) -> None:
    """Check that view and seed decide the claims, and that numpy's global generator is left alone."""
    before = as_bytes(np.random.get_state(legacy=False))  # noqa: NPY002 - looked at, not drawn from
    said = [as_bytes(attack(view, rng=np.random.default_rng(seed))) for _ in range(2)]
    require(
        said[0] == said[1],
        "the same view and the same seed gave different claims: randomness must be an argument",
    )
    after = as_bytes(np.random.get_state(legacy=False))  # noqa: NPY002
    require(before == after, "numpy's global generator was used: draw from rng")
