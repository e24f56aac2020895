"""Couplings and fields whose agreements and biases are the stated ones, loops or not.

Couplings from the agreement of a link alone are right on forests. On a loop people are also related the other
way round: they agree more often than stated, and with a bias the fields run away. Here every block of a
network is fitted: of all laws with the stated agreements and biases the one of largest entropy, which is
unique and pairwise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.special import expit, logit

from dalenius.errors import InputError
from dalenius.inference.attack.fit.cliques import PROVEN, fit_clique
from dalenius.inference.attack.fit.dense import FEW, fit_few
from dalenius.inference.attack.fit.enclosed import enclose
from dalenius.inference.attack.fit.newton import CLOSE, newton
from dalenius.inference.attack.fit.trees import plant
from dalenius.inference.attack.identical import StatedOfSets, merge_stated
from dalenius.inference.attack.impossible import refuse
from dalenius.inference.attack.solvers.blocks import NetworkBlocks, Whole, blocks_with_loops
from dalenius.knowledge.correlation.couplings import OfLinks, add_fields, of_links
from dalenius.knowledge.correlation.model import CorrelationModel, Floats
from dalenius.knowledge.correlation.signs import frustrated

SNAP = 1e-9
"""A coupling smaller than this is none: its sign would be rounding, and might contradict others."""


@dataclass(frozen=True)
class FittedModel:
    """A model whose agreements hold.

    Parameters
    ----------
    model
        With the fitted couplings and fields.
    agreement, prevalence
        What they imply, one per link and one per person; stated ones where a link is open.
    open_links
        Links of blocks that could not be fitted: they keep the coupling of a link alone.
    too_wide
        Whether that is because a junction tree would be too large; elsewhere no convergence was reached.
    steps
        How many of Newton's steps it took; 0 if there is no loop.
    worst
        The largest difference left where it was fitted, in log-odds.
    least
        Where all couplings that could not be fitted are enclosed: the least that each coupling can be. The
        model's own are then the most. None where they are not, and where all are fitted.
    """

    model: CorrelationModel
    agreement: Floats
    prevalence: Floats
    open_links: NDArray[np.bool_]
    too_wide: bool
    steps: int
    worst: float
    least: Floats | None = None


def fit(
    model: CorrelationModel, agreement: Floats, bias: Floats | None = None, *, enclosed: bool = False
) -> FittedModel:
    """Fit couplings and fields so that linked people agree as often as stated, loops or not.

    Parameters
    ----------
    model
        The network; its couplings are not used.
    agreement
        One per edge: the probability that its people agree; 1 for people who are identical.
    bias
        The probability that each bit is 1; fair without.
    enclosed
        Whether couplings that cannot be fitted are to be enclosed: nu is all that they are then good for.

    Raises
    ------
    InputError
        If no people can have these agreements, with the proof: three people who all rather differ from each
        other, for example.

    Examples
    --------
    >>> square = CorrelationModel("id", np.array(["a", "b", "c", "d"]),
    ...                           np.array([[0, 1], [1, 2], [2, 3], [3, 0]]), np.full(4, 0.5), np.zeros(4))
    >>> fit(square, np.full(4, 0.75)).model.coupling.round(9)
    array([0.46656601, 0.46656601, 0.46656601, 0.46656601])
    """
    _check(model, agreement, bias)
    stated = merge_stated(model, agreement, bias)
    links = of_links(stated.edges, stated.agreement, stated.bias, stated.people)
    blocks = blocks_with_loops(stated.model())
    work = _Work(stated, links, blocks)
    work.cliques()
    work.others()
    coupling, field = work.put_together()
    between = _enclose(stated, coupling, work.open_links) if enclosed else None
    least = None
    if between is not None:
        least, coupling = between
    together, prevalence = work.implied()
    full = stated.spread(coupling, field, together, prevalence, work.open_links)
    return FittedModel(
        replace(model, coupling=full.coupling, field=full.field),
        full.agreement,
        full.prevalence,
        full.open_links,
        work.too_wide,
        work.steps,
        work.worst,
        None if least is None else stated.of_links(least),
    )


def _enclose(
    stated: StatedOfSets, coupling: Floats, open_links: NDArray[np.bool_]
) -> tuple[Floats, Floats] | None:
    """Every coupling at the least and at the most, where those that are not fitted can be enclosed."""
    if stated.bias is not None or not open_links.any():
        return None
    own = replace(stated.model(), edges=stated.edges[open_links], coupling=coupling[open_links])
    found = enclose(own)
    if found is None:
        return None
    least, most = coupling.copy(), coupling.copy()
    least[open_links], most[open_links] = found
    if frustrated(replace(stated.model(), coupling=most))[stated.edges[open_links, 0]].any():
        return None  # fitted couplings of the same people contradict theirs
    return least, most


def _check(model: CorrelationModel, agreement: Floats, bias: Floats | None) -> None:
    if agreement.shape != (len(model.edges),):
        raise InputError("agreements", f"must be {len(model.edges):,}", f"shape {agreement.shape}")
    if bias is not None and (bias.shape != (len(model),) or not ((bias > 0) & (bias < 1)).all()):
        raise InputError("biases", "must be one per person, strictly between 0 and 1", f"shape {bias.shape}")


class _Work:
    """Blocks while they are fitted; parameters start as those of a spanning tree of strong links."""

    def __init__(self, stated: StatedOfSets, links: OfLinks, blocks: NetworkBlocks) -> None:
        self._stated, self._links, self._blocks = stated, links, blocks
        self._wanted = logit(stated.agreement[blocks.links])
        bias = None if stated.bias is None else stated.bias[blocks.people]
        self._tilt = None if bias is None else -logit(bias)
        self.coupling, self.field = _spanning(blocks, links)
        self._together, self._log_odds = self._wanted.copy(), self._own_tilt()
        self._done = np.zeros(len(blocks), np.bool_)
        self.too_wide, self.steps, self.worst = False, 0, 0.0

    def _own_tilt(self) -> Floats:
        return np.zeros(self._blocks.people.size) if self._tilt is None else self._tilt.copy()

    def cliques(self) -> None:
        """Fit blocks where all are related and biased alike; equal ones are looked up."""
        blocks, stated = self._blocks, self._stated
        size, links = np.diff(blocks.first_person), np.diff(blocks.first_link)
        p = stated.agreement[blocks.links]
        b = np.full(blocks.people.size, 0.5) if stated.bias is None else stated.bias[blocks.people]
        alike = _alike(p, blocks.first_link) & _alike(b, blocks.first_person)
        for at in np.flatnonzero((links == size * (size - 1) // 2) & alike).tolist():
            link, person = _run(blocks.first_link, at), _run(blocks.first_person, at)
            bias = None if stated.bias is None else float(b[person.start])
            found = fit_clique(int(size[at]), float(p[link.start]), bias)
            if found.gap > CLOSE and found.likelihood > PROVEN:
                self._refuse(at)
            if found.gap <= CLOSE:
                self.coupling[link], self.field[person] = found.coupling, found.field
                self.steps, self.worst = max(self.steps, 1), max(self.worst, found.gap)
                self._done[at] = True

    def others(self) -> None:
        """Fit the other blocks by junction trees; the few people that resist, by all their combinations."""
        which = np.flatnonzero(~self._done)
        if not which.size:
            return
        rest, _, _ = self._blocks.take(which)
        trees, narrow = plant(rest)
        self.too_wide = not narrow.all()
        which = which[narrow]
        if not which.size:
            return
        _, people, links = self._blocks.take(which)
        tilt = None if self._tilt is None else self._tilt[people]
        found = newton(trees, self._wanted[links], tilt, self.coupling[links], self.field[people])
        self.coupling[links], self.field[people] = found.coupling, found.field
        self._together[links] = found.together
        if tilt is not None:
            self._log_odds[people] = found.log_odds
        self.steps = max(self.steps, found.steps)
        for at, fitted, gap, value in zip(which, found.fitted, found.gap, found.likelihood, strict=True):
            self._done[at] = fitted or self._few(int(at), float(value))
            if fitted:
                self.worst = max(self.worst, float(gap))

    def _few(self, at: int, value: float) -> bool:
        """Fit a block that resisted, if it is small; refuse it if no people can have it."""
        blocks = self._blocks
        link, person = _run(blocks.first_link, at), _run(blocks.first_person, at)
        size = person.stop - person.start
        if size <= FEW and value <= PROVEN:
            goal, theta = self._wanted[link], self.coupling[link]
            if self._tilt is not None:
                goal, theta = np.r_[goal, self._tilt[person]], np.r_[theta, self.field[person]]
            theta, found, value = fit_few(size, blocks.edges[link] - person.start, goal, theta, CLOSE)
            gap = float(np.abs(found - goal).max())
            if gap <= CLOSE:
                links = link.stop - link.start
                self.coupling[link], self._together[link] = theta[:links], found[:links]
                if self._tilt is not None:
                    self.field[person], self._log_odds[person] = theta[links:], found[links:]
                self.worst = max(self.worst, gap)
                return True
            self.coupling[link] = theta[: link.stop - link.start]
        if value > PROVEN:
            self._refuse(at)
        return False

    def _refuse(self, at: int) -> None:
        blocks, stated = self._blocks, self._stated
        link, person = _run(blocks.first_link, at), _run(blocks.first_person, at)
        bias = None if stated.bias is None else stated.bias[blocks.people[person]]
        refuse(
            blocks.edges[link] - person.start,
            stated.agreement[blocks.links[link]],
            bias,
            stated.ids[blocks.people[person]],
        )

    @property
    def open_links(self) -> NDArray[np.bool_]:
        """Which of the stated links are in a block that is not fitted."""
        result = np.zeros(self._stated.agreement.size, np.bool_)
        result[self._blocks.links[~self._done[self._blocks.of_link()]]] = True
        return result

    def put_together(self) -> tuple[Floats, Floats]:
        """Couplings of all links and fields of all people: of every block what it adds to people's own."""
        stated, blocks, links = self._stated, self._blocks, self._links
        coupling = links.coupling.copy()
        done = self._done[blocks.of_link()]
        coupling[blocks.links[done]] = self.coupling[done]
        small = (np.abs(coupling) < SNAP) & (coupling != 0)
        coupling[small] = 0.0
        if stated.bias is None:
            return coupling, np.zeros(stated.people)
        alone = np.ones(stated.agreement.size, np.bool_)
        alone[blocks.links[done]] = False
        field = add_fields(links, stated.edges, alone)
        person = self._done[blocks.of_person()]
        whom = blocks.people[person]
        field += np.bincount(whom, self.field[person] - links.alone[whom], minlength=stated.people)
        return coupling, field

    def implied(self) -> tuple[Floats, Floats]:
        """Agreements and prevalences that hold: the stated ones but for what the fit leaves."""
        stated, blocks = self._stated, self._blocks
        together, prevalence = stated.agreement.copy(), stated.prevalence.copy()
        together[blocks.links] = expit(self._together)
        prevalence[blocks.people] = expit(-self._log_odds)
        return together, prevalence


