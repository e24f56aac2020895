"""Families and trees of simulated people whose bits agree, and how far a release moves beliefs about them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dalenius.findings.tally import Tally, count
from dalenius.inference.attack.solvers import forest
from dalenius.knowledge.correlation.model import CorrelationModel, Floats
from dalenius.papers.experiment import PromisedShare
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated.people import refuse_above, repeat
from dalenius.theory.inference import coupling_of, tree_log_odds

Bits = NDArray[np.bool_]

ROUNDING = 1e-8
"""Log-odds that differ by less are equal: sums over thousands of people were rounded on the way."""

TOO_FAR = PromisedShare("beliefs about anybody, beyond nu", 0.0, "moved too far")

ATTAINED = PromisedShare("beliefs in the worst event, to nu", 1.0, "moved all the way", "at least")

AGREEMENT = Parameter("agreement", "probability that two linked people alone agree", 0.8, 0.5001, 0.9999)


def tree(parent: NDArray[np.int64], coupling: float | Floats, field: float | Floats) -> CorrelationModel:
    """Relate everybody but the first to a parent who comes before them.

    Examples
    --------
    >>> tree(np.array([0, 0]), 0.5, 0.0).edges.tolist()
    [[0, 1], [0, 2]]
    """
    n = parent.size + 1
    edges = np.stack([parent, np.arange(1, n)], axis=1).astype(np.int64)
    J, h = np.broadcast_to(coupling, (n - 1,)), np.broadcast_to(field, (n,))
    return CorrelationModel("person", np.arange(n).astype(np.str_), edges, J.astype(float), h.astype(float))


def complete_tree(children: int, depth: int, coupling: float, field: float = 0.0) -> CorrelationModel:
    """A root and so many generations below it, everybody but the last with the same number of children.

    Examples
    --------
    >>> len(complete_tree(3, 12, 1.7, 0.0975))
    797161
    """
    return tree(np.arange(people_of(children, depth) - 1) // children, coupling, field)


def alike(people: int, coupling: float) -> CorrelationModel:
    """Relate everybody to everybody, with the same strength.

    Examples
    --------
    >>> alike(3, 0.5).edges.tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    edges = np.stack(np.triu_indices(people, 1), axis=1).astype(np.int64)
    names = np.arange(people).astype(np.str_)
    return CorrelationModel("person", names, edges, np.full(len(edges), coupling), np.zeros(people))


def people_of(children: int, depth: int) -> int:
    """How many people a complete tree has.

    Examples
    --------
    >>> people_of(2, 3), people_of(1, 3)
    (15, 4)
    """
    return int(sum(children**generation for generation in range(depth + 1)))


def refuse_large(children: int, depth: int, runs: int, limit: float) -> None:
    """Refuse complete trees that would not finish in a minute or two."""
    size = float(min(people_of(children, depth) * runs, 10**18))
    refuse_above("people x runs", size, limit, "Use a smaller --d, --depth or --runs.")


def generations(children: int, depth: int) -> NDArray[np.int64]:
    """The generation of everybody in a complete tree; the root's is 0.

    Examples
    --------
    >>> generations(2, 2).tolist()
    [0, 1, 1, 2, 2, 2, 2]
    """
    return np.repeat(np.arange(depth + 1), [children**generation for generation in range(depth + 1)])


def random_tree(n: int, rng: np.random.Generator, degree: int | None = None) -> NDArray[np.int64]:
    """Draw parents: everybody joins somebody before them who has fewer than ``degree`` relatives so far."""
    parent, relatives = np.empty(n - 1, np.int64), np.zeros(n, np.int64)
    for person in range(1, n):
        free = np.flatnonzero(relatives[:person] < degree) if degree is not None else np.arange(person)
        chosen = int(rng.choice(free))
        parent[person - 1] = chosen
        relatives[[chosen, person]] += 1
    return parent


def draw_complete_tree(
    children: int, depth: int, coupling: float, field: float, rng: np.random.Generator
) -> Bits:
    """Draw the bits of a complete tree, generation by generation.

    Given the parent's spin s, the log-odds of a child are those of its own tree and ``2 J s``.
    """
    own = tree_log_odds(children, depth, coupling, field)
    bits = [rng.random(1) < expit(-own)]
    for generation in range(1, depth + 1):
        own = tree_log_odds(children, depth - generation, coupling, field)
        spin = np.repeat(np.where(bits[-1], -1.0, 1.0), children)
        bits.append(rng.random(spin.size) < expit(-own - 2 * coupling * spin))
    return np.concatenate(bits)


def worst_case(model: CorrelationModel, epsilon: Floats) -> Floats:
    """Return nu of everybody in a forest whose relatives agree (Theorem 3.4)."""
    return forest.odds_shift(planted(model), model.field, epsilon)


def planted(model: CorrelationModel) -> forest.Forest:
    """Number the people of a tree."""
    found = forest.plant(model)
    assert found is not None  # noqa: S101 -- these networks are made without cycles
    return found


def too_far(shift: Floats, most: Floats) -> Tally:
    """Count the people about whom beliefs moved further than they may."""
    return count(np.abs(shift) > most + ROUNDING)


def all_the_way(shift: Floats, most: Floats) -> Tally:
    """Count the people about whom beliefs moved as far as they may."""
    return count(np.abs(np.abs(shift) - most) <= ROUNDING)


def at_once(
    settings: Settings,
    name: str,
    run: Callable[[np.random.Generator], tuple[Tally, ...]],
    done: tuple[float, float],
) -> tuple[tuple[Tally, ...], ...]:
    """Repeat a run that counts several things about the same people; one sequence of tallies each."""
    found = repeat(settings, name, lambda world, attacker: run(world), done)
    return tuple(zip(*found, strict=True))


def family(settings: Settings, world: np.random.Generator) -> CorrelationModel:
    """A random tree, with a prior of its own about everybody."""
    n = settings.whole("n")
    return tree(random_tree(n, world), coupling_of(settings["agreement"]), world.uniform(-0.5, 0.5, n))


def children_in_words(number: int) -> str:
    """Say how many children.

    Examples
    --------
    >>> children_in_words(1), children_in_words(3)
    ('1 child', '3 children')
    """
    return "1 child" if number == 1 else f"{number} children"
