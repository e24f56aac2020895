"""All trees of a degree at once: what an epsilon promises in them, and what none does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dalenius import __version__
from dalenius.attacks.inference.choose import epsilon_for_degree
from dalenius.errors import InputError
from dalenius.findings.document import dump
from dalenius.findings.finding import SCHEMA_VERSION, Plain
from dalenius.findings.inference import GENES, NOT_SAID
from dalenius.theory.inference import (
    coupling_of,
    least_enforceable_nu,
    nu_of_bounded_degree,
    slope_limit,
)

ASSUMED = (
    "Links form a tree of any size in which nobody has more links than stated; every linked pair agrees with "
    "the stated probability, and every value is a fair coin beforehand.",
    "Corollary A.6: the least nu that holds in all such trees. Inner people of ever larger trees come as "
    "close as one likes and never reach it.",
)


class Degree(Plain):
    """What holds in all trees of a degree: its ``findings.json``.

    ``pull`` is (degree - 1)|2 agreement - 1|: above 1 distant relatives outweigh any noise, and no epsilon
    gets nu under ``least_nu``. ``slope`` is the most that nu is per epsilon; None where nothing limits it.
    ``largest`` is the largest epsilon that meets ``target``, None if none does; ``epsilon``, of which ``nu``
    is, the one given, or else the largest.
    """

    schema_version: Literal[1] = SCHEMA_VERSION
    dalenius_version: str = __version__
    goal: Literal["inference"] = "inference"
    degree: int
    agreement: float
    pull: float
    least_nu: float
    slope: float | None
    target: float | None
    largest: float | None
    epsilon: float | None
    nu: float | None
    kept: bool | None
    assumptions: tuple[str, ...] = ASSUMED
    not_said: tuple[str, ...] = (GENES, *NOT_SAID)

    def to_json(self) -> str:
        """Write it, see `dump`."""
        return dump(self)

    def lines(self) -> Iterator[str]:
        """Say it on a screen."""
        yield f"All trees with at most {self.degree:,} links a person, each of agreement {self.agreement:g}."
        yield ""
        if self.nu is not None:
            yield (
                f"With such links, epsilon = {self.epsilon:.3g} protects everybody at least like epsilon = "
                f"{self.nu:.3g} would; in large trees nothing better can be said of people in the middle."
            )
        if self.target is not None:
            yield from self._on_target(self.target)
        side = "above" if self.pull > 1 else "at most"
        yield f"(degree - 1)|2 agreement - 1| = {self.pull:.4g}, {side} 1:"
        if self.slope is None:
            yield (
                "  distant relatives together outweigh any noise. As epsilon goes to 0, nu goes to "
                f"{self.least_nu:.4g}, not to 0."
            )
        else:
            yield f"  distant relatives matter less and less: nu is at most {self.slope:.4g} times epsilon."
        for heading, texts in (("Assumed:", self.assumptions), ("Not said:", self.not_said)):
            yield heading
            yield from (f"  {text}" for text in texts)
        yield ""

    def _on_target(self, target: float) -> Iterator[str]:
        if self.kept is False and self.nu is not None:
            yield f"The target nu = {target:.3g} is not kept."
        if self.largest is not None:
            yield f"The largest epsilon that keeps nu at {target:.3g} is {self.largest:.4g}."
        else:
            yield (
                f"Not enforceable: no epsilon above 0 keeps nu at {target:.3g} in all these trees. However "
                f"small it is, nu stays above {self.least_nu:.4g}."
            )


def all_trees(degree: int, agreement: float, *, epsilon: float | None, target: float | None) -> Degree:
    """Say what an epsilon promises in all trees of a degree, or which epsilon meets a target.

    Examples
    --------
    >>> low, high = (all_trees(3, p, epsilon=None, target=0.5) for p in (0.6, 0.8))
    >>> round(low.epsilon, 6), high.epsilon, round(high.least_nu, 6)
    (0.252866, None, 2.887271)
    """
    _check(degree, agreement)
    if epsilon is None and target is None:
        raise InputError("--epsilon or --target-nu", "must be given", "neither", "Try --epsilon 0.5.")
    J = _coupling(agreement)
    slope = slope_limit(degree, J)
    largest = None if target is None else epsilon_for_degree(degree, agreement, target).epsilon
    chosen = largest if epsilon is None else epsilon
    nu = None if chosen is None else nu_of_bounded_degree(degree, J, chosen)
    return Degree(
        degree=degree,
        agreement=agreement,
        pull=(degree - 1) * abs(2 * agreement - 1),
        least_nu=least_enforceable_nu(degree, J),
        slope=slope if np.isfinite(slope) else None,
        target=target,
        largest=largest,
        epsilon=chosen,
        nu=nu,
        kept=None if target is None else nu is not None and nu <= target * (1 + 1e-9),
    )


def _check(degree: int, agreement: float) -> None:
    if degree < 2:
        raise InputError("--degree", "must be 2 or more", str(degree), "For two people use infer network.")
    if not 0 < agreement < 1:
        raise InputError(
            "--agreement",
            "must lie strictly between 0 and 1",
            f"{agreement:g}",
            "It is the probability that two linked people have the same value.",
        )


def _coupling(agreement: float) -> float:
    """Swapping 0 and 1 of every second generation of a tree turns people who differ into people who agree."""
    return abs(coupling_of(agreement))


def draw_epsilons(epsilon: float | None) -> NDArray[np.float64]:
    """Epsilons for a picture, around one if there is one."""
    middle = 0.3 if epsilon is None else epsilon
    return np.geomspace(middle / 30, middle * 30, 60)


def tree_curve(degree: int, agreement: float, epsilon: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return nu in all trees of a degree at each epsilon."""
    J = _coupling(agreement)
    return np.array([nu_of_bounded_degree(degree, J, float(each)) for each in epsilon])
