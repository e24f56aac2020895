"""The releases of an audit: what the promise of each is worth to people who are related."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dalenius.attacks.inference.nu import Prepared, prepare
from dalenius.audit.inference.measure import measure
from dalenius.audit.inference.plan import PriorPlan
from dalenius.audit.inference.prior import PriorFiles, describe, open_prior
from dalenius.audit.inference.spent import Spent
from dalenius.audit.inference.unlimited import without_limit
from dalenius.errors import InputError
from dalenius.findings.document import NotRun
from dalenius.findings.inference import InferenceFinding
from dalenius.findings.inference_build import make_infinite_finding
from dalenius.findings.words import people
from dalenius.knowledge.correlation.network import Network
from dalenius.knowledge.correlation.people import LEAST_EPSILON, MOST_EPSILON
from dalenius.mechanisms.promise import Promise
from dalenius.people.roster import Ids
from dalenius.progress import Progress, silent
from dalenius.release.release import Release


@dataclass(frozen=True)
class RelatedPeople:
    """A prior about the people of an audit.

    Parameters
    ----------
    network, source
        Who is related, and where that comes from.
    """

    network: Network
    source: str


def open_related(plan: PriorPlan) -> RelatedPeople:
    """Read the prior of a plan."""
    files = PriorFiles(
        plan.edges, plan.households, plan.pedigree, plan.people, plan.agreement, plan.identical, plan.fit
    )
    return RelatedPeople(open_prior(files), files.source)


def promise_related(
    related: RelatedPeople,
    releases: Mapping[str, Release],
    ids: Ids | None,
    *,
    seed: int = 1,
    progress: Progress = silent,
) -> Iterator[InferenceFinding]:
    """Say of every release what its promise is worth, nu beside epsilon.

    Parameters
    ----------
    releases
        By name, each with its promise.
    ids
        The people of the data; None if they have no ids, and everybody in the prior is taken to be among
        them.

    Raises
    ------
    InputError
        If the secret has more than two values, or nobody of the prior is in the data.
    """
    for release in releases.values():
        values = len(release.secret.levels)
        if values != 2:
            raise InputError(
                "knowledge.prior",
                "must be about a secret of two values",
                f"{values} values of {release.secret.name!r}",
                "Leave the prior out, or say which value counts.",
            )
    network, present = _among(related.network, ids)
    prepared = prepare(network.model, progress=progress)
    for name, release in releases.items():
        yield _one(name, release, network, present, prepared, related.source, seed, progress)


def no_nu(releases: Iterable[str]) -> tuple[NotRun, ...]:
    """Say of releases about other things than one secret bit a person that the prior does not reach them."""
    reason = "who agrees about one secret of two values says nothing about this kind of release"
    return tuple(NotRun(release=name, attack_method="inference", reason=reason) for name in releases)


def _one(
    name: str,
    release: Release,
    network: Network,
    present: NDArray[np.bool_],
    prepared: Prepared,
    source: str,
    seed: int,
    progress: Progress,
) -> InferenceFinding:
    promise = release.promise
    if promise is None or not _limits(promise):
        return make_infinite_finding(
            prior=describe(source, network),
            release=name,
            mechanism=release.mechanism,
            promise=None if promise is None else promise.text,
            notes=network.notes,
        )
    if promise.epsilon is None:
        spent = Spent(None, None, promise.rho, 1)
        counted = replace(network, epsilon=present.astype(np.float64))
        return without_limit(
            counted,
            spent,
            source=source,
            release=name,
            mechanism=release.mechanism,
            promise=promise.text,
            seed=seed,
            progress=progress,
        )
    return measure(
        replace(network, epsilon=np.where(present, promise.epsilon, 0.0)),
        Spent(promise.epsilon, None, None, 1),
        source=source,
        release=name,
        mechanism=release.mechanism,
        promise=promise.text,
        prepared=prepared,
        progress=progress,
    ).finding


def _limits(promise: Promise) -> bool:
    """Whether a promise says anything: beyond some thousand an epsilon or a rho is a number, not a limit."""
    spent = promise.rho if promise.epsilon is None else promise.epsilon
    return spent is not None and LEAST_EPSILON <= spent <= MOST_EPSILON


def _among(network: Network, ids: Ids | None) -> tuple[Network, NDArray[np.bool_]]:
    """Put the people of the data into the network; return it, and who of it is in the data.

    Somebody in the data whom the prior does not name is unrelated; somebody whom it names and the data does
    not have is spoken of by relatives alone. An epsilon of 0 in the file of people says the same.
    """
    model = network.model
    present = np.ones(len(model), np.bool_) if network.epsilon is None else network.epsilon != 0
    if ids is None:
        note = "The data has no ids: everybody whom the prior names is taken to be in it."
        return replace(network, epsilon=None, notes=(*network.notes, note)), present
    present &= np.isin(model.ids, ids)
    if not present.any():
        raise InputError(
            "knowledge.prior",
            "must name people of the data",
            "none of them",
            "Are the ids those of schema.id?",
        )
    alone = ids[~np.isin(ids, model.ids)]
    notes = list(network.notes)
    if alone.size:
        notes.append(f"Not in the prior and taken as unrelated: {people(alone.size)} of the data.")
    if not present.all():
        absent = int((~present).sum())
        notes.append(
            f"Without data in the release, only spoken of by relatives: {people(absent)} of the prior."
        )
    wider = replace(
        model,
        ids=np.concatenate([model.ids.astype(str), alone.astype(str)]),
        field=np.concatenate([model.field, np.zeros(alone.size)]),
    )
    everybody = np.concatenate([present, np.ones(alone.size, np.bool_)])
    return replace(network, model=wider, epsilon=None, notes=tuple(notes)), everybody
