"""Which relations are behind what linked people give away: nu again, with each kind of link left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import DaleniusError
from dalenius.findings.explanation import Cause, Explanation, Group, Why, groups_of
from dalenius.findings.policy import MODERATE_ADVANTAGE
from dalenius.inference.attack.nu import Nus, Prepared, prepare
from dalenius.inference.priors.settle import settle
from dalenius.knowledge.correlation.couplings import couple
from dalenius.knowledge.correlation.model import CorrelationModel
from dalenius.knowledge.correlation.network import Network
from dalenius.progress import Progress, silent
from dalenius.theory.privacy import advantage_from_epsilon

Floats = NDArray[np.float64]

MOST_LINKS = 20_000
"""Links up to which kinds of them are left out: each is a network of its own to solve."""

MOST_KINDS = 8
"""Kinds of links that are left out one by one; rarer ones are put together."""

NAMED_FROM = 10
"""Links from which on a kind is called by its name, which is a cell of a file."""

FAMILY = frozenset({"parent", "twin", "sibling", "household", "partner", "spouse"})
"""Kinds that may always be named."""

MANY_LINKS = 4
"""People with so many links or more are one group."""


def explain_links(
    network: Network, prepared: Prepared, nus: Nus, *, why: bool = True, progress: Progress = silent
) -> Explanation:
    """Say whom links cost something, by how many they have, and which relations are behind it."""
    groups = by_links(network.model.degrees, nus.epsilon, nus.nu)
    return Explanation(groups=groups, why=look_for_causes(network, prepared, nus, progress) if why else None)


def by_links(degrees: NDArray[np.int64], epsilon: Floats, nu: Floats) -> tuple[Group, ...]:
    """Count people by how many links they have, and to how many of them links cost 5 points or more."""
    gains = [np.array([_gain(float(value)) for value in np.unique(of)]) for of in (epsilon, nu)]
    alone, linked = (
        gain[np.unique(of, return_inverse=True)[1].ravel()]
        for gain, of in zip(gains, (epsilon, nu), strict=True)
    )
    costly = linked - alone >= MODERATE_ADVANTAGE
    levels = (*(str(k) for k in range(MANY_LINKS)), f"{MANY_LINKS} or more")
    return groups_of("links", levels, np.minimum(degrees, MANY_LINKS).astype(np.int32), costly)


def _gain(epsilon: float) -> float:
    return advantage_from_epsilon(epsilon) if epsilon > 0 else 0.0


def look_for_causes(
    network: Network, prepared: Prepared, nus: Nus, progress: Progress = silent
) -> Why | None:
    """Find nu of the worst-off without each kind of link; None where links add nothing.

    A prior without some links is fitted anew, so that the agreements of the others hold as stated.
    """
    worst, own = float(nus.nu.max()), float(nus.epsilon.max())
    edges = len(network.model.edges)
    if not edges or worst <= own * (1 + 1e-9):
        return None
    counted = "nu of the worst-off person"
    if edges > MOST_LINKS or prepared.slow:
        return Why(counted=counted, whole=worst, left_out=f"each kind of the {edges:,} links: too many")
    causes = []
    kinds = _kinds(network)
    for done, (name, inside) in enumerate(kinds.items()):
        progress(done / len(kinds), f"without {name}")
        without = own if inside.all() else _worst(network, ~inside, nus.epsilon)
        alone = worst if inside.all() else _worst(network, inside, nus.epsilon)
        causes.append(Cause(kind="relation", name=name, alone=alone, without=without))
    causes.sort(key=lambda one: np.inf if one.without is None else one.without)
    return Why(counted=counted, whole=worst, causes=tuple(causes))


def _kinds(network: Network) -> dict[str, NDArray[np.bool_]]:
    """Which links are of each kind; those of rare kinds together, which are not named."""
    edges = len(network.model.edges)
    if not network.kinds:
        return {"all links": np.ones(edges, np.bool_)}
    kinds = np.array(network.kinds, object)
    often = Counter(network.kinds).most_common()
    known = [name for name, times in often if name and (times >= NAMED_FROM or name in FAMILY)][:MOST_KINDS]
    found = {name: np.asarray(kinds == name, np.bool_) for name in known}
    rest = ~np.isin(network.kinds, known)
    return {**found, "other relations": rest} if rest.any() else found


def _worst(network: Network, keep: NDArray[np.bool_], epsilon: Floats) -> float | None:
    """Find nu of the worst-off if only these links were there; None where that prior cannot be fitted."""
    model, agreement = network.model, network.agreement[keep]
    bias = network.bias
    if bias is not None and bias.size < len(model):  # people of the data whom the prior does not name
        bias = np.concatenate([bias, np.full(len(model) - bias.size, 0.5)])
    try:
        coupling, field = couple(model.ids, model.edges[keep], agreement, bias)
        fewer = CorrelationModel(model.id_name, model.ids, model.edges[keep], coupling, field)
        kinds = tuple(kind for kind, kept in zip(network.kinds, keep, strict=False) if kept)
        settled = settle(
            replace(network, model=fewer, kinds=kinds, agreement=agreement, bias=bias, standing=None)
        )
        if settled.standing is None or not settled.standing.as_stated:
            return None
        return float(prepare(settled.model, settled.least).nus(epsilon).nu.max())
    except DaleniusError:
        return None
