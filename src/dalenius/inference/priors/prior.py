"""The prior that people hand over: who is related, from a network, households or a family tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.inference.finding import Held, Middle, Prior
from dalenius.inference.priors.relation_files import RelationFiles
from dalenius.inference.priors.settle import settle
from dalenius.knowledge.correlation.agreements import Agreement, parse_agreement
from dalenius.knowledge.correlation.network import Network
from dalenius.knowledge.correlation.network import read_network as read_links
from dalenius.knowledge.correlation.pedigree import read_pedigree as read_family
from dalenius.people.files.read_file import Source
from dalenius.people.opening import place_name
from dalenius.shown import hides_people


@hides_people()
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
        Whether agreements and biases are to hold as stated where links form loops, too; otherwise the result
        is labelled, and decides nothing.
    columns
        How the files call their columns, where it is not as above: ``{"a": "source", "b": "target"}``.
    """

    edges: Source | None = None
    households: Source | None = None
    pedigree: Source | None = None
    people: Source | None = None
    agreement: str | Agreement | None = None
    identical: bool = False
    fit: bool = True
    columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """What the prior is called: its files."""
        files = (self.pedigree, self.edges, self.households)
        return " and ".join(place_name(place) for place in files if place is not None)


def open_prior(files: PriorFiles) -> Network:
    """Read the prior, and fit it to what was stated.

    Raises
    ------
    InputError
        If there is no file of relations, or a family tree beside a network; for what the readers refuse; if
        no people can agree as stated.
    """
    return settle(_read(files), fitted=files.fit)


def read_network(
    edges: Source | None,
    *,
    households: Source | None = None,
    people: Source | None = None,
    agreement: Agreement | None = None,
    identical: bool = False,
    fit: bool = True,
) -> Network:
    """Read who is related to whom, and fit the prior to what was stated.

    Parameters
    ----------
    edges, households, people, agreement, identical
        See `dalenius.knowledge.correlation.network.read_network`.
    fit
        Whether agreements and biases are to hold as stated where links form loops, too. `Network.standing`
        says whether they do.

    Raises
    ------
    InputError
        For what cannot be used; if no people can agree as stated.
    """
    return open_prior(PriorFiles(edges, households, None, people, agreement, identical, fit))


def read_pedigree(
    path: Source,
    *,
    agreement: Mapping[str, float],
    people: Source | None = None,
    identical: bool = False,
    fit: bool = True,
) -> Network:
    """Read a family tree, and fit the prior to what was stated; it is about opinions, habits or diagnoses.

    Parameters
    ----------
    path, agreement, people, identical
        See `dalenius.knowledge.correlation.pedigree.read_pedigree`.
    fit
        Whether agreements and biases are to hold as stated where links form loops, too. `Network.standing`
        says whether they do.

    Raises
    ------
    InputError
        For what cannot be used; if no people can agree as stated.
    """
    return open_prior(PriorFiles(None, None, path, people, agreement, identical, fit))


def _read(files: PriorFiles) -> Network:
    given = files.agreement
    agreement = parse_agreement(given) if isinstance(given, str) else given
    opening = RelationFiles(files.columns)
    edges, households = opening.open(files.edges, edges=True), opening.open(files.households)
    family, people = opening.open(files.pedigree), opening.open(files.people)
    opening.check()
    if family is None:
        return read_links(
            edges,
            households=households,
            people=people,
            agreement=agreement,
            identical=files.identical,
        )
    if edges is not None or households is not None:
        raise InputError("a pedigree", "must be the only file of relations", "edges or households beside it")
    if agreement is None:
        raise InputError("agreement", "must be given for a pedigree", "nothing", "Try parent=0.75.")
    by_relation = agreement if isinstance(agreement, Mapping) else {"parent": agreement}
    return read_family(family, agreement=by_relation, people=people, identical=files.identical)


def describe(source: str, network: Network) -> Prior:
    """Return what a finding says about the prior; nobody is named.

    A network that was read and not settled counts as not stated, unless nobody is linked in a loop.
    """
    if network.standing is None:
        network = settle(network, fitted=False)
    model, standing = network.model, network.standing
    assert standing is not None  # noqa: S101 -- settling gives one
    sizes = np.bincount(model.components())
    prevalence = np.full(1, 0.5) if network.bias is None else network.bias
    return Prior(
        source=source,
        people=len(model),
        links=len(model.edges),
        groups=sizes.size,
        largest=int(sizes.max()),
        model=model.card,
        agreement=_held(network.agreement, standing.agreement) if network.agreement.size else None,
        prevalence=_held(prevalence, standing.prevalence),
        error=standing.error,
        as_stated=standing.as_stated,
        how=standing.how,
    )


def _held(stated: NDArray[np.float64], implied: NDArray[np.float64] | None) -> Held:
    return Held(stated=Middle.of(stated), implied=None if implied is None else Middle.of(implied))


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
