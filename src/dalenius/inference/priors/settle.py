"""From what was stated about related people to the prior in use, and what holds whatever was fitted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dalenius.inference.attack.fit.fit import FittedModel, fit
from dalenius.inference.attack.fit.implied import implied
from dalenius.inference.finding import Regardless
from dalenius.knowledge.correlation.couplings import of_links
from dalenius.knowledge.correlation.model import CorrelationModel
from dalenius.knowledge.correlation.network import Network
from dalenius.knowledge.correlation.stated import CLOSE, PriorStanding
from dalenius.random import stream
from dalenius.shown import several
from dalenius.theory.inference import message

Floats = NDArray[np.float64]


def regardless(network: Network, epsilon: Floats) -> Regardless:
    """Enclose nu of the worst-off person, whatever else is true of people who agree as stated.

    From above by group privacy. From below by mechanisms that look at two linked people alone: of these the
    agreement and the biases say everything, and randomised response of the two attains Equation 6.

    Parameters
    ----------
    epsilon
        One a person; people whom the prior does not name may follow those whom it names.
    """
    groups = np.bincount(network.model.components(), epsilon)
    least = np.r_[epsilon.max(), _of_pairs(network, epsilon)]
    return Regardless(least=float(least.max()), most=float(groups.max()))


def _of_pairs(network: Network, epsilon: Floats) -> Floats:
    """Nu of both people of every link, if there were nobody else."""
    edges = network.model.edges
    people = len(network.model) if network.bias is None else network.bias.size
    links = of_links(edges, network.agreement, network.bias, people)
    same = np.isinf(links.coupling)
    J = np.where(same, 0.0, links.coupling)
    found = [epsilon[edges[same]].sum(axis=1)]
    for one, other, at, beside in (
        (edges[:, 0], edges[:, 1], links.at_a, links.at_b),
        (edges[:, 1], edges[:, 0], links.at_b, links.at_a),
    ):
        turned = np.where(J < 0, -beside, beside)  # relabelled, so that the two rather agree

        def odds(sign: int, own: Floats = at, far: Floats = turned, a: NDArray[np.int64] = one,
                 b: NDArray[np.int64] = other) -> Floats:  # fmt: skip
            return 2 * own + sign * epsilon[a] + message(np.abs(J), 2 * far + sign * epsilon[b])

        found.append(np.maximum(odds(1) - odds(0), odds(0) - odds(-1))[~same])
    return np.concatenate(found)


NO_LOOPS = "no loops: every agreement and every bias holds exactly"


LINK_BY_LINK = (
    "not fitted, as asked for: couplings are those of each link alone, and where links form loops this is "
    "not the stated prior; it decides nothing"
)


def settle(network: Network, *, fitted: bool = True, bounded: bool = True, seed: int = 1) -> Network:
    """Give a network the law that was stated, or say by how much it has another.

    Parameters
    ----------
    fitted
        Whether agreements and biases are to hold on loops too; otherwise couplings are those of each link
        alone, which is then said and decides nothing.
    bounded
        Whether couplings that cannot be fitted may be enclosed instead: enough for nu, not for beliefs.
    seed
        Of the simulation that estimates what is implied where it cannot be computed.

    Raises
    ------
    InputError
        If no people can agree as stated.
    """
    prevalence = np.full(len(network.model), 0.5) if network.bias is None else network.bias
    if not _loops(network.model):
        return replace(network, standing=PriorStanding(network.agreement, prevalence, 0.0, True, NO_LOOPS))
    if not fitted:
        return _compare(network, network.model, LINK_BY_LINK, seed, never=True)
    found = fit(network.model, network.agreement, network.bias, enclosed=bounded)
    if found.least is not None:
        how = _enclosed(found)
        standing = PriorStanding(network.agreement, prevalence, 0.0, True, how, found.least)
        return _standing(network, found.model, standing)
    if found.open_links.any():
        return _compare(network, found.model, _why_not(found), seed)
    how = (
        "fitted: of all laws with the stated agreements and biases the one of largest entropy "
        f"(Newton's method, log-odds to {found.worst:.0e})"
    )
    standing = PriorStanding(found.agreement, found.prevalence, 0.0, True, how)
    return _standing(network, found.model, standing)


def _loops(model: CorrelationModel) -> bool:
    groups = int(model.components().max(initial=-1)) + 1
    return len(model.edges) > len(model) - groups


def without_bounds(network: Network) -> Network:
    """Take a network's own law again where its couplings were enclosed: beliefs are of one law."""
    if network.least is None:
        return network
    model = replace(network.model, card=network.model.card[:-1])
    return settle(replace(network, model=model), bounded=False)


def _enclosed(found: FittedModel) -> str:
    count = several(int(found.open_links.sum()), "coupling")
    return (
        f"of all laws with the stated agreements the one of largest entropy; {count} of it could not be "
        "computed, but are shown to be positive and enclosed, and nu, which rises with each, is bounded"
    )


def _why_not(found: FittedModel) -> str:
    count = several(int(found.open_links.sum()), "link")
    why = "a junction tree would be too large" if found.too_wide else "Newton's method did not settle"
    return f"not fitted on {count}, where {why}: couplings there are those of each link alone"


def _compare(
    network: Network, model: CorrelationModel, how: str, seed: int, *, never: bool = False
) -> Network:
    """Find out what a law that was not fitted implies; it may still be close to the stated one."""
    prevalence = np.full(len(model), 0.5) if network.bias is None else network.bias
    people, links = _on_loops(model)
    found = implied(model.take(people), rng=stream(seed, "implied agreement"))
    together, ones = network.agreement.copy(), prevalence.copy()
    together[links], ones[people] = found.agreement, found.prevalence
    gap = found.gap(network.agreement[links], prevalence[people])
    close = gap <= CLOSE and not never
    if close:
        how += f"; what they imply is within {gap:.3g} of what was stated"
    if not found.known:
        how += (
            "; what they imply is not known: their links contradict each other, or a simulation does not "
            "settle"
        )
    standing = PriorStanding(
        together if np.isfinite(together).all() else None,
        ones if np.isfinite(ones).all() else None,
        found.error,
        close,
        how,
    )
    return _standing(network, model, standing)


def _on_loops(model: CorrelationModel) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The people and the links of groups that are no trees."""
    group = model.components()
    of_link = group[model.edges[:, 0]]
    loopy = np.bincount(of_link, minlength=int(group.max()) + 1) >= np.bincount(group)
    return np.flatnonzero(loopy[group]), np.flatnonzero(loopy[of_link])


def _standing(network: Network, model: CorrelationModel, standing: PriorStanding) -> Network:
    model = replace(model, card=(*network.model.card, standing.how))
    return replace(network, model=model, standing=standing)
