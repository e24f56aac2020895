"""The prior that people hand over: who is related, from a network, households or a family tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.findings.inference import Prior
from dalenius.knowledge.correlation.agreements import Agreement, parse_agreement
from dalenius.knowledge.correlation.model import CorrelationModel
from dalenius.knowledge.correlation.network import Network, read_network
from dalenius.knowledge.correlation.pedigree import read_pedigree


@dataclass(frozen=True)
class PriorFiles:
    """Which files say who is related, and how often related people agree.

    Parameters
    ----------
    edges, households
        ``a,b[,agreement][,type]`` and ``id,household``.
    pedigree
        ``id,father,mother[,sex][,twin]``, instead of the two above.
    people
        ``id[,bias][,epsilon]``.
    agreement
        For all, or by type or relation; as text, such as ``0.8`` or ``parent=0.75,contact=0.6``, or read.
    identical
        Whether an agreement of 1 is meant.
    fit
        Whether agreements are to hold as given where links form loops, too.
    """

    edges: Path | None = None
    households: Path | None = None
    pedigree: Path | None = None
    people: Path | None = None
    agreement: str | Agreement | None = None
    identical: bool = False
    fit: bool = False

    @property
    def source(self) -> str:
        """What the prior is called: its files."""
        files = (self.pedigree, self.edges, self.households)
        return " and ".join(path.name for path in files if path is not None)


def open_prior(files: PriorFiles) -> Network:
    """Read the prior, and fit it where that is asked for.

    Raises
    ------
    InputError
        If there is no file of relations, or a family tree beside a network; for what the readers refuse.
    TooWideError
        If fitting is out of reach.
    """
    network = _read(files)
    if not files.fit:
        return network
    from dalenius.attacks.inference.fit import fit

    fitted = fit(network.model, network.agreement, network.bias)
    said = f"fitted: agreements hold as given on loops too ({fitted.sweeps:,} sweeps, to {fitted.worst:.1e})"
    return replace(network, model=replace(fitted.model, card=(*network.model.card, said)))


def _read(files: PriorFiles) -> Network:
    given = files.agreement
    agreement = parse_agreement(given) if isinstance(given, str) else given
    if files.pedigree is None:
        return read_network(
            files.edges,
            households=files.households,
            people=files.people,
            agreement=agreement,
            identical=files.identical,
        )
    if files.edges is not None or files.households is not None:
        raise InputError("a pedigree", "must be the only file of relations", "edges or households beside it")
    if agreement is None:
        raise InputError("agreement", "must be given for a pedigree", "nothing", "Try parent=0.75.")
    by_relation = agreement if isinstance(agreement, Mapping) else {"parent": agreement}
    return read_pedigree(
        files.pedigree, agreement=by_relation, people=files.people, identical=files.identical
    )


def describe(source: str, model: CorrelationModel) -> Prior:
    """Return what a finding says about the prior; nobody is named."""
    sizes = np.bincount(model.components())
    return Prior(
        source=source,
        people=len(model),
        links=len(model.edges),
        groups=sizes.size,
        largest=int(sizes.max()),
        model=model.card,
    )


def generations(network: Network) -> NDArray[np.int64]:
    """Return how many generations of known ancestors each person of a family tree has, at most.

    Twins without links to their parents are of their twin's generation.
    """
    edges, kinds = network.model.edges, np.array(network.kinds, object)
    descent, twins = edges[kinds == "parent"], edges[kinds == "twin"]
    generation = np.zeros(len(network.model), np.int64)
    while True:
        later = generation.copy()
        np.maximum.at(later, descent[:, 0], later[descent[:, 1]] + 1)
        np.maximum.at(later, twins[:, 1], later[twins[:, 0]])
        if np.array_equal(later, generation):
            return generation
        generation = later
