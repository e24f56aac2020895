"""What holds of nu in every law with the stated agreements and biases, fitted or not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.inference.finding import Regardless
from dalenius.knowledge.correlation.couplings import of_links
from dalenius.knowledge.correlation.network import Network
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
