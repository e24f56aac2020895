"""The releases of an audit: what the promise of each is worth to people who are related."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dalenius.auditing.case import Asked, Claims, Opened
from dalenius.auditing.plan_parts import PriorPlan
from dalenius.errors import InputError
from dalenius.findings.report import Finding, NotRun
from dalenius.inference.answers.approximate_dp import without_limit
from dalenius.inference.answers.measure import measure
from dalenius.inference.answers.privacy_loss import Spent
from dalenius.inference.answers.scan import RoughAgreement, parse_rough, worst_of
from dalenius.inference.attack.nu import Prepared, prepare
from dalenius.inference.build import PromisedRelease, make_infinite_finding
from dalenius.inference.finding import InferenceFinding, RelatedFinding
from dalenius.inference.priors.prior import PriorFiles, describe, open_prior
from dalenius.inference.priors.relation_files import parse_columns
from dalenius.knowledge.correlation.files.people import LEAST_EPSILON, MOST_EPSILON
from dalenius.knowledge.correlation.network import Network
from dalenius.mechanisms.base import Promise
from dalenius.people.schema import Ids
from dalenius.progress import Announce, Progress, within
from dalenius.release.release import Release
from dalenius.shown import people


class PromiseMeasure(Protocol):
    """What the releases of an audit share: a prior, and what it makes of a promise."""

    def worth(self, name: str, release: Release, progress: Progress) -> InferenceFinding:
        """Say what the promise of one release is worth."""
        ...


@dataclass(frozen=True)
class RelatedPeople:
    """A prior about the people of an audit.

    Parameters
    ----------
    networks, source
        Who is related, and where that comes from; several where agreement is known roughly.
    rough
        Then the agreements of these, from end to end.
    why
        Whether it is looked for which relations are behind what is given away.
    """

    networks: tuple[Network, ...]
    source: str
    why: bool = True
    rough: RoughAgreement | None = None

    def ask(self, before: Sequence[Opened], *, seed: int) -> Asked:
        """Ask of every release about a secret what its promise is worth, nu beside epsilon.

        Raises
        ------
        InputError
            If the secret has more than two values, or nobody of the prior is in the data.
        """

        def measure(opened: Opened) -> PromiseMeasure:
            check_values(opened.published.values(), 2)
            both = [among_people(network, opened.ids) for network in self.networks]
            networks = tuple(network for network, _ in both)
            return _Shared(networks, both[0][1], self.source, seed, self.why, self.rough)

        return ask_about(before, measure)


def ask_about(before: Sequence[Opened], measure: Callable[[Opened], PromiseMeasure]) -> Asked:
    """Ask about every release that was opened; nothing where none was."""
    opened = next((each for each in before if each.published), None)
    if opened is None:
        return Asked()
    shared = measure(opened)
    return Asked(cases=[RelatedCase(name, release, shared) for name, release in opened.published.items()])


def check_values(releases: Iterable[Release], wanted: int) -> None:
    """Refuse secrets with more or fewer values than the prior speaks of."""
    for release in releases:
        values = len(release.secret.levels)
        if values != wanted:
            raise InputError(
                "knowledge.prior",
                f"must be about a secret of {'two' if wanted == 2 else f'{wanted:,}'} values",
                f"{values} values of {release.secret.name!r}",
                "Leave the prior out, or say which value counts.",
            )


@dataclass(frozen=True)
class _Shared:
    """What the releases of an audit share: who is related, and who of them is in the data."""

    networks: tuple[Network, ...]
    present: NDArray[np.bool_]
    source: str
    seed: int
    why: bool = True
    rough: RoughAgreement | None = None

    @cached_property
    def prepared(self) -> tuple[Prepared, ...]:
        """The prior, ready for any epsilon."""
        return tuple(prepare(network.model, network.least) for network in self.networks)

    def worth(self, name: str, release: Release, progress: Progress) -> InferenceFinding:
        """Find the worst mechanism with the promise of a release."""
        promise, network, source = release.promise, self.networks[-1], self.source
        about = PromisedRelease(name, release.mechanism, None if promise is None else promise.text)
        if promise is None or not is_limit(promise):
            return make_infinite_finding(None, about, describe(source, network), notes=network.notes)
        if promise.epsilon is not None:
            return self._pure(about, promise.epsilon, progress)
        spent = Spent(None, None, promise.rho, 1)
        if self.rough is not None:
            return make_infinite_finding(spent, about, describe(source, network), notes=network.notes)
        counted = replace(network, epsilon=self.present.astype(np.float64))
        return without_limit(counted, spent, source=source, release=about, seed=self.seed, progress=progress)

    def _pure(self, about: PromisedRelease, epsilon: float, progress: Progress) -> RelatedFinding:
        spent, count = Spent(epsilon, None, None, 1), len(self.networks)
        found = [
            measure(
                replace(network, epsilon=np.where(self.present, epsilon, 0.0)),
                spent,
                source=self.source,
                release=about,
                prepared=prepared,
                why=self.why and self.rough is None,
                progress=within(progress, at / count, (at + 1) / count),
            )
            for at, (network, prepared) in enumerate(zip(self.networks, self.prepared, strict=True))
        ]
        worst = found[0] if self.rough is None else worst_of(found, self.rough, spent, self.source)
        return worst.finding


@dataclass(frozen=True)
class RelatedCase:
    """The promise of one release: what is it worth to people who are related?

    nu is computed, not estimated: nothing is redrawn, and there is no control.
    """

    release: str
    published: Release
    shared: PromiseMeasure
    goal: str = "inference"
    looks: int = 0

    def publish(self, progress: Progress) -> Release:
        """Return the release; only what it promises is looked at."""
        return self.published

    def attack(self, view: Release, progress: Progress, announce: Announce) -> InferenceFinding:
        """Find the worst mechanism with such a promise about everybody."""
        return self.shared.worth(self.release, view, progress)

    def control(self, progress: Progress) -> Release | None:
        """Return nothing: there is no chance in what is computed."""
        return None

    def judge(
        self, claims: InferenceFinding, control: InferenceFinding | None, looks: int, progress: Progress
    ) -> InferenceFinding:
        """Return what was computed."""
        return claims

    def about_people(self, claims: InferenceFinding) -> Claims | None:
        """Return nothing: a promise is about everybody."""
        return None

    def files(self, claims: InferenceFinding, finding: Finding) -> Mapping[tuple[str, str], str]:
        """Return nothing: nobody's nu is written by an audit."""
        return {}


def open_related(plan: PriorPlan, *, why: bool = True) -> RelatedPeople:
    """Read a prior of people who agree; where that is known roughly, at some agreements from end to end."""
    text = plan.agreement_text
    rough = parse_rough(text)
    files = PriorFiles(
        plan.edges,
        plan.households,
        plan.pedigree,
        plan.people,
        text,
        plan.identical,
        plan.fit,
        parse_columns(",".join(f"{known}={own}" for known, own in plan.columns.items())),
    )
    if rough is None:
        return RelatedPeople((open_prior(files),), files.source, why)
    tried = tuple(open_prior(replace(files, agreement=each)) for each in rough.tried())
    return RelatedPeople(tried, files.source, why, rough)


def no_nu(releases: Iterable[str]) -> tuple[NotRun, ...]:
    """Say of releases about anything but one secret bit per person that the prior does not reach them."""
    reason = "who agrees about one secret of two values says nothing about this kind of release"
    return tuple(NotRun(release=name, attack_method="inference", reason=reason) for name in releases)


def is_limit(promise: Promise) -> bool:
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
