"""All trees of a degree at once: what an epsilon promises in them, and what none does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.findings.measure import KNOWN, Gain, Measure, Rate
from dalenius.inference.attack.epsilon_for import epsilon_for_degree
from dalenius.inference.build import HEADINGS, grade_links
from dalenius.inference.finding import GENES, NOT_SAID, InferenceFinding, Trees
from dalenius.inference.words import trees_facts, trees_sentence
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


def all_trees(
    degree: int, agreement: float, *, epsilon: float | None, target: float | None
) -> InferenceFinding:
    """Say what an epsilon promises in all trees of a degree, or which epsilon meets a target.

    Examples
    --------
    >>> low, high = (all_trees(3, p, epsilon=None, target=0.5) for p in (0.6, 0.8))
    >>> round(low.details.epsilon, 6), high.details.epsilon, round(high.details.least_nu, 6)
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
    found = Trees(
        degree=degree,
        agreement=agreement,
        pull=(degree - 1) * abs(2 * agreement - 1),
        least_nu=least_enforceable_nu(degree, J),
        slope=slope if np.isfinite(slope) else None,
        target=target,
        largest=largest,
        epsilon=chosen,
        nu=nu,
    )
    # where no epsilon is small enough, links alone say so much
    graded = grade_links(chosen or 0.0, found.least_nu if nu is None else nu, exact=False)
    return InferenceFinding(
        release=f"all trees with at most {degree:,} links a person",
        people=None,
        numbers=None,
        mechanism="any with this epsilon",
        promise=None,
        attack_method="Corollary A.6",
        measures=() if chosen is None or nu is None else (_measure(chosen, nu),),
        deciding=None if nu is None else 0,
        headings=HEADINGS,
        bound=None,
        confidence=None,
        looks=None,
        severity=graded.severity,
        severity_reason=graded.reason,
        sentence=trees_sentence(found),
        facts=tuple(trees_facts(found)),
        notes=(),
        assumptions=ASSUMED,
        not_shown=(GENES, *NOT_SAID),
        details=found,
    )


def _measure(epsilon: float, nu: float) -> Measure:
    return Measure(
        label="everybody, at most",
        unit="nu",
        attack=Rate.known(nu),
        baseline=Rate.known(epsilon),
        advantage=Gain(value=nu - epsilon, low=0.0, high=nu - epsilon, confidence=1.0, method=KNOWN),
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


@dataclass(frozen=True, eq=False)
class CurveOfTrees:
    """nu that holds in all trees of a degree.

    Parameters
    ----------
    name
        What to call them.
    nu
        At each of several epsilons.
    floor
        What it never gets under, however small epsilon is.
    """

    name: str
    nu: NDArray[np.float64]
    floor: float


def tree_curve(
    degree: int, agreement: float, epsilon: NDArray[np.float64], *, strength: str = ""
) -> CurveOfTrees:
    """Return nu in all trees of a degree at each epsilon; ``strength`` is what to call the agreement."""
    J = _coupling(agreement)
    return CurveOfTrees(
        f"all trees of degree {degree}, {strength or f'agreement {agreement:g}'}",
        np.array([nu_of_bounded_degree(degree, J, float(each)) for each in epsilon]),
        least_enforceable_nu(degree, J),
    )
