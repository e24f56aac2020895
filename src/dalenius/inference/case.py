"""The releases of an audit: what the promise of each is worth to people who are related."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dalenius.auditing.case import Asked, Claims, Opened
from dalenius.auditing.plan_parts import PriorPlan
from dalenius.errors import InputError
from dalenius.findings.report import Finding, NotRun
from dalenius.inference.answers.approximate_dp import without_limit
from dalenius.inference.answers.measure import measure
from dalenius.inference.answers.privacy_loss import Spent
from dalenius.inference.attack.nu import Prepared, prepare
from dalenius.inference.build import PromisedRelease, make_infinite_finding
from dalenius.inference.finding import RelatedFinding
from dalenius.inference.priors.prior import PriorFiles, describe, open_prior
from dalenius.inference.priors.relation_files import parse_columns
from dalenius.knowledge.correlation.files.people import LEAST_EPSILON, MOST_EPSILON
from dalenius.knowledge.correlation.network import Network
from dalenius.mechanisms.base import Promise
from dalenius.people.schema import Ids
from dalenius.progress import Announce, Progress
from dalenius.release.release import Release
from dalenius.shown import people


@dataclass(frozen=True)
class RelatedPeople:
    """A prior about the people of an audit.

    Parameters
    ----------
    network, source
        Who is related, and where that comes from.
    why
        Whether it is looked for which relations are behind what is given away.
    """

    network: Network
    source: str
    why: bool = True

    def ask(self, before: Sequence[Opened], *, seed: int) -> Asked:
        """Ask of every release about a secret what its promise is worth, nu beside epsilon.

        Raises
        ------
        InputError
            If the secret has more than two values, or nobody of the prior is in the data.
        """
        opened = next((each for each in before if each.published), None)
        if opened is None:
            return Asked()
        _check_values(opened.published.values())
        network, present = among_people(self.network, opened.ids)
        shared = _Shared(network, present, self.source, seed, self.why)
        return Asked(cases=[RelatedCase(name, release, shared) for name, release in opened.published.items()])


def _check_values(releases: Iterable[Release]) -> None:
    for release in releases:
        values = len(release.secret.levels)
        if values != 2:
            raise InputError(
                "knowledge.prior",
                "must be about a secret of two values",
                f"{values} values of {release.secret.name!r}",
                "Leave the prior out, or say which value counts.",
            )


@dataclass(frozen=True)
class _Shared:
    """What the releases of an audit share: who is related, and who of them is in the data."""

    network: Network
    present: NDArray[np.bool_]
    source: str
    seed: int
    why: bool = True

    @cached_property
    def prepared(self) -> Prepared:
        """The prior, ready for any epsilon."""
        return prepare(self.network.model)


@dataclass(frozen=True)
class RelatedCase:
    """The promise of one release: what is it worth to people who are related?

    nu is computed, not estimated: nothing is redrawn, and there is no control.
    """

    release: str
    published: Release
    shared: _Shared
    goal: str = "inference"
    looks: int = 0

    def publish(self, progress: Progress) -> Release:
        """Return the release; only what it promises is looked at."""
        return self.published

    def attack(self, view: Release, progress: Progress, announce: Announce) -> RelatedFinding:
        """Find the worst mechanism with such a promise about everybody."""
        return _one(self.release, view, self.shared, progress)

    def control(self, progress: Progress) -> Release | None:
        """Return nothing: there is no chance in what is computed."""
        return None

    def judge(
        self, claims: RelatedFinding, control: RelatedFinding | None, looks: int, progress: Progress
    ) -> RelatedFinding:
        """Return what was computed."""
        return claims

    def about_people(self, claims: RelatedFinding) -> Claims | None:
        """Return nothing: a promise is about everybody."""
        return None

    def files(self, claims: RelatedFinding, finding: Finding) -> Mapping[tuple[str, str], str]:
        """Return nothing: nobody's nu is written by an audit."""
        return {}


def open_related(plan: PriorPlan, *, why: bool = True) -> RelatedPeople:
    """Read the prior of a plan."""
    files = PriorFiles(
        plan.edges,
        plan.households,
        plan.pedigree,
        plan.people,
        plan.agreement,
        plan.identical,
        plan.fit,
        parse_columns(",".join(f"{known}={own}" for known, own in plan.columns.items())),
    )
    return RelatedPeople(open_prior(files), files.source, why)


def no_nu(releases: Iterable[str]) -> tuple[NotRun, ...]:
    """Say of releases about anything but one secret bit per person that the prior does not reach them."""
    reason = "who agrees about one secret of two values says nothing about this kind of release"
    return tuple(NotRun(release=name, attack_method="inference", reason=reason) for name in releases)


def _one(name: str, release: Release, shared: _Shared, progress: Progress) -> RelatedFinding:
    network, present, source, seed = shared.network, shared.present, shared.source, shared.seed
    promise = release.promise
    about = PromisedRelease(name, release.mechanism, None if promise is None else promise.text)
    if promise is None or not _limits(promise):
        return make_infinite_finding(None, about, describe(source, network), notes=network.notes)
    if promise.epsilon is None:
        spent = Spent(None, None, promise.rho, 1)
        counted = replace(network, epsilon=present.astype(np.float64))
        return without_limit(counted, spent, source=source, release=about, seed=seed, progress=progress)
    return measure(
        replace(network, epsilon=np.where(present, promise.epsilon, 0.0)),
        Spent(promise.epsilon, None, None, 1),
        source=source,
        release=about,
        prepared=shared.prepared,
        why=shared.why,
        progress=progress,
    ).finding


def _limits(promise: Promise) -> bool:
    """Whether a promise says anything: beyond some thousand an epsilon or a rho is a number, not a limit."""
    spent = promise.rho if promise.epsilon is None else promise.epsilon
    return spent is not None and LEAST_EPSILON <= spent <= MOST_EPSILON


def among_people(network: Network, ids: Ids | None) -> tuple[Network, NDArray[np.bool_]]:
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