def _spanning(blocks: NetworkBlocks, links: OfLinks) -> tuple[Floats, Floats]:
    """Where to start: the law of each block's strongest links that form a tree, which is known."""
    n = blocks.people.size
    strength = links.coupling[blocks.links]
    a, b = blocks.edges.T
    number = np.arange(strength.size)
    rank = np.empty(strength.size)
    rank[np.argsort(-np.abs(strength), kind="stable")] = number + 1.0
    tree = minimum_spanning_tree(coo_array((rank, (a, b)), shape=(n, n))).tocoo()
    kept = np.isin(rank, tree.data)
    field = links.alone[blocks.people].copy()
    for end, at in ((a, links.at_a[blocks.links]), (b, links.at_b[blocks.links])):
        field += np.bincount(end[kept], (at - links.alone[blocks.people[end]])[kept], minlength=n)
    return np.where(kept, strength, 0.0), field


def _alike(values: Floats, first: Whole) -> NDArray[np.bool_]:
    """Say of every run whether its values are all the same."""
    if first.size == 1:
        return np.zeros(0, np.bool_)
    low, high = np.minimum.reduceat(values, first[:-1]), np.maximum.reduceat(values, first[:-1])
    result: NDArray[np.bool_] = low == high
    return result


def _run(first: Whole, at: int) -> slice:
    return slice(int(first[at]), int(first[at + 1]))
